/*
 * Arithmetic on f16, f16x2, bf16 and bf16x2 (PTX ISA 9.7.4): widened to f32, computed, narrowed with the effect of one
 * rounding. f32 has enough bits that rounding a sum or product twice equals rounding it once; fma rounds to odd in
 * between. A packed register is 64 halves. A NaN result is 0x7fff. The modifiers are uniform constants from d->imm.
 */
#include "ptx/lanes/half.h"

#include "ptx/lanes/approx.h"
#include "ptx/lanes/fminmax.h"

/* a * b + c rounded to odd in f32: the product is exact in f64; the error of the sum has its rounding direction. */
static inline float fma_odd(float a, float b, float c)
{
    double p = (double)a * (double)b, z = c, s = p + z, t = s - p;
    double error = (p - (s - t)) + (z - t);
    uint64_t u = f64_bits(s), down = (error > 0.0) != (s > 0.0);
    uint64_t odd = (u - down) | 1;
    return f64_to_f32_odd(f64_of(error > 0.0 || error < 0.0 ? odd : u));
}

/* The effect of the modifiers on operands and results. */
struct half_modes { uint16_t flush, negative_zero, nan; float low, high; };

static inline struct half_modes modes_of(const struct dinst *d)
{
    bool sat = d->imm & HALF_SAT, clip = d->imm & (HALF_SAT | HALF_RELU);
    return (struct half_modes){
        .flush = d->imm & HALF_FTZ ? 0x8000 : 0xffff,
        .negative_zero = clip ? 0 : 0x8000,
        .nan = sat ? 0 : 0x7fff,
        .low = clip ? 0.0f : -__builtin_inff(),
        .high = sat ? 1.0f : __builtin_inff(),
    };
}

static inline uint16_t flush_half(uint16_t h, uint16_t exponent, struct half_modes m)
{
    return h & exponent ? h : h & m.flush;
}

static inline float clip_half(float r, struct half_modes m)
{
    r = r < m.low ? m.low : r;
    return r > m.high ? m.high : r;
}

static inline uint16_t finish_half(uint16_t h, uint16_t exponent, struct half_modes m)
{
    h = flush_half(h, exponent, m);
    h = h == 0x8000 ? m.negative_zero : h;
    return h == 0x7fff ? m.nan : h;
}

enum { EXP_f16 = 0x7c00, EXP_bf16 = 0x7f80 };
#define WIDEN(fmt, h) fmt##_to_f32(flush_half(h, EXP_##fmt, m))

#define HALF_KERNEL(name, fmt, N, na, nb, nc, expr)                                           \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        KERNEL_HEAD(name, uint16_t, N);                                                       \
        const uint16_t *A = src_of(x, d, na), *B = src_of(x, d, nb), *C = src_of(x, d, nc);   \
        struct half_modes m = modes_of(d);                                                    \
        SIMD for (int i = 0; i < (N); i++) {                                                  \
            float a = WIDEN(fmt, A[i]), b = WIDEN(fmt, B[i]), c = WIDEN(fmt, C[i]);           \
            (void)b, (void)c;                                                                 \
            D[i] = finish_half(f32_to_##fmt(clip_half((expr), m)), EXP_##fmt, m);             \
        }                                                                                     \
        return 0;                                                                             \
    }
#define HALF_OPERANDS1 0, 0, 0
#define HALF_OPERANDS2 0, 1, 1
#define HALF_OPERANDS3 0, 1, 2
#define HALF_FORMATS(X, ...)                                                                  \
    X(F16, f16, LANES, __VA_ARGS__) X(F16X2, f16, 2 * LANES, __VA_ARGS__)                     \
    X(BF16, bf16, LANES, __VA_ARGS__) X(BF16X2, bf16, 2 * LANES, __VA_ARGS__)
#define HALF_EXPAND(...) HALF_KERNEL(__VA_ARGS__)
#define HALF_ONE(T, fmt, N, n, op, expr) HALF_EXPAND(op##_##T, fmt, N, HALF_OPERANDS##n, expr)

/* min and max: the modifiers are uniform too, so that one kernel serves all of them. */
#define HALF_MINMAX_ONE(T, fmt, N, op, f)                                                     \
    static int op##_##T(struct lanes *x, const struct dinst *d)                               \
    {                                                                                         \
        KERNEL_HEAD(op##_##T, uint16_t, N);                                                   \
        const uint16_t *A = src_of(x, d, 0), *B = src_of(x, d, 1);                            \
        struct half_modes m = modes_of(d);                                                    \
        uint32_t xs = d->imm & HALF_XORSIGN ? 0x80000000u : 0, nan = d->imm & HALF_NAN ? ~0u : 0;      \
        SIMD for (int i = 0; i < (N); i++) {                                                  \
            float a = WIDEN(fmt, A[i]), b = WIDEN(fmt, B[i]);                                 \
            uint32_t sign = (f32_bits(a) ^ f32_bits(b)) & xs;                                 \
            float r = f(f32_of(f32_bits(a) & ~xs), f32_of(f32_bits(b) & ~xs));                \
            uint32_t bad = (a != a || b != b ? 0x7fffffffu : 0) & nan;                        \
            D[i] = finish_half(f32_to_##fmt(f32_of(f32_bits(r) | sign | bad)), EXP_##fmt, m); \
        }                                                                                     \
        return 0;                                                                             \
    }
#define HALF_BIT_ONE(T, fmt, N, op, expr)                                                     \
    static int op##_##T(struct lanes *x, const struct dinst *d)                               \
    {                                                                                         \
        KERNEL_HEAD(op##_##T, uint16_t, N);                                                   \
        const uint16_t *A = src_of(x, d, 0);                                                  \
        struct half_modes m = modes_of(d);                                                    \
        SIMD for (int i = 0; i < (N); i++) {                                                  \
            uint16_t a = flush_half(A[i], EXP_##fmt, m);                                      \
            D[i] = (uint16_t)(expr);                                                          \
        }                                                                                     \
        return 0;                                                                             \
    }

#define HALF(n, op, expr) HALF_FORMATS(HALF_ONE, n, op, expr)
#define HALF_MINMAX(op, f) HALF_FORMATS(HALF_MINMAX_ONE, op, f)
#define HALF_BIT(op, expr) HALF_FORMATS(HALF_BIT_ONE, op, expr)
#include "ptx/isa/ops.def"

ptx_fn *NAME(select_half)(uint64_t key)
{
    switch (key) {
#define HALF_CASE(T, fmt, N, op) case KEY(OP_##op, T_##T, 0, NOSEL, K_0): return op##_##T;
#define HALF(n, op, expr) HALF_FORMATS(HALF_CASE, op)
#define HALF_MINMAX(op, f) HALF_FORMATS(HALF_CASE, op)
#define HALF_BIT(op, expr) HALF_FORMATS(HALF_CASE, op)
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
