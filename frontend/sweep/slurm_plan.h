/* The file from which a Slurm task reads its runs. */
#ifndef FRONTEND_SLURM_PLAN_H
#define FRONTEND_SLURM_PLAN_H

#include "frontend/sweep/batch.h"

/* Writes the waiting runs; their number, or -1 after a message. */
int slurm_plan_write(const struct batch *b, const char *path);
/* A batch with so many of its runs, from `first` on; false after a message. */
bool slurm_plan_read(struct batch *b, const char *path, int first, int runs);
void slurm_plan_free(struct batch *b);

#endif
