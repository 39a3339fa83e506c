/* The scheduling policies, as operations on sets of warps; sequences of machine instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/core/sched.h"

void sched_init(struct scheduler *c, enum sched_policy policy, uint32_t active_max, uint32_t blocks)
{
    memset(c, 0, sizeof *c);
    c->policy = (uint8_t)policy;
    c->greedy = policy == SCHED_GTO || policy == SCHED_GTO_UNSAFE_LAST;
    c->active_max = active_max;
    c->reason = SM_STALL_NO_WARP;
    c->last = c->promoted = 63;
    c->rest_at = UINT64_MAX;
    c->age = mem_zero(blocks + 1, sizeof *c->age, "a warp scheduler");
}

void sched_end(struct scheduler *c)
{
    free(c->age);
    free(c->rest);
}

void sched_add(struct scheduler *c, uint64_t warps)
{
    c->age[c->nage++] = warps;
    c->running |= warps;
    c->issued |= warps;
}

void sched_remove(struct scheduler *c, uint64_t warps)
{
    uint32_t i = 0;
    while (c->age[i] != warps)
        i++;
    memmove(&c->age[i], &c->age[i + 1], (--c->nage - i) * sizeof *c->age);
}

void sched_ended(struct scheduler *c, uint64_t warp)
{
    c->running &= ~warp;
}

/* The first warp of the set after `last`, round robin. */
static unsigned next_of(uint64_t set, unsigned last)
{
    uint64_t after = last < 63 ? set >> (last + 1) << (last + 1) : 0;
    return (unsigned)__builtin_ctzll(after ? after : set);
}

static unsigned oldest_of(const struct scheduler *c, uint64_t set)
{
    for (uint32_t i = 0; i < c->nage; i++)
        if (c->age[i] & set)
            return (unsigned)__builtin_ctzll(c->age[i] & set);
    return (unsigned)__builtin_ctzll(set);
}

void sched_new_period(struct scheduler *c, uint64_t now)
{
    c->owed = now - c->period_end < c->patience ? c->running & ~c->issued : 0;
    c->issued = 0;
    c->period_end = now + c->patience;
}

unsigned sched_choose(const struct scheduler *c, uint64_t ready)
{
    if (c->policy == SCHED_READY_FIRST)
        return (unsigned)__builtin_ctzll(ready);
    return c->greedy ? oldest_of(c, ready) : next_of(ready, c->last);
}

static uint64_t older_than(const struct scheduler *c, unsigned warp)
{
    uint64_t older = 0, bit = UINT64_C(1) << warp;
    uint32_t i = 0;
    for (; i < c->nage && !(c->age[i] & bit); i++)
        older |= c->age[i];
    return older | (i < c->nage ? c->age[i] & (bit - 1) : 0);
}

uint64_t sched_passed(const struct scheduler *c, unsigned picked, unsigned before)
{
    if (c->greedy)
        return picked == before ? 0 : older_than(c, picked) | UINT64_C(1) << before;
    if (c->policy == SCHED_READY_FIRST)
        return ~(UINT64_C(1) << picked);
    uint64_t up_to = (UINT64_C(1) << picked) - 1, after = before < 63 ? UINT64_MAX << (before + 1) : 0;
    return picked > before ? up_to & after : up_to | after;
}

/* Warps in long waits, for which they leave the active set. */
static uint64_t long_waits(const struct scheduler *c)
{
    static const uint8_t reasons[] = {
        SM_STALL_SCOREBOARD_MEM, SM_STALL_ORDER, SM_STALL_TX, SM_STALL_FENCE, SM_STALL_DRAIN, SM_STALL_BARRIER,
        SM_STALL_SLEEP
    };
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof reasons; i++)
        set |= c->set[SCHED_WAIT + reasons[i]];
    return set;
}

uint64_t sched_active(struct scheduler *c)
{
    uint64_t may = c->running & ~long_waits(c), more;
    c->active &= may;
    while ((more = may & ~c->active) && (uint32_t)__builtin_popcountll(c->active) < c->active_max) {
        c->promoted = (uint8_t)next_of(more, c->promoted);
        c->active |= UINT64_C(1) << c->promoted;
    }
    return c->active ? c->active : ~UINT64_C(0);
}

enum sm_stall sched_reason(const struct scheduler *c, uint64_t among, uint32_t blocked)
{
    for (uint32_t m = c->held >> SCHED_WAIT; m; m &= m - 1) {
        unsigned r = (unsigned)__builtin_ctz(m);
        if (blocked && (unsigned)__builtin_ctz(blocked) < r)
            break;
        if (c->set[SCHED_WAIT + r] & among)
            return (enum sm_stall)r;
    }
    return blocked ? (enum sm_stall)__builtin_ctz(blocked) : SM_STALL_NO_WARP;
}

/* ---- sequences ---- */

/* The sequence that needs a slot first, of several the one that began first; NULL = none is in flight. */
static struct sequence_rest *first_rest(const struct scheduler *c)
{
    struct sequence_rest *first = NULL;
    for (uint32_t i = 0; i < c->nrest; i++)
        if (!first || c->rest[i].at < first->at)
            first = &c->rest[i];
    return first;
}

static void set_rest_at(struct scheduler *c)
{
    const struct sequence_rest *q = first_rest(c);
    c->rest_at = q ? q->at : UINT64_MAX;
}

void sched_begin_sequence(struct scheduler *c, uint32_t n, uint32_t gap, uint64_t now)
{
    c->rest = mem_grow(c->rest, c->nrest, &c->rest_cap, sizeof *c->rest, "a warp scheduler");
    c->rest[c->nrest++] = (struct sequence_rest){ .at = now + gap, .left = n - 1, .gap = gap, .charged = c->charged };
    set_rest_at(c);
}

void sched_run_sequences(struct scheduler *c, uint32_t interval, uint64_t now)
{
    while (c->rest_at <= now && c->issue_free <= now) {
        struct sequence_rest *q = first_rest(c);
        uint64_t at = q->at > c->issue_free ? q->at : c->issue_free;
        c->issue_free = at + interval;
        q->at = at + q->gap;
        c->charged = q->charged;
        if (!--q->left)
            memmove(q, q + 1, (size_t)(c->rest + --c->nrest - q) * sizeof *q);
        set_rest_at(c);
    }
}
