/* Devices of the driver API: names, attributes (the numbers of cudaDeviceAttr), addresses, peers, current pools. */
#include "frontend/libcuda/cu.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

cudaError_t cu_enter_device(CUdevice dev)
{
    cudaError_t e = rt_enter_driver();
    return e ? e : rt_open_device(dev);
}

CU_API CUresult cuDeviceGetCount(int *count)
{
    cudaError_t e = rt_enter_driver();
    if (!e && !count)
        e = cudaErrorInvalidValue;
    if (!e)
        *count = rt_device_count();
    return cu_leave(e);
}

CU_API CUresult cuDeviceGet(CUdevice *dev, int ordinal)
{
    cudaError_t e = rt_enter_driver();
    if (!e && !dev)
        e = cudaErrorInvalidValue;
    if (!e && (ordinal < 0 || ordinal >= rt_device_count()))
        e = cudaErrorInvalidDevice;
    if (!e)
        *dev = ordinal;
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!name || len <= 0))
        e = cudaErrorInvalidValue;
    if (!e)
        snprintf(name, (size_t)len, "%s", rt.device[dev].info.name);
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    struct cudaDeviceProp p;
    cudaError_t e = cu_enter_device(dev);
    if (!e && !uuid)
        e = cudaErrorInvalidValue;
    if (!e) {
        rt_properties(&p, dev);
        memcpy(uuid, &p.uuid, sizeof *uuid);
    }
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    return cuDeviceGetUuid_v2(uuid, dev);
}

/* LUIDs exist on Windows only. */
CU_API CUresult cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    return cu_leave(e ? e : cudaErrorNotSupported);
}

CU_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && !bytes)
        e = cudaErrorInvalidValue;
    if (!e)
        *bytes = rt.device[dev].info.memory_bytes;
    return cu_leave(e);
}

/* Attributes of the driver API alone. */
static cudaError_t attribute(int *value, CUdevice_attribute a, CUdevice dev)
{
    switch (a) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: *value = 1; return cudaSuccess;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK:
    case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH: *value = 0; return cudaSuccess;
    default: return rt_device_attribute(value, (int)a, dev);
    }
}

CU_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : attribute(value, a, dev));
}

CU_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!major || !minor))
        e = cudaErrorInvalidValue;
    if (!e) {
        *major = (int)rt.device[dev].info.cc_major;
        *minor = (int)rt.device[dev].info.cc_minor;
    }
    return cu_leave(e);
}

static void old_properties(CUdevprop *out, CUdevice dev)
{
    struct cudaDeviceProp p;
    rt_properties(&p, dev);
    *out = (CUdevprop){
        .maxThreadsPerBlock = p.maxThreadsPerBlock,
        .sharedMemPerBlock = (int)p.sharedMemPerBlock,
        .totalConstantMemory = (int)p.totalConstMem,
        .SIMDWidth = p.warpSize,
        .memPitch = INT_MAX,
        .regsPerBlock = p.regsPerBlock,
        .clockRate = p.clockRate,
        .textureAlign = (int)p.textureAlignment,
    };
    memcpy(out->maxThreadsDim, p.maxThreadsDim, sizeof out->maxThreadsDim);
    memcpy(out->maxGridSize, p.maxGridSize, sizeof out->maxGridSize);
}

CU_API CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && !prop)
        e = cudaErrorInvalidValue;
    if (!e)
        old_properties(prop, dev);
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *id)
{
    cudaError_t e = rt_enter_driver();
    if (!e && (!dev || !id))
        e = cudaErrorInvalidValue;
    int i = e ? -1 : rt_device_at(id);
    if (!e && i < 0)
        e = cudaErrorInvalidDevice;
    if (!e)
        *dev = i;
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!id || len < 13))
        e = cudaErrorInvalidValue;
    if (!e)
        snprintf(id, (size_t)len, "0000:%02X:00.0", (unsigned)(dev + 1) & 0xff);
    return cu_leave(e);
}

/* ---- peers: kernels access the memory of their own device only ---- */

static cudaError_t enter_peers(CUdevice a, CUdevice b)
{
    cudaError_t e = cu_enter_device(a);
    return e ? e : rt_open_device(b);
}

CU_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer)
{
    cudaError_t e = enter_peers(dev, peer);
    if (!e && !can)
        e = cudaErrorInvalidValue;
    if (!e)
        *can = 0;
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute a, CUdevice from, CUdevice to)
{
    cudaError_t e = enter_peers(from, to);
    if (!e && from == to)
        e = cudaErrorInvalidDevice;
    if (!e && (!value || a < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
               a > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED))
        e = cudaErrorInvalidValue;
    if (!e)
        *value = 0;
    return cu_leave(e);
}

CU_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && flags)
        e = cudaErrorInvalidValue;
    if (!e && (!rt_context_known(peer) || peer == rt_context_current()))
        e = cudaErrorDeviceUninitialized;
    return cu_leave(e ? e : cudaErrorPeerAccessUnsupported);
}

CU_API CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    cudaError_t e = rt_enter_context();
    if (!e && !rt_context_known(peer))
        e = cudaErrorDeviceUninitialized;
    return cu_leave(e ? e : cudaErrorPeerAccessNotEnabled);
}

/* ---- pools of a device ---- */

CU_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && !pool)
        e = cudaErrorInvalidValue;
    if (!e)
        *pool = &rt.device[dev].default_pool;
    return cu_leave(e);
}

CU_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && !pool)
        e = cudaErrorInvalidValue;
    if (!e)
        *pool = rt.device[dev].pool;
    return cu_leave(e);
}

CU_API CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    cudaError_t e = cu_enter_device(dev);
    if (!e && (!rt_pool_ok(pool) || pool->device != dev))
        e = cudaErrorInvalidValue;
    if (!e)
        rt.device[dev].pool = pool;
    return cu_leave(e);
}

/* ---- notifications, which a simulated device never sends ---- */

CU_API CUresult cuDeviceRegisterAsyncNotification(CUdevice dev, CUasyncCallback function, void *data,
                                                  CUasyncCallbackHandle *out)
{
    cudaError_t e = cu_enter_device(dev);
    return cu_leave(e ? e : rt_notification_register(dev, (const void *)function,
                                                     (cudaAsyncCallbackHandle_t *)(void *)out));
}

CU_API CUresult cuDeviceUnregisterAsyncNotification(CUdevice dev, CUasyncCallbackHandle handle)
{
    cudaError_t e = cu_enter_device(dev);
    return cu_leave(e ? e : rt_notification_unregister(dev, (cudaAsyncCallbackHandle_t)(void *)handle));
}
