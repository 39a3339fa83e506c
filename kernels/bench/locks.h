// Critical sections under locks in memory, given as a lambda. The locks follow one form: the whole loop between
// simtx_lock_begin() and simtx_lock_end(), the critical section and the release inside the loop's body (simtx_tm.h),
// fences on both sides of the critical section, and two locks always taken in one order over the whole program.
#ifndef KERNELS_BENCH_LOCKS_H
#define KERNELS_BENCH_LOCKS_H

#include <cuda_runtime.h>
#include <simtx_tm.h>

// The scope of the fences of a lock: the threads that share it.
struct GpuScope {
    static __device__ __forceinline__ void fence() { __threadfence(); }
};

struct BlockScope {
    static __device__ __forceinline__ void fence() { __threadfence_block(); }
};

// Runs `body` under the lock if it is free. Returns whether it was free.
template <typename Scope, typename Body>
static __device__ __forceinline__ int try_lock(int *lock, Body body) {
    if (atomicCAS(lock, 0, 1) != 0) {
        return 0;
    }
    Scope::fence();
    body();
    Scope::fence();
    atomicExch(lock, 0);
    return 1;
}

// Runs `body` under a lock: 0 is free, 1 taken.
template <typename Scope = GpuScope, typename Body>
static __device__ __forceinline__ void under_lock(int *lock, Body body) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        done = try_lock<Scope>(lock, body);
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

// Runs `body` under two different locks, given in the program's order of locks. A thread that gets only the first
// releases it, so that it never holds a lock while it waits for lanes of its own warp.
template <typename Scope = GpuScope, typename Body>
static __device__ __forceinline__ void under_two_locks(int *first, int *second, Body body) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        if (atomicCAS(first, 0, 1) == 0) {
            done = try_lock<Scope>(second, body);
            atomicExch(first, 0);
        }
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

#endif
