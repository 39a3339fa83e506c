/* If-conversion: short branches become guarded instructions (gpu.if_conversion). */
#ifndef PTX_IF_CONVERT_H
#define PTX_IF_CONVERT_H

#include "ptx/program/flow.h"

/*
 * Converts the branches of a function with a body. Each thread computes the same values, and the function needs no more
 * registers, rounded up to a multiple of 8. Its analysis stays in the arena.
 */
void if_convert(struct ptx_func *f, struct arena *arena);

#endif
