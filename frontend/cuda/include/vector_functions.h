/* make_int2(...) and its relatives. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define SIMTX_MAKE static __inline__ __host__ __device__ __attribute__((unused))
#define SIMTX_MAKE_VEC(name, T)                                  \
    SIMTX_MAKE struct name##1 make_##name##1(T x)                \
    {                                                            \
        struct name##1 v;                                        \
        v.x = x;                                                 \
        return v;                                                \
    }                                                            \
    SIMTX_MAKE struct name##2 make_##name##2(T x, T y)           \
    {                                                            \
        struct name##2 v;                                        \
        v.x = x;                                                 \
        v.y = y;                                                 \
        return v;                                                \
    }                                                            \
    SIMTX_MAKE struct name##3 make_##name##3(T x, T y, T z)      \
    {                                                            \
        struct name##3 v;                                        \
        v.x = x;                                                 \
        v.y = y;                                                 \
        v.z = z;                                                 \
        return v;                                                \
    }                                                            \
    SIMTX_MAKE struct name##4 make_##name##4(T x, T y, T z, T w) \
    {                                                            \
        struct name##4 v;                                        \
        v.x = x;                                                 \
        v.y = y;                                                 \
        v.z = z;                                                 \
        v.w = w;                                                 \
        return v;                                                \
    }

SIMTX_MAKE_VEC(char, signed char)
SIMTX_MAKE_VEC(uchar, unsigned char)
SIMTX_MAKE_VEC(short, short)
SIMTX_MAKE_VEC(ushort, unsigned short)
SIMTX_MAKE_VEC(int, int)
SIMTX_MAKE_VEC(uint, unsigned int)
SIMTX_MAKE_VEC(long, long int)
SIMTX_MAKE_VEC(ulong, unsigned long int)
SIMTX_MAKE_VEC(longlong, long long int)
SIMTX_MAKE_VEC(ulonglong, unsigned long long int)
SIMTX_MAKE_VEC(float, float)
SIMTX_MAKE_VEC(double, double)
#undef SIMTX_MAKE_VEC
#undef SIMTX_MAKE

#endif
