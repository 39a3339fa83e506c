/*
 * Transactional memory as the SM core and the machine see it: the same for every protocol (tm.h). A machine has one
 * struct tm_gpu when tm.global names a protocol, an SM one struct tm_core; a warp slot that holds a warp of a kernel
 * with transactions is told to it. Whatever the functions tell the SM comes through tm_calls, in the cycle of the call.
 */
#ifndef TM_CORE_H
#define TM_CORE_H

#include "memsys/lsu/lsu.h"
#include "ptx/txn/txn.h"
#include "tm/oracle/oracle.h"
#include "tm/tm.h"

/* ---- of a machine ---- */
/* The rules between its keys; false with a message. protocol: as in tm_new. */
bool tm_check(const struct simtx_config *c, const struct tm_protocol *protocol, uint32_t slices, char *error,
              size_t size);
/* NULL when tm.global is none. The configuration must live as long. protocol: instead of what the configuration names;
 * NULL = that. */
struct tm_gpu *tm_new(const struct simtx_config *c, const struct tm_protocol *protocol, const struct devmem *mem,
                  uint32_t sms, uint32_t slices, uint32_t warps);
void tm_free(struct tm_gpu *t);
bool tm_global_step(const struct tm_gpu *t);             /* windows must be one cycle */
extern const struct engine_kind tm_slice_engine;       /* beside every slice, its `shared` being the struct tm_gpu */
uint64_t tm_private_bytes(const struct tm_gpu *t);       /* of a warp, for logs */
/* A run begins, of grids with transactions or without: nothing is known of the run before. */
void tm_begin_run(struct tm_gpu *t, bool transactions);
/* Serial, between two windows; all cycles before now have been simulated. True: SMs have something to do. */
bool tm_step(struct tm_gpu *t, uint64_t now);
bool tm_idle(const struct tm_gpu *t);
/* The run is over and memory final: what is counted for the whole GPU. False with words on what is wrong: an error of
 * the protocol. */
bool tm_finish(struct tm_gpu *t, uint64_t *count, char *text, size_t size);

/* ---- of an SM ---- */
enum { ROLE_RESTORE = 255 };         /* op->role of a store that puts private memory back: over, it is done */

struct tm_calls {
    void *ctx;
    struct mem_op *(*op_new)(void *ctx);
    void (*op_free)(void *ctx, struct mem_op *op);
    /* To the load/store unit, as an access of the warp to global memory. */
    void (*issue)(void *ctx, uint32_t slot, struct mem_op *op);
    /* The registers of a load inside a transaction are written. */
    void (*loaded)(void *ctx, struct mem_op *op);
    /* Outcomes: the SM applies them to the warp (txn.h), and tells tm_core_attempt or tm_core_ended of what follows. */
    void (*decided)(void *ctx, uint32_t slot, uint64_t commits, uint64_t aborts);
    /* Lanes of a running attempt are to be aborted: tm_core_doomed, once nothing of the warp is under way. */
    void (*doomed)(void *ctx, uint32_t slot);
    /* May the warp go on? It is asked again. */
    void (*ask)(void *ctx, uint32_t slot);
    /* A held fault was no zombie's. */
    void (*fault)(void *ctx, uint32_t slot);
    /* A transaction that can never commit. */
    void (*impossible)(void *ctx, uint32_t slot, unsigned lane, const char *text);
    /* `run` is to be called at this core cycle. */
    void (*at)(void *ctx, uint64_t cycle);
};

struct tm_core *tm_core_new(struct tm_gpu *t, uint16_t sm, struct lsu *lsu, const struct tm_calls *calls,
                            uint64_t *count, struct hists *hists);
void tm_core_free(struct tm_core *c);

/* A warp has come to the slot. log: device address of its logs. */
void tm_core_place(struct tm_core *c, uint32_t slot, struct warp *w, uint64_t log);
/* May tx_begin of so many lanes issue? Then their place is taken. If not, `ask` tells when to ask again. */
bool tm_core_may_begin(struct tm_core *c, uint32_t slot, uint32_t lanes, uint64_t now);
/* A block of a kernel with transactions comes, before its warps are placed, and goes. slot: of its warps. */
void tm_core_block_starts(struct tm_core *c, uint32_t number, struct block *block, const uint16_t *slot);
void tm_core_block_ends(struct tm_core *c, uint32_t number);
/* An instruction's lanes of shared memory, whose passes are over: performs it, or what of it may be performed. Returns
 * the cycles that its banks go on working for it. core: a struct tm_core (memsys/lsu/lsu.h calls it). */
uint32_t tm_core_shared(void *core, struct mem_op *op, uint64_t now);
/* May an attempt issue at all? The protocol for shared memory may stall it. */
bool tm_core_may_run(struct tm_core *c, uint32_t slot, uint64_t now);
/* May a memory instruction, or tx_commit, inside a transaction issue? */
bool tm_core_may_issue(struct tm_core *c, uint32_t slot, bool commit);
/* tx_begin has opened a transaction; or its next attempt has begun (cycle `now`). Returns the core cycles that the warp
 * is to be held. */
uint64_t tm_core_attempt(struct tm_core *c, uint32_t slot, bool first, uint32_t registers, uint64_t now);
void tm_core_executed(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now);
/* A memory instruction inside a transaction. True: taken over (a store: the op is gone; a load: `loaded` comes). */
bool tm_core_access(struct tm_core *c, struct mem_op *op, uint64_t now);
void tm_core_done(struct tm_core *c, struct mem_op *op, uint64_t now);   /* an op with a role is over */
void tm_core_commit(struct tm_core *c, uint32_t slot, uint64_t now);     /* the warp is WARP_TX, nothing under way */
uint64_t tm_core_doomed(struct tm_core *c, uint32_t slot, uint64_t now); /* lanes that are aborted now */
bool tm_core_wants_validation(const struct tm_core *c, uint32_t slot, uint64_t now);     /* the watchdog */
/* Are the lanes' reads current? Nothing of the warp may be under way. fault: one is held. Answered through `decided`,
 * `fault`, and `ask`. */
void tm_core_validate(struct tm_core *c, uint32_t slot, int fault_lane, uint64_t now);
bool tm_core_validating(const struct tm_core *c, uint32_t slot);
/* All lanes have left the transaction. Returns the core cycles that the warp is held. */
uint64_t tm_core_ended(struct tm_core *c, uint32_t slot, uint64_t now);
void tm_core_message(struct tm_core *c, struct packet *k, uint64_t now);
uint64_t tm_core_run(struct tm_core *c, uint64_t now);                   /* returns when to be called next */
/* Transactions that have committed after they had been aborted: what tells a warp that tries again and again, in the
 * same state each time, from one that never gets anywhere. For hang reports. */
uint64_t tm_core_retried(const struct tm_core *c);
bool tm_core_idle(const struct tm_core *c);
/* Why the lane was aborted last: its name. */
const char *tm_core_reason(const struct tm_core *c, uint32_t slot, unsigned lane);
bool tm_core_touched(struct tm_core *c);             /* by the last tm_step */
/* For reports of hangs: what a warp waits for at tx_begin, and inside (": ..."; empty = nothing to say); and the
 * slot and SM of a warp that has what one at tx_begin waits for, false = none. */
void tm_core_say_turn(const struct tm_core *c, uint32_t slot, char *text, size_t size);
void tm_core_say(const struct tm_core *c, uint32_t slot, char *text, size_t size);
/* Of a warp inside a transaction: since when, and whether it is doomed, which is seen in memory as it is now. */
void tm_core_say_inside(const struct tm_core *c, uint32_t slot, char *text, size_t size);
bool tm_core_holder(const struct tm_core *c, uint32_t slot, uint32_t *sm, uint32_t *holder);
void tm_core_dump(const struct tm_core *c, void (*line)(void *ctx, const char *text), void *ctx);

#endif
