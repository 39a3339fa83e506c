/*
 * Comparisons (PTX ISA 9.7.6): setp, set, testp. A comparison gives the mask of lanes where it holds; setp combines and
 * stores it, set converts it to numbers. Halves are widened to f32, exactly, before the comparison.
 */
#include "ptx/lanes/half.h"
#include "ptx/lanes/kernel.h"

/* p = holds bool c, q = !holds bool c */
static inline int finish(struct lanes *x, const struct dinst *d, uint32_t holds)
{
    uint32_t p = holds, q = ~holds;
    if (__builtin_expect(!d->imm, 1)) {
        put_pred(x, d->dst, p);
        return 0;
    }
    if (d->imm & ~(int64_t)PRED_PAIR) {
        uint32_t c = get_pred(x, d->src[2]) ^ (d->imm & PRED_NOT ? ALL_LANES : 0);
        if (d->imm & PRED_AND)
            p &= c, q &= c;
        else if (d->imm & PRED_OR)
            p |= c, q |= c;
        else
            p ^= c, q ^= c;
    }
    put_pred(x, d->dst, p);
    if (d->imm & PRED_PAIR)
        put_pred(x, d->dst2, q);
    return 0;
}

#define HOLDS(name, T, bits, LOAD, expr)                                                      \
    static inline uint32_t name##_mask(const T *A, const T *B)                                \
    {                                                                                         \
        int##bits##_t t[LANES] __attribute__((aligned(64)));                                  \
        SIMD for (int i = 0; i < LANES; i++) {                                                \
            T a = LOAD(A[i]), b = LOAD(B[i]);                                                 \
            (void)b;                                                                          \
            t[i] = (expr) ? -1 : 0;                                                           \
        }                                                                                     \
        return pack##bits(t);                                                                 \
    }

/* The same by vector instructions whose result is a mask: `how` is their operand for the comparison. */
#define HOLDS_BY(name, T, bits, load, compare, how)                                           \
    static inline uint32_t name##_mask(const T *A, const T *B)                                \
    {                                                                                         \
        enum { AT_ONCE = 512 / bits };                                                        \
        uint32_t m = 0;                                                                       \
        for (int i = 0; i < LANES; i += AT_ONCE)                                              \
            m |= (uint32_t)compare(load(A + i), load(B + i), how) << i;                       \
        return m;                                                                             \
    }
#if defined __AVX512DQ__
enum { INT_EQ = _MM_CMPINT_EQ, INT_NE = _MM_CMPINT_NE, INT_LT = _MM_CMPINT_LT, INT_LE = _MM_CMPINT_LE,
       INT_GT = _MM_CMPINT_NLE, INT_GE = _MM_CMPINT_NLT };
enum { FLOAT_EQ = _CMP_EQ_OQ, FLOAT_NE = _CMP_NEQ_OQ, FLOAT_LT = _CMP_LT_OQ, FLOAT_LE = _CMP_LE_OQ,
       FLOAT_GT = _CMP_GT_OQ, FLOAT_GE = _CMP_GE_OQ, FLOAT_EQU = _CMP_EQ_UQ, FLOAT_NEU = _CMP_NEQ_UQ,
       FLOAT_LTU = _CMP_NGE_UQ, FLOAT_LEU = _CMP_NGT_UQ, FLOAT_GTU = _CMP_NLE_UQ, FLOAT_GEU = _CMP_NLT_UQ,
       FLOAT_NUM = _CMP_ORD_Q, FLOAT_NAN = _CMP_UNORD_Q };
#define HOLDS_INT(name, T, bits, sign, expr, how) \
    HOLDS_BY(name, T, bits, _mm512_load_si512, _mm512_cmp_ep##sign##bits##_mask, how)
#define HOLDS_F32(name, expr, how) HOLDS_BY(name, float, 32, _mm512_load_ps, _mm512_cmp_ps_mask, how)
#define HOLDS_F64(name, expr, how) HOLDS_BY(name, double, 64, _mm512_load_pd, _mm512_cmp_pd_mask, how)
#else
#define HOLDS_INT(name, T, bits, sign, expr, how) HOLDS(name, T, bits, AS_IS, expr)
#define HOLDS_F32(name, expr, how) HOLDS(name, float, 32, AS_IS, expr)
#define HOLDS_F64(name, expr, how) HOLDS(name, double, 64, AS_IS, expr)
#endif

#define COMPARE(name)                                                                         \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        return finish(x, d, name##_mask(src_of(x, d, 0), src_of(x, d, 1)));                   \
    }                                                                                         \
    static int name##_raw(struct lanes *x, const struct dinst *d)                             \
    {                                                                                         \
        return (int)name##_mask(src_of(x, d, 0), src_of(x, d, 1));                            \
    }
#define AS_IS(v) (v)
#define TEST(name, T, bits, expr)                                                             \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        const T *A = src_of(x, d, 0);                                                         \
        int##bits##_t t[LANES] __attribute__((aligned(64)));                                  \
        SIMD for (int i = 0; i < LANES; i++) {                                                \
            T a = A[i] & ~((T)1 << (bits - 1));                                               \
            t[i] = (expr) ? -1 : 0;                                                           \
        }                                                                                     \
        put_pred(x, d->dst, pack##bits(t));                                                   \
        return 0;                                                                             \
    }

#define CMP_BITS(cmp, expr)                                                                   \
    HOLDS(cmp##_B16, uint16_t, 16, AS_IS, expr) COMPARE(cmp##_B16)                            \
    HOLDS_INT(cmp##_B32, uint32_t, 32, u, expr, INT_##cmp) COMPARE(cmp##_B32)                 \
    HOLDS_INT(cmp##_B64, uint64_t, 64, u, expr, INT_##cmp) COMPARE(cmp##_B64)
#define CMP_ORDER(cmp, expr)                                                                  \
    HOLDS(cmp##_U16, uint16_t, 16, AS_IS, expr) COMPARE(cmp##_U16)                            \
    HOLDS_INT(cmp##_U32, uint32_t, 32, u, expr, INT_##cmp) COMPARE(cmp##_U32)                 \
    HOLDS_INT(cmp##_U64, uint64_t, 64, u, expr, INT_##cmp) COMPARE(cmp##_U64)                 \
    HOLDS(cmp##_S16, int16_t, 16, AS_IS, expr) COMPARE(cmp##_S16)                             \
    HOLDS_INT(cmp##_S32, int32_t, 32, i, expr, INT_##cmp) COMPARE(cmp##_S32)                  \
    HOLDS_INT(cmp##_S64, int64_t, 64, i, expr, INT_##cmp) COMPARE(cmp##_S64)
#define CMP_FLOAT(cmp, expr)                                                                  \
    HOLDS_F32(cmp##_F32, expr, FLOAT_##cmp) COMPARE(cmp##_F32)                                \
    HOLDS(cmp##_F32_ftz, float, 32, flush32, expr) COMPARE(cmp##_F32_ftz)                     \
    HOLDS_F64(cmp##_F64, expr, FLOAT_##cmp) COMPARE(cmp##_F64)
#define TEST32(word, expr) TEST(testp_##word##_F32, uint32_t, 32, expr)
#define TEST64(word, expr) TEST(testp_##word##_F64, uint64_t, 64, expr)
#include "ptx/isa/ops.def"

/*
 * Halves: widened by the function for the type, compared by d->rounded, an f32 comparison. For packed types
 * the result is two masks, of the low and the high halves.
 */
struct half_masks { uint32_t low, high; };

static uint32_t compare_wide(const struct dinst *d, float *A, float *B)
{
    struct lanes y = { .base = { (char *)A, (char *)B }, .mask = ALL_LANES };
    struct dinst t = { .src = { 0, OPERAND_CONST } };
    return (uint32_t)d->rounded(&y, &t);
}

static inline struct half_masks compare_halves(struct lanes *x, const struct dinst *d, int n, bool bf)
{
    float A[2 * LANES] __attribute__((aligned(64))), B[2 * LANES] __attribute__((aligned(64)));
    const uint16_t *a = src_of(x, d, 0), *b = src_of(x, d, 1);
    struct half_masks m = { 0, 0 };
    int step = n / LANES;
    for (int i = 0; i < n; i++) {
        int to = i % step * LANES + i / step;
        A[to] = bf ? bf16_to_f32(a[i]) : f16_to_f32(a[i]);
        B[to] = bf ? bf16_to_f32(b[i]) : f16_to_f32(b[i]);
    }
    m.low = compare_wide(d, A, B);
    if (step == 2)
        m.high = compare_wide(d, A + LANES, B + LANES);
    return m;
}

static inline void flush_halves(uint16_t *t, const uint16_t *s, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = s[i] & 0x7c00 ? s[i] : s[i] & 0x8000;
}

/* .ftz of f16: flush copies of the sources, then compare those. */
static inline struct half_masks compare_flushed(struct lanes *x, const struct dinst *d, int n, bool bf)
{
    if (!(d->imm & CMP_HALF_FTZ))
        return compare_halves(x, d, n, bf);
    uint16_t A[2 * LANES] __attribute__((aligned(64))), B[2 * LANES] __attribute__((aligned(64)));
    flush_halves(A, src_of(x, d, 0), n);
    flush_halves(B, src_of(x, d, 1), n);
    struct lanes y = { .base = { (char *)A, (char *)B } };
    struct dinst t = { .rounded = d->rounded, .src = { 0, OPERAND_CONST } };
    return compare_halves(&y, &t, n, bf);
}

static inline uint32_t combine(struct lanes *x, const struct dinst *d, uint32_t m)
{
    uint32_t c = get_pred(x, d->src[2]) ^ (d->imm & PRED_NOT ? ALL_LANES : 0);
    return d->imm & PRED_AND ? m & c : d->imm & PRED_OR ? m | c : d->imm & PRED_XOR ? m ^ c : m;
}

#define SETP_HALF(name, n, bf)                                                                \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        struct half_masks m = compare_flushed(x, d, n, bf);                                   \
        if ((n) == LANES)                                                                     \
            m.high = ~m.low;                                                                  \
        bool boolean = d->imm & (PRED_AND | PRED_OR | PRED_XOR);                              \
        uint32_t p = boolean ? combine(x, d, m.low) : m.low, q = boolean ? combine(x, d, m.high) : m.high;  \
        put_pred(x, d->dst, p);                                                               \
        if (d->imm & PRED_PAIR)                                                               \
            put_pred(x, d->dst2, q);                                                          \
        return 0;                                                                             \
    }
SETP_HALF(setp_f16, LANES, false)
SETP_HALF(setp_f16x2, 2 * LANES, false)
SETP_HALF(setp_bf16, LANES, true)
SETP_HALF(setp_bf16x2, 2 * LANES, true)

/* set: the comparison is d->rounded; d->size is the bytes and d->imm >> 32 the bits of "true". */
static inline void put_numbers(struct lanes *x, const struct dinst *d, struct half_masks m, bool pair)
{
    uint32_t yes = (uint32_t)((uint64_t)d->imm >> 32);
    if (d->imm & (PRED_AND | PRED_OR | PRED_XOR)) {
        m.low = combine(x, d, m.low);
        m.high = combine(x, d, m.high);
    }
    for (int i = 0; i < LANES; i++) {
        if (!(x->mask >> i & 1))
            continue;
        uint32_t v = m.low >> i & 1 ? yes : 0;
        if (pair)
            v = (v & 0xffff) | (m.high >> i & 1 ? yes & 0xffff0000u : 0);
        if (d->size == 2)
            ((uint16_t *)dst_of(x, d))[i] = (uint16_t)v;
        else
            ((uint32_t *)dst_of(x, d))[i] = v;
    }
}

static int set_any(struct lanes *x, const struct dinst *d)
{
    struct half_masks m = { (uint32_t)d->rounded(x, d), 0 };
    put_numbers(x, d, m, false);
    return 0;
}

#define SET_HALF(name, n, bf)                                                                 \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        put_numbers(x, d, compare_flushed(x, d, n, bf), (n) > LANES);                         \
        return 0;                                                                             \
    }
SET_HALF(set_f16, LANES, false)
SET_HALF(set_f16x2, 2 * LANES, false)
SET_HALF(set_bf16, LANES, true)
SET_HALF(set_bf16x2, 2 * LANES, true)

/* Comparisons for OP_SETP, their raw masks under K_RAW, and set by source type. */
ptx_fn *NAME(select_cmp)(uint64_t key)
{
    switch (key) {
#define CASE(cmp, T, name)                                                                    \
    case KEY(OP_SETP, T, 0, CMP_##cmp, K_0): return name;                                     \
    case KEY(OP_SETP, T, 0, CMP_##cmp, K_RAW): return name##_raw;
#define CMP_BITS(cmp, expr)                                                                   \
    CASE(cmp, T_B16, cmp##_B16) CASE(cmp, T_U16, cmp##_B16) CASE(cmp, T_S16, cmp##_B16)       \
    CASE(cmp, T_B32, cmp##_B32) CASE(cmp, T_U32, cmp##_B32) CASE(cmp, T_S32, cmp##_B32)       \
    CASE(cmp, T_B64, cmp##_B64) CASE(cmp, T_U64, cmp##_B64) CASE(cmp, T_S64, cmp##_B64)
#define CMP_ORDER(cmp, expr)                                                                  \
    CASE(cmp, T_U16, cmp##_U16) CASE(cmp, T_U32, cmp##_U32) CASE(cmp, T_U64, cmp##_U64)       \
    CASE(cmp, T_S16, cmp##_S16) CASE(cmp, T_S32, cmp##_S32) CASE(cmp, T_S64, cmp##_S64)
#define CMP_FLOAT(cmp, expr)                                                                  \
    CASE(cmp, T_F32, cmp##_F32) CASE(cmp, T_F64, cmp##_F64)                                   \
    case KEY(OP_SETP, T_F32, 0, CMP_##cmp, K_FTZ): return cmp##_F32_ftz;                      \
    case KEY(OP_SETP, T_F32, 0, CMP_##cmp, K_RAW | K_FTZ): return cmp##_F32_ftz_raw;
#define CMP_FN(op, type, fn) case KEY(OP_##op, T_##type, 0, NOSEL, K_0): return fn;
#define TEST32(word, expr) case KEY(OP_TESTP, T_F32, 0, TESTP_##word, K_0): return testp_##word##_F32;
#define TEST64(word, expr) case KEY(OP_TESTP, T_F64, 0, TESTP_##word, K_0): return testp_##word##_F64;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
