/*
 * A run of the machine: windows of core cycles (machine_window.c), with steps of one host thread between them. A run
 * ends at a fixed cycle, not at the end of a window: when the dispatcher receives the last message, or one longest
 * window after a fault. Therefore neither the length of windows nor the jumps of the clock change the results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/machine/machine_impl.h"

/* ---- one window ---- */

/* The serial step of transactional memory may give SMs events. */
static void step_transactions(struct machine *m)
{
    if (!tm_step(m->tm, m->now))
        return;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        if (tm_core_touched(sm_tm(m->sm[i]))) {
            *m->sm_in[i].doorbell = 1;
            machine_keep_fault(m, i);
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

static void deliver(void *ctx, const struct cnet_message *message)
{
    struct machine *m = ctx;
    sm_cluster_receive(m->sm[message->to], message);
    *m->sm_in[message->to].doorbell = 1;
}

/* Passes on what the SMs have sent each other: in the order of SMs, whoever simulated them. */
static void step_clusters(struct machine *m)
{
    uint32_t n;
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        const struct cnet_message *sent = sm_cluster_sent(m->sm[i], &n);
        for (uint32_t k = 0; k < n; k++)
            if (sent[k].kind == CNET_ARRIVED || sent[k].kind == CNET_EXITED)
                cnet_arrival(m->barriers, &sent[k], cluster_blocks(&sent[k].grid->launch), deliver, m);
            else
                deliver(m, &sent[k]);
    }
}

static void reply_translation(void *ctx, const struct tlb_request *r, uint64_t at)
{
    struct machine *m = ctx;
    lsu_translated(sm_lsu(m->sm[r->sm]), r->page, at);
    *m->sm_in[r->sm].doorbell = 1;
}

/* The shared TLB serves the requests of the window, in an order that does not depend on host threads. */
static void step_translations(struct machine *m)
{
    uint32_t n;
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        const struct tlb_request *sent = lsu_tlb_sent(sm_lsu(m->sm[i]), &n);
        for (uint32_t k = 0; k < n; k++)
            tlb_l2_receive(m->tlb, &sent[k]);
    }
    tlb_l2_run(m->tlb, reply_translation, m);
}

/* Runs all components up to cycle `until`, which ends a window. */
static bool run_window(struct machine *m, uint64_t until, uint64_t *next)
{
    bool ran = machine_window_run(m, until, next);
    if (m->tlb)
        step_translations(m);
    if (m->clusters)
        step_clusters(m);
    if (m->transactions)
        step_transactions(m);
    if (m->oracle)
        step_ordering(m);
    return ran;
}

/* Runs a window, at most to `stop`; stops in between where a row of the time series ends. If nothing happened, advances
 * to the next event. */
static void advance(struct machine *m, uint64_t stop)
{
    uint64_t end = machine_window_end(m, stop), next;
    bool ran = false;
    while (m->row_at < end) {
        ran |= run_window(m, m->row_at, &next);
        machine_watch_rows(m);
    }
    ran |= run_window(m, end, &next);
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

bool machine_overdue(const struct machine *m)
{
    return m->now >= m->last;
}

static enum machine_result run_blocks(struct machine *m, struct hang_detector *watch)
{
    for (;;) {
        uint64_t end = m->fault_at == NEVER ? dispatcher_finish(m->dispatcher) : m->fault_at + m->longest;
        if (m->now >= end)
            break;
        if (launch_interrupted(&m->grids[0].launch))
            return MACHINE_INTERRUPTED;
        if (m->now >= hang_detector_next(watch) && (stuck(m) || hang_detector_check(watch)))
            return MACHINE_HANG;
        if (machine_overdue(m)) {
            stuck(m);                            /* m->dead: for the report */
            return MACHINE_HANG;
        }
        uint64_t stop = clock_earlier(end, hang_detector_next(watch));
        advance(m, clock_earlier(stop, m->last));
        if (m->dead && end == NEVER && stop == NEVER)
            return MACHINE_HANG;
        if (m->dead) {
            m->now = clock_earlier(stop, m->last);
            machine_watch_rows(m);
        }
    }
    machine_run_dispatcher(m, m->now + 1);       /* receives the end of the last block */
    return m->fault_at == NEVER ? MACHINE_OK : MACHINE_FAULT;
}

/* ---- the end of a kernel ---- */

/* Writes dirty lines of the L1s (private memory) back to L2. True when none is left. */
static bool written_back(struct machine *m)
{
    bool clean = true;
    machine_ring_doorbells(m);
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
    machine_ring_doorbells(m);
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        clean &= partition_flush(m->partition[i], clock_convert(&m->cfg.clocks, CLK_CORE, CLK_L2, m->now), true);
    return clean;
}

/*
 * While L2 is flushed, only the partitions have events, and they exchange no message. So they run alone, for at least
 * as long as the remaining DRAM commands take; when no partition has an event, the flush never completes. With an event
 * in any partition (a refresh is one) a flush without progress is found after 2^28 core cycles (run_until). m->now
 * stays a multiple of the step after `origin`.
 */
static void advance_memory(struct machine *m, uint64_t origin)
{
    const struct clocks *k = &m->cfg.clocks;
    uint64_t least = m->cfg.step, next = NEVER;
    for (uint32_t i = 0; i < m->cfg.channels; i++) {
        uint64_t here = partition_flush_least(m->partition[i]);
        least = here > least ? here : least;
        next = clock_earlier(next, partition_next(m->partition[i]));
    }
    m->dead = next == NEVER;
    m->now += least / m->cfg.step * m->cfg.step;
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        partition_run(m->partition[i], clock_convert(k, CLK_CORE, CLK_L2, m->now),
                      clock_convert(k, CLK_CORE, CLK_MEM, m->now));
    machine_watch_window(m);
}

/* Advances until the condition holds. False, with m->dead, when it never will. */
static bool run_until(struct machine *m, bool (*holds)(struct machine *m),
                      void (*advance_from)(struct machine *m, uint64_t origin))
{
    static const uint64_t longest = 1 << 28;     /* core cycles; the write-back of any cache is shorter */
    uint64_t origin = m->now;
    m->longest = m->cfg.step;
    m->width = m->transactions && tm_global_step(m->tm) ? 1 : m->cfg.step;
    m->dead = false;
    while (!holds(m) && !m->dead) {
        advance_from(m, origin);
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
    if (!run_until(m, written_back, advance_aligned))
        return false;
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].end = m->grids[i].end ? m->grids[i].end : m->now;
    return run_until(m, machine_idle, advance_aligned);
}

static bool transactions_ended(struct machine *m)
{
    bool ended = machine_idle(m) && tm_end(m->tm, m->now);
    machine_ring_doorbells(m);
    return ended;
}

/* Empties the L2 and counts the cycles and write-backs. */
static bool flush(struct machine *m, uint64_t *count)
{
    uint64_t origin = m->now;
    if (!run_until(m, flushed, m->tm || m->versions ? advance_aligned : advance_memory))
        return false;
    count[STAT_FLUSH_CYCLES] = m->now - origin;
    count[STAT_FLUSH_WRITEBACKS] = machine_count_of(m, STAT_L2_WRITEBACKS);
    return true;
}

static void sum_up(struct machine *m, struct counters *sum)
{
    machine_count_sum(m, m->grids[0].start, m->now, sum->count);
    machine_count_hists(m, &sum->hists);
    for (uint32_t i = 0; i < m->ngrids; i++)
        for (uint32_t s = 0; m->grids[i].profile && s < m->cfg.sms; s++)
            sm_profile_add(m->sm[s], &m->grids[i], m->grids[i].profile);
}

static enum machine_result finish(struct machine *m, struct counters *sum)
{
    char text[4000];
    bool ok = drain(m);
    if (ok && m->oracle)
        end_if_violated(order_oracle_finish(m->oracle));
    sum_up(m, sum);
    ok = ok && (!m->transactions || run_until(m, transactions_ended, advance_aligned));
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
    if (m->tlb && m->cfg.lsu.tlb.flush)
        tlb_l2_clear(m->tlb);
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

/* Divides the memory of the SMs between L1 and shared memory, for all grids of the run. */
static void divide_memory(struct machine *m)
{
    uint64_t shared = 0;
    if (!m->cfg.carveouts.n)
        return;
    for (uint32_t i = 0; i < m->ngrids; i++)
        shared += m->grids[i].carveout;
    const struct carveout *c = carveouts_choose(&m->cfg.carveouts, shared);
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        lsu_set_l1_ways(sm_lsu(m->sm[i]), c->l1_ways);
    dispatcher_set_shared(m->dispatcher, c->shared_bytes);
    for (uint32_t i = 0; i < m->ngrids; i++)
        m->grids[i].carved = c->shared_bytes;
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

/*
 * The code of the kernel, and the lines after it that its last fetches prefetch: a launch names a range of addresses,
 * which need not end with the function. Functions that the kernel calls are fetched when they are called.
 */
static void preload_code(struct machine *m, const struct grid *g)
{
    const struct tcode *t = g->code->of_func[g->launch.code->func->index];
    uint64_t code = ((uint64_t)t->ninsts + 1) * m->cfg.sm.inst_bytes;
    uint64_t ahead = (uint64_t)m->cfg.lsu.ro.inst_prefetch * m->cfg.sm.inst_line;
    if (!m->cfg.lsu.ro.inst_launch_kb)
        return;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        lsu_preload_code(sm_lsu(m->sm[i]), t->address, code + ahead);
}

static void begin(struct machine *m, struct grid *grids, uint32_t n)
{
    m->grids = grids;
    m->ngrids = n;
    m->transactions = m->clusters = false;
    m->fault_at = NEVER;
    m->last = m->cfg.sim.max_cycles ? m->now + m->cfg.sim.max_cycles : NEVER;
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
        m->clusters |= cluster_blocks(&grids[i].launch) > 1;
        grids[i].launch.clock_khz = m->cfg.clocks.khz[CLK_CORE];
        grids[i].launch.clock_start = m->now;
        preload_code(m, &grids[i]);
        machine_write_parameters(m, &grids[i].launch);
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
    else if (r == MACHINE_INTERRUPTED)
        interrupt_report(m);
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
    divide_memory(m);
    machine_start_pool(m);
    dispatcher_launch(m->dispatcher, grids, n, m->now);
    enum machine_result r = run_and_finish(m, sum);
    machine_watch_end(m, sum->count, r != MACHINE_OK);
    machine_stop_pool(m);
    for (uint32_t i = 0; i < n; i++)
        grids[i].launch.interrupted = r == MACHINE_INTERRUPTED;
    if (r != MACHINE_OK)
        rebuild(m);
    return r;
}
