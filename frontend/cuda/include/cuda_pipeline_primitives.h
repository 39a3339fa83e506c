/* Asynchronous copies to shared memory (CUDA C++ programming guide, "Primitives API of Asynchronous Copies"): each copy
 * completes inside its call, as on devices before sm_80, so there is nothing to wait for. */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"

/* Of `bytes` (4, 8 or 16) the last `zeros` are zeros. */
SIMTX_DEV void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    if (zeros == 0 && bytes == 16)
        *(uint4 *)to = *(const uint4 *)from;
    else if (zeros == 0 && bytes == 8)
        *(uint2 *)to = *(const uint2 *)from;
    else if (zeros == 0 && bytes == 4)
        *(unsigned int *)to = *(const unsigned int *)from;
    else
        for (size_t i = 0; i < bytes; i++)
            ((unsigned char *)to)[i] = i + zeros < bytes ? ((const unsigned char *)from)[i] : 0;
}

SIMTX_DEV void __pipeline_commit(void) {}
SIMTX_DEV void __pipeline_wait_prior(size_t) {}
/* The copies before the call count as an arrival of their own, which they make at once. */
SIMTX_DEV void __pipeline_arrive_on(__mbarrier_t *b)
{
    simtx_mbarrier::expect_one_more(b);
    __mbarrier_arrive(b);
}

#endif
