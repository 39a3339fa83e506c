/*
 * KILO TM (Fung, Singh, Brownsword, Aamodt: "Hardware Transactional Memory for GPU Architectures", MICRO 2011): what
 * the transaction log unit of a core and the commit unit of a memory partition say to each other. A warp commits as a
 * batch: its lanes have consecutive commit IDs in the order of their numbers, and one message carries the log entries
 * of all lanes that go to one partition, up to the size of the packet.
 */
#ifndef TM_KILOTM_KILOTM_H
#define TM_KILOTM_KILOTM_H

#include "memsys/packet.h"

enum { KILO_LANES = 64 };

/* Messages; sizes are the header's and 8 bytes an entry. */
enum kilo_kind {
    KILO_READ_SET = MSG_UNIT,        /* log entries, at most one a lane */
    KILO_WRITE_SET,
    KILO_DONE_FILL,                  /* the logs of these lanes are complete: lanes with entries here */
    KILO_SKIP,                       /* these lanes have no entry here */
    KILO_PASS, KILO_FAIL,            /* final outcome of a lane, to the units that got entries of it */
    KILO_CU_PASS, KILO_CU_FAIL,      /* local outcome of a lane */
    KILO_CU_DONE_COMMIT,             /* the lane's writes here are in memory */
    KILO_CU_ALLOC,                   /* handshake: places in the ring for the lanes of a batch */
    KILO_ALLOC_PASS, KILO_ALLOC_FAIL,
    KILO_RESEND_READ, KILO_RESEND_WRITE,         /* to the core: the lane's entries for this unit are wanted again */
    KILO_RESENT_READ, KILO_RESENT_WRITE,         /* from the core: entries as in READ_SET, WRITE_SET */
    KILO_RESENT_DONE,                            /* from the core: that was all of the lane's */
    KILO_VALIDATE,                   /* watchdog: entries to be compared with memory now, without a commit ID; a lane's
                                      * last one carries KILO_VOID_ENTRY */
    KILO_VALID, KILO_STALE,          /* answer to a lane's VALIDATEs: all its entries were current, or one was not */
    KILO_CU_HAZARD,                  /* as CU_FAIL, because of a hazard (kilotm.fail_at_hazard) */
    KILO_CU_IMPOSSIBLE,              /* the lane's set does not fit and is not sent again (kilotm.resend) */
    KILO_RETIRED                     /* with a finite ring: the whole batch has retired at this unit */
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
