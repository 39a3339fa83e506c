/*
 * The interface of transactional-memory protocols in timing mode. Between an SM and a protocol stands the core part
 * (tm_core.c), which does what every protocol needs: concurrency control, who is in which attempt, the exact read and
 * write set of every lane, loads put together from memory and own writes, statistics, the oracle. A protocol is one
 * table of functions: it decides what an access costs, what messages travel, and which attempts commit. It may own a
 * unit beside each L2 slice (memsys/l2/engine.h), messages of kinds from MSG_ENGINE on, and lines of private memory behind
 * those of the kernel (logs), and it may take part in the serial step between two windows of the simulation.
 *
 *   SM  <->  tm core part (tm_core.h)  <->  protocol at the SM  <- messages ->  protocol's unit at the L2 slice
 */
#ifndef TM_TM_H
#define TM_TM_H

#include "base/config.h"
#include "base/hist.h"
#include "base/stats.h"
#include "memsys/l2/engine.h"
#include "ptx/memory/access.h"

enum { TM_LANES = 64 };

enum tm_reason {
#define REASON(id, name, meaning) TM_##id,
#include "tm/reasons.def"
    TM_REASONS
};

/* A word of a read or write set, exactly: address is a multiple of 4, bytes has a bit for each byte that was
 * written. */
struct tm_word { uint64_t address; uint32_t value; uint8_t bytes; };
struct tm_set { struct tm_word *w; uint32_t n, cap; };

/* One lane's attempt. */
struct tm_lane {
    struct tm_set reads, writes;     /* in program order, one element per access and word; no own reads */
    struct tm_set shared_reads, shared_writes;   /* of shared memory, by offset; of a read: the bytes not its own */
    uint32_t aborts;                 /* of this transaction so far */
    enum tm_reason why;              /* of its last abort */
    uint32_t instructions;           /* of this attempt */
    bool spoiled;                    /* an atomic of its own has changed a word that it had read */
    uint8_t spoils;                  /* attempts in a row that were, and aborted */
    uint64_t first, start;           /* core cycles: first tx_begin of the transaction; start of the attempt */
};

/* A load inside a transaction, while it is put together. op->data of a lane takes its bytes; registers are written when
 * nothing is waited for any more. */
struct tm_load {
    struct mem_op *op;               /* the program's instruction; only its global lanes are handled here */
    struct mem_op *fetch;            /* whole words from memory into its data, for lanes & ~covered; NULL = none */
    uint32_t slot, waits;
    uint64_t lanes, own, covered;    /* global lanes; with own writes to some byte; to all bytes */
    uint64_t protocol;               /* the protocol's */
    bool held;                       /* the fetch waits for tm_fetch */
};

struct tm_cfg {
#define CONFIG_ROWS "tm/config.def"
#include "base/config_fields.h"
};
void tm_configure(struct tm_cfg *c, const struct simtx_config *config);

struct tm_gpu;                       /* of a machine */
struct oracle_note;
struct tm_core;                      /* of an SM */

struct tm_protocol {
    const char *name;
    bool plain;                      /* global memory is accessed as outside transactions: load, store and the message
                                      * are not called */
    uint32_t payload;                /* bytes at packet->payload of its messages */
    /* Its actions need the whole GPU in one cycle: windows are one cycle long and `step` is called after each. */
    bool (*global_step)(const struct simtx_config *c);
    bool (*check)(const struct simtx_config *c, uint32_t slices, char *error, size_t size);
    /* State of the machine; engine_kind->new_engine gets the struct tm_gpu as `shared`. */
    void *(*new_shared)(struct tm_gpu *t, const struct simtx_config *c);
    void (*free_shared)(void *shared);
    /* Words of 4 bytes a lane of private memory that it wants for logs. */
    uint32_t (*private_words)(const struct simtx_config *c);
    const struct engine_kind *engine;/* NULL = none */

    /* At an SM. `core` is what new_core returned. All cycles are core cycles. */
    void *(*new_core)(struct tm_core *c, void *shared);
    void (*free_core)(void *core);
    /* May the warp's next memory instruction, or tx_commit, issue? Asked again after tm_wake. NULL = always. */
    bool (*may_issue)(void *core, uint32_t slot, bool commit);
    /* An attempt of these lanes starts. */
    void (*attempt)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* A load: l->own, covered and fetch are set, the fetch goes to the load/store unit when this returns, or with
     * l->held, which the protocol may set, when it calls tm_fetch. The protocol adds to l->waits what it wants to wait
     * for, and calls tm_load_part for each. */
    void (*load)(void *core, struct tm_load *l, uint64_t now);
    /* The words have come: l->fetch->data. The read sets have them already. NULL = nothing to do. */
    void (*loaded)(void *core, struct tm_load *l, uint64_t now);
    /* A store of these lanes: op->data has the bytes; the write sets have them already. */
    void (*store)(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
    /* An op of tm_issue or tm_log is over; op->owner is what the protocol set. It frees it with tm_op_free. */
    void (*done)(void *core, struct mem_op *op, uint64_t now);
    /* All lanes of the attempt are at tx_commit and nothing of them is under way: the protocol decides each with
     * tm_decide, in this call or later. */
    void (*commit)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* Lanes of a running attempt have been aborted by tm_abort. */
    void (*aborted)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* Are the values that these lanes have read current (watchdog, held faults)? Answered with tm_validated, but for
     * lanes that are aborted before. */
    void (*validate)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* The warp's transaction is over for all its lanes. NULL = nothing to do. */
    void (*ended)(void *core, uint32_t slot, uint64_t now);
    /* A message of a unit, which is the protocol's now; packet_return ends it. */
    void (*message)(void *core, struct packet *k, uint64_t now);
    /* Cycle `now`; returns the next cycle in which it acts without a message or a call; NEVER. */
    uint64_t (*run)(void *core, uint64_t now);
    bool (*idle)(const void *core);
    /* For reports of hangs, in words: what a warp waits for that commits, is validated or may not issue, as ": ...".
     * NULL = nothing to say; and the state of everything, a line each. */
    void (*say)(const void *core, uint32_t slot, char *text, size_t size);
    void (*dump)(const void *core, void (*line)(void *ctx, const char *text), void *ctx);
    /* The run is over and nothing is under way: are its state and its counters what they must be? NULL = nothing to
     * check. */
    bool (*sound)(void *shared, const uint64_t *count, char *error, size_t size);
    /* Serial, between two windows; all cycles before `now` have been simulated. cores: by SM. */
    void (*step)(void *shared, void *const *cores, uint32_t n, uint64_t now);
};

extern const struct tm_protocol *const tm_protocols[];   /* by choice of tm.global; NULL = none */
extern const char tm_global_choices[], tm_shared_choices[];   /* "none|..." (tm/registry.def) */

/* ---- for protocols, of the machine ---- */
uint32_t tm_gpu_slices(const struct tm_gpu *t);
uint64_t tm_gpu_base(const struct tm_gpu *t);                    /* start of device memory */
bool tm_gpu_has(const struct tm_gpu *t, uint64_t address);       /* is it device memory that has bytes? */
void *tm_shared(struct tm_gpu *t);                               /* what new_shared returned; units get t */
struct oracle_note *tm_slice_note(struct tm_gpu *t, uint32_t slice);     /* for a unit's writes; may be NULL */

/* ---- for protocols, at the SM ---- */
struct tm_lane *tm_lane(struct tm_core *c, uint32_t slot, unsigned lane);
uint16_t tm_sm(const struct tm_core *c);
uint64_t *tm_count(struct tm_core *c);                           /* by enum stat */
const struct simtx_config *tm_config(const struct tm_core *c);
uint64_t tm_now(const struct tm_core *c);                        /* core cycle being simulated */
/* Device address of the protocol's words of private memory of this warp: word w of lane l lies at + (w x lanes + l)
 * x 4. */
uint64_t tm_private(const struct tm_core *c, uint32_t slot);
uint32_t tm_warp_lanes(const struct tm_core *c);
uint64_t tm_memory_base(const struct tm_core *c);                /* start of device memory */

void tm_fetch(struct tm_core *c, struct tm_load *l);             /* of a load with a fetch that is held: it goes now */
/* Had the lane written all that it wants of the n-th word of the access? Then the word is not read. */
bool tm_word_is_own(const struct tm_load *l, unsigned lane, unsigned n);
void tm_load_part(struct tm_core *c, struct tm_load *l, uint64_t now);   /* one wait less; the last: registers */
/* key: of the oracle: commits are replayed in its order. now: the cycle in which the outcome is known. */
void tm_decide(struct tm_core *c, uint32_t slot, unsigned lane, bool commits, uint64_t key, enum tm_reason why,
               uint64_t now);
/*
 * Aborts lanes of the attempt with this number (tm_attempt) while it runs or commits, at any cycle; lanes that are
 * decided already and older attempts are ignored. It takes effect when what they have under way has come back.
 */
void tm_abort(struct tm_core *c, uint32_t slot, uint64_t lanes, uint32_t attempt, enum tm_reason why, uint64_t now);
/* The number of the slot's attempt; the slot has no other with this number in a run, of whatever warp. */
uint32_t tm_attempt(const struct tm_core *c, uint32_t slot);
/* Is this about a held fault? When tm_validated calls the reads of such a lane current the fault is the program's: they
 * must have been all current at one moment between two commits. */
bool tm_fault_held(const struct tm_core *c, uint32_t slot);
void tm_unused_key(struct tm_core *c, uint64_t key, uint64_t now);       /* nothing commits under this key */
void tm_validated(struct tm_core *c, uint32_t slot, uint64_t current, uint64_t stale, uint64_t now);
void tm_wake(struct tm_core *c, uint32_t slot);                  /* may_issue may say otherwise */
void tm_runs(struct tm_core *c, uint64_t at);                    /* `run` is called at this cycle at the latest */
/* Text behind text, as far as there is room; lanes as in "lanes 0-3,7". */
void tm_append_lanes(char *text, size_t size, uint64_t lanes);
/* An impossible transaction: reported with its instruction, and the run ends. */
void tm_impossible(struct tm_core *c, uint32_t slot, unsigned lane, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/* Memory instructions of the protocol's own. to_data: a load's bytes go to op->data, not to registers. */
struct mem_op *tm_op_new(struct tm_core *c, uint32_t slot);
void tm_op_free(struct tm_core *c, struct mem_op *op);
void tm_issue(struct tm_core *c, struct mem_op *op, uint64_t now);       /* global memory: as if of the warp */
/* Private memory, in the background: behind what was given before, when L1 has a port free. */
void tm_log(struct tm_core *c, struct mem_op *op, uint64_t now);
uint32_t tm_logs_queued(const struct tm_core *c);
/* A message to the unit of the slice that has this line; bytes: payload on the crossbar. It leaves in its turn among
 * the core's requests; on a network of its own (packet->vn, which the caller may set) it passes those of the others,
 * as what requests wait for that the unit holds back must do. extra: bytes at packet->payload that belong to the
 * packet. */
struct packet *tm_packet(struct tm_core *c, unsigned kind, uint32_t slice, uint32_t bytes);
void tm_send(struct tm_core *c, struct packet *k);
bool tm_can_send(const struct tm_core *c);                       /* on network 0; the others have room for all */
uint32_t tm_slice(const struct tm_core *c, uint64_t address);
uint32_t tm_slices(const struct tm_core *c);
uint32_t tm_slots(const struct tm_core *c);                      /* warp slots of the SM */

#endif
