/* Contexts of the driver API: primary and created ones, the stack of the calling thread, limits and preferences. */
#include "frontend/libcuda/cu.h"

#define API_VERSION 3020

/* ---- primary contexts ---- */

CU_API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_primary_retain(out, dev));
}

CU_API CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    return cu_leave(e ? e : rt_primary_release(dev));
}

CU_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        e = cudaErrorInvalidValue;
    if (!e)
        rt.device[dev].primary.flags = flags;
    return cu_leave(e);
}

CU_API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active)
{
    cudaError_t e = cu_enter_device(dev);
    const struct CUctx_st *primary = e ? NULL : &rt.device[dev].primary;
    if (!e && (!flags || !active))
        e = cudaErrorInvalidValue;
    if (!e) {
        *flags = primary->flags;
        *active = primary->retained || primary->used_by_runtime || rt_context_current() == primary;
    }
    return cu_leave(e);
}

CU_API CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e)
        rt_reset(dev);
    return cu_leave(e);
}

/* ---- created contexts ---- */

CU_API CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!out || flags & ~(unsigned)CU_CTX_FLAGS_MASK))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_context_create(out, dev, flags));
}

/* Later versions take parameters of a partition of the device, which simtx does not have. */
CU_API CUresult cuCtxCreate_v3(CUcontext *out, void *affinity, int n, unsigned flags, CUdevice dev);
CU_API CUresult cuCtxCreate_v3(CUcontext *out, void *affinity, int n, unsigned flags, CUdevice dev)
{
    return n ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : cuCtxCreate(out, flags, dev);
}

CU_API CUresult cuCtxCreate_v4(CUcontext *out, void *params, unsigned flags, CUdevice dev);
CU_API CUresult cuCtxCreate_v4(CUcontext *out, void *params, unsigned flags, CUdevice dev)
{
    return params ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(out, flags, dev);
}

CU_API CUresult cuCtxDestroy(CUcontext c)
{
    cudaError_t e = rt_enter_driver();
    return cu_leave(e ? e : rt_context_destroy(c));
}

CU_API CUresult cuCtxAttach(CUcontext *out, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || flags))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt_context_current();
    return cu_leave(e);
}

CU_API CUresult cuCtxDetach(CUcontext c)
{
    return cuCtxDestroy(c);
}

/* ---- the current context ---- */

CU_API CUresult cuCtxPushCurrent(CUcontext c)
{
    cudaError_t e = rt_enter_driver();
    return cu_leave(e ? e : rt_context_push(c));
}

CU_API CUresult cuCtxPopCurrent(CUcontext *out)
{
    cudaError_t e = rt_enter_driver();
    return cu_leave(e ? e : rt_context_pop(out));
}

/* NULL: as cuCtxPopCurrent (driver API, context management). */
CU_API CUresult cuCtxSetCurrent(CUcontext c)
{
    cudaError_t e = rt_enter_driver();
    if (!e && !c)
        return cu_leave(rt_context_current() ? rt_context_pop(NULL) : cudaSuccess);
    return cu_leave(e ? e : rt_context_set(c));
}

CU_API CUresult cuCtxGetCurrent(CUcontext *out)
{
    cudaError_t e = rt_enter_driver();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt_context_current();
    return cu_leave(e);
}

CU_API CUresult cuCtxGetDevice(CUdevice *dev)
{
    cudaError_t e = rt_enter_context();
    if (!e && !dev)
        e = cudaErrorInvalidValue;
    if (!e)
        *dev = rt_context_current()->device;
    return cu_leave(e);
}

CU_API CUresult cuCtxGetFlags(unsigned *flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && !flags)
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = rt_context_current()->flags;
    return cu_leave(e);
}

/* rt_enter_context, with the current context in place of NULL. */
static cudaError_t enter_named(CUcontext *c)
{
    cudaError_t e = rt_enter_context();
    if (!e && !*c)
        *c = rt_context_current();
    return e ? e : rt_context_known(*c) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

CU_API CUresult cuCtxGetId(CUcontext c, unsigned long long *id)
{
    cudaError_t e = enter_named(&c);
    if (!e && !id)
        e = cudaErrorInvalidValue;
    if (!e)
        *id = (unsigned long long)(uintptr_t)c;
    return cu_leave(e);
}

CU_API CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version)
{
    cudaError_t e = enter_named(&c);
    if (!e && !version)
        e = cudaErrorInvalidValue;
    if (!e)
        *version = API_VERSION;
    return cu_leave(e);
}

CU_API CUresult cuCtxSynchronize(void)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_capture_forbids_device());
}

CU_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t e = rt_enter_context();
    if (!e && least)
        *least = 0;
    if (!e && greatest)
        *greatest = RT_GREATEST_PRIORITY;
    return cu_leave(e);
}

/* ---- limits, and preferences without effect ---- */

CU_API CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_set_limit(rt_current(), (int)limit, value));
}

CU_API CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    cudaError_t e = rt_enter_context();
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_get_limit(rt_current(), (int)limit, value));
}

CU_API CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    cudaError_t e = rt_enter_context();
    if (!e && config > CU_FUNC_CACHE_PREFER_EQUAL)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_current()->cache = (enum cudaFuncCache)config;
    return cu_leave(e);
}

CU_API CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    cudaError_t e = rt_enter_context();
    if (!e && !config)
        e = cudaErrorInvalidValue;
    if (!e)
        *config = (CUfunc_cache)rt_current()->cache;
    return cu_leave(e);
}

CU_API CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    cudaError_t e = rt_enter_context();
    if (!e && config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_current()->banks = (enum cudaSharedMemConfig)config;
    return cu_leave(e);
}

CU_API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    cudaError_t e = rt_enter_context();
    if (!e && !config)
        e = cudaErrorInvalidValue;
    if (!e)
        *config = (CUsharedconfig)rt_current()->banks;
    return cu_leave(e);
}

CU_API CUresult cuCtxResetPersistingL2Cache(void)
{
    return cu_leave(rt_enter_context());
}

/* ---- of CUDA 12: flags of the current context, events of all work of a context ---- */

CU_API CUresult cuCtxSetFlags(unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_context_current()->flags = flags;
    return cu_leave(e);
}

/* All work that the context has been given is complete. */
CU_API CUresult cuCtxRecordEvent(CUcontext c, CUevent event)
{
    cudaError_t e = enter_named(&c);
    if (!e)
        e = rt_context_push(c);
    if (!e) {
        e = rt_event_record(event, NULL, 0);
        rt_context_pop(NULL);
    }
    return cu_leave(e);
}

CU_API CUresult cuCtxWaitEvent(CUcontext c, CUevent event)
{
    cudaError_t e = enter_named(&c);
    return cu_leave(e ? e : rt_stream_wait(NULL, event, 0));
}

/* A context has all SMs of its device; it cannot be given some of them. */
CU_API CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!supported || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT))
        e = cudaErrorInvalidValue;
    if (!e)
        *supported = 0;
    return cu_leave(e);
}

CU_API CUresult cuCtxGetExecAffinity(CUexecAffinityParam *out, CUexecAffinityType type)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : cudaErrorUnsupportedExecAffinity);
}
