/*
 * What NVIDIA's assembler makes of atomics (ptxas 13.0 for sm_90; docs/timing.md). An atomic whose result nothing reads
 * is a reduction. Atomics are combined if the address is the same for all lanes by analysis of the PTX, and the lanes'
 * integer operations are one operation. Of an addition whose result is used, and of one of 64 bits, the value must be
 * the same, too: each lane's result follows from the number of lanes before it. Not combined: atomics with acquire or
 * release semantics, in transactions, on the shared memory of a cluster, and those that one lane executes because a
 * thread or lane number equals a value that is the same for all lanes. An addition of 1 to shared memory is one machine
 * instruction for all lanes, whose time we do not know, so simtx does not combine it.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/num.h"
#include "ptx/isa/ops_check.h"
#include "timing/core/combine.h"
#include "timing/core/varying.h"

enum { DEPTH_MAX = 8 };              /* instructions from a thread number to its comparison */

#define SEVERAL (FLOW_NONE - 1)

struct rule {
    const struct ptx_func *f;
    const struct flow *flow;
    const struct varying *varying;
    uint32_t *writer;                /* by register id: the instruction that writes it; FLOW_NONE, SEVERAL */
    bool *read;                      /* by register id */
    bool *one_lane;                  /* by block: at most one lane of a warp executes it */
    uint32_t inst;                   /* whose registers are visited */
};

static void note_use(void *ctx, struct ptx_reg *r, bool write)
{
    struct rule *x = ctx;
    if (write)
        x->writer[r->id] = x->writer[r->id] == FLOW_NONE ? x->inst : SEVERAL;
    else
        x->read[r->id] = true;
}

static const struct ptx_inst *writer_of(const struct rule *x, const struct ptx_reg *r)
{
    uint32_t i = x->writer[r->id];
    return i < x->f->ninsts ? &x->f->insts[i] : NULL;
}

/* ---- code of one lane ---- */

/* Is it the number of the thread in x direction or of the lane, or that plus a value that is the same for all lanes? */
static bool numbers_lanes(const struct rule *x, const struct ptx_operand *o, int depth)
{
    if (o->kind == OPD_SREG)
        return o->sreg == SR_LANEID || (o->sreg == SR_TID && o->comp == 1);
    const struct ptx_inst *in = o->kind == OPD_REG && depth < DEPTH_MAX ? writer_of(x, o->reg) : NULL;
    if (!in)
        return false;
    const struct ptx_operand *a = &in->opd[1], *b = &in->opd[2], *c = &in->opd[3];
    switch (in->op) {
    case OP_MOV: return numbers_lanes(x, a, depth + 1);
    case OP_ADD:
        return (numbers_lanes(x, a, depth + 1) && !varying_operand(x->varying, b)) ||
               (numbers_lanes(x, b, depth + 1) && !varying_operand(x->varying, a));
    case OP_MAD:
        return numbers_lanes(x, c, depth + 1) && !varying_operand(x->varying, a) && !varying_operand(x->varying, b);
    default: return false;
    }
}

/* Is the predicate, or its negation, true in one lane at most? */
static bool holds_in_one_lane(const struct rule *x, const struct ptx_reg *p, bool negated)
{
    const struct ptx_inst *in = writer_of(x, p);
    if (!in || in->op != OP_SETP || in->mod[PG_BOOL] || in->opd[0].kind != OPD_REG || in->opd[0].reg != p ||
        in->mod[PG_CMP] != (negated ? MOD(CMP, NE) : MOD(CMP, EQ)))
        return false;
    const struct ptx_operand *a = &in->opd[2], *b = &in->opd[3];
    return (numbers_lanes(x, a, 0) && !varying_operand(x->varying, b)) ||
           (numbers_lanes(x, b, 0) && !varying_operand(x->varying, a));
}

/* Does at most one lane go from block b to block `to`? */
static bool one_goes(const struct rule *x, uint32_t b, uint32_t to)
{
    const struct ptx_inst *last = &x->f->insts[x->flow->blocks[b].end - 1];
    bool leaves = last->op == OP_RET || last->op == OP_EXIT;
    if (x->one_lane[b])
        return true;
    if (!last->guard || (last->op != OP_BRA && !leaves) || (!leaves && x->flow->blocks[b].nsucc == 1))
        return false;
    bool taken = !leaves && x->flow->block_of[last->opd[0].label] == to;
    return holds_in_one_lane(x, last->guard, taken == last->guard_negated);
}

static void find_code_of_one_lane(struct rule *x)
{
    for (uint32_t b = 1; b < x->flow->nblocks; b++)
        x->one_lane[b] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < x->flow->nblocks; b++)
            for (uint32_t k = 0; k < x->flow->blocks[b].nsucc; k++) {
                uint32_t to = x->flow->blocks[b].succ[k];
                if (x->one_lane[to] && !one_goes(x, b, to))
                    changed = !(x->one_lane[to] = false);
            }
    }
}

static bool is_of_one_lane(const struct rule *x, const struct ptx_inst *in, uint32_t i)
{
    return x->one_lane[x->flow->block_of[i]] || (in->guard && holds_in_one_lane(x, in->guard, in->guard_negated));
}

/* ---- the instruction ---- */

/* Is the atomic of a kind that may be combined, whatever its operands are? */
static bool is_combinable(const struct ptx_inst *in)
{
    uint8_t sem = ptx_inst_sem(in), space = INST_SPACE(in);
    bool own = in->mod[PG_SHAREDSUB] != MOD(SHAREDSUB, SHARED_CLUSTER);
    if ((in->op != OP_ATOM && in->op != OP_RED) || in->tx || in->mod[PG_VEC])
        return false;
    if (sem && sem != MOD(SEM, RELAXED))
        return false;
    return !space || space == MOD(SPACE, GLOBAL) || (space == MOD(SPACE, SHARED) && own);
}

/* Is it an atom whose result nothing reads, of an operation that red has, too? */
static bool is_reduction(const struct rule *x, const struct ptx_inst *in)
{
    bool both = in->mod[PG_ATOM] != MOD(ATOM, EXCH) && in->mod[PG_ATOM] != MOD(ATOM, CAS);
    bool read = in->opd[0].kind == OPD_REG && x->read[in->opd[0].reg->id];
    return in->op == OP_ATOM && is_combinable(in) && both && !read;
}

static bool is_one(const struct rule *x, const struct ptx_operand *o)
{
    const struct ptx_inst *in = o->kind == OPD_REG ? writer_of(x, o->reg) : NULL;
    if (in && in->op == OP_MOV)
        o = &in->opd[1];
    return o->kind == OPD_IMM && o->imm == 1;
}

static enum combine addition(const struct rule *x, const struct ptx_inst *in, const struct ptx_operand *value,
                             bool used)
{
    bool is_long = ptx_type_size((enum ptx_type)in->type[0]) == 8, shared = INST_SPACE(in) == MOD(SPACE, SHARED);
    if (shared && (is_long || (!used && is_one(x, value))))
        return COMBINE_NONE;
    if (!varying_operand(x->varying, value))
        return used ? COMBINE_RANK : COMBINE_SUM;
    return used || is_long ? COMBINE_NONE : COMBINE_REDUCE;
}

static enum combine combine_of(const struct rule *x, const struct ptx_inst *in, uint32_t i)
{
    const struct ptx_operand *address = &in->opd[in->op == OP_ATOM];
    if (!is_combinable(in) || varying_operand(x->varying, address) || is_of_one_lane(x, in, i))
        return COMBINE_NONE;
    unsigned size = (unsigned)ptx_type_size((enum ptx_type)in->type[0]);
    if (ptx_type_class((enum ptx_type)in->type[0]) == 'f' || (size != 4 && size != 8))
        return COMBINE_NONE;
    bool used = in->op == OP_ATOM && !is_reduction(x, in);
    switch (in->mod[PG_ATOM]) {
    case MOD(ATOM, ADD): return addition(x, in, address + 1, used);
    case MOD(ATOM, MIN):
    case MOD(ATOM, MAX):
    case MOD(ATOM, AND):
    case MOD(ATOM, OR):
    case MOD(ATOM, XOR): return used || size == 8 ? COMBINE_NONE : COMBINE_REDUCE;
    default: return COMBINE_NONE;
    }
}

/* ---- its sequence ---- */

/* Cycles from an instruction of the sequence to the next one, which needs its result. */
static uint32_t result_cycles(const struct sm_cfg *c, enum lat_class l)
{
    return c->class[l].latency + (c->warp_size + c->simd_width - 1) / c->simd_width - 1 + c->stages;
}

/*
 * Before the access: a vote or a reduction over the lanes, the leader's number or the number of lanes, a comparison.
 * RANK: after it a shuffle and an addition. Of RANK's issue slots, those that SUM does not have come after the access.
 */
static void set_sequence(struct tinst *t, enum combine how, const struct sm_cfg *c)
{
    static const enum sequence sequences[] = { [COMBINE_SUM] = SEQ_ATOMIC_SUM, [COMBINE_REDUCE] = SEQ_ATOMIC_REDUCE,
                                               [COMBINE_RANK] = SEQ_ATOMIC_RANK };
    uint32_t slots = c->slots[sequences[how]], until = how == COMBINE_RANK ? c->slots[SEQ_ATOMIC_SUM] : slots;
    t->combine = (uint8_t)how;
    t->slots = (uint16_t)slots;
    t->slots_before = (uint16_t)(num_least(until, slots) - 1);
    t->lead = result_cycles(c, LC_SHFL) + result_cycles(c, LC_BITS) + result_cycles(c, LC_LOGIC);
    t->tail = how == COMBINE_RANK ? result_cycles(c, LC_SHFL) + result_cycles(c, LC_INT_ADD) : 0;
    t->slot_gap = (uint16_t)num_least(t->lead / t->slots_before ? t->lead / t->slots_before : 1, UINT16_MAX);
}

static void *array(size_t n, size_t size)
{
    return mem_zero(n + 1, size, "combined atomics");
}

void combine_set(struct tinst *t, const struct ptx_func *f, const struct flow *flow, const struct sm_cfg *c)
{
    struct varying *varying = varying_new(f, flow, VARYING_BY_ADDRESS);
    struct rule x = { .f = f, .flow = flow, .varying = varying };
    x.writer = array((size_t)f->nregs, sizeof *x.writer);
    x.read = array((size_t)f->nregs, sizeof *x.read);
    x.one_lane = array(flow->nblocks, sizeof *x.one_lane);
    for (int r = 0; r < f->nregs; r++)
        x.writer[r] = FLOW_NONE;
    for (x.inst = 0; x.inst < f->ninsts; x.inst++)
        ptx_inst_visit_regs(&f->insts[x.inst], note_use, &x);
    find_code_of_one_lane(&x);
    for (uint32_t i = 0; i < f->ninsts; i++) {
        enum combine how = combine_of(&x, &f->insts[i], i);
        t[i].reduces = is_reduction(&x, &f->insts[i]);
        if (how != COMBINE_NONE)
            set_sequence(&t[i], how, c);
    }
    free(x.writer);
    free(x.read);
    free(x.one_lane);
    varying_free(varying);
}
