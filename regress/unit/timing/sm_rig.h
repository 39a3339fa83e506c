/*
 * An SM core alone on the bench: behind it is a load/store unit that performs every access as a whole after a fixed
 * number of cycles, on device memory, and instruction lines that are there at once or after a fixed number of cycles.
 */
#ifndef REGRESS_SM_RIG_H
#define REGRESS_SM_RIG_H

#include "base/config/config.h"
#include "regress/unit/ptx/step_driver.h"
#include "timing/core/sm.h"

enum { RIG_WINDOW = 16 };            /* the longest */

struct sm_rig {
    struct step_gpu gpu;
    struct simtx_config *config;
    struct sm_cfg cfg;
    struct sm *sm;
    struct tprogram *code;
    struct grid grid;
    void *local;
    uint64_t now;                    /* next cycle to run */
    uint64_t start, end;             /* of the run */
    uint32_t window;                 /* cycles of one sm_run */
    bool walk;                       /* visit every cycle */
    uint64_t count[STAT_END];        /* of the SM in the last run; gpu.count: of the executor */
    struct hists hists;
};

struct rig_lsu { uint32_t latency, room, line_miss; };

/* Opens kernel `k` of the text; fails the test when it does not compile. Then set keys, and build. */
void sm_rig_open(struct sm_rig *r, const char *ptx, const struct step_shape *s);
void sm_rig_set(struct sm_rig *r, const char *key, const char *value);
void sm_rig_build(struct sm_rig *r, const struct rig_lsu *lsu);
/* Runs all blocks to their end (or a fault, or `limit` cycles) and returns how many cycles that took. */
uint64_t sm_rig_run(struct sm_rig *r, uint64_t limit);
void sm_rig_close(struct sm_rig *r);

#endif
