/*
 * f32 and f64 arithmetic (PTX ISA 9.7.3). An f32 NaN result is 0x7fffffff. An f64 NaN result is the first
 * NaN operand with its quiet bit set, or 0xfff8000000000000 when no operand is a NaN. .ftz flushes
 * subnormal operands and results to zeros of their sign, .sat clamps to [+0, 1] and turns NaN into +0.
 * For other rounding than to nearest the caller sets the host processor's mode, so operations here are those of the
 * host processor.
 */
#include "ptx/lanes/approx.h"
#include "ptx/lanes/fminmax.h"

static inline float canon(float r) { return r != r ? f32_of(0x7fffffff) : r; }

static inline float saturate(float r)
{
    r = r > 0.0f ? r : 0.0f;
    return r < 1.0f ? r : 1.0f;
}

static inline double nan64_2(double r, double a, double b)
{
    uint64_t n = a != a ? f64_bits(a) : b != b ? f64_bits(b) : 0xfff8000000000000u;
    return r != r ? f64_of(n | 0x0008000000000000u) : r;
}

static inline double nan64_1(double r, double a) { return nan64_2(r, a, a); }

static inline double nan64_3(double r, double a, double b, double c)
{
    uint64_t n = a != a ? f64_bits(a) : b != b ? f64_bits(b) : c != c ? f64_bits(c) : 0xfff8000000000000u;
    return r != r ? f64_of(n | 0x0008000000000000u) : r;
}

/* The formula of a row as a function of one to three operands, then kernels around it. */
#define FORMULA1(T, name, expr) static inline T name(T a) { return (expr); }
#define FORMULA2(T, name, expr) static inline T name(T a, T b) { return (expr); }
#define FORMULA3(T, name, expr) static inline T name(T a, T b, T c) { return (expr); }
#define PLAIN1(f) f(a)
#define PLAIN2(f) f(a, b)
#define PLAIN3(f) f(a, b, c)
#define FLUSHED1(f) f(flush32(a))
#define FLUSHED2(f) f(flush32(a), flush32(b))
#define FLUSHED3(f) f(flush32(a), flush32(b), flush32(c))
#define NAN64_1(f) nan64_1(f(a), a)
#define NAN64_2(f) nan64_2(f(a, b), a, b)
#define NAN64_3(f) nan64_3(f(a, b, c), a, b, c)
#define KERNEL_T1(name, T, expr) KERNEL1(name, T, T, LANES, expr)
#define KERNEL_T2(name, T, expr) KERNEL2(name, T, T, T, LANES, expr)
#define KERNEL_T3(name, T, expr) KERNEL3(name, T, T, T, T, LANES, expr)

#define FLT32(n, op, fl, expr)                                                                \
    FORMULA##n(float, op##_f32_##fl, expr)                                                    \
    KERNEL_T##n(op##_F32_##fl, float, canon(PLAIN##n(op##_f32_##fl)))                         \
    KERNEL_T##n(op##_F32_##fl##_ftz, float, flush32(canon(FLUSHED##n(op##_f32_##fl))))
#define FLT32S(n, op, fl, expr)                                                               \
    FLT32(n, op, fl, expr)                                                                    \
    KERNEL_T##n(op##_F32_##fl##_sat, float, saturate(PLAIN##n(op##_f32_##fl)))                \
    KERNEL_T##n(op##_F32_##fl##_ftzsat, float, saturate(flush32(FLUSHED##n(op##_f32_##fl))))
#define FLT64(n, op, fl, expr)                                                                \
    FORMULA##n(double, op##_f64_##fl, expr)                                                   \
    KERNEL_T##n(op##_F64_##fl, double, NAN64_##n(op##_f64_##fl))
#define FBIT32(n, op, expr)                                                                   \
    FORMULA##n(uint32_t, op##_b32, expr)                                                      \
    KERNEL_T##n(op##_F32_bits, uint32_t, PLAIN##n(op##_b32))                                  \
    KERNEL_T##n(op##_F32_bits_ftz, float, f32_of(op##_b32(FLUSHED_BITS##n)))
#define FLUSHED_BITS1 f32_bits(flush32(a))
#define FLUSHED_BITS2 f32_bits(flush32(a)), f32_bits(flush32(b))
#define FBIT64(n, op, expr)                                                                   \
    FORMULA##n(uint64_t, op##_b64, expr)                                                      \
    KERNEL_T##n(op##_F64_bits, uint64_t, PLAIN##n(op##_b64))
#include "ptx/isa/ops.def"

ptx_fn *NAME(select_float)(uint64_t key)
{
    switch (key) {
#define FLT32(n, op, fl, expr)                                                                \
    case KEY(OP_##op, T_F32, 0, NOSEL, fl): return op##_F32_##fl;                             \
    case KEY(OP_##op, T_F32, 0, NOSEL, (fl) | K_FTZ): return op##_F32_##fl##_ftz;
#define FLT32S(n, op, fl, expr)                                                               \
    FLT32(n, op, fl, expr)                                                                    \
    case KEY(OP_##op, T_F32, 0, NOSEL, (fl) | K_SAT): return op##_F32_##fl##_sat;             \
    case KEY(OP_##op, T_F32, 0, NOSEL, (fl) | K_SAT | K_FTZ): return op##_F32_##fl##_ftzsat;
#define FLT64(n, op, fl, expr) case KEY(OP_##op, T_F64, 0, NOSEL, fl): return op##_F64_##fl;
#define FBIT32(n, op, expr)                                                                   \
    case KEY(OP_##op, T_F32, 0, NOSEL, K_0): return op##_F32_bits;                            \
    case KEY(OP_##op, T_F32, 0, NOSEL, K_FTZ): return op##_F32_bits_ftz;
#define FBIT64(n, op, expr) case KEY(OP_##op, T_F64, 0, NOSEL, K_0): return op##_F64_bits;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
