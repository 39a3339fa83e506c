/*
 * Virtual memory of the driver API: address ranges, memory without an address, and mappings of one into the other. A
 * range is reserved address space of this process, memory an anonymous file, a mapping a shared mapping of the file, so
 * that memory can have several addresses. A run is a sequence of adjacent mappings to which cuMemSetAccess has given
 * access. It is registered with the GPU like host memory, so it does not count as device memory in use.
 */
#include "frontend/libcuda/cu.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

struct memory {
    int file, device, uses;              /* uses: handles and mappings */
    int handles;                         /* that are not released */
    size_t bytes;
    CUmemAllocationProp properties;
    struct memory *next;
};

struct mapping {
    char *at;
    size_t bytes;
    struct memory *memory;
    bool accessible;
    struct mapping *next;                /* in the order of addresses */
};

struct reservation {
    char *base;
    size_t bytes;
    struct mapping *mappings;
    struct reservation *next;
};

static struct memory *memories;
static struct reservation *reservations;

static bool whole(size_t bytes)
{
    return bytes && bytes % GRANULARITY == 0;
}

/* ---- address ranges ---- */

static struct reservation *reservation_of(const char *p, size_t bytes)
{
    for (struct reservation *r = reservations; r; r = r->next)
        if (p >= r->base && bytes <= r->bytes && (size_t)(p - r->base) <= r->bytes - bytes)
            return r;
    return NULL;
}

/* Address space that begins at a multiple of the alignment; the excess is unmapped. */
static char *reserve(size_t bytes, size_t align)
{
    if (bytes > SIZE_MAX - align)
        return NULL;
    char *p = mmap(NULL, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    char *base = (char *)(((uintptr_t)p + align - 1) & ~(uintptr_t)(align - 1));
    if (base > p)
        munmap(p, (size_t)(base - p));
    if (base < p + align)
        munmap(base + bytes, (size_t)(p + align - base));
    return base;
}

CU_API CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr hint,
                                    unsigned long long flags)
{
    cudaError_t e = rt_enter_driver();
    if (align < GRANULARITY)
        align = GRANULARITY;
    if (!e && (!out || !whole(bytes) || align & (align - 1) || flags))
        e = cudaErrorInvalidValue;
    struct reservation *r = e ? NULL : calloc(1, sizeof *r);
    if (r)
        *r = (struct reservation){.base = reserve(bytes, align), .bytes = bytes, .next = reservations};
    if (!e && (!r || !r->base))
        e = cudaErrorMemoryAllocation;
    if (e) {
        free(r);
        return cu_leave(e);
    }
    reservations = r;
    *out = cu_address(r->base);
    return cu_leave(cudaSuccess);
}

static cudaError_t free_addresses(char *p, size_t bytes)
{
    for (struct reservation **at = &reservations; *at; at = &(*at)->next) {
        struct reservation *r = *at;
        if (r->base != p || r->bytes != bytes)
            continue;
        if (r->mappings)
            return cudaErrorInvalidValue;
        *at = r->next;
        munmap(r->base, r->bytes);
        free(r);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

CU_API CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes)
{
    cudaError_t e = rt_enter_driver();
    return cu_leave(e ? e : free_addresses(cu_pointer(p), bytes));
}

/* ---- memory ---- */

static struct memory *memory_of(CUmemGenericAllocationHandle h)
{
    for (struct memory *m = memories; m; m = m->next)
        if ((CUmemGenericAllocationHandle)(uintptr_t)m == h)
            return m;
    return NULL;
}

static void drop(struct memory *m)
{
    if (--m->uses)
        return;
    for (struct memory **p = &memories; *p; p = &(*p)->next)
        if (*p == m) {
            *p = m->next;
            break;
        }
    close(m->file);
    free(m);
}

static cudaError_t check_properties(const CUmemAllocationProp *p)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED || p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return cudaErrorInvalidValue;
    if (p->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE || p->allocFlags.compressionType)
        return cudaErrorNotSupported;
    return rt_open_device(p->location.id);
}

static cudaError_t create(CUmemGenericAllocationHandle *out, size_t bytes, const CUmemAllocationProp *p)
{
    struct memory *m;
    if (bytes > rt.device[p->location.id].info.memory_bytes || !(m = calloc(1, sizeof *m)))
        return cudaErrorMemoryAllocation;
    *m = (struct memory){.file = memfd_create("simtx device memory", MFD_CLOEXEC), .device = p->location.id, .uses = 1,
                         .handles = 1, .bytes = bytes, .properties = *p, .next = memories};
    if (m->file < 0 || ftruncate(m->file, (off_t)bytes)) {
        if (m->file >= 0)
            close(m->file);
        free(m);
        return cudaErrorMemoryAllocation;
    }
    memories = m;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)m;
    return cudaSuccess;
}

CU_API CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes, const CUmemAllocationProp *p,
                            unsigned long long flags)
{
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = check_properties(p);
    if (!e && (!out || !whole(bytes) || flags))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : create(out, bytes, p));
}

/* Memory that is mapped stays until it is unmapped. */
CU_API CUresult cuMemRelease(CUmemGenericAllocationHandle h)
{
    cudaError_t e = rt_enter_driver();
    struct memory *m = e ? NULL : memory_of(h);
    if (!e && (!m || !m->handles))
        e = cudaErrorInvalidValue;
    if (!e) {
        m->handles--;
        drop(m);
    }
    return cu_leave(e);
}

CU_API CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *p,
                                              CUmemAllocationGranularity_flags option)
{
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = check_properties(p);
    if (!e && (!out || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = GRANULARITY;
    return cu_leave(e);
}

CU_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *p, CUmemGenericAllocationHandle h)
{
    cudaError_t e = rt_enter_driver();
    const struct memory *m = e ? NULL : memory_of(h);
    if (!e && (!p || !m))
        e = cudaErrorInvalidValue;
    if (!e)
        *p = m->properties;
    return cu_leave(e);
}

/* ---- mappings ---- */

static simtx_gpu *gpu_of(const struct mapping *m)
{
    return rt.device[m->memory->device].gpu;
}

/* A run: adjacent accessible mappings of one device, from m to before *end. */
static size_t run_bytes(const struct mapping *m, const struct mapping **end)
{
    size_t bytes = 0;
    const struct mapping *first = m;
    for (; m && m->accessible && m->at == first->at + bytes && gpu_of(m) == gpu_of(first); m = m->next)
        bytes += m->bytes;
    *end = m;
    return bytes;
}

static void unregister_runs(const struct reservation *r)
{
    for (const struct mapping *m = r->mappings, *end; m; m = end) {
        end = m->next;
        if (m->accessible) {
            run_bytes(m, &end);
            simtx_host_unregister(gpu_of(m), m->at);
        }
    }
}

/* A run that cannot be registered is not accessible. */
static bool register_runs(struct reservation *r)
{
    bool ok = true;
    for (struct mapping *m = r->mappings; m;) {
        const struct mapping *end = m->next;
        size_t bytes = m->accessible ? run_bytes(m, &end) : 0;
        bool failed = bytes && simtx_host_register(gpu_of(m), m->at, bytes) != SIMTX_OK;
        ok &= !failed;
        for (; m != end; m = m->next)
            m->accessible &= !failed;
    }
    return ok;
}

static bool overlaps(const struct reservation *r, const char *at, size_t bytes)
{
    for (const struct mapping *m = r->mappings; m; m = m->next)
        if (at < m->at + m->bytes && m->at < at + bytes)
            return true;
    return false;
}

static cudaError_t map(struct reservation *r, char *at, size_t bytes, struct memory *memory, size_t offset)
{
    struct mapping *m = calloc(1, sizeof *m), **p = &r->mappings;
    if (!m)
        return cudaErrorMemoryAllocation;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->file, (off_t)offset) == MAP_FAILED) {
        free(m);
        return cudaErrorMapBufferObjectFailed;
    }
    while (*p && (*p)->at < at)
        p = &(*p)->next;
    *m = (struct mapping){at, bytes, memory, false, *p};
    *p = m;
    memory->uses++;
    return cudaSuccess;
}

CU_API CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, CUmemGenericAllocationHandle h,
                         unsigned long long flags)
{
    cudaError_t e = rt_enter_driver();
    char *at = cu_pointer(p);
    struct reservation *r = e ? NULL : reservation_of(at, bytes);
    struct memory *m = e ? NULL : memory_of(h);
    if (!e && (!r || !m || !m->handles || flags || !whole(bytes) || offset % GRANULARITY || p % GRANULARITY ||
               offset > m->bytes || bytes > m->bytes - offset || overlaps(r, at, bytes)))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : map(r, at, bytes, m, offset));
}

/* The bytes of whole mappings in [at, at + bytes). */
static size_t mapped_bytes(const struct reservation *r, const char *at, size_t bytes)
{
    size_t sum = 0;
    for (const struct mapping *m = r->mappings; m; m = m->next)
        if (m->at >= at && m->at + m->bytes <= at + bytes)
            sum += m->bytes;
    return sum;
}

/* The range consists of whole mappings. */
static cudaError_t unmap(struct reservation *r, char *at, size_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(at, bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    unregister_runs(r);
    for (struct mapping **p = &r->mappings; *p;) {
        struct mapping *m = *p;
        if (m->at < at || m->at >= at + bytes) {
            p = &m->next;
            continue;
        }
        *p = m->next;
        drop(m->memory);
        free(m);
    }
    return register_runs(r) ? cudaSuccess : cudaErrorMemoryAllocation;
}

CU_API CUresult cuMemUnmap(CUdeviceptr p, size_t bytes)
{
    cudaError_t e = rt_enter_driver();
    char *at = cu_pointer(p);
    struct reservation *r = e ? NULL : reservation_of(at, bytes);
    if (!e && (!r || mapped_bytes(r, at, bytes) != bytes))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : unmap(r, at, bytes));
}

/* ---- access: all or nothing; read-only access is not supported ---- */

static cudaError_t set_access(struct reservation *r, const char *at, size_t bytes, const CUmemAccessDesc *d)
{
    unregister_runs(r);
    for (struct mapping *m = r->mappings; m; m = m->next)
        if (m->at >= at && m->at < at + bytes && m->memory->device == d->location.id)
            m->accessible = d->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return register_runs(r) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t check_access(const struct reservation *r, const char *at, size_t bytes, const CUmemAccessDesc *d)
{
    if (d->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return cudaErrorInvalidValue;
    if (d->flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
        return cudaErrorNotSupported;
    for (const struct mapping *m = r->mappings; m; m = m->next)
        if (m->at >= at && m->at < at + bytes && m->memory->device != d->location.id)
            return cudaErrorPeerAccessUnsupported;
    return rt_open_device(d->location.id);
}

CU_API CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *list, size_t n)
{
    cudaError_t e = rt_enter_driver();
    char *at = cu_pointer(p);
    struct reservation *r = e ? NULL : reservation_of(at, bytes);
    if (!e && (!r || !list || !n || mapped_bytes(r, at, bytes) != bytes))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        e = check_access(r, at, bytes, &list[i]);
    for (size_t i = 0; !e && i < n; i++)
        e = set_access(r, at, bytes, &list[i]);
    return cu_leave(e);
}

static struct mapping *mapping_of(const char *p)
{
    struct reservation *r = reservation_of(p, 1);
    for (struct mapping *m = r ? r->mappings : NULL; m; m = m->next)
        if (p >= m->at && p < m->at + m->bytes)
            return m;
    return NULL;
}

CU_API CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p)
{
    cudaError_t e = rt_enter_driver();
    const struct mapping *m = e ? NULL : mapping_of(cu_pointer(p));
    if (!e && (!flags || !location || !m))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = m->accessible && location->id == m->memory->device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                                    : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cu_leave(e);
}

CU_API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *p)
{
    cudaError_t e = rt_enter_driver();
    struct mapping *m = e ? NULL : mapping_of(p);
    if (!e && (!out || !m))
        e = cudaErrorInvalidValue;
    if (!e) {
        m->memory->uses++;
        m->memory->handles++;
        *out = (CUmemGenericAllocationHandle)(uintptr_t)m->memory;
    }
    return cu_leave(e);
}
