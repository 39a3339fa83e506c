/* DPX functions (CUDA Math API, "Integer Intrinsics": __vimax3_s32 and so on): minimum and maximum of two or three
 * values, or of a sum and a value, with predicates, and with results below zero replaced by zero (_relu). _s16x2 and
 * _u16x2 work on two halves of a word; sums wrap around. For host and device. */
#ifndef SIMTX_DPX_H
#define SIMTX_DPX_H

#include "simtx/keywords.h"

namespace simtx_dpx
{
template <class T_> SIMTX_BOTH T_ max(T_ a, T_ b) { return a < b ? b : a; }
template <class T_> SIMTX_BOTH T_ min(T_ a, T_ b) { return b < a ? b : a; }
SIMTX_BOTH unsigned int join(unsigned int low, unsigned int high) { return (low & 0xffff) | high << 16; }
} // namespace simtx_dpx

/* f is max or min; sum is the addition modulo 2^32. */
#define SIMTX_DPX_32(f, T, suffix)                                                                  \
    SIMTX_BOTH T __vi##f##3_##suffix(T a, T b, T c) { return simtx_dpx::f(simtx_dpx::f(a, b), c); } \
    SIMTX_BOTH T __viadd##f##_##suffix(T a, T b, T c)                                               \
    {                                                                                               \
        return simtx_dpx::f((T)((unsigned int)a + (unsigned int)b), c);                             \
    }                                                                                               \
    SIMTX_BOTH T __vib##f##_##suffix(T a, T b, bool *first)                                         \
    {                                                                                               \
        T r = simtx_dpx::f(a, b);                                                                   \
        *first = r == a;                                                                            \
        return r;                                                                                   \
    }
SIMTX_DPX_32(max, int, s32)
SIMTX_DPX_32(min, int, s32)
SIMTX_DPX_32(max, unsigned int, u32)
SIMTX_DPX_32(min, unsigned int, u32)
#undef SIMTX_DPX_32

#define SIMTX_DPX_RELU(f)                                                                                       \
    SIMTX_BOTH int __vi##f##_s32_relu(int a, int b) { return simtx_dpx::max(simtx_dpx::f(a, b), 0); }           \
    SIMTX_BOTH int __vi##f##3_s32_relu(int a, int b, int c) { return simtx_dpx::max(__vi##f##3_s32(a, b, c), 0); } \
    SIMTX_BOTH int __viadd##f##_s32_relu(int a, int b, int c) { return simtx_dpx::max(__viadd##f##_s32(a, b, c), 0); }
SIMTX_DPX_RELU(max)
SIMTX_DPX_RELU(min)
#undef SIMTX_DPX_RELU

#define SIMTX_LOW(T, a) (T)((a) & 0xffff)
#define SIMTX_HIGH(T, a) (T)((a) >> 16)
#define SIMTX_DPX_16(f, T, suffix)                                                                                 \
    SIMTX_BOTH unsigned int __vi##f##3_##suffix(unsigned int a, unsigned int b, unsigned int c)                    \
    {                                                                                                              \
        T low = simtx_dpx::f(simtx_dpx::f(SIMTX_LOW(T, a), SIMTX_LOW(T, b)), SIMTX_LOW(T, c));                     \
        T high = simtx_dpx::f(simtx_dpx::f(SIMTX_HIGH(T, a), SIMTX_HIGH(T, b)), SIMTX_HIGH(T, c));                 \
        return simtx_dpx::join((unsigned int)low, (unsigned int)high);                                             \
    }                                                                                                              \
    SIMTX_BOTH unsigned int __viadd##f##_##suffix(unsigned int a, unsigned int b, unsigned int c)                  \
    {                                                                                                              \
        T low = simtx_dpx::f(SIMTX_LOW(T, a + b), SIMTX_LOW(T, c));                                                \
        T high = simtx_dpx::f((T)((a >> 16) + (b >> 16)), SIMTX_HIGH(T, c));                                       \
        return simtx_dpx::join((unsigned int)low, (unsigned int)high);                                             \
    }                                                                                                              \
    SIMTX_BOTH unsigned int __vib##f##_##suffix(unsigned int a, unsigned int b, bool *first_high, bool *first_low) \
    {                                                                                                              \
        T low = simtx_dpx::f(SIMTX_LOW(T, a), SIMTX_LOW(T, b)),                                                    \
          high = simtx_dpx::f(SIMTX_HIGH(T, a), SIMTX_HIGH(T, b));                                                 \
        *first_low = low == SIMTX_LOW(T, a);                                                                       \
        *first_high = high == SIMTX_HIGH(T, a);                                                                    \
        return simtx_dpx::join((unsigned int)low, (unsigned int)high);                                             \
    }
SIMTX_DPX_16(max, short, s16x2)
SIMTX_DPX_16(min, short, s16x2)
SIMTX_DPX_16(max, unsigned short, u16x2)
SIMTX_DPX_16(min, unsigned short, u16x2)
#undef SIMTX_DPX_16

SIMTX_BOTH unsigned int simtx_dpx_relu(unsigned int a) { return __vimax3_s16x2(a, 0, 0); }
#define SIMTX_DPX_RELU(f)                                                                                \
    SIMTX_BOTH unsigned int __vi##f##_s16x2_relu(unsigned int a, unsigned int b)                         \
    {                                                                                                    \
        return simtx_dpx_relu(__vi##f##3_s16x2(a, b, b));                                                \
    }                                                                                                    \
    SIMTX_BOTH unsigned int __vi##f##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c)        \
    {                                                                                                    \
        return simtx_dpx_relu(__vi##f##3_s16x2(a, b, c));                                                \
    }                                                                                                    \
    SIMTX_BOTH unsigned int __viadd##f##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c)      \
    {                                                                                                    \
        return simtx_dpx_relu(__viadd##f##_s16x2(a, b, c));                                              \
    }
SIMTX_DPX_RELU(max)
SIMTX_DPX_RELU(min)
#undef SIMTX_DPX_RELU
#undef SIMTX_LOW
#undef SIMTX_HIGH

#endif
