/* The configurations that random kernels (gen.h) run in, all with the oracle, and what they must leave. */
#ifndef REGRESS_TM_RANDOM_MACHINES_H
#define REGRESS_TM_RANDOM_MACHINES_H

#include <stdbool.h>

#include "frontend/lib/simtx.h"
#include "regress/tm/random/gen.h"

enum { MACHINES_MOST = 48, MACHINE_LINE = 400 };

struct random_machine {
    const char *presets, *keys;
    bool as_before;                  /* the same as the one before it, which other host threads simulate */
    simtx_gpu *gpu;                  /* NULL = not opened yet */
    int index;                       /* of it: at most 16 are open */
    struct words *words;             /* device memory, the host's as well */
    uint64_t transactions;           /* that ran */
};

/* Of the kernels for this memory; they end with one without presets. */
extern struct random_machine random_machines[MEMORIES][MACHINES_MOST];

int machines_of(enum memory memory);
/* Opened when it first runs one. False: `what` says what is wrong. */
bool machine_runs(struct random_machine *m, const struct kernel *k, char what[MACHINE_LINE]);
/* Behind the last kernel: the statistics fit what ran. Adds the transactions that the oracle has checked. */
bool machine_is_right(struct random_machine *m, long long *checked, char what[MACHINE_LINE]);
void machine_close(struct random_machine *m);

#endif
