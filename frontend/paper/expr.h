/*
 * A small language for values that are computed from others: numbers, names, + - * / ( ), comparisons and & (both give
 * 1 or 0), and
 *   $key                    value of a configuration key; is(key, text): whether it has this value
 *   primary@CONFIG          with that configuration as the current one
 *   mean(LIST: e)           over the members of a list, likewise gmean, hmean, median, sum, most, least
 *   argmax(LIST: e)         position, from 0, of the member for which e is largest
 *   max(a, b) min(a, b) abs(a) floor(a) near(a, b, share): |a - b| <= share x |b|
 * The environment gives the values of names and keys and the members of lists. A missing value is NaN; every operation
 * and comparison with NaN gives NaN.
 */
#ifndef FRONTEND_EXPR_H
#define FRONTEND_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct expr_env {
    void *ctx;
    int bench, config;               /* current ones, of the environment's tables */
    double (*name)(struct expr_env *e, const char *name);
    const char *(*key)(struct expr_env *e, const char *key);         /* as text; NULL = not known */
    /* Makes the i-th member of a list ("all", "HT-H+CL") current: 1, 0 after the last one, -1 when it is no list. */
    int (*member)(struct expr_env *e, const char *list, int i);
    bool (*select)(struct expr_env *e, const char *config);          /* makes a configuration current */
    char error[160];                 /* what is wrong with the text; "" = nothing */
    char *relations;                 /* place for the comparisons with their values, "1.5 < 2"; NULL = not wanted */
    size_t relations_size;
};

/* NaN with e->error on wrong text; e->error must be empty before. */
double expr_value(struct expr_env *e, const char *text);

enum expr_mean_kind { EXPR_MEAN_ARITHMETIC, EXPR_MEAN_GEOMETRIC, EXPR_MEAN_HARMONIC, EXPR_MEAN_KINDS };
double expr_mean(enum expr_mean_kind kind, const double *v, int n);       /* NaN without values */

#endif
