/*
 * The approximate functions (ex2, lg2, sin, cos, tanh, rcp, rsqrt, div .approx): polynomials in double with separate
 * multiplications and additions, so that every host gives the same bits. Their errors are far below the bounds of PTX
 * ISA 9.7.3. The code has no branches and vectorises.
 */
#ifndef PTX_LANES_APPROX_H
#define PTX_LANES_APPROX_H

#include "ptx/lanes/kernel.h"

#define ROUND_MAGIC 0x1.8p52                     /* adding it leaves a whole number in the low bits */

/* 2^x for |x| <= 1000: 2^f by its series for f in [-1/2, 1/2], times the power for the whole part. */
static inline double exp2_poly(double x)
{
    double magic = x + ROUND_MAGIC, f = x - (magic - ROUND_MAGIC);
    double scale = f64_of((f64_bits(magic) + 1023) << 52);
    double p = 1.3215486790144305e-6;
    p = p * f + 1.5252733804059838e-5;
    p = p * f + 1.5403530393381606e-4;
    p = p * f + 1.3333558146428443e-3;
    p = p * f + 9.6181291076284769e-3;
    p = p * f + 5.5504108664821580e-2;
    p = p * f + 2.4022650695910072e-1;
    p = p * f + 6.9314718055994531e-1;
    p = p * f + 1.0;
    return p * scale;
}

static inline float approx_ex2(float a)
{
    double x = a > 200.0f ? 200.0f : a < -200.0f ? -200.0f : a;
    return (float)exp2_poly(x);
}

/* log2 m = 2 / ln 2 * artanh t, t = (m - 1) / (m + 1), with m in [1/sqrt 2, sqrt 2]. */
static inline float approx_lg2(float a)
{
    uint64_t u = f64_bits((double)a);
    uint64_t up = (u & 0xfffffffffffffu) > 0x6a09e667f3bccu;     /* mantissa above sqrt 2: halve it */
    double m = f64_of((u & 0xfffffffffffffu) | (1023 - up) << 52);
    double e = f64_of(0x4330000000000000u | ((u >> 52 & 0x7ff) + up)) - (0x1p52 + 1023);
    double t = (m - 1.0) / (m + 1.0), t2 = t * t, p = 1.0 / 13;
    p = p * t2 + 1.0 / 11;
    p = p * t2 + 1.0 / 9;
    p = p * t2 + 1.0 / 7;
    p = p * t2 + 1.0 / 5;
    p = p * t2 + 1.0 / 3;
    p = p * t2 + 1.0;
    float r = (float)(e + t * p * 2.8853900817779268);
    r = a == 0.0f ? -__builtin_inff() : r;
    r = a > 0x1.fffffep127f ? a : r;
    return a < 0.0f || a != a ? f32_of(0x7fffffff) : r;
}

/* sin (a + quarter * pi / 2): Cody-Waite reduction to [-pi/4, pi/4]. */
static inline float approx_sincos(float a, uint64_t quarter)
{
    double x = a, magic = x * 0.63661977236758134 + ROUND_MAGIC, k = magic - ROUND_MAGIC;
    double r = (x - k * 0x1.921fb54p+0) - k * 0x1.10b4611a62633p-30;
    uint64_t q = f64_bits(magic) + quarter;
    double r2 = r * r, s = 2.7557319223985893e-6, c = -2.7557319223985888e-7;
    s = s * r2 - 1.9841269841269841e-4;
    s = s * r2 + 8.3333333333333332e-3;
    s = s * r2 - 1.6666666666666666e-1;
    s = r * (s * r2 + 1.0);
    c = c * r2 + 2.4801587301587302e-5;
    c = c * r2 - 1.3888888888888889e-3;
    c = c * r2 + 4.1666666666666664e-2;
    c = c * r2 - 0.5;
    c = c * r2 + 1.0;
    double v = q & 1 ? c : s;
    v = f64_of(f64_bits(v) ^ (q & 2) << 62);
    v = v > 1.0 ? 1.0 : v;                       /* only far outside the specified range */
    return (float)(v < -1.0 ? -1.0 : v);
}

static inline float approx_sin(float a) { return approx_sincos(a, 0); }
static inline float approx_cos(float a) { return approx_sincos(a, 1); }

/* tanh |a| = 1 - 2 / (e^2|a| + 1); its series where that cancels. */
static inline float approx_tanh(float a)
{
    double x = a < 0.0f ? -a : a;
    x = x > 20.0 ? 20.0 : x;
    double e = exp2_poly(x * 2.8853900817779268);
    double t = x < 0x1p-10 ? x * (1.0 - x * x * 0.33333333333333331) : 1.0 - 2.0 / (e + 1.0);
    return f32_of(f32_bits((float)t) | (f32_bits(a) & 0x80000000u));
}

static inline float approx_rsqrt(float a)
{
    return (float)(1.0 / __builtin_sqrt((double)a));
}

/* a * (1 / b), whose reciprocal underflows for |b| above 2^126: then 0, or NaN for an infinite a. */
static inline float approx_div(float a, float b)
{
    float m = f32_of(f32_bits(b) & 0x7fffffffu), q = a / b;
    float tiny = f32_of((f32_bits(a) ^ f32_bits(b)) & 0x80000000u);
    float big = f32_of(f32_bits(a) & 0x7fffffffu) <= 0x1.fffffep127f ? tiny : f32_of(0x7fffffff);
    return m > 0x1p126f && m <= 0x1.fffffep127f ? big : q;
}

static inline double flush64(double a)
{
    uint64_t u = f64_bits(a);
    return f64_of(u & 0x7ff0000000000000u ? u : u & 0x8000000000000000u);
}

/* The .approx.ftz.f64 forms read the high word only and return a high word; a NaN stays one. */
static inline double high_word(double a)
{
    return a == a ? f64_of(f64_bits(a) & 0xffffffff00000000u) : a;
}

static inline double round_high_word(double a)
{
    uint64_t u = f64_bits(flush64(a));
    return a == a ? f64_of((u + 0x80000000u) & 0xffffffff00000000u) : a;
}

static inline double approx_rcp64(double a)
{
    return round_high_word(1.0 / flush64(high_word(a)));
}

static inline double approx_rsqrt64(double a)
{
    return round_high_word(1.0 / __builtin_sqrt(flush64(high_word(a))));
}

#endif
