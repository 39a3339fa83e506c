/*
 * A run of the machine: windows of core cycles in which components do not look at each other, with an exchange after
 * each. Where a run ends is fixed by cycles, not by where a window happens to end: the last message to the
 * dispatcher, or a window's length after a fault; so neither the length of windows nor the jumps between them change
 * the result.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/machine/machine_impl.h"

/* ---- one window, by one host thread ---- */

static uint64_t part_next(const struct machine *m, const struct part *p)
{
    switch (p->kind) {
    case PART_SM: return sm_next(m->sm[p->index]);
    case PART_XBAR: return clock_floor(&m->cfg.clocks, CLK_XBAR, CLK_CORE, xbar_next(m->xbar[p->index]));
    default: return partition_next(m->partition[p->index]);
    }
}

static void run_sm(struct machine *m, struct seen_by *mine, uint32_t i)
{
    struct sm *s = m->sm[i];
    uint32_t ended;
    sm_run(s, m->now, m->until, m->cfg.sim.no_skip);
    sm_ended(s, &ended);
    if (ended || sm_fault(s))
        m->news[i] = mine->news = true;
}

static void run_part(struct machine *m, struct seen_by *mine, const struct part *p)
{
    const struct clocks *k = &m->cfg.clocks;
    switch (p->kind) {
    case PART_SM: run_sm(m, mine, p->index); break;
    case PART_XBAR: xbar_run(m->xbar[p->index], clock_convert(k, CLK_CORE, CLK_XBAR, m->until)); break;
    default:
        partition_run(m->partition[p->index], clock_convert(k, CLK_CORE, CLK_L2, m->until),
                      clock_convert(k, CLK_CORE, CLK_MEM, m->until));
    }
}

/* A part that had no message and no event keeps its next event. Who sends writes the message, then rings; so what
 * is not seen here rings again, and is not for this window. */
static uint64_t look(const struct machine *m, struct part *p, uint8_t *doorbell)
{
    bool rung = __atomic_load_n(doorbell, __ATOMIC_RELAXED) && __atomic_exchange_n(doorbell, 0, __ATOMIC_ACQ_REL);
    if (rung || p->kind == PART_XBAR)
        p->next = part_next(m, p);
    return p->next;
}

static void visit(void *ctx, uint64_t step, uint32_t member, uint32_t list, uint32_t item)
{
    struct machine *m = ctx;
    struct seen_by *mine = &m->seen[member];
    struct part *p = &m->share[list].part[item];
    if (mine->step != step)
        *mine = (struct seen_by){ .step = step, .next = NEVER };
    bool due = look(m, p, &m->share[list].doorbell[item]) < m->until;
    mine->ran |= due;
    if (due || m->cfg.sim.no_skip) {
        run_part(m, mine, p);
        p->next = part_next(m, p);
    }
    if (!due)
        mine->next = clock_earlier(mine->next, p->next);
}

/* ---- shares ---- */

/* Host time of a part, roughly, in units of an SM's. */
static uint32_t weight_of(const struct machine *m, enum part_kind kind)
{
    enum { SM = 16, PER_PORT = 1, PARTITION = 8 };
    return kind == PART_SM ? SM : kind == PART_PARTITION ? PARTITION : PER_PORT * (m->cfg.sms + m->cfg.slices);
}

/* Every sender to the part sets its doorbell; crossbars have their own. Each part is visited in the first window. */
static void attach_doorbells(struct machine *m, enum part_kind kind, uint32_t index, uint8_t *doorbell)
{
    *doorbell = 1;
    if (kind == PART_SM)
        m->sm_in[index].doorbell = m->sm_out[index].credit_doorbell = doorbell;
    for (uint32_t i = 0; kind == PART_PARTITION && i < m->cfg.partition.slices; i++) {
        uint32_t slice = index * m->cfg.partition.slices + i;
        m->slice_in[slice].doorbell = m->slice_out[slice].credit_doorbell = doorbell;
    }
}

/* Something other than a message gives the parts events. */
static void ring_all(struct machine *m)
{
    for (uint32_t i = 0; i < m->members; i++)
        memset(m->share[i].doorbell, 1, m->share[i].n);
}

static void give(struct machine *m, uint32_t n, uint32_t *load, enum part_kind kind, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t to = 0;
        for (uint32_t k = 1; k < n; k++)
            to = load[k] < load[to] ? k : to;
        struct share *s = &m->share[to];
        attach_doorbells(m, kind, i, &s->doorbell[s->n]);
        s->part[s->n++] = (struct part){ .kind = (uint16_t)kind, .index = (uint16_t)i };
        load[to] += weight_of(m, kind);
    }
}

/* Shares the parts out over n host threads, each to whoever has the least to do so far; the heavy ones come first. */
static void share_out(struct machine *m, uint32_t n)
{
    const struct machine_cfg *c = &m->cfg;
    uint32_t *load = mem_zero(n, sizeof *load, "the work of host threads"), parts = c->sms + XBARS + c->channels;
    m->members = n;
    m->share = mem_zero(n, sizeof *m->share, "the work of host threads");
    m->seen = mem_aligned(HOST_CACHE_LINE, n * sizeof *m->seen, "the work of host threads");
    memset(m->seen, 0, n * sizeof *m->seen);
    for (uint32_t i = 0; i < n; i++) {
        m->share[i].part = mem_zero(parts, sizeof *m->share[i].part, "the work of host threads");
        m->share[i].doorbell = mem_aligned(HOST_CACHE_LINE, parts + 1, "the work of host threads");
    }
    give(m, n, load, PART_SM, c->sms);
    give(m, n, load, PART_XBAR, XBARS);
    give(m, n, load, PART_PARTITION, c->channels);
    free(load);
}

static bool exclusive(const struct machine *m)
{
    for (uint32_t i = 0; i < m->ngrids; i++)
        if (m->grids[i].launch.code->host_functions)
            return true;
    return false;
}

/* Functions of the host (printf, malloc) touch what all SMs share: such kernels run on one thread, a cycle at a
 * time, SM by SM. */
static void hire(struct machine *m)
{
    uint32_t n = exclusive(m) ? 1 : m->cfg.sim.threads, parts = m->cfg.sms + m->cfg.channels;
    n = n < parts ? n : parts;
    share_out(m, n);
    uint32_t *items = mem_zero(n, sizeof *items, "the work of host threads");
    for (uint32_t i = 0; i < n; i++)
        items[i] = m->share[i].n;
    m->crew = crew_new(n, items, visit, m);
    free(items);
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].launch.host_threads = n;
    m->width = m->cfg.window;
    if (m->cfg.sim.sync_window && m->cfg.sim.sync_window < m->width)
        m->width = m->cfg.sim.sync_window;
    if (exclusive(m) || (m->transactions && tm_global_step(m->tm)))
        m->width = 1;
}

static void dismiss(struct machine *m)
{
    crew_free(m->crew);
    for (uint32_t i = 0; i < m->members; i++) {
        free(m->share[i].part);
        free(m->share[i].doorbell);
    }
    free(m->share);
    free(m->seen);
    m->crew = NULL;
}

/* ---- one window, by all ---- */

static void start_block(void *ctx, uint32_t sm, const struct block_start *b)
{
    struct machine *m = ctx;
    sm_start(m->sm[sm], b);
    *m->sm_in[sm].doorbell = 1;
}

static void note_fault(struct machine *m, uint32_t sm)
{
    uint64_t at = sm_fault_cycle(m->sm[sm]);
    if (at < m->fault_at) {
        m->fault_at = at;
        m->fault = sm_fault(m->sm[sm]);
        m->fault_grid = (uint32_t)(sm_fault_grid(m->sm[sm]) - m->grids);
    }
}

static void hear_news(struct machine *m)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        if (!m->news[i])
            continue;
        uint32_t n;
        const struct block_end *e = sm_ended(m->sm[i], &n);
        if (n)
            dispatcher_ended(m->dispatcher, e, n);
        note_fault(m, i);
        m->news[i] = false;
    }
}

/* What transactional memory does in the serial part may give SMs something to do. */
static void step_transactions(struct machine *m)
{
    if (!tm_step(m->tm, m->now))
        return;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        if (tm_core_touched(sm_tm(m->sm[i]))) {
            *m->sm_in[i].doorbell = 1;
            note_fault(m, i);
        }
}

/* All components up to cycle `until`. Had any of them an event? *next: if not, the cycle of their next one. */
static bool run_parts(struct machine *m, uint64_t until, uint64_t *next)
{
    bool ran = false, news = false;
    *next = NEVER;
    m->until = until;
    crew_step(m->crew);
    for (uint32_t i = 0; i < m->members; i++) {
        const struct seen_by *s = &m->seen[i];
        if (s->step != crew_steps(m->crew))
            continue;
        ran |= s->ran;
        news |= s->news;
        *next = clock_earlier(*next, s->next);
    }
    if (news)
        hear_news(m);
    m->now = until;
    if (m->transactions)
        step_transactions(m);
    return ran;
}

/* Runs a window, at most to `stop`, with a halt where a row of the time series ends; goes on to the next event. */
static void advance(struct machine *m, uint64_t stop)
{
    uint64_t end = clock_earlier(m->now + m->width, stop), next;
    bool ran = false;
    dispatcher_run(m->dispatcher, m->now, end, start_block, m);
    while (m->row_at < end) {
        ran |= run_parts(m, m->row_at, &next);
        watch_rows(m);
    }
    ran |= run_parts(m, end, &next);
    next = clock_earlier(next, dispatcher_next(m->dispatcher));
    m->dead = !ran && next == NEVER;
    next = clock_earlier(next, stop);
    if (!ran && !m->cfg.sim.no_skip && next != NEVER && next > m->now)
        m->now = next;
    watch_rows(m);
    watch_window(m);
}

/* The same in windows of full length, on their grid from `origin`, whatever sim.sync_window says. */
static void advance_on_grid(struct machine *m, uint64_t origin)
{
    advance(m, NEVER);
    m->now = origin + (m->now - origin) / m->width * m->width;
}

/* ---- blocks ---- */

/* Is nothing under way, and no SM has anything to do? Then that stays so. */
static bool stuck(struct machine *m)
{
    m->dead = machine_quiet(m) && dispatcher_next(m->dispatcher) == NEVER;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        m->dead &= sm_next(m->sm[i]) == NEVER;
    return m->dead;
}

static enum machine_result run_blocks(struct machine *m, struct hang_watch *watch)
{
    for (;;) {
        uint64_t end = m->fault_at == NEVER ? dispatcher_finish(m->dispatcher) : m->fault_at + m->cfg.window;
        if (m->now >= end)
            break;
        if (launch_interrupted(&m->grids[0].launch))
            return MACHINE_INTERRUPTED;
        if (m->now >= hang_watch_next(watch) && (stuck(m) || hang_look(watch)))
            return MACHINE_HANG;
        uint64_t stop = clock_earlier(end, hang_watch_next(watch));
        advance(m, stop);
        if (m->dead && end == NEVER && stop == NEVER)
            return MACHINE_HANG;
        if (m->dead) {
            m->now = stop;
            watch_rows(m);
        }
    }
    dispatcher_run(m->dispatcher, m->now, m->now + 1, start_block, m);      /* the last end */
    return m->fault_at == NEVER ? MACHINE_OK : MACHINE_FAULT;
}

/* ---- the end of a kernel ---- */

/* Dirty lines of private memory go to L2. */
static bool written_back(struct machine *m)
{
    bool clean = true;
    ring_all(m);
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        sm_catch_up(m->sm[i], m->now);           /* it goes on from here, not from when it last had something to do */
        clean &= lsu_flush(sm_lsu(m->sm[i]), m->now);
    }
    return clean;
}

static bool flushed(struct machine *m)
{
    bool clean = true;
    ring_all(m);
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        clean &= partition_flush(m->partition[i], clock_convert(&m->cfg.clocks, CLK_CORE, CLK_L2, m->now), true);
    return clean;
}

/* Goes on, in windows of full length, until it holds. False, with m->dead, when it never will. */
static bool until_it_holds(struct machine *m, bool (*holds)(struct machine *m))
{
    static const uint64_t longest = 1 << 28;     /* core cycles; more than any cache takes to be written back */
    uint64_t origin = m->now;
    m->width = m->transactions && tm_global_step(m->tm) ? 1 : m->cfg.window;
    m->dead = false;
    while (!holds(m) && !m->dead) {
        advance_on_grid(m, origin);
        m->dead |= m->now - origin > longest;
    }
    return !m->dead;
}

/* Dirty L1 lines are written back, and the grids end when they are; what is on its way arrives. */
static bool drain(struct machine *m)
{
    uint64_t end = m->now;
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end == end ? 0 : m->grids[i].end;
    if (!until_it_holds(m, written_back))
        return false;
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end ? m->grids[i].end : m->now;
    return until_it_holds(m, machine_quiet);
}

/* Empties the L2, at its cost. */
static bool flush(struct machine *m, uint64_t *count)
{
    uint64_t origin = m->now;
    if (!until_it_holds(m, flushed))
        return false;
    count[STAT_FLUSH_CYCLES] = m->now - origin;
    count[STAT_FLUSH_WRITEBACKS] = count_of(m, STAT_L2_WRITEBACKS);
    return true;
}

static void sum_up(struct machine *m, struct counters *sum)
{
    count_sum(m, m->grids[0].start, m->now, sum->count);
    count_hists(m, &sum->hists);
}

static enum machine_result finish(struct machine *m, struct counters *sum)
{
    char text[4000];
    bool ok = drain(m);
    sum_up(m, sum);
    if (ok && m->transactions && !tm_finish(m->tm, sum->count, text, sizeof text)) {
        report_add(m, "%s", text);
        ok = false;
    }
    ok = ok && (!m->cfg.sim.checks || count_check(m, sum->count));
    count_clear(m);
    watch_counted(m);
    if (ok && m->cfg.sim.flush)
        ok = flush(m, sum->count);
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        lsu_invalidate(sm_lsu(m->sm[i]));
        for (uint32_t g = 0; g < m->ngrids; g++)
            sm_grid_end(m->sm[i], &m->grids[g]);
    }
    if (!ok && m->dead)
        hang_report(m, NULL);
    return ok ? MACHINE_OK : m->dead ? MACHINE_HANG : MACHINE_BROKEN;
}

/* After a run that was given up: new components take the place of those that are full of its messages. */
static void renew(struct machine *m)
{
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end ? m->grids[i].end : m->now;
    m->past += m->now;
    machine_dismantle(m);
    machine_build(m);
    watch_attach(m);
}

/* ---- a run ---- */

/* Private memory of all warps that can be resident, one place for each slot whatever grid its warp is of. */
static bool place_private_memory(struct machine *m)
{
    uint64_t bytes = 0, warps = (uint64_t)m->cfg.sms * m->cfg.sm.warps;
    for (uint32_t i = 0; i < m->ngrids; i++) {
        const struct launch *la = &m->grids[i].launch;
        uint64_t need = (uint64_t)launch_private_bytes(la) * la->warp_size;
        bytes = need > bytes ? need : bytes;
    }
    bytes = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    uint64_t log = m->transactions ? tm_private_bytes(m->tm) : 0;
    void *base = devmem_upper(m->mem, (bytes + log) * warps);
    for (uint32_t i = 0; i < m->ngrids; i++) {
        m->grids[i].local_base = (uint64_t)(uintptr_t)base;
        m->grids[i].local_bytes = bytes;
        m->grids[i].log_base = m->grids[i].local_base + bytes * warps;
        m->grids[i].log_bytes = log;
    }
    return base;
}

static void count_grids(struct machine *m)
{
    for (uint32_t i = 0; i < m->ngrids; i++) {
        struct grid *g = &m->grids[i];
        for (uint32_t s = 0; s < m->cfg.sms; s++)
            sm_grid_count(m->sm[s], g);
        g->launch.count[STAT_BLOCKS] = g->done;
    }
}

static void begin(struct machine *m, struct grid *grids, uint32_t n)
{
    m->grids = grids;
    m->ngrids = n;
    m->transactions = false;
    m->fault_at = NEVER;
    m->fault = NULL;
    free(m->report);
    m->report = NULL;
    for (uint32_t i = 0; i < n; i++) {
        grids[i].id = i;
        grids[i].code = machine_code(m, grids[i].launch.program);
        grids[i].launch.timed = true;
        grids[i].launch.tm = m->tm && grids[i].launch.code->transactions;
        grids[i].launch.tm_serial = m->cfg.tm.serial;
        m->transactions |= grids[i].launch.tm;
        grids[i].launch.clock_khz = m->cfg.clocks.khz[CLK_CORE];
        grids[i].launch.clock_start = m->now;
    }
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        sm_catch_up(m->sm[i], m->now);                   /* what passed between kernels is nobody's */
    for (uint32_t i = 0; i < m->cfg.slices; i++)
        m->worker[i] = (struct worker){ .launch = &grids[0].launch };
    if (m->tm)
        tm_begin_run(m->tm, m->transactions);
    count_clear(m);
    watch_begin(m);
}

static enum machine_result run_and_finish(struct machine *m, struct counters *sum)
{
    struct hang_watch *watch = hang_watch_new(m);
    enum machine_result r = run_blocks(m, watch);
    if (r == MACHINE_HANG)
        hang_report(m, watch);
    hang_watch_free(watch);
    count_grids(m);
    if (r == MACHINE_OK)
        return finish(m, sum);
    if (r == MACHINE_FAULT)
        m->grids[m->fault_grid].launch.fault = *m->fault;
    sum_up(m, sum);
    return r;
}

enum machine_result machine_run(struct machine *m, struct grid *grids, uint32_t n, struct counters *sum)
{
    begin(m, grids, n);
    if (!place_private_memory(m))
        return MACHINE_NO_MEMORY;
    hire(m);
    dispatcher_launch(m->dispatcher, grids, n, m->now);
    enum machine_result r = run_and_finish(m, sum);
    watch_end(m, sum->count, r != MACHINE_OK);
    dismiss(m);
    for (uint32_t i = 0; i < n; i++)
        grids[i].launch.interrupted = r == MACHINE_INTERRUPTED;
    if (r != MACHINE_OK)
        renew(m);
    return r;
}
