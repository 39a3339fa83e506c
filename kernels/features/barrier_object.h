// Shared memory and barrier objects of the programs with asynchronous copies, by inline PTX.
#ifndef KERNELS_BARRIER_OBJECT_H
#define KERNELS_BARRIER_OBJECT_H

typedef unsigned long long word;

__device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Arrives, and lets the phase wait for so many bytes.
__device__ inline void expect(word *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)),
                 "r"(bytes)
                 : "memory");
}

__device__ inline void wait(word *bar, unsigned parity) {
    asm volatile("{ .reg .pred p;\n"
                 "again%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again%=; }" ::"r"(shared_address(bar)),
                 "r"(parity)
                 : "memory");
}

#endif
