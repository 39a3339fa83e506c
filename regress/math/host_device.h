/*
 * The machine operations of frontend/libdevice/device.h for the host, so that the accuracy test can run the
 * device math sources without the simulator.  Approximate instructions get a pseudo-random error of the size
 * that the PTX ISA documents for them: a bound that holds here holds on hardware whose instructions are that
 * inexact.
 */
#ifndef SIMTX_MATH_HOST_DEVICE_H
#define SIMTX_MATH_HOST_DEVICE_H

/* -1 .. 1, a fixed function of the argument */
HELP double host_noise(float x)
{
    u32 h = bits_f(x) * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca6bu;
    h ^= h >> 13;
    return (double)h / 2147483648.0 - 1;
}

HELP float host_relative(double exact, float x, double size)
{
    return (float)(exact * (1 + size * host_noise(x)));
}
HELP float host_absolute(double exact, float x, double size) { return (float)(exact + size * host_noise(x)); }

/* PTX ISA (the rounding of the result itself is part of these): ex2 2 ulp, lg2 absolute 2^-22, rsqrt relative
 * 2^-22.9, sin and cos absolute 2^-20.9, div 2 ulp */
HELP float dev_ex2_f(float x) { return host_relative(__builtin_exp2((double)x), x, 0x1p-23); }
HELP float dev_lg2_f(float x) { return host_absolute(__builtin_log2((double)x), x, 0x1p-22); }
HELP float dev_rsqrt_f(float x)
{
    return host_relative(1 / __builtin_sqrt((double)x), x, 0x1.12p-23 - 0x1p-24);
}
HELP float dev_sin_f(float x) { return host_absolute(__builtin_sin((double)x), x, 0x1.125p-21); }
HELP float dev_cos_f(float x) { return host_absolute(__builtin_cos((double)x), x, 0x1.125p-21); }
HELP float dev_div_f(float a, float b) { return host_relative((double)a / b, a, 0x1p-23); }

/* The empty asm hides the product from a compiler that is allowed to fuse it. */
HELP float mul_rn_f(float a, float b)
{
    float p = a * b;
    __asm__("" : "+x"(p));
    return p;
}
HELP double mul_rn_d(double a, double b)
{
    double p = a * b;
    __asm__("" : "+x"(p));
    return p;
}
HELP float sqrt_rn_f(float x) { return __builtin_sqrtf(x); }
HELP double sqrt_rn_d(double x) { return __builtin_sqrt(x); }
HELP u64 mulhi_u64(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }

HELP int to_int_d(double x)
{
    return x != x               ? 0
           : x >= 2147483647.0  ? 2147483647
           : x <= -2147483648.0 ? -2147483647 - 1
                                : (int)__builtin_rint(x);
}
HELP int to_int_f(float x) { return to_int_d((double)x); }
HELP i64 to_ll_zero_d(double x)
{
    return x != x ? (i64)1 << 63 : x >= 0x1p63 ? ~((i64)1 << 63) : x <= -0x1p63 ? (i64)1 << 63 : (i64)x;
}
HELP i64 to_ll_zero_f(float x) { return to_ll_zero_d((double)x); }
#define DEV_CONST

#endif
