/* What warps wait for that transactional memory holds back, in words, for reports of hangs. */
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

/* ---- turns at tx_begin ---- */

static bool limited_by_core(const struct tm_core *c)
{
    const struct tm_gpu *t = c->tm;
    return (t->cfg.warps && c->warps_in >= t->cfg.warps) || (t->cfg.threads && c->threads_in);
}

bool tm_core_holder(const struct tm_core *c, uint32_t slot, uint32_t *sm, uint32_t *holder)
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

static void say_slots(const struct tm_core *c, char *text, size_t size)
{
    const char *before = c->warps_in == 1 ? ": warp slot " : ": warp slots ";
    for (uint32_t i = 0; i < c->tm->warps; i++)
        if (c->warp[i].warp && c->warp[i].lanes_in) {
            text_append(text, size, "%s%u", before, i);
            before = ", ";
        }
}

void tm_core_say_turn(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    const struct tm_gpu *t = c->tm;
    uint32_t sm, holder, first = 0;
    snprintf(text, size, "its turn at tx_begin");
    if (c->banks && !c->tm->banks->may_begin(c->banks, slot)) {
        size_t n = strlen(text);
        if (c->tm->banks->say)
            c->tm->banks->say(c->banks, slot, text + n, size - n);
        return;
    }
    text_append(text, size, ": ");
    if (limited_by_core(c)) {
        text_append(text, size, "warps of the SM in transactions: %u with %u threads", c->warps_in, c->threads_in);
        if (t->cfg.warps)
            text_append(text, size, ", tm.warps lets %u", t->cfg.warps);
        if (t->cfg.threads)
            text_append(text, size, ", tm.threads lets %u threads", t->cfg.threads);
        say_slots(c, text, size);
        return;
    }
    while (first < t->nqueue && (t->queue[first].sm != c->sm || t->queue[first].slot != slot))
        first++;
    text_append(text, size, "%u of %u places of the GPU (tm.global_warps) are taken, %u warps come first", t->places,
              t->cfg.global_warps, first);
    if (tm_core_holder(c, slot, &sm, &holder))
        text_append(text, size, "; SM %u warp slot %u has a place", sm, holder);
}

/* ---- inside ---- */

void tm_core_say(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    text[0] = 0;
    if (c->tm->protocol->say)
        c->tm->protocol->say(c->protocol, slot, text, size);
    if (c->banks && c->tm->banks->say && !text[0])
        c->tm->banks->say(c->banks, slot, text, size);
}

static bool stale(const struct tm_lane *l)
{
    for (uint32_t i = 0; i < l->reads.n; i++)
        if (memcmp((const void *)(uintptr_t)l->reads.w[i].address, &l->reads.w[i].value, 4))
            return true;
    return false;
}

void tm_core_say_inside(const struct tm_core *c, uint32_t slot, char *text, size_t size)
{
    const struct tm_warp *x = &c->warp[slot];
    uint64_t lanes = txn_lanes(x->warp), doomed = 0;
    text[0] = 0;
    if (!lanes)
        return;
    if (c->tm->protocol->plain) {    /* nothing makes stale what the banks keep */
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
    snprintf(text, sizeof text, "transactions: %u warps, %u threads in them, %u loads under way", c->warps_in,
             c->threads_in, c->loads);
    line(ctx, text);
    if (c->tm->protocol->dump)
        c->tm->protocol->dump(c->protocol, line, ctx);
    if (c->banks && c->tm->banks->dump)
        c->tm->banks->dump(c->banks, line, ctx);
}
