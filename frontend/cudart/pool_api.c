/* Stream-ordered allocation of the runtime API. */
#include "frontend/rt/rt.h"

RT_API cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_malloc_async(out, bytes, rt_current()->pool, stream));
}

RT_API cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_malloc_async(out, bytes, pool, stream));
}

RT_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_free_async(p, stream));
}

RT_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_pool_create(out, props));
}

RT_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_pool_destroy(pool));
}

/* rt_enter_gpu, then checks that the pool exists. */
static cudaError_t enter_pool(cudaMemPool_t pool)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_pool_ok(pool) ? cudaSuccess : cudaErrorInvalidValue;
}

RT_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    return rt_leave(enter_pool(pool));
}

RT_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = enter_pool(pool);
    return rt_leave(e ? e : value ? rt_pool_set(pool, attr, value) : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = enter_pool(pool);
    return rt_leave(e ? e : value ? rt_pool_get(pool, attr, value) : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n)
{
    cudaError_t e = enter_pool(pool);
    return rt_leave(e ? e : rt_pool_access(pool, list, n));
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
    return e ? e : rt_open_device(device);
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
    if (!e && (!rt_pool_ok(pool) || pool->device != device))
        e = cudaErrorInvalidValue;
    if (!e)
        rt.device[device].pool = pool;
    return rt_leave(e);
}

/* ---- the pool of a location (13): pinned memory of a device is the only kind ---- */

static cudaError_t enter_location(const struct cudaMemLocation *l, enum cudaMemAllocationType type)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !l)
        e = cudaErrorInvalidValue;
    if (!e && (l->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned))
        e = cudaErrorNotSupported;
    return e ? e : rt_open_device(l->id);
}

RT_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *out, struct cudaMemLocation *l,
                                            enum cudaMemAllocationType type)
{
    cudaError_t e = enter_location(l, type);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = &rt.device[l->id].default_pool;
    return rt_leave(e);
}

RT_API cudaError_t cudaMemGetMemPool(cudaMemPool_t *out, struct cudaMemLocation *l, enum cudaMemAllocationType type)
{
    cudaError_t e = enter_location(l, type);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt.device[l->id].pool;
    return rt_leave(e);
}

RT_API cudaError_t cudaMemSetMemPool(struct cudaMemLocation *l, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
    cudaError_t e = enter_location(l, type);
    if (!e && (!rt_pool_ok(pool) || pool->device != l->id))
        e = cudaErrorInvalidValue;
    if (!e)
        rt.device[l->id].pool = pool;
    return rt_leave(e);
}
