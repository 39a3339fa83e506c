/*
 * Finder of faults of transactions on shared memory: random kernels (regress/tm/random/gen.h), half of which access
 * shared memory only, each in one of eight configurations, until a check fails.
 */
#include "regress/mutants/random_kernels.h"

enum { SECONDS = 4, PROGRAMS = 240, OPEN = 8 };

/* Machine 0 is functional. */
static void run(void *ctx, struct finding *found)
{
    for (unsigned i = 0; i < PROGRAMS / 2; i++)
        for (enum memory m = SHARED; m < MEMORIES; m++)
            if (random_kernel_fails(m, 1 + (int)(i % OPEN), i, SECONDS, found))
                return;
    found->where[0] = 0;
}

int main(void)
{
    struct finding found;
    finder_try(run, NULL, SECONDS, &found);
    return finder_tells(&found);
}
