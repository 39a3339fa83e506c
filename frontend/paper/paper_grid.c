/* The grid: a run for each configuration and each of its benchmarks, with its command, state and estimated time. */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "frontend/lib/config_load.h"

static void resolve(struct paper_grid *g)
{
    const struct paper *p = g->paper;
    g->resolved = mem_zero((size_t)p->nconfigs, sizeof *g->resolved, "the configurations of a paper");
    g->config_errors = mem_zero((size_t)p->nconfigs, sizeof *g->config_errors, "the configurations of a paper");
    for (int i = 0; i < p->nconfigs; i++) {
        simtx_config *c = simtx_config_new();
        if (simtx_config_build(c, p->configs[i].presets, p->configs[i].sets, "paper", &g->config_errors[i])) {
            simtx_config_free(c);
            c = NULL;
        }
        g->resolved[i] = c;
    }
}

static void add_run(struct paper_grid *g, int bench, int config)
{
    const struct paper *p = g->paper;
    bool quick = g->size == PAPER_SIZE_QUICK;
    struct paper_run *run = &g->runs[g->nruns++];
    *run = (struct paper_run){ .bench = bench, .config = config, .wanted = true };
    run->key = mem_format("%s.%s%s", p->benches[bench].name, p->configs[config].id, quick ? ".quick" : "");
    run->argv = paper_command(g, run);
    run->fingerprint = paper_fingerprint(g, run);
    run->estimate = p->benches[bench].seconds[quick] * p->configs[config].factor;
    if (!g->fresh)
        paper_reuse(g, run);
    if (!g->resolved[config]) {
        run->state = PAPER_RUN_FAILED;
        run->error = mem_string(g->config_errors[config] ? g->config_errors[config] : "out of memory\n");
    }
}

void paper_grid_new(struct paper_grid *g)
{
    const struct paper *p = g->paper;
    resolve(g);
    paper_digests(g);
    g->runs = mem_zero((size_t)(p->nbenches * p->nconfigs), sizeof *g->runs, "the runs of a paper");
    for (int c = 0; c < p->nconfigs; c++) {
        const char *benches = p->configs[c].benches ? p->configs[c].benches : "all";
        for (int b = 0; b < p->nbenches; b++)
            if (p->configs[c].sizes & g->size && paper_in_list(p, benches, b, -1))
                add_run(g, b, c);
    }
}

static void free_run(struct paper_run *run)
{
    for (char **a = run->argv; *a; a++)
        free(*a);
    free(run->argv);
    free(run->key);
    free(run->fingerprint);
    free(run->error);
    json_decref(run->stats);
}

void paper_grid_free(struct paper_grid *g)
{
    for (int i = 0; i < g->nruns; i++)
        free_run(&g->runs[i]);
    for (int i = 0; i < g->paper->nconfigs; i++) {
        simtx_config_free(g->resolved[i]);
        free(g->config_errors[i]);
    }
    free(g->runs);
    free(g->resolved);
    free(g->config_errors);
    free(g->program);
}

struct paper_run *paper_grid_find(const struct paper_grid *g, int bench, int config)
{
    for (int i = 0; i < g->nruns; i++)
        if (g->runs[i].bench == bench && g->runs[i].config == config)
            return &g->runs[i];
    return NULL;
}

/* ---- the plan ---- */

static bool is_open(const struct paper_run *run)
{
    return run->wanted && (run->state == PAPER_RUN_WAITING || run->state == PAPER_RUN_RUNNING);
}

/* Estimates of open runs, multiplied by how much longer the finished runs took than estimated. */
double paper_grid_estimate(const struct paper_grid *g)
{
    double done = 0, estimated = 0, open = 0;
    for (int i = 0; i < g->nruns; i++) {
        const struct paper_run *run = &g->runs[i];
        if (run->state == PAPER_RUN_DONE && run->seconds > 0) {
            done += run->seconds;
            estimated += run->estimate;
        }
        open += is_open(run) ? run->estimate : 0;
    }
    return open * (done > 0 && estimated > 0 ? done / estimated : 1) / g->jobs;
}

void paper_grid_plan(const struct paper_grid *g, FILE *f)
{
    static const char *const states[] = { "to run", "runs", "done", "wrong" };
    int open = 0, done = 0;
    for (int i = 0; i < g->nruns; i++) {
        const struct paper_run *run = &g->runs[i];
        if (!run->wanted)
            continue;
        open += is_open(run);
        done += run->state == PAPER_RUN_DONE;
        fprintf(f, "%-8s about %4.0f s  ", states[run->state],
                run->state == PAPER_RUN_DONE ? run->seconds : run->estimate);
        paper_command_print(run, f);
    }
    fprintf(f, "%d runs to do, %d done, about %.0f minutes with %d at a time\n", open, done,
            ceil(paper_grid_estimate(g) / 60), g->jobs);
}
