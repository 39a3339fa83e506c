/*
 * A streaming multiprocessor: resident blocks and warps, fetch, scoreboard, warp schedulers, operand collectors,
 * pipelines, barriers, and its load/store unit. Arithmetic is executed when it issues; the scoreboard holds back
 * whoever needs the result until the pipeline would have it. One cycle is: replies and performed accesses, block
 * starts, write-backs, issue, fetch.
 */
#ifndef TIMING_SM_H
#define TIMING_SM_H

#include "base/hist.h"
#include "base/stats.h"
#include "consistency/order.h"
#include "memsys/lsu/lsu.h"
#include "ptx/exec/step.h"
#include "timing/core/sm_config.h"
#include "timing/core/tinst.h"

enum stall {
#define STALL(id, name, class, meaning) ST_##id,
#include "timing/stall.def"
    STALLS
};
struct stall_info { const char *name, *class_name, *meaning; enum stat stat; };
extern const struct stall_info stall_table[STALLS];
struct pipe_info { const char *one; enum stall stall; enum stat issued; };
extern const struct pipe_info pipe_table[PIPES];

/* A grid being run: the same object for all SMs; only the machine's serial part writes to it. */
struct grid {
    struct launch launch;            /* counters and fault are filled in at the end */
    const struct tprogram *code;     /* of launch.program */
    uint32_t id;                     /* small number among the grids now running */
    uint32_t registers, resident;    /* a thread; blocks of it an SM holds at most */
    uint32_t more_registers;         /* of a block, beside those of its threads */
    uint64_t next_block, done;
    uint64_t start, end;             /* core cycles */
    uint64_t local_base;             /* device address of the private memory of all resident warps */
    uint64_t local_bytes;            /* of one warp */
    uint64_t log_base, log_bytes;    /* the same of a transactional memory's logs */
    uint64_t stream;
};

/* An order to start a block, and the message that it has ended. `at`: core cycle at the receiver. */
struct block_start { uint64_t at, linear; struct grid *grid; };
struct block_end { uint64_t at; struct grid *grid; uint16_t sm; };

struct sm;
struct tm_core;
struct sm_watch;                     /* timing/machine/trace.h */

struct tm_gpu;
/* tm: NULL = no transactional memory. count [STAT_END] and hists: what the SM and its parts count is added there. */
struct sm *sm_new(const struct sm_cfg *c, const struct lsu_cfg *lsu, struct tm_gpu *tm, struct port *out,
                  struct port *in, uint64_t *count, struct hists *hists);
void sm_free(struct sm *s);

void sm_observe(struct sm *s, struct sm_watch *w);               /* NULL: its timeline is not recorded */
/* The run is given up at its cycle: what its warps are at goes into the timeline. */
void sm_observe_rest(struct sm *s);
void sm_start(struct sm *s, const struct block_start *b);        /* queued until its cycle */
/*
 * Runs all core cycles up to `until`: visits those in which something happens, accounts for the rest. Cycles before
 * `from` that no run included are caught up with (nothing can have happened in them). Stops early (and says so by
 * sm_fault) at a fault. With every_cycle each cycle is visited; the results are the same.
 */
void sm_run(struct sm *s, uint64_t from, uint64_t until, bool every_cycle);
/* Accounts for the cycles before `until`, all of them before sm_next: the counters are exact after it. */
void sm_catch_up(struct sm *s, uint64_t until);
uint64_t sm_next(const struct sm *s);                            /* next core cycle at which it can act */
/* Blocks that ended during the last sm_run; the array belongs to the SM until the next one. */
const struct block_end *sm_ended(const struct sm *s, uint32_t *n);
const struct fault *sm_fault(const struct sm *s);                /* NULL = none */
const struct grid *sm_fault_grid(const struct sm *s);            /* whose fault that is */
uint64_t sm_fault_cycle(const struct sm *s);                     /* when it was raised; NEVER = none */

struct lsu *sm_lsu(struct sm *s);
struct tm_core *sm_tm(struct sm *s);
/* What the SM executed of a grid (figures of functional mode): added to the launch's counters, and cleared. */
void sm_grid_count(struct sm *s, const struct grid *g);
void sm_grid_end(struct sm *s, const struct grid *g);            /* frees what it kept for this grid */
/* A figure of functional mode, summed over the grids now running. */
uint64_t sm_running(const struct sm *s, enum stat figure);
/* The warp in a slot, NULL when there is none; and a number that grows with everything that a waiting loop may wait for
 * (its workers' `changes`: barriers completed, shared memory changed; tm_core_retried). For hang reports. */
struct warp *sm_warp(const struct sm *s, uint32_t slot);
uint64_t sm_changes(const struct sm *s);
bool sm_sleeps(const struct sm *s, uint32_t slot);       /* nanosleep, back-off: time alone lets the warp go on */
/* Does transactional memory hold back the warp in this slot? Then for what, in words. For hang reports. */
bool sm_tx_waits(const struct sm *s, uint32_t slot, char *text, size_t size);
/* Words on every resident warp: slot, block, PTX line, what it waits for. For hang reports. */
void sm_dump(const struct sm *s, void (*line)(void *ctx, const char *text), void *ctx);

#endif
