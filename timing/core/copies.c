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
 *
 * The bulk copies (bulk_engine.c) to global memory have groups of their own, and a wait may be for the reading of their
 * sources alone. Products of a warpgroup (wgmma) have groups of their own, too. The tensor pipeline of a warp's
 * scheduler computes them in the order of issue, from a queue without limit; the warp does not wait. Assumption, as no
 * source gives the bandwidth: they read shared memory at full rate, beside the load/store unit.
 */
#include "base/alloc.h"
#include "ptx/memory/async_copy.h"
#include "ptx/memory/mbarrier.h"
#include "timing/core/sm_impl.h"

enum { COPY_ARRIVALS = 8, GROUP_BITS = 8 };

_Static_assert(SM_COPY_GROUPS <= 1 << GROUP_BITS, "a group has GROUP_BITS bits of op->copy_number");

/* Waits for its own access and for the copies with numbers below `before`, `left` in all. */
struct copy_arrival { uint64_t before; uint32_t left; struct mem_op *op; };

/* The groups of one kind: copies that are not complete, by the place of their group; the number of the open group. */
struct copy_ring { uint32_t in_flight[SM_COPY_GROUPS], group; };

/* Of a warp slot. */
struct copies {
    struct copy_ring ring[SM_COPY_RINGS];
    uint32_t bulk;                   /* bulk copies that are not complete, including those in no group */
    uint32_t narrivals;
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
    struct copy_ring *r = &c->ring[SM_COPY_ASYNC];
    uint32_t group = r->group % SM_COPY_GROUPS;
    op->copy_number = c->next++ << GROUP_BITS | group;
    r->in_flight[group]++;
}

static uint32_t in_flight(const struct copies *c, enum sm_copy_ring ring)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SM_COPY_GROUPS; i++)
        n += c->ring[ring].in_flight[i];
    return n;
}

bool copies_pending(const struct sm *s, const struct slot *w)
{
    const struct copies *c = s->copies ? &s->copies[w->index] : NULL;
    return c && (c->bulk || c->narrivals || in_flight(c, SM_COPY_ASYNC) || in_flight(c, SM_COPY_PRODUCT));
}

void copies_commit(struct sm *s, const struct slot *w, const struct tinst *t)
{
    if (!s->copies)
        return;
    struct copies *c = &s->copies[w->index];
    c->ring[t->copy_ring].group++;
    if (t->copy_ring == SM_COPY_BULK)
        c->ring[SM_COPY_BULK_READ].group++;
}

/* The groups of copies that a commit may close: the place of the next group must be free. */
static bool next_is_free(const struct copy_ring *r)
{
    return !r->in_flight[(r->group + 1) % SM_COPY_GROUPS];
}

bool copies_allow(const struct sm *s, const struct slot *w, const struct tinst *t)
{
    if (!s->copies)
        return true;
    const struct copies *c = &s->copies[w->index];
    const struct copy_ring *r = &c->ring[t->copy_ring];
    if (t->copy_arrives)
        return c->narrivals < COPY_ARRIVALS;
    if (t->copy_commits && !t->copy_waits)
        return next_is_free(r);
    /* counted back from the open group, which only wait_all, a commit, includes */
    uint32_t back = t->copy_commits ? 0 : t->copy_left < SM_COPY_GROUPS ? t->copy_left + 1 : SM_COPY_GROUPS;
    for (; back < SM_COPY_GROUPS; back++)
        if (r->in_flight[(r->group - back) % SM_COPY_GROUPS])
            return false;
    return true;
}

void copies_arrive(struct sm *s, const struct slot *w, struct mem_op *op)
{
    struct copies *c = copies_of(s, w);
    c->arrival[c->narrivals++] = (struct copy_arrival){ c->next, in_flight(c, SM_COPY_ASYNC) + 1, op };
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
    if (w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_MEM || w->set == SCHED_WAIT + SM_STALL_SCOREBOARD_ALU)
        warp_consider(s, w);
    else if (w->ended)
        sm_block_check_end(s, w->block);
}

void copies_arrive_performed(struct sm *s, struct slot *w, struct mem_op *op)
{
    settle_arrivals(s, &s->copies[w->index], 0, op);
    consider(s, w);
}

void copies_end(struct sm *s, struct slot *w, uint64_t number)
{
    struct copies *c = &s->copies[w->index];
    c->ring[SM_COPY_ASYNC].in_flight[number & ((1u << GROUP_BITS) - 1)]--;
    settle_arrivals(s, c, number >> GROUP_BITS, NULL);
    consider(s, w);
}

/* ---- bulk copies ---- */

uint32_t copies_begin_bulk(struct sm *s, const struct slot *w, uint32_t n, bool of_group)
{
    struct copies *c = copies_of(s, w);
    uint32_t group = c->ring[SM_COPY_BULK].group % SM_COPY_GROUPS;
    c->bulk += n;
    if (!of_group)
        return SM_NO_GROUP;
    c->ring[SM_COPY_BULK].in_flight[group] += n;
    c->ring[SM_COPY_BULK_READ].in_flight[group] += n;
    return group;
}

void copies_bulk_read(struct sm *s, struct slot *w, uint32_t group)
{
    if (group == SM_NO_GROUP)
        return;
    s->copies[w->index].ring[SM_COPY_BULK_READ].in_flight[group]--;
    consider(s, w);
}

void copies_bulk_end(struct sm *s, struct slot *w, uint32_t group)
{
    struct copies *c = &s->copies[w->index];
    c->bulk--;
    if (group != SM_NO_GROUP)
        c->ring[SM_COPY_BULK].in_flight[group]--;
    consider(s, w);
}

/* ---- products of a warpgroup ---- */

void copies_begin_product(struct sm *s, const struct slot *w, uint64_t at)
{
    struct copy_ring *r = &copies_of(s, w)->ring[SM_COPY_PRODUCT];
    uint32_t group = r->group % SM_COPY_GROUPS;
    r->in_flight[group]++;
    calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .address = group, .kind = EVENT_PRODUCT,
                                                       .warp = w->index });
}

void copies_product_end(struct sm *s, struct slot *w, uint32_t group)
{
    s->copies[w->index].ring[SM_COPY_PRODUCT].in_flight[group]--;
    consider(s, w);
}

void copies_arrived(struct sm *s, struct slot *w, struct mem_op *op, uint64_t at)
{
    uint64_t number = op->copy_number;
    async_copy_arrived(op);
    sm_give_op(s, op);
    if (at <= s->now)
        copies_end(s, w, number);
    else
        calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .address = number, .kind = EVENT_COPY,
                                                           .warp = w->index });
}
