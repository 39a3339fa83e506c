/*
 * Asynchronous copies (cp.async): loads whose data go to shared memory. A warp numbers its copies and their groups.
 *
 * Copies of groups that are not complete are counted in a ring, so a commit waits until the group that had its place is
 * complete. A wait stalls the warp on the groups that are not among the latest. Lanes that commit in diverged code make
 * groups of their own: the warp then waits for more than the ISA asks, never for less.
 *
 * cp.async.mbarrier.arrive is an access to shared memory. Its lanes arrive at their barrier objects when it has
 * performed and all copies of the warp that began before are complete, in diverged code those of other lanes, too.
 * A warp has at most COPY_ARRIVALS of them outstanding; the next one stalls.
 */
#include "base/alloc.h"
#include "ptx/memory/async_copy.h"
#include "ptx/memory/mbarrier.h"
#include "timing/core/sm_impl.h"

enum { COPY_ARRIVALS = 8, GROUP_BITS = 8 };

_Static_assert(SM_COPY_GROUPS <= 1 << GROUP_BITS, "a group has GROUP_BITS bits of op->copy");

/* Waits for its own access and for the copies with numbers below `before`, `left` in all. */
struct copy_arrival { uint64_t before; uint32_t left; struct mem_op *op; };

/* Of a warp slot. */
struct copies {
    uint16_t in_flight[SM_COPY_GROUPS];
    uint32_t group, narrivals;
    uint64_t next;                   /* number of the next copy */
    struct copy_arrival arrival[COPY_ARRIVALS];
};

static struct copies *copies_of(struct sm *s, const struct slot *w)
{
    if (!s->copies)
        s->copies = mem_zero(s->cfg.warps, sizeof *s->copies, "the asynchronous copies of an SM");
    return &s->copies[w->index];
}

void copies_begin(struct sm *s, const struct slot *w, struct mem_op *op)
{
    struct copies *c = copies_of(s, w);
    uint32_t group = c->group % SM_COPY_GROUPS;
    op->copy = c->next++ << GROUP_BITS | group;
    c->in_flight[group]++;
}

static uint32_t in_flight(const struct copies *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SM_COPY_GROUPS; i++)
        n += c->in_flight[i];
    return n;
}

bool copies_pending(const struct sm *s, const struct slot *w)
{
    return s->copies && (in_flight(&s->copies[w->index]) || s->copies[w->index].narrivals);
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
    if (t->copy_arrives)
        return c->narrivals < COPY_ARRIVALS;
    if (t->copy_commits && !t->copy_waits)
        return !c->in_flight[(c->group + 1) % SM_COPY_GROUPS];
    /* counted back from the open group, which only wait_all, a commit, includes */
    uint32_t back = t->copy_commits ? 0 : t->copy_left < SM_COPY_GROUPS ? t->copy_left + 1 : SM_COPY_GROUPS;
    for (; back < SM_COPY_GROUPS; back++)
        if (c->in_flight[(c->group - back) % SM_COPY_GROUPS])
            return false;
    return true;
}

void copies_arrive(struct sm *s, const struct slot *w, struct mem_op *op)
{
    struct copies *c = copies_of(s, w);
    c->arrival[c->narrivals++] = (struct copy_arrival){ c->next, in_flight(c) + 1, op };
}

/* The copy with this number is complete; or, with op, the access of this arrival has performed. */
static void settle_arrivals(struct sm *s, struct copies *c, uint64_t copy, const struct mem_op *op)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->narrivals; i++) {
        struct copy_arrival a = c->arrival[i];
        a.left -= op ? a.op == op : copy < a.before;
        if (a.left)
            c->arrival[kept++] = a;
        else {
            mbarrier_copies_complete(a.op);
            sm_give_op(s, a.op);
        }
    }
    c->narrivals = kept;
}

static void consider(struct sm *s, struct slot *w)
{
    if (w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_MEM)
        warp_consider(s, w);
    else if (w->ended)
        sm_block_check_end(s, w->block);
}

void copies_arrive_performed(struct sm *s, struct slot *w, struct mem_op *op)
{
    settle_arrivals(s, &s->copies[w->index], 0, op);
    consider(s, w);
}

void copies_end(struct sm *s, struct slot *w, uint64_t copy)
{
    struct copies *c = &s->copies[w->index];
    c->in_flight[copy & ((1u << GROUP_BITS) - 1)]--;
    settle_arrivals(s, c, copy >> GROUP_BITS, NULL);
    consider(s, w);
}

void copies_arrived(struct sm *s, struct slot *w, struct mem_op *op, uint64_t at)
{
    uint64_t copy = op->copy;
    async_copy_arrived(op);
    sm_give_op(s, op);
    if (at <= s->now)
        copies_end(s, w, copy);
    else
        calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .address = copy, .kind = EVENT_COPY,
                                                           .warp = w->index });
}
