/*
 * Conversions (PTX ISA 9.7.9.21). Frequent ones are vector kernels; every other format and rounding uses exact integer
 * code (soft.h). Float to integer saturates; a NaN becomes 0, or, from f64 or into 64 bits, the integer whose highest
 * bit alone is set, as on hardware. A NaN that widens to f64 keeps its payload, quieted; any other float result that is
 * a NaN is canonical.
 */
#include "ptx/lanes/approx.h"
#include "ptx/lanes/half.h"
#include "ptx/lanes/soft.h"

/* The value of a source register as its type, and a result as its type stores it (8 bits live in 16). */
#define VAL_U8(a) ((uint8_t)(a))
#define VAL_S8(a) ((int8_t)(a))
#define VAL_U16(a) (a)
#define VAL_S16(a) (a)
#define VAL_U32(a) (a)
#define VAL_S32(a) (a)
#define VAL_U64(a) (a)
#define VAL_S64(a) (a)
#define CUT_U8(v) ((uint8_t)(v))
#define CUT_S8(v) ((int8_t)(v))
#define CUT_U16(v) (v)
#define CUT_S16(v) (v)
#define CUT_U32(v) (v)
#define CUT_S32(v) (v)
#define CUT_U64(v) (v)
#define CUT_S64(v) (v)

/* X(type, wide type of its signedness, least, greatest) */
#define INT_RANGES(X)                                                                         \
    X(U8, 0, UINT8_MAX) X(S8, INT8_MIN, INT8_MAX) X(U16, 0, UINT16_MAX) X(S16, INT16_MIN, INT16_MAX)   \
    X(U32, 0, UINT32_MAX) X(S32, INT32_MIN, INT32_MAX) X(S64, INT64_MIN, INT64_MAX)
#define X(T, lo, hi)                                                                          \
    static inline c_##T sat_s_##T(int64_t v) { return (c_##T)(v < (lo) ? (lo) : v > (hi) ? (hi) : v); }    \
    static inline c_##T sat_u_##T(uint64_t v) { return (c_##T)(v > (uint64_t)(hi) ? (uint64_t)(hi) : v); }
INT_RANGES(X)
#undef X
static inline uint64_t sat_s_U64(int64_t v) { return v < 0 ? 0 : (uint64_t)v; }
static inline uint64_t sat_u_U64(uint64_t v) { return v; }
#define SAT_FROM_U8 sat_u_
#define SAT_FROM_U16 sat_u_
#define SAT_FROM_U32 sat_u_
#define SAT_FROM_U64 sat_u_
#define SAT_FROM_S8 sat_s_
#define SAT_FROM_S16 sat_s_
#define SAT_FROM_S32 sat_s_
#define SAT_FROM_S64 sat_s_
#define PASTE_(a, b) a##b
#define SATURATE(prefix, TD) PASTE_(prefix, TD)

/* Rounding to an integer in the same format: adding 2^23 (2^52) leaves no fraction. The sign is kept, also of 0. */
#define ROUNDINGS(T, bits, SIGN, LIMIT)                                                       \
    static inline T keep_sign##bits(T r, T a)                                                 \
    {                                                                                         \
        return f##bits##_of((f##bits##_bits(r) & ~(SIGN)) | (f##bits##_bits(a) & (SIGN)));    \
    }                                                                                         \
    static inline T RNI##bits(T a)                                                            \
    {                                                                                         \
        T m = f##bits##_of(f##bits##_bits(a) & ~(SIGN)), r = (m + (LIMIT)) - (LIMIT);         \
        return keep_sign##bits(m < (LIMIT) ? r : m, a);                                       \
    }                                                                                         \
    static inline T RZI##bits(T a)                                                            \
    {                                                                                         \
        T m = f##bits##_of(f##bits##_bits(a) & ~(SIGN)), r = RNI##bits(m);                    \
        return keep_sign##bits(r > m ? r - 1 : r, a);                                         \
    }                                                                                         \
    static inline T RMI##bits(T a) { T r = RNI##bits(a); return keep_sign##bits(r > a ? r - 1 : r, a); }   \
    static inline T RPI##bits(T a) { T r = RNI##bits(a); return keep_sign##bits(r < a ? r + 1 : r, a); }
ROUNDINGS(float, 32, 0x80000000u, 0x1p23f)
ROUNDINGS(double, 64, 0x8000000000000000u, 0x1p52)

/* A float to an integer type: clamped, so that the cast, which truncates, has a value that fits. */
#define TO_INT(T, V, lo, beyond, max, nan, nan64)                                             \
    static inline c_##T to_##T##_F32(float r)                                                 \
    {                                                                                         \
        V v = (V)(r >= (float)(lo) && r < (float)(beyond) ? r : 0.0f);                        \
        return (c_##T)(r >= (float)(beyond) ? (max) : r < (float)(lo) ? (V)(lo) : r != r ? (nan) : v);     \
    }                                                                                         \
    static inline c_##T to_##T##_F64(double r)                                                \
    {                                                                                         \
        V v = (V)(r >= (double)(lo) && r < (double)(beyond) ? r : 0.0);                       \
        return (c_##T)(r >= (double)(beyond) ? (max) : r < (double)(lo) ? (V)(lo) : r != r ? (nan64) : v); \
    }
TO_INT(U8, int32_t, 0, 256, 255, 0, 0x80)
TO_INT(S8, int32_t, -128, 128, 127, 0, -128)
TO_INT(U16, int32_t, 0, 65536, 65535, 0, 0x8000)
TO_INT(S16, int32_t, -32768, 32768, 32767, 0, -32768)
TO_INT(S32, int32_t, INT32_MIN, 0x1p31, INT32_MAX, 0, INT32_MIN)
TO_INT(U32, uint32_t, 0, 0x1p32, UINT32_MAX, 0, 0x80000000u)
TO_INT(S64, int64_t, INT64_MIN, 0x1p63, INT64_MAX, INT64_MIN, INT64_MIN)
TO_INT(U64, uint64_t, 0, 0x1p64, UINT64_MAX, 0x8000000000000000u, 0x8000000000000000u)

static inline float canon(float r) { return r != r ? f32_of(0x7fffffff) : r; }
static inline double quiet(double r) { return r != r ? f64_of(f64_bits(r) | 0x0008000000000000u) : r; }

static inline float saturate(float r)
{
    r = r > 0.0f ? r : 0.0f;
    return r < 1.0f ? r : 1.0f;
}

static inline double saturate64(double r)
{
    r = r > 0.0 ? r : 0.0;
    return r < 1.0 ? r : 1.0;
}

/* cvt.pack: a and b saturated, b in the lowest bits and a above it, then the low bits of c (none for 16 bits). */
static inline uint32_t pack_above(uint32_t low, uint32_t c, int bits)
{
    return bits < 32 ? low | c << (bits & 31) : low;
}
#define CVT_PACK_BITS(v, bits, lo, hi) \
    ((uint32_t)((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v)) & ((1u << (bits)) - 1))
#define CVT_PACK(T, bits, lo, hi)                                                             \
    KERNEL3(cvt_pack_##T, uint32_t, int32_t, int32_t, uint32_t, LANES,                        \
            pack_above(CVT_PACK_BITS(b, bits, lo, hi) | CVT_PACK_BITS(a, bits, lo, hi) << (bits), \
                       c, 2 * (bits)))
#define CVT1(TD, TA, sel, fl, expr) KERNEL1(cvt_##TD##_##TA##_##sel##_##fl, c_##TD, c_##TA, LANES, expr)
#define CVT_II(TD, TA)                                                                        \
    KERNEL1(cvt_##TD##_##TA, c_##TD, c_##TA, LANES, CUT_##TD(VAL_##TA(a)))                    \
    KERNEL1(cvt_sat_##TD##_##TA, c_##TD, c_##TA, LANES, SATURATE(SAT_FROM_##TA, TD)(VAL_##TA(a)))
#define CVT_FI(TD, TA) KERNEL1(cvt_##TD##_##TA, c_##TD, c_##TA, LANES, VAL_##TA(a))
#define CVT_IF(TA, TD)                                                                        \
    KERNEL1(cvt_rni_##TD##_##TA, c_##TD, c_##TA, LANES, to_##TD##_##TA(ROUND_##TA(RNI)(a)))   \
    KERNEL1(cvt_rzi_##TD##_##TA, c_##TD, c_##TA, LANES, to_##TD##_##TA(a))                    \
    KERNEL1(cvt_rmi_##TD##_##TA, c_##TD, c_##TA, LANES, to_##TD##_##TA(ROUND_##TA(RMI)(a)))   \
    KERNEL1(cvt_rpi_##TD##_##TA, c_##TD, c_##TA, LANES, to_##TD##_##TA(ROUND_##TA(RPI)(a)))
#define ROUND_F32(mode) mode##32
#define ROUND_F64(mode) mode##64
#include "ptx/isa/ops.def"

/* Conversions of f16, bf16, or f32 with subnormals flushed: the source becomes f32, which d->rounded converts. */
#define FROM_WIDENED(name, T, expr)                                                           \
    static int name(struct lanes *x, const struct dinst *d)                                   \
    {                                                                                         \
        float t[LANES] __attribute__((aligned(64)));                                          \
        const T *A = src_of(x, d, 0);                                                         \
        SIMD for (int i = 0; i < LANES; i++) {                                                \
            T a = A[i];                                                                       \
            t[i] = (expr);                                                                    \
        }                                                                                     \
        struct lanes y = *x;                                                                  \
        struct dinst inner = *d;                                                              \
        y.base[1] = (char *)t;                                                                \
        inner.src[0] = OPERAND_CONST;                                                         \
        return d->rounded(&y, &inner);                                                        \
    }
FROM_WIDENED(from_f16, uint16_t, f16_to_f32(a))
FROM_WIDENED(from_bf16, uint16_t, bf16_to_f32(a))
FROM_WIDENED(from_f32_flushed, float, flush32(a))

/* All other conversions: decode, apply the modifiers, encode. */
static const struct soft_format formats[T_COUNT] = {
    [T_F16] = { 10, 5, false }, [T_F16X2] = { 10, 5, false }, [T_BF16] = { 7, 8, false }, [T_BF16X2] = { 7, 8, false },
    [T_F32] = { 23, 8, false }, [T_F64] = { 52, 11, false }, [T_TF32] = { 10, 8, false },
    [T_E4M3X2] = { 3, 4, true }, [T_E5M2X2] = { 2, 5, false }
};

static struct soft read_soft(uint8_t type, const void *p, int i, bool ftz)
{
    int size = ptx_type_size(type);
    uint64_t u = size <= 2 ? ((const uint16_t *)p)[i] :
                 size == 4 ? ((const uint32_t *)p)[i] : ((const uint64_t *)p)[i];
    if (ptx_type_class(type) == 'f') {
        struct soft s = soft_decode(formats[type], u);
        if (ftz && type == T_F32 && !(u & 0x7f800000u))
            s.mant = 0;
        return s;
    }
    int spare = 64 - 8 * size;
    if (ptx_type_class(type) == 's') {
        int64_t v = (int64_t)(u << spare) >> spare;
        return soft_integer(v < 0, v < 0 ? -(uint64_t)v : (uint64_t)v);
    }
    return soft_integer(false, u << spare >> spare);
}

static uint64_t nan_of(uint8_t type)
{
    switch (type) {
    case T_F32: case T_TF32: return 0x7fffffff;
    case T_F64: return 0x7fffffffffffffff;
    case T_E4M3X2: case T_E5M2X2: return 0x7f;
    default: return 0x7fff;
    }
}

static uint64_t convert_soft(const struct ptx_inst *in, struct soft s)
{
    uint8_t type = in->type[0];
    struct soft_format f = formats[type];
    uint64_t inf = soft_top(f), bias = (1ull << (f.exp_bits - 1)) - 1;
    bool clip = in->mod[PG_SAT] || in->mod[PG_RELU];
    if (s.class == SOFT_NAN)
        return in->mod[PG_SAT] ? 0 : nan_of(type);
    if (clip && s.negative)
        return 0;
    uint64_t r = soft_encode(f, s, in->mod[PG_RND]);
    uint64_t sign = (uint64_t)s.negative << (f.mant_bits + f.exp_bits);
    if (in->mod[PG_SAT] && r > bias << f.mant_bits)
        r = bias << f.mant_bits;
    if (in->mod[PG_SATF] && (r & ~sign) == inf)
        r = sign | (inf - 1);
    if (in->mod[PG_FTZ] && type == T_F32 && !(r & inf))
        r &= sign;
    return type == T_TF32 ? r << 13 : r;
}

static int cvt_soft(struct lanes *x, const struct dinst *d)
{
    const struct ptx_inst *in = d->in;
    int size = ptx_type_size(in->type[0]);
    void *D = dst_of(x, d);
    for (uint32_t todo = x->mask; todo; todo &= todo - 1) {
        int i = __builtin_ctz(todo);
        uint64_t r = convert_soft(in, read_soft(in->type[1], src_of(x, d, 0), i, in->mod[PG_FTZ]));
        if (size == 2)
            ((uint16_t *)D)[i] = (uint16_t)r;
        else if (size == 4)
            ((uint32_t *)D)[i] = (uint32_t)r;
        else
            ((uint64_t *)D)[i] = r;
    }
    return 0;
}

/* One half of a packed source; of a pair of f32 sources the first is the high half. */
static struct soft read_part(const struct lanes *x, const struct dinst *d, int i, bool high)
{
    uint8_t type = d->in->type[1];
    if (type == T_F32)
        return read_soft(T_F32, src_of(x, d, !high), i, false);
    uint32_t u = ptx_type_size(type) == 4 ? ((const uint32_t *)src_of(x, d, 0))[i] :
        ((const uint16_t *)src_of(x, d, 0))[i];
    int bits = 4 * ptx_type_size(type);
    return soft_decode(formats[type], (high ? u >> bits : u) & ((1u << bits) - 1));
}

/* To a packed pair, from two f32 or from a packed pair. */
static int cvt_pair_soft(struct lanes *x, const struct dinst *d)
{
    const struct ptx_inst *in = d->in;
    int size = ptx_type_size(in->type[0]);
    void *D = dst_of(x, d);
    for (uint32_t todo = x->mask; todo; todo &= todo - 1) {
        int i = __builtin_ctz(todo);
        uint64_t high = convert_soft(in, read_part(x, d, i, true));
        uint64_t low = convert_soft(in, read_part(x, d, i, false));
        if (size == 4)
            ((uint32_t *)D)[i] = (uint32_t)(high << 16 | low);
        else
            ((uint16_t *)D)[i] = (uint16_t)(high << 8 | low);
    }
    return 0;
}
KERNEL2(cvt_pack_f16, uint32_t, float, float, LANES, (uint32_t)f32_to_f16(a) << 16 | f32_to_f16(b))
KERNEL2(cvt_pack_bf16, uint32_t, float, float, LANES, (uint32_t)f32_to_bf16(a) << 16 | f32_to_bf16(b))

ptx_fn *NAME(select_cvt)(uint64_t key)
{
    switch (key) {
#define CVT1(TD, TA, sel, fl, expr)                                                           \
    case KEY(OP_CVT, T_##TD, T_##TA, sel, fl): return cvt_##TD##_##TA##_##sel##_##fl;
#define CVT_II(TD, TA)                                                                        \
    case KEY(OP_CVT, T_##TD, T_##TA, NOSEL, K_0): return cvt_##TD##_##TA;                     \
    case KEY(OP_CVT, T_##TD, T_##TA, NOSEL, K_SAT): return cvt_sat_##TD##_##TA;
#define CVT_FI(TD, TA) case KEY(OP_CVT, T_##TD, T_##TA, NOSEL, K_0): return cvt_##TD##_##TA;
#define CVT_IF(TA, TD)                                                                        \
    case KEY(OP_CVT, T_##TD, T_##TA, RND_RNI, K_0): return cvt_rni_##TD##_##TA;               \
    case KEY(OP_CVT, T_##TD, T_##TA, RND_RZI, K_0): return cvt_rzi_##TD##_##TA;               \
    case KEY(OP_CVT, T_##TD, T_##TA, RND_RMI, K_0): return cvt_rmi_##TD##_##TA;               \
    case KEY(OP_CVT, T_##TD, T_##TA, RND_RPI, K_0): return cvt_rpi_##TD##_##TA;
#define CVT_PACK(T, bits, lo, hi) case KEY(OP_CVT, T_##T, T_S32, NOSEL, K_PACK): return cvt_pack_##T;
#define CVT_FN(TD, TA, fl, fn) case KEY(OP_CVT, T_##TD, T_##TA, NOSEL, fl): return fn;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
