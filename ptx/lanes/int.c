/*
 * Integer arithmetic, extended-precision carries, bit fields and counts (PTX ISA 9.7.1, 9.7.2) on 32 lanes.
 */
#include "ptx/lanes/kernel.h"

static inline uint16_t mulhi_U16(uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b >> 16); }
static inline int16_t mulhi_S16(int16_t a, int16_t b) { return (int16_t)((int32_t)a * b >> 16); }
static inline uint32_t mulhi_U32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static inline int32_t mulhi_S32(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b >> 32); }
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;
static inline uint64_t mulhi_U64(uint64_t a, uint64_t b) { return (uint64_t)((u128)a * b >> 64); }
static inline int64_t mulhi_S64(int64_t a, int64_t b) { return (int64_t)((s128)a * b >> 64); }

static inline int32_t add_sat(int32_t a, int32_t b)
{
    int32_t r = a + b;
    return ((a ^ r) & (b ^ r)) < 0 ? (a >> 31) ^ 0x7fffffff : r;
}

static inline int32_t sub_sat(int32_t a, int32_t b)
{
    int32_t r = a - b;
    return ((a ^ b) & (a ^ r)) < 0 ? (a >> 31) ^ 0x7fffffff : r;
}

static inline int32_t relu(int32_t a) { return a > 0 ? a : 0; }
static inline uint32_t low24_U32(uint32_t a) { return a & 0xffffff; }
static inline int32_t low24_S32(int32_t a) { return a << 8 >> 8; }

/*
 * 32-bit division through doubles, which vectorise: a quotient of integers below 2^32 that is not whole is
 * further from the next whole number than the rounding of the double, so that truncating the double
 * quotient is exact.
 */
static inline uint32_t div_U32(uint32_t a, uint32_t b)
{
    const double two52 = 0x1p52;
    double x = f64_of(0x4330000000000000u | a) - two52, y = f64_of(0x4330000000000000u | b) - two52;
    double q = x / y, n = (q + two52) - two52;
    n = n > q ? n - 1 : n;
    return b ? (uint32_t)f64_bits(n + two52) : ~0u;
}

static inline int32_t div_S32(int32_t a, int32_t b)
{
    uint32_t q = div_U32((uint32_t)(a < 0 ? -a : a), (uint32_t)(b < 0 ? -b : b));
    return b == 0 ? -1 : (a ^ b) < 0 ? (int32_t)-q : (int32_t)q;
}

static inline uint32_t rem_U32(uint32_t a, uint32_t b) { return b ? a - div_U32(a, b) * b : ~0u; }
static inline int32_t rem_S32(int32_t a, int32_t b) { return b ? a - div_S32(a, b) * b : -1; }

static inline uint32_t popc32(uint32_t a)
{
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    a += a >> 8;
    return (a + (a >> 16)) & 63;
}

static inline uint32_t popc64(uint64_t a) { return popc32((uint32_t)a) + popc32((uint32_t)(a >> 32)); }

static inline uint32_t clz32(uint32_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    a |= a >> 16;
    return popc32(~a);
}

static inline uint32_t clz64(uint64_t a)
{
    uint32_t hi = (uint32_t)(a >> 32);
    return hi ? clz32(hi) : 32 + clz32((uint32_t)a);
}

static inline uint32_t brev32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}

static inline uint64_t brev64(uint64_t a)
{
    return (uint64_t)brev32((uint32_t)a) << 32 | brev32((uint32_t)(a >> 32));
}

/*
 * Bit fields: pos and len are at most 255. A signed field takes its sign from its highest bit, or from bit
 * 31 (63) when it reaches past the top.
 */
#define BIT_FIELDS(bits)                                                                      \
    static inline uint##bits##_t low##bits(uint32_t n)                                        \
    {                                                                                         \
        return n >= bits ? (uint##bits##_t)-1 : ((uint##bits##_t)1 << n) - 1;                 \
    }                                                                                         \
    static inline uint##bits##_t bfe_U##bits(uint##bits##_t a, uint32_t pos, uint32_t len)    \
    {                                                                                         \
        return pos >= bits ? 0 : (a >> pos) & low##bits(len);                                 \
    }                                                                                         \
    static inline int##bits##_t bfe_S##bits(int##bits##_t a, uint32_t pos, uint32_t len)      \
    {                                                                                         \
        uint32_t top = pos + len - 1 > bits - 1 ? bits - 1 : pos + len - 1;                   \
        uint32_t up = bits - 1 - top, down = up + pos > bits - 1 ? bits - 1 : up + pos;       \
        return len ? (int##bits##_t)((uint##bits##_t)a << up) >> down : 0;                    \
    }                                                                                         \
    static inline uint##bits##_t bfi##bits(uint##bits##_t a, uint##bits##_t b, uint32_t pos,  \
        uint32_t len)                                                                         \
    {                                                                                         \
        uint##bits##_t m = pos >= bits ? 0 : low##bits(len) << pos;                           \
        return (b & ~m) | ((a << (pos & (bits - 1))) & m);                                    \
    }
BIT_FIELDS(32)
BIT_FIELDS(64)

/* The low n (0 to 32) bits, extended. */
static inline uint32_t ext_U32(uint32_t a, uint32_t n) { return a & low32(n); }
static inline int32_t ext_S32(int32_t a, uint32_t n)
{
    return n ? (int32_t)((uint32_t)a << ((32 - n) & 31)) >> ((32 - n) & 31) : 0;
}

static inline uint32_t bmsk(uint32_t pos, uint32_t len)
{
    return pos > 31 ? 0 : low32(len) << pos;
}

/*
 * Find n-th set: from bit `base` upwards (n > 0) or downwards (n < 0), the bit itself counts; n = 0: is it
 * set?
 */
static inline uint32_t fns(uint32_t mask, uint32_t base, int32_t n)
{
    int32_t pos = (int32_t)(base & 31), step = n < 0 ? -1 : 1;
    uint32_t left = n < 0 ? -(uint32_t)n : (uint32_t)n;
    if (n == 0)
        return mask >> pos & 1 ? (uint32_t)pos : ~0u;
    for (; pos >= 0 && pos < 32; pos += step)
        if ((mask >> pos & 1) && --left == 0)
            return (uint32_t)pos;
    return ~0u;
}

#define PART(T, v, shift) ((int32_t)(T)((v) >> (shift)))
#define dp4a(TA, TB)                                                                          \
    c + (uint32_t)(PART(TA, a, 0) * PART(TB, b, 0) + PART(TA, a, 8) * PART(TB, b, 8) +        \
                   PART(TA, a, 16) * PART(TB, b, 16) + PART(TA, a, 24) * PART(TB, b, 24))
#define dp2a(TA, TB, half)                                                                    \
    c + (uint32_t)(PART(TA, a, 0) * PART(TB, b, half) + PART(TA, a, 16) * PART(TB, b, (half) + 8))

/* Carry kernels: k is the carry in, r the result, COUT the carry out; only .cc forms write CC. */
#define CARRY_KERNEL(name, bits, nc, fl, R, COUT)                                             \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        KERNEL_HEAD(name, uint##bits##_t, LANES);                                             \
        const uint##bits##_t *A = src_of(x, d, 0), *B = src_of(x, d, 1), *C = src_of(x, d, nc);        \
        int##bits##_t t[LANES] __attribute__((aligned(64)));                                  \
        uint32_t cc = x->cc;                                                                  \
        SIMD for (int i = 0; i < LANES; i++) {                                                \
            uint##bits##_t a = A[i], b = B[i], c = C[i], k = (cc & lane_bit##bits[i]) != 0, r = (R);   \
            (void)a, (void)b, (void)c, (void)k;                                               \
            D[i] = r;                                                                         \
            t[i] = (COUT) ? -1 : 0;                                                           \
        }                                                                                     \
        if ((fl) & K_CC)                                                                      \
            x->cc = pack##bits(t);                                                            \
        return 0;                                                                             \
    }

#define INT1(op, TD, TA, sel, fl, expr) KERNEL1(op##_##TA##_##sel##_##fl, c_##TD, c_##TA, LANES, expr)
#define INT2(op, TD, TA, sel, fl, expr) KERNEL2(op##_##TA##_##sel##_##fl, c_##TD, c_##TA, c_##TA, LANES, expr)
#define INT3(op, TD, TA, sel, fl, expr)                                                       \
    KERNEL3(op##_##TA##_##sel##_##fl, c_##TD, c_##TA, c_##TA, c_##TD, LANES, expr)
#define INT2N(op, bits, sel, fl, expr) INT2(op, U##bits, U##bits, sel, fl, expr)
#define INT3N(op, bits, sel, fl, expr) INT3(op, U##bits, U##bits, sel, fl, expr)
#define INT4(op, T, expr) KERNEL4(op##_##T, c_##T, c_##T, c_##T, uint32_t, uint32_t, LANES, expr)
#define INT_UU(op, T, expr) KERNEL3(op##_##T, c_##T, c_##T, uint32_t, uint32_t, LANES, expr)
#define PACKED2(op, T, TE, sel, fl, expr)                                                     \
    KERNEL2(op##_##T##_##sel##_##fl, c_##TE, c_##TE, c_##TE, 2 * LANES, expr)
#define DOT(op, TA, TB, sel, expr)                                                            \
    KERNEL3(op##_##TA##_##TB##_##sel, uint32_t, uint32_t, uint32_t, uint32_t, LANES, expr)
#define CARRY2N(op, bits, fl, r, cout) CARRY_KERNEL(op##_##bits##_##fl, bits, 1, fl, r, cout)
#define CARRY3N(op, bits, sel, fl, r, cout) CARRY_KERNEL(op##_##bits##_##sel##_##fl, bits, 2, fl, r, cout)
#define CARRY3(op, T, bits, sel, fl, r, cout) CARRY_KERNEL(op##_##T##_##sel##_##fl##_, bits, 2, fl, r, cout)
#include "ptx/isa/ops.def"

ptx_fn *NAME(select_int)(uint64_t key)
{
    switch (key) {
#define INT1(op, TD, TA, sel, fl, expr)                                                       \
    case KEY(OP_##op, T_##TA, 0, sel, fl): return op##_##TA##_##sel##_##fl;
#define INT2(op, TD, TA, sel, fl, expr) INT1(op, TD, TA, sel, fl, expr)
#define INT3(op, TD, TA, sel, fl, expr) INT1(op, TD, TA, sel, fl, expr)
#define BOTH_SIGNS(op, bits, sel, fl)                                                         \
    case KEY(OP_##op, T_S##bits, 0, sel, fl): case KEY(OP_##op, T_U##bits, 0, sel, fl):
#define INT2N(op, bits, sel, fl, expr) BOTH_SIGNS(op, bits, sel, fl) return op##_U##bits##_##sel##_##fl;
#define INT3N(op, bits, sel, fl, expr) INT2N(op, bits, sel, fl, expr)
#define INT4(op, T, expr) case KEY(OP_##op, T_##T, 0, NOSEL, K_0): return op##_##T;
#define INT_UU(op, T, expr) INT4(op, T, expr)
#define PACKED2(op, T, TE, sel, fl, expr) INT1(op, T, T, sel, fl, expr)
#define DOT(op, TA, TB, sel, expr)                                                            \
    case KEY(OP_##op, T_##TA, T_##TB, sel, K_0): return op##_##TA##_##TB##_##sel;
#define CARRY2N(op, bits, fl, r, cout) BOTH_SIGNS(op, bits, NOSEL, fl) return op##_##bits##_##fl;
#define CARRY3N(op, bits, sel, fl, r, cout) BOTH_SIGNS(op, bits, sel, fl) return op##_##bits##_##sel##_##fl;
#define CARRY3(op, T, bits, sel, fl, r, cout)                                                 \
    case KEY(OP_##op, T_##T, 0, sel, fl): return op##_##T##_##sel##_##fl##_;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
