/*
 * The interface of transactional-memory protocols for global memory in timing mode. The common part (tm_core.c) stands
 * between an SM and a protocol and does what every protocol needs: concurrency control, attempts, the exact read and
 * write set of every lane, loads that combine memory with the lane's own writes, statistics, the oracle. A protocol is
 * a table of functions: it decides what an access costs, which messages are sent, and which attempts commit. A protocol
 * may have an engine beside each L2 slice (memsys/l2/engine.h), messages of kinds from MSG_ENGINE on, and lines of
 * private memory after those of the kernel (logs), and it may act in the serial step between two windows of the
 * simulation.
 *
 *   SM  <->  common part (tm_core.h)  <->  protocol at the SM  <- messages ->  protocol's engine at the L2 slice
 */
#ifndef TM_TM_H
#define TM_TM_H

#include "base/config/config.h"
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

/* A word of an exact read or write set. address: a multiple of 4; bytes: a bit for each byte written. */
struct tm_word { uint64_t address; uint32_t value; uint8_t bytes; };
struct tm_set { struct tm_word *w; uint32_t n, cap; };

/* The attempt of a lane. */
struct tm_lane {
    struct tm_set reads, writes;     /* in program order, an element for each access and word; without reads of own
                                      * writes */
    struct tm_set shared_reads, shared_writes;   /* of shared memory, by offset; bytes of a read: those that the lane
                                                  * had not written itself */
    uint32_t aborts;                 /* of this transaction so far */
    enum tm_reason why;              /* reason of its last abort */
    uint32_t instructions;           /* of this attempt */
    bool stale_by_atomic;            /* the lane's own atomic has changed a word of its read set */
    uint8_t stale_attempts;          /* aborted attempts in a row with stale_by_atomic */
    uint64_t first, start;           /* core cycles: first tx_begin of the transaction; start of the attempt */
};

/* A load in flight inside a transaction. Its bytes are collected in op->data; the registers are written when all parts
 * have completed. */
struct tm_load {
    struct mem_op *op;               /* the program's instruction; here only its lanes in global memory */
    struct mem_op *fetch;            /* fetches whole words from memory for lanes & ~covered; NULL = none */
    uint32_t slot, waits;            /* waits: parts that have not completed */
    uint64_t lanes, own, covered;    /* lanes in global memory; those that wrote some byte themselves; all bytes */
    uint64_t protocol;               /* for the protocol */
    bool held;                       /* the fetch is issued by tm_fetch */
};

struct tm_cfg {
#define CONFIG_ROWS "tm/config.def"
#include "base/config/config_fields.h"
};
void tm_configure(struct tm_cfg *c, const struct simtx_config *config);

enum tm_isolation {
    TM_SERIAL_KEYS,                  /* commits have keys, in whose order they are serialisable */
    TM_SNAPSHOT,                     /* reads are of a snapshot, and the first committer wins */
    TM_SERIALISABLE_SNAPSHOT         /* and commits are serialisable in the order of their places */
};

struct tm_gpu;                       /* of the machine */
struct oracle_events;
struct oracle_place;
struct tm_core;                      /* of an SM */

struct tm_protocol {
    const char *name;
    bool plain;                      /* global memory is accessed as outside transactions: load, store and message
                                      * are not called */
    bool begin_waits;                /* tx_begin waits until the warp's earlier accesses have performed */
    uint32_t payload;                /* bytes at packet->payload of its messages */
    /* True: the protocol acts on the whole GPU in each cycle, so windows are one cycle long. */
    bool (*global_step)(const struct simtx_config *c);
    bool (*check)(const struct simtx_config *c, uint32_t slices, char *error, size_t size);
    /* Does it work with a coherence protocol in this configuration? If not: false, and the reason. NULL = no. */
    bool (*coherent)(const struct simtx_config *c, char *why, size_t size);
    /* State of the machine; engine_kind->new_engine receives the struct tm_gpu as `shared`. */
    void *(*new_gpu_state)(struct tm_gpu *t, const struct simtx_config *c);
    void (*free_gpu_state)(void *state);
    /* True: the engine attaches a note to the replies of loads inside transactions (tm_load_note). NULL = no. */
    bool (*notes)(const struct simtx_config *c);
    /* True: transactions may commit by tm_decide_between. NULL = no. */
    bool (*snapshots)(const struct simtx_config *c);
    /* Transactions commit by tm_decide_snapshot alone: what the oracle requires beside snapshots (TM_SNAPSHOT), or that
     * it must have no other order. NULL = TM_SERIAL_KEYS. */
    enum tm_isolation (*isolation)(const struct simtx_config *c);
    /* Words of 4 bytes of private memory for the logs of a lane. */
    uint32_t (*private_words)(const struct simtx_config *c);
    const struct engine_kind *engine;        /* NULL = none */

    /* At an SM. `core` is the result of new_core. All cycles are core cycles. */
    void *(*new_core)(struct tm_core *c, void *state);
    void (*free_core)(void *core);
    /* May the warp issue its next memory instruction, or tx_commit? If not, tm_wake ends the wait. NULL = yes. */
    bool (*may_issue)(void *core, uint32_t slot, bool commit);
    /* An attempt of these lanes starts. */
    void (*attempt)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* tm_may_run was false for the attempt, and is true now. NULL = nothing to do. */
    void (*may_run)(void *core, uint32_t slot, uint64_t now);
    /* The commit number (struct oracle_place) of the newest version that the running attempt reads. It may not access a
     * word of shared memory that a later commit has accessed. NULL = no such rule. */
    uint64_t (*snapshot)(const void *core, uint32_t slot);
    /* A load: l->own, covered and fetch are set. The fetch is issued after this call, or by tm_fetch if the protocol
     * sets l->held. For each further part that must complete, the protocol increments l->waits and later calls
     * tm_load_part_done. */
    void (*load)(void *core, struct tm_load *l, uint64_t now);
    /* The fetched words have arrived in l->fetch->data; they are in the read sets already. NULL = nothing to do. */
    void (*loaded)(void *core, struct tm_load *l, uint64_t now);
    /* A store of these lanes: op->data has the bytes; they are in the write sets already. */
    void (*store)(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
    /* An op of tm_issue or tm_log has completed; op->owner is set by the protocol, which frees the op (tm_op_free). */
    void (*done)(void *core, struct mem_op *op, uint64_t now);
    /* All lanes of the attempt are at tx_commit and have nothing in flight: the protocol decides each with tm_decide,
     * in this call or later. */
    void (*commit)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* Lanes of a running attempt have been aborted by tm_abort. */
    void (*aborted)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* Validates the read sets of these lanes (watchdog, held faults). The protocol reports each lane with tm_validated,
     * unless it aborts before. */
    void (*validate)(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
    /* All lanes of the warp have committed. NULL = nothing to do. */
    void (*ended)(void *core, uint32_t slot, uint64_t now);
    /* A message of an engine has arrived. The protocol owns it and frees it with packet_return. */
    void (*message)(void *core, struct packet *k, uint64_t now);
    /* Cycle `now`; returns the next cycle in which it acts without a message or a call; NEVER. */
    uint64_t (*run)(void *core, uint64_t now);
    bool (*idle)(const void *core);
    /* For reports of hangs: what a warp waits for at a commit, a validation, or after may_issue returned false, as
     * ": ..." (NULL = no text); and the state of everything, a line each. */
    void (*describe)(const void *core, uint32_t slot, char *text, size_t size);
    void (*dump)(const void *core, void (*line)(void *ctx, const char *text), void *ctx);
    /* Serial, after a run with nothing in flight: sends what must still be done in memory. Called again between windows
     * until it returns true. NULL = nothing to do. */
    bool (*end)(void *state, uint64_t now);
    /* After that: adds to the counters of the run. NULL = nothing. */
    void (*totals)(void *state, uint64_t *count);
    /* After a run, with nothing in flight: checks its state and its counters. NULL = no check. */
    bool (*consistent)(void *state, const uint64_t *count, char *error, size_t size);
    /* Serial, between two windows; all cycles before `now` have been simulated. cores: by SM. */
    void (*step)(void *state, void *const *cores, uint32_t n, uint64_t now);
};

extern const struct tm_protocol *const tm_protocols[];   /* by choice of tm.global; NULL = none */
extern const char tm_global_choices[], tm_shared_choices[];   /* "none|..." (tm/registry.def) */

/* ---- for protocols, of the machine ---- */
uint32_t tm_gpu_slices(const struct tm_gpu *t);
uint32_t tm_gpu_warps(const struct tm_gpu *t);                   /* warp slots of an SM */
uint64_t tm_gpu_base(const struct tm_gpu *t);                    /* start of device memory */
bool tm_gpu_has(const struct tm_gpu *t, uint64_t address);       /* is it an address of device memory? */
void *tm_gpu_state(struct tm_gpu *t);                            /* the result of new_gpu_state; engines receive t */
/* Words of global memory in no time, in the serial step, coherent with copies in L1s. A word that is not ready can be
 * neither read nor written: its line is in transition. bytes: a bit for each. */
bool tm_word_ready(const struct tm_gpu *t, uint64_t address);
uint32_t tm_word_read(const struct tm_gpu *t, uint64_t address);
void tm_word_write(struct tm_gpu *t, uint64_t address, unsigned bytes, uint32_t value);
struct oracle_events *tm_slice_events(struct tm_gpu *t, uint32_t slice);     /* for writes of an engine; may be NULL */
/* In the serial step: the engine of this slice has been given an event by engine_runs. */
void tm_touch_slice(struct tm_gpu *t, uint32_t slice);
/* In the serial step: later calls of tm_decide_snapshot have places of at least this order. */
void tm_order_settled(struct tm_gpu *t, uint64_t order);
/* In the serial step: of the commits with tickets this one is next in the serial order (oracle_turn). */
void tm_order_turn(struct tm_gpu *t, uint32_t ticket);

/* ---- for protocols, at the SM ---- */
struct tm_lane *tm_lane(struct tm_core *c, uint32_t slot, unsigned lane);
uint16_t tm_sm(const struct tm_core *c);
uint64_t *tm_count(struct tm_core *c);                           /* by enum stat */
const struct simtx_config *tm_config(const struct tm_core *c);
uint64_t tm_now(const struct tm_core *c);                        /* core cycle being simulated */
/* Device address of the protocol's private memory of this warp: word w of lane l is at + (w x lanes + l) x 4. */
uint64_t tm_private(const struct tm_core *c, uint32_t slot);
uint32_t tm_warp_lanes(const struct tm_core *c);
uint64_t tm_memory_base(const struct tm_core *c);                /* start of device memory */

void tm_fetch(struct tm_core *c, struct tm_load *l);             /* issues the fetch of a load with l->held */
/* Instead: the protocol has written the words to l->fetch->data itself. */
void tm_fetched(struct tm_core *c, struct tm_load *l, uint64_t now);
/* Had the lane written all bytes that it loads of the n-th word? Then the word is not read. */
bool tm_word_is_own(const struct tm_load *l, unsigned lane, unsigned n);
/* The engine's note in the reply for a lane's words, in `loaded`; { UINT64_MAX, 0 } = none. */
const uint64_t *tm_load_note(const struct tm_load *l, unsigned lane);
/* A part of the load has completed; after the last one the registers are written. */
void tm_load_part_done(struct tm_core *c, struct tm_load *l, uint64_t now);
/* The outcome of a lane. key: the oracle replays commits in ascending order of keys. now: cycle of the outcome. */
void tm_decide(struct tm_core *c, uint32_t slot, unsigned lane, bool commits, uint64_t key, enum tm_reason why,
               uint64_t now);
/* The lanes of the slot's attempt that have aborted so far cause no back-off (tm.backoff). */
void tm_no_backoff(struct tm_core *c, uint32_t slot);
/* A lane without writes to global memory commits between two other commits. The oracle requires that all its reads are
 * of memory as it was at one moment since the attempt began; the keys of the writers that it has seen are at most
 * `newest`, and each of these keys is or will be reported. */
void tm_decide_between(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t newest, uint64_t now);
/* A lane commits under snapshot isolation. place: in the order of commits (tm/oracle/oracle.h). */
void tm_decide_snapshot(struct tm_core *c, uint32_t slot, unsigned lane, const struct oracle_place *place,
                        uint64_t now);
/*
 * Aborts lanes of the attempt with this number (tm_attempt) while it runs or commits, in any cycle. Lanes that have
 * their outcome and earlier attempts are ignored. It takes effect when the warp has nothing in flight.
 */
void tm_abort(struct tm_core *c, uint32_t slot, uint64_t lanes, uint32_t attempt, enum tm_reason why, uint64_t now);
/* False: the protocol for shared memory stalls the attempt at its begin. While it is stalled it must hold nothing
 * that other warps wait for. */
bool tm_may_run(const struct tm_core *c, uint32_t slot);
/* A number of the block's word of shared memory with this offset, unique in the GPU and at least 2^31: above those of
 * all granules of global memory below 2^31 * sitm.granularity bytes. */
uint32_t tm_shared_word(const struct tm_core *c, uint32_t slot, uint64_t offset);
/* The number of the slot's attempt; no other attempt of the slot in this run has the same number. */
uint32_t tm_attempt(const struct tm_core *c, uint32_t slot);
/* Does the validation concern a held fault? If tm_validated reports the read set of such a lane as current, the fault
 * is the program's error. So all its words must have been current at one moment between two commits. */
bool tm_fault_held(const struct tm_core *c, uint32_t slot);
void tm_unused_key(struct tm_core *c, uint64_t key, uint64_t now);       /* no transaction commits with this key */
void tm_validated(struct tm_core *c, uint32_t slot, uint64_t current, uint64_t stale, uint64_t now);
void tm_wake(struct tm_core *c, uint32_t slot);                  /* the SM calls may_issue again */
void tm_run_at(struct tm_core *c, uint64_t at);                  /* `run` is called in this cycle at the latest */
/* Appends lanes to a text, as in "lanes 0-3,7". */
void tm_append_lanes(char *text, size_t size, uint64_t lanes);
/* The transaction can never commit: reports it at the instruction `at` (NULL = tx_begin) and ends the run. */
void tm_impossible(struct tm_core *c, uint32_t slot, unsigned lane, const struct dinst *at, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

/* Memory instructions of the protocol. op->to_data: a load's bytes are written to op->data, not to registers. */
struct mem_op *tm_op_new(struct tm_core *c, uint32_t slot);
void tm_op_free(struct tm_core *c, struct mem_op *op);
void tm_issue(struct tm_core *c, struct mem_op *op, uint64_t now);       /* to global memory, for the warp */
/* To private memory, in the background: in the order of the calls, when a port of L1 is free. */
void tm_log(struct tm_core *c, struct mem_op *op, uint64_t now);
uint32_t tm_logs_queued(const struct tm_core *c);
/* A message to the engine of this slice; bytes: payload on the crossbar. It is sent in order with the core's requests.
 * On a virtual network of its own (packet->vn, set by the caller) it overtakes those of the other networks; messages
 * that release requests which the engine blocks must use one. */
struct packet *tm_packet(struct tm_core *c, unsigned kind, uint32_t slice, uint32_t bytes);
void tm_send(struct tm_core *c, struct packet *k);
bool tm_can_send(const struct tm_core *c);                       /* on network 0; the others always accept */
uint32_t tm_slice(const struct tm_core *c, uint64_t address);
uint32_t tm_slices(const struct tm_core *c);
uint32_t tm_slots(const struct tm_core *c);                      /* warp slots of the SM */

#endif
