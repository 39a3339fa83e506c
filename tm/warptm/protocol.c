/*
 * WarpTM as a protocol. tx_commit: lanes that only read, and whose reads temporal conflict detection finds consistent,
 * commit at once; conflicts among the others are resolved; those that stay commit as in KILO TM.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "tm/warptm/warptm.h"

/* ---- temporal conflict detection ---- */

static void attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    for (uint64_t m = lanes; m; m &= m - 1)
        warptm_core(k)->warp[slot].read[__builtin_ctzll(m)] = temporal_none();
    kilo_log_attempt(core, slot, lanes, now);
}

/* By cycles, the end of the period without writes is the first read. */
static void load(void *core, struct tm_load *l, uint64_t now)
{
    struct kilo_core *k = core;
    const struct warptm_core *x = warptm_core(k);
    bool cycles = x->cfg.tcd_order == TCD_CYCLES;
    for (uint64_t m = l->fetch && cycles ? l->fetch->lanes : 0; m; m &= m - 1)
        temporal_read(&x->warp[l->slot].read[__builtin_ctzll(m)], 0, now);
    kilo_log_load(core, l, now);
}

static void loaded(void *core, struct tm_load *l, uint64_t now)
{
    struct kilo_core *k = core;
    const struct warptm_core *x = warptm_core(k);
    for (uint64_t m = x->cfg.tcd == TCD_OFF ? 0 : l->fetch->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        const uint64_t *note = tm_load_note(l, lane);
        temporal_read(&x->warp[l->slot].read[lane], note[0],
                      x->cfg.tcd_order == TCD_CYCLES ? UINT64_MAX : note[1]);
    }
    kilo_log_loaded(core, l, now);
}

static bool read_only(const struct tm_lane *l)
{
    return l->reads.n && !l->writes.n && !l->shared_reads.n && !l->shared_writes.n;
}

/* Tests the lanes. Returns those that have read what may have been written since. */
static uint64_t conflicts(struct kilo_core *k, uint32_t slot, uint64_t lanes)
{
    const struct warptm_warp *w = &warptm_core(k)->warp[slot];
    uint64_t found = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
        found |= temporal_conflict(&w->read[__builtin_ctzll(m)]) ? m & -m : 0;
    tm_count(k->tm)[STAT_TX_TCD] += (unsigned)__builtin_popcountll(lanes);
    tm_count(k->tm)[STAT_TX_TCD_PASSED] += (unsigned)__builtin_popcountll(lanes & ~found);
    return found;
}

/* Decides lanes whose outcome temporal conflict detection gives. Returns the others. */
static uint64_t decide_early(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t now)
{
    uint64_t stale = conflicts(k, slot, lanes), silent = 0;
    for (uint64_t m = lanes & ~stale; m; m &= m - 1)
        silent |= read_only(tm_lane(k->tm, slot, (unsigned)__builtin_ctzll(m))) ? m & -m : 0;
    stale = warptm_core(k)->cfg.tcd_aborts ? stale : 0;
    for (uint64_t m = stale; m; m &= m - 1)
        tm_decide(k->tm, slot, (unsigned)__builtin_ctzll(m), false, 0, TM_TEMPORAL, now);
    for (uint64_t m = silent; m; m &= m - 1) {
        tm_count(k->tm)[STAT_TX_SILENT]++;
        tm_decide_between(k->tm, slot, (unsigned)__builtin_ctzll(m), k->gpu->next_cid - 1, now);
    }
    return lanes & ~stale & ~silent;
}

/* ---- commit ---- */

static void commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    const struct warptm_core *x = warptm_core(k);
    if (x->cfg.tcd != TCD_OFF)
        lanes = decide_early(k, slot, lanes, now);
    if (x->cfg.resolution != RESOLUTION_NONE && lanes & (lanes - 1))
        warptm_resolve(k, slot, lanes, now);
    else if (lanes)
        kilo_commit(k, slot, lanes, now);
}

static uint64_t run(void *core, uint64_t now)
{
    uint64_t resolution = warptm_resolution_run(core, now), logs = kilo_run(core, now);
    return resolution < logs ? resolution : logs;
}

static bool idle(const void *core)
{
    const struct kilo_core *k = core;
    return kilo_idle(core) && !warptm_core(k)->used;
}

static void describe(const void *core, uint32_t slot, char *text, size_t size)
{
    const struct kilo_core *k = core;
    const struct warptm_resolution *r = &warptm_core(k)->warp[slot].resolution;
    if (r->waits)
        text_append(text, size, ": an ownership table; all %u are in use", warptm_core(k)->used);
    else if (r->runs)
        text_append(text, size, ": conflicts inside the warp are resolved, %u of %u log entries are processed", r->done,
                    2 * r->writes + r->reads);
    else
        kilo_describe(core, slot, text, size);
}

/* ---- start and end ---- */

static void configure(struct warptm_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "tm/warptm/config.def"
#include "base/config/config_copy.h"
}

static struct warptm_cfg configuration(const struct simtx_config *c)
{
    struct warptm_cfg cfg;
    configure(&cfg, c);
    return cfg;
}

static bool notes(const struct simtx_config *c)
{
    return configuration(c).tcd != TCD_OFF;
}

static bool global_step(const struct simtx_config *c)
{
    return kilo_global_step(c) || configuration(c).tcd == TCD_IDEAL;
}

/* Lanes whose replies, outcomes or writes are those of the warp must not have to wait for one another. */
static bool check(const struct simtx_config *c, uint32_t slices, char *error, size_t size)
{
    struct warptm_cfg w = configuration(c);
    struct cu_cfg cu;
    cu_configure(&cu, c);
    bool together = w.group_replies || w.group_outcomes || w.access_bytes > 4;
    if (together && w.resolution == RESOLUTION_NONE)
        snprintf(error, size, "%s: lanes of a warp may conflict, so warptm.group_replies and "
                 "warptm.group_outcomes must be false and warptm.access_bytes 4",
                 config_setting(c, KEY_WARPTM_RESOLUTION).text);
    else if (w.group_outcomes && !w.group_replies)
        snprintf(error, size, "%s needs warptm.group_replies, not %s",
                 config_setting(c, KEY_WARPTM_GROUP_OUTCOMES).text, config_setting(c, KEY_WARPTM_GROUP_REPLIES).text);
    else if (together && (cu.read_buffer || cu.write_buffer || cu.buffers))
        snprintf(error, size, "%s, %s, %s: tm.global = warptm with grouped messages or merged accesses needs "
                 "kilotm.read_buffer, kilotm.write_buffer and kilotm.buffers = 0",
                 config_setting(c, KEY_KILO_READ_BUFFER).text, config_setting(c, KEY_KILO_WRITE_BUFFER).text,
                 config_setting(c, KEY_KILO_BUFFERS).text);
    else if (w.ownership == 1)
        snprintf(error, size, "%s: an ownership table has at least two entries",
                 config_setting(c, KEY_WARPTM_OWNERSHIP).text);
    else
        return kilo_check(c, slices, "warptm", error, size);
    return false;
}

static void *new_gpu_state(struct tm_gpu *t, const struct simtx_config *c)
{
    struct kilo_gpu *s = kilo_new_gpu_state(t, c);
    struct warptm_gpu *g = mem_zero(1, sizeof *g, "WarpTM");
    g->cfg = configuration(c);
    g->slices = s->slices;
    warptm_tables_new(g, c);
    s->own = g;
    s->watch = g->cfg.tcd == TCD_OFF ? NULL : &warptm_watch;
    s->group_outcomes = g->cfg.group_outcomes;
    s->warps = (struct cu_warp_cfg){ .parallel_input = g->cfg.parallel_input, .group_replies = g->cfg.group_replies,
                                     .access_bytes = g->cfg.access_bytes };
    return s;
}

static void free_gpu_state(void *gpu_state)
{
    struct kilo_gpu *s = gpu_state;
    warptm_tables_free(s->own);
    free(s->own);
    kilo_free_gpu_state(s);
}

static void *new_core(struct tm_core *tm, void *gpu_state)
{
    struct kilo_core *k = kilo_new_core(tm, gpu_state);
    struct warptm_core *x = arena_alloc(k->arena, sizeof *x);
    x->cfg = configuration(tm_config(tm));
    x->warp = arena_alloc(k->arena, k->slots * sizeof *x->warp);
    x->queue = arena_alloc(k->arena, k->slots * sizeof *x->queue);
    ownership_init(&x->table, x->cfg.ownership);
    k->own = x;
    k->own_line = warptm_resolution_line;
    return k;
}

static void free_core(void *core)
{
    struct kilo_core *k = core;
    ownership_end(&warptm_core(k)->table);
    kilo_free_core(core);
}

static void step(void *gpu_state, void *const *cores, uint32_t n, uint64_t now)
{
    struct kilo_gpu *s = gpu_state;
    warptm_tables_step(s->own);
    kilo_step(gpu_state, cores, n, now);
}

/* Cycles start anew with the next run, so the tables are cleared. */
static bool consistent(void *gpu_state, const uint64_t *count, char *error, size_t size)
{
    struct kilo_gpu *s = gpu_state;
    warptm_tables_clear(s->own);
    return kilo_consistent(gpu_state, count, error, size);
}

static bool coherent(const struct simtx_config *c, char *why, size_t size)
{
    snprintf(why, size, "a load that hits in L1 gets no time of the last write");
    return false;
}

const struct tm_protocol tm_warptm = {
    .name = "warptm", KILO_FUNCTIONS, .global_step = global_step, .check = check, .coherent = coherent,
    .notes = notes, .snapshots = notes,
    .new_gpu_state = new_gpu_state, .free_gpu_state = free_gpu_state, .new_core = new_core, .free_core = free_core,
    .attempt = attempt, .load = load, .loaded = loaded, .commit = commit, .run = run, .idle = idle,
    .describe = describe, .consistent = consistent, .step = step
};
