/* The scalar instructions by which a compiler keeps the mask of active lanes. */
#ifndef TIMING_EXEC_MASK_H
#define TIMING_EXEC_MASK_H

#include "ptx/program/flow.h"
#include "timing/core/tinst.h"

/* Sets `scalars` of the instructions of a function. */
void exec_mask_set(struct tinst *t, const struct ptx_func *f, const struct flow *flow);

#endif
