/*
 * Scalar instructions for the mask of active lanes (core.exec_mask). AMD's GPUs have no stack of masks: a compiler
 * saves and restores the mask in scalar registers. For a condition that lanes may decide differently it writes
 * (GPU-LocalTM, Fig. 2)
 *     s_mov   saved, exec          before the branch, which jumps if no lane is left
 *     s_and   exec, exec, vcc
 *     s_andn2 exec, saved, exec    before the second side, if both sides have instructions
 *     s_mov   exec, saved          where the lanes reconverge
 * and for a loop that lanes may leave in different iterations, as many (s_or, s_andn2; s_or: LLVM, SILowerControlFlow).
 * A condition that is the same for all lanes of a warp needs none: it is computed from constants, the kernel's
 * parameters, numbers of the block, and votes.
 */
#include "timing/core/exec_mask.h"
#include "timing/core/varying.h"

enum { BEFORE_BRANCH = 2, SECOND_SIDE = 1, RECONVERGENCE = 1 };

static void add_branch(struct tinst *t, const struct ptx_func *f, uint32_t i, uint32_t join)
{
    uint32_t target = f->insts[i].opd[0].label;
    t[i].scalars += BEFORE_BRANCH;
    if (join == FLOW_NONE)
        return;
    t[join].scalars += RECONVERGENCE;
    if (target != join && i + 1 != join)
        t[target].scalars += SECOND_SIDE;
}

void exec_mask_set(struct tinst *t, const struct ptx_func *f, const struct flow *flow)
{
    struct varying *v = varying_new(f, flow, VARYING_VECTOR_MEMORY);
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (varying_diverges(v, &f->insts[i]))
            add_branch(t, f, i, flow_reconvergence(flow, i));
    varying_free(v);
}
