/* Arithmetic of vector types, as sample programs expect it: operators by component, with scalars too; minimum, maximum,
 * clamping, interpolation; dot and cross products, lengths. */
#ifndef HELPER_MATH_H
#define HELPER_MATH_H

#include <math.h>
#include "cuda_runtime.h"

typedef unsigned int uint;
typedef unsigned short ushort;

#define SIMTX_MATH static inline __host__ __device__

/* ---- conversions: from one value, from longer vectors, from a vector and a value, from other types ---- */

#define SIMTX_MAKE2(V, S, V3) \
    SIMTX_MATH V make_##V(S s) { return make_##V(s, s); } \
    SIMTX_MATH V make_##V(V3 a) { return make_##V(a.x, a.y); }
#define SIMTX_MAKE3(V, S, V2, V4) \
    SIMTX_MATH V make_##V(S s) { return make_##V(s, s, s); } \
    SIMTX_MATH V make_##V(V2 a) { return make_##V(a.x, a.y, S(0)); } \
    SIMTX_MATH V make_##V(V2 a, S s) { return make_##V(a.x, a.y, s); } \
    SIMTX_MATH V make_##V(V4 a) { return make_##V(a.x, a.y, a.z); }
#define SIMTX_MAKE4(V, S, V3) \
    SIMTX_MATH V make_##V(S s) { return make_##V(s, s, s, s); } \
    SIMTX_MATH V make_##V(V3 a) { return make_##V(a.x, a.y, a.z, S(0)); } \
    SIMTX_MATH V make_##V(V3 a, S s) { return make_##V(a.x, a.y, a.z, s); }
#define SIMTX_CONVERT2(V, S, FROM) \
    SIMTX_MATH V make_##V(FROM a) { return make_##V(S(a.x), S(a.y)); }
#define SIMTX_CONVERT3(V, S, FROM) \
    SIMTX_MATH V make_##V(FROM a) { return make_##V(S(a.x), S(a.y), S(a.z)); }
#define SIMTX_CONVERT4(V, S, FROM) \
    SIMTX_MATH V make_##V(FROM a) { return make_##V(S(a.x), S(a.y), S(a.z), S(a.w)); }

SIMTX_MAKE2(float2, float, float3)
SIMTX_MAKE3(float3, float, float2, float4)
SIMTX_MAKE4(float4, float, float3)
SIMTX_CONVERT2(float2, float, int2)
SIMTX_CONVERT3(float3, float, int3)
SIMTX_CONVERT4(float4, float, int4)
SIMTX_CONVERT2(float2, float, uint2)
SIMTX_CONVERT3(float3, float, uint3)
SIMTX_CONVERT4(float4, float, uint4)
SIMTX_MAKE2(int2, int, int3)
SIMTX_MAKE3(int3, int, int2, int4)
SIMTX_MAKE4(int4, int, int3)
SIMTX_CONVERT2(int2, int, float2)
SIMTX_CONVERT3(int3, int, float3)
SIMTX_CONVERT4(int4, int, float4)
SIMTX_CONVERT2(int2, int, uint2)
SIMTX_CONVERT3(int3, int, uint3)
SIMTX_CONVERT4(int4, int, uint4)
SIMTX_MAKE2(uint2, uint, uint3)
SIMTX_MAKE3(uint3, uint, uint2, uint4)
SIMTX_MAKE4(uint4, uint, uint3)
SIMTX_CONVERT2(uint2, uint, float2)
SIMTX_CONVERT3(uint3, uint, float3)
SIMTX_CONVERT4(uint4, uint, float4)
SIMTX_CONVERT2(uint2, uint, int2)
SIMTX_CONVERT3(uint3, uint, int3)
SIMTX_CONVERT4(uint4, uint, int4)

/* ---- operators ---- */

#define SIMTX_ASSIGN(V, S, op) \
    SIMTX_MATH void operator op##=(V &a, V b) { a = a op b; } \
    SIMTX_MATH void operator op##=(V &a, S b) { a = a op b; }
#define SIMTX_OPERATOR2(V, S, op) \
    SIMTX_MATH V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y); } \
    SIMTX_MATH V operator op(V a, S b) { return make_##V(a.x op b, a.y op b); } \
    SIMTX_MATH V operator op(S a, V b) { return make_##V(a op b.x, a op b.y); } \
    SIMTX_ASSIGN(V, S, op)
#define SIMTX_OPERATOR3(V, S, op) \
    SIMTX_MATH V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z); } \
    SIMTX_MATH V operator op(V a, S b) { return make_##V(a.x op b, a.y op b, a.z op b); } \
    SIMTX_MATH V operator op(S a, V b) { return make_##V(a op b.x, a op b.y, a op b.z); } \
    SIMTX_ASSIGN(V, S, op)
#define SIMTX_OPERATOR4(V, S, op) \
    SIMTX_MATH V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); } \
    SIMTX_MATH V operator op(V a, S b) { return make_##V(a.x op b, a.y op b, a.z op b, a.w op b); } \
    SIMTX_MATH V operator op(S a, V b) { return make_##V(a op b.x, a op b.y, a op b.z, a op b.w); } \
    SIMTX_ASSIGN(V, S, op)
#define SIMTX_OPERATORS(N, V, S) \
    SIMTX_OPERATOR##N(V, S, +) \
    SIMTX_OPERATOR##N(V, S, -) \
    SIMTX_OPERATOR##N(V, S, *)

SIMTX_OPERATORS(2, float2, float)
SIMTX_OPERATORS(3, float3, float)
SIMTX_OPERATORS(4, float4, float)
SIMTX_OPERATORS(2, int2, int)
SIMTX_OPERATORS(3, int3, int)
SIMTX_OPERATORS(4, int4, int)
SIMTX_OPERATORS(2, uint2, uint)
SIMTX_OPERATORS(3, uint3, uint)
SIMTX_OPERATORS(4, uint4, uint)
SIMTX_OPERATOR2(float2, float, /)
SIMTX_OPERATOR3(float3, float, /)
SIMTX_OPERATOR4(float4, float, /)

/* ---- functions by component ---- */

#define SIMTX_UNARY(NAME, f, T) \
    SIMTX_MATH T##2 NAME(T##2 a) { return make_##T##2(f(a.x), f(a.y)); } \
    SIMTX_MATH T##3 NAME(T##3 a) { return make_##T##3(f(a.x), f(a.y), f(a.z)); } \
    SIMTX_MATH T##4 NAME(T##4 a) { return make_##T##4(f(a.x), f(a.y), f(a.z), f(a.w)); }
#define SIMTX_BINARY(NAME, f, T) \
    SIMTX_MATH T##2 NAME(T##2 a, T##2 b) { return make_##T##2(f(a.x, b.x), f(a.y, b.y)); } \
    SIMTX_MATH T##3 NAME(T##3 a, T##3 b) { return make_##T##3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); } \
    SIMTX_MATH T##4 NAME(T##4 a, T##4 b) \
    { \
        return make_##T##4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)); \
    }

template <class T> SIMTX_MATH T simtx_negative(T a) { return -a; }
template <class T> SIMTX_MATH T simtx_least(T a, T b) { return a < b ? a : b; }
template <class T> SIMTX_MATH T simtx_greatest(T a, T b) { return a < b ? b : a; }

SIMTX_UNARY(operator-, simtx_negative, float)
SIMTX_UNARY(operator-, simtx_negative, int)
SIMTX_MATH float fracf(float v) { return v - floorf(v); }
SIMTX_UNARY(floorf, ::floorf, float)
SIMTX_UNARY(fracf, ::fracf, float)
SIMTX_UNARY(fabs, ::fabsf, float)
SIMTX_UNARY(abs, ::abs, int)
SIMTX_BINARY(fminf, ::fminf, float)
SIMTX_BINARY(fmaxf, ::fmaxf, float)
SIMTX_BINARY(fmodf, ::fmodf, float)
SIMTX_BINARY(min, simtx_least, int)
SIMTX_BINARY(max, simtx_greatest, int)
SIMTX_BINARY(min, simtx_least, uint)
SIMTX_BINARY(max, simtx_greatest, uint)

/* Between bounds, which are values or vectors. */
SIMTX_MATH float clamp(float v, float a, float b) { return ::fmaxf(a, ::fminf(v, b)); }
SIMTX_MATH int clamp(int v, int a, int b) { return simtx_greatest(a, simtx_least(v, b)); }
SIMTX_MATH uint clamp(uint v, uint a, uint b) { return simtx_greatest(a, simtx_least(v, b)); }
#define SIMTX_CLAMP(T) \
    SIMTX_MATH T##2 clamp(T##2 v, T##2 a, T##2 b) { return make_##T##2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); } \
    SIMTX_MATH T##3 clamp(T##3 v, T##3 a, T##3 b) \
    { \
        return make_##T##3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z)); \
    } \
    SIMTX_MATH T##4 clamp(T##4 v, T##4 a, T##4 b) \
    { \
        return make_##T##4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w)); \
    } \
    SIMTX_MATH T##2 clamp(T##2 v, T a, T b) { return clamp(v, make_##T##2(a), make_##T##2(b)); } \
    SIMTX_MATH T##3 clamp(T##3 v, T a, T b) { return clamp(v, make_##T##3(a), make_##T##3(b)); } \
    SIMTX_MATH T##4 clamp(T##4 v, T a, T b) { return clamp(v, make_##T##4(a), make_##T##4(b)); }
SIMTX_CLAMP(float)
SIMTX_CLAMP(int)
SIMTX_CLAMP(uint)

/* ---- geometry ---- */

#define SIMTX_DOT(T) \
    SIMTX_MATH T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; } \
    SIMTX_MATH T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    SIMTX_MATH T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
SIMTX_DOT(float)
SIMTX_DOT(int)
SIMTX_DOT(uint)

SIMTX_MATH float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* From C++20 on <math.h> has it. */
#if __cplusplus < 202002L
SIMTX_MATH float lerp(float a, float b, float t) { return a + t * (b - a); }
#endif
SIMTX_MATH float smoothstep(float a, float b, float x)
{
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
#define SIMTX_GEOMETRY(V) \
    SIMTX_MATH V lerp(V a, V b, float t) { return a + t * (b - a); } \
    SIMTX_MATH float length(V v) { return sqrtf(dot(v, v)); } \
    SIMTX_MATH V normalize(V v) { return v * (1.0f / sqrtf(dot(v, v))); } \
    SIMTX_MATH V reflect(V i, V n) { return i - 2.0f * n * dot(n, i); } \
    SIMTX_MATH V smoothstep(V a, V b, V x) \
    { \
        V y = clamp((x - a) / (b - a), 0.0f, 1.0f); \
        return y * y * (3.0f - 2.0f * y); \
    }
SIMTX_GEOMETRY(float2)
SIMTX_GEOMETRY(float3)
SIMTX_GEOMETRY(float4)

#endif
