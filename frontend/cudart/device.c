/* Devices of the runtime API: count, selection, properties, limits, cache preferences, versions, peer access, reset. */
#include "frontend/rt/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_FLAGS (cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax)

RT_API cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t e = rt_enter();
    if (!e && !count)
        e = cudaErrorInvalidValue;
    if (!e)
        *count = rt_device_count();
    return rt_leave(e);
}

RT_API cudaError_t cudaSetDevice(int device)
{
    cudaError_t e = rt_enter();
    if (device < 0 || device >= rt_device_count())
        return rt_leave(e ? e : cudaErrorInvalidDevice);
    rt_thread.device = device;                    /* a device with a sticky error can be left */
    e = rt_current()->sticky;
    if (rt_context_current())
        rt_context_set(rt_current()->gpu ? &rt_current()->primary : NULL);
    return rt_leave(e);
}

RT_API cudaError_t cudaGetDevice(int *device)
{
    cudaError_t e = rt_enter();
    if (!e && !device)
        e = cudaErrorInvalidValue;
    if (!e)
        *device = rt_thread.device;
    return rt_leave(e);
}

/* rt_enter, then creates the GPU of device number `device`. */
static cudaError_t enter_device(int device)
{
    cudaError_t e = rt_enter();
    return e ? e : rt_open_device(device);
}

RT_API cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
    cudaError_t e = enter_device(device);
    if (!e && !prop)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_properties(prop, device);
    return rt_leave(e);
}

/* The structure of CUDA 11 ends before the fields of CUDA 12. */
#undef cudaGetDeviceProperties
RT_API cudaError_t cudaGetDeviceProperties(void *prop, int device);
cudaError_t cudaGetDeviceProperties(void *prop, int device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties_v2(prop ? &p : NULL, device);
    if (!e)
        memcpy(prop, &p, offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return e;
}

RT_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr number, int device)
{
    cudaError_t e = enter_device(device);
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_device_attribute(value, (int)number, device));
}

/* All devices have the same properties, so device 0 always matches. */
RT_API cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    cudaError_t e = rt_enter();
    if (!e && (!device || !prop))
        e = cudaErrorInvalidValue;
    if (!e)
        *device = 0;
    return rt_leave(e);
}

RT_API cudaError_t cudaSetValidDevices(int *list, int n)
{
    cudaError_t e = rt_enter();
    if (!e && (n < 0 || (n && !list)))
        e = cudaErrorInvalidValue;
    for (int i = 0; !e && i < n; i++)
        if (list[i] < 0 || list[i] >= rt_device_count())
            e = cudaErrorInvalidDevice;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_capture_forbids_device());
}

RT_API cudaError_t cudaDeviceReset(void)
{
    rt_enter();
    rt_reset(rt_thread.device);
    rt_thread.last = cudaSuccess;
    return rt_leave(cudaSuccess);
}

RT_API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && (flags & ~(unsigned)DEVICE_FLAGS))
        e = cudaErrorInvalidValue;
    if (!e)
        rt_current()->flags = flags;
    return rt_leave(e);
}

RT_API cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    cudaError_t e = rt_enter();
    if (!e && !flags)
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = rt_current()->flags | cudaDeviceMapHost;
    return rt_leave(e);
}

/* ---- limits ---- */

RT_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_set_limit(rt_current(), limit, value));
}

RT_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : value ? rt_get_limit(rt_current(), limit, value) : cudaErrorInvalidValue);
}

/* ---- preferences: for L1 or shared memory (rt_prefer_shared); of banks, without effect ---- */

RT_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (unsigned)config > cudaFuncCachePreferEqual)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_current()->cache = config;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !config)
        e = cudaErrorInvalidValue;
    if (!e)
        *config = rt_current()->cache;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (unsigned)config > cudaSharedMemBankSizeEightByte)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_current()->banks = config;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !config)
        e = cudaErrorInvalidValue;
    if (!e)
        *config = rt_current()->banks;
    return rt_leave(e);
}

RT_API cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return rt_leave(rt_enter_gpu());
}

/* ---- PCI: device i has the address 0000:(i+1):00.0 ---- */

RT_API cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    cudaError_t e = rt_enter();
    if (!e && (!id || size < 13))
        e = cudaErrorInvalidValue;
    if (!e && (device < 0 || device >= rt_device_count()))
        e = cudaErrorInvalidDevice;
    if (!e)
        snprintf(id, (size_t)size, "0000:%02X:00.0", (unsigned)(device + 1) & 0xff);
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    cudaError_t e = rt_enter();
    if (!e && (!device || !id))
        e = cudaErrorInvalidValue;
    if (!e) {
        int i = rt_device_at(id);
        if (i < 0)
            e = cudaErrorInvalidDevice;
        else
            *device = i;
    }
    return rt_leave(e);
}

/* ---- peers: kernels access the memory of their own device only; copies between devices work ---- */

static cudaError_t check_peers(int a, int b)
{
    return a < 0 || b < 0 || a >= rt_device_count() || b >= rt_device_count() ? cudaErrorInvalidDevice
                                                                              : cudaSuccess;
}

RT_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t e = rt_enter();
    if (!e && !can)
        e = cudaErrorInvalidValue;
    if (!e)
        e = check_peers(device, peer);
    if (!e)
        *can = 0;
    return rt_leave(e);
}

RT_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && flags)
        e = cudaErrorInvalidValue;
    if (!e && (check_peers(peer, peer) || peer == rt_thread.device))
        e = cudaErrorInvalidDevice;
    return rt_leave(e ? e : cudaErrorPeerAccessUnsupported);
}

RT_API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = check_peers(peer, peer);
    return rt_leave(e ? e : cudaErrorPeerAccessNotEnabled);
}

RT_API cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int a, int b)
{
    cudaError_t e = rt_enter();
    if (!e &&
        (!value || attr < cudaDevP2PAttrPerformanceRank || attr > cudaDevP2PAttrCudaArrayAccessSupported))
        e = cudaErrorInvalidValue;
    if (!e && (check_peers(a, b) || a == b))
        e = cudaErrorInvalidDevice;
    if (!e)
        *value = 0;
    return rt_leave(e);
}

/* ---- versions and profiling ---- */

static cudaError_t give_version(int *out)
{
    cudaError_t e = rt_enter();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = RT_DRIVER_VERSION;
    return rt_leave(e);
}

RT_API cudaError_t cudaDriverGetVersion(int *version)
{
    return give_version(version);
}

RT_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    return give_version(version);
}

/* Statistics cover the whole run; starting and stopping the profiler has no effect. */
RT_API cudaError_t cudaProfilerStart(void)
{
    return rt_leave(rt_enter());
}

RT_API cudaError_t cudaProfilerStop(void)
{
    return rt_leave(rt_enter());
}

/* ---- the names of CUDA 3 ---- */

RT_API cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

RT_API cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

RT_API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

RT_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

RT_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

RT_API cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

/* ---- doubles as devices without them needed them: no conversion, since CUDA 5 ---- */

RT_API cudaError_t cudaSetDoubleForDevice(double *value);
RT_API cudaError_t cudaSetDoubleForHost(double *value);

cudaError_t cudaSetDoubleForDevice(double *value)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : value ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaSetDoubleForHost(double *value)
{
    return cudaSetDoubleForDevice(value);
}
