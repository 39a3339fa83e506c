/*
 * Split arrive and wait barriers in shared memory (CUDA C++ programming guide, "Memory Barrier Primitives Interface"):
 * one 64-bit word that atomic operations change, so that they work on every architecture. A phase ends with the arrival
 * that makes its missing arrivals zero; its token is the word before an arrival of the phase.
 */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "cuda_runtime.h"
#include "simtx/keywords.h"

#ifndef SIMTX_CUDA
#error "cuda_awbarrier_primitives.h needs a CUDA compilation: give the file the suffix .cu, or -x cu"
#endif

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

/* Bits 0 to 19: missing arrivals; 20 to 39: arrivals of each phase; 40 to 63: number of the phase. */
namespace simtx_mbarrier
{
static const unsigned long long mask = (1ull << 20) - 1, one_of_each = 1ull << 20, one_phase = 1ull << 40;

SIMTX_DEV unsigned long long after_arrival(unsigned long long w, bool drop)
{
    w -= 1 + (drop ? one_of_each : 0);
    return w & mask ? w : w + (w >> 20 & mask) + one_phase;
}

SIMTX_DEV __mbarrier_token_t arrive(__mbarrier_t *b, bool drop)
{
    unsigned long long seen, w = *(volatile __mbarrier_t *)b;
    __threadfence_block();
    do {
        seen = w;
        w = atomicCAS(b, seen, after_arrival(seen, drop));
    } while (w != seen);
    return seen;
}

SIMTX_DEV void expect_one_more(__mbarrier_t *b) { atomicAdd(b, 1ull); }
} // namespace simtx_mbarrier

SIMTX_DEV unsigned int __mbarrier_maximum_count(void) { return (unsigned int)simtx_mbarrier::mask; }
SIMTX_DEV void __mbarrier_init(__mbarrier_t *b, unsigned int expected)
{
    *b = expected | (unsigned long long)expected << 20;
}
SIMTX_DEV void __mbarrier_inval(__mbarrier_t *b) { *b = 0; }
SIMTX_DEV __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) { return simtx_mbarrier::arrive(b, false); }
SIMTX_DEV __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b) { return simtx_mbarrier::arrive(b, true); }
SIMTX_DEV bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t token)
{
    bool over = *(volatile __mbarrier_t *)b >> 40 != token >> 40;
    __threadfence_block();
    return over;
}
SIMTX_DEV bool __mbarrier_try_wait(__mbarrier_t *b, __mbarrier_token_t token, unsigned int)
{
    return __mbarrier_test_wait(b, token);
}
SIMTX_DEV bool __mbarrier_test_wait_parity(__mbarrier_t *b, bool parity)
{
    bool over = (*(volatile __mbarrier_t *)b >> 40 & 1) != (unsigned)parity;
    __threadfence_block();
    return over;
}
SIMTX_DEV unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    return (unsigned int)(token & simtx_mbarrier::mask);
}

#endif
