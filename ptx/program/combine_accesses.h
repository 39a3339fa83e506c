/* Combining accesses: neighbouring words of shared or local memory are accessed at once (gpu.combine_accesses). */
#ifndef PTX_COMBINE_ACCESSES_H
#define PTX_COMBINE_ACCESSES_H

#include "ptx/program/flow.h"

/*
 * Replaces loads, or stores, of neighbouring words in a basic block by one of 8 or 16 bytes, in a function with a body
 * whose shared variables have their addresses. Each thread computes the same values if the program has no data races.
 *
 * The function may then need `allowed_registers` (32-bit registers a thread), or what it needed before, rounded up to a
 * multiple of 8, if that is more. Otherwise fewer accesses are combined, or none. What the function keeps is in the
 * arena.
 */
void combine_accesses(struct ptx_func *f, uint32_t allowed_registers, struct arena *arena);

#endif
