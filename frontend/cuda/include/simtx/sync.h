/* Barriers and fences (CUDA C++ programming guide, "Synchronization Functions", "Memory Fence Functions").  clang 14
 * assumes that its own barrier intrinsics cannot change a shared variable whose address is not taken, and moves
 * loads of it across the barrier.  Loads do not move across assembly with a memory clobber. */
#ifndef SIMTX_SYNC_H
#define SIMTX_SYNC_H

#include "simtx/keywords.h"

SIMTX_DEV void simtx_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
SIMTX_DEV void simtx_threadfence() { asm volatile("membar.gl;" ::: "memory"); }
SIMTX_DEV void simtx_threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
SIMTX_DEV void simtx_threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

SIMTX_DEV int simtx_syncthreads_count(int pred)
{
    int n;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(n)
                 : "r"(pred)
                 : "memory");
    return n;
}

#define SIMTX_SYNC_REDUCE(name, op)                                                                            \
    SIMTX_DEV int name(int pred)                                                                               \
    {                                                                                                          \
        int r;                                                                                                 \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." op ".pred q, 0, p; selp.s32 %0, 1, 0, q; }" \
                     : "=r"(r)                                                                                 \
                     : "r"(pred)                                                                               \
                     : "memory");                                                                              \
        return r;                                                                                              \
    }
SIMTX_SYNC_REDUCE(simtx_syncthreads_and, "and")
SIMTX_SYNC_REDUCE(simtx_syncthreads_or, "or")
#undef SIMTX_SYNC_REDUCE

/* clang defines these names itself, as builtins or inline functions */
#define __syncthreads() simtx_syncthreads()
#define __syncthreads_count(pred) simtx_syncthreads_count(pred)
#define __syncthreads_and(pred) simtx_syncthreads_and(pred)
#define __syncthreads_or(pred) simtx_syncthreads_or(pred)
#define __threadfence() simtx_threadfence()
#define __threadfence_block() simtx_threadfence_block()
#define __threadfence_system() simtx_threadfence_system()

SIMTX_DEV void __syncwarp(unsigned int mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
SIMTX_DEV void __barrier_sync(unsigned int id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
SIMTX_DEV void __barrier_sync_count(unsigned int id, unsigned int n)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}

#endif
