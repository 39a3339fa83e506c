/*
 * Forward progress in two levels (GPU-LocalTM, section 3.1 and table 1). TCM is the mask of lanes that go on when an
 * attempt ends, TCM_OLD that of the attempt before. A warp whose mask has not changed runs its next attempt with one
 * lane: wavefront serialisation. If that one loses too, it was against another warp: work-group serialisation. The warp
 * waits at tx_begin until no other one of its block is committing and none runs alone; then those that are inside
 * transactions are put back, aborted, and stalled at tx_begin until its attempt is over. Of several that want it the
 * one that has wanted it longest comes first, then the lower warp of the block. Warps outside transactions go on.
 */
#include "tm/localtm/localtm.h"

uint32_t local_begin(struct local_core *k, uint32_t entries)
{
    uint32_t cycles = k->cost.base + k->cost.begin + k->cost.entry * entries;
    k->count[STAT_LOCALTM_BEGIN_CYCLES] += cycles;
    return cycles;
}

bool local_may_begin(void *core, uint32_t slot)
{
    const struct local_core *k = core;
    const struct local_block *b = k->warp[slot].block;
    return !b || b->runner == NO_SLOT;
}

bool local_may_run(void *core, uint32_t slot)
{
    const struct local_core *k = core;
    return !k->warp[slot].stalled && !k->warp[slot].out;
}

/* ---- work-group serialisation ---- */

static bool others_commit(const struct local_core *k, const struct local_block *b, uint32_t slot, uint32_t leaving)
{
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t s = b->b->slot[i];
        if (s != slot && s != leaving && tm_committing(k->c, s))
            return true;
    }
    return false;
}

static uint32_t first_in_turn(const struct local_core *k, const struct local_block *b)
{
    uint32_t best = NO_SLOT;
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t s = b->b->slot[i];
        if (k->warp[s].wants && (best == NO_SLOT || k->warp[s].since < k->warp[best].since))
            best = s;
    }
    return best;
}

static void put_back(struct local_core *k, uint32_t slot, struct local_entries *e, uint64_t now)
{
    struct local_warp *x = &k->warp[slot];
    uint64_t lanes = tm_lanes_in(k->c, slot);
    local_clear_lanes(k, x, lanes, true, e);
    x->gone = ~UINT64_C(0);
    x->out = true;
    tm_abort(k->c, slot, lanes, tm_attempt(k->c, slot), TM_SERIALISED, now);
}

/* Is the warp inside an attempt in which it may have done something? */
static bool is_inside(const struct local_core *k, uint32_t slot)
{
    const struct local_warp *x = &k->warp[slot];
    return !x->wants && !x->stalled && !x->out && tm_lanes_in(k->c, slot);
}

/* leaving: a slot whose attempt is just over. */
static void grant(struct local_core *k, struct local_block *b, uint32_t slot, uint32_t leaving, uint64_t now)
{
    struct local_entries e = { 0 };
    struct local_warp *x = &k->warp[slot];
    b->runner = slot;
    b->wanting--;
    x->wants = false;
    for (uint32_t i = 0; i < b->b->warps; i++) {
        uint32_t s = b->b->slot[i];
        if (s != slot && s != leaving && is_inside(k, s))
            put_back(k, s, &e, now);
    }
    uint32_t cycles = local_begin(k, local_slowest(k, &e));
    x->starts = now + cycles;
    tm_begins(k->c, slot, cycles);
    tm_runs(k->c, x->starts);
}

static bool try_grant(struct local_core *k, struct local_block *b, uint32_t leaving, uint64_t now)
{
    uint32_t slot = b->wanting ? first_in_turn(k, b) : NO_SLOT;
    if (slot == NO_SLOT || others_commit(k, b, slot, leaving))
        return false;
    grant(k, b, slot, leaving, now);
    return true;
}

/* The others may go on, in the order of their slots. */
static void open_block(struct local_core *k, const struct local_block *b, uint32_t leaving)
{
    for (uint32_t s = 0; s < k->slots; s++) {
        struct local_warp *x = &k->warp[s];
        if (x->block != b || s == leaving)
            continue;
        x->stalled = x->wants;
        if (!x->wants)
            tm_wake(k->c, s);
    }
}

/* Something has changed. What acts in a cycle acts behind that, whoever else is run in it. */
static void choose_at(struct local_core *k, struct local_block *b, uint64_t at)
{
    b->choose = at;
    tm_runs(k->c, at);
}

/* The attempt of the slot is over. */
static void leave(struct local_core *k, uint32_t slot, uint64_t now)
{
    struct local_block *b = k->warp[slot].block;
    if (b->runner == slot) {
        b->runner = NO_SLOT;
        if (try_grant(k, b, slot, now))
            return;
        open_block(k, b, slot);
    }
    if (b->wanting)
        choose_at(k, b, now + 1);
}

/* The runner is behind its tx_begin? Returns when it will be. */
static uint64_t let_run(struct local_core *k, const struct local_block *b, uint64_t now)
{
    struct local_warp *x = b->runner == NO_SLOT ? NULL : &k->warp[b->runner];
    if (!x || !x->stalled)
        return NEVER;
    if (now < x->starts)
        return x->starts;
    x->stalled = false;
    tm_wake(k->c, b->runner);
    return NEVER;
}

static uint64_t run_block(struct local_core *k, struct local_block *b, uint64_t now)
{
    if (now >= b->choose) {
        b->choose = NEVER;
        if (b->runner == NO_SLOT)
            try_grant(k, b, NO_SLOT, now);
    }
    return clock_earlier(b->choose, let_run(k, b, now));
}

uint64_t local_run(void *core, uint64_t now)
{
    struct local_core *k = core;
    uint64_t next = NEVER;
    for (struct local_block *b = k->blocks; b; b = b->chain)
        if (b->b)
            next = clock_earlier(next, run_block(k, b, now));
    return next;
}

/* ---- at the end of an attempt ---- */

static void count_run(struct local_core *k, const struct local_warp *x)
{
    k->count[STAT_LOCALTM_RUNS]++;
    k->count[STAT_LOCALTM_SERIAL] += x->mode == LOCAL_WAVEFRONT;
    k->count[STAT_LOCALTM_GROUP] += x->mode == LOCAL_GROUP;
}

/* unchanged: TCM is TCM_OLD; failures: runs of the one lane in a row that lost to another thread, here. */
static enum local_mode next_mode(const struct local_core *k, enum local_mode mode, bool unchanged, uint32_t failures)
{
    switch (mode) {
    case LOCAL_ALL:
        return unchanged ? LOCAL_WAVEFRONT : LOCAL_ALL;
    case LOCAL_WAVEFRONT:
        return !unchanged ? LOCAL_ALL : failures >= k->cfg.group_after ? LOCAL_GROUP : LOCAL_WAVEFRONT;
    default:
        return LOCAL_ALL;
    }
}

bool local_alone(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now)
{
    struct local_core *k = core;
    struct local_warp *x = &k->warp[slot];
    bool here = lost && !x->out;
    count_run(k, x);
    if (x->out) {
        leave(k, slot, now);
        return x->mode != LOCAL_ALL;
    }
    x->failures = x->mode == LOCAL_WAVEFRONT && here ? x->failures + 1 : 0;
    x->mode = next_mode(k, x->mode, x->ended_before && x->mask == lanes, x->failures);
    x->mask = lanes;
    x->ended_before = true;
    x->skipped = here && !x->at_commit;
    leave(k, slot, now);
    if (x->mode == LOCAL_GROUP) {
        x->wants = true;
        x->since = now;
        x->block->wanting++;
        choose_at(k, x->block, now + 1);
    }
    return x->mode != LOCAL_ALL;
}

void local_ended(void *core, uint32_t slot, uint64_t now)
{
    struct local_core *k = core;
    struct local_warp *x = &k->warp[slot];
    count_run(k, x);
    x->mode = LOCAL_ALL;
    x->ended_before = x->out = x->stalled = false;
    x->gone = 0;
    leave(k, slot, now);
}
