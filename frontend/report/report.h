/*
 * `simtx report`: a page about the statistics files of one run, of two beside each other, or of many. A page has a
 * list of lines (report_lines.c): the kernels and the total of one run; the same of two runs in pairs; the totals of
 * more. Each section shows all lines: as stacked bars and a table of figures (report_stack.c, report_table.c), on the
 * roofline of the machine (report_roofline.c), over time (report_series.c, report_time.c), and what differs between
 * runs (report_differences.c). report_page.c has the sections in their order; frontend/page writes HTML and SVG.
 */
#ifndef FRONTEND_REPORT_H
#define FRONTEND_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/stats.h"
#include "frontend/lib/stats_text.h"

/* ---- input ---- */

/* Columns of a time series that pages show. */
enum report_column { REPORT_OCCUPANCY, REPORT_IPC, REPORT_DRAM, REPORT_COLUMNS };

struct report_window { double from, cycles, value[REPORT_COLUMNS]; };

/* The time series of a run; from: cycles of its windows before this one. */
struct report_series { struct report_window *window; uint32_t n, cap; };

struct report_run {
    char *name, *path;
    json_t *root;
    struct stats_table table;        /* its last line is the total */
    unsigned warp_size;
    struct report_series series;
};

struct report { struct report_run *run; uint32_t n, cap; };

/* Adds a statistics file, the runs of a sweep's folder, or all statistics files in another folder (other JSON files in
 * it are skipped). False with a message in error. */
bool report_add(struct report *r, const char *path, char *error, size_t size);
void report_free(struct report *r);
/* The time series that a run wrote: FILE, or NULL for the file that its statistics name, if it exists. */
bool report_read_series(struct report_run *run, const char *file, char *error, size_t size);

static inline const struct stats_line *report_total(const struct report_run *run)
{
    return &run->table.line[run->table.n - 1];
}

/* A value of a statistics file in words, a text without quotes; malloc'ed. "" for NULL. */
char *report_json_text(const json_t *v);
/* A configuration key of a run as a number; NaN: it has none. */
double report_key(const struct report_run *run, const char *key);

/* ---- lines ---- */

/* name: of the kernel, or "total". */
struct report_line {
    const struct report_run *run;
    uint32_t number;                 /* of the run */
    const char *name;
    const struct counters *counters;
    char *label;
};

struct report_lines { struct report_line *line; uint32_t n, left_out; };

struct report_lines report_lines_of(const struct report *r);
void report_lines_free(struct report_lines *l);
/* A figure of a line: a counter, a time, a ratio. */
double report_value(const struct report_line *l, enum stat s);
/* Is the figure other than zero in any line? */
bool report_any(const struct report_lines *l, enum stat s);

/* ---- parts of the page ---- */

/* A part of a bar: a counter, or the sum of a histogram. */
struct report_part { const char *label; int stat, hist; };

enum report_scale {
    REPORT_SHARES,                   /* of the sum of the parts */
    REPORT_PER_REQUEST,              /* per request that missed L1 */
    REPORT_VALUES
};

/* caption: a figure beside the name of each line; STAT_END = the sum of the parts. */
struct report_stack {
    const char *title, *unit;
    enum report_scale scale;
    enum stat caption;
    const struct report_part *part;
    int n;
};

/* A picture with a bar for each line; nothing, and false, when all parts are zero. */
bool report_stack(const struct report_lines *l, const struct report_stack *s, FILE *f);
/* A table with a row for each line and a column for each figure that is not zero everywhere. */
void report_table(const struct report_lines *l, const enum stat *figure, int n, FILE *f);
void report_roofline(const struct report_lines *l, FILE *f);
void report_time(const struct report *r, FILE *f);
void report_differences(const struct report *r, FILE *f);        /* of two runs */
void report_runs(const struct report *r, FILE *f);               /* a table of all runs */

void report_page(const struct report *r, const char *title, FILE *f);

#endif
