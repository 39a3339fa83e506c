/* Contexts: the stack of each thread, primary contexts, and the end of a context with all that belongs to it. */
#include "frontend/rt/rt.h"

#include <stdlib.h>

rt_context rt_context_current(void)
{
    return rt_thread.contexts ? rt_thread.stack[rt_thread.contexts - 1] : NULL;
}

bool rt_context_known(rt_context c)
{
    for (int i = 0; i < rt.device_count; i++)
        if (c == &rt.device[i].primary && rt.device[i].gpu)
            return true;
    for (rt_context i = rt.contexts; i; i = i->next)
        if (i == c)
            return true;
    return false;
}

bool rt_belongs(rt_context own, int device, rt_context c)
{
    return c ? own == c : own && own->device == device;
}

static void set_device_of_context(void)
{
    rt_context c = rt_context_current();
    if (c)
        rt_thread.device = c->device;
}

cudaError_t rt_context_set(rt_context c)
{
    if (c && !rt_context_known(c))
        return cudaErrorDeviceUninitialized;
    if (!rt_thread.contexts)
        rt_thread.contexts = 1;
    rt_thread.stack[rt_thread.contexts - 1] = c;
    set_device_of_context();
    return cudaSuccess;
}

cudaError_t rt_context_push(rt_context c)
{
    if (!rt_context_known(c))
        return cudaErrorDeviceUninitialized;
    if (rt_thread.contexts == RT_CONTEXT_DEPTH)
        return cudaErrorMemoryAllocation;
    rt_thread.stack[rt_thread.contexts++] = c;
    set_device_of_context();
    return cudaSuccess;
}

cudaError_t rt_context_pop(rt_context *out)
{
    if (!rt_context_current())
        return cudaErrorDeviceUninitialized;
    rt_context c = rt_thread.stack[--rt_thread.contexts];
    if (out)
        *out = c;
    set_device_of_context();
    return cudaSuccess;
}

cudaError_t rt_context_create(rt_context *out, int device, unsigned flags)
{
    cudaError_t e = rt_open_device(device);
    if (e)
        return e;
    rt_context c = rt_thread.contexts < RT_CONTEXT_DEPTH ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = (struct CUctx_st){.device = device, .alive = true, .flags = flags, .next = rt.contexts};
    rt.contexts = c;
    e = rt_context_push(c);
    if (!e)
        *out = c;
    return e;
}

/* Is a context of the device other than c alive? */
static bool has_other_context(int device, rt_context c)
{
    for (rt_context i = rt.contexts; i; i = i->next)
        if (i != c && i->alive && i->device == device)
            return true;
    return false;
}

/* What belongs to c; NULL: to any context of the device. */
static void release(int device, rt_context c)
{
    rt_free_all(&rt.device[device], c);
    rt_free_objects(device, c);
    rt_free_arrays(device, c);
    rt_unload_modules(device, c);
    rt_destroy_streams(device, c);
    rt_destroy_events(device, c);
}

static void clear_errors(int device)
{
    rt.device[device].pending = rt.device[device].sticky = cudaSuccess;
}

cudaError_t rt_context_destroy(rt_context c)
{
    if (!rt_context_known(c) || !c->alive)
        return cudaErrorDeviceUninitialized;
    if (c->primary)
        return cudaErrorDeviceUninitialized;
    release(c->device, c);
    c->alive = false;
    if (!has_other_context(c->device, c))
        clear_errors(c->device);
    if (rt_context_current() == c)
        rt_context_pop(NULL);
    return cudaSuccess;
}

cudaError_t rt_primary_retain(rt_context *out, int device)
{
    cudaError_t e = rt_open_device(device);
    if (e)
        return e;
    *out = &rt.device[device].primary;
    (*out)->retained++;
    return cudaSuccess;
}

cudaError_t rt_primary_release(int device)
{
    rt_context c = &rt.device[device].primary;
    if (!c->retained)
        return cudaErrorDeviceUninitialized;
    if (--c->retained == 0 && !c->used_by_runtime)
        rt_reset(device);
    return cudaSuccess;
}

/* The primary context, and without others what belongs to no context. */
static void release_primary(int device)
{
    if (has_other_context(device, NULL)) {
        release(device, &rt.device[device].primary);
        return;
    }
    rt_destroy_execs(device);
    rt_destroy_graphs(device);
    release(device, NULL);
    rt_destroy_pools(device);
}

void rt_reset(int device)
{
    struct rt_device *d = &rt.device[device];
    if (d->gpu) {
        release_primary(device);
        if (rt_unload_images)
            rt_unload_images(device);
        simtx_set_stack_limit(d->gpu, d->stack_default);
        simtx_set_heap_limit(d->gpu, d->heap_default);
        simtx_set_l2_fetch(d->gpu, d->fetch_default);
        d->pool = &d->default_pool;
    }
    clear_errors(device);
    d->primary.used_by_runtime = false;
    d->cache = cudaFuncCachePreferNone;
    d->banks = cudaSharedMemBankSizeDefault;
    d->flags = 0;
}
