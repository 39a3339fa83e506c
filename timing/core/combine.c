/*
 * A combined atomic issues twice: first the machine instructions that combine the lanes, for which the warp waits, then
 * the access. Those that compute the results of the lanes take issue slots while the access is in flight, and time
 * after it.
 */
#include "base/num.h"
#include "timing/core/combine.h"
#include "timing/core/sm_impl.h"

bool combine_begin(struct sm *s, struct slot *w)
{
    const struct tinst *t = w->inst;
    if (w->combining || w->in_tx || !warp_guard_lanes(w->warp, w->step))
        return false;
    w->combining = true;
    if (s->profile)
        sm_profile_sequence(s, w);
    if (t->slots_before > 1)
        sched_begin_sequence(&s->sched[w->sched], t->slots_before, t->slot_gap, s->now);
    warp_hold(s, w, SM_STALL_SCOREBOARD_ALU, s->now + t->lead);
    warp_consider(s, w);
    return true;
}

void combine_drop_result(const struct slot *w, const struct tinst *t, struct mem_op *op)
{
    if (t->reduces && !w->in_tx && (op->served_by[SERVE_GLOBAL] | op->served_by[SERVE_SHARED]) == op->lanes)
        op->kind = MOP_RED;
}

void combine_issued(struct sm *s, const struct slot *w, const struct tinst *t, struct mem_op *op)
{
    uint32_t after = t->slots - t->slots_before - 1;
    if (!mem_combine_lanes(op))
        return;
    s->count[STAT_COMBINED_ATOMICS]++;
    s->count[STAT_COMBINED_LANES] += num_ones(op->combined);
    if (after)
        sched_begin_sequence(&s->sched[w->sched], after + 1, t->slot_gap, s->now);
}
