/*
 * The commit unit of a memory partition (KILO TM, section 4.5): a ring of entries in the order of commit IDs, through
 * which transactions pass from log transfer and speculative validation over hazard detection, validation wait, the
 * final outcome and the writing of memory to their end. It knows messages and words; how they travel is its caller's.
 */
#ifndef TM_KILOTM_COMMIT_UNIT_H
#define TM_KILOTM_COMMIT_UNIT_H

#include "base/config.h"
#include "base/hist.h"
#include "base/stats.h"
#include "tm/kilotm/kilotm.h"

struct cu_cfg {
#define CONFIG_ROWS "tm/kilotm/unit/config.def"
#include "base/config_fields.h"
    uint32_t ideal_latency;          /* of accesses that always hit, in unit cycles: performed after so many */
    uint64_t limit;                  /* lanes that concurrency control lets be in transactions; 0 = no limit */
    uint64_t seed;                   /* of the hash functions */
};
void cu_configure(struct cu_cfg *c, const struct simtx_config *config);
/* False: the configuration is impossible, with the reason in `error`. */
bool cu_check(const struct cu_cfg *c, char *error, size_t size);

/* How an access was served: found of cu_performed. */
enum cu_found { CU_FOUND_HIT, CU_FOUND_PENDING, CU_FOUND_MISS };

struct cu_calls {
    void *ctx;
    /* Sends a message about lanes of a batch to its core; false: no room in this cycle. */
    bool (*reply)(void *ctx, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes, uint64_t now);
    /* A word is read from or written to memory (bytes: bit per byte of the word; value: in place). Writes to one word
     * must be performed in the order of the calls. Ends with cu_performed, later, with the same token. */
    void (*access)(void *ctx, bool write, uint32_t address, unsigned bytes, uint32_t value, uint32_t token,
                   uint64_t now);
    /* The value that the word has in memory now; writes it: for ideal accesses. */
    uint32_t (*peek)(void *ctx, uint32_t address);
    void (*poke)(void *ctx, uint32_t address, unsigned bytes, uint32_t value, uint64_t now);
    /* For tests: the write of this commit ID to a word is in memory (before: its old value). May be NULL. */
    void (*written)(void *ctx, uint64_t cid, uint32_t address, uint32_t before);
    /* Without kilotm.resend: the lane's transaction can never commit; it fails now. May be NULL. */
    void (*impossible)(void *ctx, const struct kilo_batch *b, unsigned lane, const char *why);
    /* With a finite ring: an entry has retired; a batch's lanes retire in their order. May be NULL. */
    void (*retired)(void *ctx, const struct kilo_batch *b, unsigned lane);
};

struct commit_unit;
struct commit_unit *cu_new(const struct cu_cfg *c, const struct cu_calls *calls, uint64_t *count, struct hists *hists);
void cu_free(struct commit_unit *u);
/* A message of kind KILO_READ_SET ... KILO_VALIDATE; the payload is read before it returns, but the batch stays in use
 * until its messages have been processed and answered. False: the input queue is full. Cycles are the unit's clock,
 * that of L2; cu_run follows in the same cycle or the next. Aborts on messages that break the protocol:
 * - a lane's log entries, then DONE_FILL; or SKIP alone; end-to-end in this order;
 * - PASS or FAIL after this unit's own outcome; a FAIL for a lane that failed here is ignored;
 * - every RESEND_READ or RESEND_WRITE is answered by all of the lane's entries of that kind for this unit, in log
 *   order, and RESENT_DONE;
 * - commit IDs from cu_oldest on, without gaps in the end: each gets log entries or SKIP; with a finite ring, less than
 *   cu_oldest + ring, which ALLOC_PASS promises for all lanes of the CU_ALLOC. */
bool cu_take(struct commit_unit *u, enum kilo_kind kind, const struct kilo_payload *p, uint64_t now);
/* An access has been performed. value: of a read, the word's; of a write, the word's before it, for `written`.
 * found: enum cu_found. Not while `access` runs; cu_run follows in the same cycle or the next. */
void cu_performed(struct commit_unit *u, uint32_t token, uint32_t value, unsigned found, uint64_t now);
/* One cycle, at most once for each, in this order: a reply, a commit write, a validation read, one step of each
 * pointer (hazard detection, pass, commit, retire), one entry of one message. Returns the next cycle in which it
 * acts by itself; NEVER = only a message or a performed access can wake it. */
uint64_t cu_run(struct commit_unit *u, uint64_t now);
/* The occupancy statistics, for the cycles before `until`. */
void cu_settle(struct commit_unit *u, uint64_t until);
bool cu_idle(const struct commit_unit *u);           /* no entry between first message and retirement, no message */
uint64_t cu_oldest(const struct commit_unit *u);     /* the oldest commit ID that has not retired */
/* For units that came to rest: false with the reason in `error` when the last writer history has missed a hazard, or
 * anything is left of what transactions held. */
bool cu_sound(const struct commit_unit *u, char *error, size_t size);
/* What has become of a commit ID here, in words. */
const char *cu_state(const struct commit_unit *u, uint64_t cid);
void cu_dump(const struct commit_unit *u, void (*line)(void *ctx, const char *text), void *ctx);

#endif
