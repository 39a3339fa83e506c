/* Eight-bit floating point: E4M3 (largest value 448, no infinity) and E5M2 (CUDA Math API, "FP8 Intrinsics"; Open
 * Compute Project, "8-bit Floating Point Specification"). Conversions round to nearest even; with __NV_SATFINITE
 * values beyond the largest become it, with __NV_NOSAT they become NaN (E4M3) or infinity (E5M2). */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace simtx_fp8
{
struct format {
    int mantissa, bias;              /* bits of the mantissa, bias of the exponent */
    unsigned char largest, beyond;   /* the largest finite value; the result of an overflow without saturation */
};
SIMTX_BOTH format of(__nv_fp8_interpretation_t f)
{
    return f == __NV_E4M3 ? format{3, 7, 0x7e, 0x7f} : format{2, 15, 0x7b, 0x7c};
}

/* One rounding, from the bits of a double: the significand is shifted to the format's last place, below the smallest
 * normal exponent further. A carry out of the mantissa is the next exponent. */
SIMTX_BOTH unsigned char from_d(double d, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    format f = of(kind);
    unsigned long long u;
    __builtin_memcpy(&u, &d, 8);
    unsigned char sign = (unsigned char)(u >> 56 & 0x80);
    int e = (int)(u >> 52 & 0x7ff) - 1023, least = 1 - f.bias;
    if (d != d)
        return 0x7f;
    if (e == 1024)
        return sign | (saturate == __NV_SATFINITE ? f.largest : f.beyond);
    if (e < least - f.mantissa - 1)
        return sign;
    unsigned long long m = (u & 0xfffffffffffffull) | 1ull << 52;
    int shift = 52 - f.mantissa + (e < least ? least - e : 0);
    unsigned long long r = m >> shift, rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    if (e >= least)
        r += (unsigned long long)(e - least) << f.mantissa;
    if (rest > half || (rest == half && (r & 1)))
        r++;
    if (r > f.largest)
        return sign | (saturate == __NV_SATFINITE ? f.largest : f.beyond);
    return sign | (unsigned char)r;
}

SIMTX_BOTH float to_f(unsigned char x, __nv_fp8_interpretation_t kind)
{
    format f = of(kind);
    int e = (x & 0x7f) >> f.mantissa, m = x & ((1 << f.mantissa) - 1);
    unsigned int sign = (unsigned int)(x & 0x80) << 24, bits;
    float value;
    if (kind == __NV_E4M3 ? (x & 0x7f) == 0x7f : (x & 0x7f) > 0x7c) {
        bits = 0x7fffffffu;
    } else if (kind == __NV_E5M2 && (x & 0x7f) == 0x7c) {
        bits = sign | 0x7f800000u;
    } else if (e) {
        bits = sign | (unsigned int)(e - f.bias + 127) << 23 | (unsigned int)m << (23 - f.mantissa);
    } else {
        unsigned int unit = (unsigned int)(1 - f.bias - f.mantissa + 127) << 23;
        __builtin_memcpy(&value, &unit, 4);
        value *= (float)m;
        return sign ? -value : value;
    }
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
} // namespace simtx_fp8

SIMTX_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t f)
{
    return simtx_fp8::from_d(x, saturate, f);
}
SIMTX_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t f)
{
    return simtx_fp8::from_d((double)x, saturate, f);
}
SIMTX_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t f)
{
    return __nv_cvt_float_to_fp8(simtx_half::to_f(x.x), saturate, f);
}
SIMTX_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t f)
{
    return __nv_cvt_float_to_fp8(simtx_bf16::to_f(x.x), saturate, f);
}
SIMTX_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t f)
{
    __half_raw r = {simtx_half::from_f(simtx_fp8::to_f(x, f))};
    return r;
}

/* Pairs: x in the low byte. */
#define SIMTX_PAIR(name, T_, convert)                                                                   \
    SIMTX_BOTH __nv_fp8x2_storage_t name(T_ v, __nv_saturation_t saturate, __nv_fp8_interpretation_t f) \
    {                                                                                                   \
        return (__nv_fp8x2_storage_t)(convert(v, x) | convert(v, y) << 8);                              \
    }
#define SIMTX_DOUBLE(v, member) __nv_cvt_double_to_fp8((double)v.member, saturate, f)
#define SIMTX_HALF(v, member) __nv_cvt_float_to_fp8(simtx_half::to_f(v.member), saturate, f)
#define SIMTX_BF16(v, member) __nv_cvt_float_to_fp8(simtx_bf16::to_f(v.member), saturate, f)
SIMTX_PAIR(__nv_cvt_double2_to_fp8x2, double2, SIMTX_DOUBLE)
SIMTX_PAIR(__nv_cvt_float2_to_fp8x2, float2, SIMTX_DOUBLE)
SIMTX_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, SIMTX_HALF)
SIMTX_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, SIMTX_BF16)
#undef SIMTX_PAIR
#undef SIMTX_DOUBLE
#undef SIMTX_HALF
#undef SIMTX_BF16
SIMTX_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t f)
{
    __half2_raw r = {__nv_cvt_fp8_to_halfraw((unsigned char)x, f).x,
                     __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), f).x};
    return r;
}

/* The classes: construction saturates, as the guide says; integers go through float. */
#define SIMTX_FP8(E_, KIND)                                                                                           \
    struct __nv_fp8_##E_ {                                                                                            \
        __nv_fp8_storage_t __x;                                                                                       \
        __nv_fp8_##E_() = default;                                                                                    \
        SIMTX_MEMBER explicit __nv_fp8_##E_(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, KIND)) {}       \
        SIMTX_MEMBER explicit __nv_fp8_##E_(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, KIND)) {}         \
        SIMTX_MEMBER explicit __nv_fp8_##E_(__half v) : __nv_fp8_##E_((float)v) {}                                    \
        SIMTX_MEMBER explicit __nv_fp8_##E_(__nv_bfloat16 v) : __nv_fp8_##E_((float)v) {}                             \
        SIMTX_MEMBER explicit __nv_fp8_##E_(int v) : __nv_fp8_##E_((double)v) {}                                      \
        SIMTX_MEMBER explicit __nv_fp8_##E_(unsigned int v) : __nv_fp8_##E_((double)v) {}                             \
        SIMTX_MEMBER explicit __nv_fp8_##E_(short v) : __nv_fp8_##E_((double)v) {}                                    \
        SIMTX_MEMBER explicit __nv_fp8_##E_(unsigned short v) : __nv_fp8_##E_((double)v) {}                           \
        SIMTX_MEMBER explicit __nv_fp8_##E_(long long v) : __nv_fp8_##E_((double)v) {}                                \
        SIMTX_MEMBER explicit __nv_fp8_##E_(unsigned long long v) : __nv_fp8_##E_((double)v) {}                       \
        SIMTX_MEMBER explicit operator float() const { return simtx_fp8::to_f(__x, KIND); }                           \
        SIMTX_MEMBER explicit operator double() const { return (double)simtx_fp8::to_f(__x, KIND); }                  \
        SIMTX_MEMBER explicit operator __half() const { return __half(simtx_fp8::to_f(__x, KIND)); }                  \
        SIMTX_MEMBER explicit operator __nv_bfloat16() const { return __nv_bfloat16(simtx_fp8::to_f(__x, KIND)); }    \
        SIMTX_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                                     \
        SIMTX_MEMBER explicit operator int() const { return (int)simtx_fp8::to_f(__x, KIND); }                        \
        SIMTX_MEMBER explicit operator unsigned int() const { return (unsigned int)simtx_fp8::to_f(__x, KIND); }      \
        SIMTX_MEMBER explicit operator char() const { return (char)simtx_fp8::to_f(__x, KIND); }                      \
        SIMTX_MEMBER explicit operator signed char() const { return (signed char)simtx_fp8::to_f(__x, KIND); }        \
        SIMTX_MEMBER explicit operator unsigned char() const { return (unsigned char)simtx_fp8::to_f(__x, KIND); }    \
        SIMTX_MEMBER explicit operator short() const { return (short)simtx_fp8::to_f(__x, KIND); }                    \
        SIMTX_MEMBER explicit operator unsigned short() const { return (unsigned short)simtx_fp8::to_f(__x, KIND); }  \
        SIMTX_MEMBER explicit operator long long() const { return (long long)simtx_fp8::to_f(__x, KIND); }            \
        SIMTX_MEMBER explicit operator unsigned long long() const                                                     \
        {                                                                                                             \
            return (unsigned long long)simtx_fp8::to_f(__x, KIND);                                                    \
        }                                                                                                             \
    };                                                                                                                \
    struct __attribute__((aligned(2))) __nv_fp8x2_##E_ {                                                              \
        __nv_fp8x2_storage_t __x;                                                                                     \
        __nv_fp8x2_##E_() = default;                                                                                  \
        SIMTX_MEMBER explicit __nv_fp8x2_##E_(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}   \
        SIMTX_MEMBER explicit __nv_fp8x2_##E_(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, KIND)) {} \
        SIMTX_MEMBER explicit __nv_fp8x2_##E_(__half2 v)                                                              \
            : __x(__nv_cvt_halfraw2_to_fp8x2(__half2_raw(v), __NV_SATFINITE, KIND))                                   \
        {                                                                                                             \
        }                                                                                                             \
        SIMTX_MEMBER explicit __nv_fp8x2_##E_(__nv_bfloat162 v)                                                       \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw(v), __NV_SATFINITE, KIND))                        \
        {                                                                                                             \
        }                                                                                                             \
        SIMTX_MEMBER explicit operator float2() const                                                                 \
        {                                                                                                             \
            return make_float2(simtx_fp8::to_f((unsigned char)__x, KIND),                                             \
                               simtx_fp8::to_f((unsigned char)(__x >> 8), KIND));                                     \
        }                                                                                                             \
        SIMTX_MEMBER explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, KIND)); }     \
    };                                                                                                                \
    struct __attribute__((aligned(4))) __nv_fp8x4_##E_ {                                                              \
        __nv_fp8x4_storage_t __x;                                                                                     \
        __nv_fp8x4_##E_() = default;                                                                                  \
        SIMTX_MEMBER explicit __nv_fp8x4_##E_(float4 v)                                                               \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, KIND) |                             \
                  (unsigned int)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, KIND) << 16)          \
        {                                                                                                             \
        }                                                                                                             \
        SIMTX_MEMBER explicit __nv_fp8x4_##E_(double4 v)                                                              \
            : __x(__nv_cvt_double2_to_fp8x2(make_double2(v.x, v.y), __NV_SATFINITE, KIND) |                           \
                  (unsigned int)__nv_cvt_double2_to_fp8x2(make_double2(v.z, v.w), __NV_SATFINITE, KIND) << 16)        \
        {                                                                                                             \
        }                                                                                                             \
        SIMTX_MEMBER explicit __nv_fp8x4_##E_(__half2 low, __half2 high)                                              \
            : __x(__nv_fp8x2_##E_(low).__x | (unsigned int)__nv_fp8x2_##E_(high).__x << 16)                           \
        {                                                                                                             \
        }                                                                                                             \
        SIMTX_MEMBER explicit __nv_fp8x4_##E_(__nv_bfloat162 low, __nv_bfloat162 high)                                \
            : __x(__nv_fp8x2_##E_(low).__x | (unsigned int)__nv_fp8x2_##E_(high).__x << 16)                           \
        {                                                                                                             \
        }                                                                                                             \
        SIMTX_MEMBER explicit operator float4() const                                                                 \
        {                                                                                                             \
            return make_float4(simtx_fp8::to_f((unsigned char)__x, KIND),                                             \
                               simtx_fp8::to_f((unsigned char)(__x >> 8), KIND),                                      \
                               simtx_fp8::to_f((unsigned char)(__x >> 16), KIND),                                     \
                               simtx_fp8::to_f((unsigned char)(__x >> 24), KIND));                                    \
        }                                                                                                             \
    };
SIMTX_FP8(e4m3, __NV_E4M3)
SIMTX_FP8(e5m2, __NV_E5M2)
#undef SIMTX_FP8

#endif
#endif
