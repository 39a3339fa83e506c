/*
 * A register may differ between lanes if an instruction that writes it has a source that differs, or if lanes that took
 * different paths reach it from different instructions. A block between a branch that lanes take differently and their
 * reconvergence is executed by a part of the lanes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/decode.h"
#include "timing/core/varying.h"

struct varying {
    const struct ptx_func *func;
    const struct flow *flow;
    enum varying_loads loads;
    bool *reg;                       /* by register id, the carry flag last: it may differ between lanes of a warp */
    uint32_t *writes;                /* by register id: instructions that write it, and the value at the start */
    uint32_t *end;                   /* by block: executed by a part of the lanes until this one; UNDIVIDED = by all */
    uint32_t *depth;                 /* by block: its post-dominators */
    uint32_t *work;                  /* blocks to visit */
    bool any, changed;               /* of the instruction in hand: a source that differs; of the pass: a change */
    bool may_differ;                 /* the results of the instruction in hand differ */
};

#define UNDIVIDED (FLOW_NONE - 1)

/* Clocks and counters: lanes that leave a loop in different iterations keep different values. */
static bool is_varying_sreg(uint8_t s)
{
    switch (s) {
    case SR_TID: case SR_LANEID:
    case SR_LANEMASK_EQ: case SR_LANEMASK_LE: case SR_LANEMASK_LT: case SR_LANEMASK_GE: case SR_LANEMASK_GT:
    case SR_CLOCK: case SR_CLOCK_HI: case SR_CLOCK64:
    case SR_GLOBALTIMER: case SR_GLOBALTIMER_LO: case SR_GLOBALTIMER_HI: case SR_PM: case SR_PM64:
        return true;
    default:
        return false;
    }
}

/* The generic address of a private variable is the same for all lanes, what it holds is not. */
static bool names_lane(const struct varying *v, const struct ptx_operand *o)
{
    bool found = o->kind == OPD_SREG && is_varying_sreg(o->sreg);
    found |= o->kind == OPD_VAR && v->loads == VARYING_BY_ADDRESS && decoder_is_private(v->func, o->var);
    for (unsigned i = 0; o->kind == OPD_VEC && i < o->n; i++)
        found |= names_lane(v, &o->elem[i]);
    return found;
}

static bool loads_by_address(const struct varying *v, const struct ptx_inst *in)
{
    uint8_t space = INST_SPACE(in);
    return v->loads == VARYING_BY_ADDRESS && (in->op == OP_LD || in->op == OP_LDU) && space != MOD(SPACE, LOCAL) &&
           space != MOD(SPACE, PARAM);
}

/* Vector memory and the LDS return a value for each lane; constants and the kernel's parameters are read by the scalar
 * unit. Arguments and results of calls are the lanes' own. */
static bool reads_lanes(const struct varying *v, const struct ptx_inst *in)
{
    const struct ptx_func *f = v->func;
    if (ptx_ops[in->op].unit != PTX_UNIT_LDST || loads_by_address(v, in))
        return false;
    if (INST_SPACE(in) != MOD(SPACE, PARAM))
        return INST_SPACE(in) != MOD(SPACE, CONST);
    bool private = !f->is_entry;
    for (unsigned k = 0; k < in->nopd; k++)
        private |= in->opd[k].kind == OPD_MEM && in->opd[k].has_var && decoder_is_private(f, in->opd[k].var);
    return private;
}

/* One value for all lanes that execute it together, whatever their sources are; it depends on which lanes these are. */
static bool is_of_all_lanes(const struct ptx_inst *in)
{
    return in->op == OP_VOTE || in->op == OP_REDUX || in->op == OP_ACTIVEMASK || in->op == OP_BAR ||
           in->op == OP_BARRIER || (in->op == OP_MATCH && in->mod[PG_MATCH] == MOD(MATCH, ALL));
}

static bool reads_carry(const struct ptx_inst *in)
{
    return in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC;
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

static void visit_results(struct varying *v, const struct ptx_inst *in,
                          void (*visit)(void *ctx, struct ptx_reg *r, bool write))
{
    struct ptx_reg carry = { .id = v->func->nregs };
    ptx_inst_visit_regs(in, visit, v);
    if (in->mod[PG_CC])
        visit(v, &carry, true);
}

static void visit(struct varying *v, uint32_t i)
{
    const struct ptx_inst *in = &v->func->insts[i];
    v->may_differ = v->end[v->flow->block_of[i]] != UNDIVIDED;
    v->any = reads_lanes(v, in) || ptx_ops[in->op].unit == PTX_UNIT_CALL || in->op == OP_SHFL ||
             in->op == OP_ELECT || (reads_carry(in) && v->reg[v->func->nregs]);
    for (unsigned k = 0; k < in->nopd; k++)
        v->any |= names_lane(v, &in->opd[k]);
    ptx_inst_visit_regs(in, note_source, v);
    if (is_of_all_lanes(in))
        v->any = v->may_differ || (in->guard && v->reg[in->guard->id]);
    visit_results(v, in, note_result);
}

bool varying_diverges(const struct varying *v, const struct ptx_inst *in)
{
    return in->op == OP_BRA && in->guard && !in->mod[PG_UNI] && v->reg[in->guard->id];
}

/* Also branches through a table, which varying_diverges does not report. */
static bool divides(const struct varying *v, const struct ptx_inst *in)
{
    bool table = in->op == OP_BRX && !in->mod[PG_UNI] && in->opd[0].kind == OPD_REG && v->reg[in->opd[0].reg->id];
    return table || varying_diverges(v, in);
}

static uint32_t depth_of(const struct varying *v, uint32_t block)
{
    return block == FLOW_NONE ? 0 : v->depth[block];
}

/* The post-dominators of a block are a chain; `work` holds the part of it whose depth is not known yet. */
static void set_depths(struct varying *v)
{
    for (uint32_t b = 0; b < v->flow->nblocks; b++) {
        uint32_t n = 0;
        for (uint32_t x = b; x != FLOW_NONE && !v->depth[x]; x = v->flow->blocks[x].ipdom)
            v->work[n++] = x;
        while (n--)
            v->depth[v->work[n]] = depth_of(v, v->flow->blocks[v->work[n]].ipdom) + 1;
    }
}

/*
 * The blocks that can be reached from a block before `end`. Those that an earlier walk has reached before another end
 * need no second visit: where that end is nearer, the walk goes on from there.
 */
static void divide(struct varying *v, uint32_t from, uint32_t end)
{
    uint32_t n = 0;
    v->work[n++] = from;
    while (n) {
        uint32_t x = v->work[--n];
        uint32_t before = x == end ? end : v->end[x];
        if (before == end || (before != UNDIVIDED && depth_of(v, before) <= depth_of(v, end)))
            continue;
        v->end[x] = end;
        v->changed = true;
        if (before != UNDIVIDED)
            v->work[n++] = before;
        for (uint32_t k = 0; before == UNDIVIDED && k < v->flow->blocks[x].nsucc; k++)
            v->work[n++] = v->flow->blocks[x].succ[k];
    }
}

static void find_varying(struct varying *v)
{
    const struct ptx_func *f = v->func;
    for (int r = 0; r < f->nregs; r++)
        v->writes[r] = v->flow->unset[r];
    for (uint32_t i = 0; i < f->ninsts; i++)
        visit_results(v, &f->insts[i], count_write);
    do {
        v->changed = false;
        for (uint32_t i = 0; i < f->ninsts; i++) {
            visit(v, i);
            const struct flow_block *b = &v->flow->blocks[v->flow->block_of[i]];
            for (uint32_t k = 0; divides(v, &f->insts[i]) && k < b->nsucc; k++)
                divide(v, b->succ[k], b->ipdom);
        }
    } while (v->changed);
}

static void *array(size_t n, size_t size)
{
    return mem_zero(n + 1, size, "registers that differ between lanes");
}

/* Each edge of the flow graph is pushed at most once, and each change of a block's end pushes one block. */
static uint32_t most_work(const struct flow *flow)
{
    uint32_t n = flow->nblocks;
    for (uint32_t b = 0; b < flow->nblocks; b++)
        n += flow->blocks[b].nsucc;
    return n;
}

struct varying *varying_new(const struct ptx_func *f, const struct flow *flow, enum varying_loads loads)
{
    struct varying *v = mem_zero(1, sizeof *v, "registers that differ between lanes");
    *v = (struct varying){ .func = f, .flow = flow, .loads = loads };
    v->reg = array((size_t)f->nregs, sizeof *v->reg);
    v->writes = array((size_t)f->nregs, sizeof *v->writes);
    v->end = array(flow->nblocks, sizeof *v->end);
    v->depth = array(flow->nblocks, sizeof *v->depth);
    v->work = array(most_work(flow), sizeof *v->work);
    for (uint32_t b = 0; b < flow->nblocks; b++)
        v->end[b] = UNDIVIDED;
    set_depths(v);
    find_varying(v);
    return v;
}

void varying_free(struct varying *v)
{
    free(v->reg);
    free(v->writes);
    free(v->end);
    free(v->depth);
    free(v->work);
    free(v);
}

bool varying_operand(const struct varying *v, const struct ptx_operand *o)
{
    switch (o->kind) {
    case OPD_REG: return v->reg[o->reg->id];
    case OPD_MEM: return o->has_reg && v->reg[o->reg->id];
    default: return names_lane(v, o);
    }
}
