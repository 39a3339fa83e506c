/* Warp-wide functions (CUDA C++ programming guide, "Warp Vote/Match/Reduce/Shuffle Functions").  This file
 * replaces clang's own header: its 64-bit unsigned shuffle calls itself, and its forms without a mask cannot
 * be compiled for sm_70 and later.  Here the old names mean the _sync form with a full mask. */
#ifndef SIMTX_WARP_H
#define SIMTX_WARP_H

#include "simtx/keywords.h"
#include "simtx/cluster_intrinsics.h"
#include "simtx/sync.h"

/* The clamp operand of shfl: segment mask in bits 8..12, last lane of the segment in bits 0..4. */
#define SIMTX_SHFL_32(name, op, T, O, clamp)                                                         \
    SIMTX_DEV T name(unsigned int mask, T v, O lane, int width = 32)                                 \
    {                                                                                                \
        return (T)__nvvm_shfl_sync_##op##_i32(mask, (int)v, (int)lane, ((32 - width) << 8) | clamp); \
    }
#define SIMTX_SHFL_64(name, T, O)                                           \
    SIMTX_DEV T name(unsigned int mask, T v, O lane, int width = 32)        \
    {                                                                       \
        unsigned long long u = simtx_warp::to_u64(v);                       \
        unsigned int lo = name(mask, (unsigned int)u, lane, width);         \
        unsigned int hi = name(mask, (unsigned int)(u >> 32), lane, width); \
        return simtx_warp::from_u64<T>((unsigned long long)hi << 32 | lo);  \
    }
#define SIMTX_SHFL_OLD(old, name, T, O) \
    SIMTX_DEV T old(T v, O lane, int width = 32) { return name(0xffffffffu, v, lane, width); }
#define SIMTX_SHFL(old, name, op, O, clamp)                                                  \
    SIMTX_SHFL_32(name, op, int, O, clamp)                                                   \
    SIMTX_SHFL_32(name, op, unsigned int, O, clamp)                                          \
    SIMTX_DEV float name(unsigned int mask, float v, O lane, int width = 32)                 \
    {                                                                                        \
        return __nvvm_shfl_sync_##op##_f32(mask, v, (int)lane, ((32 - width) << 8) | clamp); \
    }                                                                                        \
    SIMTX_SHFL_64(name, long long, O)                                                        \
    SIMTX_SHFL_64(name, unsigned long long, O)                                               \
    SIMTX_SHFL_64(name, long, O)                                                             \
    SIMTX_SHFL_64(name, unsigned long, O)                                                    \
    SIMTX_SHFL_64(name, double, O)                                                           \
    SIMTX_SHFL_OLD(old, name, int, O)                                                        \
    SIMTX_SHFL_OLD(old, name, unsigned int, O)                                               \
    SIMTX_SHFL_OLD(old, name, float, O)                                                      \
    SIMTX_SHFL_OLD(old, name, long long, O)                                                  \
    SIMTX_SHFL_OLD(old, name, unsigned long long, O)                                         \
    SIMTX_SHFL_OLD(old, name, long, O)                                                       \
    SIMTX_SHFL_OLD(old, name, unsigned long, O)                                              \
    SIMTX_SHFL_OLD(old, name, double, O)

namespace simtx_warp
{
template <class T_> SIMTX_DEV unsigned long long to_u64(T_ v)
{
    unsigned long long u;
    __builtin_memcpy(&u, &v, 8);
    return u;
}
template <class T_> SIMTX_DEV T_ from_u64(unsigned long long u)
{
    T_ v;
    __builtin_memcpy(&v, &u, 8);
    return v;
}
} // namespace simtx_warp

SIMTX_SHFL(__shfl, __shfl_sync, idx, int, 31)
SIMTX_SHFL(__shfl_up, __shfl_up_sync, up, unsigned int, 0)
SIMTX_SHFL(__shfl_down, __shfl_down_sync, down, unsigned int, 31)
SIMTX_SHFL(__shfl_xor, __shfl_xor_sync, bfly, int, 31)
#undef SIMTX_SHFL
#undef SIMTX_SHFL_OLD
#undef SIMTX_SHFL_64
#undef SIMTX_SHFL_32

SIMTX_DEV int __all_sync(unsigned int mask, int pred) { return __nvvm_vote_all_sync(mask, pred); }
SIMTX_DEV int __any_sync(unsigned int mask, int pred) { return __nvvm_vote_any_sync(mask, pred); }
SIMTX_DEV int __uni_sync(unsigned int mask, int pred) { return __nvvm_vote_uni_sync(mask, pred); }
SIMTX_DEV unsigned int __ballot_sync(unsigned int mask, int pred)
{
    return __nvvm_vote_ballot_sync(mask, pred);
}
SIMTX_DEV unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    return __nvvm_fns(mask, base, offset);
}

SIMTX_DEV unsigned int __activemask(void)
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define SIMTX_MATCH_32(T)                                                                       \
    SIMTX_DEV unsigned int __match_any_sync(unsigned int mask, T v)                             \
    {                                                                                           \
        unsigned int r, u;                                                                      \
        __builtin_memcpy(&u, &v, 4);                                                            \
        asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(u), "r"(mask));           \
        return r;                                                                               \
    }                                                                                           \
    SIMTX_DEV unsigned int __match_all_sync(unsigned int mask, T v, int *pred)                  \
    {                                                                                           \
        unsigned int r, u;                                                                      \
        int p;                                                                                  \
        __builtin_memcpy(&u, &v, 4);                                                            \
        asm volatile("{ .reg .pred q; match.all.sync.b32 %0|q, %2, %3; selp.s32 %1, 1, 0, q; }" \
                     : "=r"(r), "=r"(p)                                                         \
                     : "r"(u), "r"(mask));                                                      \
        *pred = p;                                                                              \
        return r;                                                                               \
    }
#define SIMTX_MATCH_64(T)                                                                                 \
    SIMTX_DEV unsigned int __match_any_sync(unsigned int mask, T v)                                       \
    {                                                                                                     \
        unsigned int r;                                                                                   \
        asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(simtx_warp::to_u64(v)), "r"(mask)); \
        return r;                                                                                         \
    }                                                                                                     \
    SIMTX_DEV unsigned int __match_all_sync(unsigned int mask, T v, int *pred)                            \
    {                                                                                                     \
        unsigned int r;                                                                                   \
        int p;                                                                                            \
        asm volatile("{ .reg .pred q; match.all.sync.b64 %0|q, %2, %3; selp.s32 %1, 1, 0, q; }"           \
                     : "=r"(r), "=r"(p)                                                                   \
                     : "l"(simtx_warp::to_u64(v)), "r"(mask));                                            \
        *pred = p;                                                                                        \
        return r;                                                                                         \
    }
SIMTX_MATCH_32(int)
SIMTX_MATCH_32(unsigned int)
SIMTX_MATCH_32(float)
SIMTX_MATCH_64(long)
SIMTX_MATCH_64(unsigned long)
SIMTX_MATCH_64(long long)
SIMTX_MATCH_64(unsigned long long)
SIMTX_MATCH_64(double)
#undef SIMTX_MATCH_32
#undef SIMTX_MATCH_64

SIMTX_DEV void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SIMTX_REDUCE(name, T, op)                                                    \
    SIMTX_DEV T __reduce_##name##_sync(unsigned int mask, T v)                       \
    {                                                                                \
        T r;                                                                         \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask)); \
        return r;                                                                    \
    }
SIMTX_REDUCE(add, int, "add.s32")
SIMTX_REDUCE(add, unsigned int, "add.u32")
SIMTX_REDUCE(min, int, "min.s32")
SIMTX_REDUCE(min, unsigned int, "min.u32")
SIMTX_REDUCE(max, int, "max.s32")
SIMTX_REDUCE(max, unsigned int, "max.u32")
SIMTX_REDUCE(and, unsigned int, "and.b32")
SIMTX_REDUCE(or, unsigned int, "or.b32")
SIMTX_REDUCE(xor, unsigned int, "xor.b32")
#undef SIMTX_REDUCE
#endif

#endif
