/*
 * The accesses to global memory that have performed in one SM, or of the engine beside one L2 slice, for the ordering
 * oracle: what each lane has read and written, and when its value was bound. An access to a copy in L1 binds when it
 * performs. An access that the home performs, or a load of a line on its way from it, binds when the home reads or
 * writes the line: the store that has sent an invalidation after it may perform before the line arrives.
 */
#ifndef MEMSYS_ORDER_HISTORY_H
#define MEMSYS_ORDER_HISTORY_H

#include "memsys/xbar/packet.h"
#include "ptx/memory/access.h"

/* When a value is bound. turn: of the home, in which it takes the accesses to its lines one by one; 0 = in an L1. */
struct order_time { uint64_t cycle; uint32_t turn; };

/* Of an access or fence. STRONG: volatile, relaxed or stronger; BLOCK: of CTA scope; SC: of a fence. */
enum {
    ORDER_SEM_STRONG = 1, ORDER_SEM_ACQUIRE = 2, ORDER_SEM_RELEASE = 4, ORDER_SEM_BLOCK = 8, ORDER_SEM_FENCE = 16,
    ORDER_SEM_SC = 32
};

enum { ORDER_ENGINE = UINT16_MAX };  /* `sm` of accesses of an engine: slot is the slice, warp differs */
enum { ORDER_BULK = UINT16_MAX };    /* `slot` of writes of bulk copies: each is a thread of its own */

/* An access of a warp, or of an engine beside an L2 slice, to a line; or a fence of a warp, with no line. */
struct order_event {
    struct order_time bound;
    uint64_t instruction;            /* number of its SM */
    uint64_t line, lanes, block;
    uint32_t slot, warp;             /* of the SM, of the block */
    uint16_t sm;
    int32_t source;                  /* line of the PTX program */
    bool reads, writes;
    bool read_known, written_known;  /* of an atomic at the home the SM knows the old values of the lanes, if any */
    uint8_t sem;
    uint8_t width;                   /* bytes of a lane */
    uint8_t offset[WARP_LANES];      /* of a lane in the line */
    uint8_t read[LINE_BYTES], written[LINE_BYTES];
};

/* fences: they are recorded, too. */
struct order_history { struct order_event *event; uint32_t n, cap; uint16_t sm; bool fences; };

/* A fence that issues. */
struct order_fence { uint64_t cycle, instruction, lanes, block; uint32_t slot, warp; int32_t source; uint8_t sem; };

/* Loads; stores and atomics performed on a copy in L1; stores and atomics performed at the home (old: of an atomic). */
void order_history_load(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                        const struct order_time *bound, const uint8_t *bytes);
void order_history_performed(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                             const struct order_time *bound, const uint8_t *before, const uint8_t *after);
void order_history_at_home(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                           const struct order_time *bound, const struct atom_payload *old);
/* An access of an engine, of the packet's sectors (a read) or bytes (a write). line: what it has read, or the line
 * after the write. */
void order_history_engine(struct order_history *h, const struct packet *p, uint16_t slice,
                          const struct order_time *bound, const uint8_t *line);
void order_history_fence(struct order_history *h, const struct order_fence *f);
void order_history_free(struct order_history *h);

static inline bool order_before(const struct order_time *a, const struct order_time *b)
{
    return a->cycle < b->cycle || (a->cycle == b->cycle && a->turn < b->turn);
}

#endif
