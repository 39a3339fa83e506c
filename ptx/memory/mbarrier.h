/*
 * Barrier objects (mbarrier, PTX ISA 9.7.13.15): words of 64 bits in shared memory that count arrivals and bytes of a
 * phase. Each operation but mbarrier.pending_count is an atomic operation on the word, in both modes (access_atom.c
 * performs those of timing mode). Their result, the state of the phase, is the word before the operation.
 */
#ifndef PTX_MBARRIER_H
#define PTX_MBARRIER_H

#include "ptx/memory/access.h"

/*
 * In timing mode cp.async.mbarrier.arrive performs in two steps. Its access adds a pending arrival, or with .noinc
 * nothing. This is the second step, the arrival: when the access has performed and all earlier copies are complete.
 */
void mbarrier_copies_complete(const struct mem_op *op);

/*
 * An asynchronous write to shared memory completes its bytes at a barrier object of the same block (op->completes). In
 * a mem_op a lane's object and bytes lie at offset MBARRIER_COMPLETION of its data, after what it writes.
 */
struct mbarrier_completion { uint32_t object, bytes; };
enum { MBARRIER_COMPLETION = 16 };
/* object: an address in the shared memory of block b; bits that name a block are ignored. */
void mbarrier_complete(struct block *b, uint32_t object, uint32_t bytes);
void mbarrier_complete_lanes(struct mem_op *op, uint64_t lanes, struct block *b);

#endif
