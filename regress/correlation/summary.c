/* Runs of all cases, means and correlation. */
#include "regress/correlation/summary.h"

#include <math.h>
#include <stddef.h>

enum { SETTINGS_MAX = 80 };

void compare(struct comparison *x, const char *dir, const char *const *setting)
{
    const char *with[SETTINGS_MAX + 2] = { 0 };
    uint32_t n = 0;
    for (; setting[n] && n < SETTINGS_MAX; n++)
        with[n] = setting[n];
    x->cases = cases_read(dir, x->list);
    for (int run = COLD; run < RUNS; run++) {
        with[n] = run == COLD ? "l2.copies=false" : NULL;
        for (uint32_t i = 0; i < x->cases; i++) {
            const struct correlation_case *c = &x->list[i];
            struct correlation_outcome o = case_run(c, dir, with);
            x->point[run][i] = (struct point){
                .cycles = o.cycles, .incumbent = run == COLD ? c->cold_cycles : c->warm_cycles,
                .counted = o.thread_instructions == c->thread_instructions
            };
        }
    }
}

/* Of the logarithms of both columns. */
static double correlation(const struct point *p, uint32_t n)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (uint32_t i = 0; i < n; i++) {
        double a = log((double)p[i].cycles), b = log((double)p[i].incumbent);
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

struct summary summarise(const struct point *p, uint32_t n)
{
    struct summary s = { .r = correlation(p, n) };
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double ratio = point_ratio(&p[i]), distance = fabs(log(ratio));
        sum += log(ratio);
        s.distance += distance / n;
        s.farthest = fmax(s.farthest, distance);
        s.within += fabs(ratio - 1) <= 0.15;
    }
    s.geometric = exp(sum / n);
    return s;
}
