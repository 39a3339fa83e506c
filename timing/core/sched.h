/*
 * A warp scheduler. Its warps are in sets: by the pipeline that their next instruction needs, or by the reason for
 * which they wait. Bit i of a set is the i-th warp slot of the scheduler. Policies: loose round robin; greedy then
 * oldest (Rogers et al., MICRO 2012); two-level with a small active set, which warps leave when they wait for memory or
 * for other warps (Gebhart et al., ISCA 2011; Narasiman et al., MICRO 2011); greedy then oldest, first among the warps
 * that have no unsafe access pending (Singh et al., MICRO 2015, section 5). Spinning warps can starve the warp that
 * they wait for; under greedy then oldest, as soon as they alone fill a pipeline (ElTantawy and Aamodt, HPCA 2018).
 * Therefore, whatever the policy, a warp that has not issued for a period of core.patience cycles gets priority once.
 */
#ifndef TIMING_SCHED_H
#define TIMING_SCHED_H

#include "timing/core/sm.h"

/* The sets of a scheduler: warps ready for each pipeline, then (from SCHED_WAIT on) waiting warps by stall reason.
 * SCHED_NONE: in no set. SCHED_READY: mask of the sets of ready warps. */
enum { SCHED_WAIT = PIPES, SCHED_SETS = PIPES + SM_STALLS, SCHED_NONE = SCHED_SETS, SCHED_READY = (1 << PIPES) - 1 };
_Static_assert(SCHED_SETS <= 32, "the sets of a scheduler are bits of a word");

/* The machine instructions of a sequence that have not issued: the first one of them is ready at cycle `at`. charged:
 * the profile row of the sequence's instruction. */
struct sequence_rest { uint64_t at; uint32_t left, gap; uint64_t *charged; };

struct scheduler {
    uint64_t set[SCHED_SETS];
    uint32_t held;                   /* mask of the sets that are not empty */
    uint8_t policy;                  /* enum sched_policy, a choice of core.policy */
    bool greedy;                     /* greedy then oldest, whatever warps it selects from */
    bool attentive;                  /* looks at its warps within its issue interval, too */
    uint8_t last;                    /* warp that issued last */
    uint8_t promoted;                /* two-level: warp that entered the active set last */
    uint8_t reason;                  /* enum sm_stall of cycles without issue, until the next event */
    uint32_t active_max;
    uint64_t to_flush;               /* warps whose buffer holds instructions of the wrong path (fetch.c) */
    uint64_t running, active;        /* warps that have not ended; two-level: the active set */
    uint64_t *age;                   /* sets of the warps of each block, oldest block first */
    uint32_t nage;
    uint32_t patience;               /* core cycles of a period; 0 = starved warps get no priority */
    uint64_t issued, owed;           /* warps that issued or started in this period; that did not in the last one */
    uint64_t period_end;
    uint64_t issue_free;             /* cycle from which it may issue again */
    struct sequence_rest *rest;      /* sequences in flight */
    uint32_t nrest, rest_cap;
    uint64_t rest_at;                /* cycle at which the first of them needs an issue slot; UINT64_MAX = never */
    uint64_t at;                     /* cycle of its next event */
    uint64_t since;                  /* cycles before this one are accounted for */
    uint64_t *charged;               /* profile row that the current stall is charged to; NULL = none */
};

void sched_init(struct scheduler *c, enum sched_policy policy, uint32_t active_max, uint32_t blocks);
void sched_end(struct scheduler *c);
void sched_add(struct scheduler *c, uint64_t warps);             /* the warps of a block that starts */
void sched_ended(struct scheduler *c, uint64_t warp);            /* a warp has ended */
void sched_remove(struct scheduler *c, uint64_t warps);          /* the warps of a block that ends */

uint64_t sched_active(struct scheduler *c);                      /* two-level: updates and returns the active set */
void sched_new_period(struct scheduler *c, uint64_t now);        /* warps that have not issued get priority */
unsigned sched_choose(const struct scheduler *c, uint64_t ready);/* by the policy */
/* The warps that the policy considered before it picked this one: those before it in the policy's order, all others if
 * it compares all. `before`: the warp that issued last until then. */
uint64_t sched_passed(const struct scheduler *c, unsigned picked, unsigned before);
/* The stall reason with the highest priority among those of these warps and `blocked` (bits of further reasons);
 * SM_STALL_NO_WARP = none. */
enum sm_stall sched_reason(const struct scheduler *c, uint64_t among, uint32_t blocked);

/* An instruction of n > 1 machine instructions has issued at cycle `now`: the others follow, `gap` cycles apart. */
void sched_begin_sequence(struct scheduler *c, uint32_t n, uint32_t gap, uint64_t now);
/* The machine instructions that are ready issue, until cycle `now`, before any other instruction; afterwards
 * issue_free is the cycle at which the scheduler is free. interval: cycles between its issues. */
void sched_run_sequences(struct scheduler *c, uint32_t interval, uint64_t now);

/* The warps that the policy considers. */
static inline uint64_t sched_among(struct scheduler *c)
{
    return c->policy == SCHED_TWO_LEVEL ? sched_active(c) : UINT64_MAX;
}

/* Of the warps that can issue at cycle `now`, those that have priority; all, if none has. */
static inline uint64_t sched_first(struct scheduler *c, uint64_t can, uint64_t now)
{
    if (now >= c->period_end && c->patience)
        sched_new_period(c, now);
    return c->owed & can ? c->owed & can : can;
}

/* Selects a warp of `ready`, which is not empty, for issue. */
static inline unsigned sched_pick(struct scheduler *c, uint64_t ready)
{
    bool again = c->greedy && ready >> c->last & 1;
    unsigned w = again ? c->last : sched_choose(c, ready);
    c->last = (uint8_t)w;
    c->issued |= UINT64_C(1) << w;
    c->owed &= ~c->issued;
    return w;
}

/* Its next event: now, or the end of its issue interval if it does not look at its warps before. */
static inline void sched_attend(struct scheduler *c, uint64_t now)
{
    c->at = c->issue_free > now && !c->attentive ? c->issue_free : now;
}

static inline void sched_move(struct scheduler *c, uint64_t warp, unsigned from, unsigned to)
{
    if (from < SCHED_SETS && !(c->set[from] &= ~warp))
        c->held &= ~(1u << from);
    if (to < SCHED_SETS) {
        c->set[to] |= warp;
        c->held |= 1u << to;
    }
}

#endif
