/* Transactions in device code, and the markers that lock-based versions of the same algorithm use.
 *
 *   tx_begin(); ... tx_commit();
 *       A transaction: the PTX instructions `tx_begin;` and `tx_commit;`.  The configuration (tm.*) selects
 *       the protocol; in functional mode every transaction is atomic.  Nesting is flattened.
 *
 *   simtx_lock_begin(); ... simtx_lock_end();
 *       Marks the code that acquires and releases a lock, for the breakdown of cycles into work and
 *       locking.  To count a critical section as work, end the marked code before it and begin it again
 *       after it.  A marker is a PTX comment: it costs no instruction.
 *
 *   SIMTX_LOCK_DONE(done);
 *       The last statement of the body of a lock loop; its argument is the variable that ends the loop:
 *
 *           int done = 0;
 *           while (!done) {
 *               if (atomicCAS(lock, 0, 1) == 0) {
 *                   ...                        // critical section
 *                   __threadfence();
 *                   atomicExch(lock, 0);
 *                   done = 1;
 *               }
 *               SIMTX_LOCK_DONE(done);
 *           }
 *
 *       Without it clang infers that the loop ends when the lock is acquired, and moves the critical section
 *       after the loop.  The lane that holds the lock then waits at the reconvergence point for lanes that
 *       spin on this lock: a deadlock under a SIMT stack.  The empty assembly statement hides the value of
 *       `done`, so the release stays inside the loop.
 *
 *   simtx_version_region(device_address, bytes);
 *       Host only: declares a part of one allocation as versioned, until cudaFree.  Snapshot isolation
 *       (tm.global = sitm) isolates transactions on such regions only; a DRAM row that a region touches is
 *       versioned whole.  Other protocols, functional mode and other CUDA runtimes ignore it.  Errors:
 *       cudaErrorInvalidValue for what is not allocated or overlaps a region, cudaErrorMemoryAllocation
 *       for more regions than the key version.regions.
 *
 * On the host the transaction calls have no effect: host threads cannot execute device transactions. */
#ifndef SIMTX_TM_H
#define SIMTX_TM_H

#include <stddef.h>

#include "host_defines.h"
#include "driver_types.h"

#ifdef __cplusplus
extern "C"
#else
extern
#endif
cudaError_t cudaSimtxVersionRegion(void *device_address, size_t bytes) __attribute__((weak));

#if defined(__CUDA__) && defined(__clang__)
static __inline__ __attribute__((always_inline, device, unused)) void tx_begin(void)
{
    asm volatile("tx_begin;" : : : "memory");
}
static __inline__ __attribute__((always_inline, device, unused)) void tx_commit(void)
{
    asm volatile("tx_commit;" : : : "memory");
}
static __inline__ __attribute__((always_inline, device, unused)) void simtx_lock_begin(void)
{
    asm volatile("// simtx: lock begin" : : : "memory");
}
static __inline__ __attribute__((always_inline, device, unused)) void simtx_lock_end(void)
{
    asm volatile("// simtx: lock end" : : : "memory");
}
#define SIMTX_TM_HOST static __inline__ __attribute__((always_inline, host, unused))
#else
#define SIMTX_TM_HOST static __inline__ __attribute__((always_inline, unused))
#endif

SIMTX_TM_HOST void tx_begin(void) {}
SIMTX_TM_HOST void tx_commit(void) {}
SIMTX_TM_HOST void simtx_lock_begin(void) {}
SIMTX_TM_HOST void simtx_lock_end(void) {}
SIMTX_TM_HOST cudaError_t simtx_version_region(void *device_address, size_t bytes)
{
    return cudaSimtxVersionRegion ? cudaSimtxVersionRegion(device_address, bytes) : cudaSuccess;
}
#undef SIMTX_TM_HOST

#define SIMTX_LOCK_DONE(done) asm volatile("" : "+r"(done))

#endif
