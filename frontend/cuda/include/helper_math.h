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

#define SIMTX_MAKE2(V_, S_, V3)                               \
    SIMTX_MATH V_ make_##V_(S_ s) { return make_##V_(s, s); } \
    SIMTX_MATH V_ make_##V_(V3 a) { return make_##V_(a.x, a.y); }
#define SIMTX_MAKE3(V_, S_, V2, V4)                                        \
    SIMTX_MATH V_ make_##V_(S_ s) { return make_##V_(s, s, s); }           \
    SIMTX_MATH V_ make_##V_(V2 a) { return make_##V_(a.x, a.y, S_(0)); }   \
    SIMTX_MATH V_ make_##V_(V2 a, S_ s) { return make_##V_(a.x, a.y, s); } \
    SIMTX_MATH V_ make_##V_(V4 a) { return make_##V_(a.x, a.y, a.z); }
#define SIMTX_MAKE4(V_, S_, V3)                                               \
    SIMTX_MATH V_ make_##V_(S_ s) { return make_##V_(s, s, s, s); }           \
    SIMTX_MATH V_ make_##V_(V3 a) { return make_##V_(a.x, a.y, a.z, S_(0)); } \
    SIMTX_MATH V_ make_##V_(V3 a, S_ s) { return make_##V_(a.x, a.y, a.z, s); }
#define SIMTX_CONVERT2(V_, S_, FROM) \
    SIMTX_MATH V_ make_##V_(FROM a) { return make_##V_(S_(a.x), S_(a.y)); }
#define SIMTX_CONVERT3(V_, S_, FROM) \
    SIMTX_MATH V_ make_##V_(FROM a) { return make_##V_(S_(a.x), S_(a.y), S_(a.z)); }
#define SIMTX_CONVERT4(V_, S_, FROM) \
    SIMTX_MATH V_ make_##V_(FROM a) { return make_##V_(S_(a.x), S_(a.y), S_(a.z), S_(a.w)); }

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

#define SIMTX_ASSIGN(V_, S_, op)                                \
    SIMTX_MATH void operator op##=(V_ &a, V_ b) { a = a op b; } \
    SIMTX_MATH void operator op##=(V_ &a, S_ b) { a = a op b; }
#define SIMTX_OPERATOR2(V_, S_, op)                                                     \
    SIMTX_MATH V_ operator op(V_ a, V_ b) { return make_##V_(a.x op b.x, a.y op b.y); } \
    SIMTX_MATH V_ operator op(V_ a, S_ b) { return make_##V_(a.x op b, a.y op b); }     \
    SIMTX_MATH V_ operator op(S_ a, V_ b) { return make_##V_(a op b.x, a op b.y); }     \
    SIMTX_ASSIGN(V_, S_, op)
#define SIMTX_OPERATOR3(V_, S_, op)                                                                 \
    SIMTX_MATH V_ operator op(V_ a, V_ b) { return make_##V_(a.x op b.x, a.y op b.y, a.z op b.z); } \
    SIMTX_MATH V_ operator op(V_ a, S_ b) { return make_##V_(a.x op b, a.y op b, a.z op b); }       \
    SIMTX_MATH V_ operator op(S_ a, V_ b) { return make_##V_(a op b.x, a op b.y, a op b.z); }       \
    SIMTX_ASSIGN(V_, S_, op)
#define SIMTX_OPERATOR4(V_, S_, op)                                                                             \
    SIMTX_MATH V_ operator op(V_ a, V_ b) { return make_##V_(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); } \
    SIMTX_MATH V_ operator op(V_ a, S_ b) { return make_##V_(a.x op b, a.y op b, a.z op b, a.w op b); }         \
    SIMTX_MATH V_ operator op(S_ a, V_ b) { return make_##V_(a op b.x, a op b.y, a op b.z, a op b.w); }         \
    SIMTX_ASSIGN(V_, S_, op)
#define SIMTX_OPERATORS(N_, V_, S_) \
    SIMTX_OPERATOR##N_(V_, S_, +)   \
    SIMTX_OPERATOR##N_(V_, S_, -)   \
    SIMTX_OPERATOR##N_(V_, S_, *)

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

#define SIMTX_UNARY(NAME, f, T_)                                                    \
    SIMTX_MATH T_##2 NAME(T_##2 a) { return make_##T_##2(f(a.x), f(a.y)); }         \
    SIMTX_MATH T_##3 NAME(T_##3 a) { return make_##T_##3(f(a.x), f(a.y), f(a.z)); } \
    SIMTX_MATH T_##4 NAME(T_##4 a) { return make_##T_##4(f(a.x), f(a.y), f(a.z), f(a.w)); }
#define SIMTX_BINARY(NAME, f, T_)                                                                           \
    SIMTX_MATH T_##2 NAME(T_##2 a, T_##2 b) { return make_##T_##2(f(a.x, b.x), f(a.y, b.y)); }              \
    SIMTX_MATH T_##3 NAME(T_##3 a, T_##3 b) { return make_##T_##3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); } \
    SIMTX_MATH T_##4 NAME(T_##4 a, T_##4 b)                                                                 \
    {                                                                                                       \
        return make_##T_##4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));                            \
    }

template <class T_> SIMTX_MATH T_ simtx_negative(T_ a) { return -a; }
template <class T_> SIMTX_MATH T_ simtx_least(T_ a, T_ b) { return a < b ? a : b; }
template <class T_> SIMTX_MATH T_ simtx_greatest(T_ a, T_ b) { return a < b ? b : a; }

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
#define SIMTX_CLAMP(T_)                                                                                              \
    SIMTX_MATH T_##2 clamp(T_##2 v, T_##2 a, T_##2 b)                                                                \
    {                                                                                                                \
        return make_##T_##2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y));                                             \
    }                                                                                                                \
    SIMTX_MATH T_##3 clamp(T_##3 v, T_##3 a, T_##3 b)                                                                \
    {                                                                                                                \
        return make_##T_##3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z));                       \
    }                                                                                                                \
    SIMTX_MATH T_##4 clamp(T_##4 v, T_##4 a, T_##4 b)                                                                \
    {                                                                                                                \
        return make_##T_##4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w)); \
    }                                                                                                                \
    SIMTX_MATH T_##2 clamp(T_##2 v, T_ a, T_ b) { return clamp(v, make_##T_##2(a), make_##T_##2(b)); }               \
    SIMTX_MATH T_##3 clamp(T_##3 v, T_ a, T_ b) { return clamp(v, make_##T_##3(a), make_##T_##3(b)); }               \
    SIMTX_MATH T_##4 clamp(T_##4 v, T_ a, T_ b) { return clamp(v, make_##T_##4(a), make_##T_##4(b)); }
SIMTX_CLAMP(float)
SIMTX_CLAMP(int)
SIMTX_CLAMP(uint)

/* ---- geometry ---- */

#define SIMTX_DOT(T_)                                                                 \
    SIMTX_MATH T_ dot(T_##2 a, T_##2 b) { return a.x * b.x + a.y * b.y; }             \
    SIMTX_MATH T_ dot(T_##3 a, T_##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    SIMTX_MATH T_ dot(T_##4 a, T_##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
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
#define SIMTX_GEOMETRY(V_)                                                  \
    SIMTX_MATH V_ lerp(V_ a, V_ b, float t) { return a + t * (b - a); }     \
    SIMTX_MATH float length(V_ v) { return sqrtf(dot(v, v)); }              \
    SIMTX_MATH V_ normalize(V_ v) { return v * (1.0f / sqrtf(dot(v, v))); } \
    SIMTX_MATH V_ reflect(V_ i, V_ n) { return i - 2.0f * n * dot(n, i); }  \
    SIMTX_MATH V_ smoothstep(V_ a, V_ b, V_ x)                              \
    {                                                                       \
        V_ y = clamp((x - a) / (b - a), 0.0f, 1.0f);                        \
        return y * y * (3.0f - 2.0f * y);                                   \
    }
SIMTX_GEOMETRY(float2)
SIMTX_GEOMETRY(float3)
SIMTX_GEOMETRY(float4)

#endif
