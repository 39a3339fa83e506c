/*
 * A batch: simulations that do not depend on each other, each a process `simtx run`. `simtx sweep` (study.h) and
 * `simtx paper` are its clients: they make the runs, and read the results. Backends (backend.h): a pool of processes on
 * this machine (batch_local.c) and Slurm (slurm.h). A batch has a folder (batch_files.c); a run whose key is there is
 * complete and is not repeated, so that any batch can be interrupted and continued.
 */
#ifndef FRONTEND_BATCH_H
#define FRONTEND_BATCH_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frontend/lib/simtx.h"

enum batch_state { BATCH_WAITING, BATCH_RUNNING, BATCH_DONE, BATCH_FAILED };

struct batch_run {
    char *name;                      /* of its files in the folder runs */
    char **argv;                     /* words after "simtx", NULL at the end; the batch adds --stats */
    char *key;                       /* lines that name all that its results depend on */
    bool wanted;
    bool timeline;                   /* the batch adds --trace, too */
    enum batch_state state;
    double started, seconds, estimate;
    char *error;                     /* of a failed run: how it ended, and the last lines that it printed */
    int pid;
    char *part, *output, *trace;     /* files of the process: statistics, what it prints, timeline (NULL = none) */
};

struct batch {
    const char *command;             /* "simtx paper", for messages */
    const char *folder;
    const char *continues;           /* what continues after an interruption: "the same command" */
    int jobs;                        /* processes at a time */
    bool progress;                   /* a progress line on stderr */
    uint64_t cpu_seconds, memory;    /* limits of a process; 0 = none. memory: bytes of data */
    struct batch_run *runs;
    int nruns;
};

/* ---- batch.c ---- */
void batch_run_free(struct batch_run *run);
/* How many wanted runs are in this state. */
int batch_count(const struct batch *b, enum batch_state state);
/* Seconds until the wanted runs are done. */
double batch_estimate(const struct batch *b);
/* A command line that repeats the run alone, without a newline. */
void batch_command_print(const struct batch_run *run, FILE *f);
/* A failed run, or each of them, with its message and its command. */
void batch_failure_print(const struct batch *b, const struct batch_run *run, FILE *f);
void batch_failures_print(const struct batch *b, FILE *f);

/* ---- run_key.c ---- */

/* Digest of the libcudart that programs load, which contains the simulator; 0 when there is none. */
uint64_t batch_simulator(void);
/* Of a file's bytes; 0 when it cannot be read. */
uint64_t batch_file_digest(const char *path);
uint64_t batch_text_digest(const char *text);
/* The key of a run: version and digest of the simulator, program, its arguments (NULL at the end), configuration. */
char *batch_key(uint64_t simulator, uint64_t program, char *const *arguments, const simtx_config *config);

/* ---- batch_files.c ---- */

/* FOLDER/runs/NAME.END */
char *batch_path(const struct batch *b, const struct batch_run *run, const char *end);
/* Creates the folder and its folder runs. false with errno, and *path the one that cannot be created (malloc'ed). */
bool batch_make_folder(const char *folder, char **path);
/* Excludes other processes with the same folder until this one ends; false with errno (EWOULDBLOCK: one is there). */
bool batch_lock(const struct batch *b);
/* Makes a run done, or failed, when the folder has its results, or its failure, with its key. */
void batch_reuse(const struct batch *b, struct batch_run *run);
/* Removes what interrupted processes have left. No run may be in progress. */
void batch_clean(const struct batch *b);
/* Removes the results of the runs to do, so that a task does not find them. */
void batch_discard(const struct batch *b);
/* The process of a run has ended: keep its results, or its failure, in the folder; or neither. batch_keep: false with
 * errno if the results cannot be kept, with errno = 0 if there are no statistics. */
bool batch_keep(const struct batch *b, struct batch_run *run);
void batch_keep_failure(const struct batch *b, struct batch_run *run, const char *how);
void batch_drop(struct batch_run *run);
/* The statistics of a run that is done; NULL when the file is gone. */
json_t *batch_stats(const struct batch *b, const struct batch_run *run);

/* ---- batch_local.c ---- */

/* Runs all that are wanted and waiting; false when interrupted by Ctrl-C. */
bool batch_local(struct batch *b);

/* ---- run_value.c ---- */

/*
 * A figure of a run by name; NaN: it has none.
 *   printed.WORD, observed.WORD   the number, or size, before that word in what the program printed (log: that file);
 *   h.NAME.MEMBER     n, mean or max of a histogram, or belowN: the share of values below N, a power of two;
 *   NAME              a statistic of the run's total, or else the largest of any of its launches (of a size, the
 *                     product of its numbers).
 */
double batch_value(const json_t *stats, const char *log, const char *name);
/* Can a run without a timeline have such a figure? */
bool batch_value_known(const char *name);
/* The statistic whose name is nearest; NULL = none. */
const char *batch_value_nearest(const char *name);

/* ---- run_timeline.c ---- */

/* The marks in the timeline of a run, which is read once. */
struct batch_timeline;
struct batch_timeline *batch_timeline_load(const char *path);
void batch_timeline_free(struct batch_timeline *t);
/* COLUMN<N> of the marks; NaN: there is no such row or column, or no timeline (NULL). */
double batch_timeline_value(const struct batch_timeline *t, const char *name);

#endif
