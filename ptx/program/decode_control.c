/*
 * Decoding of control instructions. Their step returns the opcode to the run loop, which acts on the whole warp
 * (ptx/exec/run.c); here operands are resolved.
 */
#include <stddef.h>
#include <string.h>

#include "ptx/program/decode.h"

#define CONTROL(id, decode, execute)                            \
    static int run_##id(struct lanes *l, const struct dinst *d) \
    {                                                           \
        (void)l;                                                \
        (void)d;                                                \
        return OP_##id;                                         \
    }
#include "ptx/isa/ops.def"

ptx_fn *decode_control_fn(enum ptx_op op)
{
    static ptx_fn *const fn[OP_COUNT] = {
#define CONTROL(id, decode, execute) [OP_##id] = run_##id,
#include "ptx/isa/ops.def"
    };
    return fn[op];
}

static struct dinst *add_control(struct decoder *x)
{
    struct dinst *d = decoder_add_counting_step(x);
    d->fn = decode_control_fn((enum ptx_op)x->in->op);
    decoder_warp_guard(x, d);
    return d;
}

/* Any control instruction: its source operands in src[]. */
void decode_control(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    operand src[4] = { 0 };
    for (int k = 0; k < in->nopd && k < 4; k++)
        src[k] = decoder_source(x, &in->opd[k], decoder_letter_type(in, ptx_sig_letter(sig, k)));
    memcpy(add_control(x)->src, src, sizeof src);
}

void decode_branch(struct decoder *x)
{
    add_control(x)->target = x->in->opd[0].label;
}

void decode_table_branch(struct decoder *x)
{
    operand index = decoder_source(x, &x->in->opd[0], T_U32);
    struct dinst *d = add_control(x);
    d->src[0] = index;
    d->extra = x->in->opd[1].table;
}

/* imm: the registers to save, in 32-bit words a thread. */
void decode_tx_begin(struct decoder *x)
{
    add_control(x)->imm = flow_checkpoint_words(x->f, x->code->flow, (uint32_t)(x->in - x->f->insts));
}

/* ---- calls ---- */

static struct call_value *call_values(struct decoder *x, const struct ptx_operand *list, int n,
                                      const struct ptx_var *formal, bool ret)
{
    struct call_value *v = arena_alloc(x->p->arena, (size_t)(n ? n : 1) * sizeof *v);
    for (int i = 0; i < n && formal; i++, formal = formal->next) {
        const struct ptx_operand *o = &list[i];
        enum ptx_type t = (enum ptx_type)formal->type;
        v[i].bytes = (uint32_t)formal->size;
        uint32_t callee = (uint32_t)formal->address;
        if (o->kind == OPD_VAR) {
            uint32_t caller = (uint32_t)decoder_definition(o->var)->address + (uint32_t)o->imm;
            v[i].from = ret ? callee : caller;
            v[i].to = ret ? caller : callee;
            if (!decoder_is_private(x->f, decoder_definition(o->var)))
                decoder_error(x, "a call passes .param variables of the function, registers or constants");
            continue;
        }
        v[i].from = v[i].to = callee;
        if (ret) {
            v[i].value = o->kind == OPD_REG ? decoder_reg(x, o->reg) : x->scratch;
            v[i].reg_size = (uint8_t)(o->kind == OPD_REG ? decoder_reg_bytes(o->reg) : decoder_storage_bytes(t));
        } else {
            v[i].value = decoder_source(x, o, t);
            v[i].reg_size = (uint8_t)decoder_storage_bytes(t);
        }
    }
    return v;
}

/* What a call is checked against: parameters and results of the callee, or of an indirect call's prototype. */
struct callee { struct ptx_var *params, *rets; };

static bool direct_call(struct decoder *x, struct call_site *s, struct callee *c)
{
    const struct ptx_call *call = x->in->call;
    struct ptx_func *t = call->target.func->def ? call->target.func->def : call->target.func;
    s->builtin = t->has_body ? NULL : builtin_find(t->name);
    s->target = t;
    *c = (struct callee){ t->params, t->rets };
    if (!t->has_body && !s->builtin) {
        decoder_error(x, "calls a function without a body");
        return false;
    }
    if (!t->has_body)
        code_place_private(t, 0);
    return true;
}

static void indirect_call(struct decoder *x, struct call_site *s, struct callee *c)
{
    const struct ptx_call *call = x->in->call;
    const struct ptx_table *table = call->table;
    *c = (struct callee){ table ? table->params : NULL, table ? table->rets : NULL };
    if (table && table->kind == TABLE_CALL && table->n) {
        const struct ptx_func *t = table->funcs[0]->def ? table->funcs[0]->def : table->funcs[0];
        *c = (struct callee){ t->params, t->rets };
    } else
        frame_place_prototype(c->params, c->rets);
    s->pointer = decoder_source(x, &call->target, T_U64);
    s->params = c->params;
    s->rets = c->rets;
    x->code->indirect = true;
}

void decode_call(struct decoder *x)
{
    const struct ptx_call *call = x->in->call;
    struct call_site *s = arena_alloc(x->p->arena, sizeof *s);
    struct callee c;
    if (call->target.kind != OPD_FUNC)
        indirect_call(x, s, &c);
    else if (!direct_call(x, s, &c))
        return;
    s->narg = call->narg;
    s->nret = call->nret;
    s->arg = call_values(x, call->arg, call->narg, c.params, false);
    s->ret = call_values(x, call->ret, call->nret, c.rets, true);
    add_control(x)->extra = s;
}

/* ---- barriers ---- */

/* With a SIMT stack the lanes of a warp reconverge as early as they can, so bar.warp.sync has no effect. */
static void decode_warp_barrier(struct decoder *x)
{
    operand member = decoder_source(x, &x->in->opd[0], T_U32);
    struct dinst *d = decoder_add_counting_step(x);
    d->src[0] = member;
    d->fn = decode_run_nothing;
    decode_member_check(d, &x->in->opd[0]);
    if (!x->p->independent) {
        decoder_guard(x, d);
        return;
    }
    d->guarded = d->fn;
    d->fn = decode_run_warpsync;
    decoder_warp_guard(x, d);
}

/* wgmma.wait_group: the number of groups matters in timing mode only. */
void decode_warpgroup_wait(struct decoder *x)
{
    add_control(x);
}

void decode_barrier(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    if (in->mod[PG_BAROP] == MOD(BAROP, WARP)) {
        decode_warp_barrier(x);
        return;
    }
    bool red = in->mod[PG_BAROP] == MOD(BAROP, RED);
    const struct ptx_operand *o = in->opd + (red ? 1 : 0);
    operand id = decoder_source(x, &o[0], T_U32), count = 0, value = 0;
    bool has_count = o[1].kind != OPD_NONE && in->nopd > (red ? 2 : 1);
    if (has_count)
        count = decoder_source(x, &o[1], T_U32);
    if (red)
        value = in->opd[3].negated ? decoder_negated_predicate(x, &in->opd[3])
                                   : decoder_source(x, &in->opd[3], T_PRED);
    struct dinst *d = add_control(x);
    d->src[0] = id;
    d->src[1] = count;
    d->src[2] = value;
    d->vec = has_count;
    if (red && in->opd[0].kind == OPD_REG)
        d->dst = decoder_reg(x, in->opd[0].reg);
}
