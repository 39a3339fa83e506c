/*
 * The inside of KILO TM's transaction log unit, one in the load/store unit of every core (sections 4.3, 4.4): log.c
 * (loads and stores inside transactions), log_walk.c (reads of own writes), log_transfer.c (logs to commit units),
 * allocate.c (ring entries), outcome.c (replies, outcomes), kilo_core.c (functions of the protocol, commit IDs),
 * kilo_describe.c (texts for reports of hangs).
 *
 * Logs are linear buffers in private memory. An entry is an address word and a value word; word w of all lanes is one
 * line. The write log follows the read log. The lanes of a warp have logs of the same length; if a lane has no entry,
 * its address word is void.
 */
#ifndef TM_KILO_LOG_UNIT_H
#define TM_KILO_LOG_UNIT_H

#include "base/pool.h"
#include "tm/kilo/unit/commit_unit.h"
#include "tm/tm.h"

enum { KILO_READ_AHEAD = 4 };        /* log entries of a transfer that are read ahead */

struct kilo_gpu;
struct kilo_core_batch;

/* The purpose of an op of the log unit: at op->owner. */
enum kilo_log_use {
    KILO_LOG_WRITE, KILO_LOG_WALK_ADDRESS, KILO_LOG_WALK_VALUE, KILO_LOG_ADDRESS, KILO_LOG_VALUE,
    KILO_LOG_OWN                     /* of a protocol that builds on this one: kilo_core.own_line */
};
struct kilo_log_op { void *of; enum kilo_log_use use; uint32_t index; };

/* Entries of a transfer that are read ahead: sent when both lines have arrived. */
struct kilo_ahead { uint32_t lines; struct kilo_entry entry[KILO_LANES]; };

/* The last two resend entries to a commit unit. */
enum kilo_transfer_kind { KILO_TRANSFER_COMMIT, KILO_TRANSFER_VALIDATION, KILO_TRANSFER_READS, KILO_TRANSFER_WRITES };

/* A transfer of logs to commit units: of a warp that commits, or whose read sets are validated. */
struct kilo_transfer {
    struct kilo_transfer *next;
    uint32_t slot;
    enum kilo_transfer_kind kind;
    uint32_t slice;                  /* of resent entries */
    uint64_t lanes;
    uint64_t ready;                  /* core cycle from which it may start: the commit IDs have arrived */
    uint32_t requested, sent, end;   /* entries, read log first: requested from L1; sent; in all */
    struct kilo_ahead ahead[KILO_READ_AHEAD];
};

struct kilo_warp {
    uint32_t reads, writes;          /* entries of the logs */
    bool walking;                    /* waits for a walk of its write log */
    struct kilo_core_batch *batch;
    uint64_t sent[KILO_LANES], wrote[KILO_LANES];    /* by lane: slices with entries; with writes */
    uint64_t replies[KILO_LANES];    /* by lane: slices that have not replied */
    uint64_t validated;              /* with kilo_gpu.group_outcomes: lanes to which all units have replied */
    uint64_t failed, hazards;        /* lanes with a failed validation; of these, because of a hazard */
    uint64_t failing[KILO_LANES];    /* by lane: slices whose validation failed */
    bool fault_validation;           /* the batch validates only the reads of a lane with a held fault */
    uint8_t overflows[KILO_LANES];   /* by lane: attempts in a row that overflowed the log */
    uint64_t to_compare;             /* lanes to be validated by the published watchdog */
    uint64_t allocating, rejected;   /* slices that have not allocated ring entries; of these, that rejected */
    uint64_t retry_at, retry_delay;  /* next request to these; doubled each time */
    uint64_t credit_wait_from;       /* cycle in which it began to wait for credits */
    uint64_t *filter;                /* bloom filters of the write sets, by lane; NULL = exact */
};

/* A batch at its core; reused when all units have retired it. */
struct kilo_core_batch {
    struct kilo_batch b;
    uint64_t left;                   /* lanes without outcome */
    uint64_t last;                   /* commit ID of its last lane */
    uint32_t retiring;               /* with a finite ring: units that have not retired it */
    bool busy;                       /* in use at the core */
    struct kilo_core_batch *next;
};

/* A request for commit IDs since the last serial step. */
struct kilo_cid_request { uint64_t at; uint16_t sm; uint32_t slot; struct kilo_core_batch *batch; };

struct kilo_cfg {
#define CONFIG_ROWS "tm/kilo/config.def"
#include "base/config/config_fields.h"
};

struct kilo_core {
    struct tm_core *tm;
    struct kilo_gpu *gpu;
    struct kilo_cfg cfg;
    uint32_t lanes, slices, slots, filter_words;
    uint64_t base;
    uint32_t ring, credits;          /* ring: 0 = unlimited; credits: lanes that may commit now */
    uint32_t *credit_queue, credit_first, credit_waits;      /* slots that wait for credits: a ring, its head, length */
    uint32_t rejected_warps;         /* warps with `rejected` slices */
    bool last_use;                   /* logs are not needed once they are sent */
    bool no_skip;                    /* units without entries of a batch get no message at its end */
    struct kilo_warp *warp;
    struct kilo_transfer *first, *last;      /* in the order of their requests; the first one is being sent */
    struct pool transfers;           /* struct kilo_transfer */
    struct pool ops;                 /* struct kilo_log_op */
    struct kilo_walk *free_walk;
    struct kilo_core_batch *batches;
    struct packet_queue out;         /* messages to be sent, one a cycle */
    struct kilo_cid_request *cid_request;
    uint32_t cid_requests, cid_request_cap;
    struct arena *arena;             /* memory that lives as long as the core */
    void *own;                       /* of a protocol that builds on this one */
    void (*own_line)(struct kilo_core *k, const struct kilo_log_op *o, uint64_t now);
    void (*filled)(struct kilo_core *k, uint32_t slot, uint64_t now);        /* the logs have been sent; NULL = none */
};

/* What a protocol that builds on this one observes at the slices, in their threads. */
struct kilo_watch {
    /* A write at commit performs: of the word at this offset in device memory, by this commit ID. cycle: core cycle. */
    void (*written)(const struct kilo_gpu *s, uint32_t slice, uint64_t offset, uint64_t cid, uint64_t cycle);
    /* A load inside a transaction performs: writes the note (memsys/l2/engine.h). oldest: the oldest commit ID that has
     * not retired at the slice. */
    void (*read)(const struct kilo_gpu *s, uint32_t slice, struct packet *k, uint64_t oldest);
};

struct kilo_gpu {
    const struct simtx_config *config;
    uint64_t base;                   /* of device memory */
    struct kilo_cfg cfg;
    uint64_t last_epoch;             /* the last ID without its lower kilotm.cid_bits */
    uint64_t next_cid, oldest;       /* oldest: the oldest ID that has not retired everywhere, at the last step */
    struct commit_unit **unit;       /* by slice */
    uint64_t *wrong_address;         /* by slice: 1 + the address of an entry for another slice; 0 = none */
    uint32_t slices;
    struct kilo_cid_request *cid_request;
    uint32_t cid_requests, cid_request_cap;
    /* set by a protocol that builds on this one, before the slices are made */
    struct cu_warp_cfg warps;        /* of the commit units */
    bool group_outcomes;             /* one message has the final outcomes of a warp's lanes */
    const struct kilo_watch *watch;  /* NULL = none */
    void *own;
};

/* The bit of a word, by its offset in device memory, in a lane's bloom filter of its write set. */
static inline uint32_t kilo_filter_bit(const struct kilo_core *k, uint64_t offset)
{
    return (uint32_t)(offset / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (k->filter_words * 64);
}

/* ---- kilo_core.c ---- */
struct packet *kilo_message(struct kilo_core *k, enum kilo_kind kind, uint32_t slice, uint64_t lanes, bool entries,
                            const struct kilo_batch *b);         /* queued; the caller fills in the entries */
void kilo_count(struct kilo_core *k, const struct packet *p);    /* a message, sent or received */
struct kilo_core_batch *kilo_batch_new(struct kilo_core *k);
void kilo_request_cids(struct kilo_core *k, struct kilo_core_batch *b, uint64_t now);
void *kilo_new_gpu_state(struct tm_gpu *t, const struct simtx_config *c);
void kilo_free_gpu_state(void *gpu_state);
void *kilo_new_core(struct tm_core *tm, void *gpu_state);
void kilo_free_core(void *core);
/* name: of the protocol. */
bool kilo_check(const struct simtx_config *c, uint32_t slices, const char *name, char *error, size_t size);
/* Does a commit unit or the watchdog access memory in no time, without messages? */
bool kilo_without_messages(const struct simtx_config *c);
bool kilo_global_step(const struct simtx_config *c);
uint32_t kilo_private_words(const struct simtx_config *c);
uint64_t kilo_run(void *core, uint64_t now);
bool kilo_idle(const void *core);
bool kilo_consistent(void *gpu_state, const uint64_t *count, char *error, size_t size);
void kilo_step(void *gpu_state, void *const *cores, uint32_t n, uint64_t now);
/* The functions of struct tm_protocol that all protocols with logs have. */
#define KILO_FUNCTIONS \
    .payload = sizeof(struct kilo_payload), .private_words = kilo_private_words, .engine = &kilo_engine, \
    .may_issue = kilo_log_may_issue, .store = kilo_log_store, .done = kilo_log_done, .validate = kilo_validate, \
    .message = kilo_reply, .dump = kilo_dump

/* ---- log.c ---- */
void kilo_log_attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void kilo_log_load(void *core, struct tm_load *l, uint64_t now);
void kilo_log_loaded(void *core, struct tm_load *l, uint64_t now);
void kilo_log_store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
bool kilo_log_may_issue(void *core, uint32_t slot, bool commit);
void kilo_log_done(void *core, struct mem_op *op, uint64_t now);
/* Reads a line of the warp's logs: word w of its private words. kilo_log_done follows with this use. */
void kilo_log_read(struct kilo_core *k, uint32_t slot, uint32_t word, enum kilo_log_use use, void *of, uint32_t index,
                   bool last, uint64_t now);

/* ---- log_walk.c ---- */
void kilo_walk_begin(struct kilo_core *k, struct tm_load *l, uint64_t now);
void kilo_walk_line(struct kilo_core *k, const struct kilo_log_op *o, struct mem_op *op, uint64_t now);

/* ---- allocate.c ---- */
void kilo_allocate_entries(struct kilo_core *k, uint32_t slot, uint64_t now);     /* for its batch */
void kilo_cids_allocated(struct kilo_core *k, uint32_t slot, uint64_t now);
void kilo_alloc_reply(struct kilo_core *k, uint32_t slot, uint32_t slice, bool passed, uint64_t now);
void kilo_retired(struct kilo_core *k, struct kilo_core_batch *b, uint64_t now);
uint64_t kilo_allocate_run(struct kilo_core *k, uint64_t now);

/* ---- log_transfer.c ---- */
void kilo_transfer_begin(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t ready);    /* of a commit */
void kilo_transfer_validation(struct kilo_core *k, uint32_t slot, uint64_t lanes);
void kilo_transfer_again(struct kilo_core *k, uint32_t slot, unsigned lane, uint32_t slice, bool writes);
void kilo_transfer_line(struct kilo_core *k, const struct kilo_log_op *o, struct mem_op *op, uint64_t now);
uint64_t kilo_transfer_run(struct kilo_core *k, uint64_t now);

/* ---- outcome.c ---- */
void kilo_commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void kilo_validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void kilo_reply(void *core, struct packet *p, uint64_t now);

/* ---- kilo_describe.c ---- */
void kilo_describe(const void *core, uint32_t slot, char *text, size_t size);
void kilo_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx);

/* ---- cu_slice.c ---- */
extern const struct engine_kind kilo_engine;

#endif
