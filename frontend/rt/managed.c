/* Hints for managed memory.  Host and device share one copy of every byte, so hints have no effect and are
 * not stored; queries return the values of memory without hints. */
#include "frontend/rt/rt.h"

#include <string.h>

bool rt_managed(const void *p, size_t bytes)
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

cudaError_t rt_prefetch(const void *p, size_t bytes, int device, cudaStream_t stream)
{
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!device_or_cpu(device))
        return cudaErrorInvalidDevice;
    return bytes && rt_managed(p, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t rt_advise(const void *p, size_t bytes, int advice, int device)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return cudaErrorInvalidValue;
    if (advice >= cudaMemAdviseSetPreferredLocation && !device_or_cpu(device))
        return cudaErrorInvalidDevice;
    return bytes && rt_managed(p, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t rt_range_attribute(void *data, size_t size, int attribute, const void *p, size_t bytes)
{
    if (!data || !bytes || !rt_managed(p, bytes) || size < sizeof(int) || size % sizeof(int))
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

cudaError_t rt_attach(void *p, size_t bytes, unsigned flags)
{
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    return known && rt_managed(p, bytes ? bytes : 1) ? cudaSuccess : cudaErrorInvalidValue;
}
