/*
 * Bulk copies (cp.async.bulk, PTX ISA 9.7.9.25): a thread copies any multiple of 16 bytes between global and shared
 * memory, or to the shared memory of a block of its cluster. In timing mode the instruction captures what its lanes
 * copy; the copies begin when it has passed the load/store unit (timing/core/bulk_engine.c).
 */
#ifndef PTX_BULK_ASYNC_H
#define PTX_BULK_ASYNC_H

#include "ptx/memory/access.h"

enum bulk_direction {
    BULK_GLOBAL_TO_SHARED, BULK_SHARED_TO_SHARED, BULK_SHARED_TO_GLOBAL, BULK_GLOBAL_TO_L2
};
enum bulk_direction bulk_direction(enum ptx_op op);

/*
 * The copy of a lane: addresses, those of shared memory with the rank of a block; the barrier object, in the memory
 * with the destination. It is the lane's data of a captured mem_op, whose `lanes` are those that copy. empty: an
 * address is illegal, and check.memory tolerates it: it writes nothing, but completes its bytes. `to` is the object.
 */
struct bulk_lane { uint64_t to, from; uint32_t bytes, object; bool empty; };
_Static_assert(sizeof(struct bulk_lane) <= MEM_WIDTH_MAX, "it is the data of a lane");

/* True: it combines its bytes with the destination's; false: it copies them. */
static inline bool bulk_reduces(enum ptx_op op)
{
    return op == OP_BULK_REDUCE || op == OP_BULK_REDUCE_SEND;
}

/*
 * Fills in a part of at most BULK_PART bytes of a copy, which lie in one line of the destination: a store, or the
 * reduction of d, of the bytes at `from`. The lanes have consecutive addresses from `to` on. bulk_part_completes: the
 * part also completes its bytes at `object`. bulk_part_empty: the one part of an empty copy.
 */
enum { BULK_PART = 128, BULK_GRAIN = 16 };
void bulk_part(struct mem_op *op, const struct dinst *d, uint64_t to, uint32_t bytes);
void bulk_part_data(struct mem_op *op, const char *from);
void bulk_part_completes(struct mem_op *op, uint32_t object);
void bulk_part_empty(struct mem_op *op, const struct bulk_lane *l);

/* The address to which a lane's copy writes, unchecked, and its bytes. Not of prefetches. */
uint64_t bulk_async_to(const struct half *h, const struct dinst *d, int lane, uint32_t *bytes);

/* Captures the lanes of one half of a warp (mem_capture). False: a fault. */
bool bulk_async_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);

#endif
