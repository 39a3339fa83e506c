/* The state of the layer: devices created on first use, the lock around every call, sticky errors. */
#include "frontend/rt/rt.h"
#include "frontend/session/env.h"
#include "frontend/session/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rt rt = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local struct rt_thread rt_thread;

void rt_say(const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    fflush(stdout);
    fprintf(stderr, "simtx: %s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
    rt_log(text);
    free(text);
}

void rt_lock(void)
{
    pthread_mutex_lock(&rt.lock);
}

void rt_unlock(void)
{
    pthread_mutex_unlock(&rt.lock);
}

/* The lock must be free in a child of fork(): the forking thread holds it during the copy and releases it after. */
__attribute__((constructor)) static void start(void)
{
    pthread_atfork(rt_lock, rt_unlock, rt_unlock);
}

int rt_device_count(void)
{
    if (rt.device_count)
        return rt.device_count;
    const char *s = getenv(SIMTX_ENV_DEVICES), *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    char *end = NULL;
    long n = s && *s ? strtol(s, &end, 10) : 1;
    if (s && *s && (*end || n < 1 || n > RT_MAX_DEVICES)) {
        rt_say("%s=%s: expected a number from 1 to %d; using 1", SIMTX_ENV_DEVICES, s,
               RT_MAX_DEVICES);
        n = 1;
    }
    rt.blocking = blocking && strcmp(blocking, "0") && *blocking;
    rt.device_count = (int)n;
    return rt.device_count;
}

struct rt_device *rt_current(void)
{
    return &rt.device[rt_thread.device];
}

static cudaError_t sticky_error(void)
{
    struct rt_device *d = rt_current();
    if (d->pending) {
        d->sticky = d->pending;
        d->pending = cudaSuccess;
    }
    return d->sticky;
}

/* The GPU of the current context; without one, the primary context becomes current, as in the runtime API. */
static cudaError_t open_current(void)
{
    rt_context c = rt_context_current();
    if (c && !c->alive)
        return cudaErrorContextIsDestroyed;
    cudaError_t e = rt_open(rt_thread.device);
    if (!e && !c)
        e = rt_context_set(&rt_current()->primary);
    if (!e)
        rt_current()->primary.used_by_runtime |= rt_context_current()->primary;
    return e;
}

cudaError_t rt_enter(void)
{
    rt_lock();
    rt.initialised = true;
    rt_run_queued();
    return sticky_error();
}

cudaError_t rt_enter_launch(void)
{
    rt_lock();
    rt.initialised = true;
    cudaError_t e = sticky_error();
    return e ? e : open_current();
}

cudaError_t rt_enter_gpu(void)
{
    cudaError_t e = rt_enter();
    return e ? e : open_current();
}

cudaError_t rt_enter_driver(void)
{
    rt_lock();
    if (!rt.initialised)
        return cudaErrorInitializationError;
    rt_run_queued();
    return cudaSuccess;
}

static cudaError_t check_context(void)
{
    rt_context c = rt_context_current();
    if (!c)
        return cudaErrorDeviceUninitialized;
    return c->alive ? sticky_error() : cudaErrorContextIsDestroyed;
}

cudaError_t rt_enter_context(void)
{
    cudaError_t e = rt_enter_driver();
    return e ? e : check_context();
}

cudaError_t rt_enter_context_launch(void)
{
    rt_lock();
    return rt.initialised ? check_context() : cudaErrorInitializationError;
}

cudaError_t rt_leave(cudaError_t e)
{
    if (e != cudaSuccess)
        rt_thread.last = e;
    rt_unlock();
    return e;
}

/* Device printf writes to the host's stdout, so that device and host output keep their order. */
static void print_device_text(void *ctx, const char *text, size_t len)
{
    fwrite(text, 1, len, stdout);
}

/* Creates a GPU with the configuration that the environment names; prints a failure. */
static simtx_gpu *new_gpu(int i)
{
    char *message = NULL;
    simtx_gpu *gpu = session_new_gpu(i, &message);
    if (!gpu)
        rt_say("cannot create device %d: %s", i, message ? message : "no memory");
    free(message);
    return gpu;
}

cudaError_t rt_open(int i)
{
    struct rt_device *d = &rt.device[i];
    if (d->gpu)
        return cudaSuccess;
    if (i >= rt_device_count())
        return cudaErrorInvalidDevice;
    if (!d->failed)
        d->gpu = new_gpu(i);
    d->failed = !d->gpu;
    if (d->failed)
        return cudaErrorInitializationError;
    simtx_set_printf(d->gpu, print_device_text, NULL);
    simtx_gpu_get_info(d->gpu, &d->info);
    d->fifo_bytes = (size_t)1 << 20;
    d->stack_default = simtx_get_stack_limit(d->gpu);
    d->heap_default = simtx_get_heap_limit(d->gpu);
    d->fetch_default = simtx_get_l2_fetch(d->gpu);
    d->primary = (struct CUctx_st){.device = i, .primary = true, .alive = true};
    d->default_pool.device = i;
    d->pool = &d->default_pool;
    return cudaSuccess;
}

cudaError_t rt_open_device(int i)
{
    return i < 0 || i >= rt_device_count() ? cudaErrorInvalidDevice : rt_open(i);
}

struct rt_device *rt_owner(const void *p)
{
    for (int i = 0; i < rt.device_count; i++)
        if (rt.device[i].gpu && simtx_mem_in_range(rt.device[i].gpu, p))
            return &rt.device[i];
    return NULL;
}

cudaError_t rt_status_error(simtx_status s)
{
    switch (s) {
    case SIMTX_OK: return cudaSuccess;
    case SIMTX_INVALID_ARGUMENT: return cudaErrorInvalidValue;
    case SIMTX_OUT_OF_MEMORY: return cudaErrorMemoryAllocation;
    case SIMTX_INVALID_PTX: return cudaErrorInvalidPtx;
    case SIMTX_NOT_FOUND: return cudaErrorSymbolNotFound;
    case SIMTX_INVALID_LAUNCH: return cudaErrorInvalidConfiguration;
    case SIMTX_LAUNCH_OUT_OF_RESOURCES: return cudaErrorLaunchOutOfResources;
    case SIMTX_INVALID_CONFIG: return cudaErrorInitializationError;
    case SIMTX_FAULT: return cudaErrorLaunchFailure;
    case SIMTX_INTERRUPTED: return cudaErrorLaunchTimeout;
    case SIMTX_NOT_SUPPORTED: return cudaErrorNotSupported;
    case SIMTX_INVALID_CLUSTER: return cudaErrorInvalidClusterSize;
    case SIMTX_INVALID_ADDRESS: return cudaErrorInvalidValue;
    case SIMTX_HANG: return cudaErrorLaunchTimeout;
    case SIMTX_INTERNAL:
    case SIMTX_NOT_WRITTEN: return cudaErrorUnknown;
    }
    return cudaErrorUnknown;
}

cudaError_t rt_not_supported(const char *name, bool *said)
{
    if (!*said)
        rt_say("%s is not supported", name);
    *said = true;
    return cudaErrorNotSupported;
}
