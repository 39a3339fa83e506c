/*
 * A warp scheduler: the warps that belong to it, sorted into sets by the pipeline that their next instruction needs or
 * by what they wait for, and the policies that choose among those that may issue. Bit i of a set is the i-th warp slot
 * of the scheduler. Policies: loose round robin; greedy then oldest (Rogers et al., MICRO 2012); two-level with a small
 * active set that warps leave when they wait for memory or for others (Gebhart et al., ISCA 2011; Narasiman et al.,
 * MICRO 2011). Warps that spin can keep another from issuing for ever, the very one that they wait for: under "oldest
 * first" whenever they alone fill a pipeline (ElTantawy and Aamodt, HPCA 2018). So whatever the policy, a warp that has
 * not issued for a period of core.patience goes first once.
 */
#ifndef TIMING_SCHED_H
#define TIMING_SCHED_H

#include "timing/core/sm.h"

/* Where a warp stands: ready for a pipeline, or waiting for a reason. */
enum { PLACE_WAIT = PIPES, PLACES = PIPES + STALLS, PLACE_NONE = PLACES, READY_PLACES = (1 << PIPES) - 1 };
_Static_assert(PLACES <= 32, "the places of a warp are bits of a word");

struct scheduler {
    uint64_t set[PLACES];
    uint32_t held;                   /* places whose set is not empty */
    uint8_t policy;                  /* enum sched_policy, a choice of core.policy */
    uint8_t last;                    /* warp that issued last */
    uint8_t promoted;                /* two-level: warp that came into the active set last */
    uint8_t reason;                  /* why it does not issue, while nothing happens: enum stall */
    uint32_t active_max;
    uint64_t running, active;        /* warps that have not ended; two-level: the active set */
    uint64_t *age;                   /* by age, oldest first: the warps of a block */
    uint32_t nage;
    uint32_t patience;               /* core cycles; 0: who is passed over stays passed over */
    uint64_t issued, owed;           /* warps that did, or came, in this period; that did not in the last */
    uint64_t period_end;
    uint64_t issue_free;             /* cycle from which it may issue again */
    uint64_t at;                     /* cycle at which to look at it again */
    uint64_t since;                  /* cycles before are accounted for */
};

void sched_init(struct scheduler *c, enum sched_policy policy, uint32_t active_max, uint32_t blocks);
void sched_end(struct scheduler *c);
void sched_add(struct scheduler *c, uint64_t warps);             /* the warps of a block that starts */
void sched_ended(struct scheduler *c, uint64_t warp);            /* a warp of it has ended */
void sched_remove(struct scheduler *c, uint64_t warps);          /* the block has ended */

uint64_t sched_active(struct scheduler *c);                       /* two-level: the active set, brought up to date */
void sched_new_period(struct scheduler *c, uint64_t now);         /* who has not issued in the last one is owed */
unsigned sched_choose(const struct scheduler *c, uint64_t ready); /* whoever comes after the last one */
/* Of what these warps wait for, the reason that counts most; ST_NO_WARP when there is none. blocked: bits of further
 * reasons. */
enum stall sched_reason(const struct scheduler *c, uint64_t among, uint32_t blocked);

/* The warps that the policy looks at. */
static inline uint64_t sched_among(struct scheduler *c)
{
    return c->policy == POLICY_TWO_LEVEL ? sched_active(c) : UINT64_MAX;
}

/* Of the warps that can issue at cycle `now` those that have waited too long; all, if there are none. */
static inline uint64_t sched_first(struct scheduler *c, uint64_t can, uint64_t now)
{
    if (now >= c->period_end && c->patience)
        sched_new_period(c, now);
    return c->owed & can ? c->owed & can : can;
}

/* The warp to issue from of `ready`, which is not empty; it becomes the last one. */
static inline unsigned sched_pick(struct scheduler *c, uint64_t ready)
{
    bool greedy = c->policy == POLICY_GTO && ready >> c->last & 1;
    unsigned w = greedy ? c->last : sched_choose(c, ready);
    c->last = (uint8_t)w;
    c->issued |= UINT64_C(1) << w;
    c->owed &= ~c->issued;
    return w;
}

static inline void sched_move(struct scheduler *c, uint64_t warp, unsigned from, unsigned to)
{
    if (from < PLACES && !(c->set[from] &= ~warp))
        c->held &= ~(1u << from);
    if (to < PLACES) {
        c->set[to] |= warp;
        c->held |= 1u << to;
    }
}

#endif
