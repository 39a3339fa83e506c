/* The C++ overloads of mathematical functions that clang's CUDA headers only declare, or lack: an
 * overload without definition would give an unresolved `.extern .func` in the PTX.  Also min and max for
 * every arithmetic type, and host versions of the functions that CUDA offers on both sides but the C library
 * lacks. */
#ifndef SIMTX_MATH_OVERLOADS_H
#define SIMTX_MATH_OVERLOADS_H

#include "simtx/keywords.h"

/* Device: float f(float) over ff(float). */
#define SIMTX_F1(fn) \
    SIMTX_DEV float fn(float x) { return ::fn##f(x); }
#define SIMTX_F2(fn) \
    SIMTX_DEV float fn(float x, float y) { return ::fn##f(x, y); }
SIMTX_F1(acosh)
SIMTX_F1(asinh)
SIMTX_F1(atanh)
SIMTX_F1(cbrt)
SIMTX_F1(erf)
SIMTX_F1(erfc)
SIMTX_F1(exp2)
SIMTX_F1(expm1)
SIMTX_F1(lgamma)
SIMTX_F1(log1p)
SIMTX_F1(log2)
SIMTX_F1(logb)
SIMTX_F1(nearbyint)
SIMTX_F1(rint)
SIMTX_F1(round)
SIMTX_F1(tgamma)
SIMTX_F1(trunc)
SIMTX_F1(exp10)
SIMTX_F1(rsqrt)
SIMTX_F1(rcbrt)
SIMTX_F1(sinpi)
SIMTX_F1(cospi)
SIMTX_F1(erfinv)
SIMTX_F1(erfcinv)
SIMTX_F1(erfcx)
SIMTX_F1(normcdf)
SIMTX_F1(normcdfinv)
SIMTX_F1(j0)
SIMTX_F1(j1)
SIMTX_F1(y0)
SIMTX_F1(y1)
SIMTX_F1(cyl_bessel_i0)
SIMTX_F1(cyl_bessel_i1)
SIMTX_F2(copysign)
SIMTX_F2(fdim)
SIMTX_F2(fmax)
SIMTX_F2(fmin)
SIMTX_F2(hypot)
SIMTX_F2(rhypot)
SIMTX_F2(nextafter)
SIMTX_F2(remainder)
SIMTX_F2(fdivide)
#undef SIMTX_F1
#undef SIMTX_F2
SIMTX_DEV float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
SIMTX_DEV int ilogb(float x) { return ::ilogbf(x); }
SIMTX_DEV long lrint(float x) { return ::lrintf(x); }
SIMTX_DEV long lround(float x) { return ::lroundf(x); }
SIMTX_DEV long long llrint(float x) { return ::llrintf(x); }
SIMTX_DEV long long llround(float x) { return ::llroundf(x); }
SIMTX_DEV float remquo(float x, float y, int *q) { return ::remquof(x, y, q); }
SIMTX_DEV float scalbn(float x, int n) { return ::scalbnf(x, n); }
SIMTX_DEV float scalbln(float x, long n) { return ::scalblnf(x, n); }
SIMTX_DEV float norm3d(float x, float y, float z) { return ::norm3df(x, y, z); }
SIMTX_DEV float norm4d(float x, float y, float z, float w) { return ::norm4df(x, y, z, w); }
SIMTX_DEV float rnorm3d(float x, float y, float z) { return ::rnorm3df(x, y, z); }
SIMTX_DEV float rnorm4d(float x, float y, float z, float w) { return ::rnorm4df(x, y, z, w); }
SIMTX_DEV void sincos(float x, float *s, float *c) { ::sincosf(x, s, c); }
SIMTX_DEV void sincospi(float x, float *s, float *c) { ::sincospif(x, s, c); }
SIMTX_DEV float __tanhf(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return ::tanhf(x);
#endif
}
SIMTX_DEV double nan(const char *tag) { return __nv_nan((const signed char *)tag); }
SIMTX_DEV float nanf(const char *tag) { return __nv_nanf((const signed char *)tag); }

/* Device: min and max.  clang defines the pair for int. */
#define SIMTX_MINMAX(T, A, B, lo, hi)                    \
    SIMTX_DEV T min(A x, B y) { return lo((T)x, (T)y); } \
    SIMTX_DEV T max(A x, B y) { return hi((T)x, (T)y); }
#define SIMTX_MINMAX3(T, S, lo, hi) \
    SIMTX_MINMAX(T, T, T, lo, hi) SIMTX_MINMAX(T, T, S, lo, hi) SIMTX_MINMAX(T, S, T, lo, hi)
SIMTX_MINMAX3(unsigned int, int, __nv_umin, __nv_umax)
SIMTX_MINMAX3(unsigned long, long, __nv_ullmin, __nv_ullmax)
SIMTX_MINMAX3(unsigned long long, long long, __nv_ullmin, __nv_ullmax)
SIMTX_MINMAX(long, long, long, __nv_llmin, __nv_llmax)
SIMTX_MINMAX(long long, long long, long long, __nv_llmin, __nv_llmax)
SIMTX_MINMAX(float, float, float, __nv_fminf, __nv_fmaxf)
SIMTX_MINMAX3(double, float, __nv_fmin, __nv_fmax)
#undef SIMTX_MINMAX

/* Host: the same pairs, int included. */
#define SIMTX_MINMAX(T, A, B, lo, hi)                                \
    SIMTX_HOST T min(A x, B y) { return (T)y < (T)x ? (T)y : (T)x; } \
    SIMTX_HOST T max(A x, B y) { return (T)x < (T)y ? (T)y : (T)x; }
SIMTX_MINMAX(int, int, int, , )
SIMTX_MINMAX3(unsigned int, int, , )
SIMTX_MINMAX(long, long, long, , )
SIMTX_MINMAX3(unsigned long, long, , )
SIMTX_MINMAX(long long, long long, long long, , )
SIMTX_MINMAX3(unsigned long long, long long, , )
#undef SIMTX_MINMAX
#undef SIMTX_MINMAX3
#define SIMTX_MINMAX(T, A, B, sfx)                                         \
    SIMTX_HOST T min(A x, B y) { return __builtin_fmin##sfx((T)x, (T)y); } \
    SIMTX_HOST T max(A x, B y) { return __builtin_fmax##sfx((T)x, (T)y); }
SIMTX_MINMAX(float, float, float, f)
SIMTX_MINMAX(double, double, double, )
SIMTX_MINMAX(double, double, float, )
SIMTX_MINMAX(double, float, double, )
#undef SIMTX_MINMAX

/* Host: functions outside the C library.  The inverse functions refine a start value by Newton's method on
 * erf. */
#define SIMTX_H1(fn, expr)                          \
    SIMTX_HOST double fn(double x) { return expr; } \
    SIMTX_HOST float fn##f(float v)                 \
    {                                               \
        double x = v;                               \
        return (float)(expr);                       \
    }
namespace simtx_host
{
static const double pi = 3.14159265358979323846;
SIMTX_HOST double half_turns(double x) { return x - 2.0 * __builtin_floor(x * 0.5); }
SIMTX_HOST double sinpi_(double x)
{
    double r = half_turns(x);
    if (r == 0.0 || r == 1.0)
        return __builtin_copysign(0.0, x);
    return r <= 0.5   ? __builtin_sin(pi * r)
           : r <= 1.5 ? __builtin_sin(pi * (1.0 - r))
                      : __builtin_sin(pi * (r - 2.0));
}
SIMTX_HOST double cospi_(double x)
{
    double r = half_turns(__builtin_fabs(x));
    return r > 1.0 ? -__builtin_cos(pi * (r - 1.0)) : r == 0.5 ? 0.0 : __builtin_cos(pi * r);
}
SIMTX_HOST double erfcx_(double x)
{
    if (x < 25.0)
        return __builtin_exp(x * x) * __builtin_erfc(x);
    double r = 0.5 / (x * x);
    return 0.56418958354775628695 / x * (1.0 - r * (1.0 - 3.0 * r * (1.0 - 5.0 * r)));
}
SIMTX_HOST double erfcinv_(double y)
{
    if (!(y >= 0.0 && y <= 2.0))
        return __builtin_nan("");
    if (y == 0.0 || y == 2.0)
        return y == 0.0 ? __builtin_inf() : -__builtin_inf();
    double q = y < 1.0 ? y : 2.0 - y;
    double l = __builtin_log(0.5 * q * (2.0 - q) * 2.0), a = 2.0 / (pi * 0.147) + l * 0.5;
    double x = __builtin_sqrt(__builtin_fabs(__builtin_sqrt(a * a - l / 0.147) - a));
    for (int i = 0; i < 8; i++) {
        double slope = 1.12837916709551257390 * __builtin_exp(-x * x), e = __builtin_erfc(x) - q;
        if (!(slope > 0.0))
            break;
        double d = e / slope;
        x += d / (1.0 + x * d);
    }
    return y < 1.0 ? x : -x;
}
} // namespace simtx_host
SIMTX_H1(rsqrt, 1.0 / __builtin_sqrt(x))
SIMTX_H1(rcbrt, 1.0 / __builtin_cbrt(x))
SIMTX_H1(sinpi, simtx_host::sinpi_(x))
SIMTX_H1(cospi, simtx_host::cospi_(x))
SIMTX_H1(erfcx, simtx_host::erfcx_(x))
SIMTX_H1(erfcinv, simtx_host::erfcinv_(x))
SIMTX_H1(erfinv, simtx_host::erfcinv_(1.0 - x))
SIMTX_H1(normcdf, 0.5 * __builtin_erfc(-x * 0.70710678118654752440))
SIMTX_H1(normcdfinv, -1.41421356237309504880 * simtx_host::erfcinv_(2.0 * x))
#undef SIMTX_H1
SIMTX_HOST void sincospi(double x, double *s, double *c)
{
    *s = sinpi(x);
    *c = cospi(x);
}
SIMTX_HOST void sincospif(float x, float *s, float *c)
{
    *s = sinpif(x);
    *c = cospif(x);
}
SIMTX_HOST double rhypot(double x, double y) { return 1.0 / __builtin_hypot(x, y); }
SIMTX_HOST float rhypotf(float x, float y) { return (float)(1.0 / __builtin_hypot((double)x, (double)y)); }
SIMTX_HOST double norm3d(double x, double y, double z) { return __builtin_hypot(__builtin_hypot(x, y), z); }
SIMTX_HOST float norm3df(float x, float y, float z) { return (float)norm3d((double)x, (double)y, (double)z); }
SIMTX_HOST float fdividef(float x, float y) { return x / y; }
SIMTX_HOST double fdivide(double x, double y) { return x / y; }

#endif
