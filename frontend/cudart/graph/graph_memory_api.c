/* Allocations and frees as nodes of graphs, and the memory of all graphs of a device. */
#include "frontend/cudart/cudart.h"
#include "frontend/rt/graph/graph.h"

static bool access_ok(const struct cudaMemAllocNodeParams *p)
{
    for (size_t i = 0; i < p->accessDescCount; i++)
        if (!p->accessDescs || p->accessDescs[i].location.id != p->poolProps.location.id)
            return false;
    return true;
}

RT_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                            struct cudaMemAllocNodeParams *p)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e && !access_ok(p))
        e = cudaErrorPeerAccessUnsupported;
    return rt_leave(e ? e : rt_graph_add_alloc(out, g, deps, n, &p->poolProps, p->bytesize, &p->dptr));
}

RT_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!p || !rt_node_ok(node) || node->op.kind != RT_OP_ALLOC))
        e = cudaErrorInvalidValue;
    if (!e)
        *p = (struct cudaMemAllocNodeParams){
            .poolProps = {.allocType = cudaMemAllocationTypePinned,
                          .location = {cudaMemLocationTypeDevice, node->graph->device}},
            .bytesize = node->op.memory.bytes,
            .dptr = node->op.memory.p,
        };
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                           void *p)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_add_free(out, g, deps, n, p));
}

RT_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !rt_node_ok(node) || node->op.kind != RT_OP_FREE))
        e = cudaErrorInvalidValue;
    if (!e)
        *(void **)out = node->op.memory.p;
    return rt_leave(e);
}

/* Memory is freed when it becomes free, so nothing remains to be released. */
RT_API cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_open_device(device));
}

RT_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_graph_memory_get(device, (int)attribute, value));
}

RT_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_graph_memory_set(device, (int)attribute, *(const unsigned long long *)value));
}
