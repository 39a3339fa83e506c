/* Stream-ordered allocation.  Execution is synchronous, so the call itself allocates or frees; pools store the
 * attributes that programs set and query. */
#include "frontend/cudart/rt.h"

#include <stdlib.h>

static bool is_default(cudaMemPool_t p)
{
    for (int i = 0; i < rt.device_count; i++)
        if (p == &rt.device[i].default_pool)
            return true;
    return false;
}

static bool pool_ok(cudaMemPool_t p)
{
    return p && (is_default(p) || ptrmap_get(&rt.pools, p));
}

static cudaError_t malloc_from(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!pool_ok(pool))
        return cudaErrorInvalidValue;
    return rt_malloc(out, bytes, RT_ALLOC_DEVICE, 0, pool);
}

RT_API cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : malloc_from(out, bytes, rt_current()->pool, stream));
}

RT_API cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : malloc_from(out, bytes, pool, stream));
}

RT_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_stream_ok(stream))
        e = cudaErrorInvalidResourceHandle;
    rt_leave(e);
    return e ? e : cudaFree(p);
}

static cudaError_t create(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (props->handleTypes != cudaMemHandleTypeNone)
        return cudaErrorNotSupported;
    if (props->location.id < 0 || props->location.id >= rt_device_count())
        return cudaErrorInvalidDevice;
    cudaMemPool_t p = calloc(1, sizeof *p);
    if (!p || !ptrmap_put(&rt.pools, p, p)) {
        free(p);
        return cudaErrorMemoryAllocation;
    }
    p->device = props->location.id;
    *out = p;
    return cudaSuccess;
}

RT_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : create(out, props));
}

/* As in CUDA, allocations remain valid after their pool is destroyed. */
static void remove_pool(cudaMemPool_t pool)
{
    for (int i = 0; i < rt.device_count; i++) {
        struct rt_device *d = &rt.device[i];
        if (d->pool == pool)
            d->pool = &d->default_pool;
        for (size_t k = 0; k < d->allocs.cap; k++) {
            struct rt_alloc *a = d->allocs.slots[k].key ? d->allocs.slots[k].value : NULL;
            if (a && a->pool == pool)
                a->pool = NULL;
        }
    }
    free(ptrmap_remove(&rt.pools, pool));
}

RT_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!pool_ok(pool) || is_default(pool)))
        e = cudaErrorInvalidValue;
    if (!e)
        remove_pool(pool);
    return rt_leave(e);
}

/* rt_enter_gpu, then checks that the pool exists. */
static cudaError_t enter_pool(cudaMemPool_t pool)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : pool_ok(pool) ? cudaSuccess : cudaErrorInvalidValue;
}

RT_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    return rt_leave(enter_pool(pool));
}

static cudaError_t set_attribute(cudaMemPool_t p, enum cudaMemPoolAttr attr, const void *value)
{
    const unsigned long long *wide = value;
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        p->no_reuse[attr - cudaMemPoolReuseFollowEventDependencies] = !*(const int *)value;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: p->release_threshold = *wide; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*wide)
            return cudaErrorInvalidValue;
        p->used_high = p->used;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: break;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t get_attribute(const struct CUmemPoolHandle_st *p, enum cudaMemPoolAttr attr, void *value)
{
    unsigned long long *wide = value;
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = !p->no_reuse[attr - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: *wide = p->release_threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *wide = p->used; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *wide = p->used_high; return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

RT_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = enter_pool(pool);
    return rt_leave(e ? e : value ? set_attribute(pool, attr, value) : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = enter_pool(pool);
    return rt_leave(e ? e : value ? get_attribute(pool, attr, value) : cudaErrorInvalidValue);
}

/* Only the pool's device can access its memory; its access is always read and write. */
RT_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n)
{
    cudaError_t e = enter_pool(pool);
    if (!e && n && !list)
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++) {
        bool own = list[i].location.id == pool->device;
        if (list[i].location.type != cudaMemLocationTypeDevice)
            e = cudaErrorInvalidValue;
        else if (list[i].location.id < 0 || list[i].location.id >= rt_device_count())
            e = cudaErrorInvalidDevice;
        else if (own != (list[i].flags == cudaMemAccessFlagsProtReadWrite))
            e = own ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported;
    }
    return rt_leave(e);
}

RT_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                        struct cudaMemLocation *location)
{
    cudaError_t e = enter_pool(pool);
    if (!e && (!flags || !location || location->type != cudaMemLocationTypeDevice))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = location->id == pool->device ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return rt_leave(e);
}

/* rt_enter_gpu, then creates the GPU of device number `device`, so that its pools exist. */
static cudaError_t enter_device(int device)
{
    cudaError_t e = rt_enter_gpu();
    if (e)
        return e;
    return device < 0 || device >= rt_device_count() ? cudaErrorInvalidDevice : rt_open(device);
}

RT_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t e = enter_device(device);
    if (!e && !pool)
        e = cudaErrorInvalidValue;
    if (!e)
        *pool = &rt.device[device].default_pool;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t e = enter_device(device);
    if (!e && !pool)
        e = cudaErrorInvalidValue;
    if (!e)
        *pool = rt.device[device].pool;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t e = enter_device(device);
    if (!e && (!pool_ok(pool) || pool->device != device))
        e = cudaErrorInvalidValue;
    if (!e)
        rt.device[device].pool = pool;
    return rt_leave(e);
}
