/* Finder of faults of the commit unit: its random machine (regress/unit/tm/cu_rig.h), with more and more
 * transactions. */
#include <stdio.h>

#include "regress/mutants/finder.h"
#include "regress/unit/tm/cu_rig.h"

enum { MOST_TRANSACTIONS = 4000, SECONDS = 20 };

struct run { struct cu_rig_setup setup; const char *name; };

/* A history in which every set and bucket is full of aliases, and buffers that hold two words. */
static struct cu_rig_setup narrow(void)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.lwh_sets = 2;
    s.cfg.lwh_ways = 1;
    s.cfg.lwh_buckets = 16;
    s.cfg.lwh_arrays = 2;
    s.cfg.read_buffer = s.cfg.write_buffer = 2;
    return s;
}

/* Exact hazard detection, so that nothing but the outcomes can show a fault of the pipeline. */
static struct cu_rig_setup exact(void)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.hazards = CU_HAZARDS_PERFECT;
    s.words = 24;
    return s;
}

static void run(void *ctx, struct finding *found)
{
    static const char *const KINDS[][2] = {
        { "which had", "oracle" }, { ", not ", "oracle" }, { "nothing happens", "hang" },
        { "", "check of the messages" }
    };
    static struct cu_rig_result result;
    const struct run *r = ctx;
    snprintf(found->where, FINDING_TEXT, "%s", r->name);
    snprintf(found->count, FINDING_TEXT, "%u transactions", r->setup.transactions);
    cu_rig_run(&r->setup, &result);
    if (result.error[0])
        snprintf(found->check, FINDING_TEXT, "%s", finder_check(KINDS, result.error));
}

int main(void)
{
    struct finding found;
    struct run runs[] = { { exact(), "exact history" }, { narrow(), "narrow" } };
    for (uint32_t n = 125; n <= MOST_TRANSACTIONS; n *= 2)
        for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
            runs[i].setup.transactions = n;
            runs[i].setup.seed = n + i;
            if (finder_try(run, &runs[i], SECONDS, &found))
                return finder_tells(&found);
        }
    return finder_tells(&found);
}
