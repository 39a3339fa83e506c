/*
 * The commit unit of a memory partition (KILO TM, section 4.5): a ring of entries in the order of commit IDs. An entry
 * passes through log transfer and speculative validation, hazard detection, validation wait, the final outcome, the
 * writes to memory, and retirement. This interface has messages and accesses to words; the caller transports them.
 */
#ifndef TM_KILO_COMMIT_UNIT_H
#define TM_KILO_COMMIT_UNIT_H

#include "base/config/config.h"
#include "base/hist.h"
#include "base/stats.h"
#include "tm/kilo/kilo.h"

/* What a unit does for the lanes of a warp together (WarpTM). Any of the last two needs transactions of a warp without
 * conflicts among themselves, and buffers without limits. */
struct cu_warp_cfg {
    bool parallel_input;             /* processes all lanes of a message in one cycle */
    bool group_replies;              /* one message for the local outcomes of a warp, one for its performed writes */
    uint32_t access_bytes;           /* accesses of a message or writes of a warp to one such block are merged; at most
                                      * a sector; 0 or 4: none */
};

struct cu_cfg {
#define CONFIG_ROWS "tm/kilo/unit/config.def"
#include "base/config/config_fields.h"
    uint32_t ideal_latency;          /* unit cycles of an access that always hits */
    uint64_t limit;                  /* lanes that concurrency control allows in transactions; 0 = no limit */
    uint64_t seed;                   /* of the hash functions */
    struct cu_warp_cfg warps;        /* cu_configure leaves it zero */
};
void cu_configure(struct cu_cfg *c, const struct simtx_config *config);

/* How an access was served: found of cu_performed. */
enum cu_found { CU_FOUND_HIT, CU_FOUND_PENDING, CU_FOUND_MISS };

struct cu_calls {
    void *ctx;
    /* Sends a message about lanes of a batch to its core; false: no room in this cycle. */
    bool (*reply)(void *ctx, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes, uint64_t now);
    /* Reads or writes a word in memory (bytes: a bit for each byte of the word; value: bytes in their positions).
     * Writes to the same word must be performed in the order of the calls. cu_performed follows later, with the same
     * token. */
    void (*access)(void *ctx, bool write, uint32_t address, unsigned bytes, uint32_t value, uint32_t token,
                   uint64_t now);
    /* Read and write a word in memory at once: for ideal accesses. */
    uint32_t (*peek)(void *ctx, uint32_t address);
    void (*poke)(void *ctx, uint32_t address, unsigned bytes, uint32_t value, uint64_t now);
    /* For tests: the write of this commit ID to a word is in memory (before: its old value). May be NULL. */
    void (*written)(void *ctx, uint64_t cid, uint32_t address, uint32_t before);
    /* Without kilotm.resend: the lane's transaction can never commit; this attempt fails. May be NULL. */
    void (*impossible)(void *ctx, const struct kilo_batch *b, unsigned lane, const char *why);
    /* With a finite ring: an entry has retired; the lanes of a batch retire in order. May be NULL. */
    void (*retired)(void *ctx, const struct kilo_batch *b, unsigned lane);
};

struct commit_unit;
struct commit_unit *cu_new(const struct cu_cfg *c, const struct cu_calls *calls, uint64_t *count, struct hists *hists);
void cu_free(struct commit_unit *u);
/* Accepts a message of kind KILO_READ_SET ... KILO_VALIDATE. The payload is copied, but the batch stays in use until
 * its messages have been processed and replied to. False: the input queue is full. Cycles are those of the unit's
 * clock, the L2 clock; the caller calls cu_run in the same cycle or the next. The unit aborts the program on messages
 * that violate the protocol: - a lane's log entries, then DONE_FILL; or only SKIP; in this order end to end; - PASS or
 * FAIL follows this unit's local outcome; a FAIL for a lane that failed here is ignored; - the reply to RESEND_READ or
 * RESEND_WRITE is all of the lane's entries of that kind for this unit, in log order, and RESENT_DONE; - commit IDs
 * start at cu_oldest and finally have no gaps: each gets log entries or SKIP. With a finite ring they are less than
 * cu_oldest + ring, which ALLOC_PASS guarantees for all lanes of the CU_ALLOC. */
bool cu_take(struct commit_unit *u, enum kilo_kind kind, const struct kilo_payload *p, uint64_t now);
/* An access has been performed. value: of a read, the value read; of a write, the old value, for `written`. found: enum
 * cu_found. Not called inside `access`; the caller calls cu_run in the same cycle or the next. */
void cu_performed(struct commit_unit *u, uint32_t token, uint32_t value, unsigned found, uint64_t now);
/* The commit ID of an access between `access` and cu_performed. */
uint64_t cu_access_cid(const struct commit_unit *u, uint32_t token);
/* Simulates a cycle: at most one reply, one commit write, one validation read, one step of each pointer (hazard
 * detection, pass, commit, retire), and one entry of one message, in this order. Returns the next cycle in which it
 * acts without a message or a performed access; NEVER. */
uint64_t cu_run(struct commit_unit *u, uint64_t now);
/* Updates the occupancy statistics for the cycles before `until`. */
void cu_settle(struct commit_unit *u, uint64_t until);
bool cu_idle(const struct commit_unit *u);           /* no entry between first message and retirement, no message */
uint64_t cu_oldest(const struct commit_unit *u);     /* the oldest commit ID that has not retired */
uint64_t cu_youngest(const struct commit_unit *u);   /* the youngest commit ID in the ring */
/* Checks an idle unit. False, with the reason in `error`: the last writer history has missed a hazard, or a transaction
 * has left resources allocated. */
bool cu_consistent(const struct commit_unit *u, char *error, size_t size);
/* The state of a commit ID as text. */
const char *cu_state_name(const struct commit_unit *u, uint64_t cid);
void cu_dump(const struct commit_unit *u, void (*line)(void *ctx, const char *text), void *ctx);

#endif
