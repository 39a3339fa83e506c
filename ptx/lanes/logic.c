/*
 * Bitwise logic, shifts, permutes, selection, moves, packing and address conversion (PTX ISA 9.7.7 to
 * 9.7.9).
 */
#include "ptx/lanes/kernel.h"

/* Byte of b:a that a selector nibble names; bit 3 replicates its sign. */
static inline uint32_t permute_byte(uint64_t ba, uint32_t sel)
{
    uint32_t byte = (uint32_t)(ba >> 8 * (sel & 7)) & 255;
    return sel & 8 ? (byte & 128 ? 255 : 0) : byte;
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t ba = (uint64_t)b << 32 | a;
    return permute_byte(ba, c) | permute_byte(ba, c >> 4) << 8 | permute_byte(ba, c >> 8) << 16 |
           permute_byte(ba, c >> 12) << 24;
}

/* Bytes of b:a by number, lowest result byte first. */
static inline uint32_t pick4(uint32_t a, uint32_t b, uint32_t n0, uint32_t n1, uint32_t n2, uint32_t n3)
{
    return permute(a, b, n0 | n1 << 4 | n2 << 8 | n3 << 12);
}

/*
 * d->imm: the truth table. Its eight bits become masks, and three levels of bitwise choice pick among them.
 */
static int lop3(struct lanes *x, const struct dinst *d)
{
    KERNEL_HEAD(lop3, uint32_t, LANES);
    const uint32_t *A = src_of(x, d, 0), *B = src_of(x, d, 1), *C = src_of(x, d, 2);
    uint32_t t[8];
    for (int i = 0; i < 8; i++)
        t[i] = d->imm >> i & 1 ? ~0u : 0;
    SIMD for (int i = 0; i < LANES; i++) {
        uint32_t a = A[i], b = B[i], c = C[i];
        uint32_t c0 = t[0] ^ ((t[0] ^ t[1]) & c), c1 = t[2] ^ ((t[2] ^ t[3]) & c);
        uint32_t c2 = t[4] ^ ((t[4] ^ t[5]) & c), c3 = t[6] ^ ((t[6] ^ t[7]) & c);
        uint32_t b0 = c0 ^ ((c0 ^ c1) & b), b1 = c2 ^ ((c2 ^ c3) & b);
        D[i] = b0 ^ ((b0 ^ b1) & a);
    }
    return 0;
}

/* lop3.and, lop3.or: dst2 = (result is not zero) and/or the predicate src[3]. */
static int lop3_pred(struct lanes *x, const struct dinst *d)
{
    const uint32_t *D = dst_of(x, d);
    int32_t t[LANES] __attribute__((aligned(64)));
    lop3(x, d);
    SIMD for (int i = 0; i < LANES; i++)
        t[i] = D[i] ? -1 : 0;
    uint32_t p = pack32(t), q = get_pred(x, d->src[3]) ^ (d->imm & LOP3_NOT ? ALL_LANES : 0);
    if (d->imm & LOP3_PAIR)
        put_pred(x, d->dst2, d->imm & LOP3_OR ? p | q : p & q);
    return 0;
}

/* d->extra is a struct lanes_window; without one a space starts at generic address 0. */
static inline uint64_t window_base(const struct dinst *d)
{
    const struct lanes_window *w = d->extra;
    return w ? w->base : 0;
}

#define CVTA_KERNEL(name, T)                                                                  \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const T *A = src_of(x, d, 0), add = (T)(d->imm ? -window_base(d) : window_base(d));   \
        KERNEL_LOOP(name, T, LANES, T a = A[i], a + add);                                     \
    }
CVTA_KERNEL(cvta32, uint32_t)
CVTA_KERNEL(cvta64, uint64_t)

static int mov128(struct lanes *x, const struct dinst *d)
{
    KERNEL_HEAD(mov128, uint64_t, 2 * LANES);
    copy_lanes(D, src_of(x, d, 0), 2 * LANES * sizeof *D);
    return 0;
}

/*
 * Packing: element j of {..} holds bits from j * width. Sources are src[0..n-1], destinations the operands in
 * d->extra. A destination may be the packed source itself or another element, so results are computed first.
 */
#define PACK_KERNEL(T, E, n)                                                                  \
    static int pack_##T##_##E(struct lanes *x, const struct dinst *d)                         \
    {                                                                                         \
        KERNEL_HEAD(pack_##T##_##E, c_##T, LANES);                                            \
        enum { W = 8 * T##_BYTES / (n) };                                                     \
        const c_##E *A = src_of(x, d, 0), *B = src_of(x, d, 1);                               \
        const c_##E *C = src_of(x, d, (n) > 2 ? 2 : 0), *E = src_of(x, d, (n) > 2 ? 3 : 0);   \
        SIMD for (int i = 0; i < LANES; i++) {                                                \
            uint64_t v = (A[i] & E##_MASK) | (uint64_t)(B[i] & E##_MASK) << W;                \
            if ((n) > 2)                                                                      \
                v |= (uint64_t)(C[i] & E##_MASK) << (2 * W & 63) |                            \
                     (uint64_t)(E[i] & E##_MASK) << (3 * W & 63);                             \
            D[i] = (c_##T)v;                                                                  \
        }                                                                                     \
        return 0;                                                                             \
    }                                                                                         \
    static int unpack_##T##_##E(struct lanes *x, const struct dinst *d)                       \
    {                                                                                         \
        enum { W = 8 * T##_BYTES / (n) };                                                     \
        const operand *to = d->extra;                                                         \
        c_##T A[LANES] __attribute__((aligned(64)));                                          \
        c_##E t[LANES] __attribute__((aligned(64)));                                          \
        copy_lanes(A, src_of(x, d, 0), sizeof A);                                             \
        for (int j = 0; j < (n); j++) {                                                       \
            SIMD for (int i = 0; i < LANES; i++)                                              \
                t[i] = (c_##E)((A[i] >> W * j) & E##_MASK);                                   \
            store_##E(x, to[j], t);                                                           \
        }                                                                                     \
        return 0;                                                                             \
    }
enum { B16_BYTES = 2, B32_BYTES = 4, B64_BYTES = 8 };
#define B8_MASK 0xffu
#define B16_MASK 0xffffu
#define B32_MASK 0xffffffffu

static inline void store_B16(struct lanes *x, operand o, const uint16_t *t)
{
    uint16_t *D = lanes_at(x, o);
    select16(D, t, D, x->mask);
}
#define store_B8 store_B16

static inline void store_B32(struct lanes *x, operand o, const uint32_t *t)
{
    uint32_t *D = lanes_at(x, o);
    select32(D, t, D, x->mask);
}

static inline void store_B64(struct lanes *x, operand o, const uint64_t *t)
{
    uint64_t *D = lanes_at(x, o);
    select64(D, t, D, x->mask);
}

static int pack128_64(struct lanes *x, const struct dinst *d)
{
    KERNEL_HEAD(pack128_64, uint64_t, 2 * LANES);
    uint64_t t[2 * LANES] __attribute__((aligned(64)));
    copy_lanes(t, src_of(x, d, 0), sizeof t / 2);
    copy_lanes(t + LANES, src_of(x, d, 1), sizeof t / 2);
    copy_lanes(D, t, sizeof t);
    return 0;
}

static int pack128_32(struct lanes *x, const struct dinst *d)
{
    KERNEL_HEAD(pack128_32, uint64_t, 2 * LANES);
    const uint32_t *A = src_of(x, d, 0), *B = src_of(x, d, 1), *C = src_of(x, d, 2), *E = src_of(x, d, 3);
    SIMD for (int i = 0; i < LANES; i++) {
        D[i] = A[i] | (uint64_t)B[i] << 32;
        D[LANES + i] = C[i] | (uint64_t)E[i] << 32;
    }
    return 0;
}

static int unpack128_64(struct lanes *x, const struct dinst *d)
{
    const operand *to = d->extra;
    uint64_t t[2 * LANES] __attribute__((aligned(64)));
    copy_lanes(t, src_of(x, d, 0), sizeof t);
    store_B64(x, to[0], t);
    store_B64(x, to[1], t + LANES);
    return 0;
}

static int unpack128_32(struct lanes *x, const struct dinst *d)
{
    const operand *to = d->extra;
    uint64_t t[2 * LANES] __attribute__((aligned(64)));
    uint32_t part[LANES] __attribute__((aligned(64)));
    copy_lanes(t, src_of(x, d, 0), sizeof t);
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < LANES; i++)
            part[i] = (uint32_t)(t[j / 2 * LANES + i] >> 32 * (j & 1));
        store_B32(x, to[j], part);
    }
    return 0;
}

#define PRED_KERNEL(op, nb, expr)                                                             \
    static int op##_PRED(struct lanes *x, const struct dinst *d)                              \
    {                                                                                         \
        uint32_t a = get_pred(x, d->src[0]), b = get_pred(x, d->src[nb]);                     \
        (void)b;                                                                              \
        put_pred(x, d->dst, (expr));                                                          \
        return 0;                                                                             \
    }

#define SELECT_KERNEL(op, bits)                                                               \
    static int op##_B##bits(struct lanes *x, const struct dinst *d)                           \
    {                                                                                         \
        KERNEL_HEAD(op##_B##bits, uint##bits##_t, LANES);                                     \
        uint32_t m = get_pred(x, d->src[2]) ^ (d->imm ? ALL_LANES : 0);                       \
        select##bits(D, src_of(x, d, 0), src_of(x, d, 1), m);                                 \
        return 0;                                                                             \
    }

#define PRED1(op, expr) PRED_KERNEL(op, 0, expr)
#define PRED2(op, expr) PRED_KERNEL(op, 1, expr)
#define BIT1(op, bits, expr) KERNEL1(op##_B##bits, c_B##bits, c_B##bits, LANES, expr)
#define BIT2(op, bits, expr) KERNEL2(op##_B##bits, c_B##bits, c_B##bits, c_B##bits, LANES, expr)
#define BIT3(op, sel, fl, expr)                                                               \
    KERNEL3(op##_##sel##_##fl, uint32_t, uint32_t, uint32_t, uint32_t, LANES, expr)
#define SHIFT(op, T, expr) KERNEL2(op##_##T, c_##T, c_##T, uint32_t, LANES, expr)
#define SELECT(op, bits) SELECT_KERNEL(op, bits)
#define SLCT3(bits, TC, fl, cond)                                                             \
    KERNEL3(SLCT_B##bits##_##TC##_##fl, c_B##bits, c_B##bits, c_B##bits, c_##TC, LANES, (cond) ? a : b)
#define PACK(T, E, n) PACK_KERNEL(T, E, n)
#include "ptx/isa/ops.def"

ptx_fn *NAME(select_logic)(uint64_t key)
{
    switch (key) {
#define PRED1(op, expr) case KEY(OP_##op, T_PRED, 0, NOSEL, K_0): return op##_PRED;
#define PRED2(op, expr) PRED1(op, expr)
#define BIT1(op, bits, expr) case KEY(OP_##op, T_B##bits, 0, NOSEL, K_0): return op##_B##bits;
#define BIT2(op, bits, expr) BIT1(op, bits, expr)
#define BIT3(op, sel, fl, expr) case KEY(OP_##op, T_B32, 0, sel, fl): return op##_##sel##_##fl;
#define SHIFT(op, T, expr) case KEY(OP_##op, T_##T, 0, NOSEL, K_0): return op##_##T;
#define SELECT(op, bits) BIT1(op, bits, 0)
#define SLCT3(bits, TC, fl, cond)                                                             \
    case KEY(OP_SLCT, T_B##bits, T_##TC, NOSEL, fl): return SLCT_B##bits##_##TC##_##fl;
#define PACK(T, E, n)                                                                         \
    case KEY(OP_MOV, T_##T, T_##E, NOSEL, K_PACK): return pack_##T##_##E;                     \
    case KEY(OP_MOV, T_##T, T_##E, NOSEL, K_UNPACK): return unpack_##T##_##E;
#define LOGIC_FN(op, t1, t2, sel, fl, fn) case KEY(OP_##op, T_##t1, t2, sel, fl): return fn;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}

/* Width changes of registers, for operands narrower or wider than the instruction's type. */
#define RESIZE(from, to, TF, TT) KERNEL1(resize_##TF##_##TT, TT, TF, LANES, a)
#define RESIZES(X)                                                                            \
    X(2, 4, uint16_t, uint32_t, false) X(2, 4, int16_t, int32_t, true)                        \
    X(2, 8, uint16_t, uint64_t, false) X(2, 8, int16_t, int64_t, true)                        \
    X(4, 8, uint32_t, uint64_t, false) X(4, 8, int32_t, int64_t, true)                        \
    X(4, 2, uint32_t, uint16_t, false) X(8, 2, uint64_t, uint16_t, false) X(8, 4, uint64_t, uint32_t, false)
#define X(from, to, TF, TT, sign) RESIZE(from, to, TF, TT)
RESIZES(X)
#undef X

ptx_fn *NAME(pick_resize)(int from, int to, bool sign)
{
    if (from == to)
        return from == 2 ? MOV_B16 : from == 4 ? MOV_B32 : from == 8 ? MOV_B64 : NULL;
#define X(f, t, TF, TT, s)                                                                    \
    if (from == (f) && to == (t) && ((s) == sign || (t) < (f)))                               \
        return resize_##TF##_##TT;
    RESIZES(X)
#undef X
    return NULL;
}
