/* If-conversion: short branches become guarded instructions (gpu.if_conversion). */
#ifndef PTX_IF_CONVERT_H
#define PTX_IF_CONVERT_H

#include "ptx/program/flow.h"

/*
 * Converts the branches of a function with a body. Each thread computes the same values. The function may then need
 * `allowed_registers` (32-bit registers a thread), or what it needed before, rounded up to a multiple of 8, if that is
 * more.
 */
void if_convert(struct ptx_func *f, uint32_t allowed_registers);

#endif
