/* Allocation of every kind: device, pinned, mapped and registered host memory, managed, pitched; queries of pointers.
 */
#include "frontend/rt/rt.h"

#include <stdint.h>
#include <stdlib.h>

#define PITCH_ALIGN 512
#define HOST_REGISTER_FLAGS (cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | \
                             cudaHostRegisterReadOnly)

static cudaError_t track(struct rt_device *d, void *p, struct rt_alloc what)
{
    static unsigned long long last_id;
    struct rt_alloc *a = malloc(sizeof *a);
    if (!a || !ptrmap_put(&d->allocs, p, a)) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    *a = what;
    a->context = rt_context_current();
    a->id = ++last_id;
    if (what.pool) {
        what.pool->used += what.bytes;
        if (what.pool->used > what.pool->used_high)
            what.pool->used_high = what.pool->used;
    }
    return cudaSuccess;
}

/* Once: a program may allocate until it fails, to find the size of the memory. */
static void say_no_memory(const struct rt_device *d)
{
    static bool said;
    if (!said)
        rt_say("%s", simtx_last_message(d->gpu));
    said = true;
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
    if (s != SIMTX_OK) {
        say_no_memory(d);
        return cudaErrorMemoryAllocation;
    }
    e = track(d, p, (struct rt_alloc){.kind = kind, .flags = flags, .bytes = bytes, .pool = pool});
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

static bool belongs(const struct rt_device *d, size_t slot, rt_context c)
{
    const struct rt_alloc *a = d->allocs.slots[slot].value;
    return !c || a->context == c;
}

void rt_free_all(struct rt_device *d, rt_context c)
{
    for (size_t i = 0; i < d->allocs.cap; i++)
        while (d->allocs.slots[i].key && belongs(d, i, c)) {
            void *p = (void *)d->allocs.slots[i].key;
            release(d, p, ptrmap_remove(&d->allocs, p));
        }
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

cudaError_t rt_free_device(void *p)
{
    return free_kind(p, is_device);
}

cudaError_t rt_free_host(void *p)
{
    return free_kind(p, is_host);
}

cudaError_t rt_malloc_pitched(void **out, size_t *pitch, size_t width, size_t rows)
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

cudaError_t rt_host_register(void *p, size_t bytes, unsigned flags)
{
    struct rt_device *d = rt_current();
    struct rt_alloc *a;
    if (!p || !bytes || (flags & ~HOST_REGISTER_FLAGS))
        return cudaErrorInvalidValue;
    if (holder(p, &a) || simtx_mem_find(d->gpu, p, NULL, NULL, NULL))
        return cudaErrorHostMemoryAlreadyRegistered;
    if (simtx_host_register(d->gpu, p, bytes) != SIMTX_OK)
        return cudaErrorInvalidValue;
    cudaError_t e = track(d, p, (struct rt_alloc){.kind = RT_ALLOC_REGISTERED, .flags = flags, .bytes = bytes});
    if (e)
        simtx_host_unregister(d->gpu, p);
    return e;
}

cudaError_t rt_host_unregister(void *p)
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

struct rt_alloc *rt_alloc_of(const void *p, int *device, void **base)
{
    for (int i = 0; i < rt.device_count; i++) {
        struct rt_device *d = &rt.device[i];
        struct rt_alloc *a;
        if (!d->gpu || !simtx_mem_find(d->gpu, p, base, NULL, NULL) || !(a = ptrmap_get(&d->allocs, *base)))
            continue;
        if (device)
            *device = i;
        return a;
    }
    return NULL;
}

struct rt_alloc *rt_host_alloc_of(const void *p)
{
    void *base;
    struct rt_alloc *a = rt_alloc_of(p, NULL, &base);
    return a && (a->kind == RT_ALLOC_HOST || a->kind == RT_ALLOC_REGISTERED) ? a : NULL;
}

void rt_memory_info(size_t *free_bytes, size_t *total)
{
    simtx_gpu_info info;
    simtx_gpu_get_info(rt_current()->gpu, &info);
    *free_bytes = info.memory_free;
    *total = info.memory_bytes;
}

void rt_describe_pointer(struct cudaPointerAttributes *a, const void *p)
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
