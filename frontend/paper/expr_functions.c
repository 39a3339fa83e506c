/* The functions of expressions. A value that is NaN makes the result NaN. */
#include "frontend/paper/expr_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "frontend/paper/expr.h"

/* ---- of lists ---- */

double expr_mean(enum expr_mean_kind kind, const double *v, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += kind == EXPR_MEAN_GEOMETRIC ? log(v[i]) : kind == EXPR_MEAN_HARMONIC ? 1 / v[i] : v[i];
    if (n == 0)
        return NAN;
    return kind == EXPR_MEAN_GEOMETRIC ? exp(total / n) : kind == EXPR_MEAN_HARMONIC ? n / total : total / n;
}

static double arithmetic(const double *v, int n) { return expr_mean(EXPR_MEAN_ARITHMETIC, v, n); }
static double geometric(const double *v, int n) { return expr_mean(EXPR_MEAN_GEOMETRIC, v, n); }
static double harmonic(const double *v, int n) { return expr_mean(EXPR_MEAN_HARMONIC, v, n); }
static double sum(const double *v, int n) { return n * expr_mean(EXPR_MEAN_ARITHMETIC, v, n); }

static double argmax(const double *v, int n)
{
    int best = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(v[i]))
            return NAN;
        best = v[i] > v[best] ? i : best;
    }
    return n ? best : NAN;
}

static double most(const double *v, int n)
{
    double at = argmax(v, n);
    return isnan(at) ? NAN : v[(int)at];
}

static double least(const double *v, int n)
{
    double negative[EXPR_LIST_MAX];
    for (int i = 0; i < n; i++)
        negative[i] = -v[i];
    return -most(negative, n);
}

/* Is the i-th at this position, from 0, of the sorted values? */
static bool is_of_rank(const double *v, int n, int i, int rank)
{
    int smaller = 0, same = 0;
    for (int k = 0; k < n; k++) {
        smaller += v[k] < v[i];
        same += v[k] == v[i];
    }
    return smaller <= rank && rank < smaller + same;
}

static double of_rank(const double *v, int n, int rank)
{
    for (int i = 0; i < n; i++)
        if (is_of_rank(v, n, i, rank))
            return v[i];
    return NAN;
}

/* Of an even number of values, the mean of the two in the middle. */
static double median(const double *v, int n)
{
    return isnan(sum(v, n)) ? NAN : (of_rank(v, n, (n - 1) / 2) + of_rank(v, n, n / 2)) / 2;
}

/* ---- of values ---- */

static double absolute(const double *v, int n) { return fabs(v[0]); }
static double round_down(const double *v, int n) { return floor(v[0]); }
static double larger(const double *v, int n) { return isnan(v[0] + v[1]) ? NAN : fmax(v[0], v[1]); }
static double smaller(const double *v, int n) { return isnan(v[0] + v[1]) ? NAN : fmin(v[0], v[1]); }

static double near(const double *v, int n)
{
    return isnan(v[0] + v[1]) ? NAN : fabs(v[0] - v[1]) <= v[2] * fabs(v[1]);
}

/* ---- by name ---- */

enum { OF_LISTS = -1 };

static const struct { const char *name; int arguments; expr_function *function; } functions[] = {
    { "mean", OF_LISTS, arithmetic }, { "gmean", OF_LISTS, geometric }, { "hmean", OF_LISTS, harmonic },
    { "sum", OF_LISTS, sum }, { "most", OF_LISTS, most }, { "least", OF_LISTS, least }, { "argmax", OF_LISTS, argmax },
    { "median", OF_LISTS, median }, { "abs", 1, absolute }, { "floor", 1, round_down }, { "max", 2, larger },
    { "min", 2, smaller }, { "near", 3, near },
};

static expr_function *find(const char *name, int arguments)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].arguments == arguments && !strcmp(functions[i].name, name))
            return functions[i].function;
    return NULL;
}

expr_function *expr_list_function(const char *name) { return find(name, OF_LISTS); }
expr_function *expr_value_function(const char *name, int n) { return find(name, n); }
