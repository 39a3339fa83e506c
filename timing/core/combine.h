/*
 * Combined atomics (gpu.combine_atomics): NVIDIA's assembler lets one lane of a warp perform an atomic of all its
 * lanes. combine_rule.c finds such instructions, combine.c executes them.
 */
#ifndef TIMING_COMBINE_H
#define TIMING_COMBINE_H

#include "ptx/program/flow.h"
#include "timing/core/tinst.h"

struct sm;
struct slot;

/* Sets `combine`, `reduces` and the sequences of the instructions of a function. */
void combine_set(struct tinst *t, const struct ptx_func *f, const struct flow *flow, const struct sm_cfg *c);

/* The warp's next instruction is a combined atomic. True: its sequence has begun, and it issues when that has ended. */
bool combine_begin(struct sm *s, struct slot *w);
/* An atomic has issued: without a result that is read it is a reduction. */
void combine_drop_result(const struct slot *w, const struct tinst *t, struct mem_op *op);
/* A combined atomic has issued: replaces its lanes by one. */
void combine_issued(struct sm *s, const struct slot *w, const struct tinst *t, struct mem_op *op);

#endif
