/* cp.async in timing mode: a load of global memory whose bytes go to shared memory when it completes. */
#ifndef PTX_ASYNC_COPY_H
#define PTX_ASYNC_COPY_H

#include "ptx/memory/access.h"

/* The address in shared memory to which a lane copies, unchecked. */
uint32_t async_copy_to(const struct half *h, const struct dinst *d, int lane);
/* Captures the lanes of one half of a warp (mem_capture). False: a fault. */
bool async_copy_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);
/* The lanes that read no bytes, served by shared memory, write their zeros. */
void async_copy_zeros(struct mem_op *op);
/* All bytes of the others are in op->data: writes shared memory. */
void async_copy_arrived(struct mem_op *op);

#endif
