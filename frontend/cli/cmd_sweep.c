/* `simtx sweep`: a study, programs x configurations x seeds, as a batch on this machine or on Slurm. */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/sweep/backend.h"
#include "frontend/sweep/program_folder.h"
#include "frontend/sweep/slurm.h"
#include "frontend/sweep/study.h"

static const char COMMAND[] = "simtx sweep";
static const char USAGE[] =
    "usage: simtx sweep FILE [options]\n"
    "       simtx sweep status|cancel|collect FILE [--out DIR]\n\n"
    "Runs every combination of the values in FILE (docs/sweep.md), each as a process `simtx run`, and writes a table\n"
    "with a row for each: results.csv, results.json. Finished runs are kept: after an interruption (Ctrl-C), or when\n"
    "FILE has more values, the same command does the remaining runs. Runs that failed are repeated. On Slurm: status\n"
    "shows the states of runs and tasks, cancel removes the tasks, collect writes the table of the runs so far.\n"
    "Exit code: 0 all runs finished or submitted, 1 a run failed or is missing, 2 FILE is invalid, 130 interrupted.\n";

enum { OPT_LIST, OPT_DRY_RUN, OPT_OUT, OPT_FRESH, OPT_PROGRAMS, OPT_PROGRESS, OPT_NO_PROGRESS, OPT_BACKEND };
static const struct cmd_option OPTIONS[] = {
    [OPT_LIST] = { "--list", NULL, "print the points with the states of their runs; run nothing" },
    [OPT_DRY_RUN] = { "--dry-run", NULL, "print the commands of the runs to do; run nothing" },
    [OPT_OUT] = { "--out", "DIR", "folder of the results (default: sweep-NAME; NAME: of the study or its file)" },
    [OPT_FRESH] = { "--fresh", NULL, "do not reuse finished runs" },
    [OPT_PROGRAMS] = { "--programs", "DIR", "folder of programs without a path (default: ../kernels from simtx)" },
    [OPT_PROGRESS] = { "--progress", NULL, "progress line even if stderr is not a terminal" },
    [OPT_NO_PROGRESS] = { "--no-progress", NULL, "no progress line" },
    BACKEND_OPTIONS(OPT_BACKEND),
    { NULL, NULL, NULL }
};

static const char *const ACTIONS[] = { "status", "cancel", "collect" };
enum action { STATUS, CANCEL, COLLECT, RUN, ACTION_COUNT = RUN };

struct request {
    enum action action;
    const char *file, *out, *programs;
    bool list, dry_run, fresh;
    struct backend backend;
};

static void take(struct request *r, struct batch *b, int option, const char *value)
{
    switch (option) {
    case OPT_LIST: r->list = true; break;
    case OPT_DRY_RUN: r->dry_run = true; break;
    case OPT_OUT: r->out = value; break;
    case OPT_FRESH: r->fresh = true; break;
    case OPT_PROGRAMS: r->programs = value; break;
    case OPT_PROGRESS: b->progress = true; break;
    case OPT_NO_PROGRESS: b->progress = false; break;
    default: backend_take(&r->backend, b, option - OPT_BACKEND, value);
    }
}

/* The first word may be an action; another one is the file. */
static void take_word(struct request *r, const char *word)
{
    for (int i = 0; i < ACTION_COUNT && r->action == RUN && !r->file; i++)
        if (!strcmp(word, ACTIONS[i])) {
            r->action = (enum action)i;
            return;
        }
    if (r->file)
        cmd_usage_error(COMMAND, "more than one file given: '%s'", word);
    r->file = word;
}

static struct study *read_study(const char *file)
{
    char *message;
    struct study *s = study_read(file, &message);
    if (message)
        fputs(message, stderr);
    free(message);
    if (!s)
        exit(CMD_USAGE);
    return s;
}

/* The full path of the folder of results; makes it if anything will be written to it. */
static char *output_folder(const struct request *r, const struct study *s)
{
    char *path = r->out ? mem_string(r->out) : mem_format("sweep-%s", s->name), *wrong;
    bool make = r->action == RUN && !r->list && !r->dry_run;
    if (make && !batch_make_folder(path, &wrong)) {
        free(path);
        cmd_usage_error(COMMAND, "cannot create the folder %s: %s", wrong, strerror(errno));
    }
    char *full = realpath(path, NULL);
    if (!full && (make || r->action != RUN))
        cmd_usage_error(COMMAND, "%s: %s", path, strerror(errno));
    if (!full && *path != '/') {
        char *here = getcwd(NULL, 0);
        full = mem_format("%s/%s", here ? here : ".", path);
        free(here);
    }
    if (!full)
        return path;
    free(path);
    return full;
}

/* Paths in the file are relative to its folder, in which the runs start, too. */
static void enter_folder(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = mem_string_n(file, slash ? (size_t)(slash - file) + 1 : 0);
    if (*folder && chdir(folder))
        cmd_usage_error(COMMAND, "%s: %s", folder, strerror(errno));
    free(folder);
}

/* ---- actions ---- */

/* Writes the table; prints a summary. */
static int report(const struct study_grid *g)
{
    const struct batch *b = &g->batch;
    int done = batch_count(b, BATCH_DONE), failed = batch_count(b, BATCH_FAILED);
    bool written = study_table_write(g);
    printf("%d of %d runs done, %d failed; table: %s/results.csv\n", done, b->nruns, failed, b->folder);
    return written && done == b->nruns ? CMD_OK : CMD_FAILED;
}

/* What killed tasks have left is removed when none is in the queue. */
static int collect(const struct study_grid *g)
{
    struct slurm_queue q;
    if (slurm_used(&g->batch) && slurm_queue(&g->batch, &q) && q.pending + q.running == 0 && batch_lock(&g->batch))
        batch_clean(&g->batch);
    batch_failures_print(&g->batch, stderr);
    return report(g);
}

static int status(const struct study_grid *g)
{
    const struct batch *b = &g->batch;
    struct slurm_queue q = { 0, 0 };
    bool known = !slurm_used(b) || slurm_queue(b, &q);
    printf("%d runs: %d done, %d failed, %d to do", b->nruns, batch_count(b, BATCH_DONE),
           batch_count(b, BATCH_FAILED), batch_count(b, BATCH_WAITING));
    if (slurm_used(b) && known)
        printf("; tasks in Slurm's queue: %d running, %d pending", q.running, q.pending);
    else if (!known)
        printf("; Slurm's queue is not known: squeue has failed");
    putchar('\n');
    batch_failures_print(b, stdout);
    return known ? CMD_OK : CMD_FAILED;
}

/* Makes the failed runs, or all, runs to do. */
static void open_runs(struct batch *b, bool all)
{
    for (int i = 0; i < b->nruns; i++)
        if (all || b->runs[i].state == BATCH_FAILED)
            b->runs[i].state = BATCH_WAITING;
}

static int run(struct request *r, struct study_grid *g, const char *file)
{
    char *const collect[] = { "sweep", "collect", (char *)file, "--out", (char *)g->batch.folder, "--programs",
                              (char *)g->programs, NULL };
    open_runs(&g->batch, r->fresh);
    int code = backend_run(&r->backend, &g->batch, collect);
    if (code == BACKEND_SUBMITTED)
        return CMD_OK;
    int reported = code == 0 || code == 130 ? report(g) : CMD_OK;
    return code ? code : reported;
}

static int act(struct request *r, struct study_grid *g, const char *file)
{
    if (r->list)
        study_grid_list(g, stdout);
    else if (r->dry_run)
        study_grid_commands(g, stdout);
    else if (r->action == STATUS)
        return status(g);
    else if (r->action == CANCEL)
        return slurm_cancel(&g->batch) ? CMD_OK : CMD_FAILED;
    else if (r->action == COLLECT)
        return collect(g);
    else
        return run(r, g, file);
    return CMD_OK;
}

static int sweep(struct request *r, struct study_grid *g)
{
    struct study *s = read_study(r->file);
    char *out = output_folder(r, s), *programs = program_folder(COMMAND, r->programs), *message;
    char *file = realpath(r->file, NULL);
    enter_folder(r->file);
    g->study = s;
    g->programs = programs;
    g->batch.folder = out;
    int code = CMD_USAGE;
    if (study_grid_new(g, &message))
        code = act(r, g, file);
    else
        fprintf(stderr, "%s: %s\n%s", COMMAND, file, message);
    free(message);
    study_grid_free(g);
    study_free(s);
    free(file);
    free(out);
    free(programs);
    return code;
}

int cmd_sweep(int argc, char **argv)
{
    struct cmd_args a = { COMMAND, USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    struct request r = { .action = RUN };
    struct study_grid g = { .batch = { .command = COMMAND } };
    int which;
    if (argc > 1 && !strcmp(argv[1], "task"))
        return slurm_task(argc - 2, argv + 2);
    backend_init(&r.backend, &g.batch);
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD)
            take_word(&r, a.value);
        else
            take(&r, &g.batch, which, a.value);
    }
    if (!r.file)
        cmd_usage_error(COMMAND, "no file given");
    return sweep(&r, &g);
}
