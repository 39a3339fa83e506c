/* The backend of a batch, chosen by the options of `simtx sweep` and `simtx paper`. */
#ifndef FRONTEND_BACKEND_H
#define FRONTEND_BACKEND_H

#include <stdbool.h>

#include "frontend/sweep/batch.h"

struct backend {
    bool slurm;
    const char *partition, *sbatch;  /* sbatch: more options of sbatch, separated by blanks; NULL = none */
    int array_limit;                 /* tasks of an array that run at a time; 0 = no limit */
    int task_runs;                   /* runs of a task, one after the other */
};

/* Rows of a table of options (frontend/cli/cmd.h); the first has the given index. */
#define BACKEND_OPTIONS(first) \
    [first] = { "--local", "[N]", "run on this machine, N at a time (the number of its processors)" }, \
    [first + 1] = { "--jobs", "N", "the same as --local N" }, \
    [first + 2] = { "--slurm", NULL, "submit job arrays to Slurm, and a job that collects the results" }, \
    [first + 3] = { "--partition", "NAME", "Slurm: the partition" }, \
    [first + 4] = { "--array-limit", "N", "Slurm: at most N tasks at a time" }, \
    [first + 5] = { "--task-runs", "N", "Slurm: N runs in a task, one after the other (1)" }, \
    [first + 6] = { "--sbatch", "OPTIONS", "Slurm: more options of sbatch: --sbatch '--time=1:00:00 --mem=4G'" }
enum { BACKEND_NOPTIONS = 7 };

/* The default: this machine, as many processes as it has processors. */
void backend_init(struct backend *k, struct batch *b);
/* Takes the option with this number, from 0; ends the process with a message when its value is wrong. */
void backend_take(struct backend *k, struct batch *b, int option, const char *value);

/*
 * Runs the batch: on this machine until it ends, or submits it. collect: words after "simtx" that read the results
 * when all have ended (Slurm), NULL at the end. 0: all runs have ended; BACKEND_SUBMITTED; else the exit code of the
 * command: 130 after an interruption, or 1 after a message.
 */
enum { BACKEND_SUBMITTED = -1 };
int backend_run(const struct backend *k, struct batch *b, char *const *collect);

#endif
