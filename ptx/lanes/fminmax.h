/*
 * Floating-point minimum and maximum by the rules of PTX: the other operand of a NaN is the result, -0 < +0; .NaN and
 * .xorsign.abs variants.
 */
#ifndef PTX_LANES_FMINMAX_H
#define PTX_LANES_FMINMAX_H

#include "ptx/lanes/kernel.h"

/* of two equal numbers (+0 and -0 among them) the sign bits are or-ed for min and and-ed for max */
#define FMINMAX(name, T, bits, less, join)                                                    \
    static inline T name(T a, T b)                                                            \
    {                                                                                         \
        T r = a less b ? a : b;                                                               \
        r = a == b ? f##bits##_of(f##bits##_bits(a) join f##bits##_bits(b)) : r;              \
        r = a != a ? b : r;                                                                   \
        return b != b ? a : r;                                                                \
    }
FMINMAX(min32, float, 32, <, |)
FMINMAX(max32, float, 32, >, &)
FMINMAX(min64, double, 64, <, |)
FMINMAX(max64, double, 64, >, &)

static inline float fabs32(float a) { return f32_of(f32_bits(a) & 0x7fffffffu); }
static inline float any_nan(float a, float b, float r) { return a != a || b != b ? f32_of(0x7fffffff) : r; }
static inline float xorsign(float a, float b, float r)
{
    return f32_of(f32_bits(r) | ((f32_bits(a) ^ f32_bits(b)) & 0x80000000u));
}

#endif
