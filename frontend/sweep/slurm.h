/*
 * A batch on Slurm: job arrays through sbatch, a task for each run or for several. The state of runs is in the batch's
 * folder, that of tasks is squeue's; sacct, which needs a database, is not used. Folder and simtx must be visible under
 * the same paths on all nodes.
 */
#ifndef FRONTEND_SLURM_H
#define FRONTEND_SLURM_H

#include "frontend/sweep/backend.h"

struct slurm_queue { int pending, running; };

/* Submits the waiting runs and the job that collects; false after printing a message. */
bool slurm_submit(const struct backend *k, const struct batch *b, char *const *collect);
/* Has anything of this folder been submitted? */
bool slurm_used(const struct batch *b);
/* The folder's tasks in the queue; false when squeue has failed. */
bool slurm_queue(const struct batch *b, struct slurm_queue *q);
bool slurm_cancel(const struct batch *b);
/* `simtx sweep task PLAN FIRST RUNS`, the command of a task; its number in the array is SLURM_ARRAY_TASK_ID's. */
int slurm_task(int argc, char **argv);

#endif
