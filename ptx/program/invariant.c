/*
 * Launch-invariant values, the same in every block: kernel parameters, constants, thread numbers, and what is computed
 * from these alone. Only one instruction of the kernel writes such a register, its guard, if it has one, is
 * launch-invariant too, and no path reads the register before. The register has storage that it shares with no other
 * (flow.place). Its slot is allocated as for any register, so the register count of timing mode does not depend on this
 * analysis.
 * Functional mode hoists the instruction: each warp of a context for resident blocks executes it once, before its first
 * block. The run loop skips the instruction but counts it (decode_links.c). Timing mode executes it where it stands.
 *
 * A move from a special register that does not change while a block runs makes its result an alias of that register.
 */
#include "ptx/program/flow.h"

#include "ptx/isa/ops_check.h"

/* A bound, because storage that is not shared costs memory: 64 registers of 64 bits are 16 kB a warp. */
enum { INVARIANTS_MAX = 64 };

struct hoisting {
    const struct ptx_func *f;
    struct flow *fl;
    uint8_t *writes;                 /* by register, up to 2 */
};

static void count_write(void *ctx, struct ptx_reg *r, bool write)
{
    uint8_t *n = &((struct hoisting *)ctx)->writes[r->id];
    *n += write && *n < 2;
}

static bool same_for_block(enum ptx_sreg s)
{
    return s == SR_CTAID || s == SR_SMID;
}

static bool same_for_launch(enum ptx_sreg s)
{
    return s == SR_TID || s == SR_NTID || s == SR_NCTAID || s == SR_LANEID || s == SR_WARPID || s == SR_NWARPID ||
           s == SR_NSMID || (s >= SR_LANEMASK_EQ && s <= SR_LANEMASK_GT);
}

/* The special register of which r is an alias, or SR_NONE. */
static enum ptx_sreg alias_of(const struct flow *fl, const struct ptx_reg *r)
{
    const struct ptx_operand *o = fl->alias[r->id];
    return o ? (enum ptx_sreg)o->sreg : SR_NONE;
}

static bool is_invariant_operand(const struct flow *fl, const struct ptx_operand *o)
{
    switch (o->kind) {
    case OPD_IMM:
    case OPD_FIMM:
    case OPD_FUNC:
    case OPD_VAR: return true;       /* an address */
    case OPD_SREG: return same_for_launch((enum ptx_sreg)o->sreg);
    case OPD_REG: return fl->invariant[o->reg->id] || same_for_launch(alias_of(fl, o->reg));
    default: return false;
    }
}

/*
 * Is `in` a load of a kernel parameter, or of a part of one, at a constant offset? A misaligned load is not hoisted: it
 * is a fault only of the threads that execute it. An offset outside the parameter is an error of the text
 * (check_inst.c).
 */
static bool loads_parameter(const struct hoisting *x, const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->opd[1];
    if (in->op != OP_LD || o->kind != OPD_MEM || o->has_reg)
        return false;
    uint64_t size = (uint64_t)ptx_type_size((enum ptx_type)in->type[0]);
    for (const struct ptx_var *v = x->f->params; v; v = v->next)
        if (v == o->var)
            return !((uint64_t)o->imm % size) && !(v->align % size);
    return false;
}

static bool computes_invariant(const struct hoisting *x, const struct ptx_inst *in)
{
    if (in->guard && !x->fl->invariant[in->guard->id])
        return false;
    if (loads_parameter(x, in))
        return true;
    for (int k = 1; k < in->nopd; k++)
        if (!is_invariant_operand(x->fl, &in->opd[k]))
            return false;
    return ptx_is_of_own_lane(in);
}

/*
 * The register that `in` alone writes; or NULL. A register of module scope that functions share has a load before each
 * instruction that names it (module_regs.c), so it has more writes than one.
 */
static const struct ptx_reg *only_result(const struct hoisting *x, const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->opd[0];
    return in->nopd && o->kind == OPD_REG && x->writes[o->reg->id] == 1 ? o->reg : NULL;
}

static bool moves_special(const struct ptx_inst *in, const struct ptx_reg *r)
{
    const struct ptx_operand *o = &in->opd[1];
    if (in->op != OP_MOV || o->kind != OPD_SREG)
        return false;
    enum ptx_sreg s = (enum ptx_sreg)o->sreg;
    return (same_for_block(s) || same_for_launch(s)) && ptx_reg_class(r) == RC_32;
}

static bool hoist_result(struct hoisting *x, uint32_t i)
{
    const struct ptx_inst *in = &x->f->insts[i];
    struct flow *fl = x->fl;
    const struct ptx_reg *r = only_result(x, in);
    if (!r || fl->invariant[r->id] || fl->alias[r->id])
        return false;
    if (moves_special(in, r))
        fl->alias[r->id] = &in->opd[1];
    else if (fl->ninvariant < INVARIANTS_MAX && computes_invariant(x, in)) {
        fl->invariant[r->id] = true;
        fl->invariant_inst[fl->ninvariant++] = i;
    } else
        return false;
    fl->hoisted[i] = true;
    return true;
}

void flow_find_invariants(const struct ptx_func *f, struct flow *fl, struct arena *arena)
{
    uint32_t n = (uint32_t)f->nregs;
    fl->invariant = arena_alloc(arena, (n + 1) * sizeof *fl->invariant);
    fl->alias = arena_alloc(arena, (n + 1) * sizeof *fl->alias);
    fl->hoisted = arena_alloc(arena, (f->ninsts + 1) * sizeof *fl->hoisted);
    if (!f->is_entry || fl->reads_unset)
        return;
    struct hoisting x = { .f = f, .fl = fl, .writes = arena_alloc(arena, n + 1) };
    fl->invariant_inst = arena_alloc(arena, INVARIANTS_MAX * sizeof *fl->invariant_inst);
    for (uint32_t i = 0; i < f->ninsts; i++)
        ptx_inst_visit_regs(&f->insts[i], count_write, &x);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->ninsts; i++)
            more |= hoist_result(&x, i);
    }
}
