/* Half precision: __half and __half2 (CUDA Math API, "Half Precision Intrinsics").  Device code uses PTX f16
 * instructions from sm_53 on; host code, and older devices, compute in float and round once (exact for one
 * addition, subtraction or multiplication: float has more than twice the bits of half). */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#ifdef __cplusplus
#include "simtx/keywords.h"
#include "simtx/to_integer.h"

#ifndef __CUDA_ALIGN__
#define __CUDA_ALIGN__(n) __align__(n)
#endif

#define __CUDA_FP16_TYPES_EXIST__

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

namespace simtx_half
{
static const unsigned short one = 0x3c00, infinity = 0x7c00, nan = 0x7fff;

#if defined(__CUDA_ARCH__)
#define SIMTX_CVT_TO(name, T_, C_, op)        \
    SIMTX_DEV unsigned short name(T_ v)       \
    {                                         \
        unsigned short r;                     \
        asm(op " %0, %1;" : "=h"(r) : C_(v)); \
        return r;                             \
    }
SIMTX_CVT_TO(from_f_dev, float, "f", "cvt.rn.f16.f32")
SIMTX_CVT_TO(from_d_dev, double, "d", "cvt.rn.f16.f64")
#undef SIMTX_CVT_TO
#endif

SIMTX_BOTH float bits_to_float(unsigned int u)
{
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
}

SIMTX_BOTH float to_f(unsigned short h)
{
#if defined(__CUDA_ARCH__)
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    unsigned int sign = (unsigned int)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff;
    if (e == 31)
        return bits_to_float(sign | 0x7f800000u | m << 13);
    if (e)
        return bits_to_float(sign | (e + 112) << 23 | m << 13);
    float f = (float)m * 5.9604644775390625e-8f;
    return sign ? -f : f;
#endif
}

/* A double to half with a single rounding.  dir: 0 nearest even, 1 toward zero, 2 down, 3 up. */
SIMTX_BOTH unsigned short round_d(double d, int dir)
{
    unsigned long long u;
    __builtin_memcpy(&u, &d, 8);
    unsigned int sign = (unsigned int)(u >> 48) & 0x8000;
    int e = (int)(u >> 52 & 0x7ff) - 1023;
    unsigned long long m = u & 0xfffffffffffffull;
    bool away = (dir == 2 && sign) || (dir == 3 && !sign);
    if (e == 1024)
        return m ? nan : (unsigned short)(sign | infinity);
    if (e > 15)
        return (unsigned short)(sign | (dir == 0 || away ? 0x7c00 : 0x7bff));
    if (e < -26)
        return (unsigned short)(sign | (away && (u << 1) ? 1 : 0));
    int shift = e < -14 ? 42 + (-14 - e) : 42;
    m |= 0x10000000000000ull;
    unsigned int r = (unsigned int)(m >> shift);
    unsigned long long rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    if (e >= -14)
        r += (unsigned int)(e + 14) << 10;
    if (dir == 0 ? rest > half || (rest == half && (r & 1)) : away && rest)
        r++;
    return (unsigned short)(sign | r);
}

SIMTX_BOTH unsigned short from_f(float f)
{
#if defined(__CUDA_ARCH__)
    return from_f_dev(f);
#else
    return round_d((double)f, 0);
#endif
}
SIMTX_BOTH unsigned short from_d(double d)
{
#if defined(__CUDA_ARCH__)
    return from_d_dev(d);
#else
    return round_d(d, 0);
#endif
}

/* By way of float: an integer that float cannot represent exactly is out of half's range before and after
 * rounding. */
template <class T_> SIMTX_BOTH unsigned short from_i(T_ v) { return from_f((float)v); }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define SIMTX_F16(name, op)                                           \
    SIMTX_DEV unsigned short name(unsigned short a, unsigned short b) \
    {                                                                 \
        unsigned short r;                                             \
        asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));        \
        return r;                                                     \
    }                                                                 \
    SIMTX_DEV unsigned int name##2(unsigned int a, unsigned int b)    \
    {                                                                 \
        unsigned int r;                                               \
        asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));      \
        return r;                                                     \
    }
SIMTX_F16(add, "add.rn")
SIMTX_F16(sub, "sub.rn")
SIMTX_F16(mul, "mul.rn")
#undef SIMTX_F16
SIMTX_DEV unsigned short fma(unsigned short a, unsigned short b, unsigned short c)
{
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));
    return r;
}
SIMTX_DEV unsigned int fma2(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
#else
SIMTX_BOTH unsigned short add(unsigned short a, unsigned short b) { return from_f(to_f(a) + to_f(b)); }
SIMTX_BOTH unsigned short sub(unsigned short a, unsigned short b) { return from_f(to_f(a) - to_f(b)); }
SIMTX_BOTH unsigned short mul(unsigned short a, unsigned short b) { return from_f(to_f(a) * to_f(b)); }
/* The product is exact in double; so is every sum within half's range. */
SIMTX_BOTH unsigned short fma(unsigned short a, unsigned short b, unsigned short c)
{
    return from_d((double)to_f(a) * (double)to_f(b) + (double)to_f(c));
}
#define SIMTX_LANES(name)                                                                      \
    SIMTX_BOTH unsigned int name##2(unsigned int a, unsigned int b)                            \
    {                                                                                          \
        return name((unsigned short)a, (unsigned short)b) |                                    \
               (unsigned int)name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16; \
    }
SIMTX_LANES(add)
SIMTX_LANES(sub)
SIMTX_LANES(mul)
#undef SIMTX_LANES
SIMTX_BOTH unsigned int fma2(unsigned int a, unsigned int b, unsigned int c)
{
    return fma((unsigned short)a, (unsigned short)b, (unsigned short)c) |
           (unsigned int)fma((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16))
               << 16;
}
#endif
} // namespace simtx_half

#define SIMTX_H __half
#define SIMTX_H2 __half2
#define SIMTX_H_RAW __half_raw
#define SIMTX_H2_RAW __half2_raw
#define SIMTX_NS simtx_half
#include "simtx/half_type.h"
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

/* Conversions */
SIMTX_BOTH __half __float2half(float f) { return __half(f); }
SIMTX_BOTH __half __float2half_rn(float f) { return __half(f); }
SIMTX_BOTH __half __float2half_rz(float f) { return simtx_half::make(simtx_half::round_d((double)f, 1)); }
SIMTX_BOTH __half __float2half_rd(float f) { return simtx_half::make(simtx_half::round_d((double)f, 2)); }
SIMTX_BOTH __half __float2half_ru(float f) { return simtx_half::make(simtx_half::round_d((double)f, 3)); }
SIMTX_BOTH __half __double2half(double d) { return __half(d); }
SIMTX_BOTH float __half2float(__half h) { return simtx_half::to_f(h.__x); }
SIMTX_BOTH __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
SIMTX_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
SIMTX_BOTH __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
SIMTX_BOTH float2 __half22float2(__half2 v) { return make_float2(__half2float(v.x), __half2float(v.y)); }
SIMTX_BOTH float __low2float(__half2 v) { return __half2float(v.x); }
SIMTX_BOTH float __high2float(__half2 v) { return __half2float(v.y); }
SIMTX_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
SIMTX_BOTH __half2 __half2half2(__half h) { return __half2(h, h); }
SIMTX_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
SIMTX_BOTH __half __low2half(__half2 v) { return v.x; }
SIMTX_BOTH __half __high2half(__half2 v) { return v.y; }
SIMTX_BOTH __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
SIMTX_BOTH __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
SIMTX_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SIMTX_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
SIMTX_BOTH __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
SIMTX_BOTH short __half_as_short(__half h) { return (short)h.__x; }
SIMTX_BOTH unsigned short __half_as_ushort(__half h) { return h.__x; }
SIMTX_BOTH __half __short_as_half(short s) { return simtx_half::make((unsigned short)s); }
SIMTX_BOTH __half __ushort_as_half(unsigned short s) { return simtx_half::make(s); }

/* Integers: conversion to an integer with a rounding mode, from an integer to nearest. */
#ifdef SIMTX_CUDA
#define SIMTX_INT(name, T_, asmtype, C_, R_)                         \
    SIMTX_DEV T_ __half2##name##_rn(__half h)                        \
    {                                                                \
        R_ r;                                                        \
        asm("cvt.rni." asmtype ".f16 %0, %1;" : C_(r) : "h"(h.__x)); \
        return (T_)r;                                                \
    }                                                                \
    SIMTX_DEV T_ __half2##name##_rz(__half h)                        \
    {                                                                \
        R_ r;                                                        \
        asm("cvt.rzi." asmtype ".f16 %0, %1;" : C_(r) : "h"(h.__x)); \
        return (T_)r;                                                \
    }                                                                \
    SIMTX_DEV T_ __half2##name##_rd(__half h)                        \
    {                                                                \
        R_ r;                                                        \
        asm("cvt.rmi." asmtype ".f16 %0, %1;" : C_(r) : "h"(h.__x)); \
        return (T_)r;                                                \
    }                                                                \
    SIMTX_DEV T_ __half2##name##_ru(__half h)                        \
    {                                                                \
        R_ r;                                                        \
        asm("cvt.rpi." asmtype ".f16 %0, %1;" : C_(r) : "h"(h.__x)); \
        return (T_)r;                                                \
    }
SIMTX_INT(short, short, "s16", "=h", short)
SIMTX_INT(ushort, unsigned short, "u16", "=h", unsigned short)
SIMTX_INT(int, int, "s32", "=r", int)
SIMTX_INT(uint, unsigned int, "u32", "=r", unsigned int)
SIMTX_INT(ll, long long, "s64", "=l", long long)
SIMTX_INT(ull, unsigned long long, "u64", "=l", unsigned long long)
#undef SIMTX_INT
#endif
/* The host converts toward zero. */
#define SIMTX_INT(name, T_) \
    SIMTX_HOST T_ __half2##name##_rz(__half h) { return simtx_to_integer<T_>(simtx_half::to_f(h.__x)); }
SIMTX_INT(short, short)
SIMTX_INT(ushort, unsigned short)
SIMTX_INT(int, int)
SIMTX_INT(uint, unsigned int)
SIMTX_INT(ll, long long)
SIMTX_INT(ull, unsigned long long)
#undef SIMTX_INT
#define SIMTX_INT(name, T_)                                                                        \
    SIMTX_BOTH __half __##name##2half_rn(T_ v) { return simtx_half::make(simtx_half::from_i(v)); } \
    SIMTX_BOTH __half __##name##2half_rz(T_ v)                                                     \
    {                                                                                              \
        return simtx_half::make(simtx_half::round_d((double)v, 1));                                \
    }                                                                                              \
    SIMTX_BOTH __half __##name##2half_rd(T_ v)                                                     \
    {                                                                                              \
        return simtx_half::make(simtx_half::round_d((double)v, 2));                                \
    }                                                                                              \
    SIMTX_BOTH __half __##name##2half_ru(T_ v) { return simtx_half::make(simtx_half::round_d((double)v, 3)); }
SIMTX_INT(short, short)
SIMTX_INT(ushort, unsigned short)
SIMTX_INT(int, int)
SIMTX_INT(uint, unsigned int)
SIMTX_INT(ll, long long)
SIMTX_INT(ull, unsigned long long)
#undef SIMTX_INT

#include "simtx/half_ops.h"
#undef SIMTX_H
#undef SIMTX_H2
#undef SIMTX_H_RAW
#undef SIMTX_H2_RAW
#undef SIMTX_NS

/* Bytes: toward zero, saturating; a NaN becomes 0. */
SIMTX_BOTH signed char __half2char_rz(__half h) { return simtx_to_char(__half2float(h)); }
SIMTX_BOTH unsigned char __half2uchar_rz(__half h) { return simtx_to_uchar(__half2float(h)); }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)

#ifdef SIMTX_CUDA
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
SIMTX_DEV __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned int r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p), "r"(simtx_half::pack(v))
                 : "memory");
    return simtx_half::unpack(r);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
SIMTX_DEV __half atomicAdd(__half *p, __half v)
{
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return simtx_half::make(r);
}
#endif
#endif

#endif
#endif
