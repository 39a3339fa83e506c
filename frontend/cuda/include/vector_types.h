/* CUDA's short vectors: int2, float4 and the like, with the sizes and alignments that the CUDA C++
 * programming guide tabulates ("Built-in Vector Types"), and dim3. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#ifdef __cplusplus
#define SIMTX_VEC(name, T, s1, s2, s3, s4)                   \
    struct name##1 { T x; };                                 \
    struct __attribute__((aligned(s2))) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; };                           \
    struct __attribute__((aligned(s4))) name##4 { T x, y, z, w; };
#else
#define SIMTX_VEC(name, T, s1, s2, s3, s4)                                \
    typedef struct name##1 { T x; }                                       \
    name##1;                                                              \
    typedef struct __attribute__((aligned(s2))) name##2 { T x, y; }       \
    name##2;                                                              \
    typedef struct name##3 { T x, y, z; }                                 \
    name##3;                                                              \
    typedef struct __attribute__((aligned(s4))) name##4 { T x, y, z, w; } \
    name##4;
#endif

SIMTX_VEC(char, signed char, 1, 2, 1, 4)
SIMTX_VEC(uchar, unsigned char, 1, 2, 1, 4)
SIMTX_VEC(short, short, 2, 4, 2, 8)
SIMTX_VEC(ushort, unsigned short, 2, 4, 2, 8)
SIMTX_VEC(int, int, 4, 8, 4, 16)
SIMTX_VEC(uint, unsigned int, 4, 8, 4, 16)
SIMTX_VEC(long, long int, 8, 16, 8, 16)
SIMTX_VEC(ulong, unsigned long int, 8, 16, 8, 16)
SIMTX_VEC(longlong, long long int, 8, 16, 8, 16)
SIMTX_VEC(ulonglong, unsigned long long int, 8, 16, 8, 16)
SIMTX_VEC(float, float, 4, 8, 4, 16)
SIMTX_VEC(double, double, 8, 16, 8, 16)
#undef SIMTX_VEC

#ifdef __cplusplus
struct dim3 {
    unsigned int x, y, z;
#if __cplusplus >= 201103L
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
    __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ operator uint3() const
    {
        uint3 t;
        t.x = x;
        t.y = y;
        t.z = z;
        return t;
    }
#endif
};
#else
typedef struct dim3 {
    unsigned int x, y, z;
} dim3;
#endif

#endif
