/* Statistics as a table for people. */
#include "frontend/lib/stats_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_grouped(FILE *f, int width, uint64_t n)
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

static void print_row(FILE *f, const char *name, const struct stats_row *s)
{
    fprintf(f, "%-28.28s", name);
    print_grouped(f, 9, s->v[STAT_LAUNCHES].count);
    print_grouped(f, 13, s->v[STAT_BLOCKS].count);
    print_grouped(f, 15, s->v[STAT_THREADS].count);
    print_grouped(f, 20, s->v[STAT_THREAD_INSTRUCTIONS].count);
    fprintf(f, "%8.1f %%%12.3f%12.1f\n", 100 * s->v[STAT_LANE_UTILISATION].real, s->v[STAT_SECONDS].real,
            s->v[STAT_THREAD_INST_PER_S].real / 1e6);
}

/* ---- timing mode: where the cycles went ---- */

void print_share(FILE *f, double part, double all)
{
    if (all > 0)
        fprintf(f, "%8.1f %%", 100 * part / all);
    else
        fprintf(f, "%10s", "-");
}

/* Share of the accesses that found what they wanted. */
static void print_hits(FILE *f, const struct stats_row *s, const enum stat *hits, int n)
{
    uint64_t hit = 0, all = 0;
    for (int i = 0; i < n; i++) {            /* hits, misses, merged: rows of one cache stand together */
        hit += s->v[hits[i]].count;
        all += s->v[hits[i]].count + s->v[hits[i] + 1].count + s->v[hits[i] + 2].count;
    }
    print_share(f, (double)hit, (double)all);
}

/* The reasons that cost most, with their share of all scheduler cycles. */
static void print_stalls(FILE *f, const struct stats_row *s)
{
    enum { FIRST = STAT_STALL_ISSUE_WIDTH, LAST = STAT_STALL_NO_WARP, TOP = 3 };
    uint64_t before = UINT64_MAX, slots = s->v[STAT_ISSUE_SLOTS].count;
    int last = -1;
    for (int k = 0; k < TOP; k++) {
        int best = -1;
        for (int i = FIRST; i <= LAST; i++) {
            uint64_t n = s->v[i].count;
            bool later = n < before || (n == before && i > last);
            if (later && n && (best < 0 || n > s->v[best].count))
                best = i;
        }
        if (best < 0)
            return;
        before = s->v[best].count;
        last = best;
        fprintf(f, "%s%s %.0f %%", k ? ", " : "  ", stat_table[best].name + strlen("stall."),
                100 * (double)before / (double)slots);
    }
}

static void print_timed_row(FILE *f, const char *name, const struct stats_row *s)
{
    static const enum stat l1[] = { STAT_L1_GLOBAL_LOAD_HITS, STAT_L1_LOCAL_LOAD_HITS, STAT_L1_LOCAL_STORE_HITS };
    static const enum stat l2[] = { STAT_L2_READ_HITS, STAT_L2_WRITE_HITS, STAT_L2_ATOMIC_HITS };
    fprintf(f, "%-28.28s", name);
    print_grouped(f, 15, s->v[STAT_CYCLES].count);
    fprintf(f, "%10.2f%9.1f %%", s->v[STAT_IPC].real, 100 * s->v[STAT_OCCUPANCY].real);
    print_hits(f, s, l1, 3);
    print_hits(f, s, l2, 3);
    print_share(f, s->v[STAT_DRAM_USE].real, 1);
    print_stalls(f, s);
    fputc('\n', f);
}

/* What a load takes on average, and where the requests that L1 does not serve spend their time. */
static void print_latency(FILE *f, const struct hists *hists)
{
    static const struct { enum hist_id h; const char *name; } stages[] = {
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
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        double part = (double)hists->h[stages[i].h].sum / n;
        fprintf(f, "%s %.0f %s", i ? " +" : "", part, stages[i].name);
        sum += part;
    }
    fprintf(f, " = %.0f\n", sum);
}

static void print_timed(FILE *f, const struct stats_line *lines, size_t n)
{
    fprintf(f, "\n%-28s%15s%10s%11s%10s%10s%10s  %s\n", "timing mode", "core cycles", "IPC", "occupancy", "L1 hits",
            "L2 hits", "DRAM use", "most scheduler cycles lost to");
    for (size_t i = 0; i < n; i++)
        if (lines[i].timed)
            print_timed_row(f, lines[i].name, &lines[i].row);
    print_latency(f, &lines[n - 1].hists);
    print_transactions(f, lines, n);
}

char *stats_text(const struct stats_line *lines, size_t n, const char *hash)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return NULL;
    fprintf(f, "%-28s%9s%13s%15s%20s%10s%12s%12s\n", "kernel", "launches", "blocks", "threads",
            "thread instructions", "lanes", "seconds", "M inst/s");
    for (size_t i = 0; i < n; i++)
        print_row(f, lines[i].name, &lines[i].row);
    if (lines[n - 1].timed)
        print_timed(f, lines, n);
    if (hash)
        fprintf(f, "memory_hash %s\n", hash);
    fclose(f);
    return text;
}
