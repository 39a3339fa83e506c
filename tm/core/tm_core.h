/*
 * Transactional memory as the SM core and the machine use it, the same for every protocol (tm.h). A machine has one
 * struct tm_gpu if tm.global or tm.shared names a protocol, and each SM has one struct tm_core. The SM reports each
 * warp of a kernel with transactions (tm_core_warp_starts). Results return to the SM through tm_calls, in the cycle of
 * the call.
 */
#ifndef TM_CORE_H
#define TM_CORE_H

#include "memsys/lsu/lsu.h"
#include "ptx/txn/txn.h"
#include "tm/oracle/oracle.h"
#include "tm/tm.h"

/* ---- of a machine ---- */
/* Checks the rules between the keys; false with a message. protocol: as in tm_new. */
bool tm_check(const struct simtx_config *c, const struct tm_protocol *protocol, uint32_t slices, char *error,
              size_t size);
/* NULL without transactional memory. The configuration must live as long as the result. protocol: replaces the one that
 * the configuration names, unless it is NULL. */
struct tm_gpu *tm_new(const struct simtx_config *c, const struct tm_protocol *protocol, const struct devmem *mem,
                  uint32_t sms, uint32_t slices, uint32_t warps);
/* Accesses to words of global memory in no time, in the serial step, where copies in L1s may be newer than memory.
 * While a word is not ready (its line is in transition), it can be neither read nor written. bytes: a bit for each. */
struct tm_memory {
    void *ctx;
    bool (*ready)(void *ctx, uint64_t address);
    uint32_t (*read)(void *ctx, uint64_t address);
    void (*write)(void *ctx, uint64_t address, unsigned bytes, uint32_t value);
};
void tm_use_memory(struct tm_gpu *t, const struct tm_memory *m);     /* without: memory itself */
void tm_free(struct tm_gpu *t);
bool tm_global_step(const struct tm_gpu *t);             /* windows must be one cycle */
extern const struct engine_kind tm_slice_engine;       /* of every slice; its `shared` is the struct tm_gpu */
uint64_t tm_private_bytes(const struct tm_gpu *t);       /* of a warp, for logs */
/* A run begins, of grids with transactions or without. Clears the state of the run before. */
void tm_begin_run(struct tm_gpu *t, bool transactions);
/* Serial, between two windows; all cycles before now have been simulated. True: SMs may have new work. */
bool tm_step(struct tm_gpu *t, uint64_t now);
/* The next slice from `from` on that the last tm_step has touched (tm_touch_slice); UINT32_MAX = none. */
uint32_t tm_touched_slice(const struct tm_gpu *t, uint32_t from);
bool tm_idle(const struct tm_gpu *t);
/* Serial, after a run with nothing in flight: the protocol may have messages sent in order to leave memory as it must
 * be. Called again between windows until it returns true. */
bool tm_end(struct tm_gpu *t, uint64_t now);
/* After a run, when memory is final: adds the counters of the whole GPU and checks for errors of the protocol. False:
 * an error, described in text. */
bool tm_finish(struct tm_gpu *t, uint64_t *count, char *text, size_t size);

/* ---- of an SM ---- */
enum { TM_ROLE_RESTORE = 255 };         /* op->role of a store that restores private memory: freed when it completes */

struct tm_calls {
    void *ctx;
    struct mem_op *(*op_new)(void *ctx);
    void (*op_free)(void *ctx, struct mem_op *op);
    /* To the load/store unit, as an access of the warp to global memory. */
    void (*issue)(void *ctx, uint32_t slot, struct mem_op *op);
    /* A load inside a transaction has completed: its registers are written. */
    void (*loaded)(void *ctx, struct mem_op *op);
    /* Outcomes of lanes: the SM applies them to the warp (txn.h) and then calls tm_core_attempt or tm_core_ended. */
    void (*decided)(void *ctx, uint32_t slot, uint64_t commits, uint64_t aborts);
    /* Lanes of a running attempt must abort: the SM calls tm_core_take_aborts when the warp has nothing in flight. */
    void (*abort_pending)(void *ctx, uint32_t slot);
    /* A warp that could not issue may be able to now: the SM checks it again. */
    void (*wake)(void *ctx, uint32_t slot);
    /* The read set of a lane with a held fault is current: the fault is real. */
    void (*fault)(void *ctx, uint32_t slot);
    /* Of an attempt whose last lanes abort: cycles of the instructions from there to tx_commit, without lanes. */
    uint32_t (*cycles_to_commit)(void *ctx, uint32_t slot);
    /* A transaction that can never commit; at: its instruction to report, NULL = tx_begin. */
    void (*impossible)(void *ctx, uint32_t slot, unsigned lane, const struct dinst *at, const char *text);
    /* The SM must call tm_core_run in this core cycle. */
    void (*run_at)(void *ctx, uint64_t cycle);
};

struct tm_core *tm_core_new(struct tm_gpu *t, uint16_t sm, struct lsu *lsu, const struct tm_calls *calls,
                            uint64_t *count, struct hists *hists);
void tm_core_free(struct tm_core *c);

/* A warp starts in the slot. log: device address of its logs. */
void tm_core_warp_starts(struct tm_core *c, uint32_t slot, struct warp *w, uint64_t log);
/* May tx_begin of so many lanes issue? True: concurrency control grants the warp a token. False: `wake` follows. */
bool tm_core_may_begin(struct tm_core *c, uint32_t slot, uint32_t lanes, uint64_t now);
bool tm_core_begin_waits(const struct tm_core *c);       /* tm_protocol.begin_waits */
/* A block of a kernel with transactions starts, before its warps do; and ends. slot: of its warps. */
void tm_core_block_starts(struct tm_core *c, uint32_t number, struct block *block, const uint16_t *slot);
void tm_core_block_ends(struct tm_core *c, uint32_t number);
/* Performs the lanes of an instruction in shared memory after its passes over the banks; lanes with a conflict are not
 * performed. Returns the cycles for which the banks remain busy. core: a struct tm_core (called by memsys/lsu/lsu.h).
 * */
uint32_t tm_core_shared_access(void *core, struct mem_op *op, uint64_t now);
/* May the warp issue any instruction of its attempt? The protocol for shared memory may stall it. */
bool tm_core_may_run(struct tm_core *c, uint32_t slot, uint64_t now);
/* May the warp issue a memory instruction, or tx_commit, of its transaction? */
bool tm_core_may_issue(struct tm_core *c, uint32_t slot, bool commit);
/* tx_begin has started a transaction (first), or its next attempt starts, in cycle `now`. Returns the core cycles for
 * which the warp stalls. */
uint64_t tm_core_attempt(struct tm_core *c, uint32_t slot, bool first, uint32_t registers, uint64_t now);
void tm_core_executed(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now);
/* A memory instruction inside a transaction. True: the SM does not issue it (a store: the op is freed; a load: `loaded`
 * follows). */
bool tm_core_access(struct tm_core *c, struct mem_op *op, uint64_t now);
void tm_core_done(struct tm_core *c, struct mem_op *op, uint64_t now);   /* an op with a role completes */
void tm_core_commit(struct tm_core *c, uint32_t slot, uint64_t now);     /* the warp is WARP_TX, nothing in flight */
uint64_t tm_core_take_aborts(struct tm_core *c, uint32_t slot, uint64_t now); /* lanes that abort now */
bool tm_core_wants_validation(const struct tm_core *c, uint32_t slot, uint64_t now);     /* the watchdog */
/* Validates the read sets of the lanes; the warp must have nothing in flight. fault_lane: the lane with a held fault,
 * or -1. The result arrives through `decided`, `fault` and `wake`. */
void tm_core_validate(struct tm_core *c, uint32_t slot, int fault_lane, uint64_t now);
bool tm_core_validating(const struct tm_core *c, uint32_t slot);
/* All lanes have committed. Returns the core cycles for which the warp stalls. */
uint64_t tm_core_ended(struct tm_core *c, uint32_t slot, uint64_t now);
void tm_core_message(struct tm_core *c, struct packet *k, uint64_t now);
uint64_t tm_core_run(struct tm_core *c, uint64_t now);                   /* returns the cycle of the next call */
/* Transactions that committed after at least one abort. A hang report uses it to tell warps that retry and make
 * progress from livelock. */
uint64_t tm_core_retried(const struct tm_core *c);
bool tm_core_idle(const struct tm_core *c);
/* Name of the reason of the lane's last abort. */
const char *tm_core_reason(const struct tm_core *c, uint32_t slot, unsigned lane);
bool tm_core_touched(struct tm_core *c);             /* has the last tm_step changed the SM? */
/* For reports of hangs: what a warp waits for at tx_begin, and inside a transaction (": ..."; empty = nothing known).
 * */
void tm_core_describe_begin(const struct tm_core *c, uint32_t slot, char *text, size_t size);
void tm_core_describe_wait(const struct tm_core *c, uint32_t slot, char *text, size_t size);
/* The attempt of a warp: its first cycle, and whether its read set equals memory at present. */
void tm_core_describe_attempt(const struct tm_core *c, uint32_t slot, char *text, size_t size);
/* The SM and slot of a warp that holds a token which one at tx_begin waits for; false = none. */
bool tm_core_token_holder(const struct tm_core *c, uint32_t slot, uint32_t *sm, uint32_t *holder);
void tm_core_dump(const struct tm_core *c, void (*line)(void *ctx, const char *text), void *ctx);

#endif
