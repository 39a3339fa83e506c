/* CUDA's atomic functions (CUDA C++ programming guide, "Atomic Functions") in device, block and system scope,
 * built on the typed primitives of clang's wrapper; functions that clang lacks (Sub, 16-bit compare-and-swap)
 * are defined here. */
#ifndef SIMTX_ATOMICS_H
#define SIMTX_ATOMICS_H

#include "simtx/keywords.h"

#define SIMTX_ATOMIC(Op, T, P, prim, s) \
    SIMTX_DEV T atomic##Op##s(T *p, T v) { return (T)prim##Atomic##Op##s((P *)p, (P)v); }
#define SIMTX_ATOMIC_CAS(T, P, prim, s) \
    SIMTX_DEV T atomicCAS##s(T *p, T c, T v) { return (T)prim##AtomicCAS##s((P *)p, (P)c, (P)v); }

/* clang's scoped minimum and maximum of unsigned numbers compare them as signed */
#define SIMTX_UNSIGNED(name, T, scope, op, type, c)                                          \
    SIMTX_DEV T name(T *p, T v)                                                              \
    {                                                                                        \
        T old;                                                                               \
        asm volatile("atom." scope "." op "." type " %0, [%1], %2;"                          \
                     : "=" c(old)                                                            \
                     : "l"(p), c(v)                                                          \
                     : "memory");                                                            \
        return old;                                                                          \
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
SIMTX_UNSIGNED(simtx_umin_block, unsigned int, "cta", "min", "u32", "r")
SIMTX_UNSIGNED(simtx_umax_block, unsigned int, "cta", "max", "u32", "r")
SIMTX_UNSIGNED(simtx_umin_system, unsigned int, "sys", "min", "u32", "r")
SIMTX_UNSIGNED(simtx_umax_system, unsigned int, "sys", "max", "u32", "r")
SIMTX_UNSIGNED(simtx_ullmin_block, unsigned long long, "cta", "min", "u64", "l")
SIMTX_UNSIGNED(simtx_ullmax_block, unsigned long long, "cta", "max", "u64", "l")
SIMTX_UNSIGNED(simtx_ullmin_system, unsigned long long, "sys", "min", "u64", "l")
SIMTX_UNSIGNED(simtx_ullmax_system, unsigned long long, "sys", "max", "u64", "l")
#define __uAtomicMin_block simtx_umin_block
#define __uAtomicMax_block simtx_umax_block
#define __uAtomicMin_system simtx_umin_system
#define __uAtomicMax_system simtx_umax_system
#define __ullAtomicMin_block simtx_ullmin_block
#define __ullAtomicMax_block simtx_ullmax_block
#define __ullAtomicMin_system simtx_ullmin_system
#define __ullAtomicMax_system simtx_ullmax_system
#endif
#undef SIMTX_UNSIGNED

#define SIMTX_ATOMICS(s)                                                                               \
    SIMTX_ATOMIC(Add, int, int, __i, s)                                                                \
    SIMTX_ATOMIC(Add, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(Add, unsigned long long, unsigned long long, __ull, s)                                \
    SIMTX_ATOMIC(Add, float, float, __f, s)                                                            \
    SIMTX_ATOMIC(Exch, int, int, __i, s)                                                               \
    SIMTX_ATOMIC(Exch, unsigned int, unsigned int, __u, s)                                             \
    SIMTX_ATOMIC(Exch, unsigned long long, unsigned long long, __ull, s)                               \
    SIMTX_ATOMIC(Exch, float, float, __f, s)                                                           \
    SIMTX_ATOMIC(Min, int, int, __i, s)                                                                \
    SIMTX_ATOMIC(Min, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(Min, long long, long long, __ill, s)                                                  \
    SIMTX_ATOMIC(Min, unsigned long long, unsigned long long, __ull, s)                                \
    SIMTX_ATOMIC(Max, int, int, __i, s)                                                                \
    SIMTX_ATOMIC(Max, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(Max, long long, long long, __ill, s)                                                  \
    SIMTX_ATOMIC(Max, unsigned long long, unsigned long long, __ull, s)                                \
    SIMTX_ATOMIC(Inc, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(Dec, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(And, int, int, __i, s)                                                                \
    SIMTX_ATOMIC(And, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(And, unsigned long long, unsigned long long, __ull, s)                                \
    SIMTX_ATOMIC(Or, int, int, __i, s)                                                                 \
    SIMTX_ATOMIC(Or, unsigned int, unsigned int, __u, s)                                               \
    SIMTX_ATOMIC(Or, unsigned long long, unsigned long long, __ull, s)                                 \
    SIMTX_ATOMIC(Xor, int, int, __i, s)                                                                \
    SIMTX_ATOMIC(Xor, unsigned int, unsigned int, __u, s)                                              \
    SIMTX_ATOMIC(Xor, unsigned long long, unsigned long long, __ull, s)                                \
    SIMTX_ATOMIC_CAS(int, int, __i, s)                                                                 \
    SIMTX_ATOMIC_CAS(unsigned int, unsigned int, __u, s)                                               \
    SIMTX_ATOMIC_CAS(unsigned long long, unsigned long long, __ull, s)                                 \
    SIMTX_DEV int atomicSub##s(int *p, int v) { return atomicAdd##s(p, (int)(0u - (unsigned int)v)); } \
    SIMTX_DEV unsigned int atomicSub##s(unsigned int *p, unsigned int v) { return atomicAdd##s(p, 0u - v); }

SIMTX_ATOMICS()
/* Before sm_60 programs define these themselves. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
SIMTX_ATOMIC(Add, double, double, __d, )
SIMTX_ATOMICS(_block)
SIMTX_ATOMIC(Add, double, double, __d, _block)
SIMTX_ATOMICS(_system)
SIMTX_ATOMIC(Add, double, double, __d, _system)
#endif
#undef SIMTX_ATOMICS
#undef SIMTX_ATOMIC_CAS
#undef SIMTX_ATOMIC

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define SIMTX_CAS16(s, scope)                                                                    \
    SIMTX_DEV unsigned short atomicCAS##s(unsigned short *p, unsigned short c, unsigned short v) \
    {                                                                                            \
        unsigned short r;                                                                        \
        asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                   \
                     : "=h"(r)                                                                   \
                     : "l"(p), "h"(c), "h"(v)                                                    \
                     : "memory");                                                                \
        return r;                                                                                \
    }
SIMTX_CAS16(, "")
SIMTX_CAS16(_block, ".cta")
SIMTX_CAS16(_system, ".sys")
#undef SIMTX_CAS16
#endif

/* Vectors in global memory, each component for itself. Templates, so that a program's own functions come first. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <class T_> struct simtx_float_vector {};
template <> struct simtx_float_vector<float2> { typedef float2 type; };
template <> struct simtx_float_vector<float4> { typedef float4 type; };
SIMTX_DEV float2 simtx_atomic_add(float2 *p, float2 v)
{
    float2 r;
    asm volatile("{ .reg .u64 a; cvta.to.global.u64 a, %2; atom.global.add.v2.f32 {%0, %1}, [a], {%3, %4}; }"
                 : "=f"(r.x), "=f"(r.y)
                 : "l"(p), "f"(v.x), "f"(v.y)
                 : "memory");
    return r;
}
SIMTX_DEV float4 simtx_atomic_add(float4 *p, float4 v)
{
    float4 r;
    asm volatile("{ .reg .u64 a; cvta.to.global.u64 a, %4; atom.global.add.v4.f32 {%0, %1, %2, %3}, [a], "
                 "{%5, %6, %7, %8}; }"
                 : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)
                 : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
    return r;
}
template <class T_> SIMTX_DEV typename simtx_float_vector<T_>::type atomicAdd(T_ *p, T_ v)
{
    return simtx_atomic_add(p, v);
}
#endif

#endif
