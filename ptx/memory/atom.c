/*
 * Atomic operations (PTX ISA 9.7.12.9 and .10): for each lane in ascending order a read, the operation, and a write.
 * OPS has a row for each operation and type. While blocks run on several host threads the write is a compare-and-swap
 * of the host. A vector (atom.v4.f32) is one such operation per element; 128 bits have a function of their own.
 */
#include <string.h>

#include "ptx/exec/exec.h"
#include "ptx/lanes/fminmax.h"
#include "ptx/lanes/half.h"
#include "ptx/memory/mem_table.h"

static float atom_f32(uint64_t bits)
{
    uint32_t w = (uint32_t)bits;
    float f;
    memcpy(&f, &w, sizeof f);
    return f;
}

static uint64_t atom_bits32(float f)
{
    uint32_t w;
    memcpy(&w, &f, sizeof w);
    return f != f ? 0x7fffffff : w;
}

static double atom_f64(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t atom_bits64(double v)
{
    uint64_t w;
    memcpy(&w, &v, sizeof w);
    return w;
}

/* add.f32 on global memory flushes subnormal numbers, on shared memory it does not. */
static uint64_t add_f32(uint64_t old, uint64_t b, bool global)
{
    float x = atom_f32(old), y = atom_f32(b);
    return atom_bits32(global ? flush32(flush32(x) + flush32(y)) : x + y);
}

/* A NaN result is the first NaN operand, quieted, as in add.f64. */
static uint64_t add_f64(uint64_t old, uint64_t b)
{
    double x = atom_f64(old), y = atom_f64(b), r = x + y;
    if (r == r)
        return atom_bits64(r);
    return x != x ? old | 1ull << 51 : y != y ? b | 1ull << 51 : 0xfff8000000000000ull;
}

static uint64_t add_f16(uint64_t old, uint64_t b)
{
    return f32_to_f16(f16_to_f32((uint16_t)old) + f16_to_f32((uint16_t)b));
}

static uint64_t add_bf16(uint64_t old, uint64_t b)
{
    return f32_to_bf16(bf16_to_f32((uint16_t)old) + bf16_to_f32((uint16_t)b));
}

#define HALF_MIN_MAX(op, f)                                                                                 \
    static uint64_t op##_f16(uint64_t old, uint64_t b)                                                      \
    {                                                                                                       \
        return f32_to_f16(f(f16_to_f32((uint16_t)old), f16_to_f32((uint16_t)b)));                           \
    }                                                                                                       \
    static uint64_t op##_bf16(uint64_t old, uint64_t b)                                                     \
    {                                                                                                       \
        return f32_to_bf16(f(bf16_to_f32((uint16_t)old), bf16_to_f32((uint16_t)b)));                        \
    }
HALF_MIN_MAX(min, min32)
HALF_MIN_MAX(max, max32)

static uint64_t each_half(uint64_t (*op)(uint64_t, uint64_t), uint64_t old, uint64_t b)
{
    return op(old & 0xffff, b & 0xffff) | op(old >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
}

#define OPS(X)                                                                                              \
    X(AND, B32, old & b) X(AND, B64, old & b) X(OR, B32, old | b) X(OR, B64, old | b)                       \
    X(XOR, B32, old ^ b) X(XOR, B64, old ^ b) X(EXCH, B32, b) X(EXCH, B64, b)                               \
    X(CAS, B16, old == b ? c : old) X(CAS, B32, old == b ? c : old) X(CAS, B64, old == b ? c : old)         \
    X(ADD, U32, old + b) X(ADD, S32, old + b) X(ADD, U64, old + b) X(ADD, S64, old + b)                     \
    X(INC, U32, old >= b ? 0 : old + 1) X(DEC, U32, old == 0 || old > b ? b : old - 1)                      \
    X(MIN, U32, old < b ? old : b) X(MIN, S32, (int32_t)old < (int32_t)b ? old : b)                         \
    X(MIN, U64, old < b ? old : b) X(MIN, S64, (int64_t)old < (int64_t)b ? old : b)                         \
    X(MAX, U32, old > b ? old : b) X(MAX, S32, (int32_t)old > (int32_t)b ? old : b)                         \
    X(MAX, U64, old > b ? old : b) X(MAX, S64, (int64_t)old > (int64_t)b ? old : b)                         \
    X(ADD, F32, add_f32(old, b, global)) X(ADD, F64, add_f64(old, b))                                       \
    X(ADD, F16, add_f16(old, b)) X(ADD, BF16, add_bf16(old, b))                                             \
    X(ADD, F16X2, each_half(add_f16, old, b)) X(ADD, BF16X2, each_half(add_bf16, old, b))                   \
    X(MIN, F16, min_f16(old, b)) X(MIN, BF16, min_bf16(old, b))                                             \
    X(MIN, F16X2, each_half(min_f16, old, b)) X(MIN, BF16X2, each_half(min_bf16, old, b))                   \
    X(MAX, F16, max_f16(old, b)) X(MAX, BF16, max_bf16(old, b))                                             \
    X(MAX, F16X2, each_half(max_f16, old, b)) X(MAX, BF16X2, each_half(max_bf16, old, b))

static enum ptx_space space_of(const struct dinst *d)
{
    return (enum ptx_space)d->space;
}

static bool is_global(const struct dinst *d, uint64_t a)
{
    return d->space == SP_GLOBAL || (d->space == SP_GENERIC && !(a >> WINDOW_BITS));
}

/* Host address of one lane's access; most lanes find it in the instruction's bounds cache. */
static char *resolve(struct half *h, const struct dinst *d, uint64_t a, int lane)
{
    struct worker *k = h->worker;
    bool global = is_global(d, a);
    bool private = d->space == SP_GENERIC && a >> WINDOW_BITS == WINDOW_LOCAL >> WINDOW_BITS;
    if (private || a & (uint64_t)(d->size - 1))
        return NULL;
    if (global && a >= k->bounds[d->id].lo && a + d->size <= k->bounds[d->id].hi)
        return (char *)(uintptr_t)a;
    char *p = d->space == SP_SHARED ? mem_resolve_shared(h, d, a, lane, d->size)
                                    : mem_resolve(h, space_of(d), a, lane, d->size, true);
    const struct mem_range *m = p && global ? devmem_find(k->launch->mem, a) : NULL;
    if (m) {
        k->bounds[d->id].lo = m->lo;
        k->bounds[d->id].hi = m->hi;
    }
    return p;
}

/*
 * Read-modify-writes of memory type MT; operands are in registers of that type. Usually the addresses of all lanes are
 * checked at once (mem_inside), else one by one. With one host thread no other thread can come between.
 */
#define ATOMIC(OP, TYPE, MT, EXPR)                                                                          \
    static MT alone_##OP##_##TYPE(MT *p, uint64_t b, uint64_t c, bool global, MT *changed)                  \
    {                                                                                                       \
        MT was = *p;                                                                                        \
        uint64_t old = was;                                                                                 \
        (void)c, (void)old, (void)global;                                                                   \
        MT now = (MT)(EXPR);                                                                                \
        *p = now;                                                                                           \
        *changed |= now ^ was;                                                                              \
        return was;                                                                                         \
    }                                                                                                       \
    static MT among_##OP##_##TYPE(MT *p, uint64_t b, uint64_t c, bool global, MT *changed)                  \
    {                                                                                                       \
        MT now, seen = __atomic_load_n(p, __ATOMIC_RELAXED);                                                \
        do {                                                                                                \
            uint64_t old = seen;                                                                            \
            (void)c, (void)old, (void)global;                                                               \
            now = (MT)(EXPR);                                                                               \
        } while (!__atomic_compare_exchange_n(p, &seen, now, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));    \
        *changed = 1;                                                                                       \
        return seen;                                                                                        \
    }                                                                                                       \
    static int lanes_##OP##_##TYPE(struct lanes *x, const struct dinst *d)                                  \
    {                                                                                                       \
        struct half *h = half_of(x);                                                                        \
        const MT *bs = lanes_at(x, d->src[1]), *cs = lanes_at(x, d->src[2]);                                \
        MT *out = lanes_at(x, d->dst);                                                                      \
        MT changed = 0;                                                                                     \
        for (uint32_t m = x->mask; m; m &= m - 1) {                                                         \
            int i = __builtin_ctz(m);                                                                       \
            uint64_t a = mem_address(x, d, i);                                                               \
            bool global = is_global(d, a);                                                                  \
            MT *p = (MT *)(void *)resolve(h, d, a, i);                                                      \
            if (!p && fault_memory(h, d, i, a, d->size, true))                                              \
                return CONTROL_FAULT;                                                                       \
            if (!p) {                                                                                       \
                out[i] = 0;                                                                                 \
                continue;                                                                                   \
            }                                                                                               \
            out[i] = h->worker->parallel ? among_##OP##_##TYPE(p, bs[i], cs[i], global, &changed)           \
                                         : alone_##OP##_##TYPE(p, bs[i], cs[i], global, &changed);          \
        }                                                                                                   \
        h->worker->changes += changed != 0;                                                                 \
        return CONTROL_NEXT;                                                                                \
    }                                                                                                       \
    static int run_##OP##_##TYPE(struct lanes *x, const struct dinst *d)                                    \
    {                                                                                                       \
        struct half *h = half_of(x);                                                                        \
        const MT *bs = lanes_at(x, d->src[1]), *cs = lanes_at(x, d->src[2]);                                \
        MT *out = lanes_at(x, d->dst);                                                                      \
        struct mem_access a;                                                                                \
        MT changed = 0;                                                                                     \
        uint32_t mask = x->mask;                                                                            \
        bool global = d->space != SP_SHARED;                                                                \
        if (h->worker->parallel || !mem_inside[h->worker->launch->program->isa](x, d, &a))                  \
            return lanes_##OP##_##TYPE(x, d);                                                               \
        for (int i = 0; mask == UINT32_MAX && i < LANES; i++)                                               \
            out[i] = alone_##OP##_##TYPE((MT *)(a.host + a.addr[i]), bs[i], cs[i], global, &changed);       \
        for (uint32_t m = mask == UINT32_MAX ? 0 : mask; m; m &= m - 1) {                                   \
            int i = __builtin_ctz(m);                                                                       \
            out[i] = alone_##OP##_##TYPE((MT *)(a.host + a.addr[i]), bs[i], cs[i], global, &changed);       \
        }                                                                                                   \
        h->worker->changes += changed != 0;                                                                 \
        return CONTROL_NEXT;                                                                                \
    }

#define MT_B16 uint16_t
#define MT_F16 uint16_t
#define MT_BF16 uint16_t
#define MT_B32 uint32_t
#define MT_U32 uint32_t
#define MT_S32 uint32_t
#define MT_F32 uint32_t
#define MT_F16X2 uint32_t
#define MT_BF16X2 uint32_t
#define MT_B64 uint64_t
#define MT_U64 uint64_t
#define MT_S64 uint64_t
#define MT_F64 uint64_t
#define DEFINE(OP, TYPE, EXPR) ATOMIC(OP, TYPE, MT_##TYPE, EXPR)
OPS(DEFINE)

static const struct { uint8_t op, type; ptx_fn *fn; } rows[] = {
#define ROW(OP, TYPE, EXPR) { MOD(ATOM, OP), T_##TYPE, run_##OP##_##TYPE },
    OPS(ROW)
#undef ROW
};

/* Operations on bits accept any type of the width (atom.exch.u32 in old PTX). */
static enum ptx_type bits_type(enum ptx_type t)
{
    return ptx_type_size(t) == 2 ? T_B16 : ptx_type_size(t) == 4 ? T_B32 : T_B64;
}

/* ---- 128 bits: exch and cas ---- */

__extension__ typedef unsigned __int128 wide;

static wide wide_at(const uint64_t *halves, int lane)
{
    return (wide)halves[LANES + lane] << 64 | halves[lane];
}

/* Compare-and-swap of *p from `seen` to `now`; returns the old value. */
static wide wide_swap(wide *p, wide seen, wide now)
{
    return __sync_val_compare_and_swap(p, seen, now);
}

static int run_wide(struct lanes *x, const struct dinst *d)
{
    struct half *h = half_of(x);
    const uint64_t *bs = lanes_at(x, d->src[1]), *cs = lanes_at(x, d->src[2]);
    uint64_t *out = lanes_at(x, d->dst);
    bool cas = d->in->mod[PG_ATOM] == MOD(ATOM, CAS);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t a = mem_address(x, d, i);
        wide *p = (wide *)(void *)resolve(h, d, a, i);
        if (!p && fault_memory(h, d, i, a, d->size, true))
            return CONTROL_FAULT;
        if (!p) {
            out[i] = out[LANES + i] = 0;
            continue;
        }
        wide was, now;
        do {
            was = h->worker->parallel ? wide_swap(p, 0, 0) : *p;
            now = cas ? (was == wide_at(bs, i) ? wide_at(cs, i) : was) : wide_at(bs, i);
        } while (h->worker->parallel && wide_swap(p, was, now) != was);
        if (!h->worker->parallel)
            *p = now;
        h->worker->changes += now != was;
        out[i] = (uint64_t)was;
        out[LANES + i] = (uint64_t)(was >> 64);
    }
    return CONTROL_NEXT;
}

/* ---- vectors: d->extra lists the elements; results go to d->dst2 first: their registers may be sources ---- */

static int run_elements(struct lanes *x, const struct dinst *d)
{
    const struct atom_vector *v = d->extra;
    for (unsigned e = 0; e < d->vec; e++) {
        struct dinst one = *d;
        one.imm += (int64_t)e * d->size;
        one.src[1] = v->value[e];
        one.dst = d->dst2 + e * d->size * LANES;
        int r = d->rounded(x, &one);
        if (r)
            return r;
    }
    for (unsigned e = 0; e < d->vec && v->result; e++)
        for (uint32_t m = x->mask; m; m &= m - 1) {
            size_t i = (size_t)__builtin_ctz(m) * d->size;
            const char *from = lanes_at(x, d->dst2 + e * d->size * LANES);
            memcpy((char *)lanes_at(x, v->result[e]) + i, from + i, d->size);
        }
    return CONTROL_NEXT;
}

/* Sets the lanes with an element outside, whose access as a whole is tolerated. */
static int elements_outside(struct lanes *x, const struct dinst *d, uint32_t *outside)
{
    struct half *h = half_of(x);
    for (unsigned e = 0; e < d->vec; e++)
        for (uint32_t m = x->mask & ~*outside; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            uint64_t a = mem_address(x, d, i) + e * d->size;
            if (resolve(h, d, a, i))
                continue;
            if (fault_memory(h, d, i, a, d->size, true))
                return CONTROL_FAULT;
            *outside |= m & -m;
        }
    return CONTROL_NEXT;
}

static int run_vector(struct lanes *x, const struct dinst *d)
{
    unsigned bytes = (unsigned)d->size * d->vec;
    uint32_t all = x->mask, outside = 0;
    for (uint32_t m = all; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t a = mem_address(x, d, i);
        if (a & (bytes - 1))
            return fault_memory(half_of(x), d, i, a, bytes, true);
    }
    if (half_of(x)->worker->launch->check[CHECK_MEMORY] != CHECK_FAULT && elements_outside(x, d, &outside))
        return CONTROL_FAULT;
    x->mask = all & ~outside;
    int r = x->mask ? run_elements(x, d) : CONTROL_NEXT;
    x->mask = all;
    mem_clear_results(x, d, outside);
    return r;
}

ptx_fn *atom_select(const struct ptx_inst *in, struct dinst *d)
{
    d->id = (uint16_t)(d->id % (BOUNDS_CACHE / 2) + BOUNDS_CACHE / 2);
    if (in->type[0] == T_B128)
        return run_wide;
    for (int round = 0; round < 2; round++) {
        enum ptx_type t = round ? bits_type((enum ptx_type)in->type[0]) : (enum ptx_type)in->type[0];
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].op == in->mod[PG_ATOM] && rows[i].type == t) {
                d->rounded = rows[i].fn;
                return in->mod[PG_VEC] ? run_vector : rows[i].fn;
            }
    }
    return NULL;
}
