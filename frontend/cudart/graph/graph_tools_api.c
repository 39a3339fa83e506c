/* Graphs: nodes that are switched off, parameters by kind, attributes of kernels, user objects, text for Graphviz. */
#include "frontend/cudart/cudart.h"
#include "frontend/rt/graph/graph.h"

/* ---- executable graphs ---- */

RT_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned enabled)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_exec_enable(x, node, enabled != 0));
}

RT_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned *enabled)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_exec_enabled(x, node, enabled));
}

RT_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t x, unsigned long long *flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!flags || !rt_exec_ok(x)))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = x->flags;
    return rt_leave(e);
}

/* ---- parameters by kind ---- */

static struct cudaKernelNodeParams kernel_of(const struct cudaGraphNodeParams *p)
{
    return (struct cudaKernelNodeParams){.func = p->kernel.func, .gridDim = p->kernel.gridDim,
                                         .blockDim = p->kernel.blockDim, .sharedMemBytes = p->kernel.sharedMemBytes,
                                         .kernelParams = p->kernel.kernelParams, .extra = p->kernel.extra};
}

static cudaError_t wrong_kind(const struct cudaGraphNodeParams *p)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : p ? cudaErrorNotSupported : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    struct cudaKernelNodeParams k;
    switch (p ? p->type : cudaGraphNodeTypeConditional) {
    case cudaGraphNodeTypeKernel: k = kernel_of(p); return cudaGraphKernelNodeSetParams(node, &k);
    case cudaGraphNodeTypeMemcpy: return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphMemsetNodeSetParams(node, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphHostNodeSetParams(node, &p->host);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    default: return wrong_kind(p);
    }
}

RT_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
    struct cudaKernelNodeParams k;
    switch (p ? p->type : cudaGraphNodeTypeConditional) {
    case cudaGraphNodeTypeKernel: k = kernel_of(p); return cudaGraphExecKernelNodeSetParams(x, node, &k);
    case cudaGraphNodeTypeMemcpy: return cudaGraphExecMemcpyNodeSetParams(x, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphExecMemsetNodeSetParams(x, node, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphExecHostNodeSetParams(x, node, &p->host);
    case cudaGraphNodeTypeGraph: return cudaGraphExecChildGraphNodeSetParams(x, node, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphExecEventWaitNodeSetEvent(x, node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphExecEventRecordNodeSetEvent(x, node, p->eventRecord.event);
    default: return wrong_kind(p);
    }
}

/* ---- attributes of kernels ---- */

static cudaError_t enter_kernel(cudaGraphNode_t node)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_node_ok(node) && node->op.kind == RT_OP_KERNEL ? cudaSuccess : cudaErrorInvalidValue;
}

RT_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                                                   union cudaLaunchAttributeValue *v)
{
    cudaError_t e = enter_kernel(node);
    return rt_leave(e ? e : v ? rt_op_get_attribute(&node->op, (int)id, v) : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID id,
                                                   const union cudaLaunchAttributeValue *v)
{
    cudaError_t e = enter_kernel(node);
    return rt_leave(e ? e : v ? rt_op_set_attribute(&node->op, (int)id, v) : cudaErrorInvalidValue);
}

RT_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    cudaError_t e = enter_kernel(to);
    if (!e && (!rt_node_ok(from) || from->op.kind != RT_OP_KERNEL))
        e = cudaErrorInvalidValue;
    if (!e)
        rt_op_copy_attributes(&to->op, &from->op);
    return rt_leave(e);
}

/* ---- user objects, text ---- */

RT_API cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *p, cudaHostFn_t end, unsigned references,
                                        unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_user_object_create(out, p, end, references, flags));
}

RT_API cudaError_t cudaUserObjectRetain(cudaUserObject_t o, unsigned n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_user_object_retain(o, n));
}

RT_API cudaError_t cudaUserObjectRelease(cudaUserObject_t o, unsigned n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_user_object_release(o, n));
}

RT_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned n, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && flags & ~(unsigned)cudaGraphUserObjectMove)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_graph_retain_object(g, o, n, flags != 0));
}

RT_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_release_object(g, o, n));
}

/* The text has the parameters of every node, whatever the flags. */
RT_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t g, const char *path, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_dot(g, path));
}

/* ---- numbers of graphs and nodes (13) ---- */

RT_API cudaError_t cudaGraphGetId(cudaGraph_t g, unsigned *id)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!id || !rt_graph_ok(g)))
        e = cudaErrorInvalidValue;
    if (!e)
        *id = g->id;
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphExecGetId(cudaGraphExec_t x, unsigned *id)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!id || !rt_exec_ok(x)))
        e = cudaErrorInvalidValue;
    if (!e)
        *id = x->id;
    return rt_leave(e);
}

static cudaError_t enter_node(cudaGraphNode_t node, const void *out)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : out && rt_node_ok(node) ? cudaSuccess : cudaErrorInvalidValue;
}

RT_API cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    cudaError_t e = enter_node(node, out);
    if (!e)
        *out = node->graph;
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphNodeGetLocalId(cudaGraphNode_t node, unsigned *id)
{
    cudaError_t e = enter_node(node, id);
    if (!e)
        *id = node->id;
    return rt_leave(e);
}

/* Unique in the process: the number of the graph, and that of the node in it. */
RT_API cudaError_t cudaGraphNodeGetToolsId(cudaGraphNode_t node, unsigned long long *id)
{
    cudaError_t e = enter_node(node, id);
    if (!e)
        *id = (unsigned long long)node->graph->id << 32 | node->id;
    return rt_leave(e);
}
