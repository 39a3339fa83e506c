/*
 * The comparison of two statistics files, for `simtx compare` and `simtx report`. Both JSON trees are walked together;
 * a figure is a leaf, its name the path to it. What describes the host and its speed is left out, so two runs of one
 * machine and program are equal. So are the buckets of histograms, whose mean and maximum stay.
 */
#ifndef FRONTEND_COMPARE_H
#define FRONTEND_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A figure that differs. a, b: NULL = the file does not have it. */
struct compare_figure {
    char *name;
    const json_t *a, *b;
    double share;                    /* difference / the larger of both; 1: not both are numbers */
    bool beyond;                     /* by more than the tolerance */
};

struct comparison {
    double tolerance;                /* a ratio */
    const char *only;                /* names of figures and groups, separated by commas; NULL = all */
    struct compare_figure *figure;   /* that differ: those beyond the tolerance first, then the largest share */
    uint32_t n, cap, compared, beyond;
};

/* Adds the figures of two trees, which must outlive the comparison, under the name of a group ("" = none). The caller
 * sets tolerance and only before the first call; the rest is zero then. */
void compare_trees(struct comparison *c, const char *name, const json_t *a, const json_t *b);
void compare_free(struct comparison *c);

double compare_percent(const struct compare_figure *f);      /* of a; NaN: not both are numbers, or a is 0 */

#endif
