/*
 * The inside of a commit unit: its ring of entries, and the steps of its cycle, a file for each. Pointers into the ring
 * are commit IDs: retire <= commit <= pass <= hazard <= head.
 */
#ifndef TM_KILO_CU_STATE_H
#define TM_KILO_CU_STATE_H

#include "base/fifo.h"
#include "tm/kilo/unit/history/bf_array.h"
#include "tm/kilo/unit/commit_unit.h"
#include "tm/kilo/unit/history/exact_history.h"
#include "tm/kilo/unit/history/lwh.h"

#ifndef NEVER
#define NEVER UINT64_MAX
#endif

enum { CU_NO_CHUNK = UINT32_MAX, CU_CHUNK_ENTRIES = 8, CU_NO_ACCESS = UINT32_MAX, CU_GROUP = 64 };

enum cu_entry_state {
    CU_STATE_UNUSED,                 /* no message has arrived */
    CU_STATE_FILL,                   /* log entries arrive and are validated */
    CU_STATE_VALIDATION_WAIT,        /* the log is complete; reads are in flight, or a hazard waits for its writer */
    CU_STATE_REVALIDATION_WAIT,      /* all reads are in flight again */
    CU_STATE_PASS, CU_STATE_FAIL,    /* the local outcome is known, but not sent */
    CU_STATE_PASS_ACK_WAIT,          /* CU_PASS has been sent; waits for the final outcome */
    CU_STATE_COMMIT_READY,           /* the final outcome is a pass */
    CU_STATE_COMMIT_SENT,            /* writes are in flight */
    CU_STATE_RETIRED                 /* leaves the ring in order */
};

/* The step that needs the entries which a core resends. */
enum cu_resend {
    CU_RESEND_NONE, CU_RESEND_HAZARD_READS, CU_RESEND_HAZARD_WRITES, CU_RESEND_REVALIDATION, CU_RESEND_COMMIT
};

enum cu_set_kind { CU_READS, CU_WRITES };

/* The read or write set of an entry: a list of chunks, up to the size of its buffer. */
struct cu_word_set {
    uint32_t first, last;            /* chunks; CU_NO_CHUNK */
    uint32_t n;                      /* words of the transaction here, including those that did not fit */
    bool overflow, buffer;           /* does not fit; holds a buffer of the unit's pool */
    bool needed;                     /* counted as a set that may still be needed */
};

struct cu_entry {
    const struct kilo_batch *batch;
    uint64_t rcid;                   /* the oldest commit ID in the ring when the first message arrived */
    uint64_t ycid;                   /* the youngest writer that this entry must wait for */
    uint64_t since;                  /* cycle in which the hazard was detected */
    struct cu_word_set set[2];       /* by enum cu_set_kind */
    uint32_t reading, writing;       /* accesses in flight */
    uint8_t state, lane, resend;
    bool accessed;                   /* the transaction has entries here */
    bool stale;                      /* a value differs, or the entry must fail for another reason */
    bool revalidate, true_hazard;    /* a hazard has been detected; by an exact history, too */
    bool by_hazard;                  /* fails because of the hazard */
    bool held;                       /* its reply waits for the other lanes of its warp */
};

struct cu_chunk { struct kilo_entry entry[CU_CHUNK_ENTRIES]; uint32_t next; };

/* An access to memory between its validation or commit step and its return. */
enum cu_access_kind { CU_ACCESS_READ, CU_ACCESS_WRITE, CU_ACCESS_WATCHDOG };
struct cu_access {
    uint64_t owner;                  /* commit ID; CU_ACCESS_WATCHDOG: index in `watchdog` */
    uint32_t address, value;         /* of a read: the value that the transaction read */
    uint32_t next;                   /* in the free list; in use: the access merged with it, CU_NO_ACCESS = none */
    uint8_t kind, bytes;
};
/* Accesses that later ones to the same block can join, with the last one merged into each. */
struct cu_group { uint32_t first[CU_GROUP], last[CU_GROUP], n; };
struct cu_due { uint64_t at; uint32_t token; };

struct cu_message {
    const struct kilo_batch *batch;
    uint64_t lanes;                  /* not processed yet */
    enum kilo_kind kind;
    struct kilo_entry entry[KILO_LANES];         /* by lane, in messages that carry log entries */
};
struct cu_reply { const struct kilo_batch *batch; uint64_t lanes; enum kilo_kind kind; };

/* A lane whose read log the unit compares with memory for the watchdog. */
struct cu_watchdog_lane { const struct kilo_batch *batch; uint32_t reading; uint8_t lane; bool used, all, stale; };

enum cu_stall { CU_STALL_FILL = 1, CU_STALL_PASS = 2, CU_STALL_COMMIT = 4, CU_STALL_RETIRE = 8 };

struct commit_unit {
    struct cu_cfg cfg;
    struct cu_calls calls;
    uint64_t *count;
    struct hists *hists;
    unsigned line_shift;             /* of an address in the last writer history */

    struct cu_entry *ring;           /* by commit ID modulo size */
    uint64_t ring_size;
    uint64_t retire, commit, pass, hazard, head;

    struct cu_chunk *chunk;
    uint32_t chunks, free_chunk;
    uint32_t buffers;                /* of the pool, in use */

    /* Hazard detection of the entry at the hazard pointer. */
    struct { enum cu_set_kind set; uint32_t chunk, i; } at;
    struct lwh lwh;
    struct exact exact;
    struct bf_array bf;
    uint64_t checked;                /* by warp: the first commit ID whose reads have not been checked */
    uint64_t missed;                 /* hazards that the approximate history has missed: must be 0 */

    struct fifo input, replies;      /* cu_message, cu_reply */
    struct fifo reads, writes;       /* tokens of queued accesses */
    struct cu_group read_group;      /* of the message that is processed: queued */
    struct cu_group write_group;     /* of the warp at the commit pointer: not queued yet */
    struct fifo delayed, ideal;      /* cu_due: delayed before the slice; performed without it */
    struct cu_access *access;        /* by token */
    uint32_t accesses, free_access;

    struct fifo waiting;             /* waiting commit IDs before the pass pointer (pass_waiting) */
    uint64_t waiting_seen;           /* retire pointer at which none of them could proceed */
    struct cu_watchdog_lane *watchdog;
    uint32_t watchdog_cap, watchdog_lanes;       /* watchdog_lanes: in use */

    uint64_t settled;                /* cycles before this are in the statistics */
    unsigned stall;                  /* of the last cycle */
    uint32_t n_all, n_accessed, n_used[2], n_needed[2];      /* entries in the ring now */
};

static inline struct cu_entry *cu_entry(const struct commit_unit *u, uint64_t cid)
{
    return &u->ring[cid & (u->ring_size - 1)];
}

/* Does the unit merge accesses? */
static inline bool cu_merges(const struct commit_unit *u)
{
    return u->cfg.warps.access_bytes > 4;
}

/* Are hazards detected warp by warp? Otherwise an entry could wait for another one of its warp, whose reply or writes
 * wait for the whole warp. */
static inline bool cu_by_warp(const struct commit_unit *u)
{
    return u->cfg.warps.group_replies || cu_merges(u);
}

/* The set with which hazard detection begins at an entry: by warp, its reads have been checked before. */
static inline enum cu_set_kind cu_first_set(const struct commit_unit *u)
{
    return cu_by_warp(u) && u->cfg.hazards != CU_HAZARDS_BF_ARRAY ? CU_WRITES : CU_READS;
}

static inline uint64_t cu_last_cid(const struct kilo_batch *b)
{
    return kilo_cid(b, 63 - (unsigned)__builtin_clzll(b->lanes));
}

static inline void cu_add(struct commit_unit *u, enum stat s, uint64_t n)
{
    u->count[s] += n;
}

/* A message violates the protocol: prints an error and aborts the program. */
_Noreturn void cu_protocol_error(const struct commit_unit *u, uint64_t cid, const char *what);

/* ---- cu_ring.c ---- */
/* The entry of a commit ID that has not retired; initialised at its first message. */
struct cu_entry *cu_open(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, uint64_t *cid);
bool cu_step_retire(struct commit_unit *u);

/* ---- cu_buffers.c ---- */
void cu_buffers_at_first(struct commit_unit *u, struct cu_entry *e);
void cu_buffers_accessed(struct commit_unit *u, struct cu_entry *e);
void cu_append(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k, struct kilo_entry word);
/* The set is not needed any more, whatever the outcome of the entry. */
void cu_unneeded(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k);
/* The entry leaves the ring. */
void cu_buffers_end(struct commit_unit *u, struct cu_entry *e);

/* ---- cu_input.c ---- */
bool cu_step_input(struct commit_unit *u, uint64_t now);

/* ---- cu_hazard.c ---- */
bool cu_step_hazard(struct commit_unit *u, uint64_t now);
/* One word of an entry's read or write set, in hazard detection. */
void cu_hazard_word(struct commit_unit *u, struct cu_entry *e, uint64_t cid, enum cu_set_kind k, struct kilo_entry word,
                    uint64_t now);
/* All words of the set have been processed. */
void cu_hazard_set_done(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k);
/* Bloom filter array: an entry arrives. */
void cu_bf_arrival(struct commit_unit *u, uint64_t cid, enum cu_set_kind k, uint32_t address, uint64_t now);

/* ---- cu_outcome.c ---- */
bool cu_step_pass(struct commit_unit *u, uint64_t now);
bool cu_step_waiting(struct commit_unit *u, uint64_t now);
/* A part of the entry's validation has completed: decides the local outcome if it was the last. */
void cu_validated(struct commit_unit *u, struct cu_entry *e, uint64_t cid);
void cu_reply(struct commit_unit *u, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes);
void cu_reply_lane(struct commit_unit *u, enum kilo_kind kind, const struct cu_entry *e);
/* True: there was a reply, even if it could not be sent. */
bool cu_step_reply(struct commit_unit *u, uint64_t now);

/* ---- cu_group.c ---- */
/* The local outcome of an entry is known: sends those of its warp if it was the last. */
void cu_group_outcome(struct commit_unit *u, struct cu_entry *e);
/* The writes of an entry have been performed, or it has failed: the same. */
void cu_group_written(struct commit_unit *u, struct cu_entry *e);

/* ---- cu_commit.c ---- */
bool cu_step_commit(struct commit_unit *u);
void cu_written(struct commit_unit *u, struct cu_entry *e);       /* a write of the entry has been performed */
void cu_commit_word(struct commit_unit *u, struct cu_entry *e, uint64_t cid, struct kilo_entry word);

/* ---- cu_access.c ---- */
void cu_queue_read(struct commit_unit *u, enum cu_access_kind kind, uint64_t owner, struct kilo_entry word);
void cu_queue_write(struct commit_unit *u, uint64_t cid, struct kilo_entry word);
/* The same for accesses that may be merged with others. Merged writes are queued by cu_queue_merged. */
void cu_merge_read(struct commit_unit *u, uint64_t cid, struct kilo_entry word);
void cu_merge_write(struct commit_unit *u, uint64_t cid, struct kilo_entry word);
void cu_queue_merged(struct commit_unit *u);
/* Issue one access of the queue, if there is one. */
bool cu_step_issue(struct commit_unit *u, struct fifo *queue, uint64_t now);
/* Accesses whose delay is over. */
void cu_run_delayed(struct commit_unit *u, uint64_t now);
void cu_run_ideal(struct commit_unit *u, uint64_t now);

/* ---- cu_watchdog.c ---- */
void cu_watchdog_entry(struct commit_unit *u, const struct kilo_batch *b, unsigned lane, struct kilo_entry word);
void cu_watchdog_performed(struct commit_unit *u, uint64_t index, bool same);

#endif
