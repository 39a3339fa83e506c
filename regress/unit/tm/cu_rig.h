/*
 * Several commit units between random cores and a memory of random delays. Every transaction that commits is replayed
 * in the order of commit IDs; its reads and the final memory must agree.
 */
#ifndef CU_RIG_H
#define CU_RIG_H

#include "tm/kilo/unit/commit_unit.h"

enum { RIG_MAX_UNITS = 4, RIG_ERROR = 300 };

struct cu_rig_setup {
    struct cu_cfg cfg;
    uint32_t units, words;           /* words of memory; spread over the units by their number */
    uint32_t cores, batches;         /* batches of a core that are under way at once */
    uint32_t lanes;                  /* of a batch, at most */
    uint32_t reads, writes;          /* of a transaction, at most */
    uint32_t transactions;           /* to begin */
    uint32_t delay;                  /* of messages and accesses, at most */
    bool every_cycle;                /* units run in every cycle, not only when they must */
    bool allocate;                   /* CU_ALLOC instead of credits */
    uint64_t seed;
};

struct cu_rig_result {
    char error[RIG_ERROR];           /* empty: all is well */
    uint64_t begun, commits, aborts, cycles, runs;
    uint64_t count[STAT_END];        /* of all units together */
    struct hists hists;
};

/* A small machine with contention. */
struct cu_rig_setup cu_rig_default(void);
void cu_rig_run(const struct cu_rig_setup *s, struct cu_rig_result *r);

#endif
