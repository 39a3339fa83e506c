/* bfloat16: __nv_bfloat16 and __nv_bfloat162 (CUDA Math API, "Bfloat16 Precision Intrinsics").  Values are
 * the upper half of a float; every operation computes in float and rounds to nearest even. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_runtime.h"

#ifdef __cplusplus
#include "simtx/keywords.h"
#include "simtx/to_integer.h"

#ifndef __CUDA_ALIGN__
#define __CUDA_ALIGN__(n) __align__(n)
#endif

#define __CUDA_BF16_TYPES_EXIST__

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};

namespace simtx_bf16
{
static const unsigned short one = 0x3f80, infinity = 0x7f80, nan = 0x7fff;

SIMTX_BOTH float to_f(unsigned short h)
{
    unsigned int u = (unsigned int)h << 16;
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
}
/* dir: 0 nearest even, 1 toward zero, 2 down, 3 up.  A carry out of the mantissa is the next exponent. */
SIMTX_BOTH unsigned short round_f(float f, int dir)
{
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    if (f != f)
        return nan;
    unsigned int r = u >> 16, rest = u & 0xffff;
    bool away = (dir == 2 && u >> 31) || (dir == 3 && !(u >> 31));
    if (dir == 0 ? rest > 0x8000 || (rest == 0x8000 && (r & 1)) : away && rest)
        r++;
    return (unsigned short)r;
}
SIMTX_BOTH unsigned short from_f(float f) { return round_f(f, 0); }
/* Rounds to float (to odd), then to bfloat16.  Round-to-odd records inexactness, so the result is rounded once. */
SIMTX_BOTH unsigned short from_d(double d)
{
    float f = (float)d;
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    if ((double)f != d && d == d && !(u & 1) && (u & 0x7fffffff) != 0x7f800000) {
        bool up = ((double)f < d) == !(u >> 31);
        u = up ? u + 1 : u - 1;
        __builtin_memcpy(&f, &u, 4);
    }
    return from_f(f);
}
/* An integer rounded once: from the sign and the upper 24 bits of the magnitude, the last of which is also set when a
 * bit below them is. */
SIMTX_BOTH unsigned short round_magnitude(bool negative, unsigned long long m, int dir)
{
    unsigned long long lost = 0;
    int shift = 0;
    for (; m >> 24; m >>= 1, shift++)
        lost |= m & 1;
    if (lost)
        m |= 1;
    float f = (float)m;
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    if (m)
        u += (unsigned int)shift << 23;
    u |= negative ? 0x80000000u : 0;
    __builtin_memcpy(&f, &u, 4);
    return round_f(f, dir);
}
template <class T_> SIMTX_BOTH unsigned short from_i(T_ v, int dir)
{
    return round_magnitude(v < 0, v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, dir);
}
/* Integers of up to 32 bits are exact in double. */
template <class T_> SIMTX_BOTH unsigned short from_i(T_ v) { return sizeof v > 4 ? from_i(v, 0) : from_d((double)v); }
SIMTX_BOTH unsigned short add(unsigned short a, unsigned short b) { return from_f(to_f(a) + to_f(b)); }
SIMTX_BOTH unsigned short sub(unsigned short a, unsigned short b) { return from_f(to_f(a) - to_f(b)); }
SIMTX_BOTH unsigned short mul(unsigned short a, unsigned short b) { return from_f(to_f(a) * to_f(b)); }
/* The product is exact in double.  The sum is rounded to odd: its last bit records an inexact result. */
SIMTX_BOTH unsigned short fma(unsigned short a, unsigned short b, unsigned short c)
{
    double p = (double)to_f(a) * (double)to_f(b), q = to_f(c), s = p + q, t = s - p;
    double lost = (p - (s - t)) + (q - t);
    unsigned long long u;
    __builtin_memcpy(&u, &s, 8);
    if (s - s == 0.0 && lost != 0.0 && !(u & 1)) {
        u = (lost > 0.0) == (s > 0.0) ? u + 1 : u - 1;
        __builtin_memcpy(&s, &u, 8);
    }
    return from_d(s);
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
} // namespace simtx_bf16

#define SIMTX_H __nv_bfloat16
#define SIMTX_H2 __nv_bfloat162
#define SIMTX_H_RAW __nv_bfloat16_raw
#define SIMTX_H2_RAW __nv_bfloat162_raw
#define SIMTX_NS simtx_bf16
#include "simtx/half_type.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

SIMTX_BOTH __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
SIMTX_BOTH __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
SIMTX_BOTH __nv_bfloat16 __float2bfloat16_rz(float f) { return simtx_bf16::make(simtx_bf16::round_f(f, 1)); }
SIMTX_BOTH __nv_bfloat16 __float2bfloat16_rd(float f) { return simtx_bf16::make(simtx_bf16::round_f(f, 2)); }
SIMTX_BOTH __nv_bfloat16 __float2bfloat16_ru(float f) { return simtx_bf16::make(simtx_bf16::round_f(f, 3)); }
SIMTX_BOTH __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
SIMTX_BOTH float __bfloat162float(__nv_bfloat16 h) { return simtx_bf16::to_f(h.__x); }
SIMTX_BOTH __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f));
}
SIMTX_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
SIMTX_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
SIMTX_BOTH float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
SIMTX_BOTH float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
SIMTX_BOTH float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
SIMTX_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
SIMTX_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
SIMTX_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
SIMTX_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
SIMTX_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
SIMTX_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
SIMTX_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
SIMTX_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
SIMTX_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
SIMTX_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
SIMTX_BOTH short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
SIMTX_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
SIMTX_BOTH __nv_bfloat16 __short_as_bfloat16(short s) { return simtx_bf16::make((unsigned short)s); }
SIMTX_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short s) { return simtx_bf16::make(s); }

#define SIMTX_INT(name, T_, to)                                                                                  \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_rn(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 0)); } \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_rz(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 1)); } \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_rd(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 2)); } \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_ru(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 3)); }
SIMTX_INT(int, int, int)
SIMTX_INT(uint, unsigned int, uint)
SIMTX_INT(ll, long long, ll)
SIMTX_INT(ull, unsigned long long, ull)
#undef SIMTX_INT
#ifdef SIMTX_CUDA
#define SIMTX_INT(name, T_, to)                                                                                 \
    SIMTX_DEV T_ __bfloat162##name##_rn(__nv_bfloat16 h) { return (T_)__float2##to##_rn(__bfloat162float(h)); } \
    SIMTX_DEV T_ __bfloat162##name##_rz(__nv_bfloat16 h) { return (T_)__float2##to##_rz(__bfloat162float(h)); } \
    SIMTX_DEV T_ __bfloat162##name##_rd(__nv_bfloat16 h) { return (T_)__float2##to##_rd(__bfloat162float(h)); } \
    SIMTX_DEV T_ __bfloat162##name##_ru(__nv_bfloat16 h) { return (T_)__float2##to##_ru(__bfloat162float(h)); }
SIMTX_INT(int, int, int)
SIMTX_INT(uint, unsigned int, uint)
SIMTX_INT(ll, long long, ll)
SIMTX_INT(ull, unsigned long long, ull)
#undef SIMTX_INT
#endif
/* 16 bits: saturating, as cvt does. */
#define SIMTX_INT(name, T_, least, most)                                                                         \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_rn(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 0)); } \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_rz(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 1)); } \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_rd(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 2)); } \
    SIMTX_BOTH __nv_bfloat16 __##name##2bfloat16_ru(T_ v) { return simtx_bf16::make(simtx_bf16::from_i(v, 3)); }
SIMTX_INT(short, short, -32768, 32767)
SIMTX_INT(ushort, unsigned short, 0, 65535)
#undef SIMTX_INT
#ifdef SIMTX_CUDA
#define SIMTX_INT(name, T_, least, most)                                                                        \
    SIMTX_DEV T_ simtx_bf16_to_##name(int v) { return (T_)(v < (least) ? (least) : v > (most) ? (most) : v); }  \
    SIMTX_DEV T_ __bfloat162##name##_rn(__nv_bfloat16 h) { return simtx_bf16_to_##name(__bfloat162int_rn(h)); } \
    SIMTX_DEV T_ __bfloat162##name##_rz(__nv_bfloat16 h) { return simtx_bf16_to_##name(__bfloat162int_rz(h)); } \
    SIMTX_DEV T_ __bfloat162##name##_rd(__nv_bfloat16 h) { return simtx_bf16_to_##name(__bfloat162int_rd(h)); } \
    SIMTX_DEV T_ __bfloat162##name##_ru(__nv_bfloat16 h) { return simtx_bf16_to_##name(__bfloat162int_ru(h)); }
SIMTX_INT(short, short, -32768, 32767)
SIMTX_INT(ushort, unsigned short, 0, 65535)
#undef SIMTX_INT
#endif
/* The host converts toward zero. */
#define SIMTX_INT(name, T_) \
    SIMTX_HOST T_ __bfloat162##name##_rz(__nv_bfloat16 h) { return simtx_to_integer<T_>(simtx_bf16::to_f(h.__x)); }
SIMTX_INT(short, short)
SIMTX_INT(ushort, unsigned short)
SIMTX_INT(int, int)
SIMTX_INT(uint, unsigned int)
SIMTX_INT(ll, long long)
SIMTX_INT(ull, unsigned long long)
#undef SIMTX_INT
SIMTX_BOTH signed char __bfloat162char_rz(__nv_bfloat16 h) { return simtx_to_char(__bfloat162float(h)); }
SIMTX_BOTH unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) { return simtx_to_uchar(__bfloat162float(h)); }

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#include "simtx/half_ops.h"
#undef SIMTX_H
#undef SIMTX_H2
#undef SIMTX_H_RAW
#undef SIMTX_H2_RAW
#undef SIMTX_NS

/* Atomic addition by compare-and-swap on the enclosing word, since PTX offers one for bf16 only from sm_90
 * on. */
#ifdef SIMTX_CUDA
SIMTX_DEV __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    unsigned int *word = (unsigned int *)p, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, simtx_bf16::add2(seen, simtx_bf16::pack(v)));
    } while (old != seen);
    return simtx_bf16::unpack(old);
}
SIMTX_DEV __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    unsigned int shift = ((size_t)p & 2) * 8, *word = (unsigned int *)((size_t)p & ~(size_t)3), old = *word,
                 seen;
    do {
        seen = old;
        unsigned int sum = simtx_bf16::add((unsigned short)(seen >> shift), v.__x);
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | sum << shift);
    } while (old != seen);
    return simtx_bf16::make((unsigned short)(old >> shift));
}
#endif

#endif
#endif
