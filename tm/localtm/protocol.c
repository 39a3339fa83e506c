/* The table of GPU-LocalTM, its costs (GPU-LocalTM, section 4.2), and the steps of an attempt. */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/localtm/localtm.h"

static struct local_costs costs(const struct local_cfg *c)
{
    uint32_t base = c->base_cycles ? c->base_cycles : c->add;
    if (c->perfect)
        return (struct local_costs){ .base = base };
    return (struct local_costs){
        .base = base, .begin = c->begin_cycles, .commit = c->commit_cycles, .filter = c->filter_cycles,
        .again = c->ownership_stage ? c->owner_cycles : 0, .alias = c->new_cycles, .fresh = c->new_cycles,
        .entry = c->entry_cycles
    };
}

static void *new_core(struct tm_core *c)
{
    struct local_core *k = mem_zero(1, sizeof *k, "GPU-LocalTM at an SM");
    *k = (struct local_core){ .c = c, .count = tm_count(c), .lanes = tm_warp_lanes(c), .slots = tm_slots(c) };
    local_configure(&k->cfg, tm_config(c));
    k->step = k->cfg.add + k->cfg.stages;
    k->cost = costs(&k->cfg);
    k->warp = mem_zero(k->slots, sizeof *k->warp, "warps of GPU-LocalTM");
    return k;
}

static void free_core(void *core)
{
    struct local_core *k = core;
    local_blocks_free(k);
    free(k->warp);
    free(k);
}

/* A warp that has lost its last lane before it came to tx_commit: with localtm.step_on it executes the instructions up
 * to there without lanes. */
static uint32_t steps(struct local_core *k, uint32_t slot)
{
    uint32_t n = k->cfg.step_on && k->warp[slot].skipped ? tm_steps_to_commit(k->c, slot) * k->step : 0;
    k->count[STAT_LOCALTM_STEP_CYCLES] += n;
    tm_executes(k->c, slot, n);
    return n;
}

static uint32_t attempt(void *core, uint32_t slot, uint64_t lanes, bool first, uint64_t now)
{
    struct local_core *k = core;
    struct local_warp *x = &k->warp[slot];
    uint32_t held = first ? 0 : steps(k, slot);
    x->gone = 0;
    x->out = x->at_commit = false;
    x->stalled = x->wants || (x->block->runner != NO_SLOT && x->block->runner != slot);
    return x->wants ? held : held + local_begin(k, 0);
}

static uint32_t commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct local_core *k = core;
    struct local_warp *x = &k->warp[slot];
    struct local_entries e = { 0 };
    x->at_commit = true;
    local_add_entries(k, x, lanes, &e);
    uint32_t held = k->cost.base + k->cost.commit + k->cost.entry * local_slowest(k, &e);
    k->count[STAT_LOCALTM_COMMIT_CYCLES] += held;
    return held;
}

static void committed(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct local_core *k = core;
    struct local_entries e = { 0 };
    local_clear_lanes(k, &k->warp[slot], lanes, false, &e);
}

static void aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct local_core *k = core;
    struct local_entries e = { 0 };
    local_clear_lanes(k, &k->warp[slot], lanes, true, &e);
    k->warp[slot].gone |= lanes;
}

const struct tm_banks tm_localtm = {
    .name = "localtm", .check = local_check, .need = local_need, .explain = local_explain, .new_core = new_core,
    .free_core = free_core, .block_starts = local_block_starts, .block_ends = local_block_ends,
    .may_begin = local_may_begin, .may_run = local_may_run, .attempt = attempt, .access = local_access,
    .plain = local_plain, .commit = commit, .committed = committed, .aborted = aborted, .alone = local_alone,
    .ended = local_ended, .run = local_run, .say = local_say, .dump = local_dump
};
