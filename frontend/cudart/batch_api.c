/* Batches of copies of the runtime API (12.8), with the arguments of release 13 in libcudart.so.13; batches of
 * prefetches and discards (13). */
#include "frontend/cudart/cudart.h"

RT_API cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                        struct cudaMemcpyAttributes *attrs, size_t *indices, size_t n, size_t *failed,
                                        cudaStream_t stream)
{
    struct rt_batch b = {(void *const *)dsts, (const void *const *)srcs, sizes, count, attrs, indices, n};
    size_t none;
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_copy_batch(&b, failed ? failed : &none, stream));
}

RT_API cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *ops, size_t *failed,
                                          unsigned long long flags, cudaStream_t stream)
{
    size_t none;
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_copy_batch_3d(ops, n, flags, failed ? failed : &none, stream));
}

/* __cudaSimtx...: frontend/cudart/releases/renamed.txt has the public names. */
RT_API cudaError_t __cudaSimtxMemcpyBatchAsync13(void **dsts, void **srcs, size_t *sizes, size_t count,
                                                 struct cudaMemcpyAttributes *attrs, size_t *indices, size_t n,
                                                 cudaStream_t stream);
RT_API cudaError_t __cudaSimtxMemcpy3DBatchAsync13(size_t n, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags,
                                                   cudaStream_t stream);

cudaError_t __cudaSimtxMemcpyBatchAsync13(void **dsts, void **srcs, size_t *sizes, size_t count,
                                          struct cudaMemcpyAttributes *attrs, size_t *indices, size_t n,
                                          cudaStream_t stream)
{
    return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, indices, n, NULL, stream);
}

cudaError_t __cudaSimtxMemcpy3DBatchAsync13(size_t n, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags,
                                            cudaStream_t stream)
{
    return cudaMemcpy3DBatchAsync(n, ops, NULL, flags, stream);
}

/* ---- managed memory ---- */

RT_API cudaError_t cudaMemPrefetchBatchAsync(void **p, size_t *sizes, size_t n, struct cudaMemLocation *locations,
                                             size_t *indices, size_t nlocations, unsigned long long flags,
                                             cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_prefetch_batch((void *const *)p, sizes, n, locations, indices, nlocations, flags,
                                              stream));
}

RT_API cudaError_t cudaMemDiscardBatchAsync(void **p, size_t *sizes, size_t n, unsigned long long flags,
                                            cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_discard_batch((void *const *)p, sizes, n, flags, stream));
}

RT_API cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **p, size_t *sizes, size_t n,
                                                       struct cudaMemLocation *locations, size_t *indices,
                                                       size_t nlocations, unsigned long long flags,
                                                       cudaStream_t stream)
{
    return cudaMemPrefetchBatchAsync(p, sizes, n, locations, indices, nlocations, flags, stream);
}
