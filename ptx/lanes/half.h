/*
 * f16 and bf16 as bits: exact widening to f32, correctly rounded narrowing. It is integer code with selects, which
 * vectorises and gives the same bits on every host. A NaN narrows to 0x7fff.
 */
#ifndef PTX_LANES_HALF_H
#define PTX_LANES_HALF_H

#include "ptx/lanes/kernel.h"

static inline float f16_to_f32(uint16_t h)
{
    uint32_t m = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t u = f32_bits(f32_of(m) * 0x1p112f); /* rebias; exact, subnormals included */
    u |= m >= 0x0f800000u ? 0x7f800000u : 0;     /* infinity, NaN */
    return f32_of(u | sign);
}

static inline float bf16_to_f32(uint16_t h)
{
    return f32_of((uint32_t)h << 16);
}

static inline uint16_t f32_to_f16(float f)
{
    uint32_t u = f32_bits(f), sign = u >> 16 & 0x8000, m = u & 0x7fffffff;
    /* ulp of 0.5 is the step of f16 subnormals */
    uint32_t small = f32_bits(f32_of(m) + 0.5f) - 0x3f000000u;
    uint32_t normal = (m + 0xfff + (m >> 13 & 1) - 0x38000000u) >> 13;
    uint32_t r = m < 0x38800000u ? small : normal;
    r = m >= 0x47800000u ? 0x7c00 : r;
    r = m > 0x7f800000u ? 0x7fff : r | sign;
    return (uint16_t)r;
}

static inline uint16_t f32_to_bf16(float f)
{
    uint32_t u = f32_bits(f), r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000u ? 0x7fff : r);
}

/*
 * f64 to f32 rounded to odd: the last bit is set when the result is inexact. A further rounding to a format
 * with at least two bits fewer is then as if the f64 had been rounded once.
 */
static inline float f64_to_f32_odd(double a)
{
    float f = (float)a;
    double back = f;
    uint32_t u = f32_bits(f);
    double ma = f64_of(f64_bits(a) & 0x7fffffffffffffffu), mb = f64_of(f64_bits(back) & 0x7fffffffffffffffu);
    uint32_t t = (mb > ma ? u - 1 : u) | 1;
    return f32_of(back == a || a != a ? u : t);
}

#endif
