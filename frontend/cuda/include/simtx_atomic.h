/* Loads, stores, read-modify-writes and fences with an explicit memory order and scope, as inline PTX (PTX
 * ISA, "Memory Consistency Model").  Compilers translate C11 atomics to different PTX, and some reject sequentially
 * consistent fences; these functions give the same PTX with every compiler.  Scopes: cta, gpu, sys.
 *
 *   simtx_load_acquire_gpu(p)        ld.acquire.gpu          orders: relaxed, acquire
 *   simtx_store_release_gpu(p, v)    st.release.gpu          orders: relaxed, release
 *   simtx_add_acq_rel_gpu(p, v)      atom.acq_rel.gpu.add    orders: relaxed, acquire, release, acq_rel
 *   simtx_exch_..., simtx_min_..., simtx_max_..., simtx_and_..., simtx_or_..., simtx_xor_..., simtx_cas_...(p, c, v)
 *   simtx_fence_sc_gpu()             fence.sc.gpu            orders: sc, acq_rel
 *
 * Types: int, unsigned int, long long, unsigned long long (add also float; loads and stores also float,
 * double). They need sm_70. */
#ifndef SIMTX_ATOMIC_H
#define SIMTX_ATOMIC_H

#include "simtx/keywords.h"

#if defined(__CUDA__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)

#define SIMTX_LOAD(T, C, t, order, scope)                                                        \
    SIMTX_DEV T simtx_load_##order##_##scope(const T *p)                                         \
    {                                                                                            \
        T r;                                                                                     \
        asm volatile("ld." #order "." #scope "." t " %0, [%1];" : "=" C(r) : "l"(p) : "memory"); \
        return r;                                                                                \
    }
#define SIMTX_STORE(T, C, t, order, scope)                                                    \
    SIMTX_DEV void simtx_store_##order##_##scope(T *p, T v)                                   \
    {                                                                                         \
        asm volatile("st." #order "." #scope "." t " [%0], %1;" : : "l"(p), C(v) : "memory"); \
    }
#define SIMTX_RMW(op, T, C, t, order, scope)                                  \
    SIMTX_DEV T simtx_##op##_##order##_##scope(T *p, T v)                     \
    {                                                                         \
        T r;                                                                  \
        asm volatile("atom." #order "." #scope "." #op "." t " %0, [%1], %2;" \
                     : "=" C(r)                                               \
                     : "l"(p), C(v)                                           \
                     : "memory");                                             \
        return r;                                                             \
    }
#define SIMTX_CAS(T, C, t, order, scope)                                      \
    SIMTX_DEV T simtx_cas_##order##_##scope(T *p, T c, T v)                   \
    {                                                                         \
        T r;                                                                  \
        asm volatile("atom." #order "." #scope ".cas." t " %0, [%1], %2, %3;" \
                     : "=" C(r)                                               \
                     : "l"(p), C(c), C(v)                                     \
                     : "memory");                                             \
        return r;                                                             \
    }

#define SIMTX_LDST(T, C, t, scope)       \
    SIMTX_LOAD(T, C, t, relaxed, scope)  \
    SIMTX_LOAD(T, C, t, acquire, scope)  \
    SIMTX_STORE(T, C, t, relaxed, scope) \
    SIMTX_STORE(T, C, t, release, scope)
#define SIMTX_RMWS(T, C, b, st, ut, order, scope) \
    SIMTX_RMW(add, T, C, ut, order, scope)        \
    SIMTX_RMW(min, T, C, st, order, scope)        \
    SIMTX_RMW(max, T, C, st, order, scope)        \
    SIMTX_RMW(exch, T, C, b, order, scope)        \
    SIMTX_RMW(and, T, C, b, order, scope)         \
    SIMTX_RMW(or, T, C, b, order, scope)          \
    SIMTX_RMW(xor, T, C, b, order, scope)         \
    SIMTX_CAS(T, C, b, order, scope)
#define SIMTX_ORDERS(T, C, b, st, ut, scope)    \
    SIMTX_RMWS(T, C, b, st, ut, relaxed, scope) \
    SIMTX_RMWS(T, C, b, st, ut, acquire, scope) \
    SIMTX_RMWS(T, C, b, st, ut, release, scope) \
    SIMTX_RMWS(T, C, b, st, ut, acq_rel, scope)
#define SIMTX_SCOPE(scope)                                                                               \
    SIMTX_LDST(int, "r", "s32", scope)                                                                   \
    SIMTX_LDST(unsigned int, "r", "u32", scope)                                                          \
    SIMTX_LDST(long long, "l", "s64", scope)                                                             \
    SIMTX_LDST(unsigned long long, "l", "u64", scope)                                                    \
    SIMTX_LDST(float, "f", "f32", scope)                                                                 \
    SIMTX_LDST(double, "d", "f64", scope)                                                                \
    SIMTX_ORDERS(int, "r", "b32", "s32", "s32", scope)                                                   \
    SIMTX_ORDERS(unsigned int, "r", "b32", "u32", "u32", scope)                                          \
    SIMTX_ORDERS(long long, "l", "b64", "s64", "u64", scope)                                             \
    SIMTX_ORDERS(unsigned long long, "l", "b64", "u64", "u64", scope)                                    \
    SIMTX_RMW(add, float, "f", "f32", relaxed, scope)                                                    \
    SIMTX_RMW(add, float, "f", "f32", acq_rel, scope)                                                    \
    SIMTX_DEV void simtx_fence_sc_##scope(void) { asm volatile("fence.sc." #scope ";" : : : "memory"); } \
    SIMTX_DEV void simtx_fence_acq_rel_##scope(void)                                                     \
    {                                                                                                    \
        asm volatile("fence.acq_rel." #scope ";" : : : "memory");                                        \
    }

SIMTX_SCOPE(cta)
SIMTX_SCOPE(gpu)
SIMTX_SCOPE(sys)
#undef SIMTX_SCOPE
#undef SIMTX_ORDERS
#undef SIMTX_RMWS
#undef SIMTX_LDST
#undef SIMTX_CAS
#undef SIMTX_RMW
#undef SIMTX_STORE
#undef SIMTX_LOAD
#endif

#endif
