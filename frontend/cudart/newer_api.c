/* Functions that the runtime API has since CUDA 11.8, 12 and 13. */
#include "frontend/cuda/include/cuda.h"
#include "frontend/cudart/cudart.h"
#include "frontend/rt/graph/graph.h"

/* ---- graphs ---- */

RT_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t g, unsigned initial,
                                                    unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_condition_create(handle, g, initial, flags));
}

static cudaError_t add_conditional(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                   struct cudaConditionalNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = rt_op_conditional(&op, p->handle, (int)p->type, p->size);
    if (!e)
        e = rt_graph_add(out, g, deps, n, &op);
    if (!e)
        p->phGraph_out = (*out)->op.conditional.bodies;
    return rt_leave(e);
}

static cudaError_t add_kernel(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                              const struct cudaKernelNodeParamsV2 *p)
{
    struct cudaKernelNodeParams k = {p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra};
    return cudaGraphAddKernelNode(out, g, deps, n, &k);
}

RT_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                    struct cudaGraphNodeParams *p)
{
    if (!p) {
        cudaError_t e = rt_enter_gpu();
        return rt_leave(e ? e : cudaErrorInvalidValue);
    }
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return add_kernel(out, g, deps, n, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(out, g, deps, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(out, g, deps, n, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(out, g, deps, n, &p->host);
    case cudaGraphNodeTypeGraph: return cudaGraphAddChildGraphNode(out, g, deps, n, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(out, g, deps, n);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(out, g, deps, n, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphAddEventRecordNode(out, g, deps, n, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return cudaGraphAddMemAllocNode(out, g, deps, n, &p->alloc);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(out, g, deps, n, p->free.dptr);
    case cudaGraphNodeTypeConditional: return add_conditional(out, g, deps, n, &p->conditional);
    default: break;
    }
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : cudaErrorNotSupported);
}

/* Launches from the device are not supported. */
RT_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e && p->flags & cudaGraphInstantiateFlagDeviceLaunch)
        e = cudaErrorNotSupported;
    if (!e)
        e = rt_graph_instantiate(out, g, p->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
    if (p) {
        p->errNode_out = NULL;
        p->result_out = e ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    }
    return rt_leave(e);
}

/* ---- managed memory: a location is a device, or the host in one of three ways ---- */

static int device_of(struct cudaMemLocation l)
{
    return l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId;
}

/* The number of a device is checked later. */
static bool wrong_location(struct cudaMemLocation l)
{
    return l.type != cudaMemLocationTypeDevice && !rt_location_ok(l);
}

RT_API cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t bytes, struct cudaMemLocation l, unsigned flags,
                                           cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (flags || wrong_location(l)))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_prefetch(p, bytes, device_of(l), stream));
}

RT_API cudaError_t cudaMemAdvise_v2(const void *p, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation l)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && advice >= cudaMemAdviseSetPreferredLocation && wrong_location(l))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_advise(p, bytes, (int)advice, device_of(l)));
}

/* ---- devices, streams, kernels ---- */

RT_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_open_device(device));
}

RT_API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_stream_ok(s))
        e = cudaErrorInvalidResourceHandle;
    if (!e && !id)
        e = cudaErrorInvalidValue;
    if (!e)
        *id = rt_stream_state(s)->id;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamGetDevice(cudaStream_t s, int *device)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_stream_ok(s))
        e = cudaErrorInvalidResourceHandle;
    if (!e && !device)
        e = cudaErrorInvalidValue;
    if (!e)
        *device = rt_stream_builtin(s) ? rt_thread.device : rt_stream_state(s)->context->device;
    return rt_leave(e);
}

/* As launches by <<<>>>, those that are not cooperative are queued and may run concurrently. */
RT_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    struct rt_args a = {.each = (const void *const *)args};
    struct rt_launch_attributes attributes;
    struct CUfunc_st *f;
    cudaError_t e = rt_enter_launch();
    if (!e)
        e = config ? rt_read_attributes(&attributes, config->attrs, config->numAttrs) : cudaErrorInvalidValue;
    if (!e)
        e = rt_kernel(func, &f);
    if (e)
        return rt_leave(e);
    if (attributes.cooperative)
        rt_run_queued();
    struct rt_launch_config c = {.grid = config->gridDim, .block = config->blockDim,
                                  .shared = config->dynamicSmemBytes, .stream = config->stream};
    return rt_leave(rt_launch_with(f, &c, &a, &attributes));
}

RT_API cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    struct CUfunc_st *f;
    simtx_kernel_info k;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = rt_kernel(func, &f);
    if (!e && !name)
        e = cudaErrorInvalidValue;
    if (!e) {
        simtx_kernel_get_info(f->kernel, &k);
        *name = k.name;
    }
    return rt_leave(e);
}

RT_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t i, size_t *offset, size_t *size)
{
    struct CUfunc_st *f;
    simtx_kernel_info k = {0};
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = rt_kernel(func, &f);
    if (!e)
        simtx_kernel_get_info(f->kernel, &k);
    if (!e && (!offset || i >= k.nparams))
        e = cudaErrorInvalidValue;
    if (!e)
        *offset = k.params[i].offset;
    if (!e && size)
        *size = k.params[i].size;
    return rt_leave(e);
}

/* ---- clusters ---- */

static cudaError_t enter_configuration(const void *out, const void *func, const cudaLaunchConfig_t *config,
                                       struct rt_launch_attributes *a, struct CUfunc_st **f)
{
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = out && config ? rt_read_attributes(a, config->attrs, config->numAttrs) : cudaErrorInvalidValue;
    return e ? e : rt_kernel(func, f);
}

static struct rt_launch_config launch_of(const cudaLaunchConfig_t *config)
{
    return (struct rt_launch_config){.grid = config->gridDim, .block = config->blockDim,
                                     .shared = config->dynamicSmemBytes};
}

RT_API cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_launch_attributes a;
    struct CUfunc_st *f;
    cudaError_t e = enter_configuration(clusters, func, config, &a, &f);
    struct rt_launch_config c = e ? (struct rt_launch_config){.shared = 0} : launch_of(config);
    return rt_leave(e ? e : rt_active_clusters(f, &c, &a, clusters));
}

RT_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const cudaLaunchConfig_t *config)
{
    struct rt_launch_attributes a;
    struct CUfunc_st *f;
    cudaError_t e = enter_configuration(size, func, config, &a, &f);
    struct rt_launch_config c = e ? (struct rt_launch_config){.shared = 0} : launch_of(config);
    return rt_leave(e ? e : rt_largest_cluster(f, &c, size));
}

/* ---- notifications, which a simulated device never sends ---- */

RT_API cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback function, void *data,
                                                       cudaAsyncCallbackHandle_t *out)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_notification_register(device, (const void *)function, out));
}

RT_API cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_notification_unregister(device, handle));
}

/* ---- atomic operations on memory of the host and of other devices (13): none is native ---- */

static cudaError_t no_capabilities(unsigned *capabilities, const enum cudaAtomicOperation *operations, unsigned n)
{
    if (!capabilities || !operations || !n)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
            return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        capabilities[i] = 0;
    return cudaSuccess;
}

RT_API cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities,
                                                       const enum cudaAtomicOperation *operations, unsigned n,
                                                       int device)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = rt_open_device(device);
    return rt_leave(e ? e : no_capabilities(capabilities, operations, n));
}

RT_API cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                                      const enum cudaAtomicOperation *operations, unsigned n, int from,
                                                      int to)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = rt_open_device(from);
    if (!e)
        e = from == to ? cudaErrorInvalidDevice : rt_open_device(to);
    return rt_leave(e ? e : no_capabilities(capabilities, operations, n));
}

/* ---- the driver API by name ---- */

RT_API cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                    unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *status)
{
    CUdriverProcAddressQueryResult found;
    CUresult r = cuGetProcAddress_v2(symbol, function, (int)version, flags, &found);
    if (status)
        *status = (enum cudaDriverEntryPointQueryResult)found;
    return status && r == CUDA_ERROR_NOT_FOUND ? cudaSuccess : (cudaError_t)r;
}

/* Without a version, the release of the library determines which function a name means (renamed.txt). */
RT_API cudaError_t __cudaSimtxGetDriverEntryPoint12(const char *symbol, void **function, unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *status);
RT_API cudaError_t __cudaSimtxGetDriverEntryPoint13(const char *symbol, void **function, unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *status);

RT_API cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                           enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

cudaError_t __cudaSimtxGetDriverEntryPoint12(const char *symbol, void **function, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, RT_RELEASE_12, flags, status);
}

cudaError_t __cudaSimtxGetDriverEntryPoint13(const char *symbol, void **function, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, RT_RELEASE_13, flags, status);
}
