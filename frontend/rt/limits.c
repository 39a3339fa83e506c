/* Limits of a device, and its address on the PCI bus: device i has the address 0000:(i+1):00.0. */
#include "frontend/rt/rt.h"

#include <stdio.h>

/* A device without L2 does not have this limit. */
static cudaError_t set_l2_fetch(struct rt_device *d, size_t bytes)
{
    return simtx_get_l2_fetch(d->gpu) ? rt_status_error(simtx_set_l2_fetch(d->gpu, bytes)) : cudaErrorUnsupportedLimit;
}

static cudaError_t get_l2_fetch(const struct rt_device *d, size_t *bytes)
{
    *bytes = simtx_get_l2_fetch(d->gpu);
    return *bytes ? cudaSuccess : cudaErrorUnsupportedLimit;
}

cudaError_t rt_set_limit(struct rt_device *d, int limit, size_t value)
{
    switch (limit) {
    case cudaLimitStackSize: simtx_set_stack_limit(d->gpu, value); return cudaSuccess;
    case cudaLimitMallocHeapSize: simtx_set_heap_limit(d->gpu, value); return cudaSuccess;
    case cudaLimitPrintfFifoSize: d->fifo_bytes = value; return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity: return set_l2_fetch(d, value);
    case cudaLimitDevRuntimeSyncDepth:
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitPersistingL2CacheSize: return cudaErrorUnsupportedLimit;
    }
    return cudaErrorInvalidValue;
}

cudaError_t rt_get_limit(const struct rt_device *d, int limit, size_t *value)
{
    switch (limit) {
    case cudaLimitStackSize: *value = simtx_get_stack_limit(d->gpu); return cudaSuccess;
    case cudaLimitMallocHeapSize: *value = simtx_get_heap_limit(d->gpu); return cudaSuccess;
    case cudaLimitPrintfFifoSize: *value = d->fifo_bytes; return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity: return get_l2_fetch(d, value);
    case cudaLimitDevRuntimeSyncDepth:
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitPersistingL2CacheSize: return cudaErrorUnsupportedLimit;
    }
    return cudaErrorInvalidValue;
}

/* [domain:]bus:device[.function], all hexadecimal */
int rt_device_at(const char *id)
{
    unsigned domain = 0, bus, slot, function = 0;
    int end = 0;
    if (sscanf(id, "%x:%x:%x.%x%n", &domain, &bus, &slot, &function, &end) < 4) {
        domain = function = 0;
        if (sscanf(id, "%x:%x.%x%n", &bus, &slot, &function, &end) < 3)
            return -1;
    }
    bool ours = !id[end] && !domain && !slot && !function && bus >= 1 && bus <= (unsigned)rt_device_count();
    return ours ? (int)bus - 1 : -1;
}
