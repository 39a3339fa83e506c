/* Hints for managed memory of the runtime API. */
#include "frontend/rt/rt.h"

RT_API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_prefetch(p, bytes, device, stream));
}

RT_API cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_advise(p, bytes, (int)advice, device));
}

RT_API cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                            const void *p, size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_range_attribute(data, size, (int)attribute, p, bytes));
}

RT_API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
                                             size_t n, const void *p, size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!data || !sizes || !attributes || !n))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        e = rt_range_attribute(data[i], sizes[i], (int)attributes[i], p, bytes);
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_stream_ok(stream))
        e = cudaErrorInvalidResourceHandle;
    return rt_leave(e ? e : rt_attach(p, bytes, flags));
}
