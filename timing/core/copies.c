/*
 * Groups of asynchronous copies (cp.async). A copy is a load whose data go to shared memory. A warp numbers its groups;
 * those that are not complete are counted in a ring, so a commit waits until the group that had its place is complete. A
 * wait stalls the warp on the groups that are not among the latest. Lanes that commit in diverged code make groups of
 * their own: the warp then waits for more than the ISA asks, never for less.
 */
#include "base/alloc.h"
#include "ptx/memory/async_copy.h"
#include "timing/core/sm_impl.h"

void copies_begin(struct sm *s, const struct slot *w, struct mem_op *op)
{
    if (!s->copies)
        s->copies = mem_zero(s->cfg.warps, sizeof *s->copies, "the asynchronous copies of an SM");
    op->copy_group = (uint8_t)(s->copies[w->index].group % SM_COPY_GROUPS);
    s->copies[w->index].in_flight[op->copy_group]++;
}

bool copies_pending(const struct sm *s, const struct slot *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; s->copies && i < SM_COPY_GROUPS; i++)
        n += s->copies[w->index].in_flight[i];
    return n;
}

void copies_commit(struct sm *s, const struct slot *w)
{
    if (s->copies)
        s->copies[w->index].group++;
}

bool copies_allow(const struct sm *s, const struct slot *w, const struct tinst *t)
{
    if (!s->copies)
        return true;
    const struct copies *c = &s->copies[w->index];
    if (t->copy_commits && !t->copy_waits)
        return !c->in_flight[(c->group + 1) % SM_COPY_GROUPS];
    /* counted back from the open group, which only wait_all, a commit, includes */
    uint32_t back = t->copy_commits ? 0 : t->copy_left < SM_COPY_GROUPS ? t->copy_left + 1 : SM_COPY_GROUPS;
    for (; back < SM_COPY_GROUPS; back++)
        if (c->in_flight[(c->group - back) % SM_COPY_GROUPS])
            return false;
    return true;
}

void copies_end(struct sm *s, struct slot *w, uint32_t group)
{
    s->copies[w->index].in_flight[group]--;
    if (w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_MEM)
        warp_consider(s, w);
    else if (w->ended)
        sm_block_check_end(s, w->block);
}

void copies_arrived(struct sm *s, struct slot *w, struct mem_op *op, uint64_t at)
{
    uint32_t group = op->copy_group;
    async_copy_arrived(op);
    sm_give_op(s, op);
    if (at <= s->now)
        copies_end(s, w, group);
    else
        calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .address = group, .kind = EVENT_COPY,
                                                           .warp = w->index });
}
