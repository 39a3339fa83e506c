/*
 * Finder of faults of transactions on shared memory: random kernels (regress/tm/random/gen.h), half of which access
 * shared memory only, each in one of eight configurations, until a check fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/mutants/finder.h"
#include "regress/tm/random/machines.h"

enum { SECONDS = 4, PROGRAMS = 240, OPEN = 8 };

/* Counts so far, including the kernel that runs. */
static unsigned programs;
static unsigned long long transactions;

static bool found_in(enum memory memory, int machine, unsigned seed, struct finding *found)
{
    static const char *const KINDS[][2] = {
        { "the keys are no order", "oracle: order of keys" }, { "replay", "oracle" }, { "hang", "hang" },
        { "nothing moves", "hang" }, { "commit unit", "commit unit's check when idle" },
        { "ended with another number", "conservation check" }, { "expected", "the program's result" },
        { "counters", "the program's result" }, { "lost count", "the program's result" }, { "", "fault of the kernel" }
    };
    static struct kernel k;
    struct random_machine *m = &random_machines[memory][machine];
    char what[MACHINE_LINE];
    gen_kernel(&k, memory, seed);
    programs++;
    transactions += k.transactions;
    snprintf(found->where, FINDING_TEXT, "%s%s%s", m->presets, *m->keys ? ", " : "", m->keys);
    snprintf(found->count, FINDING_TEXT, "%u kernels, %llu transactions", programs, transactions);
    finder_clock(SECONDS);
    if (machine_runs(m, &k, what))
        return false;
    fprintf(stderr, "seed %u: %s\n", seed, what);
    snprintf(found->check, FINDING_TEXT, "%s", finder_check(KINDS, what));
    return true;
}

/* Machine 0 is functional. */
static void run(void *ctx, struct finding *found)
{
    for (unsigned i = 0; i < PROGRAMS / 2; i++)
        for (enum memory m = SHARED; m < MEMORIES; m++)
            if (found_in(m, 1 + (int)(i % OPEN), i, found))
                return;
    found->where[0] = 0;
}

int main(void)
{
    struct finding found;
    setenv("SIMTX_CONFIG_DIR", "configs", 1);
    finder_try(run, NULL, SECONDS, &found);
    return finder_tells(&found);
}
