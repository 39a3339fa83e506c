/*
 * Barrier objects (mbarrier, PTX ISA 9.7.13.15): 64 bits of shared memory that count arrivals and bytes of a phase. Each
 * operation but mbarrier.pending_count is an atomic operation on the word, in both modes (access_atom.c performs those
 * of timing mode). Their result, the state of the phase, is the word before the operation.
 */
#ifndef PTX_MBARRIER_H
#define PTX_MBARRIER_H

#include "ptx/exec/exec.h"

/*
 * Timing mode, cp.async.mbarrier.arrive: the instruction itself only checks its addresses and, without .noinc, counts
 * one arrival more. The others are the addresses of its lanes in shared memory, when it issues, and the arrivals, when
 * the copies before it are complete.
 */
void mbarrier_addresses(const struct warp *w, const struct dinst *d, uint64_t lanes, uint32_t *at);
void mbarrier_copies_complete(struct block *b, uint64_t lanes, const uint32_t *at);

#endif
