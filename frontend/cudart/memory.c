/* Allocation of every kind: device, pinned, mapped and registered host memory, managed, pitched,
 * stream-ordered.  Pointer attributes. */
#include "frontend/cudart/rt.h"

#include <stdint.h>
#include <stdlib.h>

#define PITCH_ALIGN 512
#define HOST_ALLOC_FLAGS (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)
#define HOST_REGISTER_FLAGS (cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | \
                             cudaHostRegisterReadOnly)

static cudaError_t track(struct rt_device *d, void *p, struct rt_alloc what)
{
    struct rt_alloc *a = malloc(sizeof *a);
    if (!a || !ptrmap_put(&d->allocs, p, a)) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    *a = what;
    if (what.pool) {
        what.pool->used += what.bytes;
        if (what.pool->used > what.pool->used_high)
            what.pool->used_high = what.pool->used;
    }
    return cudaSuccess;
}

cudaError_t rt_malloc(void **out, size_t bytes, enum rt_alloc_kind kind, unsigned flags, cudaMemPool_t pool)
{
    static const int memory_kind[] = {SIMTX_MEM_DEVICE, SIMTX_MEM_HOST, SIMTX_MEM_MANAGED};
    struct rt_device *d = pool ? &rt.device[pool->device] : rt_current();
    void *p = NULL;
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!bytes)
        return cudaSuccess;
    cudaError_t e = pool ? rt_open(pool->device) : cudaSuccess;
    if (e)
        return e;
    simtx_status s = simtx_malloc(d->gpu, bytes, memory_kind[kind], &p);
    if (s != SIMTX_OK)
        return cudaErrorMemoryAllocation;
    e = track(d, p, (struct rt_alloc){kind, flags, bytes, pool});
    if (e)
        simtx_free(d->gpu, p);
    else
        *out = p;
    return e;
}

/* Release the allocation at p; its entry has been removed from the table. */
static void release(struct rt_device *d, void *p, struct rt_alloc *a)
{
    if (a->pool)
        a->pool->used -= a->bytes;
    if (a->kind == RT_ALLOC_REGISTERED)
        simtx_host_unregister(d->gpu, p);
    else
        simtx_free(d->gpu, p);
    free(a);
}

void rt_free_all(struct rt_device *d)
{
    for (size_t i = 0; i < d->allocs.cap; i++)
        if (d->allocs.slots[i].key)
            release(d, (void *)d->allocs.slots[i].key, d->allocs.slots[i].value);
    ptrmap_free(&d->allocs);
}

/* The device on which p is the start of an allocation. */
static struct rt_device *holder(const void *p, struct rt_alloc **a)
{
    for (int i = 0; i < rt.device_count; i++) {
        *a = ptrmap_get(&rt.device[i].allocs, p);
        if (*a)
            return &rt.device[i];
    }
    return NULL;
}

static cudaError_t free_kind(void *p, bool (*right)(enum rt_alloc_kind))
{
    struct rt_alloc *a;
    struct rt_device *d = p ? holder(p, &a) : NULL;
    if (!p)
        return cudaSuccess;
    if (!d || !right(a->kind))
        return cudaErrorInvalidValue;
    ptrmap_remove(&d->allocs, p);
    release(d, p, a);
    return cudaSuccess;
}

static bool is_device(enum rt_alloc_kind k)
{
    return k == RT_ALLOC_DEVICE || k == RT_ALLOC_MANAGED;
}

static bool is_host(enum rt_alloc_kind k)
{
    return k == RT_ALLOC_HOST;
}

RT_API cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_malloc(out, bytes, RT_ALLOC_DEVICE, 0, NULL));
}

RT_API cudaError_t cudaFree(void *p)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : free_kind(p, is_device));
}

RT_API cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (flags & ~HOST_ALLOC_FLAGS))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_malloc(out, bytes, RT_ALLOC_HOST, flags, NULL));
}

RT_API cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return cudaHostAlloc(out, bytes, cudaHostAllocDefault);
}

RT_API cudaError_t cudaFreeHost(void *p)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : free_kind(p, is_host));
}

RT_API cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_malloc(out, bytes, RT_ALLOC_MANAGED, flags, NULL));
}

static cudaError_t malloc_pitched(void **out, size_t *pitch, size_t width, size_t rows)
{
    size_t row, bytes;
    if (!out || !pitch)
        return cudaErrorInvalidValue;
    if (__builtin_add_overflow(width, (size_t)PITCH_ALIGN - 1, &row))
        return cudaErrorMemoryAllocation;
    row = row / PITCH_ALIGN * PITCH_ALIGN;
    if (__builtin_mul_overflow(row, rows, &bytes))
        return cudaErrorMemoryAllocation;
    *pitch = row;
    return rt_malloc(out, bytes, RT_ALLOC_DEVICE, 0, NULL);
}

RT_API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : malloc_pitched(out, pitch, width, height));
}

static cudaError_t malloc_3d(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    size_t rows;
    if (!out)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorMemoryAllocation;
    *out = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return malloc_pitched(&out->ptr, &out->pitch, extent.width, rows);
}

RT_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : malloc_3d(out, extent));
}

static cudaError_t host_register(void *p, size_t bytes, unsigned flags)
{
    struct rt_device *d = rt_current();
    struct rt_alloc *a;
    if (!p || !bytes || (flags & ~HOST_REGISTER_FLAGS))
        return cudaErrorInvalidValue;
    if (holder(p, &a) || simtx_mem_find(d->gpu, p, NULL, NULL, NULL))
        return cudaErrorHostMemoryAlreadyRegistered;
    if (simtx_host_register(d->gpu, p, bytes) != SIMTX_OK)
        return cudaErrorInvalidValue;
    return track(d, p, (struct rt_alloc){RT_ALLOC_REGISTERED, flags, bytes, NULL});
}

static cudaError_t declare_versions(void *p, size_t bytes)
{
    struct rt_device *d = rt_owner(p) ? rt_owner(p) : rt_current();
    simtx_status s = simtx_declare_versions(d->gpu, p, bytes);
    if (s)
        rt_say("simtx_version_region: %s", simtx_last_message(d->gpu));
    return rt_status_error(s);
}

/* simtx_version_region of simtx_tm.h. */
RT_API cudaError_t cudaSimtxVersionRegion(void *p, size_t bytes)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : declare_versions(p, bytes));
}

RT_API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : host_register(p, bytes, flags));
}

static cudaError_t host_unregister(void *p)
{
    struct rt_alloc *a;
    struct rt_device *d = holder(p, &a);
    if (!p)
        return cudaErrorInvalidValue;
    if (!d || a->kind != RT_ALLOC_REGISTERED)
        return cudaErrorHostMemoryNotRegistered;
    ptrmap_remove(&d->allocs, p);
    release(d, p, a);
    return cudaSuccess;
}

RT_API cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : host_unregister(p));
}

/* The pinned or registered host allocation that holds p. */
static struct rt_alloc *host_alloc_of(const void *p)
{
    for (int i = 0; i < rt.device_count; i++) {
        void *base;
        struct rt_device *d = &rt.device[i];
        if (!d->gpu || !simtx_mem_find(d->gpu, p, &base, NULL, NULL))
            continue;
        struct rt_alloc *a = ptrmap_get(&d->allocs, base);
        if (a && (a->kind == RT_ALLOC_HOST || a->kind == RT_ALLOC_REGISTERED))
            return a;
    }
    return NULL;
}

RT_API cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !p || flags || !host_alloc_of(p)))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = p;
    return rt_leave(e);
}

RT_API cudaError_t cudaHostGetFlags(unsigned *flags, void *p)
{
    cudaError_t e = rt_enter_gpu();
    struct rt_alloc *a = e || !flags ? NULL : host_alloc_of(p);
    if (a)
        *flags = a->flags | cudaHostAllocMapped;
    else if (!e)
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

RT_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!free_bytes || !total))
        e = cudaErrorInvalidValue;
    if (!e) {
        simtx_gpu_info info;
        simtx_gpu_get_info(rt_current()->gpu, &info);
        *free_bytes = info.memory_free;
        *total = info.memory_bytes;
    }
    return rt_leave(e);
}

static void describe(struct cudaPointerAttributes *a, const void *p)
{
    static const enum cudaMemoryType type[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost,
                                               cudaMemoryTypeManaged};
    *a = (struct cudaPointerAttributes){cudaMemoryTypeUnregistered, cudaInvalidDeviceId, NULL, (void *)p};
    for (int i = 0; i < rt.device_count; i++) {
        int kind;
        if (!rt.device[i].gpu || !simtx_mem_find(rt.device[i].gpu, p, NULL, NULL, &kind))
            continue;
        a->type = type[kind];
        a->device = i;
        a->devicePointer = (void *)p;
        a->hostPointer = kind == SIMTX_MEM_DEVICE ? NULL : (void *)p;
        return;
    }
}

RT_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !attributes)
        e = cudaErrorInvalidValue;
    if (!e)
        describe(attributes, p);
    return rt_leave(e);
}
