/*
 * KILO TM (Fung, Singh, Brownsword, Aamodt: "Hardware Transactional Memory for GPU Architectures", MICRO 2011): what
 * the transaction log unit of a core and the commit unit of a memory partition say to each other. A warp commits as a
 * batch: its lanes have consecutive commit IDs in the order of their numbers, and one message carries the log entries
 * of all lanes that go to one partition, up to the size of the packet.
 */
#ifndef TM_KILOTM_KILOTM_H
#define TM_KILOTM_KILOTM_H

#include "memsys/xbar/packet.h"

enum { KILO_LANES = 64 };

/* Messages; sizes are the header's and 8 bytes an entry. MESSAGE(name, counter): of messages.def. */
#define KILO_MESSAGES(MESSAGE) \
    MESSAGE(READ_SET, READ_SET)         /* to the unit: log entries, at most one a lane */                             \
    MESSAGE(WRITE_SET, WRITE_SET)       /* the same */                                                                 \
    MESSAGE(DONE_FILL, DONE_FILL)       /* the logs of these lanes, which have entries here, are complete */           \
    MESSAGE(SKIP, SKIP)                 /* these lanes have no entry here */                                           \
    MESSAGE(PASS, PASS)                 /* final outcome of a lane, to the units that got entries of it */             \
    MESSAGE(FAIL, FAIL)                 /* and passed it */                                                            \
    MESSAGE(CU_PASS, CU_PASS)           /* to the core: local outcome of a lane */                                     \
    MESSAGE(CU_FAIL, CU_FAIL)           /* the same */                                                                 \
    MESSAGE(CU_HAZARD, CU_FAIL)         /* as CU_FAIL, because of a hazard (kilotm.fail_at_hazard) */                  \
    MESSAGE(CU_IMPOSSIBLE, CU_FAIL)     /* the lane's set does not fit and is not sent again (kilotm.resend) */        \
    MESSAGE(CU_DONE_COMMIT, CU_DONE)    /* the lane's writes here are in memory */                                     \
    MESSAGE(CU_ALLOC, ALLOC)            /* to the unit: places in the ring for the lanes of a batch */                 \
    MESSAGE(ALLOC_PASS, ALLOC)          /* to the core: there are */                                                   \
    MESSAGE(ALLOC_FAIL, ALLOC)          /* there are none now */                                                       \
    MESSAGE(RETIRED, ALLOC)             /* with a finite ring: the whole batch has retired here */                     \
    MESSAGE(RESEND_READ, RESEND)        /* to the core: the lane's entries for this unit are wanted again */           \
    MESSAGE(RESEND_WRITE, RESEND)       /* the same */                                                                 \
    MESSAGE(RESENT_READ, READ_SET)      /* to the unit: entries as in READ_SET */                                      \
    MESSAGE(RESENT_WRITE, WRITE_SET)    /* as in WRITE_SET */                                                          \
    MESSAGE(RESENT_DONE, RESEND)        /* that was all of the lane's */                                               \
    MESSAGE(VALIDATE, VALIDATE)         /* to the unit: compare with memory now, no commit ID; the last is void */     \
    MESSAGE(VALID, VALIDATE)            /* to the core: all entries of the lane were current */                        \
    MESSAGE(STALE, VALIDATE)            /* one was not */

enum kilo_kind {
    KILO_BEFORE = MSG_ENGINE - 1,
#define MESSAGE(name, counter) KILO_##name,
    KILO_MESSAGES(MESSAGE)
#undef MESSAGE
};

/* A warp's attempt to commit. The core keeps it until every unit has retired its entries. */
struct kilo_batch {
    uint64_t first_cid;              /* of the lowest lane; set before any message of it arrives */
    uint64_t lanes;                  /* that take part */
    uint16_t sm, slot;               /* warp slot of the SM */
};

static inline uint64_t kilo_cid(const struct kilo_batch *b, unsigned lane)
{
    return b->first_cid + (unsigned)__builtin_popcountll(b->lanes & ((UINT64_C(1) << lane) - 1));
}

/* A log entry as it lies in memory: two words. */
struct kilo_entry { uint32_t address, value; };

/*
 * The address word is the byte offset from the start of device memory, its lowest two bits say what the value word is:
 * a whole word; a byte (bits 0-7) and its place in the word (bits 8-9); a half (bits 0-15) and its place (bit 16).
 * Reads are always of whole words.
 */
enum kilo_size { KILO_WORD, KILO_BYTE, KILO_HALF, KILO_VOID };
#define KILO_VOID_ENTRY ((struct kilo_entry){ UINT32_MAX, 0 })

static inline enum kilo_size kilo_size(struct kilo_entry e)
{
    return (enum kilo_size)(e.address & 3);
}

/* Bytes of the word that a write entry sets, a bit each, and their values in place. */
static inline unsigned kilo_bytes(struct kilo_entry e, uint32_t *value)
{
    unsigned at = kilo_size(e) == KILO_BYTE ? e.value >> 8 & 3 : kilo_size(e) == KILO_HALF ? e.value >> 15 & 2 : 0;
    unsigned bytes = kilo_size(e) == KILO_BYTE ? 1 : kilo_size(e) == KILO_HALF ? 3 : 15;
    uint32_t part = kilo_size(e) == KILO_BYTE ? e.value & 0xff : kilo_size(e) == KILO_HALF ? e.value & 0xffff : e.value;
    *value = part << 8 * at;
    return bytes << at;
}

/* What a message carries: hangs at packet->payload, and belongs to the packet. */
struct kilo_payload {
    const struct kilo_batch *batch;
    uint64_t lanes;                  /* it is about */
    struct kilo_entry entry[KILO_LANES];         /* by lane; of lanes in `lanes` */
};

#endif
