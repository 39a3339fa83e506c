/* Texts for reports of hangs: what the warps that transactional memory stalls wait for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tm/core/tm_impl.h"

void tm_append_lanes(char *text, size_t size, uint64_t lanes)
{
    const char *before = lanes & (lanes - 1) ? "lanes " : "lane ";
    for (unsigned n, from; lanes; before = ",", lanes &= ~(mask_all(n) << from)) {
        from = (unsigned)__builtin_ctzll(lanes);
        for (n = 1; from + n < TM_LANES && lanes >> (from + n) & 1;)
            n++;
        text_append(text, size, "%s%u", before, from);
        if (n > 1)
            text_append(text, size, "-%u", from + n - 1);
    }
}

/* ---- at tx_begin ---- */

static bool limited_by_core(const struct tm_core *c)
{
    const struct tm_gpu *t = c->tm;
    return (t->cfg.warps && c->warps_in >= t->cfg.warps) || (t->cfg.threads && c->threads_in);
}

bool tm_core_token_holder(const struct tm_core *c, uint32_t slot, uint32_t *sm, uint32_t *holder)
{
    bool own = limited_by_core(c);
    const struct tm_core *const *core = (const struct tm_core *const *)c->tm->core;
    for (*sm = own ? c->sm : 0; *sm < (own ? c->sm + 1u : c->tm->sms); ++*sm)
        for (*holder = 0; *holder < c->tm->warps; ++*holder) {
            const struct tm_warp *x = &core[*sm]->warp[*holder];
            if (x->lanes_in && (own || x->token || x->granted) && (*sm != c->sm || *holder != slot))
                return true;
        }
    return false;
}

static void describe_limits(const struct tm_core *c, char *text, size_t size)
{
    const struct tm_cfg *cfg = &c->tm->cfg;
    const char *before = c->warps_in == 1 ? "; warp slot " : "; warp slots ";
    text_append(text, size, "the SM has %u warps with %u threads in transactions", c->warps_in, c->threads_in);
    if (cfg->warps)
        text_append(text, size, ", tm.warps = %u", cfg->warps);
    if (cfg->threads)
        text_append(text, size, ", tm.threads = %u", cfg->threads);
    for (uint32_t i = 0; i < c->tm->warps; i++)
        if (c->warp[i].warp && c->warp[i].lanes_in) {
            text_append(text, size, "%s%u", before, i);
            before = ", ";
        }
}

static void describe_gpu_tokens(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    const struct tm_gpu *t = c->tm;
    uint32_t sm, holder, ahead = 0;
    while (ahead < t->nqueue && (t->queue[ahead].sm != c->sm || t->queue[ahead].slot != slot))
        ahead++;
    text_append(text, size, "%u of %u tokens of the GPU (tm.global_warps) are in use, %u warps are ahead", t->tokens,
              t->cfg.global_warps, ahead);
    if (tm_core_token_holder(c, slot, &sm, &holder))
        text_append(text, size, "; SM %u warp slot %u holds one", sm, holder);
}

void tm_core_describe_begin(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    if (c->shared_protocol && !c->tm->shared_protocol->may_begin(c->shared_protocol, slot)) {
        size_t n = (size_t)snprintf(text, size, "tx_begin");
        if (c->tm->shared_protocol->describe)
            c->tm->shared_protocol->describe(c->shared_protocol, slot, text + n, size - n);
        return;
    }
    snprintf(text, size, "a token at tx_begin: ");
    if (limited_by_core(c))
        describe_limits(c, text, size);
    else
        describe_gpu_tokens(c, slot, text, size);
}

/* ---- inside ---- */

void tm_core_describe_wait(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    text[0] = 0;
    if (c->tm->protocol->describe)
        c->tm->protocol->describe(c->protocol, slot, text, size);
    if (c->shared_protocol && c->tm->shared_protocol->describe && !text[0])
        c->tm->shared_protocol->describe(c->shared_protocol, slot, text, size);
}

static bool stale(const struct tm_lane *l)
{
    for (uint32_t i = 0; i < l->reads.n; i++)
        if (memcmp((const void *)(uintptr_t)l->reads.w[i].address, &l->reads.w[i].value, 4))
            return true;
    return false;
}

void tm_core_describe_attempt(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    const struct tm_warp *x = &c->warp[slot];
    uint64_t lanes = txn_lanes(x->warp), doomed = 0;
    text[0] = 0;
    if (!lanes)
        return;
    if (c->tm->protocol->plain) {    /* its reads cannot become stale */
        text_append(text, size, "inside a transaction whose attempt began in cycle %" PRIu64,
                  x->lane[__builtin_ctzll(lanes)].start);
        return;
    }
    for (uint64_t m = lanes; m; m &= m - 1)
        doomed |= stale(&x->lane[__builtin_ctzll(m)]) ? m & -m : 0;
    text_append(text, size, "inside a transaction whose attempt began in cycle %" PRIu64 "; ",
              x->lane[__builtin_ctzll(lanes)].start);
    if (doomed) {
        tm_append_lanes(text, size, doomed);
        text_append(text, size, " cannot commit, since values that they have read have changed");
    } else
        text_append(text, size, "what it has read is current");
    if (c->tm->cfg.watchdog)
        text_append(text, size, "; it is validated every %" PRIu64 " cycles (tm.watchdog)", c->tm->cfg.watchdog);
    else
        text_append(text, size, "; nothing validates it while it runs (tm.watchdog = 0)");
}

void tm_core_dump(const struct tm_core *c, void (*line)(void *ctx, const char *text), void *ctx)
{
    char text[160];
    if (!c->warps_in)
        return;
    snprintf(text, sizeof text, "transactions: %u warps, %u threads in them, %u loads in flight", c->warps_in,
             c->threads_in, c->loads);
    line(ctx, text);
    if (c->tm->protocol->dump)
        c->tm->protocol->dump(c->protocol, line, ctx);
    if (c->shared_protocol && c->tm->shared_protocol->dump)
        c->tm->shared_protocol->dump(c->shared_protocol, line, ctx);
}
