/* Allocation, pools and attributes of pointers of the driver API. */
#include "frontend/libcuda/cu.h"

#include <string.h>

#define HOST_ALLOC_FLAGS \
    (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)

/* The driver API rejects empty allocations. */
static cudaError_t allocate(CUdeviceptr *out, size_t bytes, enum rt_alloc_kind kind, unsigned flags)
{
    void *p;
    if (!out || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_malloc(&p, bytes, kind, flags, NULL);
    if (!e)
        *out = cu_address(p);
    return e;
}

/* Allocating and freeing may wait for the device. */
static cudaError_t enter(void)
{
    cudaError_t e = rt_enter_context();
    return e ? e : rt_capture_forbids_unsafe();
}

CU_API CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
    cudaError_t e = enter();
    return cu_leave(e ? e : allocate(out, bytes, RT_ALLOC_DEVICE, 0));
}

CU_API CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags)
{
    cudaError_t e = enter();
    if (!e && flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : allocate(out, bytes, RT_ALLOC_MANAGED, flags));
}

CU_API CUresult cuMemAllocPitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
    void *p = NULL;
    cudaError_t e = enter();
    if (!e && (!out || !width || !height || (element != 4 && element != 8 && element != 16)))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_malloc_pitched(&p, pitch, width, height);
    if (!e)
        *out = cu_address(p);
    return cu_leave(e);
}

CU_API CUresult cuMemFree(CUdeviceptr p)
{
    cudaError_t e = enter();
    return cu_leave(e ? e : rt_free_device(cu_pointer(p)));
}

CU_API CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    CUdeviceptr p;
    cudaError_t e = enter();
    if (!e && (!out || flags & ~(unsigned)HOST_ALLOC_FLAGS))
        e = cudaErrorInvalidValue;
    if (!e)
        e = allocate(&p, bytes, RT_ALLOC_HOST, flags);
    if (!e)
        *out = cu_pointer(p);
    return cu_leave(e);
}

CU_API CUresult cuMemAllocHost(void **out, size_t bytes)
{
    return cuMemHostAlloc(out, bytes, 0);
}

CU_API CUresult cuMemFreeHost(void *p)
{
    cudaError_t e = enter();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_free_host(p));
}

CU_API CUresult cuMemHostRegister(void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_host_register(p, bytes, flags));
}

CU_API CUresult cuMemHostUnregister(void *p)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_host_unregister(p));
}

CU_API CUresult cuMemHostGetDevicePointer(CUdeviceptr *out, void *p, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !p || flags || !rt_host_alloc_of(p)))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = cu_address(p);
    return cu_leave(e);
}

CU_API CUresult cuMemHostGetFlags(unsigned *flags, void *p)
{
    cudaError_t e = rt_enter_context();
    struct rt_alloc *a = e ? NULL : rt_host_alloc_of(p);
    if (!e && (!flags || !a))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = a->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return cu_leave(e);
}

CU_API CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!free_bytes || !total))
        e = cudaErrorInvalidValue;
    if (!e)
        rt_memory_info(free_bytes, total);
    return cu_leave(e);
}

CU_API CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr p)
{
    void *first = NULL;
    size_t n = 0;
    cudaError_t e = rt_enter_context();
    struct rt_device *d = e ? NULL : rt_owner(cu_pointer(p));
    if (!e && (!d || !simtx_mem_find(d->gpu, cu_pointer(p), &first, &n, NULL)))
        e = cudaErrorSymbolNotFound;
    if (!e && base)
        *base = cu_address(first);
    if (!e && bytes)
        *bytes = n;
    return cu_leave(e);
}

/* ---- managed memory ---- */

CU_API CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice dev, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_prefetch(cu_pointer(p), bytes, dev, s));
}

CU_API CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice dev)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_advise(cu_pointer(p), bytes, (int)advice, dev));
}

/* The device of a location: a device, or the host in one of the ways of CUDA 12.2. */
static int location_device(CUmemLocation l)
{
    return l.type == CU_MEM_LOCATION_TYPE_DEVICE ? l.id : CU_DEVICE_CPU;
}

CU_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, CUmemLocation l, unsigned flags, CUstream s);
CU_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, CUmemLocation l, unsigned flags, CUstream s)
{
    return flags ? CUDA_ERROR_INVALID_VALUE : cuMemPrefetchAsync(p, bytes, location_device(l), s);
}

CU_API CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation l);
CU_API CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation l)
{
    return cuMemAdvise(p, bytes, advice, location_device(l));
}

CU_API CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr p,
                                       size_t bytes)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_range_attribute(data, size, (int)attribute, cu_pointer(p), bytes));
}

CU_API CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t n,
                                        CUdeviceptr p, size_t bytes)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!data || !sizes || !attributes || !n))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        e = rt_range_attribute(data[i], sizes[i], (int)attributes[i], cu_pointer(p), bytes);
    return cu_leave(e);
}

/* ---- attributes of a pointer ---- */

struct pointer_facts {
    struct rt_alloc *a;
    int device;
    void *base;
    struct cudaPointerAttributes p;
};

static void copy_out(void *data, const void *value, size_t bytes)
{
    memcpy(data, value, bytes);
}

#define GIVE(type, value)                       \
    do {                                        \
        type v_ = (value);                      \
        copy_out(data, &v_, sizeof v_);         \
        return cudaSuccess;                     \
    } while (0)

static bool on_host(const struct pointer_facts *f)
{
    return f->p.type == cudaMemoryTypeHost;
}

static cudaError_t give_attribute(void *data, CUpointer_attribute attribute, const struct pointer_facts *f)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: GIVE(CUcontext, f->a->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: GIVE(unsigned, on_host(f) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: GIVE(CUdeviceptr, cu_address(f->p.devicePointer));
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!f->p.hostPointer)
            return cudaErrorInvalidValue;
        GIVE(void *, f->p.hostPointer);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: GIVE(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: GIVE(unsigned long long, f->a->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: GIVE(unsigned, f->a->kind == RT_ALLOC_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: GIVE(int, f->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: GIVE(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: GIVE(CUdeviceptr, cu_address(f->base));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: GIVE(size_t, f->a->bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED: GIVE(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: GIVE(unsigned long long, 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: GIVE(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: GIVE(unsigned, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        if (!f->a->pool)
            return cudaErrorInvalidValue;
        GIVE(CUmemoryPool, f->a->pool);
    }
    return cudaErrorInvalidValue;
}

static cudaError_t pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr p)
{
    struct pointer_facts f;
    if (!data)
        return cudaErrorInvalidValue;
    f.a = rt_alloc_of(cu_pointer(p), &f.device, &f.base);
    if (!f.a)
        return cudaErrorInvalidValue;
    rt_describe_pointer(&f.p, cu_pointer(p));
    return give_attribute(data, attribute, &f);
}

CU_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : pointer_attribute(data, attribute, p));
}

static size_t attribute_bytes(CUpointer_attribute a)
{
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return 8;
    default: return 4;
    }
}

/* Several at once; attributes that do not apply are 0. */
CU_API CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attributes, void **data, CUdeviceptr p)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!n || !attributes || !data))
        e = cudaErrorInvalidValue;
    for (unsigned i = 0; !e && i < n; i++)
        if (data[i] && pointer_attribute(data[i], attributes[i], p))
            memset(data[i], 0, attribute_bytes(attributes[i]));
    return cu_leave(e);
}

/* Copies are synchronous in any case, which is all that can be set. */
CU_API CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p)
{
    cudaError_t e = rt_enter_context();
    bool known = value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    if (!e && (!known || !rt_alloc_of(cu_pointer(p), NULL, &(void *){0})))
        e = cudaErrorInvalidValue;
    return cu_leave(e);
}

/* ---- stream-ordered allocation ---- */

cudaError_t cu_enter_pool(CUmemoryPool p)
{
    cudaError_t e = rt_enter_context();
    return e ? e : rt_pool_ok(p) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t allocate_async(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream s)
{
    void *p;
    if (!out || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_malloc_async(&p, bytes, pool, s);
    if (!e)
        *out = cu_address(p);
    return e;
}

CU_API CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : allocate_async(out, bytes, rt_current()->pool, s));
}

CU_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream s)
{
    cudaError_t e = cu_enter_pool(pool);
    return cu_leave(e ? e : allocate_async(out, bytes, pool, s));
}

CU_API CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_free_async(cu_pointer(p), s));
}

/* CUmemPoolProps and cudaMemPoolProps have the same layout; so have the descriptions of accesses. */
_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "properties of pools");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "descriptions of accesses");

CU_API CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_pool_create(out, (const struct cudaMemPoolProps *)(const void *)props));
}

CU_API CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_pool_destroy(pool));
}

CU_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    return cu_leave(cu_enter_pool(pool));
}

CU_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    cudaError_t e = cu_enter_pool(pool);
    return cu_leave(e ? e : value ? rt_pool_set(pool, (int)attribute, value) : cudaErrorInvalidValue);
}

CU_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    cudaError_t e = cu_enter_pool(pool);
    return cu_leave(e ? e : value ? rt_pool_get(pool, (int)attribute, value) : cudaErrorInvalidValue);
}

CU_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t n)
{
    cudaError_t e = cu_enter_pool(pool);
    return cu_leave(e ? e : rt_pool_access(pool, (const struct cudaMemAccessDesc *)(const void *)list, n));
}

CU_API CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
    cudaError_t e = cu_enter_pool(pool);
    if (!e && (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = location->id == pool->device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cu_leave(e);
}
