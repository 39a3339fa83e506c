/*
 * Which values of a function may differ between the lanes of a warp that execute an instruction together: static
 * analysis of data flow and of branches that lanes take differently. All other values are the same.
 */
#ifndef TIMING_VARYING_H
#define TIMING_VARYING_H

#include "ptx/program/flow.h"

/* VECTOR_MEMORY: a load returns a value for each lane, unless it reads constants or parameters by the scalar unit.
 * BY_ADDRESS: its value is the same for all lanes if the address is, private memory excepted. */
enum varying_loads { VARYING_VECTOR_MEMORY, VARYING_BY_ADDRESS };

struct varying;
struct varying *varying_new(const struct ptx_func *f, const struct flow *flow, enum varying_loads loads);
void varying_free(struct varying *v);
/* May the operand of an instruction, of a memory operand the address, differ? */
bool varying_operand(const struct varying *v, const struct ptx_operand *o);
/* Is it a conditional branch that lanes may decide differently? */
bool varying_diverges(const struct varying *v, const struct ptx_inst *in);

#endif
