/* The inside of the common part of transactional memory: tm_gpu.c (machine), tm_core.c (SM), concurrency.c (concurrency
 * control), sets.c, load.c (loads), slice_engine.c (slices), describe.c (texts for reports of hangs). */
#ifndef TM_IMPL_H
#define TM_IMPL_H

#include "base/pool.h"
#include "tm/core/pairs.h"
#include "tm/core/shared_protocol.h"
#include "tm/core/tm_core.h"

enum tm_role { TM_ROLE_PROGRAM, TM_ROLE_FETCH, TM_ROLE_REST, TM_ROLE_PROTOCOL };

struct tm_delta { uint64_t at; int32_t lanes; };

/* A request of a warp for one of the GPU's tokens (tm.global_warps). */
struct tm_request { uint64_t at; uint16_t sm; uint32_t slot; };

struct tm_warp {
    struct warp *warp;               /* NULL: no warp of a kernel with transactions */
    uint32_t attempt;                /* number of the last one */
    struct tm_lane lane[TM_LANES];
    uint64_t log;                    /* device address of its logs */
    uint32_t commits;                /* lanes of the transaction that have committed */
    uint32_t lanes_in;               /* lanes in a transaction, or about to begin one with a token; 0 = none */
    bool token, granted, requested;  /* token of the GPU: held; granted, not yet used; requested */
    bool waiting;                    /* at tx_begin */
    uint64_t aborting, validating;   /* lanes that must abort; lanes whose read sets are being validated */
    int fault_lane;                  /* with a held fault; -1 = none */
    uint64_t executing;              /* lanes of the last instructions */
    uint32_t executed;               /* their instructions that are not yet counted in lane[] */
    uint32_t aborts_in_row;          /* of the lane that was decided last */
    uint64_t deadline;               /* of the watchdog */
    uint64_t committing;             /* cycle of tx_commit; 0 = not committing */
    /* shared memory */
    struct tm_block *block;
    bool running;                    /* counted in block->running */
    uint64_t lost;                   /* lanes that had a conflict there in this attempt */
    uint64_t entered;                /* cycle of the transaction's tx_begin */
    uint64_t begin_waits_from;       /* cycle from which tx_begin waits; 0 = it does not */
    uint64_t stalled;                /* cycle from which the attempt stalls; 0 = it does not */
    uint64_t memory, held;           /* cycles of the transaction: banks busy; stalled at tx_begin and tx_commit */
    uint32_t release;                /* cycles of tx_commit that follow the outcomes */
    uint32_t to_commit;              /* cycles of the instructions to tx_commit from where the last lanes aborted */
};

struct tm_core {
    struct tm_gpu *tm;
    struct lsu *lsu;
    struct tm_calls calls;
    uint64_t *count;
    struct hists *hists;
    void *protocol, *shared_protocol;            /* their parts at the SM; shared_protocol: NULL = none */
    struct tm_warp *warp;
    struct tm_block **block;         /* by number */
    uint32_t blocks, blocks_cap;
    uint16_t sm;
    uint64_t retried;                /* transactions that committed after an abort */
    uint64_t miscounted;             /* transactions of warps that ended with more or fewer commits than lanes */
    uint32_t warps_in, threads_in;   /* in transactions */
    uint32_t requesting;             /* warps that have requested a token of the GPU */
    uint64_t now, run_at;
    bool touched;                    /* changed in the serial step */
    struct oracle_events *events;
    struct pool load;
    uint32_t loads;                  /* in flight */
    struct packet_pool pool;
    struct tm_delta *delta;          /* since the last step */
    uint32_t ndelta, delta_cap;
    struct tm_request *request;
    uint32_t nrequest, request_cap;
    uint32_t released;               /* tokens of the GPU returned since the last step */
};

struct tm_gpu {
    const struct simtx_config *config;
    struct tm_cfg cfg;               /* watchdog: 0 without tm.global */
    const struct tm_protocol *protocol;
    const struct tm_shared_protocol *shared_protocol;        /* NULL = tm.shared is none */
    const struct devmem *mem;
    struct tm_memory memory;         /* ready NULL: words are in `mem` */
    void *state;                     /* the protocol's, of the machine */
    struct oracle *oracle;           /* NULL = off */
    struct pairs *pairs;             /* NULL without stats.pairs */
    struct tm_core **core;
    void **cores;                    /* their protocol parts */
    uint32_t sms, slices, warps, lanes;
    uint64_t base;                   /* of device memory */
    uint32_t tokens;                 /* of the GPU, in use */
    struct tm_request *queue;        /* requests that wait for one */
    uint32_t nqueue, queue_cap;
    bool active;                     /* the run has transactions */
    bool notes;                      /* protocol->notes */
    bool *touched;                   /* by slice, in the last step */
    bool touched_some;
    int64_t lanes_in, most_lanes;    /* lanes in transactions; their maximum */
    struct tm_delta *delta;          /* of all SMs, sorted */
    uint32_t delta_cap;
};

void tm_set_clear(struct tm_set *s);
void tm_set_add(struct tm_set *s, uint64_t address, uint32_t value, uint8_t bytes);
/* The newest value of each byte of a word in a set. Returns a mask of the bytes found. */
uint8_t tm_set_find(const struct tm_set *s, uint64_t address, uint32_t *value);

/* ---- concurrency.c ---- */
void tm_count_lanes(struct tm_core *c, int32_t lanes, uint64_t now);  /* adds to the lanes in transactions */
void tm_begin_transaction(struct tm_core *c, struct tm_warp *x, uint64_t lanes, uint64_t now);   /* first attempt */

/* ---- tm_core.c ---- */
extern const struct tm_reason_row { const char *name; enum stat count; } tm_reasons[TM_REASONS];
struct oracle_who tm_who(const struct tm_core *c, uint32_t slot, unsigned lane, uint64_t now);

/* ---- shared_memory.c; all but the first three need c->shared_protocol ---- */
void tm_shared_free(struct tm_core *c);
void tm_shared_begin_run(struct tm_core *c);
bool tm_shared_finish(struct tm_core *c, char *text, size_t size);       /* false: the oracle found an error */
/* These return the core cycles for which the warp stalls. */
uint64_t tm_shared_attempt(struct tm_core *c, uint32_t slot, uint64_t lanes, bool first, uint64_t now);
uint32_t tm_shared_commit(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now);
uint64_t tm_shared_ended(struct tm_core *c, uint32_t slot, uint64_t now);
/* place: NULL, or that of a commit under snapshot isolation; then key is 0. */
void tm_shared_committed(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t key,
                         const struct oracle_place *place, uint64_t now);
void tm_shared_aborted(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now);

/* ---- none.c ---- */
extern const struct tm_protocol tm_plain;        /* tm.global = none */

bool tm_load_begin(struct tm_core *c, struct mem_op *op, uint64_t lanes, uint64_t now);
void tm_load_fetched(struct tm_core *c, struct mem_op *op, uint64_t now);
void tm_load_pool(struct pool *p);

#endif
