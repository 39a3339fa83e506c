/*
 * Finder of faults of transactions on shared memory: random kernels (regress/tm/random/gen.h), half of which access
 * shared memory only, each in one of eight configurations, until a check fails. With the argument `coherent`: of
 * transactions on global memory in the configurations with a coherence protocol; `snapshots`: of those on both memories
 * in the configurations with snapshot isolation.
 */
#include <string.h>

#include "regress/mutants/random_kernels.h"

enum { SECONDS = 4, PROGRAMS = 400, OPEN = 8, COHERENT_PROGRAMS = 36, SNAPSHOT_PROGRAMS = 30 };

/* Machine 0 is functional. */
static void run(void *ctx, struct finding *found)
{
    for (unsigned i = 0; i < PROGRAMS / 2; i++)
        for (enum memory m = SHARED; m < MEMORIES; m++)
            if (random_kernel_fails(m, 1 + (int)(i % OPEN), i, SECONDS, found))
                return;
    found->where[0] = 0;
}

static void run_coherent(void *ctx, struct finding *found)
{
    for (unsigned i = 0; i < COHERENT_PROGRAMS; i++)
        for (int m = 1; m < machines_of(GLOBAL); m++)
            if (strstr(random_machines[GLOBAL][m].keys, "coherence.protocol=") &&
                random_kernel_fails(GLOBAL, m, i, SECONDS, found))
                return;
    found->where[0] = 0;
}

/* Programs 25 to 34 (many warps of 25 wait for each other) and 130 to 149, in which commits follow readers of shared
 * memory. */
static void run_snapshots(void *ctx, struct finding *found)
{
    for (unsigned i = 0; i < SNAPSHOT_PROGRAMS; i++)
        for (int m = 1; m < machines_of(BOTH); m++)
            if (strstr(random_machines[BOTH][m].presets, "sitm") &&
                random_kernel_fails(BOTH, m, i < 10 ? 25 + i : 120 + i, SECONDS, found))
                return;
    found->where[0] = 0;
}

static void (*search(const char *name))(void *ctx, struct finding *found)
{
    return !strcmp(name, "coherent") ? run_coherent : !strcmp(name, "snapshots") ? run_snapshots : run;
}

int main(int argc, char **argv)
{
    struct finding found;
    finder_try(search(argc > 1 ? argv[1] : ""), NULL, SECONDS, &found);
    return finder_tells(&found);
}
