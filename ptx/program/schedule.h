/* Instruction scheduling: the order of the instructions within a basic block (gpu.instruction_order). */
#ifndef PTX_SCHEDULE_H
#define PTX_SCHEDULE_H

#include "ptx/program/flow.h"

/*
 * Reorders the instructions of each basic block of a function with a body, as an assembler does. Each thread computes
 * the same values if the program has no data races: its accesses to memory that may overlap stay in order.
 *
 * The limit of registers is `free_registers` (32-bit registers a thread), or what the function needs in the order of
 * the text, rounded up to a multiple of 8, if that is more; it is at most .maxnreg, unless the text needs more. The
 * analysis of the function stays in the arena.
 */
void schedule_function(struct ptx_func *f, uint32_t free_registers, struct arena *arena);

#endif
