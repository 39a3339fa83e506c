/*
 * A streaming multiprocessor (SM): resident blocks and warps, fetch, scoreboard, warp schedulers, operand collectors,
 * pipelines, barriers, and the load/store unit. An arithmetic instruction is executed when it issues; the scoreboard
 * stalls dependent instructions until the pipeline would have the result. A cycle processes in this order: replies and
 * performed accesses, block starts, write-backs, issue, fetch.
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

enum sm_stall {
#define STALL(id, name, class, of, meaning) SM_STALL_##id,
#include "timing/stall.def"
    SM_STALLS
};
struct sm_stall_info { const char *name, *class_name, *meaning; enum stat stat; };
extern const struct sm_stall_info sm_stall_table[SM_STALLS];
struct pipe_info { const char *one; enum sm_stall stall; enum stat issued, lanes; };
extern const struct pipe_info pipe_table[PIPES];

/* A running grid, shared by all SMs; only the machine writes to it, between windows. */
struct grid {
    struct launch launch;            /* counters and fault are set at the end */
    const struct tprogram *code;     /* of launch.program */
    uint32_t id;                     /* index among the running grids */
    uint32_t resident;               /* most resident blocks per SM */
    uint32_t registers, shared;      /* of an SM that a block takes: registers, bytes of shared memory */
    uint32_t carveout, carved;       /* bytes of shared memory of an SM, with gpu.shared_carveouts: that the launch
                                        needs, and that the SMs had */
    uint64_t next_block, done;       /* the next block to start; number of ended blocks */
    uint64_t start, end;             /* core cycles */
    uint64_t *ends;                  /* cycles from the start to the end of each block, as they end; NULL = no place */
    uint64_t local_base;             /* device address of the private memory of all resident warps */
    uint64_t local_bytes;            /* of one warp */
    uint64_t log_base, log_bytes;    /* the same for the logs of transactional memory */
    uint64_t stream;
    struct profile *profile;         /* receives the profile of its instructions; NULL = none */
};

/* Messages: start a block; a block has ended. at: core cycle of arrival. */
struct block_start {
    uint64_t at, linear;
    struct grid *grid;
    uint16_t cluster_sm[CLUSTER_MAX];    /* SMs of its cluster, by rank */
};
struct block_end { uint64_t at; struct grid *grid; uint16_t sm; };

struct sm;
struct tm_core;
struct profile;
struct trace_sm;                     /* timing/machine/trace.h */

struct tm_gpu;
/* tm: NULL = no transactional memory. count [STAT_END], hists: counters and histograms of the SM and its parts. */
struct sm *sm_new(const struct sm_cfg *c, const struct lsu_cfg *lsu, struct tm_gpu *tm, struct port *out,
                  struct port *in, uint64_t *count, struct hists *hists);
void sm_free(struct sm *s);

void sm_set_trace(struct sm *s, struct trace_sm *t);             /* NULL: no timeline of this SM */
/* The run is aborted: writes the current states of the warps to the timeline. */
void sm_trace_end(struct sm *s);
void sm_start(struct sm *s, const struct block_start *b);        /* queues the block until its cycle */
/*
 * Runs all core cycles before `until`: simulates cycles with events, and accounts for the others. Stops at a fault
 * (sm_fault). With every_cycle, every cycle is simulated; the results are the same. Returns the cycle of its next event
 * if no message or credit arrives, or where it stopped because of a message that it sent. When one has arrived since
 * the last call, sm_next must be called first. *reports is set when blocks have ended (sm_ended) or there is a fault.
 */
uint64_t sm_run(struct sm *s, uint64_t until, bool every_cycle, bool *reports);
/*
 * Where sm_run stops before `until`. Credits that return in cycles before `credits` are in the port: from then on
 * before a cycle in which it might lack some. So many cycles after a block has ended, and after the first message that
 * it sends. Default: NEVER.
 */
struct sm_horizon { uint64_t credits, after_end, after_send; };
void sm_set_horizon(struct sm *s, const struct sm_horizon *h);
bool sm_has_credits(const struct sm *s, uint64_t now);   /* for the next packet, whatever it is */
/* The cycles, at least, until the last of its resident warps ends; stops counting at `enough`. */
uint32_t sm_least_cycles(const struct sm *s, uint32_t enough);
/* Accounts for the cycles before `until`, which have no events: the counters are exact afterwards. */
void sm_catch_up(struct sm *s, uint64_t until);
uint64_t sm_next(struct sm *s);      /* core cycle of its next event, messages and credits that have arrived included */
/* Blocks that ended during the last sm_run; the array is valid until the next call. */
const struct block_end *sm_ended(const struct sm *s, uint32_t *n);
const struct fault *sm_fault(const struct sm *s);                /* NULL = none */
const struct grid *sm_fault_grid(const struct sm *s);
uint64_t sm_fault_cycle(const struct sm *s);                     /* NEVER = none */

/* Clusters (sm_cluster.c): a message arrives; the messages that the last sm_run has sent, valid until the next. */
struct cnet_message;
void sm_cluster_receive(struct sm *s, const struct cnet_message *m);
const struct cnet_message *sm_cluster_sent(struct sm *s, uint32_t *n);
bool sm_cluster_idle(const struct sm *s);        /* no message is in flight to or from the SM */

struct lsu *sm_lsu(struct sm *s);
struct tm_core *sm_tm(struct sm *s);
/* Adds the SM's figures of functional mode for this grid to the counters of the launch, and clears them. */
void sm_grid_count(struct sm *s, const struct grid *g);
/* Adds the profile of the grid's instructions on this SM; requires profile.file, and sm_catch_up before. */
void sm_profile_add(struct sm *s, const struct grid *g, struct profile *to);
void sm_grid_end(struct sm *s, const struct grid *g);            /* frees the SM's state for this grid */
/* A figure of functional mode, summed over the running grids. */
uint64_t sm_running(const struct sm *s, enum stat figure);
/* ---- for the detection of hangs and their reports ---- */
struct warp *sm_warp(const struct sm *s, uint32_t slot);         /* NULL = the slot is free */
/* A number that grows with every change that a spinning loop may wait for: completed barriers, changes of shared memory
 * (`changes` of its workers), retried transactions (tm_core_retried). */
uint64_t sm_changes(const struct sm *s);
bool sm_sleeps(const struct sm *s, uint32_t slot);       /* the warp waits for a cycle: nanosleep, back-off */
/* True if transactional memory stalls the warp in this slot; text: what it waits for. */
bool sm_tx_waits(const struct sm *s, uint32_t slot, char *text, size_t size);
/* Where the warp in this slot is, and what it waits for; false: no warp, or it has ended. */
bool sm_position(const struct sm *s, uint32_t slot, const struct code **code, const struct dinst **at, char *why,
                 size_t size);
/* Describes every resident warp: slot, block, PTX line, what it waits for. Warps whose position and wait are in `told`,
 * of this SM or of others, are only counted. */
struct sm_told { uint64_t wait[256]; uint32_t n; };
void sm_dump(const struct sm *s, struct sm_told *told, void (*line)(void *ctx, const char *text), void *ctx);

#endif
