/*
 * Launches in timing mode. Launches on different streams are queued until the host synchronises, or until a launch
 * arrives that must not run concurrently with them. Then the queued launches run concurrently on the machine. A launch
 * on the default stream is queued alone and runs at once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/host_clock.h"
#include "frontend/lib/block_sample.h"
#include "frontend/lib/gpu.h"
#include "frontend/lib/profile_log.h"
#include "frontend/lib/shadow_run.h"
#include "timing/machine/machine.h"
#include "timing/machine/series.h"
#include "timing/machine/trace.h"

enum { MESSAGE_MAX = 4500 };         /* a path and a message */

bool timed_selected(const simtx_gpu *g, const struct simtx_kernel *k)
{
    return simtx_timing(g) && sampling_selects(g->sampling, k->func->name, g->launches);
}

/* Warns once per kernel, before its first launch with hardware transactions. */
static void warn_irrevocable(struct simtx_kernel *k)
{
    char text[500];
    simtx_gpu *g = k->module->gpu;
    if (k->warned || !g->warning)
        return;
    k->warned = true;
    if (program_irrevocable(k->module->program, k->func, g->plugins.tm || g->tm.global, g->tm.shared, text,
                            sizeof text))
        g->warning(g->warning_ctx, text);
}

simtx_status timed_check(struct simtx_kernel *k)
{
    simtx_gpu *g = k->module->gpu;
    if (!k->code->transactions)
        return SIMTX_OK;
    if (g->plugins.tm || g->tm.global || g->tm.shared) {
        warn_irrevocable(k);
        return SIMTX_OK;
    }
    return gpu_fail(g, SIMTX_NOT_SUPPORTED,
                    "%s uses tx_begin, and the configuration has no transactional memory (tm.global = none, "
                    "tm.shared = none): choose a preset with transactional memory, set tm.global (%s) or tm.shared "
                    "(%s), or use functional mode",
                    k->func->name, config_keys[KEY_TM_GLOBAL].choices, config_keys[KEY_TM_SHARED].choices);
}

/* ---- files ---- */

static bool open_trace(simtx_gpu *g, char **message)
{
    struct trace_cfg c;
    char error[MESSAGE_MAX];
    trace_configure(&c, g->config);
    if (!*c.file)
        return true;
    g->trace = trace_open(&c, error, sizeof error);
    if (!g->trace)
        gpu_message(message, "%s\n", error);
    return g->trace;
}

static bool open_series(simtx_gpu *g, char **message)
{
    struct series_cfg c;
    char error[MESSAGE_MAX];
    series_configure(&c, g->config);
    if (!c.window)
        return true;
    g->series = series_open(&c, g->info.warp_size, error, sizeof error);
    if (!g->series)
        gpu_message(message, "%s\n", error);
    return g->series;
}

static bool open_profile(simtx_gpu *g, char **message)
{
    const char *path = config_text(g->config, KEY_PROFILE_FILE);
    char error[MESSAGE_MAX];
    if (!*path)
        return true;
    g->profile = profile_log_open(path, g->info.name, g->info.warp_size, error, sizeof error);
    if (!g->profile)
        gpu_message(message, "%s\n", error);
    return g->profile;
}

bool timed_open(simtx_gpu *g, char **message)
{
    return !simtx_timing(g) || (open_trace(g, message) && open_series(g, message) && open_profile(g, message));
}

/* Fails with the messages of the files that could not be written. */
static simtx_status report_unwritten(simtx_gpu *g, const char *const *message, int n)
{
    char *all = NULL;
    simtx_status s = SIMTX_OK;
    for (int i = 0; i < n; i++)
        if (*message[i])
            mem_append(&all, "%s%s", all ? "; " : "", message[i]);
    if (all)
        s = gpu_fail(g, SIMTX_NOT_WRITTEN, "%s", all);
    free(all);
    return s;
}

simtx_status simtx_close_files(simtx_gpu *g)
{
    char trace[MESSAGE_MAX] = "", series[MESSAGE_MAX] = "", profile[MESSAGE_MAX] = "";
    if (g->machine) {
        machine_set_trace(g->machine, NULL);
        machine_set_series(g->machine, NULL);
    }
    if (g->trace && trace_is_full(g->trace) && g->warning)
        g->warning(g->warning_ctx, "the timeline has reached trace.max_bytes and lacks later events");
    if (g->trace)
        trace_close(g->trace, trace, sizeof trace);
    if (g->series)
        series_close(g->series, series, sizeof series);
    if (g->profile)
        profile_log_close(g->profile, profile, sizeof profile);
    g->trace = NULL;
    g->series = NULL;
    g->profile = NULL;
    return report_unwritten(g, (const char *const[]){ trace, series, profile }, 3);
}

/* ---- the machine ---- */

static void show_progress(void *ctx, const struct machine_progress *m)
{
    simtx_gpu *g = ctx;
    simtx_progress p = { .kernel = g->progress_kernel, .blocks_done = m->blocks_done, .blocks = m->blocks,
                         .cycles = m->cycles, .thread_instructions = m->thread_instructions, .commits = m->commits,
                         .seconds = m->seconds };
    if (g->progress)
        g->progress(g->progress_ctx, &p);
}

static simtx_status need_machine(simtx_gpu *g)
{
    struct diag d = { 0 };
    simtx_status s = SIMTX_OK;
    if (g->machine)
        return s;
    g->machine = machine_new(g->config, &g->plugins, g->mem, &d);
    if (g->machine) {
        machine_set_progress(g->machine, show_progress, g);
        machine_set_trace(g->machine, g->trace);
        machine_set_series(g->machine, g->series);
    } else
        s = gpu_fail(g, SIMTX_INVALID_CONFIG, "%s", d.text ? d.text : "");
    diag_free(&d);
    return s;
}

simtx_status timed_copied(simtx_gpu *g, const void *device, size_t bytes)
{
    if (g->sim.mode != SIM_MODE_TIMING || !config_bool(g->config, KEY_L2_COPIES))
        return SIMTX_OK;
    simtx_status s = need_machine(g);
    if (!s)
        machine_copied(g->machine, (uint64_t)(uintptr_t)device, bytes);
    return s;
}

void timed_free(simtx_gpu *g)
{
    simtx_close_files(g);
    machine_free(g->machine);
    sampling_free(g->sampling);
    for (uint32_t i = 0; i < g->nqueue; i++)
        launch_record_free(g->queue[i].record);
    free(g->queue);
    free(g->param_buffers);
}

/* ---- the queue ---- */

/* May a launch on this stream run concurrently with the queued ones? */
static bool can_run_concurrently(const simtx_gpu *g, uint64_t stream)
{
    for (uint32_t i = 0; i < g->nqueue; i++)
        if (!stream || !g->queue[i].stream || g->queue[i].stream == stream)
            return false;
    return g->nqueue < LAUNCH_QUEUE_MAX;
}

simtx_status timed_reserve(simtx_gpu *g, uint64_t stream, char **params, simtx_fault *fault)
{
    simtx_status s = need_machine(g);
    if (!s && g->nqueue && !can_run_concurrently(g, stream))
        s = timed_flush(g, NULL, fault);
    if (s)
        return s;
    if (!g->queue) {
        g->queue = mem_zero(LAUNCH_QUEUE_MAX, sizeof *g->queue, "queued launches");
        g->param_buffers = mem_zero(LAUNCH_QUEUE_MAX, sizeof *g->param_buffers, "queued launches");
        g->param_buffers[0] = g->param_buffer;
    }
    char **buffer = &g->param_buffers[g->nqueue];
    if (!*buffer)
        *buffer = devmem_alloc(g->mem, PARAM_MAX, 256, MEM_PARAMETERS, "kernel parameters");
    *params = *buffer;
    return *buffer ? SIMTX_OK
                   : gpu_fail(g, SIMTX_OUT_OF_MEMORY, "no device memory for the parameters of a concurrent kernel");
}

void timed_enqueue(simtx_gpu *g, const struct queued_launch *o)
{
    g->queue[g->nqueue++] = *o;
}

/* ---- a run ---- */

/* The launches that run concurrently, or one of which some blocks are simulated. */
struct run { struct grid *grids; uint32_t n; struct block_sample *sample; struct sample_estimate estimate; };

static void fill_grid(const simtx_gpu *g, struct grid *grid, const struct queued_launch *o)
{
    *grid = (struct grid){ .launch = o->la, .resident = o->resident, .stream = o->stream,
                           .registers = (uint32_t)o->need.block_registers,
                           .shared = (uint32_t)o->need.block_shared, .carveout = o->carveout };
    if (g->profile)
        grid->profile = profile_log_kernel(g->profile, o->la.program, o->kernel->func);
}

/* The result of one of the grids. */
static simtx_status status_of(const struct grid *grid, enum machine_result r)
{
    switch (r) {
    case MACHINE_OK: return SIMTX_OK;
    case MACHINE_BROKEN: return SIMTX_INTERNAL;
    case MACHINE_NO_MEMORY: return SIMTX_OUT_OF_MEMORY;
    default: break;
    }
    if (grid->launch.fault.kind)
        return SIMTX_FAULT;
    if (grid->done == grid->launch.nblocks)
        return SIMTX_OK;
    return r == MACHINE_HANG ? SIMTX_HANG : SIMTX_INTERRUPTED;
}

static bool all_ended(const struct run *run)
{
    for (uint32_t i = 0; i < run->n; i++)
        if (run->grids[i].done < run->grids[i].launch.nblocks)
            return false;
    return true;
}

/* Sets the figures of timing mode that each launch has. The counters of the machine cannot be divided among concurrent
 * launches; the record of the first launch has them all. */
static void count_launch(const simtx_gpu *g, const struct queued_launch *first, const struct queued_launch *o,
                         const struct grid *grid)
{
    uint64_t *n = o->record->counters.count;
    o->record->timed = true;
    n[STAT_COUNTED_IN] = first->la.grid_id;
    n[STAT_CYCLES] = grid->end - grid->start;
    n[STAT_CARVEOUT] = g->carveouts.n ? grid->carved : g->info.shared_per_sm;
    n[STAT_TIMED_WARP_INSTRUCTIONS] = n[STAT_WARP_INSTRUCTIONS];
    n[STAT_TIMED_THREAD_INSTRUCTIONS] = n[STAT_THREAD_INSTRUCTIONS];
}

static simtx_status fail(simtx_gpu *g, const struct queued_launch *o, simtx_status s, simtx_fault *fault)
{
    switch (s) {
    case SIMTX_FAULT:
        if (fault)
            launch_fault(&o->la, fault);
        return gpu_fail(g, s, "%s", o->la.fault.text);
    case SIMTX_HANG:
    case SIMTX_INTERNAL: return gpu_fail(g, s, "%s", machine_report(g->machine));
    case SIMTX_OUT_OF_MEMORY:
        return gpu_fail(g, s, "%s: the private memory of all resident threads does not fit (%u bytes each)",
                        o->kernel->func->name, o->kernel->code->local_total);
    default:
        return gpu_fail(g, s, "interrupted%s%s", machine_report(g->machine) ? "\n" : "",
                        machine_report(g->machine) ? machine_report(g->machine) : "");
    }
}

/* The blocks that were not simulated run now; the record gets the estimate. */
static simtx_status complete_sample(simtx_gpu *g, const struct block_sample *sample, struct queued_launch *o,
                                    const struct sample_estimate *e)
{
    o->record->sample = *e;
    if (block_sample_run_others(sample, o))
        return SIMTX_OK;
    g->interrupt = false;
    return o->la.fault.kind ? SIMTX_FAULT : SIMTX_INTERRUPTED;
}

/* Records the launches. Returns the status of the launch that ended the run. */
static simtx_status record_launches(simtx_gpu *g, const struct run *run, enum machine_result r, double seconds,
                                    simtx_launch_stats *stats, simtx_fault *fault)
{
    const struct grid *grids = run->grids;
    uint32_t n = run->n;
    bool hangs_at_end = r == MACHINE_HANG && all_ended(run);       /* in the write-back of caches, for instance */
    simtx_status worst = SIMTX_OK;
    for (uint32_t i = 0; i < n; i++) {
        struct queued_launch *o = &g->queue[i];
        const struct grid *grid = &grids[i];
        simtx_status s = hangs_at_end ? SIMTX_HANG : status_of(grid, r);
        o->la.fault = grid->launch.fault;
        o->la.host_threads = grid->launch.host_threads;
        count_launch(g, g->queue, o, grid);
        if (grid->profile)
            profile_log_launch(g->profile, o->la.program, o->kernel->func, grid->end - grid->start);
        if (run->sample && !s)
            s = complete_sample(g, run->sample, o, &run->estimate);
        launch_record_end(g, o, s, i ? 0 : seconds, stats);
        if (s && (!worst || s == SIMTX_FAULT))
            worst = fail(g, o, s, fault);
    }
    return worst;
}

/* Advances simulated time by the longest launch, or by the estimate for a sampled one. */
static void advance_clock(simtx_gpu *g, const struct grid *grids, uint32_t n, const struct sample_estimate *e)
{
    uint64_t cycles = (uint64_t)e->cycles;
    for (uint32_t i = 0; i < n; i++)
        cycles = grids[i].end - grids[i].start > cycles ? grids[i].end - grids[i].start : cycles;
    g->clock_ns += cycles * 1000 / g->info.core_mhz + 1;
}

simtx_status timed_flush(simtx_gpu *g, simtx_launch_stats *stats, simtx_fault *fault)
{
    uint32_t n = g->nqueue;
    if (!n)
        return SIMTX_OK;
    struct grid *grids = mem_zero(n, sizeof *grids, "launches of a run");
    struct run run = { grids, n, n == 1 ? block_sample_new(g, &g->queue[0]) : NULL, { 0 } };
    for (uint32_t i = 0; i < n; i++)
        fill_grid(g, &grids[i], &g->queue[i]);
    if (run.sample)
        block_sample_choose(run.sample, &grids[0]);
    g->progress_kernel = g->queue[0].kernel->func->name;
    g->progress_start = host_seconds();
    machine_set_fetch(g->machine, g->l2_fetch);
    struct shadow *shadow = g->sim.shadow ? shadow_run(g, g->queue, n) : NULL;
    enum machine_result r = machine_run(g->machine, grids, n, &g->queue[0].record->counters);
    if (run.sample && r == MACHINE_OK)
        run.estimate = block_sample_estimate(run.sample, &grids[0]);
    advance_clock(g, grids, n, &run.estimate);
    simtx_status s = record_launches(g, &run, r, host_seconds() - g->progress_start, stats, fault);
    char message[600];
    if (!shadow_equal(shadow, g, message, sizeof message) && !s)
        s = gpu_fail(g, SIMTX_INTERNAL, "%s: %s", g->queue[0].kernel->func->name, message);
    if (r != MACHINE_OK)
        g->interrupt = false;            /* further launches are possible */
    g->nqueue = 0;
    block_sample_free(run.sample);
    free(grids);
    return s;
}
