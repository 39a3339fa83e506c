/*
 * The inside of KILO TM's transaction log unit, one in the load/store unit of every core (sections 4.3, 4.4): log.c
 * (loads and stores inside transactions), log_walk.c (reads of own writes), log_transfer.c (logs to commit units),
 * outcome.c (replies, the end of a commit), protocol.c (the table of functions), kilotm_describe.c (texts for reports
 * of hangs).
 *
 * Logs are linear buffers in private memory: an entry is an address word and a value word, word w of all lanes is one
 * line. The read log comes first, the write log behind it. A warp's lanes have logs of the same length; where a lane
 * has no entry its address word is void.
 */
#ifndef TM_KILOTM_LOG_UNIT_H
#define TM_KILOTM_LOG_UNIT_H

#include "base/pool.h"
#include "tm/kilotm/unit/commit_unit.h"
#include "tm/tm.h"

enum { DEPTH = 4 };                  /* log entries of a transfer that are read ahead */

struct kilo_shared;
struct core_batch;

/* What an op of the log unit is for: at op->owner. */
enum log_use { LOG_WRITE, LOG_WALK_ADDRESS, LOG_WALK_VALUE, LOG_ADDRESS, LOG_VALUE };
struct log_op { void *of; enum log_use use; uint32_t index; };

/* Entries of a transfer, read ahead: both lines must come before it can be sent. */
struct ahead { uint32_t lines; struct kilo_entry entry[KILO_LANES]; };

/* The last two: entries that a unit wants again. */
enum transfer_kind { TRANSFER_COMMIT, TRANSFER_VALIDATION, TRANSFER_READS, TRANSFER_WRITES };

/* Logs on their way to commit units: of a warp that commits, or whose reads are validated. */
struct transfer {
    struct transfer *next;
    uint32_t slot;
    enum transfer_kind kind;
    uint32_t slice;                  /* of entries that are sent again */
    uint64_t lanes;
    uint64_t ready;                  /* core cycle at which it may start: the commit IDs are there */
    uint32_t asked, taken, end;      /* entries, read log first: lines asked for; sent; behind the last one */
    struct ahead ahead[DEPTH];
};

struct kilo_warp {
    uint32_t reads, writes;          /* entries of the logs */
    bool walking;                    /* waits for a walk of its write log */
    struct core_batch *batch;
    uint64_t sent[KILO_LANES], wrote[KILO_LANES];    /* by lane: slices that have entries, that have writes */
    uint64_t replies[KILO_LANES];    /* by lane: slices that have not answered */
    uint64_t failed, hazards;        /* lanes with a bad answer; of these, because of a hazard */
    uint64_t failing[KILO_LANES];    /* by lane: slices that gave one */
    bool trial;                      /* the batch is of a lane with a held fault: only its reads, nothing commits */
    uint8_t refused[KILO_LANES];     /* by lane: attempts in a row that the log had no room for */
    uint64_t to_compare;             /* lanes to be validated by the published watchdog */
    uint64_t allocating, unasked;    /* slices that have not promised places; of these, to be asked again */
    uint64_t ask_at, patience;       /* when; and how long next time */
    uint64_t waits_since;            /* for credits */
    uint64_t *filter;                /* bloom filters of the write sets, by lane; NULL = exact */
};

/* A batch and whose it is; used again when no unit knows it any more. */
struct core_batch {
    struct kilo_batch b;
    uint64_t left;                   /* lanes without outcome */
    uint64_t last;                   /* commit ID of its last lane */
    uint32_t retiring;               /* with a finite ring: units that have not retired it */
    bool busy;                       /* the core needs it */
    struct core_batch *next;
};

/* Commit IDs asked for in the cycles since the last serial step. */
struct ticket { uint64_t at; uint16_t sm; uint32_t slot; struct core_batch *batch; };

struct kilo_cfg {
#define CONFIG_ROWS "tm/kilotm/config.def"
#include "base/config_fields.h"
};

struct kilo_core {
    struct tm_core *tm;
    struct kilo_shared *shared;
    struct kilo_cfg cfg;
    uint32_t lanes, slices, slots, filter_words;
    uint64_t base;
    uint32_t ring, credits;          /* 0 = unlimited; lanes that may commit now */
    uint32_t *waiting, first_waiting, nwaiting;  /* slots that wait for credits: a ring */
    uint32_t refused;                /* warps with units to be asked again */
    bool last_use;                   /* logs are not needed once they are sent */
    struct kilo_warp *warp;
    struct transfer *first, *last;   /* in the order of their coming; the first one is being sent */
    struct pool transfers;           /* struct transfer */
    struct pool ops;                 /* struct log_op */
    struct walk *free_walk;
    struct core_batch *batches;
    struct packet_queue out;         /* messages to be sent, one a cycle */
    struct ticket *ticket;
    uint32_t ntickets, ticket_cap;
    struct arena *arena;             /* memory that lives as long as the core */
};

struct kilo_shared {
    const struct simtx_config *config;
    uint64_t base;                   /* of device memory */
    struct kilo_cfg cfg;
    uint64_t last_epoch;             /* upper bits of the last ID, of kilotm.cid_bits */
    uint64_t next_cid, oldest;       /* oldest: commit ID that some unit has not retired, as of the last step */
    struct commit_unit **unit;       /* by slice */
    uint64_t *astray;                /* by slice: an address + 1 that its unit was not meant to get; 0 = none */
    uint32_t slices;
    struct ticket *ticket;
    uint32_t tickets, ticket_cap;
};

/* The bit of a word, by its offset in device memory, in a lane's bloom filter of its write set. */
static inline uint32_t kilo_filter_bit(const struct kilo_core *k, uint64_t offset)
{
    return (uint32_t)(offset / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (k->filter_words * 64);
}

/* ---- protocol.c ---- */
struct packet *kilo_message(struct kilo_core *k, enum kilo_kind kind, uint32_t slice, uint64_t lanes, bool entries,
                            const struct kilo_batch *b);         /* queued; its payload's entries are the caller's */
void kilo_count(struct kilo_core *k, const struct packet *p);    /* a message, sent or come */
struct core_batch *kilo_batch_new(struct kilo_core *k);
void kilo_ticket(struct kilo_core *k, struct core_batch *b, uint64_t now);   /* asks for its commit IDs */

/* ---- log.c ---- */
void log_attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void log_load(void *core, struct tm_load *l, uint64_t now);
void log_loaded(void *core, struct tm_load *l, uint64_t now);
void log_store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
bool log_may_issue(void *core, uint32_t slot, bool commit);
void log_done(void *core, struct mem_op *op, uint64_t now);
/* Asks for a line of the warp's logs: word w of its private words; done comes with this use. */
void log_read(struct kilo_core *k, uint32_t slot, uint32_t word, enum log_use use, void *of, uint32_t index, bool last,
              uint64_t now);

/* ---- log_walk.c ---- */
void walk_begin(struct kilo_core *k, struct tm_load *l, uint64_t now);
void walk_line(struct kilo_core *k, const struct log_op *o, struct mem_op *op, uint64_t now);

/* ---- allocate.c ---- */
void kilo_want_places(struct kilo_core *k, uint32_t slot, uint64_t now);     /* for the warp's batch */
void kilo_has_ids(struct kilo_core *k, uint32_t slot, uint64_t now);
void kilo_allocated(struct kilo_core *k, uint32_t slot, uint32_t slice, bool passed, uint64_t now);
void kilo_retired(struct kilo_core *k, struct core_batch *b, uint64_t now);
uint64_t allocate_run(struct kilo_core *k, uint64_t now);

/* ---- log_transfer.c ---- */
void transfer_begin(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t ready);    /* of a commit */
void transfer_validation(struct kilo_core *k, uint32_t slot, uint64_t lanes);
void transfer_again(struct kilo_core *k, uint32_t slot, unsigned lane, uint32_t slice, bool writes);
void transfer_line(struct kilo_core *k, const struct log_op *o, struct mem_op *op, uint64_t now);
uint64_t transfer_run(struct kilo_core *k, uint64_t now);

/* ---- outcome.c ---- */
void kilo_commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void kilo_validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void kilo_reply(void *core, struct packet *p, uint64_t now);

/* ---- kilotm_describe.c ---- */
void kilo_say(const void *core, uint32_t slot, char *text, size_t size);
void kilo_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx);

/* ---- cu_slice.c ---- */
extern const struct engine_kind kilo_unit;

#endif
