/* The records of launches: each of the first ones, and the sums by kernel. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/gpu.h"

struct launch_record *launch_record_new(simtx_gpu *g, const struct queued_launch *o)
{
    struct launch_record *r = g->spare;
    if (r)
        memset(r, 0, sizeof *r);
    else
        r = mem_zero(1, sizeof *r, "the record of a launch");
    g->spare = NULL;
    r->kernel = mem_string(o->kernel->func->name);
    r->grid = o->grid;
    r->block = o->block;
    r->cluster = o->cluster;
    r->limit = o->limit;
    return r;
}

void launch_record_free(struct launch_record *r)
{
    if (r)
        free(r->kernel);
    free(r);
}

/* ---- a launch that has ended ---- */

/* Sets the figures that are not counted during the launch. */
static void complete(const struct queued_launch *o, double seconds)
{
    const struct launch *la = &o->la;
    const struct code *code = o->kernel->code;
    uint64_t *n = o->record->counters.count;
    n[STAT_LAUNCHES] = 1;
    n[STAT_LAUNCH] = la->grid_id;
    n[STAT_DYNAMIC_SHARED] = o->dynamic_shared;
    n[STAT_THREADS] = n[STAT_BLOCKS] * la->threads_per_block;
    n[STAT_REGISTERS] = o->need.registers;
    n[STAT_SHARED_BYTES] = code->shared_static;
    n[STAT_LOCAL_BYTES] = code->local_total;
    n[STAT_RESIDENT_BLOCKS] = o->resident;
    n[STAT_SERIAL] = la->serial;
    n[STAT_THREADS_RELAXED] = code->serial && !la->serial;
    n[STAT_SECONDS] = (uint64_t)(seconds * 1e9);
    n[STAT_HOST_THREADS] = o->record->timed ? la->host_threads : la->started;
}

static struct kernel_total *total_of(simtx_gpu *g, const char *kernel)
{
    for (size_t i = 0; i < g->ntotals; i++)
        if (!strcmp(g->totals[i].kernel, kernel))
            return &g->totals[i];
    g->totals = mem_grow(g->totals, g->ntotals, &g->totals_cap, sizeof *g->totals, "the sums of kernels");
    g->totals[g->ntotals] = (struct kernel_total){ .kernel = mem_string(kernel) };
    return &g->totals[g->ntotals++];
}

static void add_to_total(simtx_gpu *g, const struct launch_record *r)
{
    struct kernel_total *t = total_of(g, r->kernel);
    stats_add(t->counters.count, r->counters.count);
    if (r->timed)                        /* functional mode has no histograms */
        hists_merge(&t->counters.hists, &r->counters.hists);
    t->timed_launches += r->timed;
    stats_sample_add(&t->sample, &(struct stats_sample){
        .launches = r->sample.of > 0, .blocks = r->sample.blocks, .of = r->sample.of,
        .cycles = r->sample.of ? r->sample.cycles : (double)r->counters.count[STAT_CYCLES],
        .variance = r->sample.error * r->sample.error });
}

static void keep(simtx_gpu *g, struct launch_record *r)
{
    if (g->nrecords >= g->cfg.launches) {
        free(r->kernel);
        r->kernel = NULL;
        launch_record_free(g->spare);
        g->spare = r;
        return;
    }
    g->records = mem_grow(g->records, g->nrecords, &g->records_cap, sizeof *g->records, "the records of launches");
    g->records[g->nrecords++] = r;
}

static void summarize(const struct launch_record *r, double seconds, simtx_launch_stats *stats)
{
    const uint64_t *n = r->counters.count;
    *stats = (simtx_launch_stats){
        .blocks = n[STAT_BLOCKS],
        .threads = n[STAT_THREADS],
        .warp_instructions = n[STAT_WARP_INSTRUCTIONS],
        .thread_instructions = n[STAT_THREAD_INSTRUCTIONS],
        .barriers = n[STAT_BARRIERS],
        .transactions = n[STAT_TRANSACTIONS],
        .seconds = seconds,
        .host_threads = (uint32_t)n[STAT_HOST_THREADS],
        .cycles = n[STAT_CYCLES],
    };
    if (r->sample.of) {
        stats->cycles = (uint64_t)(r->sample.cycles + 0.5);
        stats->sampled_blocks = r->sample.blocks;
        stats->cycles_error = r->sample.error / r->sample.cycles;
    }
}

void launch_record_end(simtx_gpu *g, struct queued_launch *o, simtx_status status, double seconds,
                       simtx_launch_stats *stats)
{
    struct launch_record *r = o->record;
    r->status = status;
    r->fault = status == SIMTX_FAULT ? (simtx_fault_kind)o->la.fault.kind : SIMTX_FAULT_NONE;
    complete(o, seconds);
    if (stats)
        summarize(r, seconds, stats);
    add_to_total(g, r);
    keep(g, r);
    o->record = NULL;
    check_log_show(g->checks, g->warning, g->warning_ctx);
}

void launch_records_free(simtx_gpu *g)
{
    for (size_t i = 0; i < g->nrecords; i++)
        launch_record_free(g->records[i]);
    launch_record_free(g->spare);
    free(g->records);
    for (size_t i = 0; i < g->ntotals; i++)
        free(g->totals[i].kernel);
    free(g->totals);
}
