/*
 * Cycles of 24 small kernels beside GPGPU-Sim's: each from a cold L2, and with what the host copied in L2.
 *
 *     correlation DIR [--svg FILE] [--markdown] [--without] [+PRESET | KEY=VALUE ...]
 *     correlation DIR --seconds CASE | all [+PRESET | KEY=VALUE ...]
 *
 * Thread instructions must be equal to the digit. Each ratio, their mean distance and their correlation have bounds,
 * which are not checked when settings are given: these are for looking. --without leaves out one mechanism at a time.
 * --seconds prints cycles and CPU seconds of one launch of a case, or of each case the least of a few launches.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/correlation/scatter.h"
#include "regress/correlation/summary.h"
#include "regress/correlation/without.h"

enum { SETTINGS_MAX = 64, SECONDS_LAUNCHES = 5 };

static const struct { double each, mean, r; } bounds = { 0.15, 0.05, 0.99 };

struct options {
    const char *dir, *svg, *seconds;
    bool markdown, without;
    const char *setting[SETTINGS_MAX + 2];
    uint32_t settings;
};

static struct options read_options(int argc, char **argv)
{
    struct options o = { 0 };
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--svg") && i + 1 < argc)
            o.svg = argv[++i];
        else if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
            o.seconds = argv[++i];
        else if (!strcmp(argv[i], "--markdown"))
            o.markdown = true;
        else if (!strcmp(argv[i], "--without"))
            o.without = true;
        else if (!o.dir)
            o.dir = argv[i];
        else if (o.settings < SETTINGS_MAX)
            o.setting[o.settings++] = argv[i];
    return o;
}

static void print_seconds(const struct options *o)
{
    static struct correlation_case cases[CASES_MAX];
    uint32_t n = cases_read(o->dir, cases);
    for (uint32_t i = 0; i < n; i++) {
        bool all = !strcmp(o->seconds, "all");
        if (!all && strcmp(o->seconds, cases[i].name))
            continue;
        struct correlation_outcome best = case_run(&cases[i], o->dir, o->setting);
        for (int k = 1; all && k < SECONDS_LAUNCHES; k++)
            best.seconds = fmin(best.seconds, case_run(&cases[i], o->dir, o->setting).seconds);
        printf("%-9s %9llu cycles %9.5f s\n", cases[i].name, (unsigned long long)best.cycles, best.seconds);
    }
}

static void print_rows(const struct comparison *x, bool markdown)
{
    const char *format = markdown ? "| %s | %s | %llu | %llu | %.2f | %llu | %llu | %.2f |%s\n"
                                  : "%-9s %-30s %9llu %9llu %6.3f   %9llu %9llu %6.3f%s\n";
    if (markdown)
        puts("| case | | cold: simtx | GPGPU-Sim | ratio | copies fill L2: simtx | GPGPU-Sim | ratio |\n"
             "|---|---|---|---|---|---|---|---|");
    else
        printf("%-40s %9s %9s %6s   %9s %9s %6s\n", "", "cold", "incumbent", "ratio", "warm", "incumbent", "ratio");
    for (uint32_t i = 0; i < x->cases; i++) {
        const struct correlation_case *c = &x->list[i];
        const struct point *cold = &x->point[COLD][i], *warm = &x->point[WARM][i];
        printf(format, c->name, c->character, cold->cycles, cold->incumbent, point_ratio(cold), warm->cycles,
               warm->incumbent, point_ratio(warm), cold->counted && warm->counted ? "" : " INSTRUCTION COUNT DIFFERS");
    }
}

static void print_summary(const struct comparison *x)
{
    static const char *const name[] = { "cold", "copies fill L2" };
    for (int run = COLD; run < RUNS; run++) {
        struct summary s = summarise(x->point[run], x->cases);
        printf("%s: geometric mean %.3f, mean |log ratio| %.1f %%, r %.4f, %u of %u within 15 %%, farthest %.1f %%\n",
               name[run], s.geometric, 100 * s.distance, s.r, s.within, x->cases, 100 * s.farthest);
    }
}

static void judge(const struct comparison *x)
{
    uint32_t passed = 0, failed = 0;
    for (int run = COLD; run < RUNS; run++) {
        struct summary s = summarise(x->point[run], x->cases);
        for (uint32_t i = 0; i < x->cases; i++) {
            const struct point *p = &x->point[run][i];
            bool ok = p->counted && fabs(point_ratio(p) - 1) <= bounds.each;
            passed += ok;
            failed += !ok;
        }
        passed += (s.distance <= bounds.mean) + (s.r >= bounds.r);
        failed += (s.distance > bounds.mean) + (s.r < bounds.r);
    }
    printf("correlation: %u passed, %u failed\n", passed, failed);
    exit(failed > 0);
}

int main(int argc, char **argv)
{
    struct options o = read_options(argc, argv);
    static struct comparison x;
    if (!o.dir) {
        fprintf(stderr, "usage: correlation DIR [--svg FILE] [--markdown] [--without] [+PRESET | KEY=VALUE ...]\n");
        return 2;
    }
    if (o.seconds) {
        print_seconds(&o);
        return 0;
    }
    compare(&x, o.dir, o.setting);
    if (o.without) {
        print_without(&x, o.dir, o.markdown);
        return 0;
    }
    print_rows(&x, o.markdown);
    if (o.markdown)
        putchar('\n');
    print_summary(&x);
    if (o.svg)
        draw_scatter(&x, o.svg);
    if (!o.settings && !o.markdown)
        judge(&x);
    return 0;
}
