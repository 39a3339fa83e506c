/*
 * st.async and red.async (PTX ISA 9.7.9.12, 9.7.13.5): a store or reduction in the shared memory of a block of the
 * cluster, which completes its bytes at a barrier object there (mbarrier.h).
 */
#ifndef PTX_ASYNC_STORE_H
#define PTX_ASYNC_STORE_H

#include "ptx/memory/access.h"

/* Adds the barrier objects of captured lanes of one half of a warp, and the lanes of op->outside. False: a fault. */
bool async_store_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);

#endif
