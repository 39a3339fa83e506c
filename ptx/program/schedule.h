/* Instruction scheduling: the order of the instructions within a basic block (gpu.instruction_order). */
#ifndef PTX_SCHEDULE_H
#define PTX_SCHEDULE_H

#include "ptx/program/flow.h"

/* What an instruction must not cross, besides those that it depends on through registers. */
enum schedule_crossing {
    SCHEDULE_FREE,           /* nothing */
    SCHEDULE_ACCESS,         /* a plain load or store: accesses that may overlap with it */
    SCHEDULE_LANES,          /* it exchanges values between lanes: others that do */
    SCHEDULE_SYNC,           /* atomics, fences, barriers: every access and exchange */
    SCHEDULE_NEVER           /* every instruction */
};
enum schedule_crossing schedule_crossing(const struct ptx_inst *in);

/* Arithmetic of a lane, which depends on others only through registers and the carry flag. */
bool schedule_is_arithmetic(const struct ptx_inst *in);

/*
 * 32-bit registers a thread that a function may need after a pass has changed its instructions: `allowed_registers`, or
 * what it `needed` before the pass, rounded up to a multiple of 8, if that is more; at most .maxnreg, but not less than
 * it needed.
 */
uint32_t schedule_register_limit(const struct ptx_func *f, uint32_t needed, uint32_t allowed_registers);

/*
 * Reorders the instructions of each basic block of a function with a body, as an assembler does. Each thread computes
 * the same values if the program has no data races: its accesses to memory that may overlap stay in order.
 *
 * A basic block needs at most schedule_register_limit registers, unless the text needs more.
 */
void schedule_function(struct ptx_func *f, uint32_t allowed_registers);

#endif
