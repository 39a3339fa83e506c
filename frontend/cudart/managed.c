/* Hints for managed memory.  Host and device share one copy of every byte, so hints have no effect and are
 * not stored; queries return the values of memory without hints. */
#include "frontend/rt/rt.h"

#include <string.h>

static bool is_managed(const void *p, size_t bytes)
{
    int kind;
    struct rt_device *d = rt_owner(p);
    return d && simtx_mem_valid(d->gpu, p, bytes) && simtx_mem_find(d->gpu, p, NULL, NULL, &kind) &&
           kind == SIMTX_MEM_MANAGED;
}

static bool device_or_cpu(int device)
{
    return device == cudaCpuDeviceId || (device >= 0 && device < rt_device_count());
}

RT_API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_stream_ok(stream))
        e = cudaErrorInvalidResourceHandle;
    if (!e && !device_or_cpu(device))
        e = cudaErrorInvalidDevice;
    if (!e && (!bytes || !is_managed(p, bytes)))
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

RT_API cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    cudaError_t e = rt_enter_gpu();
    bool with_device = advice >= cudaMemAdviseSetPreferredLocation;
    if (!e && (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy))
        e = cudaErrorInvalidValue;
    if (!e && with_device && !device_or_cpu(device))
        e = cudaErrorInvalidDevice;
    if (!e && (!bytes || !is_managed(p, bytes)))
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

static cudaError_t range_attribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                   const void *p, size_t bytes)
{
    if (!data || !bytes || !is_managed(p, bytes) || size < sizeof(int) || size % sizeof(int))
        return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        memset(data, 0, size);
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributeAccessedBy:
    case cudaMemRangeAttributeLastPrefetchLocation:
        for (size_t i = 0; i < size / sizeof(int); i++)
            ((int *)data)[i] = cudaInvalidDeviceId;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

RT_API cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                            const void *p, size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : range_attribute(data, size, attribute, p, bytes));
}

RT_API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                             enum cudaMemRangeAttribute *attributes, size_t n, const void *p,
                                             size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!data || !sizes || !attributes || !n))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        e = range_attribute(data[i], sizes[i], attributes[i], p, bytes);
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_stream_ok(stream))
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!is_managed(p, bytes ? bytes : 1) ||
               (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)))
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}
