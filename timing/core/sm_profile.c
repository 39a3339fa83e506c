/*
 * The profile of an SM: what its warps and schedulers do, by instruction. Each cycle of a resident warp is counted for
 * one instruction: the one that it issues, or the one that it waits to issue. At a branch, a barrier or nanosleep, and
 * while the warp has no next instruction, it is the last one that issued. Each stall cycle of a scheduler is counted
 * for one instruction: for issue_width usually the one that issued last, else that of a warp with the stall reason,
 * selected by the scheduling policy.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "timing/core/sm_impl.h"

struct slot_profile {
    uint64_t since;                  /* cycles of the warp before this one are in the profile */
    uint64_t *at, *last;             /* the instruction that the current wait belongs to; the last one issued */
    uint64_t *issued;                /* the one that the last cycle with an issue belongs to */
};

struct sm_profile { struct slot_profile slot[SM_SLOTS_MAX]; };

void sm_profile_begin(struct sm *s)
{
    s->profile = mem_zero(1, sizeof *s->profile, "the profile of an SM");
}

void sm_profile_end(struct sm *s)
{
    free(s->profile);
}

/* ---- rows ---- */

static uint64_t *next_row(const struct slot *w)
{
    struct profile *p = &w->block->grid->profile;
    return profile_rows(p, w->code->code->func->index, w->code->ninsts + 1)[w->seq];
}

/* Does the last instruction, not the next one, make the warp wait in this set? */
static bool waits_after(unsigned set)
{
    return set == SCHED_WAIT + SM_STALL_BRANCH || set == SCHED_WAIT + SM_STALL_BARRIER ||
           set == SCHED_WAIT + SM_STALL_SLEEP;
}

static uint64_t *row_of(const struct slot *w, const struct slot_profile *p, unsigned set)
{
    return p->last && (!w->inst || waits_after(set)) ? p->last : next_row(w);
}

uint64_t *sm_profile_row(const struct sm *s, const struct slot *w)
{
    return s->profile->slot[w->index].last;
}

/* ---- warps ---- */

static const enum profile_figure wait_figure[SM_STALLS] = {
#define WAIT_OF_WARP(id) [SM_STALL_##id] = PROFILE_WAIT_##id,
#define WAIT_OF_READY(id) [SM_STALL_##id] = PROFILE_WAIT_READY,
#define WAIT_OF_NONE(id) [SM_STALL_##id] = PROFILE_WAIT_READY,
#define STALL(id, name, class, of, meaning) WAIT_OF_##of(id)
#include "timing/stall.def"
};

static void add_wait(const struct slot *w, struct slot_profile *p, uint64_t until)
{
    if (until <= p->since)
        return;
    p->at[w->set < SCHED_WAIT ? PROFILE_WAIT_READY : wait_figure[w->set - SCHED_WAIT]] += until - p->since;
    p->since = until;
}

void sm_profile_start(struct sm *s, const struct slot *w)
{
    s->profile->slot[w->index] = (struct slot_profile){ .since = s->now };
}

void sm_profile_move(struct sm *s, const struct slot *w, unsigned set)
{
    struct slot_profile *p = &s->profile->slot[w->index];
    if (w->set != SCHED_NONE)
        add_wait(w, p, s->now);
    if (set != SCHED_NONE)
        p->at = row_of(w, p, set);
    else if (p->since > s->now)
        p->issued[PROFILE_WAIT_ISSUE]--;         /* the warp ends: its last cycle is not one of a resident warp */
}

void sm_profile_issue(struct sm *s, const struct slot *w)
{
    struct slot_profile *p = &s->profile->slot[w->index];
    add_wait(w, p, s->now);
    p->last = next_row(w);
    p->last[PROFILE_ISSUED]++;
    p->last[PROFILE_MACHINE_INSTRUCTIONS] += w->inst->slots;
    s->sched[w->sched].charged = p->last;
    if (p->since > s->now)
        return;                                  /* dual issue: the cycle is the first instruction's */
    p->issued = p->last;
    p->issued[PROFILE_WAIT_ISSUE]++;
    p->since = s->now + 1;
}

void sm_profile_sequence(struct sm *s, const struct slot *w)
{
    s->sched[w->sched].charged = next_row(w);
}

void sm_profile_next(struct sm *s, const struct slot *w)
{
    struct slot_profile *p = &s->profile->slot[w->index];
    p->at = row_of(w, p, w->set);
}

/* ---- schedulers ---- */

/* The warps of these that have the stall reason. */
static uint64_t stalled(const struct scheduler *c, uint64_t among, enum sm_stall why)
{
    uint64_t ready = 0, here = 0;
    for (unsigned p = 0; p < PIPES; p++) {
        ready |= c->set[p];
        here |= pipe_table[p].stall == why ? c->set[p] : 0;
    }
    uint64_t waiting = c->set[SCHED_WAIT + why] & among;
    return waiting ? waiting : here & among ? here & among : ready & among;
}

void sm_profile_stall_of(struct sm *s, unsigned k, uint64_t warps)
{
    struct scheduler *c = &s->sched[k];
    if (!warps) {
        c->charged = NULL;
        return;
    }
    const struct slot *w = &s->slot[sched_choose(c, warps) * s->cfg.schedulers + k];
    const struct slot_profile *p = &s->profile->slot[w->index];
    c->charged = row_of(w, p, w->set);
}

void sm_profile_stall_reason(struct sm *s, unsigned k, uint64_t among, enum sm_stall why)
{
    sm_profile_stall_of(s, k, why == SM_STALL_NO_WARP ? 0 : stalled(&s->sched[k], among, why));
}

/* ---- grids ---- */

void sm_profile_add(struct sm *s, const struct grid *g, struct profile *to)
{
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        struct slot *w = &s->slot[i];
        if (w->warp && !w->ended && w->block->grid->grid == g)
            add_wait(w, &s->profile->slot[i], s->upto);
    }
    for (uint32_t i = 0; i < s->ngrids; i++)
        if (s->grid[i]->grid == g)
            profile_add(to, &s->grid[i]->profile);
}

void sm_profile_clear_charges(struct sm *s)
{
    for (uint32_t k = 0; k < s->cfg.schedulers; k++) {
        s->sched[k].charged = NULL;
        for (uint32_t i = 0; i < s->sched[k].nrest; i++)
            s->sched[k].rest[i].charged = NULL;
    }
}
