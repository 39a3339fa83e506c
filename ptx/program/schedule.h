/* Instruction scheduling: the order of the instructions within a basic block (gpu.instruction_order). */
#ifndef PTX_SCHEDULE_H
#define PTX_SCHEDULE_H

#include "ptx/program/flow.h"

/*
 * Reorders the instructions of each basic block of a function with a body, as an assembler does. A thread computes the
 * same values, and its accesses to memory that may overlap stay in order. The function may then need more registers
 * than before, but no more than `free_registers` if it needed fewer (32-bit registers a thread), else only as many as
 * before, rounded up to a multiple of 8. Temporary data comes from the arena.
 */
void schedule_function(struct ptx_func *f, uint32_t free_registers, struct arena *arena);

#endif
