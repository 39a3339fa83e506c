/*
 * Scalar instructions for the mask of active lanes (core.exec_mask). AMD's GPUs have no stack of masks: a compiler
 * saves and restores the mask in scalar registers. For a condition that lanes may decide differently it writes (GPU-LocalTM,
 * Fig. 2)
 *     s_mov   saved, exec          before the branch, which jumps if no lane is left
 *     s_and   exec, exec, vcc
 *     s_andn2 exec, saved, exec    before the second side, if both sides have instructions
 *     s_mov   exec, saved          where the lanes reconverge
 * and for a loop that lanes may leave in different iterations, as many (s_or, s_andn2; s_or: LLVM, SILowerControlFlow).
 * A condition that is the same for all lanes of a warp needs none: it is computed from constants, parameters, and the
 * numbers of the block.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/core/exec_mask.h"

enum { BEFORE_BRANCH = 2, SECOND_SIDE = 1, RECONVERGENCE = 1 };

struct varying {
    const struct ptx_func *func;
    const struct flow *flow;
    bool *reg;                       /* by register id: its value may differ between lanes of a warp */
    uint32_t *writes;                /* by register id: instructions that write it */
    bool *divided;                   /* by block: executed by a part of the lanes */
    bool any, changed;               /* of the instruction in hand: a source that differs; of the pass: a change */
    bool may_differ;                 /* the results of the instruction in hand differ */
};

static bool is_varying_sreg(uint8_t s)
{
    return s == SR_TID || s == SR_LANEID || s == SR_LANEMASK_EQ || s == SR_LANEMASK_LE || s == SR_LANEMASK_LT ||
           s == SR_LANEMASK_GE || s == SR_LANEMASK_GT || s == SR_CLOCK || s == SR_CLOCK64;
}

/* Vector memory and the LDS return a value for each lane; parameters and constants are read by the scalar unit. */
static bool reads_lanes(const struct ptx_inst *in)
{
    if (ptx_ops[in->op].unit != PTX_UNIT_LDST)
        return false;
    return INST_SPACE(in) != MOD(SPACE, PARAM) && INST_SPACE(in) != MOD(SPACE, CONST);
}

static void note_source(void *ctx, struct ptx_reg *r, bool write)
{
    struct varying *v = ctx;
    v->any |= !write && v->reg[r->id];
}

static void count_write(void *ctx, struct ptx_reg *r, bool write)
{
    struct varying *v = ctx;
    v->writes[r->id] += write;
}

/* Lanes that took different paths may have different values of a register that several instructions write. */
static void note_result(void *ctx, struct ptx_reg *r, bool write)
{
    struct varying *v = ctx;
    bool differs = v->any || (v->may_differ && v->writes[r->id] > 1);
    if (write && differs && !v->reg[r->id])
        v->reg[r->id] = v->changed = true;
}

static void visit(struct varying *v, uint32_t i)
{
    const struct ptx_inst *in = &v->func->insts[i];
    v->any = reads_lanes(in) || ptx_ops[in->op].unit == PTX_UNIT_CALL;
    for (unsigned k = 0; k < in->nopd; k++)
        v->any |= in->opd[k].kind == OPD_SREG && is_varying_sreg(in->opd[k].sreg);
    ptx_inst_visit_regs(in, note_source, v);
    v->may_differ = v->divided[v->flow->block_of[i]];
    ptx_inst_visit_regs(in, note_result, v);
}

static bool diverges(const struct varying *v, const struct ptx_inst *in)
{
    return in->op == OP_BRA && in->guard && !in->mod[PG_UNI] && v->reg[in->guard->id];
}

/* The blocks that can be reached from block `from` before `end`. */
static void divide(struct varying *v, uint32_t from, uint32_t end)
{
    if (from == end || v->divided[from])
        return;
    v->divided[from] = v->changed = true;
    const struct flow_block *b = &v->flow->blocks[from];
    for (uint32_t k = 0; k < b->nsucc; k++)
        divide(v, b->succ[k], end);
}

static void find_varying(struct varying *v)
{
    const struct ptx_func *f = v->func;
    for (uint32_t i = 0; i < f->ninsts; i++)
        ptx_inst_visit_regs(&f->insts[i], count_write, v);
    do {
        v->changed = false;
        for (uint32_t i = 0; i < f->ninsts; i++) {
            visit(v, i);
            const struct flow_block *b = &v->flow->blocks[v->flow->block_of[i]];
            for (uint32_t k = 0; diverges(v, &f->insts[i]) && k < b->nsucc; k++)
                divide(v, b->succ[k], b->ipdom);
        }
    } while (v->changed);
}

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
    struct varying v = { .func = f, .flow = flow };
    v.reg = mem_zero((size_t)f->nregs + 1, sizeof *v.reg, "registers that differ between lanes");
    v.writes = mem_zero((size_t)f->nregs + 1, sizeof *v.writes, "registers that differ between lanes");
    v.divided = mem_zero((size_t)flow->nblocks + 1, sizeof *v.divided, "registers that differ between lanes");
    find_varying(&v);
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (diverges(&v, &f->insts[i]))
            add_branch(t, f, i, flow_reconvergence(flow, i));
    free(v.reg);
    free(v.writes);
    free(v.divided);
}
