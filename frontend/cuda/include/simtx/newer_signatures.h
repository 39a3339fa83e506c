/* The signatures that functions have in CUDA 12 and 13, as overloads beside those of CUDA 11, so that programs written
 * for any of these versions compile. The edges of a capture are ordinary dependencies. */
#ifndef SIMTX_NEWER_SIGNATURES_H
#define SIMTX_NEWER_SIGNATURES_H

static inline __host__ bool simtx_plain_edges(const cudaGraphEdgeData *data, size_t n)
{
    for (size_t i = 0; data && i < n; i++)
        if (data[i].from_port || data[i].to_port || data[i].type)
            return false;
    return true;
}

SIMTX_API cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0)
{
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

SIMTX_API cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    info->errorFromNode = 0;
    return cudaGraphExecUpdate(exec, graph, &info->errorNode, &info->result);
}

SIMTX_API cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                   cudaGraph_t *graph, const cudaGraphNode_t **dependencies = 0,
                                   size_t *numDependencies = 0)
{
    return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, numDependencies);
}

SIMTX_API cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                   cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                   const cudaGraphEdgeData **edgeData, size_t *numDependencies)
{
    if (edgeData)
        *edgeData = 0;
    return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, numDependencies);
}

SIMTX_API cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                              const cudaGraphEdgeData *data, size_t n, unsigned int flags = 0)
{
    return simtx_plain_edges(data, n) ? cudaStreamUpdateCaptureDependencies(stream, dependencies, n, flags)
                                      : cudaErrorNotSupported;
}

SIMTX_API cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                   const cudaGraphEdgeData *data, size_t n)
{
    return cudaGraphAddDependencies_v2(graph, from, to, data, n);
}

SIMTX_API cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                      const cudaGraphEdgeData *data, size_t n)
{
    return cudaGraphRemoveDependencies_v2(graph, from, to, data, n);
}

SIMTX_API cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                            size_t *n)
{
    return cudaGraphGetEdges_v2(graph, from, to, data, n);
}

SIMTX_API cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n)
{
    return cudaGraphNodeGetDependencies_v2(node, nodes, data, n);
}

SIMTX_API cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,
                                         size_t *n)
{
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, data, n);
}

SIMTX_API cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                           const cudaGraphEdgeData *data, size_t n, struct cudaGraphNodeParams *params)
{
    return cudaGraphAddNode_v2(node, graph, dependencies, data, n, params);
}

SIMTX_API cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags,
                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}

SIMTX_API cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    return cudaMemAdvise_v2(devPtr, count, advice, location);
}

/* One set of attributes for all copies; and the form of CUDA 13, which does not say which copy failed. */
SIMTX_API cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count, struct cudaMemcpyAttributes attr,
                               size_t *failIdx, cudaStream_t stream)
{
    size_t first = 0;
    return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, &attr, &first, 1, failIdx, stream);
}

SIMTX_API cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                               struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                               cudaStream_t stream)
{
    return cudaMemcpyBatchAsync((void **)dsts, (void **)srcs, (size_t *)sizes, count, attrs, attrsIdxs, numAttrs, 0,
                                stream);
}

SIMTX_API cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
                                 cudaStream_t stream)
{
    return cudaMemcpy3DBatchAsync(numOps, opList, 0, flags, stream);
}

/* A variable of the device as an argument. */
template <class T_>
SIMTX_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                         size_t n, const T_ &symbol, const void *src, size_t count, size_t offset,
                                         enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, n, (const void *)&symbol, src, count, offset,
                                            kind);
}

template <class T_>
SIMTX_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t n, void *dst, const T_ &symbol,
                                           size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, n, dst, (const void *)&symbol, count, offset,
                                              kind);
}

template <class T_>
SIMTX_API cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T_ &symbol, const void *src, size_t count,
                                               size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset, kind);
}

template <class T_>
SIMTX_API cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T_ &symbol, size_t count,
                                                 size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset, kind);
}

template <class T_>
SIMTX_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T_ &symbol,
                                                   const void *src, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, count, offset, kind);
}

template <class T_>
SIMTX_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                     const T_ &symbol, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, count, offset, kind);
}

template <class T_>
SIMTX_API cudaOccupancyMaxPotentialClusterSize(int *size, T_ *kernel, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}

template <class T_>
SIMTX_API cudaOccupancyMaxActiveClusters(int *clusters, T_ *kernel, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}

#if __cplusplus >= 201103L
template <class... Expected, class... Actual>
static inline __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Expected...),
                                                      Actual &&...args)
{
    return [&](Expected... converted) {
        void *pointers[sizeof...(Expected) + 1] = {(void *)&converted...};
        return cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(static_cast<Actual &&>(args)...);
}
#endif

#endif
