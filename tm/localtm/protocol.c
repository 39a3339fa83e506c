/* The table of GPU-LocalTM, its costs (GPU-LocalTM, section 4.2), and the steps of an attempt. */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/localtm/localtm.h"

static uint32_t cycles(const struct simtx_config *c, enum config_key key)
{
    return (uint32_t)config_int(c, key);
}

/* Cycles that a warp takes in a pipeline of simple instructions. */
static uint32_t turns(const struct simtx_config *c)
{
    uint32_t width = cycles(c, KEY_CORE_SIMD_WIDTH);
    return (cycles(c, KEY_GPU_WARP_SIZE) + width - 1) / width;
}

/* Of an instruction, until the next one that depends on it may issue. */
static uint32_t step(const struct simtx_config *c)
{
    return cycles(c, KEY_LAT_INT_ADD) + turns(c) - 1 + cycles(c, KEY_CORE_STAGES);
}

static struct local_costs costs(const struct simtx_config *c)
{
    uint32_t base = cycles(c, KEY_LOCALTM_BASE), fresh = cycles(c, KEY_LOCALTM_NEW);
    bool looks_up = config_bool(c, KEY_LOCALTM_OWNERSHIP);
    base = base ? base : cycles(c, KEY_LAT_INT_ADD) + turns(c) - 1;
    if (config_bool(c, KEY_LOCALTM_PERFECT))
        return (struct local_costs){ .base = base };
    return (struct local_costs){
        .base = base, .begin = cycles(c, KEY_LOCALTM_BEGIN), .commit = cycles(c, KEY_LOCALTM_COMMIT),
        .filter = cycles(c, KEY_LOCALTM_FILTER), .again = looks_up ? cycles(c, KEY_LOCALTM_OWNER) : 0,
        .alias = fresh, .fresh = fresh, .entry = cycles(c, KEY_LOCALTM_ENTRY)
    };
}

static void *new_core(struct tm_core *c)
{
    const struct simtx_config *cfg = tm_config(c);
    struct local_core *k = mem_zero(1, sizeof *k, "GPU-LocalTM at an SM");
    *k = (struct local_core){
        .c = c, .count = tm_count(c), .banks = cycles(cfg, KEY_SHARED_BANKS), .lanes = tm_warp_lanes(c),
        .slots = tm_slots(c), .bits = cycles(cfg, KEY_LOCALTM_FILTER_BITS),
        .tells_reads = config_bool(cfg, KEY_LOCALTM_READ_WRITE), .steps_on = config_bool(cfg, KEY_LOCALTM_STEP_ON),
        .group_after = cycles(cfg, KEY_LOCALTM_GROUP_AFTER), .step = step(cfg), .cost = costs(cfg)
    };
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
    uint32_t n = k->steps_on && k->warp[slot].skipped ? tm_steps_to_commit(k->c, slot) * k->step : 0;
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
