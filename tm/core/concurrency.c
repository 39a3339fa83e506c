/*
 * Whose turn it is at tx_begin. Concurrency control (KILO TM, section 4.6) counts warps, or threads, of the core that
 * are in transactions; a place is given back when the whole warp has left. tm.global_warps counts those of the whole
 * GPU.
 */
#include "base/alloc.h"
#include "tm/core/tm_impl.h"

/* Warps that have asked for a place of the GPU have a place of the core: nobody keeps the one and waits for the
 * other. */
static bool core_has_room(const struct tm_core *c, const struct tm_warp *x, uint32_t lanes)
{
    const struct tm_gpu *t = c->tm;
    if (t->cfg.warps && c->warps_in + c->asking - x->asked >= t->cfg.warps)
        return false;
    return !t->cfg.threads || !c->threads_in || c->threads_in + lanes <= t->cfg.threads;
}

/* A place among those of the whole GPU is asked for once; the serial step grants it. */
static bool gpu_has_room(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (!c->tm->cfg.global_warps || x->granted)
        return true;
    if (!x->asked) {
        c->request = mem_grow(c->request, c->nrequest, &c->request_cap, sizeof *c->request,
                              "requests for transaction slots");
        c->request[c->nrequest++] = (struct tm_request){ now, c->sm, slot };
        x->asked = true;
        c->asking++;
    }
    return false;
}

bool tm_core_may_begin(struct tm_core *c, uint32_t slot, uint32_t lanes, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (x->lanes_in || !lanes)
        return true;
    x->waiting = true;
    x->turn_from = x->turn_from ? x->turn_from : now;
    if ((c->banks && !c->tm->banks->may_begin(c->banks, slot)) || !core_has_room(c, x, lanes) ||
        !gpu_has_room(c, slot, now))
        return false;
    if (c->banks) {
        c->count[STAT_WARP_TX] += now - x->turn_from;
        c->count[STAT_WARP_STALLED] += now - x->turn_from;
    }
    x->turn_from = 0;
    c->asking -= x->asked;
    x->asked = x->waiting = false;
    x->lanes_in = lanes;
    c->warps_in++;
    c->threads_in += lanes;
    return true;
}

/* Warps that wait at tx_begin are asked in the order of their slots. */
static void ask_waiting(struct tm_core *c)
{
    for (uint32_t i = 0; i < c->tm->warps; i++)
        if (c->warp[i].waiting && c->warp[i].warp)
            c->calls.ask(c->calls.ctx, i);
}

void tm_note_lanes(struct tm_core *c, int32_t lanes, uint64_t now)
{
    c->delta = mem_grow(c->delta, c->ndelta, &c->delta_cap, sizeof *c->delta, "changes of transaction counts");
    c->delta[c->ndelta++] = (struct tm_delta){ now, lanes };
}

void tm_enter(struct tm_core *c, struct tm_warp *x, uint64_t lanes, uint64_t now)
{
    x->token = x->granted;
    x->granted = false;
    x->commits = 0;
    tm_note_lanes(c, (int32_t)x->lanes_in, now);
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct tm_lane *l = &x->lane[__builtin_ctzll(m)];
        l->aborts = l->spoils = 0;
        l->first = now;
    }
}

uint64_t tm_core_ended(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t held = c->banks ? banks_ended(c, slot, now) : 0;
    c->uneven += x->commits != x->lanes_in;
    c->warps_in--;
    c->threads_in -= x->lanes_in;
    c->released += x->token;
    x->lanes_in = 0;
    x->token = false;
    x->row = 0;
    if (c->tm->protocol->ended)
        c->tm->protocol->ended(c->protocol, slot, now);
    ask_waiting(c);
    return held;
}
