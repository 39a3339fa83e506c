/* Batches of copies, prefetches and discards of the driver API. Its structures have the layout of those of the runtime
 * API. */
#include "frontend/libcuda/cu.h"

_Static_assert(sizeof(CUmemcpyAttributes) == sizeof(struct cudaMemcpyAttributes), "attributes of copies");
_Static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(struct cudaMemcpy3DBatchOp), "copies of a batch");
_Static_assert(offsetof(CUDA_MEMCPY3D_BATCH_OP, extent) == offsetof(struct cudaMemcpy3DBatchOp, extent), "extents");
_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "locations");

CU_API CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                   CUmemcpyAttributes *attrs, size_t *indices, size_t n, size_t *failed, CUstream s)
{
    struct rt_batch b = {(void *const *)(void *)dsts, (const void *const *)(void *)srcs, sizes, count,
                         (const struct cudaMemcpyAttributes *)(void *)attrs, indices, n};
    size_t none;
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_copy_batch(&b, failed ? failed : &none, s));
}

CU_API CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                      CUmemcpyAttributes *attrs, size_t *indices, size_t n, CUstream s)
{
    return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, indices, n, NULL, s);
}

CU_API CUresult cuMemcpy3DBatchAsync(size_t n, CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed, unsigned long long flags,
                                     CUstream s)
{
    size_t none;
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_copy_batch_3d((const struct cudaMemcpy3DBatchOp *)(void *)ops, n, flags,
                                             failed ? failed : &none, s));
}

CU_API CUresult cuMemcpy3DBatchAsync_v2(size_t n, CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags, CUstream s)
{
    return cuMemcpy3DBatchAsync(n, ops, NULL, flags, s);
}

CU_API CUresult cuMemPrefetchBatchAsync(CUdeviceptr *p, size_t *sizes, size_t n, CUmemLocation *locations,
                                        size_t *indices, size_t nlocations, unsigned long long flags, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_prefetch_batch((void *const *)(void *)p, sizes, n,
                                              (const struct cudaMemLocation *)(void *)locations, indices, nlocations,
                                              flags, s));
}

CU_API CUresult cuMemDiscardBatchAsync(CUdeviceptr *p, size_t *sizes, size_t n, unsigned long long flags, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_discard_batch((void *const *)(void *)p, sizes, n, flags, s));
}

CU_API CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *p, size_t *sizes, size_t n, CUmemLocation *locations,
                                                  size_t *indices, size_t nlocations, unsigned long long flags,
                                                  CUstream s)
{
    return cuMemPrefetchBatchAsync(p, sizes, n, locations, indices, nlocations, flags, s);
}
