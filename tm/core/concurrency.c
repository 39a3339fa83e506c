/*
 * Concurrency control at tx_begin (KILO TM, section 4.6). tm.warps and tm.threads limit the warps, or threads, of an SM
 * in transactions; a warp holds its token until all its lanes have committed. tm.global_warps limits the warps of the
 * whole GPU.
 */
#include "base/alloc.h"
#include "tm/core/tm_impl.h"

/* A warp that has requested a token of the GPU already holds one of the SM. So no warp can hold a token of the GPU and
 * wait for one of the SM. */
static bool core_has_token(const struct tm_core *c, const struct tm_warp *x, uint32_t lanes)
{
    const struct tm_gpu *t = c->tm;
    if (t->cfg.warps && c->warps_in + c->requesting - x->requested >= t->cfg.warps)
        return false;
    return !t->cfg.threads || !c->threads_in || c->threads_in + lanes <= t->cfg.threads;
}

/* A warp requests a token of the GPU once; the serial step grants it. */
static bool gpu_has_token(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (!c->tm->cfg.global_warps || x->granted)
        return true;
    if (!x->requested) {
        c->request = mem_grow(c->request, c->nrequest, &c->request_cap, sizeof *c->request,
                              "requests for tokens of transactions");
        c->request[c->nrequest++] = (struct tm_request){ now, c->sm, slot };
        x->requested = true;
        c->requesting++;
    }
    return false;
}

bool tm_core_may_begin(struct tm_core *c, uint32_t slot, uint32_t lanes, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (x->lanes_in || !lanes)
        return true;
    x->waiting = true;
    x->begin_waits_from = x->begin_waits_from ? x->begin_waits_from : now;
    if ((c->shared_protocol && !c->tm->shared_protocol->may_begin(c->shared_protocol, slot)) ||
        !core_has_token(c, x, lanes) || !gpu_has_token(c, slot, now))
        return false;
    if (c->shared_protocol) {
        c->count[STAT_WARP_TX] += now - x->begin_waits_from;
        c->count[STAT_WARP_STALLED] += now - x->begin_waits_from;
    }
    x->begin_waits_from = 0;
    c->requesting -= x->requested;
    x->requested = x->waiting = false;
    x->lanes_in = lanes;
    c->warps_in++;
    c->threads_in += lanes;
    return true;
}

/* Wakes the warps that wait at tx_begin, in the order of their slots. */
static void wake_waiting(struct tm_core *c)
{
    for (uint32_t i = 0; i < c->tm->warps; i++)
        if (c->warp[i].waiting && c->warp[i].warp)
            c->calls.wake(c->calls.ctx, i);
}

void tm_count_lanes(struct tm_core *c, int32_t lanes, uint64_t now)
{
    c->delta = mem_grow(c->delta, c->ndelta, &c->delta_cap, sizeof *c->delta, "changes of transaction counts");
    c->delta[c->ndelta++] = (struct tm_delta){ now, lanes };
}

void tm_begin_transaction(struct tm_core *c, struct tm_warp *x, uint64_t lanes, uint64_t now)
{
    x->token = x->granted;
    x->granted = false;
    x->commits = 0;
    tm_count_lanes(c, (int32_t)x->lanes_in, now);
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct tm_lane *l = &x->lane[__builtin_ctzll(m)];
        l->aborts = l->stale_attempts = 0;
        l->first = now;
    }
}

uint64_t tm_core_ended(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t held = c->shared_protocol ? tm_shared_ended(c, slot, now) : 0;
    c->miscounted += x->commits != x->lanes_in;
    c->warps_in--;
    c->threads_in -= x->lanes_in;
    c->released += x->token;
    x->lanes_in = 0;
    x->token = false;
    x->aborts_in_row = 0;
    if (c->tm->protocol->ended)
        c->tm->protocol->ended(c->protocol, slot, now);
    wake_waiting(c);
    return held;
}
