/* Prints statistics as a table. */
#include "frontend/lib/stats_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/cache_stats.h"
#include "timing/core/sm.h"

void stats_print_grouped(FILE *f, int width, uint64_t n)
{
    char digits[32], out[48];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[k++] = ' ';
        out[k++] = digits[i];
    }
    out[k] = 0;
    fprintf(f, "%*s", width, out);
}

static void print_row(FILE *f, const struct stats_line *l, unsigned warp_size)
{
    const uint64_t *n = l->counters->count;
    fprintf(f, "%-28.28s", l->name);
    stats_print_grouped(f, 9, n[STAT_LAUNCHES]);
    stats_print_grouped(f, 13, n[STAT_BLOCKS]);
    stats_print_grouped(f, 15, n[STAT_THREADS]);
    stats_print_grouped(f, 20, n[STAT_THREAD_INSTRUCTIONS]);
    fprintf(f, "%8.1f %%%12.3f%12.1f\n", 100 * stats_value(n, STAT_LANE_UTILISATION, warp_size),
            stats_value(n, STAT_SECONDS, warp_size), stats_value(n, STAT_THREAD_INST_PER_S, warp_size) / 1e6);
}

/* ---- timing mode: where the cycles went ---- */

void stats_print_share(FILE *f, double part, double all)
{
    if (all > 0)
        fprintf(f, "%8.1f %%", 100 * part / all);
    else
        fprintf(f, "%10s", "-");
}

/* The hit rate over several caches. */
static void print_hits(FILE *f, const uint64_t *count, const enum cache_stats_id *caches, int n)
{
    uint64_t hit = 0, all = 0;
    for (int i = 0; i < n; i++) {
        const struct cache_stats *c = &cache_stats[caches[i]];
        hit += count[c->hits];
        all += count[c->hits] + count[c->misses] + count[c->merged];
    }
    stats_print_share(f, (double)hit, (double)all);
}

/* The most frequent stall reasons with their share of all scheduler cycles. */
static void print_stalls(FILE *f, const uint64_t *count)
{
    enum { TOP = 3 };
    uint64_t before = UINT64_MAX, slots = count[STAT_ISSUE_SLOTS];
    int last = -1;
    for (int k = 0; k < TOP; k++) {
        int best = -1;
        for (int i = 0; i < SM_STALLS; i++) {
            uint64_t n = count[sm_stall_table[i].stat];
            bool later = n < before || (n == before && i > last);
            if (later && n && (best < 0 || n > count[sm_stall_table[best].stat]))
                best = i;
        }
        if (best < 0)
            return;
        before = count[sm_stall_table[best].stat];
        last = best;
        fprintf(f, "%s%s %.0f %%", k ? ", " : "  ", sm_stall_table[best].name, 100 * (double)before / (double)slots);
    }
}

static void print_timed_row(FILE *f, const struct stats_line *l, unsigned warp_size)
{
    static const enum cache_stats_id l1[] = { CACHE_STATS_L1_GLOBAL_LOAD, CACHE_STATS_L1_LOCAL_LOAD,
                                                CACHE_STATS_L1_LOCAL_STORE };
    static const enum cache_stats_id l2[] = { CACHE_STATS_L2_READ, CACHE_STATS_L2_WRITE, CACHE_STATS_L2_ATOMIC };
    const uint64_t *n = l->counters->count;
    fprintf(f, "%-28.28s", l->name);
    stats_print_grouped(f, 15, n[STAT_CYCLES]);
    fprintf(f, "%10.2f%9.1f %%", stats_value(n, STAT_IPC, warp_size), 100 * stats_value(n, STAT_OCCUPANCY, warp_size));
    print_hits(f, n, l1, 3);
    print_hits(f, n, l2, 3);
    stats_print_share(f, stats_value(n, STAT_DRAM_USE, warp_size), 1);
    print_stalls(f, n);
    fputc('\n', f);
}

/* part / all, or "-" when all is 0. */
static void print_mean(FILE *f, uint64_t part, uint64_t all)
{
    if (all)
        fprintf(f, "%12.2f", (double)part / (double)all);
    else
        fprintf(f, "%12s", "-");
}

/* How many lines a warp's access to global or local memory has (coalescing), and how many passes over the banks one to
 * shared memory takes (bank conflicts). */
static void print_accesses(FILE *f, const struct stats_line *lines, size_t n)
{
    fprintf(f, "\n%-28s%22s%12s%18s%12s\n", "accesses of warps", "global and local", "lines each", "shared",
            "passes each");
    for (size_t i = 0; i < n; i++) {
        const uint64_t *c = lines[i].counters->count;
        if (!lines[i].timed)
            continue;
        fprintf(f, "%-28.28s", lines[i].name);
        stats_print_grouped(f, 22, c[STAT_COALESCED_INSTS]);
        print_mean(f, c[STAT_COALESCED_LINES], c[STAT_COALESCED_INSTS]);
        stats_print_grouped(f, 18, c[STAT_SHARED_INSTS]);
        print_mean(f, c[STAT_SHARED_PASSES], c[STAT_SHARED_INSTS]);
        fputc('\n', f);
    }
}

/* Where requests of SMs to L2 found their translations, and how long those that missed in the SM's TLB waited. */
static void print_translations(FILE *f, const struct stats_line *lines, size_t n)
{
    const uint64_t *total = lines[n - 1].counters->count;
    if (!total[STAT_TLB_L1_HITS] && !total[STAT_TLB_L1_MISSES])
        return;
    fprintf(f, "\n%-28s%22s%10s%15s%18s%12s\n", "address translation", "requests", "TLB hits", "shared TLB",
            "page walks", "cycles each");
    for (size_t i = 0; i < n; i++) {
        const uint64_t *c = lines[i].counters->count;
        uint64_t waited = c[STAT_TLB_L1_MISSES] + c[STAT_TLB_L1_MERGED], hits = c[STAT_TLB_L1_HITS];
        if (!lines[i].timed)
            continue;
        fprintf(f, "%-28.28s", lines[i].name);
        stats_print_grouped(f, 22, hits + waited);
        stats_print_share(f, (double)hits, (double)(hits + waited));
        stats_print_grouped(f, 15, c[STAT_TLB_L2_HITS]);
        stats_print_grouped(f, 18, c[STAT_TLB_L2_MISSES]);
        print_mean(f, c[STAT_TLB_L1_WAITED], waited);
        fputc('\n', f);
    }
}

/* The average latency of a load, and how the latency of requests to L2 is composed. */
static void print_latency(FILE *f, const struct hists *hists)
{
    static const struct { enum hist_id h; const char *name; } segments[] = {
        { HIST_REQUEST_L1, "L1" }, { HIST_REQUEST_XBAR, "crossbar" }, { HIST_REQUEST_L2, "L2" },
        { HIST_REQUEST_DRAM, "DRAM" }, { HIST_REQUEST_REPLY, "reply" },
    };
    const struct hist *loads = &hists->h[HIST_LOAD_LATENCY];
    double n = (double)hists->h[HIST_REQUEST_L1].n, sum = 0;
    if (loads->n)
        fprintf(f, "core cycles of a global load: %.0f\n", (double)loads->sum / (double)loads->n);
    if (!n)
        return;
    fprintf(f, "of a request to L2:");
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        double part = (double)hists->h[segments[i].h].sum / n;
        fprintf(f, "%s %.0f %s", i ? " +" : "", part, segments[i].name);
        sum += part;
    }
    fprintf(f, " = %.0f\n", sum);
}

/* The kernels of which only some blocks were simulated. */
static void print_samples(FILE *f, const struct stats_line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct stats_sample *s = &lines[i].sample;
        if (!s->launches)
            continue;
        fprintf(f, "sampled: %s: %llu of %llu blocks; all launches take about", lines[i].name,
                (unsigned long long)s->blocks, (unsigned long long)s->of);
        fputc(' ', f);
        stats_print_grouped(f, 0, (uint64_t)(s->cycles + 0.5));
        fprintf(f, " core cycles, +- %.1f %% (95 %% confidence)\n", 100 * sqrt(s->variance) / s->cycles);
    }
}

static void print_timed(FILE *f, const struct stats_line *lines, size_t n, unsigned warp_size)
{
    fprintf(f, "\n%-28s%15s%10s%11s%10s%10s%10s  %s\n", "timing mode", "core cycles", "IPC", "occupancy", "L1 hits",
            "L2 hits", "DRAM use", "most scheduler cycles lost to");
    for (size_t i = 0; i < n; i++)
        if (lines[i].timed)
            print_timed_row(f, &lines[i], warp_size);
    print_accesses(f, lines, n);
    print_translations(f, lines, n);
    print_latency(f, &lines[n - 1].counters->hists);
    stats_print_energy(f, lines, n);
    stats_print_transactions(f, lines, n);
    print_samples(f, lines, n);
}

char *stats_text(const struct stats_line *lines, size_t n, unsigned warp_size, const char *hash)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return NULL;
    fprintf(f, "%-28s%9s%13s%15s%20s%10s%12s%12s\n", "kernel", "launches", "blocks", "threads",
            "thread instructions", "lanes", "seconds", "M inst/s");
    for (size_t i = 0; i < n; i++)
        print_row(f, &lines[i], warp_size);
    if (lines[n - 1].timed)
        print_timed(f, lines, n, warp_size);
    if (hash)
        fprintf(f, "memory_hash %s\n", hash);
    fclose(f);
    return text;
}
