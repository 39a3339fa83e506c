/* Clocks of a block's warps and lanes (order.h). */
#include "ptx/watch/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void order_make(struct order *o, const struct launch *la)
{
    size_t w = la->nwarps, lanes = la->warp_size, of_lanes = la->program->independent ? w * lanes * lanes : 0;
    *o = (struct order){ .warps = la->nwarps, .lanes = la->warp_size };
    o->cells = w * (1 + w + BLOCK_BARRIERS + ORDER_PLACES + 1) + of_lanes;
    o->time = mem_zero(o->cells, sizeof *o->time, "the clocks of a block");
    o->known = o->time + w;
    o->barrier = o->known + w * w;
    o->place = o->barrier + BLOCK_BARRIERS * w;
    o->outside = o->place + ORDER_PLACES * w;
    o->lane_known = of_lanes ? o->outside + w : NULL;
}

void order_restart(struct order *o)
{
    memset(o->time, 0, o->cells * sizeof *o->time);
}

void order_free(struct order *o)
{
    free(o->time);
}

static uint32_t *lane_row(const struct order *o, uint32_t warp, uint32_t lane)
{
    return o->lane_known + ((size_t)warp * o->lanes + lane) * o->lanes;
}

bool order_follows(const struct order *o, struct order_event before, uint32_t warp, uint32_t lane)
{
    if (before.warp != warp)
        return before.time <= o->known[(size_t)warp * o->warps + before.warp];
    if (before.lane == lane)
        return true;
    return before.time <= (o->lane_known ? lane_row(o, warp, lane)[before.lane] : o->time[warp] - 1);
}

static void raise_to(uint32_t *at, uint32_t time)
{
    *at = *at > time ? *at : time;
}

void order_release(const struct order *o, uint32_t *clock, uint32_t warp)
{
    const uint32_t *known = o->known + (size_t)warp * o->warps;
    for (uint32_t v = 0; v < o->warps; v++)
        raise_to(&clock[v], known[v]);
    raise_to(&clock[warp], o->time[warp]);
}

void order_acquire(struct order *o, const uint32_t *clock, uint32_t warp, uint64_t lanes)
{
    uint32_t *known = o->known + (size_t)warp * o->warps;
    for (uint32_t v = 0; v < o->warps; v++)
        raise_to(&known[v], clock[v]);
    for (uint64_t m = o->lane_known ? lanes : 0; m; m &= m - 1) {
        uint32_t *row = lane_row(o, warp, (uint32_t)__builtin_ctzll(m));
        for (uint32_t i = 0; i < o->lanes; i++)
            raise_to(&row[i], clock[warp]);
    }
}

void order_meet(struct order *o, uint32_t warp, uint64_t lanes)
{
    uint32_t all[LANES * MAX_HALVES] = { 0 };
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m), *row = lane_row(o, warp, lane);
        for (uint32_t i = 0; i < o->lanes; i++)
            raise_to(&all[i], row[i]);
        all[lane] = o->time[warp];
    }
    for (uint64_t m = lanes; m; m &= m - 1)
        memcpy(lane_row(o, warp, (uint32_t)__builtin_ctzll(m)), all, o->lanes * sizeof *all);
}
