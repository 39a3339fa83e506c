/*
 * A preset beside hardware counters of kernels that were not used to choose its values: the cases of
 * regress/correlation on the preset MACHINE, and what a profiler counted on the chip (DIR/MACHINE-correlation.tsv).
 * Writes two tables, cycles and counters, and the mean error of the cycles; the document must show what was simulated.
 * Cycles are those in which the SM that is busy longest has a block, on both sides.
 * Usage: counters DOCUMENT CASES COUNTERS [--write]
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "regress/correlation/cases.h"
#include "regress/machines/document.h"
#include "regress/micro/harness.h"

enum { SECTOR = 32 };

/* Columns of the file of counters, after the case. */
enum counter {
    ELAPSED, ACTIVE, WARP_INSTS, THREAD_INSTS, L1_LOADS, L1_HITS, L1_STORES, L2_READS, L2_READ_HITS, L2_WRITES,
    DRAM_READ, DRAM_WRITTEN, CONFLICTS, COUNTERS
};

/* The machine code of the chip is not in the order of the PTX: each case runs in the order of the preset and in that of
 * the PTX. */
enum order { PRESET, IN_TEXT, ORDERS };

struct row {
    const struct correlation_case *c;
    double chip[COUNTERS];
    double cycles[ORDERS];
    json_t *stats;                   /* of the simulated launch, with the preset */
};

static const char begin[] = "<!-- kernels; `make " MACHINE "-doc` writes this part -->\n";
static const char end[] = "<!-- end of kernels -->\n";

static void die(const char *what)
{
    fprintf(stderr, MACHINE "-counters: %s\n", what);
    exit(1);
}

/* ---- the chip ---- */

static bool read_row(struct row *r, const char *line)
{
    size_t name = strlen(r->c->name);
    if (strncmp(line, r->c->name, name) || line[name] != '\t')
        return false;
    char *at = (char *)line + name;
    for (int i = 0; i < COUNTERS; i++)
        r->chip[i] = strtod(at, &at);
    return *at == '\n' || !*at;
}

static void read_chip(struct row *r, const char *text)
{
    const char *line = text;
    while (line && !read_row(r, line)) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (!line)
        die("the file of counters has no complete row of a case");
}

/* ---- simtx ---- */

static void keep_stats(simtx_gpu *g, void *row)
{
    char *text = simtx_stats_json(g);
    ((struct row *)row)->stats = json_loads(text, 0, NULL);
    free(text);
}

static double stat(const struct row *r, const char *name)
{
    return figure_of(r->stats, name);
}

static void run(struct row *r, const char *dir)
{
    static const char *const preset[] = { NULL }, *const text[] = { "gpu.instruction_order=text", NULL };
    struct row other = { 0 };
    case_run_on(r->c, dir, "+" MACHINE, preset, keep_stats, r);
    case_run_on(r->c, dir, "+" MACHINE, text, keep_stats, &other);
    r->cycles[PRESET] = stat(r, "longest_sm_cycles");
    r->cycles[IN_TEXT] = stat(&other, "longest_sm_cycles");
    json_decref(other.stats);
}

/* ---- the tables ---- */

static double error(const struct row *r, enum order o)
{
    return r->cycles[o] / r->chip[ACTIVE] - 1;
}

static void add_cycles(FILE *t, const struct row *row, uint32_t n)
{
    fprintf(t, "| case | | elapsed (GPC) | active (SM) | simtx | error | order of the PTX | error |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (const struct row *r = row; r < row + n; r++)
        fprintf(t, "| %s | %s | %.0f | %.0f | %.0f | %+.0f %% | %.0f | %+.0f %% |\n", r->c->name, r->c->character,
            r->chip[ELAPSED], r->chip[ACTIVE], r->cycles[PRESET], 100 * error(r, PRESET), r->cycles[IN_TEXT],
            100 * error(r, IN_TEXT));
}

/* Pearson's coefficient of the cycles, or of their logarithms. */
static double correlation(const struct row *row, uint32_t n, enum order o, bool logs)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (const struct row *r = row; r < row + n; r++) {
        double a = logs ? log(r->chip[ACTIVE]) : r->chip[ACTIVE], b = logs ? log(r->cycles[o]) : r->cycles[o];
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

static void add_summary(FILE *t, const struct row *row, uint32_t n, enum order o)
{
    static const char *const name[] = { [PRESET] = "The preset", [IN_TEXT] = "In the order of the PTX" };
    double sum = 0, logs = 0;
    uint32_t near = 0;
    for (const struct row *r = row; r < row + n; r++) {
        sum += fabs(error(r, o));
        logs += log(r->cycles[o] / r->chip[ACTIVE]);
        near += fabs(error(r, o)) <= 0.2;
    }
    fprintf(t, "\n%s: mean absolute error %.1f %%, geometric mean of the ratios %.2f, correlation of the cycles %.3f "
           "and of their logarithms %.3f; %u of %u within 20 %%.\n",
        name[o], 100 * sum / n, exp(logs / n), correlation(row, n, o, false), correlation(row, n, o, true), near, n);
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static double l1_hits(const struct row *r)
{
    double hits = stat(r, "l1.global_load.hits");
    return percent(hits, hits + stat(r, "l1.global_load.misses") + stat(r, "l1.global_load.merged"));
}

static void add_counters(FILE *t, const struct row *row, uint32_t n)
{
    fprintf(t, "\n| case | warp instructions | simtx | L1 hits, %% | simtx | L2 sectors read | simtx | written | simtx "
           "| DRAM bytes read | simtx | conflicts | simtx |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const struct row *r = row; r < row + n; r++)
        fprintf(t, "| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
            r->c->name, r->chip[WARP_INSTS], stat(r, "warp_instructions"), percent(r->chip[L1_HITS], r->chip[L1_LOADS]),
            l1_hits(r), r->chip[L2_READS], stat(r, "l2.sectors_read"), r->chip[L2_WRITES],
            stat(r, "l2.sectors_written"), r->chip[DRAM_READ], SECTOR * stat(r, "dram.reads"), r->chip[CONFLICTS],
            stat(r, "shared.passes") - stat(r, "shared.instructions"));
}

int main(int argc, char **argv)
{
    static struct correlation_case cases[CASES_MAX];
    static struct row row[CASES_MAX];
    char *text = NULL;
    size_t length = 0;
    FILE *t = open_memstream(&text, &length);
    if (argc < 4)
        return 2;
    char *counters = file_read(argv[3], NULL);
    if (!counters)
        die("there is no file of counters");
    uint32_t n = cases_read(argv[2], cases);
    for (uint32_t i = 0; i < n; i++) {
        row[i].c = &cases[i];
        read_chip(&row[i], counters);
        run(&row[i], argv[2]);
    }
    add_cycles(t, row, n);
    add_summary(t, row, n, PRESET);
    add_summary(t, row, n, IN_TEXT);
    add_counters(t, row, n);
    fclose(t);
    for (uint32_t i = 0; i < n; i++)
        json_decref(row[i].stats);
    bool same = document_has(argv[1], begin, end, text, argc > 4 && !strcmp(argv[4], "--write"));
    if (!same)
        printf("FAILED  %s does not have the simulated kernels: make " MACHINE "-doc\n", argv[1]);
    free(text);
    free(counters);
    printf(MACHINE "-counters: %d passed, %d failed\n", same, !same);
    return same ? 0 : 1;
}
