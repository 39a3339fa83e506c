/*
 * KILO TM (Fung, Singh, Brownsword, Aamodt: "Hardware Transactional Memory for GPU Architectures", MICRO 2011): the
 * messages between the transaction log unit of a core and the commit unit of a memory partition. A warp commits as a
 * batch: its lanes have consecutive commit IDs in ascending order, and one message carries the log entries of all lanes
 * for one partition, up to the size of the packet.
 */
#ifndef TM_KILO_KILO_H
#define TM_KILO_KILO_H

#include "memsys/xbar/packet.h"

enum { KILO_LANES = 64 };

/* Messages. A message has the size of a header and 8 bytes for each entry. MESSAGE(name, counter in messages.def): */
#define KILO_MESSAGES(MESSAGE) \
    MESSAGE(READ_SET, READ_SET)         /* to the unit: log entries, at most one for each lane */                      \
    MESSAGE(WRITE_SET, WRITE_SET)       /* to the unit: the same */                                                    \
    MESSAGE(DONE_FILL, DONE_FILL)       /* to the unit: these lanes have entries here, and all have been sent */       \
    MESSAGE(SKIP, SKIP)                 /* to the unit: these lanes have no entry here */                              \
    MESSAGE(PASS, PASS)                 /* to the unit: final outcome of a lane, to the units with entries of it */    \
    MESSAGE(FAIL, FAIL)                 /* to the unit: the same, to those whose local outcome is a pass */            \
    MESSAGE(CU_PASS, CU_PASS)           /* to the core: local outcome of a lane */                                     \
    MESSAGE(CU_FAIL, CU_FAIL)           /* to the core: the same */                                                    \
    MESSAGE(CU_HAZARD, CU_FAIL)         /* to the core: CU_FAIL because of a hazard (kilotm.fail_at_hazard) */         \
    MESSAGE(CU_IMPOSSIBLE, CU_FAIL)     /* to the core: the set does not fit and may not be resent (kilotm.resend) */  \
    MESSAGE(CU_DONE_COMMIT, CU_DONE)    /* to the core: the lane's writes here are in memory */                        \
    MESSAGE(CU_ALLOC, ALLOC)            /* to the unit: requests ring entries for the lanes of a batch */              \
    MESSAGE(ALLOC_PASS, ALLOC)          /* to the core: the entries are allocated */                                   \
    MESSAGE(ALLOC_FAIL, ALLOC)          /* to the core: the ring has no room */                                        \
    MESSAGE(RETIRED, ALLOC)             /* to the core: with a finite ring: the whole batch has retired here */        \
    MESSAGE(RESEND_READ, RESEND)        /* to the core: requests the lane's read-log entries for this unit again */    \
    MESSAGE(RESEND_WRITE, RESEND)       /* to the core: the same for write-log entries */                              \
    MESSAGE(RESENT_READ, READ_SET)      /* to the unit: entries as in READ_SET */                                      \
    MESSAGE(RESENT_WRITE, WRITE_SET)    /* to the unit: entries as in WRITE_SET */                                     \
    MESSAGE(RESENT_DONE, RESEND)        /* to the unit: all entries of the lane have been resent */                    \
    MESSAGE(VALIDATE, VALIDATE)         /* to the unit: entries to compare with memory; no commit ID; last: void */    \
    MESSAGE(VALID, VALIDATE)            /* to the core: all entries of the lane were current */                        \
    MESSAGE(STALE, VALIDATE)            /* to the core: an entry was stale */

enum kilo_kind {
    KILO_BEFORE = MSG_ENGINE - 1,
#define MESSAGE(name, counter) KILO_##name,
    KILO_MESSAGES(MESSAGE)
#undef MESSAGE
};

/* A commit of a warp. The core keeps it until every unit has retired its entries. */
struct kilo_batch {
    uint64_t first_cid;              /* of the lowest lane; set before any of its messages arrives */
    uint64_t lanes;                  /* that take part */
    uint16_t sm, slot;               /* warp slot of the SM */
};

static inline uint64_t kilo_cid(const struct kilo_batch *b, unsigned lane)
{
    return b->first_cid + (unsigned)__builtin_popcountll(b->lanes & ((UINT64_C(1) << lane) - 1));
}

/* A log entry as it is stored in memory: two words. */
struct kilo_entry { uint32_t address, value; };

/*
 * The address word is the byte offset from the start of device memory. Its lowest two bits give the format of the value
 * word: a whole word; a byte (bits 0-7) and its index in the word (bits 8-9); a half (bits 0-15) and its index (bit
 * 16). Read-log entries are always whole words.
 */
enum kilo_size { KILO_WORD, KILO_BYTE, KILO_HALF, KILO_VOID };
#define KILO_VOID_ENTRY ((struct kilo_entry){ UINT32_MAX, 0 })

static inline enum kilo_size kilo_size(struct kilo_entry e)
{
    return (enum kilo_size)(e.address & 3);
}

/* A mask of the bytes of the word that a write-log entry writes; *value gets them in their positions. */
static inline unsigned kilo_bytes(struct kilo_entry e, uint32_t *value)
{
    unsigned at = kilo_size(e) == KILO_BYTE ? e.value >> 8 & 3 : kilo_size(e) == KILO_HALF ? e.value >> 15 & 2 : 0;
    unsigned bytes = kilo_size(e) == KILO_BYTE ? 1 : kilo_size(e) == KILO_HALF ? 3 : 15;
    uint32_t part = kilo_size(e) == KILO_BYTE ? e.value & 0xff : kilo_size(e) == KILO_HALF ? e.value & 0xffff : e.value;
    *value = part << 8 * at;
    return bytes << at;
}

/* The content of a message: at packet->payload, owned by the packet. */
struct kilo_payload {
    const struct kilo_batch *batch;
    uint64_t lanes;                  /* of the message */
    struct kilo_entry entry[KILO_LANES];         /* by lane; of lanes in `lanes` */
};

#endif
