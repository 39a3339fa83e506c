/* The runs that `--only` selects: those of figures and configurations, on all benchmarks or on those that are named. */
#include "frontend/paper/paper.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Marks the runs that a figure's values are computed from. */
static void want_figure(struct paper_grid *g, const struct paper_figure *f)
{
    struct paper_values v = { .grid = g, .want = true };
    char label[80], expr[300], name[320];
    const char *error;
    int bench = -1, config = -1;
    for (int i = 0; paper_member(g->paper, f->benches, i, &bench, &config) > 0; i++)
        for (int part = 0; paper_part(g->paper, f->parts, part, label, expr); part++) {
            int c = -1;
            for (int bar = 0; f->bars && paper_member(g->paper, f->bars, bar, &bench, &c) > 0; bar++) {
                snprintf(name, sizeof name, f->chart == PAPER_CHART_CDF ? "%s.n" : "%s", expr);
                paper_value(&v, name, bench, c, &error);
            }
            if (!f->bars)
                paper_value(&v, expr, bench, -1, &error);
        }
}

static const struct paper_figure *find_figure(const struct paper *p, const char *name)
{
    for (int i = 0; i < p->nfigures; i++)
        if (!strcasecmp(p->figures[i].id, name))
            return &p->figures[i];
    return NULL;
}

/* By a figure or configuration; false when the word names neither. */
static bool want(struct paper_grid *g, const char *word)
{
    int config = paper_config_find(g->paper, word);
    const struct paper_figure *f = find_figure(g->paper, word);
    for (int i = 0; config >= 0 && i < g->nruns; i++)
        g->batch.runs[i].wanted |= g->runs[i].config == config;
    if (f)
        want_figure(g, f);
    return config >= 0 || f;
}

bool paper_grid_only(struct paper_grid *g, char **words, int n)
{
    bool any_bench = false, any_other = false, known = true;
    bool *named = mem_zero((size_t)g->paper->nbenches, sizeof *named, "the benchmarks of --only");
    for (int i = 0; i < g->nruns; i++)
        g->batch.runs[i].wanted = false;
    for (int i = 0; i < n && known; i++) {
        int bench = paper_bench_find(g->paper, words[i]);
        bool other = want(g, words[i]);
        if (bench >= 0)
            named[bench] = any_bench = true;
        any_other |= other && bench < 0;
        known = bench >= 0 || other;
    }
    for (int i = 0; i < g->nruns; i++)
        g->batch.runs[i].wanted = (g->batch.runs[i].wanted || !any_other) && (named[g->runs[i].bench] || !any_bench);
    free(named);
    return known;
}
