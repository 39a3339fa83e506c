/*
 * `simtx paper`: repeats a paper's evaluation. A paper is a set of tables (paper_rows.def, paper_tables.c): benchmarks,
 * configurations, derived values, figures and claims. The grid has a run for each benchmark and configuration
 * (paper_grid.c, paper_command.c), or those that --only selects (paper_only.c); they are a batch
 * (frontend/sweep/batch.h), on this machine or on Slurm. Expressions (expr.c, paper_value.c) over the statistics of
 * runs (paper_stats.c) give figures (paper_chart.c, paper_svg.c), verdicts on claims (paper_claims.c,
 * paper_verdicts.c), and headlines in other readings of the paper (paper_readings.c); paper_report.c writes all files,
 * paper_html.c the page (frontend/page).
 *
 * This folder names no paper, benchmark or protocol.
 */
#ifndef FRONTEND_PAPER_H
#define FRONTEND_PAPER_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frontend/lib/simtx.h"
#include "frontend/paper/expr.h"
#include "frontend/sweep/batch.h"

/* ---- tables of a paper ---- */

/* Rows of paper_rows.def, which explains their fields. */
enum paper_size { PAPER_SIZE_NONE = 0, PAPER_SIZE_FULL = 1, PAPER_SIZE_QUICK = 2, PAPER_SIZE_BOTH = 3 };     /* bits */
enum { PAPER_MODE_FUNCTIONAL, PAPER_MODE_TIMING, PAPER_MODE_TIMELINE };
enum paper_chart_kind { PAPER_CHART_TABLE, PAPER_CHART_BARS, PAPER_CHART_STACK, PAPER_CHART_LINES, PAPER_CHART_CDF };
enum { PAPER_CHART_EACH, PAPER_CHART_MEAN };
enum { PAPER_CHART_LINEAR, PAPER_CHART_LOGARITHMIC };

struct paper_bench { const char *name, *program, *options, *quick; double seconds[2]; };     /* full size, --quick */

struct paper_config {
    const char *id, *label, *presets, *sets, *version, *benches;
    int sizes;
    int mode;                        /* PAPER_MODE_* */
    double factor;
};

struct paper_text { const char *name, *text; };      /* READING, LIST, DERIVED, VALUES */
struct paper_point { const char *bench, *expr; int sizes; double value; };

struct paper_figure {
    const char *id, *title, *unit, *benches, *bars, *parts;
    enum paper_chart_kind chart;
    bool mean, logarithmic;
};

/* How claims are judged: docs/claims.md. */
enum paper_claim_kind {
    PAPER_CLAIM_VALUE,               /* every benchmark of the list within the tolerance of the published value */
    PAPER_CLAIM_ARITHMETIC, PAPER_CLAIM_GEOMETRIC, PAPER_CLAIM_HARMONIC,     /* this mean over the list, likewise */
    PAPER_CLAIM_BELOW, PAPER_CLAIM_ABOVE,        /* every benchmark below, above the published value */
    PAPER_CLAIM_WITHIN,              /* every benchmark from the published value to the tolerance, which is a value */
    PAPER_CLAIM_TRUE,                /* the relation holds for every benchmark of the list */
    PAPER_CLAIM_NOT_APPLICABLE
};

static inline bool paper_claim_is_mean(enum paper_claim_kind k)
{
    return k >= PAPER_CLAIM_ARITHMETIC && k <= PAPER_CLAIM_HARMONIC;
}

/* Why a claim holds: a run measured it, or the configuration, the program or the model fixes it. */
enum paper_basis { PAPER_BASIS_RUN, PAPER_BASIS_CONFIG, PAPER_BASIS_NONE, PAPER_BASES };

/* tolerance of PAPER_CLAIM_TRUE: the one in its expression, 0 = none. */
struct paper_claim {
    const char *id, *wording, *benches, *expr;
    enum paper_claim_kind kind;
    double published, tolerance;
    int sizes;
    enum paper_basis basis;
    const char *because;
};

struct paper {
    const char *name, *title;
    const char *about;               /* a text before the table of claims */
    const char *headlines;           /* claims of the summary, by '+'; NULL = those about means */
    const char *sets;                /* keys of every run in timing mode */
    int seeds;                       /* 0: one run for each benchmark and configuration */
    const struct paper_bench *benches;
    const struct paper_config *configs;
    const struct paper_text *readings, *lists, *derived, *values;
    const struct paper_figure *figures;
    const struct paper_point *points;
    const struct paper_claim *claims;
    int nbenches, nconfigs, nreadings, nlists, nderived, nvalues, nfigures, npoints, nclaims;
};

/* The i-th paper; NULL after the last. */
const struct paper *paper_at(int i);
const struct paper *paper_find(const char *name);                    /* NULL */
int paper_bench_find(const struct paper *p, const char *name);       /* -1 */
int paper_config_find(const struct paper *p, const char *id);
const char *paper_text_find(const struct paper_text *rows, int n, const char *name);     /* NULL */
/* The i-th member of a list, a name or members, as benchmark or configuration; 0 at its end, -1 when it is none. */
int paper_member(const struct paper *p, const char *list, int i, int *bench, int *config);
bool paper_in_list(const struct paper *p, const char *list, int bench, int config);
/* The i-th "label = expression" of parts, a name or a text; false at the end. */
bool paper_part(const struct paper *p, const char *parts, int i, char label[80], char expr[300]);

/* ---- runs ---- */

struct paper_run {
    int bench, config;
    int seed;                        /* 0: that of the program */
    struct batch_run *process;       /* in the grid's batch; its name: "HT-H.kl", "LL1.ts.3" with seed 3 */
    json_t *stats;                   /* "total", "kernels", "config" of a finished run; paper_grid_load */
    struct batch_timeline *timeline; /* its marks; NULL: not finished, or without a timeline; paper_grid_load */
};

struct paper_grid {
    const struct paper *paper;
    enum paper_size size;
    const char *out, *programs;      /* folders */
    bool fresh;
    struct batch batch;              /* its runs are those of the grid, in their order */
    struct paper_run *runs;
    int nruns;
    simtx_config **resolved;         /* by configuration; NULL: not valid, with its config_errors */
    char **config_errors;
    uint64_t simulator, *program;    /* digests of libcudart and, by benchmark, of the program */
};

/* The grid's runs with commands and estimates; unless fresh, finished ones have their results of an earlier call. */
void paper_grid_new(struct paper_grid *g);
void paper_grid_free(struct paper_grid *g);
/* The first run of a benchmark and configuration, NULL: not in the grid. Those with other seeds follow it. */
struct paper_run *paper_grid_find(const struct paper_grid *g, int bench, int config);
/* How many runs each benchmark and configuration has. */
int paper_grid_repeats(const struct paper_grid *g);
/* Wants only the runs that the words select: figures, benchmarks or configurations; false: a word names none. */
bool paper_grid_only(struct paper_grid *g, char **words, int n);
void paper_grid_plan(const struct paper_grid *g, FILE *f);
/* Reads the statistics of the runs that are done. */
void paper_grid_load(struct paper_grid *g);

/* Arguments of a run's process, NULL at the end; *program: the position of the first one for the program itself. */
char **paper_command(const struct paper_grid *g, const struct paper_run *run, int *program);

/* ---- values ---- */

/* Where values come from (bits): keys, options and cost; programs' output and launches; statistics of runs. */
enum paper_source { PAPER_SOURCE_CONFIG = 1, PAPER_SOURCE_PROGRAM = 2, PAPER_SOURCE_RUN = 4 };

struct paper_values {
    const struct paper_grid *grid;
    const char *instead;             /* configurations in place of others, of a READING; NULL = none */
    bool want;                       /* marks the runs that expressions name as wanted */
    unsigned sources;                /* of what expressions have read so far */
    char missing[120];               /* the first value that was missing, and why */
    char relations[120];             /* of the last expression: its comparisons with their numbers */
};

/* An expression for a benchmark and configuration (-1: none). NaN with v->missing or, for wrong texts, *error. */
double paper_value(struct paper_values *v, const char *expr, int bench, int config, const char **error);
/* A statistic by name, the mean over the runs with different seeds, all finished; run: the first of them. NaN: one of
 * them has none. */
double paper_stat(const struct paper_grid *g, const struct paper_run *run, const char *name);
enum paper_source paper_stat_source(const char *name);

/* ---- figures ---- */

/* Values at paper_chart_at(bench, bar, part); published: NaN where nothing was published. */
struct paper_chart {
    const struct paper_figure *figure;
    int benches, bars, parts;        /* benches: with the mean */
    const char **bench, **bar;       /* labels; of bars, "" without a list of configurations */
    char (*part)[80];
    double *simulated, *published;
};

struct paper_chart *paper_chart_new(const struct paper_grid *g, const struct paper_figure *f);
void paper_chart_free(struct paper_chart *c);
void paper_chart_csv(const struct paper_chart *c, FILE *f);
void paper_chart_svg(const struct paper_chart *c, FILE *f);
void paper_chart_html(const struct paper_chart *c, FILE *f);   /* as a table */
static inline int paper_chart_at(const struct paper_chart *c, int bench, int bar, int part)
{
    return (bench * c->bars + bar) * c->parts + part;
}

/* ---- claims ---- */

/* A claim that holds is measured or by configuration, depending on its basis. It is not judged when a run that it reads
 * is missing, or the size of the grid does not allow it. */
enum paper_verdict {
    PAPER_VERDICT_MEASURED, PAPER_VERDICT_BY_CONFIGURATION, PAPER_VERDICT_NOT_REPRODUCED, PAPER_VERDICT_NOT_JUDGED,
    PAPER_VERDICT_NOT_APPLICABLE,
    PAPER_VERDICTS
};

struct paper_claim_result {
    const struct paper_claim *claim;
    enum paper_verdict verdict;
    char simulated[1000], published[40], tolerance[60], reason[2400];
    double deviation;                /* share of the published value; NaN = none */
    const char *worst;               /* the benchmark with this deviation; NULL = none, or all together */
};

struct paper_claim_result *paper_claims_judge(const struct paper_grid *g, int count[PAPER_VERDICTS]);
const char *paper_verdict_name(enum paper_verdict v);
const char *paper_basis_name(enum paper_basis b);
/* "3 measured, 2 by configuration, 1 not reproduced, 0 not judged, 0 not applicable of 6". */
void paper_claims_count_text(const int count[PAPER_VERDICTS], char *text, size_t size);
/* The mean that a claim is about, with other configurations (READING); NaN: it is about none, or a run is missing. */
double paper_claim_mean(const struct paper_grid *g, const struct paper_claim *c, const char *instead);
bool paper_claim_near(const struct paper_claim *c, double value);    /* within the tolerance of the published value? */
/* Is the claim in the summary? */
bool paper_claim_is_headline(const struct paper *p, const struct paper_claim *c);
void paper_claims_csv(const struct paper_claim_result *r, int n, FILE *f);

/* ---- readings ---- */

/* Headlines that are means, in each reading of the paper: lines on stdout, a file, a table of the page. */
void paper_readings_print(const struct paper_grid *g);
void paper_readings_csv(const struct paper_grid *g, FILE *f);
void paper_readings_html(const struct paper_grid *g, FILE *f);

/* ---- report ---- */

/* CSV, SVG and HTML files in the grid's folder, a summary on stdout; false when a file could not be written. */
bool paper_report(const struct paper_grid *g);
void paper_page(const struct paper_grid *g, struct paper_chart **charts, const struct paper_claim_result *claims,
                const int count[PAPER_VERDICTS], FILE *f);

#endif
