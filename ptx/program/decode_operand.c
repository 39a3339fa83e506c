/*
 * Operands of steps: byte offsets into the frame's registers, the constants or the special registers. Where the ISA
 * lets a register be wider than the instruction's type (9.4.1), a step before the instruction narrows or widens the
 * source and a step after it widens the result.
 */
#include <string.h>

#include "ptx/program/decode.h"

int decoder_storage_bytes(enum ptx_type t)
{
    int n = ptx_type_size(t);
    return t == T_PRED ? 0 : n < 2 ? 2 : n;
}

operand decoder_reg(const struct decoder *x, const struct ptx_reg *r)
{
    enum reg_class c = ptx_reg_class(r);
    uint32_t place = x->code->flow->place[r->id];
    const struct ptx_operand *special = x->code->flow->alias[r->id];
    if (special)
        return OPERAND_SPECIAL | ptx_sreg_offset((enum ptx_sreg)special->sreg, special->comp ? special->comp - 1 : 0);
    if (place == FLOW_NONE)
        return x->scratch;
    return x->code->class_base[c] + place * (uint32_t)(c == RC_PRED ? 4 : ptx_reg_class_bytes(c) * LANES);
}

int decoder_reg_bytes(const struct ptx_reg *r)
{
    return r->type == T_PRED ? 0 : ptx_reg_class_bytes(ptx_reg_class(r));
}

enum ptx_type decoder_letter_type(const struct ptx_inst *in, char letter)
{
    enum ptx_type t = (enum ptx_type)in->type[0];
    switch (letter) {
    case 'D':
    case 'A': return ptx_type_size(t) == 2 ? T_B32 : ptx_type_size(t) == 4 ? T_B64 : T_B128;
    case 'b': return (enum ptx_type)in->type[1];
    case 'c': return (enum ptx_type)in->type[2];
    case 'u':
    case 'e': return T_U32;
    case 'x': return T_U64;
    case 'p':
    case 'q': return T_PRED;
    default: return t;
    }
}

operand decoder_temporary(struct decoder *x)
{
    return x->scratch + SCRATCH_BYTES + x->temps++ % SCRATCH_TEMPORARIES * SCRATCH_BYTES;
}

operand decoder_resize(struct decoder *x, operand from, int from_bytes, int to_bytes, bool sign)
{
    operand t = decoder_temporary(x);
    struct dinst *d = decoder_add_step(x);
    d->dst = t;
    d->src[0] = from;
    d->fn = lanes_resize(x->p->isa, from_bytes, to_bytes, sign);
    return t;
}

/* ---- immediates ---- */

static uint64_t float_bits(const struct ptx_operand *o, enum ptx_type t)
{
    double v;
    float f;
    uint32_t w;
    if (o->kind == OPD_IMM)
        v = (double)o->imm;
    else if (o->is_f32) {
        if (decoder_storage_bytes(t) == 4)
            return (uint32_t)o->imm;
        w = (uint32_t)o->imm;
        memcpy(&f, &w, 4);
        v = f;
    } else
        memcpy(&v, &o->imm, 8);
    uint64_t bits;
    memcpy(&bits, &v, 8);
    if (decoder_storage_bytes(t) == 8)
        return bits;
    f = (float)v;
    memcpy(&w, &f, 4);
    return w;
}

operand decoder_immediate(struct decoder *x, const struct ptx_operand *o, enum ptx_type t)
{
    if (t == T_PRED)
        return decoder_constant(x, o->imm ? 0xffffffffu : 0, 0);
    int n = decoder_storage_bytes(t);
    uint64_t v = (uint64_t)o->imm;
    if (o->kind == OPD_FIMM || t == T_F32 || t == T_F64)
        v = float_bits(o, t);
    if (ptx_type_size(t) == 1)
        v = ptx_type_class(t) == 's' ? (uint64_t)(int8_t)v : (uint8_t)v;
    if (n == 16)
        return decoder_constant128(x, v, o->kind == OPD_IMM && o->imm < 0 ? ~0ull : 0);
    return decoder_constant(x, n == 8 ? v : v & ((1ull << 8 * n) - 1), n);
}

/* ---- addresses of variables and functions ---- */

static int run_local_address(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    uint64_t at = (uint64_t)(h->frame_local - h->local) / LANES + (uint64_t)d->imm;
    uint64_t *out = lanes_at(l, d->dst);
    for (int i = 0; i < LANES; i++)
        if (l->mask >> i & 1)
            out[i] = at;
    return CONTROL_NEXT;
}

/* A kernel's frame of private memory starts at 0: addresses in it are constants. Those in a callee's frame are not. */
static operand local_address(struct decoder *x, uint64_t offset)
{
    if (x->f->is_entry)
        return decoder_constant(x, offset, 8);
    operand t = decoder_temporary(x);
    struct dinst *d = decoder_add_step(x);
    d->dst = t;
    d->imm = (int64_t)offset;
    d->fn = run_local_address;
    return t;
}

const struct ptx_var *decoder_definition(const struct ptx_var *v)
{
    return v->def ? v->def : v;
}

/* Is this .param variable a parameter of the kernel, which the launch provides, and not one of a call? */
static bool is_kernel_param(const struct ptx_func *f, const struct ptx_var *v)
{
    if (!f->is_entry || v->space != SP_PARAM)
        return false;
    for (const struct ptx_var *q = f->params; q; q = q->next)
        if (q == v)
            return true;
    return false;
}

bool decoder_is_private(const struct ptx_func *f, const struct ptx_var *v)
{
    return v->space == SP_LOCAL || (v->space == SP_PARAM && !is_kernel_param(f, v));
}

bool decoder_is_of_module(const struct ptx_var *v)
{
    return v->space == SP_LOCAL && !v->func;
}

static operand symbol_address(struct decoder *x, const struct ptx_operand *o, int *bytes)
{
    *bytes = 8;
    if (o->kind == OPD_FUNC) {
        const struct ptx_func *t = o->func->def ? o->func->def : o->func;
        return decoder_constant(x, FUNCTION_BASE + t->index + 1, 8);
    }
    const struct ptx_var *v = decoder_definition(o->var);
    uint64_t at = v->address + (uint64_t)o->imm;
    bool framed = decoder_is_private(x->f, v) && !decoder_is_of_module(v);
    return framed ? local_address(x, at) : decoder_constant(x, at, 8);
}

/* ---- sources ---- */

operand decoder_source(struct decoder *x, const struct ptx_operand *o, enum ptx_type t)
{
    int bytes, want = decoder_storage_bytes(t);
    operand at;
    switch (o->kind) {
    case OPD_REG:
        bytes = decoder_reg_bytes(o->reg);
        at = decoder_reg(x, o->reg);
        break;
    case OPD_IMM:
    case OPD_FIMM: return decoder_immediate(x, o, t);
    case OPD_SREG: at = decoder_special(x, o, &bytes); break;
    case OPD_VAR:
    case OPD_FUNC: at = symbol_address(x, o, &bytes); break;
    default: return t == T_PRED ? decoder_constant(x, 0xffffffffu, 0) : decoder_constant(x, 0, want ? want : 4);
    }
    if (bytes == want || !bytes || !want)
        return at;
    return decoder_resize(x, at, bytes, want, ptx_type_class(t) == 's');
}

static int run_not_predicate(struct lanes *l, const struct dinst *d)
{
    *(uint32_t *)lanes_at(l, d->dst) = ~*(const uint32_t *)lanes_at(l, d->src[0]);
    return CONTROL_NEXT;
}

operand decoder_negated_predicate(struct decoder *x, const struct ptx_operand *o)
{
    struct ptx_operand plain = *o;
    plain.negated = false;
    operand from = decoder_source(x, &plain, T_PRED), t = decoder_temporary(x);
    struct dinst *d = decoder_add_step(x);
    d->dst = t;
    d->src[0] = from;
    d->fn = run_not_predicate;
    return t;
}

/* ---- guards ---- */

/* Lanes that the guard turns off are not counted as executing the instruction. */
static int run_guarded(struct lanes *l, const struct dinst *d)
{
    uint32_t on = *(const uint32_t *)lanes_at(l, d->guard), all = l->mask;
    if (d->guard_negated)
        on = ~on;
    on &= all;
    if (d->counts)
        half_of(l)->worker->count[STAT_THREAD_INSTRUCTIONS] -= (uint64_t)__builtin_popcount(all & ~on);
    if (!on)
        return CONTROL_NEXT;
    l->mask = on;
    int r = d->guarded(l, d);
    l->mask = all;
    return r;
}

void decoder_guard(struct decoder *x, struct dinst *d)
{
    if (!d->fn) {
        decoder_error(x, "no executing function for");
        return;
    }
    if (!x->in->guard)
        return;
    d->guard = decoder_reg(x, x->in->guard);
    d->guard_negated = x->in->guard_negated;
    d->guarded = d->fn;
    d->fn = run_guarded;
}

void decoder_guard_by(struct dinst *d, operand lanes)
{
    d->guard = lanes;
    d->guarded = d->fn;
    d->fn = run_guarded;
}

void decoder_warp_guard(struct decoder *x, struct dinst *d)
{
    d->guard = x->in->guard ? decoder_reg(x, x->in->guard) : decoder_constant(x, 0xffffffffu, 0);
    d->guard_negated = x->in->guard_negated;
}

/* ---- destinations ---- */

struct decoder_destination decoder_destination(struct decoder *x, const struct ptx_operand *o, enum ptx_type t)
{
    struct decoder_destination r = { x->scratch, 0, 0, 0, ptx_type_class(t) == 's' };
    if (o->kind != OPD_REG)
        return r;
    r.at = decoder_reg(x, o->reg);
    r.bytes = decoder_reg_bytes(o->reg);
    r.want = decoder_storage_bytes(t);
    if (r.bytes != r.want && r.bytes && r.want) {
        r.final = r.at;
        r.at = decoder_temporary(x);
    } else
        r.bytes = 0;
    return r;
}

void decoder_widen(struct decoder *x, const struct decoder_destination *r)
{
    if (!r->bytes || r->bytes == r->want)
        return;
    struct dinst *d = decoder_add_step(x);
    d->dst = r->final;
    d->src[0] = r->at;
    d->fn = lanes_resize(x->p->isa, r->want, r->bytes, r->sign);
    decoder_guard(x, d);
}
