/*
 * The inside of a commit unit: its ring of entries, and the steps of its cycle, a file each. Pointers into the ring are
 * commit IDs, oldest first: retire <= commit <= pass <= hazard <= head.
 */
#ifndef TM_KILOTM_CU_STATE_H
#define TM_KILOTM_CU_STATE_H

#include "base/fifo.h"
#include "tm/kilotm/unit/bf_array.h"
#include "tm/kilotm/unit/commit_unit.h"
#include "tm/kilotm/unit/exact_history.h"
#include "tm/kilotm/unit/lwh.h"

#ifndef NEVER
#define NEVER UINT64_MAX
#endif

enum { NO_CHUNK = UINT32_MAX, CHUNK_ENTRIES = 8 };

enum entry_state {
    UNUSED,              /* no message has come */
    FILL,                /* log entries arrive and are validated */
    VALIDATION_WAIT,     /* the log is complete; reads are under way, or a hazard waits for its writer */
    REVALIDATION_WAIT,   /* all reads are under way again */
    PASS, FAIL,          /* the local outcome is known, and not told */
    PASS_ACK_WAIT,       /* the core has been told; it will tell the final outcome */
    COMMIT_READY,        /* the final outcome is a pass */
    COMMIT_SENT,         /* writes are on their way to memory */
    RETIRED              /* nothing left to do but to leave the ring in order */
};

/* What the entries that a core sends again are for. */
enum resend { RESEND_NONE, RESEND_HAZARD_READS, RESEND_HAZARD_WRITES, RESEND_REVALIDATION, RESEND_COMMIT };

enum set_kind { READS, WRITES };

/* The read or write set of an entry: chunks of the pool, as far as the buffer goes. */
struct word_set {
    uint32_t first, last;            /* chunks; NO_CHUNK */
    uint32_t n;                      /* words of the transaction here, those that did not fit included */
    bool overflow, buffer;           /* did not fit; holds a buffer of the unit's pool */
    bool needed;                     /* counted as a set that may be needed still */
};

struct entry {
    const struct kilo_batch *batch;
    uint64_t rcid;                   /* the oldest commit ID in the ring when the first message came */
    uint64_t ycid;                   /* the youngest writer that this entry must wait for */
    uint64_t since;                  /* cycle at which the hazard was found */
    struct word_set set[2];          /* by enum set_kind */
    uint32_t reading, writing;       /* accesses that are not performed yet */
    uint8_t state, lane, resend;
    bool accessed;                   /* the transaction has entries here */
    bool stale;                      /* a value differed, or the entry must fail for another reason */
    bool revalidate, true_hazard;    /* a hazard was found; an exact history finds one */
    bool by_hazard;                  /* it fails because of the hazard */
};

struct chunk { struct kilo_entry entry[CHUNK_ENTRIES]; uint32_t next; };

/* An access to memory between its validation or commit step and its return. */
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_CHECK };
struct cu_access {
    uint64_t owner;                  /* commit ID; ACCESS_CHECK: place in `check` */
    uint32_t address, value;         /* of a read: as the transaction read it */
    uint32_t next;                   /* free one */
    uint8_t kind, bytes;
};
struct cu_due { uint64_t at; uint32_t token; };

struct cu_message {
    const struct kilo_batch *batch;
    uint64_t lanes;                  /* not processed yet */
    enum kilo_kind kind;
    struct kilo_entry entry[KILO_LANES];         /* by lane, in messages that carry log entries */
};
struct cu_reply { const struct kilo_batch *batch; uint64_t lanes; enum kilo_kind kind; };

/* A lane whose read log is compared with memory for the watchdog. */
struct cu_check { const struct kilo_batch *batch; uint32_t reading; uint8_t lane; bool used, all, stale; };

enum stall { STALL_FILL = 1, STALL_PASS = 2, STALL_COMMIT = 4, STALL_RETIRE = 8 };

struct commit_unit {
    struct cu_cfg cfg;
    struct cu_calls calls;
    uint64_t *count;
    struct hists *hists;
    unsigned line_shift;             /* of an address in the last writer history */

    struct entry *ring;              /* by commit ID modulo size */
    uint64_t ring_size;
    uint64_t retire, commit, pass, hazard, head;

    struct chunk *chunk;
    uint32_t chunks, free_chunk;
    uint32_t buffers;                /* of the pool, in use */

    /* Hazard detection of the entry at the hazard pointer. */
    struct { enum set_kind set; uint32_t chunk, i; } at;
    struct lwh lwh;
    struct exact exact;
    struct bf_array bf;
    uint64_t missed;                 /* hazards that the approximate history did not see: must be 0 */

    struct fifo input, replies;      /* cu_message, cu_reply */
    struct fifo reads, writes;       /* tokens that wait for their turn */
    struct fifo delayed, ideal;      /* cu_due: on the way to the slice; performed without it */
    struct cu_access *access;        /* by token */
    uint32_t accesses, free_access;

    struct fifo waiting;             /* commit IDs that the pass pointer has passed while they wait (pass_waiting) */
    uint64_t waiting_seen;           /* retire pointer when none of them could go on */
    struct cu_check *check;
    uint32_t checks, checks_used;

    uint64_t settled;                /* cycles before this are in the statistics */
    unsigned stall;                  /* of the last cycle */
    uint32_t n_all, n_accessed, n_used[2], n_needed[2];      /* entries in the ring now */
};

static inline struct entry *cu_entry(const struct commit_unit *u, uint64_t cid)
{
    return &u->ring[cid & (u->ring_size - 1)];
}

static inline void cu_add(struct commit_unit *u, enum stat s, uint64_t n)
{
    u->count[s] += n;
}

/* A rule of the protocol is broken: says so and aborts. */
_Noreturn void cu_broken(const struct commit_unit *u, uint64_t cid, const char *what);

/* ---- cu_ring.c ---- */
/* The entry of a commit ID that has not retired; at its first message it is set up. */
struct entry *cu_open(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, uint64_t *cid);
bool cu_step_retire(struct commit_unit *u);

/* ---- cu_buffers.c ---- */
void cu_buffers_at_first(struct commit_unit *u, struct entry *e);
void cu_buffers_accessed(struct commit_unit *u, struct entry *e);
void cu_append(struct commit_unit *u, struct entry *e, enum set_kind k, struct kilo_entry word);
/* The set is not needed any more, whatever becomes of the entry. */
void cu_unneeded(struct commit_unit *u, struct entry *e, enum set_kind k);
/* The entry leaves the ring. */
void cu_buffers_end(struct commit_unit *u, struct entry *e);

/* ---- cu_input.c ---- */
bool cu_step_input(struct commit_unit *u, uint64_t now);

/* ---- cu_hazard.c ---- */
bool cu_step_hazard(struct commit_unit *u, uint64_t now);
/* One word of an entry's read or write set, in hazard detection. */
void cu_hazard_word(struct commit_unit *u, struct entry *e, uint64_t cid, enum set_kind k, struct kilo_entry word,
                    uint64_t now);
/* The set has been seen in whole. */
void cu_hazard_set_done(struct commit_unit *u, struct entry *e, enum set_kind k);
/* Bloom filter array: an entry arrives. */
void cu_bf_arrival(struct commit_unit *u, uint64_t cid, enum set_kind k, uint32_t address, uint64_t now);

/* ---- cu_outcome.c ---- */
bool cu_step_pass(struct commit_unit *u, uint64_t now);
bool cu_step_waiting(struct commit_unit *u, uint64_t now);
/* Something of the entry's validation has ended: is it over, and with which outcome? */
void cu_validated(struct commit_unit *u, struct entry *e, uint64_t cid);
void cu_reply(struct commit_unit *u, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes);
void cu_reply_lane(struct commit_unit *u, enum kilo_kind kind, const struct entry *e);
/* True: there was one to send, even if it could not go. */
bool cu_step_reply(struct commit_unit *u, uint64_t now);

/* ---- cu_commit.c ---- */
bool cu_step_commit(struct commit_unit *u);
void cu_written(struct commit_unit *u, struct entry *e);
void cu_commit_word(struct commit_unit *u, struct entry *e, uint64_t cid, struct kilo_entry word);

/* ---- cu_access.c ---- */
void cu_queue_read(struct commit_unit *u, enum access_kind kind, uint64_t owner, struct kilo_entry word);
void cu_queue_write(struct commit_unit *u, uint64_t cid, struct kilo_entry word);
/* Issue one access of the queue, if there is one. */
bool cu_step_issue(struct commit_unit *u, struct fifo *queue, uint64_t now);
/* Accesses whose delay is over. */
void cu_run_delayed(struct commit_unit *u, uint64_t now);
void cu_run_ideal(struct commit_unit *u, uint64_t now);

/* ---- cu_watchdog.c ---- */
void cu_check_entry(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word);
void cu_check_performed(struct commit_unit *u, uint64_t place, bool same);

#endif
