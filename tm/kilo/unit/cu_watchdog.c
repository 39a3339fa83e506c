/*
 * Validation without a commit ID, for the watchdog: compares the read log of a lane with memory. The lane's entries
 * arrive in KILO_VALIDATE messages; the last one carries KILO_VOID_ENTRY.
 */
#include "base/alloc.h"
#include "tm/kilo/unit/cu_state.h"

static uint32_t new_lane(struct commit_unit *u)
{
    uint32_t i = 0;
    while (i < u->watchdog_cap && u->watchdog[i].used)
        i++;
    if (i == u->watchdog_cap) {
        u->watchdog_cap = u->watchdog_cap ? 2 * u->watchdog_cap : 16;
        u->watchdog = mem_resize(u->watchdog, u->watchdog_cap, sizeof *u->watchdog,
                                 "watchdog validations of a commit unit");
        memset(u->watchdog + i, 0, (u->watchdog_cap - i) * sizeof *u->watchdog);
    }
    u->watchdog_lanes++;
    return i;
}

static uint32_t lane_of(struct commit_unit *u, const struct kilo_batch *b, unsigned lane)
{
    for (uint32_t i = 0; u->watchdog_lanes && i < u->watchdog_cap; i++)
        if (u->watchdog[i].used && u->watchdog[i].batch == b && u->watchdog[i].lane == lane)
            return i;
    uint32_t i = new_lane(u);
    u->watchdog[i] = (struct cu_watchdog_lane){ .batch = b, .lane = (uint8_t)lane, .used = true };
    return i;
}

static void reply_if_done(struct commit_unit *u, struct cu_watchdog_lane *c)
{
    if (!c->all || c->reading)
        return;
    cu_reply(u, c->stale ? KILO_STALE : KILO_VALID, c->batch, UINT64_C(1) << c->lane);
    c->used = false;
    u->watchdog_lanes--;
}

void cu_watchdog_entry(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word)
{
    uint32_t i = lane_of(u, b, lane);
    if (kilo_size(word) != KILO_VOID) {
        u->watchdog[i].reading++;
        cu_queue_read(u, CU_ACCESS_WATCHDOG, i, word);
        return;
    }
    u->watchdog[i].all = true;
    reply_if_done(u, &u->watchdog[i]);
}

void cu_watchdog_performed(struct commit_unit *u, uint64_t index, bool same)
{
    struct cu_watchdog_lane *c = &u->watchdog[index];
    c->reading--;
    c->stale |= !same;
    reply_if_done(u, c);
}
