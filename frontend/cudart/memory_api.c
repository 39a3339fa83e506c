/* Allocation and pointer attributes of the runtime API. */
#include "frontend/rt/rt.h"

#define HOST_ALLOC_FLAGS (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)

/* Allocating and freeing may wait for the device. */
static cudaError_t enter(void)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_capture_forbids_unsafe();
}

RT_API cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t e = enter();
    return rt_leave(e ? e : rt_malloc(out, bytes, RT_ALLOC_DEVICE, 0, NULL));
}

RT_API cudaError_t cudaFree(void *p)
{
    cudaError_t e = enter();
    return rt_leave(e ? e : rt_free_device(p));
}

RT_API cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t e = enter();
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
    cudaError_t e = enter();
    return rt_leave(e ? e : rt_free_host(p));
}

RT_API cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    cudaError_t e = enter();
    if (!e && (!bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_malloc(out, bytes, RT_ALLOC_MANAGED, flags, NULL));
}

RT_API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    cudaError_t e = enter();
    return rt_leave(e ? e : rt_malloc_pitched(out, pitch, width, height));
}

static cudaError_t malloc_3d(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    size_t rows;
    if (!out)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorMemoryAllocation;
    *out = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return rt_malloc_pitched(&out->ptr, &out->pitch, extent.width, rows);
}

RT_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    cudaError_t e = enter();
    return rt_leave(e ? e : malloc_3d(out, extent));
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
    return rt_leave(e ? e : rt_host_register(p, bytes, flags));
}

RT_API cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_host_unregister(p));
}

RT_API cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !p || flags || !rt_host_alloc_of(p)))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = p;
    return rt_leave(e);
}

RT_API cudaError_t cudaHostGetFlags(unsigned *flags, void *p)
{
    cudaError_t e = rt_enter_gpu();
    struct rt_alloc *a = e || !flags ? NULL : rt_host_alloc_of(p);
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
    if (!e)
        rt_memory_info(free_bytes, total);
    return rt_leave(e);
}

RT_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !attributes)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_describe_pointer(attributes, p);
    return rt_leave(e);
}
