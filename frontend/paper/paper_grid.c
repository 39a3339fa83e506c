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

/* The digest of a benchmark's program, computed once for each. */
static uint64_t program_digest(struct paper_grid *g, int bench)
{
    if (!g->program[bench]) {
        char *path = mem_format("%s/%s", g->programs, g->paper->benches[bench].program);
        g->program[bench] = batch_file_digest(path);
        free(path);
    }
    return g->program[bench];
}

static void add_run(struct paper_grid *g, int bench, int config, int seed)
{
    const struct paper *p = g->paper;
    bool quick = g->size == PAPER_SIZE_QUICK;
    struct batch_run *process = &g->batch.runs[g->nruns];
    struct paper_run *run = &g->runs[g->nruns++];
    int program;
    char suffix[16] = "";
    if (seed)
        snprintf(suffix, sizeof suffix, ".%d", seed);
    *run = (struct paper_run){ .bench = bench, .config = config, .seed = seed, .process = process };
    process->wanted = true;
    process->timeline = p->configs[config].mode == PAPER_MODE_TIMELINE;
    process->name = mem_format("%s.%s%s%s", p->benches[bench].name, p->configs[config].id, suffix,
                               quick ? ".quick" : "");
    process->argv = paper_command(g, run, &program);
    process->key = batch_key(g->simulator, program_digest(g, bench), process->argv + program, g->resolved[config]);
    process->estimate = p->benches[bench].seconds[quick] * p->configs[config].factor;
    if (!g->fresh)
        batch_reuse(&g->batch, process);
    if (!g->resolved[config]) {
        process->state = BATCH_FAILED;
        free(process->error);
        process->error = mem_string(g->config_errors[config] ? g->config_errors[config] : "out of memory\n");
    }
}

int paper_grid_repeats(const struct paper_grid *g)
{
    return g->paper->seeds && g->size == PAPER_SIZE_FULL ? g->paper->seeds : 1;
}

/* The runs of a benchmark and configuration, side by side. */
static void add_runs(struct paper_grid *g, int bench, int config)
{
    for (int i = 1; i <= paper_grid_repeats(g); i++)
        add_run(g, bench, config, g->paper->seeds ? i : 0);
}

void paper_grid_new(struct paper_grid *g)
{
    const struct paper *p = g->paper;
    size_t most = (size_t)(p->nbenches * p->nconfigs * paper_grid_repeats(g));
    resolve(g);
    g->simulator = batch_simulator();
    g->program = mem_zero((size_t)p->nbenches, sizeof *g->program, "the digests of programs");
    g->runs = mem_zero(most, sizeof *g->runs, "the runs of a paper");
    g->batch.runs = mem_zero(most, sizeof *g->batch.runs, "the runs of a paper");
    g->batch.folder = g->out;
    for (int c = 0; c < p->nconfigs; c++) {
        const char *benches = p->configs[c].benches ? p->configs[c].benches : "all";
        for (int b = 0; b < p->nbenches; b++)
            if (p->configs[c].sizes & g->size && paper_in_list(p, benches, b, -1))
                add_runs(g, b, c);
    }
    g->batch.nruns = g->nruns;
}

static void load_run(const struct batch *b, struct paper_run *run)
{
    if (run->process->state != BATCH_DONE || run->stats)
        return;
    run->stats = batch_stats(b, run->process);
    if (run->process->timeline) {
        char *path = batch_path(b, run->process, "timeline");
        run->timeline = batch_timeline_load(path);
        free(path);
    }
}

void paper_grid_load(struct paper_grid *g)
{
    for (int i = 0; i < g->nruns; i++)
        load_run(&g->batch, &g->runs[i]);
}

void paper_grid_free(struct paper_grid *g)
{
    for (int i = 0; i < g->nruns; i++) {
        batch_run_free(g->runs[i].process);
        json_decref(g->runs[i].stats);
        batch_timeline_free(g->runs[i].timeline);
    }
    for (int i = 0; i < g->paper->nconfigs; i++) {
        simtx_config_free(g->resolved[i]);
        free(g->config_errors[i]);
    }
    free(g->runs);
    free(g->batch.runs);
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

void paper_grid_plan(const struct paper_grid *g, FILE *f)
{
    static const char *const states[] = { "to run", "runs", "done", "wrong" };
    for (int i = 0; i < g->nruns; i++) {
        const struct batch_run *run = g->runs[i].process;
        if (!run->wanted)
            continue;
        fprintf(f, "%-8s about %4.0f s  ", states[run->state], run->state == BATCH_DONE ? run->seconds : run->estimate);
        batch_command_print(run, f);
        fputc('\n', f);
    }
    fprintf(f, "%d runs to do, %d done, about %.0f minutes with %d at a time\n", batch_count(&g->batch, BATCH_WAITING),
            batch_count(&g->batch, BATCH_DONE), ceil(batch_estimate(&g->batch) / 60), g->batch.jobs);
}
