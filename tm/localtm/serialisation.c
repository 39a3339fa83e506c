/*
 * Forward progress in two levels (GPU-LocalTM, section 3.1 and table 1). TCM is the mask of lanes that retry when an
 * attempt ends; TCM_OLD is TCM of the attempt before. If they are equal, the next attempt of the warp runs one lane:
 * wavefront serialisation. If that lane has a conflict, too, the conflict is with another warp, and the warp requests
 * work-group serialisation. It waits at tx_begin until no other warp of its block is committing and none runs alone.
 * Then warps of the block that are inside transactions are rolled back, aborted, and stalled at tx_begin until its
 * attempt has ended. The oldest request is granted first, then that of the lower warp of the block. Warps outside
 * transactions continue. The warps that waited resume one after the other: each when the attempt of the one before has
 * ended; together they would have the same conflicts again.
 */
#include "tm/localtm/localtm.h"

uint32_t localtm_begin(struct localtm_core *k, uint32_t entries)
{
    uint32_t cycles = k->cost.base + k->cost.begin + k->cost.entry * entries;
    k->count[STAT_LOCALTM_BEGIN_CYCLES] += cycles;
    return cycles;
}

bool localtm_may_begin(void *core, uint32_t slot)
{
    struct localtm_core *k = core;
    struct localtm_warp *x = &k->warp[slot];
    if (x->block && x->block->runner != LOCALTM_NO_SLOT)
        x->waits = true;
    return !x->waits;
}

bool localtm_may_run(void *core, uint32_t slot)
{
    const struct localtm_core *k = core;
    return !k->warp[slot].stalled && !k->warp[slot].preempted;
}

/* ---- work-group serialisation ---- */

static bool others_commit(const struct localtm_core *k, const struct localtm_block *b, uint32_t slot, uint32_t leaving)
{
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t s = b->b->slot[i];
        if (s != slot && s != leaving && tm_committing(k->c, s))
            return true;
    }
    return false;
}

static uint32_t oldest_request(const struct localtm_core *k, const struct localtm_block *b)
{
    uint32_t best = LOCALTM_NO_SLOT;
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t s = b->b->slot[i];
        if (k->warp[s].requested && (best == LOCALTM_NO_SLOT || k->warp[s].requested_at < k->warp[best].requested_at))
            best = s;
    }
    return best;
}

static void preempt(struct localtm_core *k, uint32_t slot, struct localtm_entries *e, uint64_t now)
{
    struct localtm_warp *x = &k->warp[slot];
    uint64_t lanes = tm_lanes_in(k->c, slot);
    localtm_clear_lanes(k, x, lanes, true, e);
    x->rolled_back = ~UINT64_C(0);
    x->preempted = true;
    tm_abort(k->c, slot, lanes, tm_attempt(k->c, slot), TM_SERIALISED, now);
}

/* Is the warp executing an attempt, neither stalled nor rolled back nor waiting for its request? */
static bool is_inside(const struct localtm_core *k, uint32_t slot)
{
    const struct localtm_warp *x = &k->warp[slot];
    return !x->requested && !x->stalled && !x->preempted && tm_lanes_in(k->c, slot);
}

/* leaving: a slot whose attempt ends in this call. */
static void grant(struct localtm_core *k, struct localtm_block *b, uint32_t slot, uint32_t leaving, uint64_t now)
{
    struct localtm_entries e = { 0 };
    struct localtm_warp *x = &k->warp[slot];
    b->runner = slot;
    b->resuming = LOCALTM_NO_SLOT;
    b->requests--;
    x->requested = false;
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t s = b->b->slot[i];
        if (s != slot && s != leaving && is_inside(k, s))
            preempt(k, s, &e, now);
    }
    uint32_t cycles = localtm_begin(k, localtm_slowest(k, &e));
    x->runs_at = now + cycles;
    tm_charge_begin(k->c, slot, cycles);
    tm_run_at(k->c, x->runs_at);
}

static bool try_grant(struct localtm_core *k, struct localtm_block *b, uint32_t leaving, uint64_t now)
{
    uint32_t slot = b->requests ? oldest_request(k, b) : LOCALTM_NO_SLOT;
    if (slot == LOCALTM_NO_SLOT || others_commit(k, b, slot, leaving))
        return false;
    grant(k, b, slot, leaving, now);
    return true;
}

/* Warps inside a transaction resume first: other warps may wait for words that they own. */
static uint32_t next_waiting(const struct localtm_core *k, const struct localtm_block *b, uint32_t after)
{
    uint32_t next = LOCALTM_NO_SLOT;
    for (uint32_t i = k->slots - 1; i; i--) {
        uint32_t s = (after + i) % k->slots;
        const struct localtm_warp *x = &k->warp[s];
        if (x->block != b || x->requested || !(x->stalled || x->waits))
            continue;
        if (next == LOCALTM_NO_SLOT || x->stalled || !k->warp[next].stalled)
            next = s;
    }
    return next;
}

/* The next warp that waits, in the order of slots, resumes. */
static void resume_next(struct localtm_core *k, struct localtm_block *b, uint32_t after, uint64_t now)
{
    b->resuming = next_waiting(k, b, after);
    if (b->resuming == LOCALTM_NO_SLOT)
        return;
    k->warp[b->resuming].stalled = k->warp[b->resuming].waits = false;
    tm_resume(k->c, b->resuming, now);
}

/* Requests are granted in a later cycle than the event that allows it, so that the order of events within a cycle does
 * not matter. */
static void arbitrate_at(struct localtm_core *k, struct localtm_block *b, uint64_t at)
{
    b->arbitrate_at = at;
    tm_run_at(k->c, at);
}

/* The attempt of the slot has ended. */
static void end_attempt(struct localtm_core *k, uint32_t slot, uint64_t now)
{
    struct localtm_block *b = k->warp[slot].block;
    if (b->runner == slot) {
        b->runner = LOCALTM_NO_SLOT;
        if (try_grant(k, b, slot, now))
            return;
        resume_next(k, b, slot, now);
    } else if (b->resuming == slot) {
        resume_next(k, b, slot, now);
    }
    if (b->requests)
        arbitrate_at(k, b, now + 1);
}

/* Ends the stall of the runner at tx_begin when its cycles are over. Returns the cycle for the next call. */
static uint64_t start_runner(struct localtm_core *k, const struct localtm_block *b, uint64_t now)
{
    struct localtm_warp *x = b->runner == LOCALTM_NO_SLOT ? NULL : &k->warp[b->runner];
    if (!x || !x->stalled)
        return NEVER;
    if (now < x->runs_at)
        return x->runs_at;
    x->stalled = false;
    tm_resume(k->c, b->runner, now);
    return NEVER;
}

static uint64_t run_block(struct localtm_core *k, struct localtm_block *b, uint64_t now)
{
    if (now >= b->arbitrate_at) {
        b->arbitrate_at = NEVER;
        if (b->runner == LOCALTM_NO_SLOT)
            try_grant(k, b, LOCALTM_NO_SLOT, now);
    }
    return clock_earlier(b->arbitrate_at, start_runner(k, b, now));
}

uint64_t localtm_run(void *core, uint64_t now)
{
    struct localtm_core *k = core;
    uint64_t next = NEVER;
    for (struct localtm_block *b = k->blocks; b; b = b->next_block)
        if (b->b)
            next = clock_earlier(next, run_block(k, b, now));
    return next;
}

/* ---- at the end of an attempt ---- */

static void count_run(struct localtm_core *k, const struct localtm_warp *x)
{
    k->count[STAT_LOCALTM_RUNS]++;
    k->count[STAT_LOCALTM_SERIAL] += x->mode == LOCALTM_WAVEFRONT;
    k->count[STAT_LOCALTM_GROUP] += x->mode == LOCALTM_GROUP;
}

/* unchanged: TCM equals TCM_OLD; failures: attempts of one lane in a row that had a conflict in shared memory. */
static enum localtm_mode next_mode(const struct localtm_core *k, enum localtm_mode mode, bool unchanged,
                                   uint32_t failures)
{
    switch (mode) {
    case LOCALTM_ALL:
        return unchanged ? LOCALTM_WAVEFRONT : LOCALTM_ALL;
    case LOCALTM_WAVEFRONT:
        return !unchanged ? LOCALTM_ALL : failures >= k->cfg.group_after ? LOCALTM_GROUP : LOCALTM_WAVEFRONT;
    default:
        return LOCALTM_ALL;
    }
}

bool localtm_serialise(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_warp *x = &k->warp[slot];
    bool here = lost && !x->preempted;
    count_run(k, x);
    if (x->preempted) {
        end_attempt(k, slot, now);
        return x->mode != LOCALTM_ALL;
    }
    x->failures = x->mode == LOCALTM_WAVEFRONT && here ? x->failures + 1 : 0;
    x->mode = next_mode(k, x->mode, x->ended_before && x->tcm_old == lanes, x->failures);
    x->tcm_old = lanes;
    x->ended_before = true;
    x->missed_commit = here && !x->at_commit;
    end_attempt(k, slot, now);
    if (x->mode == LOCALTM_GROUP) {
        x->requested = true;
        x->requested_at = now;
        x->block->requests++;
        arbitrate_at(k, x->block, now + 1);
    }
    return x->mode != LOCALTM_ALL;
}

void localtm_ended(void *core, uint32_t slot, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_warp *x = &k->warp[slot];
    count_run(k, x);
    k->count[STAT_LOCALTM_COMMITTED]++;
    x->mode = LOCALTM_ALL;
    x->ended_before = x->preempted = x->stalled = false;
    x->rolled_back = 0;
    end_attempt(k, slot, now);
}
