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

/* The copy of a lane: addresses, those of shared memory with the rank of a block; the barrier object, in the memory with
 * the destination. It is the lane's data of a captured mem_op, whose `lanes` are those that copy. */
struct bulk_lane { uint64_t to, from; uint32_t bytes, object; };

/* Captures the lanes of one half of a warp (mem_capture). False: a fault. */
bool bulk_async_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);

#endif
