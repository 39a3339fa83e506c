/*
 * Progress reports, the timeline and the time series of a run. Rows of the time series end at fixed core cycles: there
 * a window of the machine is split in two, and all components account for their cycles. So the rows depend neither on
 * the number of host threads nor on the length of windows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/host_clock.h"
#include "timing/machine/machine_impl.h"

enum { PACE = 16 };                  /* windows between progress checks and between writes of the timeline */

/* ---- progress ---- */

void machine_set_progress(struct machine *m, void (*fn)(void *ctx, const struct machine_progress *p), void *ctx)
{
    m->progress = fn;
    m->progress_ctx = ctx;
}

static void show_progress(struct machine *m)
{
    static const double period = 0.1;
    double now = host_seconds();
    if (!m->progress || now - m->shown < period)
        return;
    struct machine_progress p = { .cycles = m->now - m->grids[0].start, .seconds = now - m->started,
                                  .blocks_done = dispatcher_blocks_done(m->dispatcher),
                                  .commits = machine_count_of(m, STAT_TX_COMMITS) };
    for (uint32_t i = 0; i < m->ngrids; i++)
        p.blocks += m->grids[i].launch.nblocks;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        p.thread_instructions += sm_running(m->sm[i], STAT_THREAD_INSTRUCTIONS);
    m->shown = now;
    m->progress(m->progress_ctx, &p);
}

void machine_watch_window(struct machine *m)
{
    if (++m->windows % PACE)
        return;
    show_progress(m);
    if (m->trace)
        trace_drain(m->trace);
}

/* ---- timeline ---- */

static void served(void *ctx, uint32_t slice, uint64_t now, unsigned kind, const struct packet *p)
{
    trace_access(ctx, slice, now, kind, p);
}

static void sent(void *ctx, uint64_t cycle, enum dram_command c, uint32_t bank, uint32_t row)
{
    trace_command(ctx, cycle, c, bank, row);
}

/* The components write into the buffers of the timeline, or, without one, nowhere. */
static void connect_timeline(struct machine *m)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        sm_set_trace(m->sm[i], m->sm_trace[i]);
    for (uint32_t i = 0; i < m->cfg.channels; i++) {
        struct trace_memory *w = m->memory_trace[i];
        partition_observe(m->partition[i], w ? served : NULL, w ? sent : NULL, w);
    }
}

void machine_watch_attach(struct machine *m)
{
    if (!m->trace)
        return;
    connect_timeline(m);
    trace_origin(m->trace, m->past);
}

void machine_set_trace(struct machine *m, struct trace *t)
{
    uint32_t slices = m->cfg.partition.slices;
    free(m->sm_trace);
    free(m->memory_trace);
    m->trace = t;
    m->sm_trace = mem_zero(m->cfg.sms, sizeof *m->sm_trace, "timelines");
    m->memory_trace = mem_zero(m->cfg.channels, sizeof *m->memory_trace, "timelines");
    for (uint32_t i = 0; t && i < m->cfg.sms; i++)
        m->sm_trace[i] = trace_sm_new(t, (uint16_t)i, m->cfg.sm.warps);
    for (uint32_t i = 0; t && i < m->cfg.channels; i++)
        m->memory_trace[i] = trace_memory_new(t, i, i * slices, slices, &m->cfg.clocks, &m->cfg.partition.dram);
    connect_timeline(m);
    if (t)
        trace_origin(t, m->past);
}

static void end_timeline(struct machine *m, bool given_up)
{
    if (!m->trace)
        return;
    for (uint32_t i = 0; given_up && i < m->cfg.sms; i++)
        sm_trace_end(m->sm[i]);
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        if (m->memory_trace[i])
            trace_memory_pause(m->memory_trace[i], m->now);
    for (uint32_t i = 0; i < m->ngrids; i++) {
        const struct grid *g = &m->grids[i];
        trace_launch(m->trace, g->launch.code->func->name, g->launch.grid_id, i, g->start, g->end ? g->end : m->now);
    }
    trace_drain(m->trace);
}

/* ---- time series ---- */

void machine_set_series(struct machine *m, struct series *s)
{
    m->series = s;
}

static void begin_rows(struct machine *m)
{
    char *names = NULL;
    size_t size = 0;
    FILE *f = mem_file(&names, &size);
    for (uint32_t i = 0; i < m->ngrids; i++)
        fprintf(f, "%s%s", i ? "+" : "", m->grids[i].launch.code->func->name);
    fclose(f);
    series_begin(m->series, m->grids[0].launch.grid_id, names);
    free(names);
    m->row_at = m->now + series_window(m->series);
}

void machine_watch_rows(struct machine *m)
{
    uint64_t start = m->grids[0].start;
    for (; m->row_at <= m->now; m->row_at += series_window(m->series)) {
        uint64_t count[STAT_END] = { 0 };
        machine_count_sum(m, start, m->row_at, count);
        series_row(m->series, m->row_at - start, count);
    }
}

/* ---- a run ---- */

void machine_watch_begin(struct machine *m)
{
    m->windows = 0;
    m->started = m->shown = host_seconds();
    m->row_at = NEVER;
    if (m->series)
        begin_rows(m);
}

void machine_watch_counted(struct machine *m)
{
    m->row_at = NEVER;
}

void machine_watch_end(struct machine *m, const uint64_t *count, bool given_up)
{
    end_timeline(m, given_up);
    if (m->series)
        series_end(m->series, count);
}
