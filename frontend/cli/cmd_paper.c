/* `simtx paper`: repeats the evaluation of a paper and compares the results with the published ones. */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/paper/paper.h"

static const char COMMAND[] = "simtx paper";
static const char USAGE[] =                  /* %s: the names of the papers */
    "usage: simtx paper NAME [options]     NAME: %s\n\n"
    "Runs the benchmarks of a paper on its configurations, each pair as a process `simtx run --timing`. Writes every\n"
    "table and figure as CSV and SVG with the published values, a page with all of them (index.html), and the verdict\n"
    "on every claim (claims.csv). Finished runs are kept: after an interruption (Ctrl-C) the same command does the\n"
    "remaining runs. Exit code: 0 all runs finished, 1 a run failed, 130 interrupted.\n";

enum { OPT_QUICK, OPT_JOBS, OPT_OUT, OPT_ONLY, OPT_PLAN, OPT_FRESH, OPT_PROGRAMS, OPT_PROGRESS, OPT_NO_PROGRESS };
static const struct cmd_option OPTIONS[] = {
    [OPT_QUICK] = { "--quick", NULL, "reduced sizes and fewer configurations, a few minutes" },
    [OPT_JOBS] = { "--jobs", "N", "concurrent runs (default: the number of processors of the host)" },
    [OPT_OUT] = { "--out", "DIR", "folder of the results (default: paper-NAME, with --quick paper-NAME-quick)" },
    [OPT_ONLY] = { "--only", "WHAT[,WHAT...]", "only runs of these figures, benchmarks or configurations" },
    [OPT_PLAN] = { "--plan", NULL, "print the runs and the estimated time; run nothing" },
    [OPT_FRESH] = { "--fresh", NULL, "do not reuse finished runs" },
    [OPT_PROGRAMS] = { "--programs", "DIR", "folder of the benchmarks (default: ../kernels from the folder of simtx)" },
    [OPT_PROGRESS] = { "--progress", NULL, "progress line even if stderr is not a terminal" },
    [OPT_NO_PROGRESS] = { "--no-progress", NULL, "no progress line" },
    { NULL, NULL, NULL }
};

enum { PAPERS_MAX = 64, WORDS_MAX = 64 };

struct request { char *only, *out, *programs; bool plan; };

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
    cmd_usage_error(COMMAND, "no paper is called '%s'%s%s", name, near ? ", did you mean " : "", near ? near : "");
}

static int job_count(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > 1024)
        cmd_usage_error(COMMAND, "--jobs %s: expected a number from 1 to 1024", text);
    return (int)n;
}

static void take(struct paper_grid *g, struct request *r, int option, char *value)
{
    switch (option) {
    case OPT_QUICK: g->size = PAPER_SIZE_QUICK; break;
    case OPT_JOBS: g->jobs = job_count(value); break;
    case OPT_OUT: r->out = value; break;
    case OPT_ONLY: r->only = value; break;
    case OPT_PLAN: r->plan = true; break;
    case OPT_FRESH: g->fresh = true; break;
    case OPT_PROGRAMS: r->programs = value; break;
    case OPT_PROGRESS: g->progress = true; break;
    case OPT_NO_PROGRESS: g->progress = false; break;
    }
}

static void make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) && errno != EEXIST)
        cmd_usage_error(COMMAND, "cannot create the folder %s: %s", path, strerror(errno));
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        cmd_usage_error(COMMAND, "%s is not a folder", path);
}

/* The full path of the results folder. Creates the folder and runs/ in it, except for a plan. */
static char *output_folder(const struct paper_grid *g, const char *name, bool plan)
{
    const char *end = g->size == PAPER_SIZE_QUICK ? "-quick" : "";
    char *path = name ? mem_string(name) : mem_format("paper-%s%s", g->paper->name, end);
    if (plan && access(path, F_OK))
        return path;
    make_folder(path);
    char *full = realpath(path, NULL);
    if (!full)
        cmd_usage_error(COMMAND, "%s: %s", path, strerror(errno));
    char *runs = mem_format("%s/runs", full);
    make_folder(runs);
    free(path);
    free(runs);
    return full;
}

__attribute__((noreturn)) static void no_program(const char *path)
{
    cmd_usage_error(COMMAND, "%s: %s; build the benchmarks (`make kernels`) or name their folder with --programs", path,
                    strerror(errno));
}

/* By default the folder kernels beside the folder of the command: build/bin and build/kernels. */
static char *program_folder(const char *name)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = 0;
    char *path = name ? mem_string(name) : mem_format("%s/../kernels", own);
    char *full = realpath(path, NULL);
    if (!full)
        no_program(path);
    free(path);
    return full;
}

static void check_programs(const struct paper_grid *g)
{
    for (int i = 0; i < g->nruns; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", g->programs, g->paper->benches[g->runs[i].bench].program);
        if (g->runs[i].wanted && access(path, X_OK))
            no_program(path);
    }
}

/* Two processes in one folder would overwrite each other's files. The lock ends with the process. */
static void lock_folder(const char *out)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/runs", out);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
        cmd_usage_error(COMMAND, "%s: %s", out,
                        errno == EWOULDBLOCK ? "another simtx paper runs in this folder" : strerror(errno));
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
        failed += g->runs[i].wanted && g->runs[i].state == PAPER_RUN_FAILED;
    for (int i = 0; i < g->paper->nconfigs; i++)
        if (g->config_errors[i] && g->paper->configs[i].sizes & g->size)
            fprintf(stderr, "simtx paper: configuration %s: %s", g->paper->configs[i].id, g->config_errors[i]);
    if (failed)
        fprintf(stderr, "simtx paper: %d runs failed\n", failed);
    return failed;
}

static int do_paper(struct paper_grid *g, struct request *r)
{
    char *out = output_folder(g, r->out, r->plan), *programs = program_folder(r->programs);
    int code = CMD_OK;
    g->out = out;
    g->programs = programs;
    paper_grid_new(g);
    choose(g, r->only);
    if (r->plan) {
        paper_grid_plan(g, stdout);
    } else {
        check_programs(g);
        lock_folder(out);
        if (!paper_grid_run(g))
            code = 130;
        else if (!paper_report(g) || count_failures(g))
            code = CMD_FAILED;
    }
    paper_grid_free(g);
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
    struct request r = { NULL, NULL, NULL, false };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct paper_grid g = { .size = PAPER_SIZE_FULL, .jobs = processors > 0 ? (int)processors : 1,
                            .progress = isatty(STDERR_FILENO) };
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
