/* Graphs of the driver API in the forms of CUDA 12: nodes with parameters of any kind, data of edges, attributes of
 * kernels, conditions. Contexts among parameters have no effect: a node runs on the device of its function. */
#include "frontend/libcuda/cu_graph.h"

#include <string.h>

/* ---- parameters as operations ---- */

static cudaError_t kernel_op(struct rt_op *op, const CUDA_KERNEL_NODE_PARAMS_v3 *p)
{
    CUDA_KERNEL_NODE_PARAMS k = {
        .func = p->func ? p->func : (CUfunction)(void *)p->kern,
        .gridDimX = p->gridDimX, .gridDimY = p->gridDimY, .gridDimZ = p->gridDimZ,
        .blockDimX = p->blockDimX, .blockDimY = p->blockDimY, .blockDimZ = p->blockDimZ,
        .sharedMemBytes = p->sharedMemBytes, .kernelParams = p->kernelParams, .extra = p->extra,
    };
    return cu_kernel_op(op, &k);
}

static cudaError_t fill_op(struct rt_op *op, const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
    CUDA_MEMSET_NODE_PARAMS f = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
    return cu_fill_op(op, &f);
}

static cudaError_t host_op(struct rt_op *op, const CUDA_HOST_NODE_PARAMS_v2 *p)
{
    return rt_op_host(op, p->fn, p->userData);
}

static cudaError_t event_op(struct rt_op *op, enum rt_op_kind kind, CUevent event)
{
    *op = (struct rt_op){.kind = kind, .event = event};
    return rt_event_ok(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t child_op(struct rt_op *op, CUgraph child)
{
    *op = (struct rt_op){.kind = RT_OP_GRAPH, .child = child};
    return rt_graph_ok(child) ? cudaSuccess : cudaErrorInvalidValue;
}

/* Not of allocations, which make memory first. ops: room for memory operations. */
static cudaError_t op_of(struct rt_op *op, struct rt_memory_op *ops, const CUgraphNodeParams *p)
{
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_op(op, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return cu_copy_op(op, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: return fill_op(op, &p->memset);
    case CU_GRAPH_NODE_TYPE_HOST: return host_op(op, &p->host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return child_op(op, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: *op = (struct rt_op){.kind = RT_OP_EMPTY}; return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return event_op(op, RT_OP_WAIT, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return event_op(op, RT_OP_RECORD, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return cu_memory_op(op, ops, &p->memOp);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return rt_op_conditional(op, p->conditional.handle, (int)p->conditional.type, p->conditional.size);
    default: return cudaErrorNotSupported;
    }
}

/* ---- nodes ---- */

static cudaError_t add_alloc(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                             CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    void *place = NULL;
    cudaError_t e = rt_graph_add_alloc(out, g, deps, n, (const struct cudaMemPoolProps *)(const void *)&p->poolProps,
                                       p->bytesize, &place);
    if (!e)
        p->dptr = cu_address(place);
    return e;
}

static cudaError_t add(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n, CUgraphNodeParams *p)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    struct rt_op op;
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        return add_alloc(out, g, deps, n, &p->alloc);
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return rt_graph_add_free(out, g, deps, n, cu_pointer(p->free.dptr));
    cudaError_t e = op_of(&op, ops, p);
    if (!e)
        e = rt_graph_add(out, g, deps, n, &op);
    if (!e && p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        p->conditional.phGraph_out = (*out)->op.conditional.bodies;
    return e;
}

CU_API CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *data,
                                  size_t n, CUgraphNodeParams *p)
{
    cudaError_t e = rt_enter_context();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e)
        e = add(out, g, deps, n, p);
    return cu_leave(e ? e : rt_node_set_edges(*out, deps, data, n));
}

CU_API CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n, CUgraphNodeParams *p)
{
    return cuGraphAddNode_v2(out, g, deps, NULL, n, p);
}

/* The kinds whose nodes keep their operation, and those that only an executable graph can change. */
static bool fixed(CUgraphNodeType type, bool instance)
{
    return type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
           (type == CU_GRAPH_NODE_TYPE_GRAPH && !instance);
}

static cudaError_t enter_change(struct rt_op *op, struct rt_memory_op *ops, const CUgraphNodeParams *p, bool instance)
{
    cudaError_t e = rt_enter_context();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e && fixed(p->type, instance))
        e = cudaErrorNotSupported;
    return e ? e : op_of(op, ops, p);
}

CU_API CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    struct rt_op op;
    cudaError_t e = enter_change(&op, ops, p, false);
    if (!e && op.kind == RT_OP_KERNEL && rt_node_ok(node) && node->op.kind == RT_OP_KERNEL)
        rt_op_copy_attributes(&op, &node->op);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

CU_API CUresult cuGraphExecNodeSetParams(CUgraphExec x, CUgraphNode node, CUgraphNodeParams *p)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    struct rt_op op;
    cudaError_t e = enter_change(&op, ops, p, true);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

CU_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *p)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!p || !rt_node_ok(node) || node->op.kind != RT_OP_COPY))
        e = cudaErrorInvalidValue;
    if (!e)
        cu_copy_of(p, &node->op.copy.dst, &node->op.copy.src, node->op.copy.kind);
    return cu_leave(e);
}

/* ---- attributes of kernels ---- */

static cudaError_t enter_kernel(CUgraphNode node, const void *value)
{
    cudaError_t e = rt_enter_context();
    return e ? e : value && rt_node_ok(node) && node->op.kind == RT_OP_KERNEL ? cudaSuccess : cudaErrorInvalidValue;
}

/* Both APIs have one layout of values. */
_Static_assert(sizeof(CUlaunchAttributeValue) == sizeof(union cudaLaunchAttributeValue), "attributes of launches");

CU_API CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *v)
{
    cudaError_t e = enter_kernel(node, v);
    return cu_leave(e ? e : rt_op_get_attribute(&node->op, (int)id, (union cudaLaunchAttributeValue *)(void *)v));
}

CU_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id,
                                              const CUlaunchAttributeValue *v)
{
    cudaError_t e = enter_kernel(node, v);
    return cu_leave(e ? e : rt_op_set_attribute(&node->op, (int)id,
                                                (const union cudaLaunchAttributeValue *)(const void *)v));
}

CU_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    cudaError_t e = enter_kernel(to, to);
    if (!e && (!rt_node_ok(from) || from->op.kind != RT_OP_KERNEL))
        e = cudaErrorInvalidValue;
    if (!e)
        rt_op_copy_attributes(&to->op, &from->op);
    return cu_leave(e);
}

/* ---- data of edges ---- */

_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "data of edges");

CU_API CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                          const CUgraphEdgeData *data, size_t n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_depend(g, from, to, data, n));
}

CU_API CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                             const CUgraphEdgeData *data, size_t n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_independ(g, from, to, data, n));
}

CU_API CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_edges(g, from, to, data, n));
}

CU_API CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_node_dependencies(node, nodes, data, n));
}

CU_API CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_node_dependents(node, nodes, data, n));
}

/* ---- capture ---- */

CU_API CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph g, const CUgraphNode *deps,
                                            const CUgraphEdgeData *data, size_t n, CUstreamCaptureMode mode)
{
    cudaError_t e = rt_enter_context();
    if (!e && !rt_plain_edges(data, n))
        e = rt_other_edges();
    return cu_leave(e ? e : rt_capture_begin_to(s, g, deps, n, (int)mode));
}

CU_API CUresult cuStreamGetCaptureInfo_v3(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                          const CUgraphNode **deps, const CUgraphEdgeData **data, size_t *n)
{
    if (data)
        *data = NULL;
    return cuStreamGetCaptureInfo_v2(s, status, id, graph, deps, n);
}

CU_API CUresult cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *deps, const CUgraphEdgeData *data,
                                                     size_t n, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && !rt_plain_edges(data, n))
        e = rt_other_edges();
    if (!e && flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_capture_dependencies(s, deps, n, flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

/* ---- conditions ---- */

CU_API CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph g, CUcontext c,
                                               unsigned initial, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && c && !rt_context_known(c))
        e = cudaErrorDeviceUninitialized;
    return cu_leave(e ? e : rt_condition_create((unsigned long long *)handle, g, initial, flags));
}
