// Critical sections under locks in memory, given as a lambda. The locks follow one form: the critical section and the
// release inside the loop's body (simtx_tm.h), and two locks always taken in one order over the whole program. The loop
// without the critical section lies between simtx_lock_begin() and simtx_lock_end().
#ifndef KERNELS_BENCH_LOCKS_H
#define KERNELS_BENCH_LOCKS_H

#include <cuda_runtime.h>
#include <simtx_tm.h>

// How critical sections are ordered after each other: by fences, for the threads that share the lock.
struct GpuScope {
    static __device__ __forceinline__ void fence() { __threadfence(); }
    static __device__ __forceinline__ void release(int *lock) { atomicExch(lock, 0); }
};

struct BlockScope {
    static __device__ __forceinline__ void fence() { __threadfence_block(); }
    static __device__ __forceinline__ void release(int *lock) { atomicExch(lock, 0); }
};

// Or without fences, if all words that another thread changes under the lock lie in the lock's line of 128 bytes: a
// thread's accesses to one line reach memory in their order. The critical section loads these words by fresh().
struct LineOrder {
    static __device__ __forceinline__ void fence() {}
    static __device__ __forceinline__ void release(int *lock) { *(volatile int *)lock = 0; }
};

// A load from memory, past caches and registers.
template <typename T>
static __device__ __forceinline__ T fresh(const T *from) {
    return *(const volatile T *)from;
}

// Runs `body` under the lock if it is free. Returns whether it was free. To be called between the markers.
template <typename Scope, typename Body>
static __device__ __forceinline__ int try_lock(int *lock, Body body) {
    if (atomicCAS(lock, 0, 1) != 0) {
        return 0;
    }
    Scope::fence();
    simtx_lock_end();
    body();
    simtx_lock_begin();
    Scope::fence();
    Scope::release(lock);
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

// The same under two locks, if both are free.
template <typename Scope, typename Body>
static __device__ __forceinline__ int try_two_locks(int *first, int *second, Body body) {
    if (atomicCAS(first, 0, 1) != 0) {
        return 0;
    }
    int done = try_lock<Scope>(second, body);
    Scope::release(first);
    return done;
}

// Runs `body` under two different locks, given in the program's order of locks. A thread that gets only the first
// releases it, so that it never holds a lock while it waits for lanes of its own warp.
template <typename Scope = GpuScope, typename Body>
static __device__ __forceinline__ void under_two_locks(int *first, int *second, Body body) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        done = try_two_locks<Scope>(first, second, body);
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

#endif
