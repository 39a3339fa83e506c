/* One lane at a time: see eval.h. Addresses of global, constant and generic memory are host pointers. */
#include "regress/random/eval.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/isa/ops_check.h"
#include "regress/conformance/ref/ref.h"
#include "regress/random/eval_matrix.h"

enum { WARP = 32, STEPS_MAX = 300000, DEPTH_MAX = 64, SHARED_MAX = 1 << 15 };
enum state { RUNNING, AT_WARP, AT_BARRIER, DONE };

struct frame {
    struct frame *caller;
    const struct ptx_func *func;
    const struct ptx_call *call;                 /* in the caller, for the return values */
    uint32_t pc, depth;
    uint64_t *regs;
    char *mem;                                   /* parameters and local variables, by var->address */
};

struct thread {
    struct frame *frame;
    uint32_t tid;
    long steps;
    enum state state;
    bool carry;
};

struct eval {
    struct ptx_module *m;
    const struct eval_launch *l;
    uint32_t ctaid;
    struct thread *threads;
    char *shared;
    bool failed;
    char *why;
    size_t nwhy;
};

static void __attribute__((format(printf, 2, 3))) fail(struct eval *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!e->failed)
        vsnprintf(e->why, e->nwhy, fmt, ap);
    va_end(ap);
    e->failed = true;
}

/* ---- storage ---- */

static uint64_t align_up(uint64_t v, uint64_t a) { return (v + a - 1) / a * a; }

static uint64_t place(struct ptx_var *v, uint64_t at)
{
    at = align_up(at, v->align ? v->align : 8);
    v->address = at;
    return at + v->size;
}

static uint64_t frame_bytes(const struct ptx_func *f)
{
    uint64_t at = 0;
    for (struct ptx_var *v = f->params; v; v = v->next)
        at = place(v, at);
    for (struct ptx_var *v = f->rets; v; v = v->next)
        at = place(v, at);
    for (struct ptx_var *v = f->vars; v; v = v->next)
        at = place(v, at);
    return at + 16;
}

static void place_globals(struct eval *e)
{
    uint64_t shared = 0;
    for (struct ptx_var *v = e->m->vars; v; v = v->next) {
        if (v->space == SP_SHARED) {
            shared = place(v, shared);
            continue;
        }
        char *p = calloc(1, v->size + 16);
        if (v->init)
            memcpy(p, v->init, v->size);
        for (struct ptx_reloc *r = v->relocs; r; r = r->next)
            memcpy(p + r->offset, &r->func, sizeof r->func);
        v->address = (uint64_t)(uintptr_t)p;
    }
    if (shared > SHARED_MAX)
        fail(e, "too much shared memory");
}

static struct frame *push_frame(struct eval *e, struct thread *t, const struct ptx_func *f)
{
    struct frame *n = calloc(1, sizeof *n);
    n->func = f;
    n->caller = t->frame;
    n->depth = t->frame ? t->frame->depth + 1 : 0;
    n->regs = calloc((size_t)f->nregs + 1, sizeof *n->regs);
    n->mem = calloc(1, frame_bytes(f));
    t->frame = n;
    if (n->depth > DEPTH_MAX)
        fail(e, "calls nest too deep");
    return n;
}

static void pop_frame(struct thread *t)
{
    struct frame *f = t->frame;
    t->frame = f->caller;
    free(f->regs);
    free(f->mem);
    free(f);
}

/* ---- operands ---- */

static int reg_bits(const struct ptx_reg *r) { return ref_bits_of(r->type); }

static uint64_t special(const struct eval *e, const struct thread *t, const struct ptx_operand *o)
{
    bool x = o->comp <= 1;
    switch (o->sreg) {
    case SR_TID: return x ? t->tid : 0;
    case SR_NTID: return x ? e->l->block : 1;
    case SR_CTAID: return x ? e->ctaid : 0;
    case SR_NCTAID: return x ? e->l->grid : 1;
    default: return t->tid % WARP;               /* laneid */
    }
}

static uint64_t float_constant(const struct ptx_operand *o, uint8_t type)
{
    if (type != T_F32 || o->is_f32)
        return (uint64_t)o->imm;
    double v;
    memcpy(&v, &o->imm, 8);
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static uint64_t source(const struct eval *e, const struct thread *t, const struct ptx_operand *o,
                       uint8_t type)
{
    uint64_t mask = ref_mask(type == T_NONE ? 64 : ref_bits_of(type));
    switch (o->kind) {
    case OPD_REG: return t->frame->regs[o->reg->id] & mask;
    case OPD_FIMM: return float_constant(o, type) & mask;
    case OPD_SREG: return special(e, t, o) & mask;
    case OPD_VAR: return (o->var->address + (uint64_t)o->imm) & mask;
    case OPD_FUNC: return (uint64_t)(uintptr_t)o->func;
    default: return (uint64_t)o->imm & mask;
    }
}

/* A register wider than the value gets it extended by its type's sign. */
static void set_reg(struct thread *t, const struct ptx_operand *o, uint8_t type, uint64_t v)
{
    if (o->kind != OPD_REG)
        return;
    if (type != T_NONE && type != T_PRED && ref_bits_of(type) < reg_bits(o->reg))
        v = (uint64_t)ref_value(type, v);
    t->frame->regs[o->reg->id] = v & ref_mask(reg_bits(o->reg));
}

static uint8_t letter_type(const struct ptx_inst *in, char letter)
{
    static const uint8_t wide[T_COUNT] = {
        [T_U16] = T_U32, [T_S16] = T_S32, [T_U32] = T_U64, [T_S32] = T_S64
    };
    switch (letter) {
    case 'b': return in->type[1];
    case 'c': return in->type[2];
    case 'A': case 'D': return wide[in->type[0]];
    case 'u': case 'e': return T_U32;
    case 'p': case 'q': return T_PRED;
    default: return in->type[0];
    }
}

/* ---- instructions of one lane ---- */

static void run_lane_op(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    struct ref_lane l = { .carry = t->carry };
    struct ref_result r;
    uint8_t dst = letter_type(in, sig[0]);
    int k = 0, n = 0;
    bool pair = sig[1] == '|';
    for (const char *s = sig; *s; s++) {
        if (*s == ',' || *s == '|' || *s == '?')
            continue;
        if (k > (pair ? 1 : 0) && k < in->nopd && *s != 'i' && in->opd[k].kind != OPD_NONE && n < 4)
            l.src[n++] = source(e, t, &in->opd[k], letter_type(in, *s));
        k++;
    }
    if (!ref_eval(in, &l, &r) || r.approx) {
        fail(e, "line %d: no reference for %s", in->loc.line, ptx_ops[in->op].text);
        return;
    }
    t->carry = r.carry;
    if (in->op == OP_CVT && ref_bits_of(dst) == 8)
        r.d &= 0xff;
    set_reg(t, &in->opd[0], dst, r.d);
    if (pair && in->opd[1].kind == OPD_REG)
        set_reg(t, &in->opd[1], T_PRED, r.q);
}

static void run_mov(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    const struct ptx_operand *to = &in->opd[0], *from = &in->opd[1];
    int bits = ref_bits_of(in->type[0]);
    uint64_t v = 0;
    for (int i = 0; from->kind == OPD_VEC && i < from->n; i++)
        v |= (source(e, t, &from->elem[i], T_NONE) & ref_mask(bits / from->n)) << bits / from->n * i;
    if (from->kind != OPD_VEC)
        v = source(e, t, from, in->type[0]);
    for (int i = 0; to->kind == OPD_VEC && i < to->n; i++)
        set_reg(t, &to->elem[i], T_NONE, v >> bits / to->n * i & ref_mask(bits / to->n));
    if (to->kind != OPD_VEC)
        set_reg(t, to, T_NONE, v);
}

static char *address(struct eval *e, struct thread *t, const struct ptx_inst *in, const struct ptx_operand *o)
{
    uint64_t a = (uint64_t)o->imm;
    uint8_t space = in->mod[PG_SPACE];
    if (o->has_var)
        a += o->var->address;
    else if (o->has_reg)
        a += t->frame->regs[o->reg->id];
    if (space == MOD(SPACE, SHARED))
        return e->shared + a % SHARED_MAX;
    if (space == MOD(SPACE, PARAM) || space == MOD(SPACE, LOCAL))
        return t->frame->mem + a;
    return (char *)(uintptr_t)a;
}

static void run_load_store(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    bool load = in->op != OP_ST;
    char *p = address(e, t, in, &in->opd[load ? 1 : 0]);
    const struct ptx_operand *o = &in->opd[load ? 0 : 1], *elem = o->kind == OPD_VEC ? o->elem : o;
    int n = o->kind == OPD_VEC ? o->n : 1, size = ptx_type_size(in->type[0]);
    for (int i = 0; i < n; i++) {
        uint64_t v = load ? 0 : source(e, t, &elem[i], in->type[0]);
        memcpy(load ? (char *)&v : p + i * size, load ? p + i * size : (char *)&v, (size_t)size);
        if (load)
            set_reg(t, &elem[i], in->type[0], v);
    }
}

static void run_atomic(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    static const uint16_t ops[] = { OP_AND, OP_OR, OP_XOR, 0, 0, OP_ADD, 0, 0, OP_MIN, OP_MAX };
    bool red = in->op == OP_RED;
    const struct ptx_operand *o = &in->opd[red ? 0 : 1];
    char *p = address(e, t, in, o);
    size_t size = (size_t)ptx_type_size(in->type[0]);
    struct ptx_inst op = { .op = ops[in->mod[PG_ATOM] - MOD(ATOM, AND)], .type = { in->type[0] } };
    struct ref_lane l = { .src = { 0, source(e, t, &o[1], in->type[0]) } };
    struct ref_result r;
    memcpy(&l.src[0], p, size);
    if (!ref_eval(&op, &l, &r))
        fail(e, "line %d: no such atomic operation", in->loc.line);
    memcpy(p, &r.d, size);
    if (!red)
        set_reg(t, &in->opd[0], in->type[0], l.src[0]);
}

static void run_cvta(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    uint64_t base = in->mod[PG_SPACE] == MOD(SPACE, SHARED) ? (uint64_t)(uintptr_t)e->shared
                  : in->mod[PG_SPACE] == MOD(SPACE, LOCAL) ? (uint64_t)(uintptr_t)t->frame->mem : 0;
    uint64_t a = source(e, t, &in->opd[1], T_U64);
    set_reg(t, &in->opd[0], T_NONE, in->mod[PG_TO] ? a - base : a + base);
}

static void copy_values(struct eval *e, struct thread *t, const struct ptx_operand *o, int n,
                        struct frame *outer, struct frame *inner, const struct ptx_var *v, bool in)
{
    for (int i = 0; i < n && v; i++, v = v->next) {
        if (o[i].kind == OPD_VAR) {
            char *a = inner->mem + v->address, *b = outer->mem + o[i].var->address;
            memcpy(in ? a : b, in ? b : a, v->size);
        } else if (in) {
            uint64_t x = source(e, t, &o[i], v->type);
            memcpy(inner->mem + v->address, &x, v->size < 8 ? v->size : 8);
        } else if (o[i].kind == OPD_REG) {
            uint64_t x = 0;
            memcpy(&x, inner->mem + v->address, v->size < 8 ? v->size : 8);
            outer->regs[o[i].reg->id] = x;
        }
    }
}

static void run_call(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    const struct ptx_call *c = in->call;
    struct frame *outer = t->frame;
    const struct ptx_func *f = c->target.kind == OPD_FUNC ? c->target.func
                             : (const struct ptx_func *)(uintptr_t)outer->regs[c->target.reg->id];
    struct frame *inner = push_frame(e, t, f);
    inner->call = c;
    t->frame = outer;
    copy_values(e, t, c->arg, c->narg, outer, inner, f->params, true);
    t->frame = inner;
}

static void run_return(struct eval *e, struct thread *t)
{
    struct frame *inner = t->frame;
    if (!inner->caller) {
        t->state = DONE;
        return;
    }
    copy_values(e, t, inner->call->ret, inner->call->nret, inner->caller, inner, inner->func->rets, false);
    pop_frame(t);
    t->frame->pc++;
}

/* Copies at once: the program waits before it reads. */
static void run_copy(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    const struct ptx_operand *to = &in->opd[0], *read = &in->opd[3];
    uint64_t at = (uint64_t)to->imm + (to->has_reg ? t->frame->regs[to->reg->id] : 0);
    size_t bytes = (size_t)in->opd[2].imm, n = read->kind == OPD_NONE ? bytes : source(e, t, read, T_U32);
    char *p = e->shared + at % SHARED_MAX;
    memset(p, 0, bytes);
    memcpy(p, address(e, t, in, &in->opd[1]), n);
}

static bool is_matrix(uint16_t op)
{
    return op == OP_MMA || op == OP_LDMATRIX || op == OP_STMATRIX || op == OP_MOVMATRIX;
}

static bool is_warp_barrier(const struct ptx_inst *in)
{
    return in->op == OP_BAR && in->mod[PG_BAROP] == MOD(BAROP, WARP);
}

static bool is_warp_wide(const struct ptx_inst *in)
{
    uint16_t op = in->op;
    return op == OP_SHFL || op == OP_VOTE || op == OP_MATCH || op == OP_REDUX || op == OP_ACTIVEMASK || is_matrix(op) ||
           is_warp_barrier(in);
}

/* One instruction; false when the thread waits or has ended. */
static bool step(struct eval *e, struct thread *t)
{
    struct frame *f = t->frame;
    const struct ptx_inst *in = &f->func->insts[f->pc];
    bool pass = !in->guard || (f->regs[in->guard->id] & 1) != in->guard_negated;
    if (++t->steps > STEPS_MAX)
        fail(e, "thread %u does not end", t->tid);
    if (pass && (is_warp_wide(in) || in->op == OP_BAR || in->op == OP_BARRIER)) {
        t->state = is_warp_wide(in) ? AT_WARP : AT_BARRIER;
        return false;
    }
    if (!pass) {
        f->pc++;
        return true;
    }
    switch (in->op) {
    case OP_BRA: f->pc = in->opd[0].label; return true;
    case OP_BRX: f->pc = in->opd[1].table->labels[source(e, t, &in->opd[0], T_U32)]; return true;
    case OP_CALL: run_call(e, t, in); return true;
    case OP_RET: run_return(e, t); return t->state == RUNNING;
    case OP_EXIT: t->state = DONE; return false;
    case OP_LD: case OP_ST: run_load_store(e, t, in); break;
    case OP_ATOM: case OP_RED: run_atomic(e, t, in); break;
    case OP_CP_ASYNC: run_copy(e, t, in); break;
    case OP_CP_COMMIT: case OP_CP_WAIT: case OP_CP_WAIT_ALL: break;
    case OP_CVTA: run_cvta(e, t, in); break;
    case OP_MOV: run_mov(e, t, in); break;
    case OP_TX_BEGIN: case OP_TX_COMMIT: break;  /* threads run one at a time */
    default: run_lane_op(e, t, in); break;
    }
    f->pc++;
    return true;
}

/* ---- instructions of a warp ---- */

static uint32_t shfl_source(const struct ptx_inst *in, uint32_t lane, uint32_t b, uint32_t c, bool *ok)
{
    int mask = (int)(c >> 8 & 31), cv = (int)(c & 31), bv = (int)(b & 31), l = (int)lane, j;
    int max = (l & mask) | (cv & ~mask);
    switch (in->mod[PG_SHFL]) {
    case MOD(SHFL, UP): j = l - bv; *ok = j >= max; break;
    case MOD(SHFL, DOWN): j = l + bv; *ok = j <= max; break;
    case MOD(SHFL, BFLY): j = l ^ bv; *ok = j <= max; break;
    default: j = (l & mask) | (bv & ~mask); *ok = j <= max; break;
    }
    return *ok ? (uint32_t)j : lane;
}

struct warp_values { uint64_t a[WARP], d[WARP]; bool p[WARP]; uint32_t live; };

static void do_shfl(struct eval *e, struct thread *t, const struct ptx_inst *in, struct warp_values *w)
{
    for (uint32_t i = 0; i < WARP; i++)
        if (w->live >> i & 1) {
            uint32_t j = shfl_source(in, i, (uint32_t)source(e, &t[i], &in->opd[3], T_U32),
                                     (uint32_t)source(e, &t[i], &in->opd[4], T_U32), &w->p[i]);
            if (!(w->live >> j & 1))
                fail(e, "line %d: shfl reads a lane that has ended", in->loc.line);
            w->d[i] = w->a[j];
        }
}

static void do_vote(const struct ptx_inst *in, struct warp_values *w)
{
    uint32_t yes = 0;
    for (uint32_t i = 0; i < WARP; i++)
        yes |= (uint32_t)((w->live >> i & 1) && (w->a[i] & 1) != (unsigned)in->opd[1].negated) << i;
    bool all = yes == w->live, any = yes != 0;
    for (uint32_t i = 0; i < WARP; i++)
        w->d[i] = in->mod[PG_VOTE] == MOD(VOTE, BALLOT) ? yes : in->mod[PG_VOTE] == MOD(VOTE, ALL) ? all
                : in->mod[PG_VOTE] == MOD(VOTE, ANY) ? any : all || !any;
}

static void do_match(const struct ptx_inst *in, struct warp_values *w)
{
    for (uint32_t i = 0; i < WARP; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < WARP; j++)
            same |= (uint32_t)((w->live >> j & 1) && w->a[j] == w->a[i]) << j;
        w->p[i] = same == w->live;
        w->d[i] = in->mod[PG_MATCH] == MOD(MATCH, ANY) || w->p[i] ? same : 0;
    }
}

static void do_redux(const struct ptx_inst *in, struct warp_values *w)
{
    static const uint16_t ops[] = { 0, OP_AND, OP_OR, OP_XOR, OP_ADD, OP_MIN, OP_MAX };
    struct ptx_inst op = { .op = ops[in->mod[PG_REDOP] - MOD(REDOP, POPC)], .type = { in->type[0] } };
    bool first = true;
    uint64_t v = 0;
    for (uint32_t i = 0; i < WARP; i++)
        if (w->live >> i & 1) {
            struct ref_lane l = { .src = { v, w->a[i] } };
            struct ref_result r = { .d = w->a[i] };
            if (!first)
                ref_eval(&op, &l, &r);
            v = r.d;
            first = false;
        }
    for (uint32_t i = 0; i < WARP; i++)
        w->d[i] = v;
}

static const struct ptx_operand *elements(const struct ptx_operand *o, int *n)
{
    *n = o->kind == OPD_VEC ? o->n : 1;
    return o->kind == OPD_VEC ? o->elem : o;
}

/* All lanes of the warp execute it. */
static void do_matrix(struct eval *e, struct thread *t, const struct ptx_inst *in)
{
    struct matrix_values m;
    char *rows[WARP], move[8][16], *moved[8];
    bool store = in->op == OP_STMATRIX, transposed = in->mod[PG_ALAYOUT] == MOD(ALAYOUT, TRANS);
    int n, matrices = in->mod[PG_MATRIX] == MOD(MATRIX, X4) ? 4 : in->mod[PG_MATRIX] == MOD(MATRIX, X2) ? 2 : 1;
    for (int o = 0; o < 4; o++) {
        const struct ptx_operand *x = elements(&in->opd[o], &n);
        for (int k = 0; k < n && in->opd[o].kind != OPD_MEM && in->opd[o].kind != OPD_NONE; k++)
            for (uint32_t i = 0; i < WARP; i++)
                m.v[o][k][i] = source(e, &t[i], &x[k], T_NONE);
    }
    for (uint32_t i = 0; i < WARP; i++)
        rows[i] = in->op == OP_LDMATRIX || store ? address(e, &t[i], in, &in->opd[!store]) : NULL;
    for (int i = 0; i < 8; i++)
        moved[i] = move[i];
    switch (in->op) {
    case OP_MMA:
        if (!matrix_product(in, &m))
            fail(e, "line %d: no reference for this mma", in->loc.line);
        break;
    case OP_LDMATRIX: matrix_load(&m, 0, matrices, transposed, rows); break;
    case OP_STMATRIX: matrix_store(&m, 1, matrices, transposed, rows); return;
    default:
        matrix_store(&m, 1, 1, false, moved);
        matrix_load(&m, 0, 1, true, moved);
    }
    const struct ptx_operand *d = elements(&in->opd[0], &n);
    for (int k = 0; k < n; k++)
        for (uint32_t i = 0; i < WARP; i++)
            set_reg(&t[i], &d[k], T_NONE, m.v[0][k][i]);
}

static void run_warp(struct eval *e, struct thread *t, uint32_t live)
{
    struct warp_values w = { .live = live };
    const struct frame *f = t[__builtin_ctz(live)].frame;
    const struct ptx_inst *in = &f->func->insts[f->pc];
    int from = in->op == OP_SHFL || (in->op == OP_MATCH && in->mod[PG_MATCH] == MOD(MATCH, ALL)) ? 2 : 1;
    uint8_t src = in->op == OP_VOTE ? T_PRED : in->type[0], dst = in->op == OP_MATCH ? T_B32 : in->type[0];
    for (uint32_t i = 0; i < WARP; i++) {
        if (!(live >> i & 1))
            continue;
        if (t[i].frame->func != f->func || t[i].frame->pc != f->pc)
            fail(e, "line %d: lanes meet at different warp-wide instructions", in->loc.line);
        else if (in->op != OP_BAR && !is_matrix(in->op))
            w.a[i] = source(e, &t[i], &in->opd[from], src);
    }
    if (e->failed)
        return;
    switch (in->op) {
    case OP_SHFL: do_shfl(e, t, in, &w); break;
    case OP_VOTE: do_vote(in, &w); break;
    case OP_MATCH: do_match(in, &w); break;
    case OP_REDUX: do_redux(in, &w); break;
    case OP_MMA: case OP_LDMATRIX: case OP_STMATRIX: case OP_MOVMATRIX: do_matrix(e, t, in); break;
    default: break;
    }
    for (uint32_t i = 0; i < WARP; i++) {
        if (!(live >> i & 1))
            continue;
        if (in->op != OP_BAR && !is_matrix(in->op)) {
            set_reg(&t[i], &in->opd[0], dst == T_PRED ? T_PRED : T_NONE, w.d[i]);
            if (from == 2 && in->opd[1].kind == OPD_REG)
                set_reg(&t[i], &in->opd[1], T_PRED, w.p[i]);
        }
        t[i].frame->pc++;
        t[i].state = RUNNING;
    }
}

/* ---- blocks ---- */

static bool release_warps(struct eval *e)
{
    bool progress = false;
    for (uint32_t w = 0; w < e->l->block; w += WARP) {
        uint32_t live = 0, waiting = 0;
        for (uint32_t i = 0; i < WARP && w + i < e->l->block; i++) {
            live |= (uint32_t)(e->threads[w + i].state != DONE) << i;
            waiting |= (uint32_t)(e->threads[w + i].state == AT_WARP) << i;
        }
        if (live && live == waiting) {
            run_warp(e, &e->threads[w], live);
            progress = true;
        }
    }
    return progress;
}

/* The reduction of a barrier over all threads that came; a plain barrier has none. */
static void reduce_at_barrier(struct eval *e)
{
    uint32_t count = 0, arrived = 0;
    const struct ptx_inst *in = NULL;
    for (uint32_t i = 0; i < e->l->block; i++) {
        struct thread *t = &e->threads[i];
        if (t->state != AT_BARRIER)
            continue;
        const struct ptx_inst *own = &t->frame->func->insts[t->frame->pc];
        if (in && in != own)
            fail(e, "line %d: threads meet at different barriers", own->loc.line);
        in = own;
        arrived++;
        if (in->mod[PG_REDOP]) {
            const struct ptx_operand *p = &in->opd[in->nopd - 1];
            count += (source(e, t, p, T_PRED) & 1) != (unsigned)p->negated;
        }
    }
    if (!in || !in->mod[PG_REDOP])
        return;
    uint64_t v = in->mod[PG_REDOP] == MOD(REDOP, POPC)  ? count
                 : in->mod[PG_REDOP] == MOD(REDOP, AND) ? count == arrived
                                                        : count != 0;
    for (uint32_t i = 0; i < e->l->block; i++)
        if (e->threads[i].state == AT_BARRIER)
            set_reg(&e->threads[i], &in->opd[0], in->type[0], v);
}

static bool release_barrier(struct eval *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->l->block; i++) {
        enum state s = e->threads[i].state;
        if (s != DONE && s != AT_BARRIER)
            return false;
        any = any || s == AT_BARRIER;
    }
    if (any)
        reduce_at_barrier(e);
    for (uint32_t i = 0; any && i < e->l->block; i++)
        if (e->threads[i].state == AT_BARRIER) {
            e->threads[i].state = RUNNING;
            e->threads[i].frame->pc++;
        }
    return any;
}

static void run_block(struct eval *e, const struct ptx_func *kernel)
{
    memset(e->shared, 0, SHARED_MAX);
    for (uint32_t i = 0; i < e->l->block; i++) {
        e->threads[i] = (struct thread){ .tid = i };
        struct frame *f = push_frame(e, &e->threads[i], kernel);
        int k = 0;
        for (struct ptx_var *v = kernel->params; v; v = v->next, k++)
            memcpy(f->mem + v->address, &e->l->args[k], v->size);
    }
    bool progress = true;
    while (progress && !e->failed) {
        for (uint32_t i = 0; i < e->l->block; i++)
            while (e->threads[i].state == RUNNING && !e->failed && step(e, &e->threads[i]))
                continue;
        progress = release_warps(e) || release_barrier(e);
    }
    for (uint32_t i = 0; i < e->l->block; i++) {
        if (e->threads[i].state != DONE)
            fail(e, "thread %u waits for ever", i);
        while (e->threads[i].frame)
            pop_frame(&e->threads[i]);
    }
}

bool eval_run(struct ptx_module *m, const char *name, const struct eval_launch *l, char *why, size_t n)
{
    struct eval e = { .m = m, .l = l, .why = why, .nwhy = n };
    const struct ptx_func *kernel = ptx_find_func(m, name);
    e.threads = calloc(l->block, sizeof *e.threads);
    e.shared = calloc(1, SHARED_MAX + 64);
    if (!kernel)
        fail(&e, "no kernel %s", name);
    else
        place_globals(&e);
    for (e.ctaid = 0; e.ctaid < l->grid && !e.failed; e.ctaid++)
        run_block(&e, kernel);
    for (struct ptx_var *v = m->vars; v && kernel; v = v->next)
        if (v->space != SP_SHARED)
            free((void *)(uintptr_t)v->address);
    free(e.threads);
    free(e.shared);
    return !e.failed;
}
