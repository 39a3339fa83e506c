/* The page of a report: its sections in their order. */
#include "frontend/report/report.h"

#include <math.h>

#include "frontend/lib/simtx.h"
#include "frontend/page/page.h"
#include "timing/core/sm.h"

enum { NO_STAT = -1, NO_HIST = -1 };

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* ---- cycles ---- */

static const struct report_part CYCLES[] = {
    { "issued", STAT_ISSUED_SLOTS, NO_HIST },
#define STALL(id, name, class, of, meaning) { name, STAT_STALL_##id, NO_HIST },
#include "timing/stall.def"
};
static const enum stat CYCLE_FIGURES[] = {
    STAT_LAUNCHES, STAT_CYCLES, STAT_IPC, STAT_WARP_IPC, STAT_OCCUPANCY, STAT_LANE_UTILISATION,
    STAT_TIMED_WARP_INSTRUCTIONS, STAT_ISSUE_SLOTS, STAT_ISSUED_SLOTS,
#define STALL(id, name, class, of, meaning) STAT_STALL_##id,
#include "timing/stall.def"
};

static void cycles(const struct report_lines *l, FILE *f)
{
    static const struct report_stack s = { "Scheduler cycles by what the scheduler did", "% of scheduler cycles",
                                           REPORT_SHARES, STAT_CYCLES, CYCLES, COUNT(CYCLES) };
    page_heading(f, 2, "cycles", "Where the cycles went");
    page_paragraph(f, NULL, "Every scheduler of every SM either issues in a cycle or has a reason why not; of "
                   "several reasons the first in the order of `simtx stats --stalls` counts. Bars are "
                   "shares of all scheduler cycles, numbers beside them core cycles.");
    report_stack(l, &s, f);
    report_table(l, CYCLE_FIGURES, COUNT(CYCLE_FIGURES), f);
}

/* ---- latency of requests ---- */

static const struct report_part STAGES[] = {
    { "L1", NO_STAT, HIST_REQUEST_L1 },       { "crossbar", NO_STAT, HIST_REQUEST_XBAR },
    { "L2", NO_STAT, HIST_REQUEST_L2 },       { "DRAM", NO_STAT, HIST_REQUEST_DRAM },
    { "reply", NO_STAT, HIST_REQUEST_REPLY },
};
static const enum hist_id LATENCIES[] = {
    HIST_LOAD_LATENCY, HIST_LOCAL_LATENCY, HIST_ATOMIC_LATENCY, HIST_STORE_LATENCY, HIST_REQUEST_L1, HIST_REQUEST_XBAR,
    HIST_REQUEST_L2, HIST_REQUEST_DRAM, HIST_REQUEST_REPLY
};

static void histogram_cells(const struct hist *h, FILE *f)
{
    fputs("<td class=\"number\">", f);
    page_number(f, (double)h->n);
    fputs("</td><td class=\"number\">", f);
    if (h->n)
        fprintf(f, "%.1f", (double)h->sum / (double)h->n);
    fputs("</td><td class=\"number\">", f);
    page_number(f, (double)h->max);
    fputs("</td>", f);
}

static void latency_table(const struct report_lines *l, FILE *f)
{
    page_table_begin(f, NULL);
    fputs("<tr><th></th><th class=\"words\">core cycles of</th><th>number</th><th>mean</th><th>most</th></tr>\n", f);
    for (uint32_t k = 0; k < l->n; k++)
        for (int i = 0; i < COUNT(LATENCIES); i++) {
            const struct hist *h = &l->line[k].counters->hists.h[LATENCIES[i]];
            if (!h->n)
                continue;
            fputs("<tr>", f);
            page_head(f, l->line[k].label);
            page_words(f, hist_table[LATENCIES[i]].meaning);
            histogram_cells(h, f);
            fputs("</tr>\n", f);
        }
    page_table_end(f);
}

static void latency(const struct report_lines *l, FILE *f)
{
    static const struct report_stack s = { "Latency of a request by stage", "core cycles of a request, mean",
                                           REPORT_PER_REQUEST, STAT_END, STAGES, COUNT(STAGES) };
    page_heading(f, 2, "latency", "Latency of requests");
    page_paragraph(f, NULL, "Requests that left an L1, from their issue to their reply: in L1's miss queue, on the "
                   "way to L2, in the L2 slice, in DRAM (averaged over all requests, those that hit L2 "
                   "included), and back.");
    report_stack(l, &s, f);
    fputs("<details><summary>all latencies</summary>\n", f);
    latency_table(l, f);
    fputs("</details>\n", f);
}

/* ---- caches and DRAM ---- */

static const struct report_part L2_ACCESSES[] = {
    { "read hits", STAT_L2_READ_HITS, NO_HIST },     { "read misses", STAT_L2_READ_MISSES, NO_HIST },
    { "reads merged", STAT_L2_READ_MERGED, NO_HIST }, { "write hits", STAT_L2_WRITE_HITS, NO_HIST },
    { "write misses", STAT_L2_WRITE_MISSES, NO_HIST }, { "writes merged", STAT_L2_WRITE_MERGED, NO_HIST },
    { "atomic hits", STAT_L2_ATOMIC_HITS, NO_HIST }, { "atomic misses", STAT_L2_ATOMIC_MISSES, NO_HIST },
    { "atomics merged", STAT_L2_ATOMIC_MERGED, NO_HIST },
};
static const struct report_part ROWS[] = {
    { "row hits", STAT_DRAM_ROW_HITS, NO_HIST }, { "closed banks", STAT_DRAM_ROW_MISSES, NO_HIST },
    { "row conflicts", STAT_DRAM_ROW_CONFLICTS, NO_HIST },
};
static const enum stat MEMORY_FIGURES[] = {
    STAT_L1_GLOBAL_LOAD_HITS, STAT_L1_GLOBAL_LOAD_MISSES, STAT_L1_GLOBAL_LOAD_MERGED, STAT_L1_BYPASSED,
    STAT_L1_STORE_HITS, STAT_L1_STORE_MISSES, STAT_L1_ATOMICS, STAT_COALESCED_INSTS, STAT_COALESCED_LINES,
    STAT_SHARED_INSTS, STAT_SHARED_PASSES, STAT_REQUESTS, STAT_XBAR_REQUEST_USE, STAT_XBAR_REPLY_USE, STAT_L2_FILLS,
    STAT_L2_WRITEBACKS, STAT_DRAM_READS, STAT_DRAM_WRITES, STAT_DRAM_ACTS, STAT_DRAM_USE, STAT_DRAM_EFFICIENCY
};

static void memory(const struct report_lines *l, FILE *f)
{
    static const struct report_stack l2 = { "Accesses of L2", "% of accesses", REPORT_SHARES, STAT_REQUESTS,
                                            L2_ACCESSES, COUNT(L2_ACCESSES) };
    static const struct report_stack dram = { "Requests of DRAM by the state of the bank", "% of requests",
                                              REPORT_SHARES, STAT_DRAM_USE, ROWS, COUNT(ROWS) };
    page_heading(f, 2, "memory", "Caches and DRAM");
    if (report_stack(l, &l2, f))
        page_paragraph(f, NULL, "Accesses of L2; beside them, packets that SMs sent.");
    if (report_stack(l, &dram, f))
        page_paragraph(f, NULL, "Requests of DRAM by the state in which they found their bank; beside them, the share "
                       "of memory cycles with data on the bus.");
    report_table(l, MEMORY_FIGURES, COUNT(MEMORY_FIGURES), f);
}

/* ---- transactions ---- */

static const struct report_part REASONS[] = {
#define REASON(id, name, meaning) { name, STAT_TX_ABORT_##id, NO_HIST },
#include "tm/reasons.def"
};
static const struct report_part STATES[] = {
    { "no transaction", STAT_STATE_NL, NO_HIST },  { "useful", STAT_STATE_TU, NO_HIST },
    { "aborted", STAT_STATE_TA, NO_HIST },         { "committing", STAT_STATE_TO, NO_HIST },
    { "waiting for the warp", STAT_STATE_TW, NO_HIST }, { "concurrency control", STAT_STATE_TC, NO_HIST },
    { "atomics and locks", STAT_STATE_AT, NO_HIST }, { "barriers", STAT_STATE_BA, NO_HIST },
};
static const enum stat TX_FIGURES[] = {
    STAT_TX_COMMITS, STAT_TX_ABORTS,
#define REASON(id, name, meaning) STAT_TX_ABORT_##id,
#include "tm/reasons.def"
    STAT_TX_READ_WORDS, STAT_TX_WRITE_WORDS, STAT_TX_INSTRUCTIONS, STAT_TX_WASTED, STAT_TX_ATTEMPT_CYCLES,
    STAT_TX_COMMIT_CYCLES, STAT_TX_ABORTED_CYCLES, STAT_ORACLE_CHECKED, STAT_ORACLE_VIOLATIONS
};

static void transactions(const struct report_lines *l, FILE *f)
{
    static const struct report_stack reasons = { "Aborts by reason", "aborted attempts",
                                                 REPORT_VALUES, STAT_TX_COMMITS, REASONS, COUNT(REASONS) };
    static const struct report_stack states = { "Thread cycles by state", "% of the cycles of resident threads",
                                                REPORT_SHARES, STAT_STATE_THREADS, STATES, COUNT(STATES) };
    if (!report_any(l, STAT_TX_COMMITS) && !report_any(l, STAT_TX_ABORTS))
        return;
    page_heading(f, 2, "transactions", "Transactions");
    page_paragraph(f, NULL, "Aborted attempts by reason; beside them, commits. Then the cycles of resident threads by "
                   "state.");
    report_stack(l, &reasons, f);
    report_stack(l, &states, f);
    report_table(l, TX_FIGURES, COUNT(TX_FIGURES), f);
}

/* ---- energy ---- */

static const struct report_part ENERGY[] = {
    { "static", STAT_ENERGY_STATIC, NO_HIST }, { "instructions", STAT_ENERGY_INSTRUCTIONS, NO_HIST },
    { "register files", STAT_ENERGY_REGISTER_FILES, NO_HIST }, { "shared memory", STAT_ENERGY_SHARED, NO_HIST },
    { "L1", STAT_ENERGY_L1, NO_HIST }, { "L2", STAT_ENERGY_L2, NO_HIST }, { "crossbars", STAT_ENERGY_XBAR, NO_HIST },
    { "DRAM", STAT_ENERGY_DRAM, NO_HIST }, { "transactions", STAT_ENERGY_TM, NO_HIST },
    { "ordering", STAT_ENERGY_ORDER, NO_HIST },
};
static const enum stat ENERGY_FIGURES[] = {
    STAT_ENERGY_TOTAL, STAT_ENERGY_POWER, STAT_ENERGY_DELAY, STAT_ENERGY_STATIC, STAT_ENERGY_INSTRUCTIONS,
    STAT_ENERGY_REGISTER_FILES, STAT_ENERGY_SHARED, STAT_ENERGY_L1, STAT_ENERGY_L2, STAT_ENERGY_XBAR, STAT_ENERGY_DRAM,
    STAT_ENERGY_TM, STAT_ENERGY_ORDER
};

static void energy(const struct report_lines *l, FILE *f)
{
    static const struct report_stack s = { "Energy by part of the machine", "% of the energy", REPORT_SHARES,
                                           STAT_ENERGY_TOTAL, ENERGY, COUNT(ENERGY) };
    if (!report_any(l, STAT_ENERGY_TOTAL))
        return;
    page_heading(f, 2, "energy", "Energy");
    page_paragraph(f, NULL, "By part of the machine, from event counts and energy.* keys (docs/energy.md).");
    report_stack(l, &s, f);
    report_table(l, ENERGY_FIGURES, COUNT(ENERGY_FIGURES), f);
}

/* ---- functional mode ---- */

static const enum stat FUNCTIONAL_FIGURES[] = {
    STAT_LAUNCHES, STAT_BLOCKS, STAT_THREADS, STAT_WARP_INSTRUCTIONS, STAT_THREAD_INSTRUCTIONS, STAT_LANE_UTILISATION,
    STAT_BARRIERS, STAT_TRANSACTIONS
};

static void instructions(const struct report_lines *l, FILE *f)
{
    page_heading(f, 2, "instructions", "Instructions");
    report_table(l, FUNCTIONAL_FIGURES, COUNT(FUNCTIONAL_FIGURES), f);
}

/* ---- the page ---- */

/* Figures of a sampled launch are those of its simulated blocks. */
static void describe_sample(const struct stats_line *line, FILE *f)
{
    const struct stats_sample *s = &line->sample;
    char cycles[80];
    if (!s->launches)
        return;
    page_number_text(round(s->cycles), cycles, sizeof cycles);
    page_paragraph(f, "sampled", "Sampled: %s: %llu of %llu blocks were simulated in timing mode, and figures are "
                   "those of these blocks; all launches take about %s core cycles, \u00b1 %.1f %% (95 %% confidence).",
                   line->name, (unsigned long long)s->blocks, (unsigned long long)s->of, cycles,
                   100 * sqrt(s->variance) / s->cycles);
}

static void describe(const struct report_run *run, FILE *f)
{
    const json_t *config = json_object_get(run->root, "config");
    const char *gpu = json_string_value(json_object_get(config, "gpu.name"));
    const char *mode = json_string_value(json_object_get(run->root, "mode"));
    const char *version = json_string_value(json_object_get(run->root, "simtx"));
    page_paragraph(f, NULL, "%s: %s, %s mode, simtx %s (%s).", run->name, gpu ? gpu : "?", mode ? mode : "?",
                   version ? version : "?", run->path);
    for (size_t i = 0; i < run->table.n; i++)
        describe_sample(&run->table.line[i], f);
}

static void head(const struct report *r, const struct report_lines *l, FILE *f)
{
    enum { DESCRIBED = 4 };
    for (uint32_t i = 0; i < r->n && r->n <= DESCRIBED; i++)
        describe(&r->run[i], f);
    if (r->n > DESCRIBED)
        page_paragraph(f, NULL, "%u runs, %s first.", r->n, r->run[0].name);
    if (l->left_out)
        page_paragraph(f, "soft", r->n > 2 ? "Pictures show the first runs; %u more are in the table of runs."
                                           : "%u kernels with fewer cycles are in the total only.", l->left_out);
}

void report_page(const struct report *r, const char *title, FILE *f)
{
    struct report_lines l = report_lines_of(r);
    page_begin(f, title);
    head(r, &l, f);
    if (r->n > 1) {
        page_heading(f, 2, "runs", "Runs");
        report_runs(r, f);
    }
    if (r->n == 2)
        report_differences(r, f);
    if (report_any(&l, STAT_CYCLES)) {
        cycles(&l, f);
        latency(&l, f);
        report_time(r, f);
        memory(&l, f);
        report_roofline(&l, f);
        transactions(&l, f);
        energy(&l, f);
    }
    instructions(&l, f);
    page_end(f);
    report_lines_free(&l);
}
