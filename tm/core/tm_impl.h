/* The inside of the core part of transactional memory: tm_gpu.c (machine), tm_core.c (SM), concurrency.c (concurrency
 * control), sets.c, load.c (loads), slice_unit.c (slices), describe.c (texts for reports of hangs). */
#ifndef TM_IMPL_H
#define TM_IMPL_H

#include "base/pool.h"
#include "tm/core/shared_protocol.h"
#include "tm/core/tm_core.h"

enum tm_role { ROLE_PROGRAM, ROLE_FETCH, ROLE_REST, ROLE_PROTOCOL };

struct tm_delta { uint64_t at; int32_t lanes; };

/* What an SM asks the whole GPU for: a place among tm.global_warps. */
struct tm_request { uint64_t at; uint16_t sm; uint32_t slot; };

struct tm_warp {
    struct warp *warp;               /* NULL: none of a kernel with transactions */
    uint32_t attempt;                /* number of the last one */
    struct tm_lane lane[TM_LANES];
    uint64_t log;
    uint32_t commits;                /* lanes of the transaction that have committed */
    uint32_t lanes_in;               /* lanes that have places, in a transaction or about to begin one; 0 = none */
    bool token, granted, asked;      /* a place of the GPU: held or to be taken; asked for */
    bool waiting;                    /* at tx_begin */
    uint64_t doomed, validating;
    int fault_lane;                  /* -1 = none held */
    uint64_t executing;              /* lanes of the last instructions */
    uint32_t executed;               /* instructions of these, not yet in lane[] */
    uint32_t row;                    /* aborts of the lane decided last */
    uint64_t deadline;               /* of the watchdog */
    uint64_t committing;             /* cycle of the commit; 0 = does not */
    /* shared memory */
    struct tm_block *block;
    bool running;                    /* counted among the block's attempts */
    uint64_t lost;                   /* lanes that had a conflict there in this attempt */
    uint64_t entered;                /* cycle of the transaction's tx_begin */
    uint64_t turn_from;              /* cycle in which it first asked for its turn at tx_begin; 0 = does not wait */
    uint64_t stalled;                /* cycle from which the attempt may not run; 0 = it may */
    uint64_t memory, held;           /* cycles of the transaction: of the banks, and at tx_begin and tx_commit */
    uint32_t release;                /* cycles of tx_commit that are to come: behind the outcomes in global memory */
    uint32_t steps;                  /* instructions to tx_commit from where the last lanes were lost */
};

struct tm_core {
    struct tm_gpu *tm;
    struct lsu *lsu;
    struct tm_calls calls;
    uint64_t *count;
    struct hists *hists;
    void *protocol, *banks;          /* banks: NULL = tm.shared is none */
    struct tm_warp *warp;
    struct tm_block **block;         /* by number */
    uint32_t blocks, blocks_cap;
    uint16_t sm;
    uint64_t retried;                /* transactions that committed behind an abort */
    uint64_t uneven;                 /* transactions that ended with more or fewer commits than lanes */
    uint32_t warps_in, threads_in, asking;   /* asking: warps that have asked for a place of the GPU */
    uint64_t now, run_at;
    bool touched;                    /* in the serial step */
    struct oracle_note *note;
    struct pool load;
    uint32_t loads;                  /* under way */
    struct packet_pool pool;
    struct tm_delta *delta;          /* since the last step */
    uint32_t ndelta, delta_cap;
    struct tm_request *request;
    uint32_t nrequest, request_cap;
    uint32_t released;               /* places of the GPU given back since the last step */
};

struct tm_gpu {
    const struct simtx_config *config;
    struct tm_cfg cfg;               /* watchdog: 0 without tm.global */
    const struct tm_protocol *protocol;
    const struct tm_banks *banks;    /* NULL = tm.shared is none */
    const struct devmem *mem;
    void *shared;
    struct oracle *oracle;           /* NULL = off */
    struct tm_core **core;
    void **cores;                    /* their protocol parts */
    uint32_t sms, slices, warps, lanes;
    uint64_t base;                   /* of device memory */
    uint32_t places;                 /* of the GPU that are taken */
    struct tm_request *queue;        /* who waits for one */
    uint32_t nqueue, queue_cap;
    bool active;                     /* the run has transactions */
    int64_t in;                      /* lanes in transactions; the most at once */
    int64_t most;
    struct tm_delta *delta;          /* of all cores, to be sorted */
    uint32_t delta_cap;
};

void tm_set_clear(struct tm_set *s);
void tm_set_add(struct tm_set *s, uint64_t address, uint32_t value, uint8_t bytes);
/* The newest value of each byte of a word in a set: returns which bytes there are. */
uint8_t tm_set_find(const struct tm_set *s, uint64_t address, uint32_t *value);

/* ---- concurrency.c ---- */
void tm_note_lanes(struct tm_core *c, int32_t lanes, uint64_t now);  /* so many more are in transactions */
void tm_enter(struct tm_core *c, struct tm_warp *x, uint64_t lanes, uint64_t now);   /* a first attempt of lanes */

/* ---- tm_core.c ---- */
extern const struct tm_reason_row { const char *name; enum stat count; } tm_reasons[TM_REASONS];
struct oracle_who tm_who(const struct tm_core *c, uint32_t slot, unsigned lane, uint64_t now);

/* ---- shared_memory.c: shared memory; but for the first three only with c->banks ---- */
void banks_free(struct tm_core *c);
void banks_begin_run(struct tm_core *c);
bool banks_finish(struct tm_core *c, char *text, size_t size);   /* false: what the oracle found */
uint64_t banks_attempt(struct tm_core *c, uint32_t slot, uint64_t lanes, bool first, uint64_t now);  /* cycles held */
uint32_t banks_commit(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now);               /* the same */
void banks_committed(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t key, uint64_t now);
void banks_aborted(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now);
uint64_t banks_ended(struct tm_core *c, uint32_t slot, uint64_t now);    /* the same */

/* ---- none.c ---- */
extern const struct tm_protocol tm_plain;        /* tm.global = none */

bool tm_load_begin(struct tm_core *c, struct mem_op *op, uint64_t lanes, uint64_t now);
void tm_load_fetched(struct tm_core *c, struct mem_op *op, uint64_t now);
void tm_load_pool(struct pool *p);

#endif
