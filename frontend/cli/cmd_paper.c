/* `simtx paper`: repeats the evaluation of a paper and compares the results with the published ones. */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/paper/paper.h"
#include "frontend/sweep/backend.h"
#include "frontend/sweep/program_folder.h"

static const char COMMAND[] = "simtx paper";
static const char USAGE[] =                  /* %s: the names of the papers */
    "usage: simtx paper NAME [options]     NAME: %s\n\n"
    "Runs the benchmarks of a paper on its configurations, each pair as a process `simtx run --timing`. Writes every\n"
    "table and figure as CSV and SVG with the published values, a page with all of them (index.html), and the verdict\n"
    "on every claim (claims.csv). Finished runs are kept: after an interruption (Ctrl-C) the same command does the\n"
    "remaining runs. With --slurm a job writes these files when all runs have ended; --collect does the same.\n"
    "Exit code: 0 all runs finished or submitted, 1 a run failed, 130 interrupted.\n";

enum {
    OPT_QUICK, OPT_OUT, OPT_ONLY, OPT_PLAN, OPT_COLLECT, OPT_FRESH, OPT_PROGRAMS, OPT_PROGRESS, OPT_NO_PROGRESS,
    OPT_BACKEND
};
static const struct cmd_option OPTIONS[] = {
    [OPT_QUICK] = { "--quick", NULL, "reduced sizes and fewer configurations, a few minutes" },
    [OPT_OUT] = { "--out", "DIR", "folder of the results (default: paper-NAME, with --quick paper-NAME-quick)" },
    [OPT_ONLY] = { "--only", "WHAT[,WHAT...]", "only runs of these figures, benchmarks or configurations" },
    [OPT_PLAN] = { "--plan", NULL, "print the runs and the estimated time; run nothing" },
    [OPT_COLLECT] = { "--collect", NULL, "run nothing; write tables, figures and verdicts from the finished runs" },
    [OPT_FRESH] = { "--fresh", NULL, "do not reuse finished runs" },
    [OPT_PROGRAMS] = { "--programs", "DIR", "folder of the benchmarks (default: ../kernels from the folder of simtx)" },
    [OPT_PROGRESS] = { "--progress", NULL, "progress line even if stderr is not a terminal" },
    [OPT_NO_PROGRESS] = { "--no-progress", NULL, "no progress line" },
    BACKEND_OPTIONS(OPT_BACKEND),
    { NULL, NULL, NULL }
};

enum { PAPERS_MAX = 64, WORDS_MAX = 64 };

struct request { char *only, *out, *programs; bool plan, collect; struct backend backend; };

static int paper_names(const char *names[PAPERS_MAX])
{
    const struct paper *p;
    int n = 0;
    while (n < PAPERS_MAX && (p = paper_at(n)) != NULL)
        names[n++] = p->name;
    return n;
}

/* "a, b, c" with another word before the last. */
static void join_names(const char *last, char *text, size_t size)
{
    const char *names[PAPERS_MAX];
    int n = paper_names(names);
    size_t used = 0;
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : i + 1 == n ? last : ", ", names[i]);
}

static const struct paper *find_paper(const char *name)
{
    const char *names[PAPERS_MAX];
    char list[400];
    join_names(" or ", list, sizeof list);
    if (!name)
        cmd_usage_error(COMMAND, "no paper given: %s", list);
    const struct paper *p = paper_find(name);
    if (p)
        return p;
    const char *near = diag_nearest(name, names, (size_t)paper_names(names));
    cmd_usage_error(COMMAND, "no paper is called '%s'%s%s; expected %s", name, near ? ", did you mean " : "",
                    near ? near : "", list);
}

static void take(struct paper_grid *g, struct request *r, int option, char *value)
{
    switch (option) {
    case OPT_QUICK: g->size = PAPER_SIZE_QUICK; break;
    case OPT_OUT: r->out = value; break;
    case OPT_ONLY: r->only = value; break;
    case OPT_PLAN: r->plan = true; break;
    case OPT_COLLECT: r->collect = true; break;
    case OPT_FRESH: g->fresh = true; break;
    case OPT_PROGRAMS: r->programs = value; break;
    case OPT_PROGRESS: g->batch.progress = true; break;
    case OPT_NO_PROGRESS: g->batch.progress = false; break;
    default: backend_take(&r->backend, &g->batch, option - OPT_BACKEND, value);
    }
}

/* The full path of the results folder. Creates the folder and runs/ in it, except for a plan. */
static char *output_folder(const struct paper_grid *g, const char *name, bool plan)
{
    const char *end = g->size == PAPER_SIZE_QUICK ? "-quick" : "";
    char *path = name ? mem_string(name) : mem_format("paper-%s%s", g->paper->name, end), *wrong;
    if (plan && access(path, F_OK))
        return path;
    if (!batch_make_folder(path, &wrong)) {
        free(path);
        cmd_usage_error(COMMAND, "cannot create the folder %s: %s", wrong, strerror(errno));
    }
    char *full = realpath(path, NULL);
    if (!full)
        cmd_usage_error(COMMAND, "%s: %s", path, strerror(errno));
    free(path);
    return full;
}

static void check_programs(const struct paper_grid *g)
{
    for (int i = 0; i < g->nruns; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", g->programs, g->paper->benches[g->runs[i].bench].program);
        if (g->batch.runs[i].wanted && access(path, X_OK))
            program_missing(COMMAND, path);
    }
}

static void choose(struct paper_grid *g, char *only)
{
    char *words[WORDS_MAX];
    int n = 0;
    while (only && n < WORDS_MAX)
        words[n++] = strsep(&only, ",");
    if (n && !paper_grid_only(g, words, n))
        cmd_usage_error(COMMAND, "--only: expected names of figures, benchmarks or configurations; --plan lists them, "
                                 "the name of a figure is the name of its file");
}

/* The number of failed runs. Prints the message of each invalid configuration that has runs once. */
static int count_failures(const struct paper_grid *g)
{
    int failed = 0;
    for (int i = 0; i < g->nruns; i++)
        failed += g->batch.runs[i].wanted && g->batch.runs[i].state == BATCH_FAILED;
    for (int i = 0; i < g->paper->nconfigs; i++)
        if (g->config_errors[i] && g->paper->configs[i].sizes & g->size)
            fprintf(stderr, "simtx paper: configuration %s: %s", g->paper->configs[i].id, g->config_errors[i]);
    if (failed)
        fprintf(stderr, "simtx paper: %d runs failed\n", failed);
    return failed;
}

/* Tables, figures and verdicts, from the finished runs. */
static int report(struct paper_grid *g)
{
    paper_grid_load(g);
    bool written = paper_report(g);
    return count_failures(g) || !written ? CMD_FAILED : CMD_OK;
}

static int run(struct paper_grid *g, struct request *r, const char *only)
{
    char *quick = g->size == PAPER_SIZE_QUICK ? "--quick" : NULL;
    char *collect[12] = { "paper", (char *)g->paper->name, "--collect", "--out", (char *)g->out, "--programs",
                          (char *)g->programs };
    int n = 7;
    if (only) {
        collect[n++] = "--only";
        collect[n++] = (char *)only;
    }
    collect[n] = quick;
    check_programs(g);
    for (int i = 0; i < g->nruns; i++)
        if (g->batch.runs[i].state == BATCH_FAILED && g->resolved[g->runs[i].config])
            g->batch.runs[i].state = BATCH_WAITING;
    int code = backend_run(&r->backend, &g->batch, collect);
    if (code == 0)
        return report(g);
    return code == BACKEND_SUBMITTED ? CMD_OK : code;
}

static int do_paper(struct paper_grid *g, struct request *r)
{
    char *out = output_folder(g, r->out, r->plan), *programs = program_folder(COMMAND, r->programs);
    char *only = r->only ? mem_string(r->only) : NULL;
    int code = CMD_OK;
    g->out = out;
    g->programs = programs;
    paper_grid_new(g);
    choose(g, r->only);
    if (r->plan)
        paper_grid_plan(g, stdout);
    else
        code = r->collect ? report(g) : run(g, r, only);
    paper_grid_free(g);
    free(only);
    free(out);
    free(programs);
    return code;
}

int cmd_paper(int argc, char **argv)
{
    char names[400], usage[sizeof USAGE + sizeof names];
    join_names(", ", names, sizeof names);
    snprintf(usage, sizeof usage, USAGE, names);
    struct cmd_args a = { COMMAND, usage, OPTIONS, false, false, argc, 1, argv, NULL };
    struct request r = { .only = NULL };
    struct paper_grid g = { .size = PAPER_SIZE_FULL, .batch = { .command = COMMAND } };
    backend_init(&r.backend, &g.batch);
    const char *name = NULL;
    int which;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which != CMD_ARG_WORD)
            take(&g, &r, which, (char *)a.value);
        else if (name)
            cmd_usage_error(COMMAND, "more than one paper given: '%s'", a.value);
        else
            name = a.value;
    }
    g.paper = find_paper(name);
    return do_paper(&g, &r);
}
