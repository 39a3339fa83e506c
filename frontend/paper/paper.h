/*
 * `simtx paper`: a paper's evaluation done again. A paper is a set of tables: benchmarks, configurations, derived
 * figures, pictures and claims. The grid of benchmarks and configurations (paper_grid.c) is run by child processes
 * (paper_run.c). Their statistics are the values (paper_value.c) from which pictures and tables (paper_figure.c,
 * paper_svg.c) and the verdicts on claims (paper_claims.c) are made; paper_html.c puts all on one page.
 */
#ifndef FRONTEND_PAPER_H
#define FRONTEND_PAPER_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frontend/paper/expr.h"
#include "frontend/lib/simtx.h"

/* ---- tables of a paper ---- */

enum paper_size { SIZE_PAPER = 1, SIZE_QUICK = 2, SIZE_BOTH = 3 };

/* A program, its options without version and size, its size with --quick. seconds: a guess of a run whose configuration
 * has the factor 1: [0] at the paper's size, [1] quick. */
struct paper_bench { const char *name, *program, *options, *quick; double seconds[2]; };

/*
 * What the benchmarks run on. benches: a list (expr.h's), NULL = "all". version: the program's way to do critical
 * sections. sizes: at which a run is part of the grid. factor: its time by that of the others.
 */
struct paper_config {
    const char *id, *label, *presets, *sets, *version, *benches;
    int sizes;
    bool timing;
    double factor;
};

struct paper_named { const char *name, *text; };     /* a derived figure, or a list of benchmarks or configurations */

/* A value to stand beside a figure's cell although no claim is about it. */
struct paper_point { const char *bench, *expr; int sizes; double value; };

enum chart { CHART_TABLE, CHART_BARS, CHART_STACK, CHART_LINES, CHART_CDF };     /* CDF: its part is a histogram */

/*
 * A picture or table. bars: list of configurations, NULL = the expressions name theirs. parts: "label = primary; ..."
 * in the language of expr.h; a bar of CHART_STACK has several. benches: list. mean: a group with the arithmetic mean.
 */
struct paper_figure {
    const char *id, *title, *unit, *benches, *bars, *parts;
    enum chart chart;
    bool mean, logarithmic;
};

/* How claims are judged: docs/claims.md. */
enum claim_kind {
    CLAIM_VALUE,                     /* every benchmark of the list within the tolerance of the published value */
    CLAIM_ARITHMETIC, CLAIM_GEOMETRIC, CLAIM_HARMONIC,       /* this mean over the list, likewise */
    CLAIM_BELOW, CLAIM_ABOVE,        /* every benchmark below, above the published value */
    CLAIM_WITHIN,                    /* every benchmark from the published value to the tolerance, which is a value */
    CLAIM_TRUE,                      /* the relation holds for every benchmark of the list */
    CLAIM_NOT_APPLICABLE
};

static inline bool claim_is_mean(enum claim_kind k) { return k >= CLAIM_ARITHMETIC && k <= CLAIM_HARMONIC; }

/* Why a claim holds: a run measured it, or the configuration, the program or the model fixes it. */
enum claim_basis { BASIS_RUN, BASIS_CONFIG, BASIS_NONE, BASES };

/*
 * sizes: at which the claim can be judged. tolerance of CLAIM_TRUE: the one in its expression, 0 = none. because:
 * figures that explain the result, as paper_figure's parts.
 */
struct paper_claim {
    const char *id, *wording, *benches, *expr;
    enum claim_kind kind;
    double published, tolerance;
    int sizes;
    enum claim_basis basis;
    const char *because;
};

struct paper {
    const char *name, *title;
    const char *about;               /* stands before the table of claims */
    const char *headlines;           /* claims of the summary, by '+'; NULL = those about means */
    const char *sets;                /* keys of every run in timing mode */
    const struct paper_bench *benches;
    const struct paper_config *configs;
    const struct paper_named *derived, *lists;
    const struct paper_figure *figures;
    const struct paper_claim *claims;
    const struct paper_point *points;
    int nbenches, nconfigs, nderived, nlists, nfigures, nclaims, npoints;
};

extern const struct paper paper_kilotm, paper_localtm;

/* ---- runs ---- */

enum run_state { RUN_WAITING, RUN_RUNNING, RUN_DONE, RUN_FAILED };

struct paper_run {
    int bench, config;
    enum run_state state;
    bool reused;
    bool wanted;                     /* by --only, or all are */
    int pid;
    double started, seconds, estimate;
    char **argv;                     /* of the child, NULL at the end */
    char *key;                       /* "HT-H.kl": files runs/KEY.json, .log, .key */
    char *fingerprint;               /* what the results depend on: command, configuration, program, simulator */
    char *error;                     /* last lines of a failed run */
    json_t *stats;                   /* "total", "kernels", "config" of a finished run */
};

struct paper_grid {
    const struct paper *paper;
    enum paper_size size;
    const char *out, *programs;      /* folders */
    int jobs;
    bool fresh, progress;
    struct paper_run *runs;
    int nruns;
    simtx_config **resolved;         /* by configuration; NULL: it is wrong, config_errors says why */
    char **config_errors;
    uint64_t simulator, *program;    /* digests of libcudart and, by benchmark, of the program */
};

/* The grid's runs with commands and estimates; finished ones of `out` are taken over unless fresh. */
void paper_grid_new(struct paper_grid *g);
void paper_grid_free(struct paper_grid *g);
struct paper_run *paper_grid_find(const struct paper_grid *g, int bench, int config);      /* NULL: not in the grid */
/* Leaves only what the words name: figures, benchmarks or configurations; false when one names nothing. */
bool paper_grid_only(struct paper_grid *g, char **words, int n);
/* Seconds until the waiting and running ones are done. */
double paper_grid_estimate(const struct paper_grid *g);
void paper_grid_plan(const struct paper_grid *g, FILE *f);
/* Runs what is waiting; false when interrupted. */
bool paper_grid_run(struct paper_grid *g);
int paper_bench_find(const struct paper *p, const char *name);       /* -1 */
int paper_config_find(const struct paper *p, const char *id);
bool paper_in_list(const struct paper *p, const char *list, int bench, int config);

/* ---- values ---- */

/* Where values come from (bits): keys, options and cost; programs' output and launches; statistics of runs. */
enum value_source { SOURCE_CONFIG = 1, SOURCE_PROGRAM = 2, SOURCE_RUN = 4 };

struct paper_values {
    const struct paper_grid *grid;
    bool want;                       /* marks the runs that expressions name as wanted */
    unsigned sources;                /* of what expressions have read so far */
    char missing[120];               /* the first thing that was not there */
};

/* An expression for a benchmark and configuration (-1: none). NaN with v->missing or, for wrong texts, *error. */
double paper_value(struct paper_values *v, const char *expr, int bench, int config, const char **error);
/* The i-th member of a list as benchmark or configuration; 0 at its end, -1 when it is none. */
int paper_member(const struct paper *p, const char *list, int i, int *bench, int *config);
/* The i-th "label = expression" of parts; false at the end. */
bool paper_part(const char *parts, int i, char label[80], char expr[300]);

/* ---- figures ---- */

/* values[(bench x bars + bar) x parts + part]; published: the same, NaN where the paper says nothing. */
struct paper_chart {
    const struct paper_figure *figure;
    int benches, bars, parts;        /* benches: with the mean */
    char bench[24][16], bar[24][40], part[24][80];
    double *simulated, *published;
};

struct paper_chart *chart_new(const struct paper_grid *g, const struct paper_figure *f);
void chart_free(struct paper_chart *c);
void chart_csv(const struct paper_chart *c, FILE *f);
void chart_svg(const struct paper_chart *c, FILE *f);
void chart_html(const struct paper_chart *c, FILE *f);   /* as a table */
static inline int chart_at(const struct paper_chart *c, int bench, int bar, int part)
{
    return (bench * c->bars + bar) * c->parts + part;
}

/* ---- claims ---- */

/* A claim that holds is measured, or follows by configuration, as its basis says. */
enum verdict { VERDICT_MEASURED, VERDICT_BY_CONFIGURATION, VERDICT_NOT_REPRODUCED, VERDICT_NOT_APPLICABLE, VERDICTS };

struct claim_result {
    const struct paper_claim *claim;
    enum verdict verdict;
    bool judged;                     /* false: something that it takes was not run */
    char simulated[400], published[40], tolerance[60], reason[2400];
    double deviation;                /* share of the published value; NaN = none */
};

struct claim_result *claims_judge(const struct paper_grid *g, int count[VERDICTS]);
void claims_csv(const struct claim_result *r, int n, FILE *f);
const char *verdict_name(enum verdict v);
const char *basis_name(enum claim_basis b);
/* "3 measured, 2 by configuration, 1 not reproduced, 0 not applicable of 6". */
void claims_count_text(const int count[VERDICTS], char *text, size_t size);
/* Claims that are not reproduced because a run is missing. */
int claims_not_judged(const struct claim_result *r, int n);

/* ---- report ---- */

/* CSV, SVG and HTML files in the grid's folder, a summary on stdout; false when a file cannot be written. */
bool paper_report(const struct paper_grid *g);
void paper_page(const struct paper_grid *g, struct paper_chart **charts, const struct claim_result *claims,
                const int count[VERDICTS], FILE *f);
void html_text(FILE *f, const char *text);           /* with &, <, > and quotes escaped */

#endif
