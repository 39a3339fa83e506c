/* Functions with the number of a version in their name: CUDA gives a function such a name when its arguments change,
 * and the headers of later releases give the plain name to it. Edges of graphs have data since release 12.3. */
#include "frontend/cudart/cudart.h"
#include "frontend/rt/graph/graph.h"

static cudaError_t other_edges(void)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_other_edges());
}

/* Not in the headers, whose C++ overloads have these arguments. */
#define PROTOTYPE(name, ...) RT_API cudaError_t name(__VA_ARGS__); cudaError_t name(__VA_ARGS__)

PROTOTYPE(cudaStreamGetCaptureInfo_v3, cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id,
          cudaGraph_t *graph, const cudaGraphNode_t **deps, const cudaGraphEdgeData **data, size_t *n)
{
    if (data)
        *data = NULL;
    return cudaStreamGetCaptureInfo_v2(s, status, id, graph, deps, n);
}

PROTOTYPE(cudaStreamUpdateCaptureDependencies_v2, cudaStream_t s, cudaGraphNode_t *deps, const cudaGraphEdgeData *data,
          size_t n, unsigned flags)
{
    return rt_plain_edges(data, n) ? cudaStreamUpdateCaptureDependencies(s, deps, n, flags) : other_edges();
}

RT_API cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *data, size_t n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_depend(g, from, to, data, n));
}

RT_API cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_independ(g, from, to, data, n));
}

RT_API cudaError_t cudaGraphGetEdges_v2(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                        cudaGraphEdgeData *data, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_edges(g, from, to, data, n));
}

RT_API cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                   cudaGraphEdgeData *data, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_node_dependencies(node, nodes, data, n));
}

RT_API cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                     cudaGraphEdgeData *data, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_node_dependents(node, nodes, data, n));
}

RT_API cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                       const cudaGraphEdgeData *data, size_t n, struct cudaGraphNodeParams *p)
{
    cudaError_t e = cudaGraphAddNode(out, g, deps, n, p);
    if (e)
        return e;
    e = rt_enter_gpu();
    return rt_leave(e ? e : rt_node_set_edges(*out, deps, data, n));
}

PROTOTYPE(cudaEventElapsedTime_v2, float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, start, end);
}

PROTOTYPE(__cudaSimtxGraphExecUpdate12, cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo none;
    info = info ? info : &none;
    info->errorFromNode = NULL;
    return cudaGraphExecUpdate(x, g, &info->errorNode, &info->result);
}

/* The context of the condition is the one of its graph. */
PROTOTYPE(cudaGraphConditionalHandleCreate_v2, cudaGraphConditionalHandle *handle, cudaGraph_t g, void *context,
          unsigned initial, unsigned flags)
{
    return cudaGraphConditionalHandleCreate(handle, g, initial, flags);
}

/* ---- launches as nvcc of release 12 and later compiles them: a kernel's handle is the address of its host function */

PROTOTYPE(__cudaGetKernel, void **kernel, const void *entry)
{
    *kernel = (void *)entry;
    return cudaSuccess;
}

PROTOTYPE(__cudaLaunchKernel, void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

/* Images are loaded when they are first used. */
RT_API char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
    return 0;
}
