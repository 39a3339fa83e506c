/* One random kernel, and the check that it fails. */
#include "regress/mutants/random_kernels.h"

#include <stdio.h>

/* Counts so far, including the kernel that runs. */
static unsigned programs;
static unsigned long long transactions;

bool random_kernel_fails(enum memory memory, int machine, unsigned seed, unsigned seconds, struct finding *found)
{
    static const char *const KINDS[][2] = {
        { "the keys are no order", "oracle: order of keys" },
        { "of global memory follows", "oracle: order of snapshots" },
        { "at the end of the kernel", "state at the end" }, { "replay", "oracle" }, { "hang", "hang" },
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
    finder_clock(seconds);
    if (machine_runs(m, &k, what))
        return false;
    fprintf(stderr, "seed %u: %s\n", seed, what);
    snprintf(found->check, FINDING_TEXT, "%s", finder_check(KINDS, what));
    return true;
}
