/*
 * Sums the counters of the components and checks the conservation laws: every request has a reply, every cycle of every
 * scheduler has a reason, and no credit or message is lost.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/energy/energy.h"
#include "timing/machine/machine_impl.h"

void machine_report_add(struct machine *m, const char *fmt, ...)
{
    char line[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    mem_append(&m->report, "%s\n", line);
}

void machine_count_clear(struct machine *m)
{
    memset(m->counters, 0, m->ncounters * sizeof *m->counters);
}

/* Makes the components account for all cycles before this core cycle. */
static void settle(struct machine *m, uint64_t until)
{
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        sm_catch_up(m->sm[i], until);
    for (uint32_t i = 0; i < m->cfg.channels; i++)
        partition_run(m->partition[i], clock_convert(&m->cfg.clocks, CLK_CORE, CLK_L2, until),
                      clock_convert(&m->cfg.clocks, CLK_CORE, CLK_MEM, until));
}

uint64_t machine_count_of(const struct machine *m, enum stat figure)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->ncounters; i++)
        n += m->counters[i].count[figure];
    return n;
}

/* Cycles of a domain that begin in the core cycles [from, until). */
static uint64_t cycles_of(const struct machine *m, enum clock_domain domain, uint64_t from, uint64_t until)
{
    const struct clocks *k = &m->cfg.clocks;
    return clock_convert(k, CLK_CORE, domain, until) - clock_convert(k, CLK_CORE, domain, from);
}

/* The capacity of resources in these cycles: the denominators of ratios. */
static void add_capacity(const struct machine *m, uint64_t from, uint64_t until, uint64_t *to)
{
    const struct machine_cfg *c = &m->cfg;
    uint64_t xbar = cycles_of(m, CLK_XBAR, from, until), mem = cycles_of(m, CLK_MEM, from, until);
    to[STAT_MACHINE_CYCLES] += until - from;
    to[STAT_WARP_SLOTS] += (until - from) * c->sms * c->sm.warps;
    to[STAT_XBAR_REQUEST_SLOTS] += xbar * c->slices;
    to[STAT_XBAR_REPLY_SLOTS] += xbar * c->xbar_ports;
    to[STAT_DRAM_CYCLES] += mem * c->channels;
}

/* A counter of functional mode, summed over running and ended grids. */
static uint64_t executed(const struct machine *m, enum stat figure)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->cfg.sms; i++)
        n += sm_running(m->sm[i], figure);
    for (uint32_t i = 0; i < m->ngrids; i++)
        n += m->grids[i].launch.count[figure];
    return n;
}

static void add_longest_sm(const struct machine *m, uint64_t *to)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < m->cfg.sms; i++) {
        uint64_t here = m->sm_counters[i].count[STAT_ACTIVE_SM_CYCLES];
        most = here > most ? here : most;
    }
    to[STAT_LONGEST_SM_CYCLES] += most;
}

static void add_grids(const struct machine *m, uint64_t until, uint64_t *to)
{
    for (uint32_t i = 0; i < m->ngrids; i++) {
        const struct grid *g = &m->grids[i];
        to[STAT_CYCLES] += (g->end && g->end < until ? g->end : until) - g->start;
    }
    to[STAT_TIMED_WARP_INSTRUCTIONS] += executed(m, STAT_WARP_INSTRUCTIONS);
    to[STAT_TIMED_THREAD_INSTRUCTIONS] += executed(m, STAT_THREAD_INSTRUCTIONS);
}

void machine_count_sum(struct machine *m, uint64_t from, uint64_t until, uint64_t *count)
{
    settle(m, until);
    for (uint32_t i = 0; i < m->ncounters; i++)
        stats_add(count, m->counters[i].count);
    add_longest_sm(m, count);
    add_capacity(m, from, until, count);
    add_grids(m, until, count);
    energy_count(m->cfg.sm.config, count);
    stats_sum_parts(count);
}

void machine_count_hists(const struct machine *m, struct hists *sum)
{
    for (uint32_t i = 0; i < m->ncounters; i++)
        hists_merge(sum, &m->counters[i].hists);
}

/* ---- conservation ---- */

static bool equal(struct machine *m, const char *what, uint64_t a, const char *like, uint64_t b)
{
    if (a != b)
        machine_report_add(m, "  %s: %" PRIu64 ", %s: %" PRIu64, what, a, like, b);
    return a == b;
}

static bool check_scheduler_cycles(struct machine *m, const uint64_t *n)
{
    uint64_t slots = n[STAT_ISSUED_SLOTS];
#define STALL(id, name, class, of, meaning) slots += n[STAT_STALL_##id];
#include "timing/stall.def"
    uint64_t classes = n[STAT_CLASS_EXEC] + n[STAT_CLASS_STALL] + n[STAT_CLASS_SCRB] + n[STAT_CLASS_IDLE];
    bool ok = equal(m, "SM cycles", n[STAT_SM_CYCLES], "cycles x SMs", n[STAT_MACHINE_CYCLES] * m->cfg.sms);
    ok &= equal(m, "scheduler cycles", n[STAT_ISSUE_SLOTS], "SM cycles x schedulers",
                n[STAT_SM_CYCLES] * m->cfg.sm.schedulers);
    ok &= equal(m, "issued and stalled", slots, "scheduler cycles", n[STAT_ISSUE_SLOTS]);
    return ok & equal(m, "sum of the classes", classes, "scheduler cycles", n[STAT_ISSUE_SLOTS]);
}

static bool check_messages(struct machine *m, const uint64_t *n)
{
    bool ok = equal(m, "requests and notifications of slices", n[STAT_REQUESTS] + n[STAT_L2_NOTIFICATIONS],
                    "replies and notifications of SMs", n[STAT_REPLIES] + n[STAT_SM_NOTIFICATIONS]);
    ok &= equal(m, "messages to other blocks of a cluster", n[STAT_CLUSTER_REQUESTS], "their replies",
                n[STAT_CLUSTER_REPLIES]);
    ok &= equal(m, "misses of the SMs' TLBs", n[STAT_TLB_L1_MISSES], "requests to the shared TLB",
                n[STAT_TLB_L2_HITS] + n[STAT_TLB_L2_MISSES] + n[STAT_TLB_L2_MERGED]);
    ok &= equal(m, "requests", n[STAT_REQUESTS], "packets through the request crossbar", n[STAT_XBAR_REQUEST_PACKETS]);
    return ok & equal(m, "replies", n[STAT_REPLIES], "packets through the reply crossbar", n[STAT_XBAR_REPLY_PACKETS]);
}

static bool check_dram(struct machine *m, const uint64_t *n)
{
    uint64_t sectors = n[STAT_L2_FILLS] + n[STAT_L2_WRITEBACKS], burst = m->cfg.partition.dram.burst_bytes;
    uint64_t bursts = n[STAT_DRAM_READS] + n[STAT_DRAM_WRITES];
    if (SECTOR_BYTES % burst || !m->cfg.partition.l2.sets)
        return true;                     /* bursts are longer than sectors; or there is no L2, and no fills */
    return equal(m, "bytes of DRAM bursts", bursts * burst, "bytes filled and written back", sectors * SECTOR_BYTES);
}

static bool check_ports(struct machine *m)
{
    bool ok = true;
    for (uint32_t i = 0; i < 2 * (m->cfg.sms + m->cfg.slices); i++)
        if (!port_idle(&m->ports[i])) {
            machine_report_add(m, "  port %u of %u: credits or messages are missing", i,
                               2 * (m->cfg.sms + m->cfg.slices));
            ok = false;
        }
    return ok;
}

bool machine_count_check(struct machine *m, const uint64_t *count)
{
    bool ok = check_scheduler_cycles(m, count);
    ok &= check_messages(m, count);
    ok &= check_dram(m, count);
    return ok & check_ports(m);
}
