/*
 * Decoding: from the checked instructions of a function to an array of steps with operand places resolved. A PTX
 * instruction is one step, plus width changes of operands where the ISA lets a register be wider than the type
 * (9.4.1), plus a join marker where diverged lanes meet. Immediates and addresses become constants spread over the
 * lanes, so that every operand of every step is an array.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/memory/access.h"
#include "ptx/isa/ops_check.h"

struct decoder {
    struct program *p;
    struct ptx_func *f;
    struct code *code;
    struct diag *d;
    uint32_t class_base[RC_COUNT];   /* byte offset of each width class in the frame */
    uint32_t scratch;                /* SCRATCH_BYTES for results nobody wants, then the same for width changes */
    uint32_t cap;
    char *konst;                     /* grows by realloc, moved to the arena at the end */
    uint32_t konst_cap;
    uint32_t *konst_hash;            /* offset + 1 of a constant, open addressing */
    uint32_t konst_hash_cap, nkonst;
    uint32_t temps;                  /* width-change temporaries used by the instruction being decoded */
    const struct ptx_inst *in;
};

/* ---- special registers ---- */

/* The third operand bank: every special register as an array over the lanes, vector ones as four arrays. */
struct sreg_bank {
#define X(e, s, t, v) char e[(v) ? 4 : 1][(T_##t == T_U64 ? 8 : 4) * LANES];
    PTX_SREGS(X)
#undef X
};

uint32_t sreg_offset(enum ptx_sreg s, int comp)
{
    static const struct { uint32_t at, stride; } places[SR_COUNT] = {
#define X(e, s, t, v) [SR_##e] = { offsetof(struct sreg_bank, e), (v) ? sizeof ((struct sreg_bank *)0)->e[0] : 0 },
        PTX_SREGS(X)
#undef X
    };
    return places[s].at + (uint32_t)comp * places[s].stride;
}

uint32_t sreg_bytes(void)
{
    return sizeof(struct sreg_bank);
}

/* ---- constants ---- */

static uint32_t konst_find(struct decoder *x, const void *bytes, int width, bool *found)
{
    uint64_t v = 0;
    memcpy(&v, bytes, (size_t)width);
    uint32_t mask = x->konst_hash_cap - 1;
    uint32_t i = (uint32_t)((v ^ v >> 29 ^ (uint64_t)width << 57) * 0x9e3779b97f4a7c15ull >> 40) & mask;
    for (; x->konst_hash[i]; i = (i + 1) & mask) {
        const char *at = x->konst + (x->konst_hash[i] - 1) / 16 * 16;
        uint64_t have = 0;
        memcpy(&have, at, (size_t)width);
        if ((int)((x->konst_hash[i] - 1) % 16) == width && have == v) {
            *found = true;
            return i;
        }
    }
    *found = false;
    return i;
}

static void konst_rehash(struct decoder *x)
{
    uint32_t *old = x->konst_hash, old_cap = x->konst_hash_cap;
    x->konst_hash_cap = old_cap ? old_cap * 2 : 64;
    x->konst_hash = calloc(x->konst_hash_cap, sizeof *x->konst_hash);
    if (!x->konst_hash)
        abort();
    for (uint32_t k = 0; k < old_cap; k++)
        if (old[k]) {
            bool found;
            uint32_t i = konst_find(x, x->konst + (old[k] - 1) / 16 * 16, (int)((old[k] - 1) % 16), &found);
            x->konst_hash[i] = old[k];
        }
    free(old);
}

/* A constant of `width` bytes a lane; width 0 is a predicate mask (4 bytes in all). */
static operand konst(struct decoder *x, uint64_t value, int width)
{
    bool found;
    int bytes = width ? width : 4;
    if (x->nkonst * 2 >= x->konst_hash_cap)
        konst_rehash(x);
    uint32_t i = konst_find(x, &value, bytes, &found);
    if (found)
        return OPERAND_CONST | (x->konst_hash[i] - 1) / 16 * 16;
    uint32_t at = x->code->konst_bytes, size = (uint32_t)bytes * LANES;
    if (at + size > x->konst_cap) {
        x->konst_cap = (at + size) * 2;
        x->konst = realloc(x->konst, x->konst_cap);
        if (!x->konst)
            abort();
    }
    for (int l = 0; l < LANES; l++)
        memcpy(x->konst + at + (size_t)l * (size_t)bytes, &value, (size_t)bytes);
    x->code->konst_bytes += size;
    x->konst_hash[i] = at + (uint32_t)bytes + 1;
    x->nkonst++;
    return OPERAND_CONST | at;
}

static operand konst128(struct decoder *x, uint64_t lo, uint64_t hi)
{
    uint32_t at = x->code->konst_bytes;
    if (at + 512 > x->konst_cap) {
        x->konst_cap = (at + 512) * 2;
        x->konst = realloc(x->konst, x->konst_cap);
        if (!x->konst)
            abort();
    }
    uint64_t *p = (uint64_t *)(void *)(x->konst + at);
    for (int l = 0; l < LANES; l++) {
        p[l] = lo;
        p[LANES + l] = hi;
    }
    x->code->konst_bytes += 512;
    return OPERAND_CONST | at;
}

/* ---- steps ---- */

static struct dinst *add_step(struct decoder *x)
{
    struct code *c = x->code;
    if (c->ninsts == x->cap) {
        x->cap = x->cap ? x->cap * 2 : 64;
        c->insts = realloc(c->insts, x->cap * sizeof *c->insts);
        if (!c->insts)
            abort();
    }
    struct dinst *d = &c->insts[c->ninsts++];
    memset(d, 0, sizeof *d);
    d->in = x->in;
    d->reconverge = UINT32_MAX;
    d->seq = x->in ? (uint32_t)(x->in - x->f->insts) : 0;
    d->dst = d->dst2 = x->scratch;
    return d;
}

static void error(struct decoder *x, const char *what)
{
    char text[256];
    ptx_print_inst(x->f, x->in, text, sizeof text);
    diag_error(x->d, x->in->loc.line, x->in->loc.col, "%s: %s", what, text);
}

static int storage_bytes(enum ptx_type t)
{
    int n = ptx_type_size(t);
    return t == T_PRED ? 0 : n < 2 ? 2 : n;
}

static operand reg_operand(const struct decoder *x, const struct ptx_reg *r)
{
    enum reg_class c = reg_class_of(r);
    uint32_t slot = x->code->flow->slot[r->id];
    if (slot == FLOW_NONE)
        return x->scratch;
    return x->class_base[c] + slot * (uint32_t)(c == RC_PRED ? 4 : reg_class_bytes(c) * LANES);
}

static int reg_bytes(const struct ptx_reg *r)
{
    return r->type == T_PRED ? 0 : reg_class_bytes(reg_class_of(r));
}

/* The type that a signature letter stands for. */
static enum ptx_type letter_type(const struct ptx_inst *in, char c)
{
    enum ptx_type t = (enum ptx_type)in->type[0];
    switch (c) {
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

static operand temporary(struct decoder *x)
{
    return x->scratch + SCRATCH_BYTES + x->temps++ % 4 * SCRATCH_BYTES;
}

static operand resize(struct decoder *x, operand from, int from_bytes, int to_bytes, bool sign)
{
    operand t = temporary(x);
    struct dinst *d = add_step(x);
    d->dst = t;
    d->src[0] = from;
    d->fn = lanes_resize(x->p->isa, from_bytes, to_bytes, sign);
    return t;
}

static uint64_t float_bits(const struct ptx_operand *o, enum ptx_type t)
{
    double v;
    float f;
    uint32_t w;
    if (o->kind == OPD_IMM)
        v = (double)o->imm;
    else if (o->is_f32) {
        if (storage_bytes(t) == 4)
            return (uint32_t)o->imm;
        w = (uint32_t)o->imm;
        memcpy(&f, &w, 4);
        v = f;
    } else
        memcpy(&v, &o->imm, 8);
    uint64_t bits;
    memcpy(&bits, &v, 8);
    if (storage_bytes(t) == 8)
        return bits;
    f = (float)v;
    memcpy(&w, &f, 4);
    return w;
}

static operand immediate(struct decoder *x, const struct ptx_operand *o, enum ptx_type t)
{
    if (t == T_PRED)
        return konst(x, o->imm ? 0xffffffffu : 0, 0);
    int n = storage_bytes(t);
    uint64_t v = (uint64_t)o->imm;
    if (o->kind == OPD_FIMM)
        v = float_bits(o, t);
    else if (t == T_F32 || t == T_F64)
        v = float_bits(o, t);
    if (ptx_type_size(t) == 1)
        v = ptx_type_class(t) == 's' ? (uint64_t)(int8_t)v : (uint8_t)v;
    if (n == 16)
        return konst128(x, v, o->kind == OPD_IMM && o->imm < 0 ? ~0ull : 0);
    return konst(x, n == 8 ? v : v & ((1ull << 8 * n) - 1), n);
}

/* ---- values made at run time: local addresses in a call frame, clocks ---- */

static int run_local_address(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    uint64_t at = (uint64_t)(h->frame_local - h->local) / LANES + (uint64_t)d->imm;
    uint64_t *out = lanes_at(l, d->dst);
    for (int i = 0; i < LANES; i++)
        if (l->mask >> i & 1)
            out[i] = at;
    return C_NEXT;
}

/*
 * In functional mode the clock advances by one with every warp instruction; the timer takes one as a nanosecond. In
 * timing mode it is the core's cycle.
 */
static uint64_t clock_now(const struct half *h, const struct dinst *d, bool timer)
{
    const struct launch *la = h->worker->launch;
    uint64_t v = h->worker->clock ? *h->worker->clock : h->warp->executed + d->seq - h->warp->run_from;
    if (!timer)
        return v;
    if (h->worker->clock) {
        v -= la->clock_start;
        v = v / la->clock_khz * 1000000 + v % la->clock_khz * 1000000 / la->clock_khz;
    }
    return v + la->clock_base;
}

static int run_clock(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    enum ptx_sreg s = (enum ptx_sreg)d->imm;
    uint64_t v = clock_now(h, d, s == SR_GLOBALTIMER || s == SR_GLOBALTIMER_LO || s == SR_GLOBALTIMER_HI);
    if (s == SR_CLOCK_HI || s == SR_GLOBALTIMER_HI)
        v >>= 32;
    for (int i = 0; i < LANES; i++) {
        if (!(l->mask >> i & 1))
            continue;
        if (d->size == 8)
            ((uint64_t *)lanes_at(l, d->dst))[i] = v;
        else
            ((uint32_t *)lanes_at(l, d->dst))[i] = (uint32_t)v;
    }
    h->worker->changes++;                /* a loop that waits for the clock makes progress */
    return C_NEXT;
}

static bool is_clock(enum ptx_sreg s)
{
    return s == SR_CLOCK || s == SR_CLOCK_HI || s == SR_CLOCK64 || s == SR_GLOBALTIMER ||
           s == SR_GLOBALTIMER_LO || s == SR_GLOBALTIMER_HI;
}

static operand special_operand(struct decoder *x, const struct ptx_operand *o, int *bytes)
{
    enum ptx_sreg s = (enum ptx_sreg)o->sreg;
    *bytes = ptx_type_size(ptx_sreg_type(s)) == 8 ? 8 : ptx_sreg_type(s) == T_PRED ? 0 : 4;
    if (is_clock(s)) {
        operand t = temporary(x);
        struct dinst *d = add_step(x);
        d->dst = t;
        d->imm = s;
        d->size = (uint8_t)*bytes;
        d->fn = run_clock;
        return t;
    }
    x->code->sregs[s / 64] |= 1ull << s % 64;
    return OPERAND_SPECIAL | sreg_offset(s, o->comp ? o->comp - 1 : 0);
}

/* In a kernel the frame of private memory starts at 0, so addresses in it are constants; in functions they move. */
static operand local_address(struct decoder *x, uint64_t offset)
{
    if (x->f->is_entry)
        return konst(x, offset, 8);
    operand t = temporary(x);
    struct dinst *d = add_step(x);
    d->dst = t;
    d->imm = (int64_t)offset;
    d->fn = run_local_address;
    return t;
}

static const struct ptx_var *definition(const struct ptx_var *v)
{
    return v->def ? v->def : v;
}

/* Is this .param variable the kernel's own parameter (read from the launch), not one of a call? */
static bool is_kernel_param(const struct ptx_func *f, const struct ptx_var *v)
{
    if (!f->is_entry || v->space != SP_PARAM)
        return false;
    for (const struct ptx_var *q = f->params; q; q = q->next)
        if (q == v)
            return true;
    return false;
}

static bool is_private(const struct ptx_func *f, const struct ptx_var *v)
{
    return v->space == SP_LOCAL || (v->space == SP_PARAM && !is_kernel_param(f, v));
}

static operand symbol_address(struct decoder *x, const struct ptx_operand *o, int *bytes)
{
    *bytes = 8;
    if (o->kind == OPD_FUNC) {
        const struct ptx_func *t = o->func->def ? o->func->def : o->func;
        return konst(x, FUNCTION_BASE + t->index + 1, 8);
    }
    const struct ptx_var *v = definition(o->var);
    uint64_t at = v->address + (uint64_t)o->imm;
    return is_private(x->f, v) ? local_address(x, at) : konst(x, at, 8);
}

static operand source_at(struct decoder *x, const struct ptx_operand *o, enum ptx_type t)
{
    int bytes, want = storage_bytes(t);
    operand at;
    switch (o->kind) {
    case OPD_REG:
        bytes = reg_bytes(o->reg);
        at = reg_operand(x, o->reg);
        break;
    case OPD_IMM:
    case OPD_FIMM: return immediate(x, o, t);
    case OPD_SREG: at = special_operand(x, o, &bytes); break;
    case OPD_VAR:
    case OPD_FUNC: at = symbol_address(x, o, &bytes); break;
    default: return t == T_PRED ? konst(x, 0xffffffffu, 0) : konst(x, 0, want ? want : 4);
    }
    if (bytes == want || !bytes || !want)
        return at;
    return resize(x, at, bytes, want, ptx_type_class(t) == 's');
}

static int run_not_predicate(struct lanes *l, const struct dinst *d)
{
    *(uint32_t *)lanes_at(l, d->dst) = ~*(const uint32_t *)lanes_at(l, d->src[0]);
    return C_NEXT;
}

static operand negated_predicate(struct decoder *x, const struct ptx_operand *o)
{
    struct ptx_operand plain = *o;
    plain.negated = false;
    operand from = source_at(x, &plain, T_PRED), t = temporary(x);
    struct dinst *d = add_step(x);
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
        half_of(l)->worker->counts.thread_instructions -= (uint64_t)__builtin_popcount(all & ~on);
    if (!on)
        return C_NEXT;
    l->mask = on;
    int r = d->guarded(l, d);
    l->mask = all;
    return r;
}

static void guard(struct decoder *x, struct dinst *d)
{
    if (!x->in->guard)
        return;
    d->guard = reg_operand(x, x->in->guard);
    d->guard_negated = x->in->guard_negated;
    d->guarded = d->fn;
    d->fn = run_guarded;
}

/* The guard of a step that the run loop executes for the whole warp. */
static void warp_guard(struct decoder *x, struct dinst *d)
{
    d->guard = x->in->guard ? reg_operand(x, x->in->guard) : konst(x, 0xffffffffu, 0);
    d->guard_negated = x->in->guard_negated;
}

/* ---- destinations ---- */

struct destination { operand at; operand final; int bytes, want; bool sign; };

static struct destination destination(struct decoder *x, const struct ptx_operand *o, enum ptx_type t)
{
    struct destination r = { x->scratch, 0, 0, 0, ptx_type_class(t) == 's' };
    if (o->kind != OPD_REG)
        return r;
    r.at = reg_operand(x, o->reg);
    r.bytes = reg_bytes(o->reg);
    r.want = storage_bytes(t);
    if (r.bytes != r.want && r.bytes && r.want) {
        r.final = r.at;
        r.at = temporary(x);
    } else
        r.bytes = 0;
    return r;
}

static void widen_destination(struct decoder *x, const struct destination *r)
{
    if (!r->bytes || r->bytes == r->want)
        return;
    struct dinst *d = add_step(x);
    d->dst = r->final;
    d->src[0] = r->at;
    d->fn = lanes_resize(x->p->isa, r->want, r->bytes, r->sign);
    guard(x, d);
}

/* ---- arithmetic and warp-level instructions ---- */

static int run_warpsync(struct lanes *l, const struct dinst *d)
{
    (void)l;
    (void)d;
    return C_WARPSYNC;
}

/* In independent mode the lanes named in a .sync instruction's member mask must all be there first. */
static bool needs_meeting(const struct decoder *x)
{
    return x->p->independent && x->in->mod[PG_SYNC];
}

static enum ptx_type element_type(const struct ptx_inst *in, int n)
{
    switch (ptx_type_size((enum ptx_type)in->type[0]) / (n ? n : 1)) {
    case 1: return T_B8;
    case 2: return T_B16;
    case 4: return T_B32;
    default: return T_B64;
    }
}

/* mov between a scalar and {..}: the elements are the parts of the scalar, the first the least significant. */
static void decode_mov_vector(struct decoder *x)
{
    const struct ptx_operand *to = &x->in->opd[0], *from = &x->in->opd[1];
    operand src[4] = { 0 };
    struct destination dst[8];
    int n = from->kind == OPD_VEC ? from->n : to->n;
    if (n > 4) {
        error(x, "a vector of more than 4 elements is not supported here");
        return;
    }
    enum ptx_type part = element_type(x->in, n);
    operand *list = arena_alloc(x->p->arena, (size_t)n * sizeof *list);
    if (from->kind == OPD_VEC)
        for (int i = 0; i < n; i++)
            src[i] = source_at(x, &from->elem[i], part);
    else
        src[0] = source_at(x, from, (enum ptx_type)x->in->type[0]);
    int ndst = to->kind == OPD_VEC ? n : 1;
    for (int i = 0; i < ndst; i++) {
        const struct ptx_operand *o = to->kind == OPD_VEC ? &to->elem[i] : to;
        dst[i] = destination(x, o, to->kind == OPD_VEC ? part : (enum ptx_type)x->in->type[0]);
        list[i] = dst[i].at;
    }
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->vec = (uint8_t)n;
    d->dst = list[0];
    d->dst2 = ndst > 1 ? list[1] : x->scratch;
    d->extra = list;
    memcpy(d->src, src, sizeof src);
    d->fn = lanes_select(x->p->isa, x->in, d);
    if (!d->fn) {
        error(x, "no executing function for");
        return;
    }
    guard(x, d);
    for (int i = 0; i < ndst; i++)
        widen_destination(x, &dst[i]);
}

static void decode_lanes(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    operand src[4] = { 0 };
    struct destination dst[2] = { { .at = x->scratch }, { .at = x->scratch } };
    int nsrc = 0, ndst = 0;
    int64_t imm = 0;
    if (in->op == OP_MOV && (in->opd[0].kind == OPD_VEC || in->opd[1].kind == OPD_VEC)) {
        decode_mov_vector(x);
        return;
    }
    for (int k = 0; k < in->nopd; k++) {
        char c = signature_letter(sig, k);
        if (!c)
            break;
        if (c == 'i')
            imm = in->opd[k].imm;
        else if (strchr("dDpeV", c))
            dst[ndst++ & 1] = destination(x, &in->opd[k], letter_type(in, c));
        else if (nsrc < 4)
            src[nsrc++] = source_at(x, &in->opd[k], letter_type(in, c));
    }
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->dst = dst[0].at;
    d->dst2 = dst[1].at;
    d->imm = imm;
    memcpy(d->src, src, sizeof src);
    d->fn = lanes_select(x->p->isa, in, d);
    if (!d->fn) {
        error(x, "no executing function for");
        return;
    }
    if (needs_meeting(x)) {
        d->guarded = d->fn;
        d->fn = run_warpsync;
        d->target = (uint32_t)nsrc - 1;      /* the member mask is the last source */
        warp_guard(x, d);
    } else
        guard(x, d);
    widen_destination(x, &dst[0]);
    widen_destination(x, &dst[1]);
}

/* ---- memory ---- */

/* Splits an address operand: register or constant base in src[0], displacement in imm, space resolved. */
static void decode_address(struct decoder *x, struct dinst *d, const struct ptx_operand *o, enum ptx_space space)
{
    d->space = (uint8_t)space;
    d->imm = o->imm;
    d->addr_size = 0;
    if (o->has_reg) {
        d->addr_size = (uint8_t)reg_bytes(o->reg);
        d->src[0] = reg_operand(x, o->reg);
        if (space == SP_PARAM && !x->f->is_entry)
            d->space = SP_LOCAL;
        return;
    }
    if (!o->has_var)
        return;
    const struct ptx_var *v = definition(o->var);
    d->imm += (int64_t)v->address;
    if (is_private(x->f, v)) {
        /* SP_REG marks private memory addressed from the frame of the function */
        d->space = space == SP_GENERIC ? SP_GENERIC : SP_REG;
        if (space == SP_GENERIC)
            error(x, "a generic access to a private variable needs its address taken first");
    } else if (space == SP_GENERIC)
        d->space = v->space == SP_SHARED ? SP_SHARED : v->space == SP_PARAM ? SP_PARAM : SP_GLOBAL;
}

static enum ptx_space inst_space(const struct ptx_inst *in)
{
    switch (in->mod[PG_SPACE]) {
    case MOD(SPACE, CONST): return SP_CONST;
    case MOD(SPACE, GLOBAL): return SP_GLOBAL;
    case MOD(SPACE, LOCAL): return SP_LOCAL;
    case MOD(SPACE, PARAM): return SP_PARAM;
    case MOD(SPACE, SHARED): return SP_SHARED;
    }
    if (in->mod[PG_PARAMSUB])
        return SP_PARAM;
    return in->mod[PG_SHAREDSUB] ? SP_SHARED : SP_GENERIC;
}

/* A register that holds a memory operand may be wider than the type, never narrower. */
static int element_reg_bytes(const struct ptx_operand *o, enum ptx_type t)
{
    return o->kind == OPD_REG ? reg_bytes(o->reg) : storage_bytes(t);
}

/* The registers of one load or store must have one width: their number and that width go into vec and target. */
static operand *element_list(struct decoder *x, const struct ptx_operand *o, bool load, int *n, int *bytes)
{
    enum ptx_type t = (enum ptx_type)x->in->type[0];
    const struct ptx_operand *elem = o->kind == OPD_VEC ? o->elem : o;
    *n = o->kind == OPD_VEC ? o->n : 1;
    *bytes = 0;
    for (int i = 0; i < *n; i++)
        if (elem[i].kind == OPD_REG && element_reg_bytes(&elem[i], t) > *bytes)
            *bytes = element_reg_bytes(&elem[i], t);
    if (!*bytes)
        *bytes = storage_bytes(t);
    operand *list = arena_alloc(x->p->arena, (size_t)*n * sizeof *list);
    for (int i = 0; i < *n; i++) {
        if (elem[i].kind == OPD_REG && element_reg_bytes(&elem[i], t) != *bytes)
            error(x, "the registers of a vector access must have the same width");
        if (elem[i].kind == OPD_REG)
            list[i] = reg_operand(x, elem[i].reg);
        else if (load)
            list[i] = x->scratch;
        else if (elem[i].kind == OPD_SREG || elem[i].kind == OPD_VAR || elem[i].kind == OPD_FUNC)
            list[i] = source_at(x, &elem[i], t);
        else
            list[i] = immediate(x, &elem[i], storage_bytes(t) == *bytes ? t : *bytes == 8 ? T_B64 : T_B32);
    }
    return list;
}

/* A 128-bit register is accessed as two of 64 bits: its low halves lie before its high halves (lanes.h). */
static operand *split_elements(struct decoder *x, const operand *list, int *n, int *bytes)
{
    operand *parts = arena_alloc(x->p->arena, 2 * (size_t)*n * sizeof *parts);
    for (int i = 0; i < *n; i++) {
        parts[2 * i] = list[i];
        parts[2 * i + 1] = list[i] + LANES * sizeof(uint64_t);
    }
    *n *= 2;
    *bytes = 8;
    return parts;
}

static void decode_load_store(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    bool load = in->op != OP_ST;
    int n, bytes;
    operand *list = element_list(x, load ? &in->opd[0] : &in->opd[1], load, &n, &bytes);
    if (in->type[0] == T_B128)
        list = split_elements(x, list, &n, &bytes);
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->extra = list;
    d->vec = (uint8_t)n;
    d->size = (uint8_t)(in->type[0] == T_B128 ? 8 : ptx_type_size((enum ptx_type)in->type[0]));
    d->target = (uint32_t)bytes;
    d->id = (uint16_t)(x->p->mem_ids++ % BOUNDS_CACHE);
    decode_address(x, d, load ? &in->opd[1] : &in->opd[0], inst_space(in));
    d->fn = mem_select(x->p->isa, in, d);
    if (!d->fn)
        error(x, "no executing function for");
    else
        guard(x, d);
}

/* Results go through a temporary of 512 bytes, which holds all elements; a 32-bit address may be among them. */
static void decode_vector_atomic(struct decoder *x, const struct ptx_operand *result, const struct ptx_operand *o)
{
    enum ptx_type t = (enum ptx_type)x->in->type[0];
    struct atom_vector *v = arena_alloc(x->p->arena, sizeof *v);
    if (x->in->op == OP_ATOM)
        v->result = arena_alloc(x->p->arena, result->n * sizeof *v->result);
    for (int i = 0; i < o[1].n; i++) {
        v->value[i] = source_at(x, &o[1].elem[i], t);
        if (v->result)
            v->result[i] = result->elem[i].kind == OPD_REG ? reg_operand(x, result->elem[i].reg) : x->scratch;
    }
    operand address = 0;
    bool narrow = o->has_reg && reg_bytes(o->reg) == 4;
    if (narrow)
        address = resize(x, reg_operand(x, o->reg), 4, 8, false);
    operand all = temporary(x);
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->extra = v;
    d->dst2 = all;
    d->size = (uint8_t)ptx_type_size(t);
    d->vec = o[1].n;
    d->id = (uint16_t)(x->p->mem_ids++ % BOUNDS_CACHE);
    decode_address(x, d, o, inst_space(x->in));
    if (narrow) {
        d->src[0] = address;
        d->addr_size = 8;
    }
    d->fn = atom_select(x->in, d);
    if (!d->fn)
        error(x, "no executing function for");
    else
        guard(x, d);
}

static void decode_atomic(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    bool red = in->op == OP_RED;
    const struct ptx_operand *o = in->opd + (red ? 0 : 1);
    enum ptx_type t = (enum ptx_type)in->type[0];
    if (in->mod[PG_VEC]) {
        decode_vector_atomic(x, &in->opd[0], o);
        return;
    }
    operand a = source_at(x, &o[1], t);
    operand b = in->mod[PG_ATOM] == MOD(ATOM, CAS) ? source_at(x, &o[2], t) : 0;
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->src[1] = a;
    d->src[2] = b;
    if (!red && in->opd[0].kind == OPD_REG)
        d->dst = reg_operand(x, in->opd[0].reg);
    d->size = (uint8_t)ptx_type_size(t);
    d->vec = 1;
    d->id = (uint16_t)(x->p->mem_ids++ % BOUNDS_CACHE);
    decode_address(x, d, &o[0], inst_space(in));
    d->fn = atom_select(in, d);
    if (!d->fn)
        error(x, "no executing function for");
    else
        guard(x, d);
}

static int run_nothing(struct lanes *l, const struct dinst *d)
{
    (void)l;
    (void)d;
    return C_NEXT;
}

/* Without effect on values; timing mode asks a prefetch for its addresses. */
static void decode_nothing(struct decoder *x)
{
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->fn = run_nothing;
    if (x->in->op == OP_PREFETCH || x->in->op == OP_PREFETCHU) {
        d->size = d->vec = 1;
        d->id = (uint16_t)(x->p->mem_ids++ % (BOUNDS_CACHE / 2));
        decode_address(x, d, &x->in->opd[0], inst_space(x->in));
    }
    guard(x, d);
}

/* ---- addresses of other spaces (cvta, isspacep) ---- */

static uint64_t window_of(const struct decoder *x, enum ptx_space s)
{
    if (s == SP_SHARED)
        return WINDOW_SHARED;
    if (s == SP_LOCAL || (s == SP_PARAM && !x->f->is_entry))
        return WINDOW_LOCAL;
    return s == SP_PARAM ? x->p->param_address : 0;
}

static void decode_cvta(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    enum ptx_type t = (enum ptx_type)in->type[0];
    struct destination dst = destination(x, &in->opd[0], t);
    operand from = source_at(x, &in->opd[1], t);
    struct lanes_window *w = arena_alloc(x->p->arena, sizeof *w);
    w->base = window_of(x, inst_space(in));
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->dst = dst.at;
    d->src[0] = from;
    d->extra = w;
    d->fn = lanes_select(x->p->isa, in, d);
    guard(x, d);
    widen_destination(x, &dst);
}

static int run_isspacep(struct lanes *l, const struct dinst *d)
{
    const uint64_t *a = lanes_at(l, d->src[0]);
    uint32_t *out = lanes_at(l, d->dst), r = 0;
    const struct launch *la = half_of(l)->worker->launch;
    for (int i = 0; i < LANES; i++) {
        uint64_t window = a[i] >> WINDOW_BITS << WINDOW_BITS;
        bool in_param = a[i] - la->program->param_address < PARAM_MAX;
        const struct mem_range *m = window ? NULL : devmem_find(la->mem, a[i]);
        bool in_const = m && m->kind == MEM_CONSTANT && !in_param;
        bool yes = d->space == SP_SHARED  ? window == WINDOW_SHARED
                   : d->space == SP_LOCAL ? window == WINDOW_LOCAL
                   : d->space == SP_PARAM ? in_param
                   : d->space == SP_CONST ? in_const
                                          : !window && !in_const && !in_param;
        r |= (uint32_t)yes << i;
    }
    *out = (*out & ~l->mask) | (r & l->mask);
    return C_NEXT;
}

static void decode_isspacep(struct decoder *x)
{
    operand from = source_at(x, &x->in->opd[1], T_U64);
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->dst = x->in->opd[0].kind == OPD_REG ? reg_operand(x, x->in->opd[0].reg) : x->scratch;
    d->src[0] = from;
    d->space = (uint8_t)inst_space(x->in);
    d->fn = run_isspacep;
    guard(x, d);
}

/* ---- control ---- */

#define CONTROL(name, code)                                      \
    static int run_##name(struct lanes *l, const struct dinst *d) \
    {                                                            \
        (void)l;                                                 \
        (void)d;                                                 \
        return code;                                             \
    }
CONTROL(bra, C_BRA)
CONTROL(brx, C_BRX)
CONTROL(call, C_CALL)
CONTROL(ret, C_RET)
CONTROL(exit, C_EXIT)
CONTROL(trap, C_TRAP)
CONTROL(barrier, C_BARRIER)
CONTROL(join, C_JOIN)
CONTROL(yield, C_YIELD)
CONTROL(tx_begin, C_TX_BEGIN)
CONTROL(tx_commit, C_TX_COMMIT)

static struct dinst *control_step(struct decoder *x, ptx_fn *fn)
{
    struct dinst *d = add_step(x);
    d->counts = 1;
    d->fn = fn;
    warp_guard(x, d);
    return d;
}

static void decode_branch(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    if (in->op == OP_BRA) {
        control_step(x, run_bra)->target = in->opd[0].label;
        return;
    }
    operand index = source_at(x, &in->opd[0], T_U32);
    struct dinst *d = control_step(x, run_brx);
    d->src[0] = index;
    d->extra = in->opd[1].table;
}

/*
 * The frame of private memory: parameters, return values, then the other variables, each at least 4-byte aligned, so
 * that every function of one prototype finds its parameters at the same places.
 */
static uint32_t place_list(struct ptx_var *list, uint32_t at)
{
    for (struct ptx_var *v = list; v; v = v->next) {
        uint32_t align = v->align < 4 ? 4 : v->align;
        if (v->space != SP_PARAM && v->space != SP_LOCAL && v->space != SP_REG)
            continue;
        at = (at + align - 1) / align * align;
        v->address = at;
        uint64_t bytes = (v->size + 3) & ~3ull;
        at = bytes > 0x40000000u - at ? 0x40000000u : at + (uint32_t)bytes;
    }
    return at;
}

static uint32_t place_private(struct ptx_func *f)
{
    uint32_t at = 0;
    if (f->is_entry) {
        uint64_t offset = 0;
        for (struct ptx_var *v = f->params; v; v = v->next) {
            offset = (offset + v->align - 1) / v->align * v->align;
            v->address = offset;
            offset += v->size;
        }
    } else
        at = place_list(f->rets, place_list(f->params, 0));
    at = place_list(f->vars, at);
    return (at + 15) & ~15u;
}

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
            uint32_t caller = (uint32_t)definition(o->var)->address + (uint32_t)o->imm;
            v[i].from = ret ? callee : caller;
            v[i].to = ret ? caller : callee;
            if (!is_private(x->f, definition(o->var)))
                error(x, "a call passes .param variables of the function, registers or constants");
            continue;
        }
        v[i].from = v[i].to = callee;
        if (ret) {
            v[i].value = o->kind == OPD_REG ? reg_operand(x, o->reg) : x->scratch;
            v[i].reg_size = (uint8_t)(o->kind == OPD_REG ? reg_bytes(o->reg) : storage_bytes(t));
        } else {
            v[i].value = source_at(x, o, t);
            v[i].reg_size = (uint8_t)storage_bytes(t);
        }
    }
    return v;
}

static void decode_call(struct decoder *x)
{
    const struct ptx_call *call = x->in->call;
    struct call_site *s = arena_alloc(x->p->arena, sizeof *s);
    struct ptx_var *params, *rets;
    if (call->target.kind == OPD_FUNC) {
        struct ptx_func *t = call->target.func->def ? call->target.func->def : call->target.func;
        s->builtin = t->has_body ? NULL : builtin_find(t->name);
        s->target = t;
        params = t->params;
        rets = t->rets;
        if (!t->has_body && !s->builtin) {
            error(x, "calls a function without a body");
            return;
        }
        if (!t->has_body)
            place_private(t);
    } else {
        params = call->table ? call->table->params : NULL;
        rets = call->table ? call->table->rets : NULL;
        if (call->table && call->table->kind == TABLE_CALL && call->table->n) {
            const struct ptx_func *t = call->table->funcs[0]->def ? call->table->funcs[0]->def : call->table->funcs[0];
            params = t->params;
            rets = t->rets;
        } else
            place_list(rets, place_list(params, 0));
        s->pointer = source_at(x, &call->target, T_U64);
        s->params = params;
        s->rets = rets;
        x->code->indirect = true;
    }
    s->narg = call->narg;
    s->nret = call->nret;
    s->arg = call_values(x, call->arg, call->narg, params, false);
    s->ret = call_values(x, call->ret, call->nret, rets, true);
    control_step(x, run_call)->extra = s;
}

static void decode_barrier(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    if (in->mod[PG_BAROP] == MOD(BAROP, WARP)) {
        operand member = source_at(x, &in->opd[0], T_U32);
        struct dinst *d = add_step(x);
        d->counts = 1;
        d->src[0] = member;
        d->guarded = run_nothing;
        d->fn = x->p->independent ? run_warpsync : run_nothing;
        if (x->p->independent)
            warp_guard(x, d);
        else
            guard(x, d);
        return;
    }
    bool red = in->mod[PG_BAROP] == MOD(BAROP, RED);
    const struct ptx_operand *o = in->opd + (red ? 1 : 0);
    operand id = source_at(x, &o[0], T_U32), count = 0, value = 0;
    bool has_count = o[1].kind != OPD_NONE && in->nopd > (red ? 2 : 1);
    if (has_count)
        count = source_at(x, &o[1], T_U32);
    if (red)
        value = in->opd[3].negated ? negated_predicate(x, &in->opd[3]) : source_at(x, &in->opd[3], T_PRED);
    struct dinst *d = control_step(x, run_barrier);
    d->src[0] = id;
    d->src[1] = count;
    d->src[2] = value;
    d->vec = has_count;
    if (red && in->opd[0].kind == OPD_REG)
        d->dst = reg_operand(x, in->opd[0].reg);
}

/* src[0]: the duration, for timing mode. */
static void decode_sleep(struct decoder *x)
{
    operand nanoseconds = source_at(x, &x->in->opd[0], T_U32);
    control_step(x, run_yield)->src[0] = nanoseconds;
}

static void decode_one(struct decoder *x)
{
    x->temps = 0;
    switch (x->in->op) {
    case OP_BRA:
    case OP_BRX: decode_branch(x); break;
    case OP_CALL: decode_call(x); break;
    case OP_RET: control_step(x, run_ret); break;
    case OP_EXIT: control_step(x, run_exit); break;
    case OP_TRAP:
    case OP_BRKPT: control_step(x, run_trap); break;
    case OP_BAR:
    case OP_BARRIER: decode_barrier(x); break;
    case OP_TX_BEGIN:
        control_step(x, run_tx_begin)->imm =
            flow_checkpoint_words(x->f, x->code->flow, (uint32_t)(x->in - x->f->insts));
        break;
    case OP_TX_COMMIT: control_step(x, run_tx_commit); break;
    case OP_NANOSLEEP: decode_sleep(x); break;
    case OP_LD:
    case OP_LDU:
    case OP_ST: decode_load_store(x); break;
    case OP_ATOM:
    case OP_RED: decode_atomic(x); break;
    case OP_CVTA: decode_cvta(x); break;
    case OP_ISSPACEP: decode_isspacep(x); break;
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_PMEVENT: decode_nothing(x); break;
    default: decode_lanes(x);
    }
}

static void layout_frame(struct decoder *x)
{
    static const enum reg_class order[] = { RC_128, RC_64, RC_32, RC_16, RC_PRED };
    uint32_t at = 0;
    for (int i = 0; i < RC_COUNT; i++) {
        enum reg_class c = order[i];
        x->class_base[c] = at;
        at += x->code->flow->slots[c] * (uint32_t)(c == RC_PRED ? 4 : reg_class_bytes(c) * LANES);
        at = (at + 63) & ~63u;
    }
    x->scratch = at;
    x->code->frame_bytes = at + SCRATCH_BYTES * 5;
    memcpy(x->code->class_base, x->class_base, sizeof x->class_base);
}

/* Branch targets were instruction indices; now that all steps exist they become step indices. */
static void resolve_targets(struct decoder *x)
{
    struct code *c = x->code;
    for (uint32_t i = 0; i < c->ninsts; i++) {
        struct dinst *d = &c->insts[i];
        if (!d->in || !d->counts)
            continue;
        if (d->in->op == OP_BRA)
            d->target = c->of_inst[d->target];
        if (d->in->op == OP_BRA || d->in->op == OP_BRX) {
            uint32_t r = flow_reconvergence(c->flow, (uint32_t)(d->in - x->f->insts));
            d->reconverge = r == FLOW_NONE ? UINT32_MAX : c->of_inst[r];
        }
    }
}

static bool joins_here(const struct decoder *x, uint32_t i)
{
    const struct flow_block *b = &x->code->flow->blocks[x->code->flow->block_of[i]];
    return b->first == i && (b->joins || x->p->independent);
}

static bool is_memory(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_ATOM:
    case OP_RED:
    case OP_PREFETCH:
    case OP_PREFETCHU: return true;
    default: return false;
    }
}

/* What stepping wants to know of the PTX instruction just decoded, which begins at step `from`. */
static void mark_stepping(struct decoder *x, uint32_t from)
{
    uint8_t marks = STEPS_HERE | (is_memory(x->in) ? STEPS_MEMORY : 0) | (x->in->guard ? STEPS_GUARDED : 0);
    for (uint32_t k = from; k < x->code->ninsts; k++) {
        struct dinst *d = &x->code->insts[k];
        if (!d->counts)
            continue;
        d->stepping = marks;
        if (marks & STEPS_MEMORY) {
            struct mem_shape *shape = arena_alloc(x->p->arena, sizeof *shape);
            mem_describe(shape, d);
            d->shape = shape;
        }
    }
}

static void decode_body(struct decoder *x)
{
    struct code *c = x->code;
    c->of_inst = arena_alloc(x->p->arena, (x->f->ninsts + 1) * sizeof *c->of_inst);
    for (uint32_t i = 0; i < x->f->ninsts; i++) {
        x->in = &x->f->insts[i];
        c->of_inst[i] = c->ninsts;
        if (joins_here(x, i)) {
            struct dinst *join = add_step(x);
            join->fn = run_join;
            join->stepping = STEPS_JOIN;
        }
        decode_one(x);
        mark_stepping(x, c->of_inst[i]);
    }
    /* running off the end is a return */
    c->of_inst[x->f->ninsts] = c->ninsts;
    x->in = NULL;
    struct dinst *end = add_step(x);
    end->fn = run_ret;
    end->seq = x->f->ninsts;
    end->stepping = STEPS_HERE;
    end->guard = konst(x, 0xffffffffu, 0);
    resolve_targets(x);
}

static void check_parameters(const struct ptx_func *f, struct diag *d)
{
    for (const struct ptx_var *v = f->params; v && f->is_entry; v = v->next)
        if (v->address + v->size > PARAM_MAX) {
            diag_error(d, v->loc.line, v->loc.col, "parameter '%s' lies beyond the %d bytes that a kernel's parameters "
                       "may take", v->name, PARAM_MAX);
            return;
        }
}

bool code_decode(struct program *p, struct ptx_func *f, struct diag *diag)
{
    int errors = diag->errors;
    check_parameters(f, diag);
    struct decoder x = { .p = p, .f = f, .d = diag };
    x.code = arena_alloc(p->arena, sizeof *x.code);
    x.code->func = f;
    x.code->flow = flow_analyse(f, p->arena);
    layout_frame(&x);
    decode_body(&x);
    struct dinst *insts = arena_alloc(p->arena, x.code->ninsts * sizeof *insts);
    memcpy(insts, x.code->insts, x.code->ninsts * sizeof *insts);
    free(x.code->insts);
    x.code->insts = insts;
    char *pool = arena_alloc(p->arena, x.code->konst_bytes + 64);
    pool += -(uintptr_t)pool & 63;
    memcpy(pool, x.konst, x.code->konst_bytes);
    x.code->konst = pool;
    free(x.konst);
    free(x.konst_hash);
    f->code = x.code;
    return diag->errors == errors;
}

/* Places of parameters and private variables, before any function of the program is decoded. */
uint32_t code_place_private(struct ptx_func *f)
{
    return place_private(f);
}

static void mark_list(struct code *c, const struct ptx_var *list)
{
    for (const struct ptx_var *v = list; v; v = v->next)
        for (uint64_t k = v->address / 4; v->space == SP_PARAM && k < (v->address + v->size + 3) / 4; k++)
            c->param_words[k / 32] |= 1u << k % 32;
}

void code_mark_params(struct program *p, struct code *c)
{
    c->param_words = arena_alloc(p->arena, (c->local_bytes / 128 + 1) * sizeof *c->param_words);
    if (!c->func->is_entry) {
        mark_list(c, c->func->params);
        mark_list(c, c->func->rets);
    }
    mark_list(c, c->func->vars);
}
