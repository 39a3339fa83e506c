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
 * with the destination; the ranks of the blocks that get the bytes, each at the same place of its memory. It is the
 * lane's data of a captured mem_op, whose `lanes` are those that copy. empty: an address is illegal, and check.memory
 * tolerates it: it writes nothing, but completes its bytes. `to` is the object.
 */
struct bulk_lane { uint64_t to, from; uint32_t bytes, object; uint16_t blocks; bool empty; };
_Static_assert(sizeof(struct bulk_lane) <= MEM_WIDTH_MAX, "it is the data of a lane");

/* True: it combines its bytes with the destination's; false: it copies them. */
static inline bool bulk_reduces(enum ptx_op op)
{
    return op == OP_BULK_REDUCE || op == OP_BULK_REDUCE_SEND;
}

/* One operand is a mask of the blocks that get the bytes. */
static inline bool bulk_is_multicast(enum ptx_op op)
{
    return op == OP_BULK_MULTICAST || op == OP_TENSOR_MULTICAST;
}

/*
 * A part of a copy: at most BULK_PART bytes, which do not cross a line of 128 bytes of the destination. bulk_part makes
 * op a store or, for a reduction d, a reduction, whose lanes have consecutive addresses from `to` on; the others add to
 * it: bulk_part_data its bytes, from the host address `from`; bulk_part_completes the barrier object at which it
 * completes its bytes. bulk_part_empty makes the only part of an empty copy.
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
