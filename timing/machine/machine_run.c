/*
 * A run of the machine: in a window of core cycles the components run independently; after it they exchange messages. A
 * run ends at a fixed cycle, not at the end of a window: when the dispatcher receives the last message, or one longest
 * window after a fault. Therefore neither the length of windows nor the jumps of the clock change the results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/machine/machine_impl.h"

/* ---- one window on one host thread ---- */

static uint64_t component_next(const struct machine *m, const struct machine_component *p)
{
    switch (p->kind) {
    case MACHINE_SM: return sm_next(m->sm[p->index]);
    case MACHINE_XBAR: return clock_floor(&m->cfg.clocks, CLK_XBAR, CLK_CORE, xbar_next(m->xbar[p->index]));
    default: return partition_next(m->partition[p->index]);
    }
}

static uint64_t run_sm(struct machine *m, struct machine_thread_result *mine, uint32_t i)
{
    bool reports = false;
    uint64_t next = sm_run(m->sm[i], m->until, m->cfg.sim.no_skip, &reports);
    if (reports)
        m->pending[i] = mine->pending = true;
    return next;
}

/* Returns its next event. */
static uint64_t run_component(struct machine *m, struct machine_thread_result *mine, const struct machine_component *p)
{
    switch (p->kind) {
    case MACHINE_SM: return run_sm(m, mine, p->index);
    case MACHINE_XBAR:
        xbar_run(m->xbar[p->index], m->until_in[CLK_XBAR]);
        return component_next(m, p);
    default:
        return partition_run(m->partition[p->index], m->until_in[CLK_L2], m->until_in[CLK_MEM]);
    }
}

/*
 * Returns the next event of a component. Without a message, the value of the last visit is still valid. A sender writes
 * the message and then sets the doorbell: a message that is not visible here sets the doorbell again, and it arrives
 * after this window. A crossbar's doorbell is always set, since it has doorbells of its own for its many senders.
 */
static uint64_t update_next(const struct machine *m, struct machine_worklist *l, uint32_t item)
{
    const struct machine_component *p = &l->component[item];
    if (!__atomic_load_n(&l->doorbell[item], __ATOMIC_RELAXED))
        return l->next[item];
    if (p->kind != MACHINE_XBAR)
        __atomic_exchange_n(&l->doorbell[item], 0, __ATOMIC_ACQ_REL);
    else if (xbar_waits(m->xbar[p->index]))
        return l->next[item];
    return l->next[item] = component_next(m, p);
}

static inline void visit(struct machine *m, struct machine_thread_result *mine, struct machine_worklist *l,
                         uint32_t item)
{
    bool due = update_next(m, l, item) < m->until;
    mine->ran |= due;
    if (due || m->cfg.sim.no_skip)
        l->next[item] = run_component(m, mine, &l->component[item]);
    if (!due)
        mine->next = clock_earlier(mine->next, l->next[item]);
}

/* An item of the thread pool. */
static void visit_item(void *ctx, uint64_t step, uint32_t thread, uint32_t list, uint32_t item)
{
    struct machine *m = ctx;
    struct machine_thread_result *mine = &m->result[thread];
    if (mine->step != step)
        *mine = (struct machine_thread_result){ .step = step, .next = NEVER };
    visit(m, mine, &m->worklist[list], item);
}

/* One host thread visits all components. Most have neither a message nor an event in most windows. */
static struct machine_thread_result visit_all(struct machine *m)
{
    struct machine_worklist *l = m->worklist;
    struct machine_thread_result mine = { .next = NEVER };
    uint64_t last = m->cfg.sim.no_skip ? NEVER : m->until - 1, next = NEVER;
    for (uint32_t i = 0; i < l->n; i++)
        if (__atomic_load_n(&l->doorbell[i], __ATOMIC_RELAXED) || l->next[i] <= last)
            visit(m, &mine, l, i);
        else
            next = clock_earlier(next, l->next[i]);
    mine.next = clock_earlier(mine.next, next);
    return mine;
}

/* ---- distribution over host threads ---- */

/* Approximate host time of a component; an SM takes 16. */
static uint32_t weight_of(const struct machine *m, enum machine_component_kind kind)
{
    enum { SM = 16, PER_PORT = 1, PARTITION = 8 };
    return kind == MACHINE_SM ? SM : kind == MACHINE_PARTITION ? PARTITION : PER_PORT * (m->cfg.sms + m->cfg.slices);
}

/* Every sender to the component sets its doorbell. All components run in the first window. */
static void attach_doorbells(struct machine *m, enum machine_component_kind kind, uint32_t index, uint8_t *doorbell)
{
    *doorbell = 1;
    if (kind == MACHINE_SM)
        m->sm_in[index].doorbell = m->sm_out[index].credit_doorbell = doorbell;
    for (uint32_t i = 0; kind == MACHINE_PARTITION && i < m->cfg.partition.slices; i++) {
        uint32_t slice = index * m->cfg.partition.slices + i;
        m->slice_in[slice].doorbell = m->slice_out[slice].credit_doorbell = doorbell;
    }
}

/* Something other than a message has given the components events. */
static void ring_all_doorbells(struct machine *m)
{
    for (uint32_t i = 0; i < m->threads; i++)
        memset(m->worklist[i].doorbell, 1, m->worklist[i].n);
}

static void assign(struct machine *m, uint32_t n, uint32_t *load, enum machine_component_kind kind, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t to = 0;
        for (uint32_t k = 1; k < n; k++)
            to = load[k] < load[to] ? k : to;
        struct machine_worklist *s = &m->worklist[to];
        attach_doorbells(m, kind, i, &s->doorbell[s->n]);
        s->component[s->n] = (struct machine_component){ .kind = (uint16_t)kind, .index = (uint16_t)i };
        s->next[s->n++] = 0;
        load[to] += weight_of(m, kind);
    }
}

/* Distributes the components over n host threads: each goes to the thread with the least load so far, heavy ones
 * first. */
static void distribute_components(struct machine *m, uint32_t n)
{
    const struct machine_cfg *c = &m->cfg;
    uint32_t *load = mem_zero(n, sizeof *load, "the work of host threads");
    uint32_t parts = c->sms + MACHINE_XBARS + c->channels;
    m->threads = n;
    m->worklist = mem_zero(n, sizeof *m->worklist, "the work of host threads");
    m->result = mem_aligned(HOST_CACHE_LINE, n * sizeof *m->result, "the work of host threads");
    memset(m->result, 0, n * sizeof *m->result);
    for (uint32_t i = 0; i < n; i++) {
        m->worklist[i].component = mem_zero(parts, sizeof *m->worklist[i].component, "the work of host threads");
        m->worklist[i].next = mem_zero(parts, sizeof *m->worklist[i].next, "the work of host threads");
        m->worklist[i].doorbell = mem_aligned(HOST_CACHE_LINE, parts + 1, "the work of host threads");
    }
    assign(m, n, load, MACHINE_SM, c->sms);
    assign(m, n, load, MACHINE_XBAR, MACHINE_XBARS);
    assign(m, n, load, MACHINE_PARTITION, c->channels);
    free(load);
}

static bool exclusive(const struct machine *m)
{
    for (uint32_t i = 0; i < m->ngrids; i++)
        if (m->grids[i].launch.code->host_functions)
            return true;
    return false;
}

/* Host functions (printf, malloc) use state that all SMs share: kernels that call them run on one thread with windows
 * of one cycle, SM after SM. */
static void start_pool(struct machine *m)
{
    uint32_t n = exclusive(m) ? 1 : m->cfg.sim.threads, parts = m->cfg.sms + m->cfg.channels;
    n = n < parts ? n : parts;
    distribute_components(m, n);
    uint32_t *items = mem_zero(n, sizeof *items, "the work of host threads");
    for (uint32_t i = 0; i < n; i++)
        items[i] = m->worklist[i].n;
    m->pool = n > 1 ? thread_pool_new(n, items, visit_item, m) : NULL;
    free(items);
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].launch.host_threads = n;
    m->width = m->cfg.window;
    if (m->cfg.sim.sync_window && m->cfg.sim.sync_window < m->width)
        m->width = m->cfg.sim.sync_window;
    if (exclusive(m) || (m->transactions && tm_global_step(m->tm)))
        m->width = 1;
}

static void stop_pool(struct machine *m)
{
    thread_pool_free(m->pool);
    for (uint32_t i = 0; i < m->threads; i++) {
        free(m->worklist[i].component);
        free(m->worklist[i].next);
        free(m->worklist[i].doorbell);
    }
    free(m->worklist);
    free(m->result);
    m->pool = NULL;
}

/* ---- one window of all components ---- */

static void start_block(void *ctx, uint32_t sm, const struct block_start *b)
{
    struct machine *m = ctx;
    sm_start(m->sm[sm], b);
    *m->sm_in[sm].doorbell = 1;
}

/* Keeps the fault with the lowest (cycle, SM). */
static void keep_first_fault(struct machine *m, uint32_t sm)
{
    uint64_t at = sm_fault_cycle(m->sm[sm]);
    if (at < m->fault_at) {
        m->fault_at = at;
        m->fault = sm_fault(m->sm[sm]);
        m->fault_grid = (uint32_t)(sm_fault_grid(m->sm[sm]) - m->grids);
    }
}

/* Processes ended blocks and faults of the SMs. */
static void process_pending(struct machine *m)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        if (!m->pending[i])
            continue;
        uint32_t n;
        const struct block_end *e = sm_ended(m->sm[i], &n);
        if (n)
            dispatcher_ended(m->dispatcher, e, n);
        keep_first_fault(m, i);
        m->pending[i] = false;
    }
}

/* The serial step of transactional memory may give SMs events. */
static void step_transactions(struct machine *m)
{
    if (!tm_step(m->tm, m->now))
        return;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        if (tm_core_touched(sm_tm(m->sm[i]))) {
            *m->sm_in[i].doorbell = 1;
            keep_first_fault(m, i);
        }
    for (uint32_t i = 0; (i = tm_touched_slice(m->tm, i)) != UINT32_MAX; i++)
        *m->slice_in[i].doorbell = 1;
}

static void end_if_violated(const char *violation)
{
    if (!violation)
        return;
    fprintf(stderr, "simtx: %s", violation);
    abort();
}

static void step_ordering(struct machine *m)
{
    uint64_t final = m->now;
    if (!order_oracle_due(m->oracle))
        return;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        final = lsu_bound_from(sm_lsu(m->sm[i]), final);
    end_if_violated(order_oracle_step(m->oracle, final));
}

/* All host threads visit the components; what they found, together. */
static struct machine_thread_result step_pool(struct machine *m)
{
    struct machine_thread_result all = { .next = NEVER };
    thread_pool_step(m->pool);
    for (uint32_t i = 0; i < m->threads; i++) {
        const struct machine_thread_result *s = &m->result[i];
        if (s->step != thread_pool_steps(m->pool))
            continue;
        all.ran |= s->ran;
        all.pending |= s->pending;
        all.next = clock_earlier(all.next, s->next);
    }
    return all;
}

/* Runs all components up to cycle `until`. False when none had an event; *next is then the cycle of their next
 * event. */
static bool run_components(struct machine *m, uint64_t until, uint64_t *next)
{
    m->until = until;
    for (int k = 0; k < CLK_COUNT; k++)
        m->until_in[k] = clock_convert(&m->cfg.clocks, CLK_CORE, (enum clock_domain)k, until);
    struct machine_thread_result all = m->pool ? step_pool(m) : visit_all(m);
    if (all.pending)
        process_pending(m);
    m->now = until;
    if (m->transactions)
        step_transactions(m);
    if (m->oracle)
        step_ordering(m);
    *next = all.next;
    return all.ran;
}

/* Runs a window, at most to `stop`; stops in between where a row of the time series ends. If nothing happened, advances
 * to the next event. */
static void advance(struct machine *m, uint64_t stop)
{
    uint64_t end = clock_earlier(m->now + m->width, stop), next;
    bool ran = false;
    dispatcher_run(m->dispatcher, m->now, end, start_block, m);
    while (m->row_at < end) {
        ran |= run_components(m, m->row_at, &next);
        machine_watch_rows(m);
    }
    ran |= run_components(m, end, &next);
    next = clock_earlier(next, dispatcher_next(m->dispatcher));
    m->dead = !ran && next == NEVER;
    next = clock_earlier(next, stop);
    if (!ran && !m->cfg.sim.no_skip && next != NEVER && next > m->now)
        m->now = next;
    machine_watch_rows(m);
    machine_watch_window(m);
}

/* The same with windows of full length, whatever sim.sync_window is: m->now stays a multiple of the window after
 * `origin`. */
static void advance_aligned(struct machine *m, uint64_t origin)
{
    advance(m, NEVER);
    m->now = origin + (m->now - origin) / m->width * m->width;
}

/* ---- blocks ---- */

/* True when nothing is in flight and no SM has an event: then none will ever occur. */
static bool stuck(struct machine *m)
{
    m->dead = machine_idle(m) && dispatcher_next(m->dispatcher) == NEVER;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        m->dead &= sm_next(m->sm[i]) == NEVER;
    return m->dead;
}

static enum machine_result run_blocks(struct machine *m, struct hang_detector *watch)
{
    for (;;) {
        uint64_t end = m->fault_at == NEVER ? dispatcher_finish(m->dispatcher) : m->fault_at + m->cfg.window;
        if (m->now >= end)
            break;
        if (launch_interrupted(&m->grids[0].launch))
            return MACHINE_INTERRUPTED;
        if (m->now >= hang_detector_next(watch) && (stuck(m) || hang_detector_check(watch)))
            return MACHINE_HANG;
        uint64_t stop = clock_earlier(end, hang_detector_next(watch));
        advance(m, stop);
        if (m->dead && end == NEVER && stop == NEVER)
            return MACHINE_HANG;
        if (m->dead) {
            m->now = stop;
            machine_watch_rows(m);
        }
    }
    dispatcher_run(m->dispatcher, m->now, m->now + 1, start_block, m);      /* receives the end of the last block */
    return m->fault_at == NEVER ? MACHINE_OK : MACHINE_FAULT;
}

/* ---- the end of a kernel ---- */

/* Writes dirty lines of the L1s (private memory) back to L2. True when none is left. */
static bool written_back(struct machine *m)
{
    bool clean = true;
    ring_all_doorbells(m);
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        sm_catch_up(m->sm[i], m->now);           /* the write-back starts now, not at the SM's last event */
        clean &= lsu_flush(sm_lsu(m->sm[i]), m->now);
    }
    return clean;
}

/* Writes dirty lines of the L2 back to DRAM. True when none is left. */
static bool flushed(struct machine *m)
{
    bool clean = true;
    ring_all_doorbells(m);
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        clean &= partition_flush(m->partition[i], clock_convert(&m->cfg.clocks, CLK_CORE, CLK_L2, m->now), true);
    return clean;
}

/* Advances in windows of full length until the condition holds. False, with m->dead, when it never will. */
static bool run_until(struct machine *m, bool (*holds)(struct machine *m))
{
    static const uint64_t longest = 1 << 28;     /* core cycles; the write-back of any cache is shorter */
    uint64_t origin = m->now;
    m->width = m->transactions && tm_global_step(m->tm) ? 1 : m->cfg.window;
    m->dead = false;
    while (!holds(m) && !m->dead) {
        advance_aligned(m, origin);
        m->dead |= m->now - origin > longest;
    }
    return !m->dead;
}

/* Writes dirty L1 lines back, which ends the grids; then waits until nothing is in flight. */
static bool drain(struct machine *m)
{
    uint64_t end = m->now;
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end == end ? 0 : m->grids[i].end;
    if (!run_until(m, written_back))
        return false;
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end ? m->grids[i].end : m->now;
    return run_until(m, machine_idle);
}

static bool transactions_ended(struct machine *m)
{
    bool ended = machine_idle(m) && tm_end(m->tm, m->now);
    ring_all_doorbells(m);
    return ended;
}

/* Empties the L2 and counts the cycles and write-backs. */
static bool flush(struct machine *m, uint64_t *count)
{
    uint64_t origin = m->now;
    if (!run_until(m, flushed))
        return false;
    count[STAT_FLUSH_CYCLES] = m->now - origin;
    count[STAT_FLUSH_WRITEBACKS] = machine_count_of(m, STAT_L2_WRITEBACKS);
    return true;
}

static void sum_up(struct machine *m, struct counters *sum)
{
    machine_count_sum(m, m->grids[0].start, m->now, sum->count);
    machine_count_hists(m, &sum->hists);
}

static enum machine_result finish(struct machine *m, struct counters *sum)
{
    char text[4000];
    bool ok = drain(m);
    if (ok && m->oracle)
        end_if_violated(order_oracle_finish(m->oracle));
    sum_up(m, sum);
    ok = ok && (!m->transactions || run_until(m, transactions_ended));
    if (ok && m->transactions && !tm_finish(m->tm, sum->count, text, sizeof text)) {
        machine_report_add(m, "%s", text);
        ok = false;
    }
    ok = ok && (!m->cfg.sim.checks || machine_count_check(m, sum->count));
    machine_count_clear(m);
    machine_watch_counted(m);
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

/* After an aborted run: replaces all components, since messages of the run are still in them. */
static void rebuild(struct machine *m)
{
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end ? m->grids[i].end : m->now;
    m->past += m->now;
    machine_dismantle(m);
    machine_build(m);
    machine_watch_attach(m);
}

/* ---- a run ---- */

/* Reserves private memory for each warp slot, large enough for the warps of every grid. */
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
    struct private_map map = { .bytes = bytes, .sms = m->cfg.sms, .warps = m->cfg.sm.warps };
    if (m->cfg.sim.local_layout == LOCAL_BY_WORD && bytes)
        map.block = m->grids[0].launch.nwarps;
    uint64_t all = private_bytes(&map);
    void *base = devmem_upper(m->mem, all + log * warps);
    map.base = (uint64_t)(uintptr_t)base;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        lsu_private_map(sm_lsu(m->sm[i]), &map);
    for (uint32_t i = 0; i < m->ngrids; i++) {
        m->grids[i].local_base = map.base;
        m->grids[i].local_bytes = bytes;
        m->grids[i].log_base = map.base + all;
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
        sm_catch_up(m->sm[i], m->now);       /* cycles between kernels are not counted */
    for (uint32_t i = 0; i < m->cfg.slices; i++)
        m->worker[i] = (struct worker){ .launch = &grids[0].launch };
    if (m->tm)
        tm_begin_run(m->tm, m->transactions);
    machine_count_clear(m);
    machine_watch_begin(m);
}

static enum machine_result run_and_finish(struct machine *m, struct counters *sum)
{
    struct hang_detector *watch = hang_detector_new(m);
    enum machine_result r = run_blocks(m, watch);
    if (r == MACHINE_HANG)
        hang_report(m, watch);
    hang_detector_free(watch);
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
    if (m->versions)
        vmem_begin(m->versions, devmem_regions(m->mem));
    start_pool(m);
    dispatcher_launch(m->dispatcher, grids, n, m->now);
    enum machine_result r = run_and_finish(m, sum);
    machine_watch_end(m, sum->count, r != MACHINE_OK);
    stop_pool(m);
    for (uint32_t i = 0; i < n; i++)
        grids[i].launch.interrupted = r == MACHINE_INTERRUPTED;
    if (r != MACHINE_OK)
        rebuild(m);
    return r;
}
