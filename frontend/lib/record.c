/* The record of launches: the first ones one by one, and the sums by kernel. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/gpu.h"

static void add_timed(struct kernel_total *t, const struct timed_row *row)
{
    if (!t->timed)
        t->timed = mem_zero(1, sizeof *t->timed, "the counters of a kernel");
    for (int i = 0; i < STAT_END; i++)
        t->timed->count[i] += row->count[i];
    hists_merge(&t->timed->hists, &row->hists);
    t->timed_launches++;
}

static void add_to_total(simtx_gpu *g, const char *kernel, const simtx_launch_stats *s, const struct timed_row *timed)
{
    size_t i = 0;
    while (i < g->ntotals && strcmp(g->totals[i].kernel, kernel))
        i++;
    if (i == g->ntotals) {
        g->totals = mem_grow(g->totals, g->ntotals, &g->totals_cap, sizeof *g->totals, "the sums of kernels");
        g->totals[g->ntotals++] = (struct kernel_total){ .kernel = mem_string(kernel) };
    }
    struct kernel_total *t = &g->totals[i];
    t->launches++;
    t->sum.blocks += s->blocks;
    t->sum.threads += s->threads;
    t->sum.warp_instructions += s->warp_instructions;
    t->sum.thread_instructions += s->thread_instructions;
    t->sum.barriers += s->barriers;
    t->sum.transactions += s->transactions;
    t->sum.seconds += s->seconds;
    t->sum.cycles += s->cycles;
    if (timed)
        add_timed(t, timed);
}

void record_launch(simtx_gpu *g, const struct ordered *o, const simtx_launch_stats *s, simtx_status status,
                   struct timed_row *timed)
{
    const struct simtx_kernel *k = o->kernel;
    const struct launch *la = &o->la;
    add_to_total(g, k->func->name, s, timed);
    if (g->nrecords >= config_number(g->config, "stats.launches")) {
        free(timed);
        return;
    }
    g->records = mem_grow(g->records, g->nrecords, &g->records_cap, sizeof *g->records, "the record of launches");
    g->records[g->nrecords++] = (struct launch_record){
        .kernel = mem_string(k->func->name),
        .index = la->grid_id,
        .grid = o->grid,
        .block = o->block,
        .stats = *s,
        .registers = o->need.registers,
        .shared_bytes = k->code->shared_static,
        .local_bytes = k->code->local_total,
        .dynamic_shared = o->dynamic_shared,
        .resident_per_sm = o->resident,
        .limit = o->limit,
        .serial = la->serial,
        .relaxed = k->code->serial && !la->serial,
        .fault = status == SIMTX_FAULT ? (simtx_fault_kind)la->fault.kind : SIMTX_FAULT_NONE,
        .status = status,
        .timed = timed,
    };
}

void record_free(simtx_gpu *g)
{
    for (size_t i = 0; i < g->nrecords; i++) {
        free(g->records[i].kernel);
        free(g->records[i].timed);
    }
    free(g->records);
    for (size_t i = 0; i < g->ntotals; i++) {
        free(g->totals[i].kernel);
        free(g->totals[i].timed);
    }
    free(g->totals);
}
