/* All cases, run from a cold L2 and with what the host copied in L2, and their distance from the incumbent's cycles. */
#ifndef REGRESS_CORRELATION_SUMMARY_H
#define REGRESS_CORRELATION_SUMMARY_H

#include "regress/correlation/cases.h"

enum { COLD, WARM, RUNS };

struct point { unsigned long long cycles, incumbent; bool counted; };    /* counted: thread instructions are equal */

struct comparison {
    uint32_t cases;
    struct correlation_case list[CASES_MAX];
    struct point point[RUNS][CASES_MAX];
};

/* Runs everything with these settings, NULL at the end. */
void compare(struct comparison *x, const char *dir, const char *const *setting);

struct summary {
    double geometric;                /* mean of the ratios */
    double distance, farthest;       /* mean and largest |log ratio| */
    double r;                        /* correlation of the logarithms */
    uint32_t within;                 /* ratios within 15 % */
};
struct summary summarise(const struct point *p, uint32_t n);

static inline double point_ratio(const struct point *p)
{
    return (double)p->cycles / (double)p->incumbent;
}

#endif
