/* The functions of GPU-LocalTM as a protocol: its costs (GPU-LocalTM, section 4.2) and the steps of an attempt. */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/localtm/localtm.h"

static struct localtm_costs costs(const struct localtm_cfg *c)
{
    uint32_t base = c->base_cycles ? c->base_cycles : c->add;
    if (c->perfect)
        return (struct localtm_costs){ .base = base };
    return (struct localtm_costs){
        .base = base, .begin = c->begin_cycles, .commit = c->commit_cycles, .filter = c->filter_cycles,
        .own = c->ownership_stage ? c->owner_cycles : 0, .alias = c->new_cycles, .new_word = c->new_cycles,
        .entry = c->entry_cycles
    };
}

static void *new_core(struct tm_core *c)
{
    struct localtm_core *k = mem_zero(1, sizeof *k, "GPU-LocalTM at an SM");
    *k = (struct localtm_core){ .c = c, .count = tm_count(c), .lanes = tm_warp_lanes(c), .slots = tm_slots(c) };
    localtm_configure(&k->cfg, tm_config(c));
    k->cost = costs(&k->cfg);
    k->warp = mem_zero(k->slots, sizeof *k->warp, "warps of GPU-LocalTM");
    return k;
}

static void free_core(void *core)
{
    struct localtm_core *k = core;
    localtm_blocks_free(k);
    free(k->warp);
    free(k);
}

/* With localtm.step_on a warp whose last lane aborted before tx_commit executes the instructions up to it without
 * lanes. */
static uint32_t steps(struct localtm_core *k, uint32_t slot)
{
    uint32_t n = k->cfg.step_on && k->warp[slot].missed_commit ? tm_cycles_to_commit(k->c, slot) : 0;
    k->count[STAT_LOCALTM_STEP_CYCLES] += n;
    tm_charge_execution(k->c, slot, n);
    return n;
}

static uint32_t attempt(void *core, uint32_t slot, uint64_t lanes, bool first, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_warp *x = &k->warp[slot];
    uint32_t held = first ? 0 : steps(k, slot);
    x->rolled_back = 0;
    x->preempted = x->at_commit = false;
    x->stalled = x->requested || (x->block->runner != LOCALTM_NO_SLOT && x->block->runner != slot);
    return x->requested ? held : held + localtm_begin(k, 0);
}

static uint32_t commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_warp *x = &k->warp[slot];
    struct localtm_entries e = { 0 };
    x->at_commit = true;
    localtm_add_entries(k, x, lanes, &e);
    uint32_t held = k->cost.base + k->cost.commit + k->cost.entry * localtm_slowest(k, &e);
    k->count[STAT_LOCALTM_COMMIT_CYCLES] += held;
    return held;
}

static bool release_first(const void *core)
{
    const struct localtm_core *k = core;
    return k->cfg.release_first;
}

static void committed(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_entries e = { 0 };
    localtm_clear_lanes(k, &k->warp[slot], lanes, false, &e);
}

static void aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct localtm_core *k = core;
    struct localtm_entries e = { 0 };
    localtm_clear_lanes(k, &k->warp[slot], lanes, true, &e);
    k->warp[slot].rolled_back |= lanes;
}

const struct tm_shared_protocol tm_localtm = {
    .name = "localtm", .resources = localtm_resources, .explain_limit = localtm_explain_limit,
    .new_core = new_core, .free_core = free_core, .block_starts = localtm_block_starts,
    .block_ends = localtm_block_ends, .may_begin = localtm_may_begin, .may_run = localtm_may_run, .attempt = attempt,
    .access = localtm_access, .plain = localtm_plain, .commit = commit, .release_first = release_first,
    .committed = committed, .aborted = aborted,
    .serialise = localtm_serialise, .ended = localtm_ended, .run = localtm_run, .describe = localtm_describe,
    .dump = localtm_dump
};
