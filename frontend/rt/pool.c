/* Stream-ordered allocation.  Execution is synchronous, so the call itself allocates or frees; pools store the
 * attributes that programs set and query. */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>

static bool is_default(cudaMemPool_t p)
{
    for (int i = 0; i < rt.device_count; i++)
        if (p == &rt.device[i].default_pool)
            return true;
    return false;
}

bool rt_pool_ok(cudaMemPool_t p)
{
    return p && (is_default(p) || ptrmap_get(&rt.pools, p));
}

/* The memory of a captured allocation exists from the capture to the end of the graphs with the node. */
static cudaError_t capture_malloc(void *p, size_t bytes, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    void *base;
    const struct rt_alloc *a = rt_alloc_of(p, NULL, &base);
    struct rt_op op = {.kind = RT_OP_ALLOC, .memory = {p, bytes, a->id}};
    rt_captured(stream, &op, &e);
    if (e)
        rt_free_device(p);
    return e;
}

cudaError_t rt_malloc_async(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    if (!rt_pool_ok(pool))
        return cudaErrorInvalidValue;
    if (pool->max && (pool->used > pool->max || bytes > pool->max - pool->used))
        return cudaErrorMemoryAllocation;
    cudaError_t e = rt_malloc(out, bytes, RT_ALLOC_DEVICE, 0, pool);
    if (!e && *out && rt_stream_capturing(stream))
        e = capture_malloc(*out, bytes, stream);
    if (e)
        *out = NULL;
    return e;
}

cudaError_t rt_free_async(void *p, cudaStream_t stream)
{
    cudaError_t e;
    struct rt_op op = {.kind = RT_OP_FREE, .memory = {.p = p}};
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    return rt_captured(stream, &op, &e) ? e : rt_free_device(p);
}

cudaError_t rt_pool_create(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
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
    p->max = props->maxSize;
    *out = p;
    return cudaSuccess;
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

cudaError_t rt_pool_destroy(cudaMemPool_t pool)
{
    if (!rt_pool_ok(pool) || is_default(pool))
        return cudaErrorInvalidValue;
    remove_pool(pool);
    return cudaSuccess;
}

static cudaMemPool_t any_of(int device)
{
    for (size_t i = 0; i < rt.pools.cap; i++) {
        cudaMemPool_t p = rt.pools.slots[i].key ? rt.pools.slots[i].value : NULL;
        if (p && p->device == device)
            return p;
    }
    return NULL;
}

void rt_destroy_pools(int device)
{
    for (cudaMemPool_t p; (p = any_of(device));)
        remove_pool(p);
    rt.device[device].default_pool = (struct CUmemPoolHandle_st){.device = device};
}

cudaError_t rt_pool_set(cudaMemPool_t p, int attr, const void *value)
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

cudaError_t rt_pool_get(cudaMemPool_t p, int attr, void *value)
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

static cudaError_t check_access(cudaMemPool_t p, const struct cudaMemAccessDesc *a)
{
    bool own = a->location.id == p->device;
    if (a->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (a->location.id < 0 || a->location.id >= rt_device_count())
        return cudaErrorInvalidDevice;
    if (own == (a->flags == cudaMemAccessFlagsProtReadWrite))
        return cudaSuccess;
    return own ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported;
}

/* Only the pool's device can access its memory; its access is always read and write. */
cudaError_t rt_pool_access(cudaMemPool_t p, const struct cudaMemAccessDesc *list, size_t n)
{
    cudaError_t e = n && !list ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; !e && i < n; i++)
        e = check_access(p, &list[i]);
    return e;
}
