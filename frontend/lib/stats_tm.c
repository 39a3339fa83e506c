/* The table of transactions: by kernel what they were like, and of all of them where threads, messages and commit units
 * spent their time. */
#include <string.h>

#include "frontend/lib/stats_text.h"

static double mean(const struct hist *h)
{
    return h->n ? (double)h->sum / (double)h->n : 0;
}

static uint64_t count(const struct stats_line *l, enum stat s)
{
    return l->row.v[s].count;
}

/* ---- by kernel ---- */

/* The average, and what is most. */
static void print_spread(FILE *f, const struct stats_line *l, enum hist_id id)
{
    char text[40];
    const struct hist *h = &l->hists.h[id];
    snprintf(text, sizeof text, "%.1f/%llu", mean(h), (unsigned long long)h->max);
    fprintf(f, "%16s", text);
}

static void print_kernel(FILE *f, const struct stats_line *l)
{
    uint64_t commits = count(l, STAT_TX_COMMITS), aborts = count(l, STAT_TX_ABORTS);
    fprintf(f, "%-28.28s", l->name);
    print_grouped(f, 13, commits);
    print_grouped(f, 13, aborts);
    if (commits)
        fprintf(f, "%15.3f", (double)aborts / (double)commits);
    else
        fprintf(f, "%15s", "-");
    print_spread(f, l, HIST_TX_READ_SET);
    print_spread(f, l, HIST_TX_WRITE_SET);
    print_spread(f, l, HIST_TX_LENGTH);
    fprintf(f, "%14.0f%14.0f\n", mean(&l->hists.h[HIST_TX_DURATION]), mean(&l->hists.h[HIST_TX_COMMIT_TIME]));
}

/* ---- of all ---- */

/* Figures that are not 0, as shares of their sum; skip: of their names. Nothing when all are. */
static void print_parts(FILE *f, const struct stats_line *l, const char *title, const enum stat *parts, size_t n,
                        size_t skip)
{
    const char *before = title;
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += (double)count(l, parts[i]);
    for (size_t i = 0; i < n; i++)
        if (count(l, parts[i])) {
            fprintf(f, "%s %s %.1f %%", before, stat_table[parts[i]].name + skip,
                    100 * (double)count(l, parts[i]) / all);
            before = ",";
        }
    if (all)
        fputc('\n', f);
}

static void print_aborts(FILE *f, const struct stats_line *l)
{
    static const enum stat reasons[] = {
#define REASON(id, name, meaning) STAT_TX_ABORT_##id,
#include "tm/reasons.def"
    };
    print_parts(f, l, "aborts:", reasons, sizeof reasons / sizeof *reasons, strlen("tm.abort."));
}

static void print_states(FILE *f, const struct stats_line *l)
{
    static const enum stat states[] = { STAT_STATE_TC, STAT_STATE_TO, STAT_STATE_TW, STAT_STATE_TA, STAT_STATE_TU,
                                        STAT_STATE_AT, STAT_STATE_BA, STAT_STATE_NL };
    print_parts(f, l, "thread cycles:", states, sizeof states / sizeof *states, strlen("tm.state."));
}

static void print_messages(FILE *f, const struct stats_line *l)
{
    uint64_t packets = 0, bytes = 0;
    char name[40];
    for (int s = STAT_MSG_READ_SET; s <= STAT_MSG_RESEND; s += 2) {
        packets += l->row.v[s].count;
        bytes += l->row.v[s + 1].count;
    }
    if (!packets)
        return;
    fprintf(f, "%-28s%13s%15s%10s\n", "messages", "packets", "bytes", "share");
    for (int s = STAT_MSG_READ_SET; s <= STAT_MSG_RESEND; s += 2) {
        const char *from = stat_table[s].name + strlen("tm.messages.");
        if (!l->row.v[s].count)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, "."), from);
        fprintf(f, "  %-26s", name);
        print_grouped(f, 13, l->row.v[s].count);
        print_grouped(f, 15, l->row.v[s + 1].count);
        print_share(f, (double)l->row.v[s + 1].count, (double)bytes);
        fputc('\n', f);
    }
    fprintf(f, "  %-26s", "all");
    print_grouped(f, 13, packets);
    print_grouped(f, 15, bytes);
    fputc('\n', f);
}

static void print_validation(FILE *f, const struct stats_line *l)
{
    uint64_t all = count(l, STAT_CU_VALIDATIONS);
    fprintf(f, "  words validated ");
    print_grouped(f, 0, all);
    fprintf(f, ": in L2");
    print_share(f, (double)count(l, STAT_CU_VALIDATION_HITS), (double)all);
    fprintf(f, ", under way");
    print_share(f, (double)count(l, STAT_CU_VALIDATION_PENDING), (double)all);
    fprintf(f, ", from DRAM");
    print_share(f, (double)count(l, STAT_CU_VALIDATION_MISSES), (double)all);
    fprintf(f, "; written ");
    print_grouped(f, 0, count(l, STAT_CU_WRITES));
    fprintf(f, ": in L2");
    print_share(f, (double)count(l, STAT_CU_WRITE_HITS), (double)count(l, STAT_CU_WRITES));
    fputc('\n', f);
}

static void print_units(FILE *f, const struct stats_line *l)
{
    const struct hist *entries = &l->hists.h[HIST_CU_ENTRIES];
    uint64_t again = count(l, STAT_CU_REVALIDATIONS);
    if (!count(l, STAT_CU_ENTRIES))
        return;
    fprintf(f, "commit units: %.1f entries in the ring of one that has any, at most %llu\n", mean(entries),
            (unsigned long long)entries->max);
    print_validation(f, l);
    fprintf(f, "  hazards %llu, of these false %llu; validated again %llu",
            (unsigned long long)count(l, STAT_CU_HAZARDS), (unsigned long long)count(l, STAT_CU_FALSE_HAZARDS),
            (unsigned long long)again);
    if (again)
        fprintf(f, ", after %.0f unit cycles", (double)count(l, STAT_CU_REVALIDATION_WAIT) / (double)again);
    fputc('\n', f);
}

/* Shared memory: what accesses met at the banks, how the warps ran, where their cycles went. */
static void print_banks(FILE *f, const struct stats_line *l)
{
    static const enum stat outcomes[] = { STAT_LOCALTM_NEW, STAT_LOCALTM_AGAIN, STAT_LOCALTM_ALIAS, STAT_LOCALTM_READS,
                                          STAT_LOCALTM_CONFLICTS };
    static const enum stat costs[] = { STAT_LOCALTM_BEGIN_CYCLES, STAT_LOCALTM_COMMIT_CYCLES, STAT_LOCALTM_BLOOM_CYCLES,
                                       STAT_LOCALTM_SHADOW_CYCLES, STAT_LOCALTM_RESTORE_CYCLES,
                                       STAT_LOCALTM_BROADCAST_CYCLES };
    uint64_t all = count(l, STAT_WARP_CYCLES), memory = count(l, STAT_WARP_MEMORY);
    uint64_t inside = count(l, STAT_WARP_TX), ends = count(l, STAT_WARP_BEGIN_COMMIT);
    if (!count(l, STAT_LOCALTM_RUNS))
        return;
    print_parts(f, l, "words at the banks:", outcomes, sizeof outcomes / sizeof *outcomes, strlen("localtm."));
    fprintf(f, "  conflicts that are false");
    print_share(f, (double)count(l, STAT_LOCALTM_FALSE), (double)count(l, STAT_LOCALTM_CONFLICTS));
    fprintf(f, "\nruns of warps from tx_begin to tx_commit: ");
    print_grouped(f, 0, count(l, STAT_LOCALTM_RUNS));
    fprintf(f, ", with one lane ");
    print_grouped(f, 0, count(l, STAT_LOCALTM_SERIAL));
    fprintf(f, ", alone in the block ");
    print_grouped(f, 0, count(l, STAT_LOCALTM_GROUP));
    fprintf(f, "\nwarp cycles: outside transactions");
    print_share(f, (double)(all - inside - memory - ends), (double)all);
    fprintf(f, ", inside");
    print_share(f, (double)inside, (double)all);
    fprintf(f, ", of these stalled");
    print_share(f, (double)count(l, STAT_WARP_STALLED), (double)inside);
    fprintf(f, "; banks");
    print_share(f, (double)memory, (double)all);
    fprintf(f, "; tx_begin and tx_commit");
    print_share(f, (double)ends, (double)all);
    fputc('\n', f);
    print_parts(f, l, "cycles of the protocol:", costs, sizeof costs / sizeof *costs, strlen("localtm.cycles."));
}

static void print_oracle(FILE *f, const struct stats_line *l)
{
    if (!count(l, STAT_ORACLE_CHECKED))
        return;
    fprintf(f, "oracle: ");
    print_grouped(f, 0, count(l, STAT_ORACLE_CHECKED));
    fprintf(f, " transactions checked, ");
    print_grouped(f, 0, count(l, STAT_ORACLE_READS));
    fprintf(f, " reads, ");
    print_grouped(f, 0, count(l, STAT_ORACLE_WORDS));
    fprintf(f, " words of memory");
    if (count(l, STAT_ORACLE_WEAK))
        fprintf(f, "; %llu mismatches where plain stores or atomics come between (weak isolation)",
                (unsigned long long)count(l, STAT_ORACLE_WEAK));
    fputc('\n', f);
}

void print_transactions(FILE *f, const struct stats_line *lines, size_t n)
{
    const struct stats_line *total = &lines[n - 1];
    if (!count(total, STAT_TX_COMMITS) && !count(total, STAT_TX_ABORTS))
        return;
    fprintf(f, "\n%-28s%13s%13s%15s%16s%16s%16s%14s%14s\n", "transactions", "commits", "aborts", "aborts/commit",
            "read set", "write set", "instructions", "core cycles", "of a commit");
    for (size_t i = 0; i < n; i++)
        if (count(&lines[i], STAT_TX_COMMITS) || count(&lines[i], STAT_TX_ABORTS))
            print_kernel(f, &lines[i]);
    print_aborts(f, total);
    print_states(f, total);
    print_messages(f, total);
    print_units(f, total);
    print_banks(f, total);
    print_oracle(f, total);
}
