/* Complex numbers for C and C++, host and device: cuFloatComplex (float2) and cuDoubleComplex (double2). */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>
#include "vector_types.h"

typedef struct float2 cuFloatComplex;
typedef struct double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define SIMTX_CX static __inline__ __host__ __device__ __attribute__((unused))

/* C is the complex type, R its parts' type; division and magnitude scale first, so that no square overflows.
 */
#define SIMTX_COMPLEX(C, R, make, re, im, conj, add, sub, mul, div, mag, fma, fabs_, sqrt_)    \
    SIMTX_CX C make(R r, R i)                                                                  \
    {                                                                                          \
        C c;                                                                                   \
        c.x = r;                                                                               \
        c.y = i;                                                                               \
        return c;                                                                              \
    }                                                                                          \
    SIMTX_CX R re(C c) { return c.x; }                                                         \
    SIMTX_CX R im(C c) { return c.y; }                                                         \
    SIMTX_CX C conj(C c) { return make(c.x, -c.y); }                                           \
    SIMTX_CX C add(C a, C b) { return make(a.x + b.x, a.y + b.y); }                            \
    SIMTX_CX C sub(C a, C b) { return make(a.x - b.x, a.y - b.y); }                            \
    SIMTX_CX C mul(C a, C b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }    \
    SIMTX_CX C div(C a, C b)                                                                   \
    {                                                                                          \
        R s = 1 / (fabs_(b.x) + fabs_(b.y));                                                   \
        R ar = a.x * s, ai = a.y * s, br = b.x * s, bi = b.y * s, d = 1 / (br * br + bi * bi); \
        return make((ar * br + ai * bi) * d, (ai * br - ar * bi) * d);                         \
    }                                                                                          \
    SIMTX_CX R mag(C c)                                                                        \
    {                                                                                          \
        R x = fabs_(c.x), y = fabs_(c.y), hi = x > y ? x : y, lo = x > y ? y : x;              \
        if (!(hi > 0) || hi - hi != 0)                                                         \
            return x + y;                                                                      \
        R t = lo / hi;                                                                         \
        return hi * sqrt_(1 + t * t);                                                          \
    }                                                                                          \
    SIMTX_CX C fma(C a, C b, C c) { return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); }

SIMTX_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf,
              cuCmulf, cuCdivf, cuCabsf, cuCfmaf, fabsf, sqrtf)
SIMTX_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul,
              cuCdiv, cuCabs, cuCfma, fabs, sqrt)
#undef SIMTX_COMPLEX

SIMTX_CX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
SIMTX_CX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
SIMTX_CX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
#undef SIMTX_CX

#endif
