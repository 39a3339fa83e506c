/* Graphs of the driver API: parameters of nodes become operations of the layer below. */
#include "frontend/libcuda/cu_graph.h"

/* ---- parameters as operations ---- */

cudaError_t cu_kernel_op(struct rt_op *op, const CUDA_KERNEL_NODE_PARAMS *p)
{
    if (!p || (p->kernelParams && p->extra))
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = RT_OP_KERNEL,
                         .kernel = {.config = {{p->gridDimX, p->gridDimY, p->gridDimZ},
                                               {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes, NULL, 0},
                                    .args = {.each = (const void *const *)p->kernelParams}}};
    if (p->extra && !rt_read_extra(&op->kernel.args, p->extra))
        return cudaErrorInvalidValue;
    return rt_resolve(p->func, &op->kernel.f);
}

cudaError_t cu_copy_op(struct rt_op *op, const CUDA_MEMCPY3D *p)
{
    *op = (struct rt_op){.kind = RT_OP_COPY};
    return p ? cu_copy_parameters(&op->copy.dst, &op->copy.src, &op->copy.kind, p) : cudaErrorInvalidValue;
}

cudaError_t cu_fill_op(struct rt_op *op, const CUDA_MEMSET_NODE_PARAMS *p)
{
    if (!p)
        return cudaErrorInvalidValue;
    return rt_op_fill(op, cu_pointer(p->dst), p->pitch, p->value, p->elementSize, p->width, p->height);
}

cudaError_t cu_host_op(struct rt_op *op, const CUDA_HOST_NODE_PARAMS *p)
{
    return p ? rt_op_host(op, p->fn, p->userData) : cudaErrorInvalidValue;
}

/* ---- building ---- */

CU_API CUresult cuGraphCreate(CUgraph *out, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || flags))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_graph_create(out));
}

CU_API CUresult cuGraphDestroy(CUgraph g)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_destroy(g));
}

CU_API CUresult cuGraphClone(CUgraph *out, CUgraph g)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_clone(out, g));
}

CU_API CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_find_in_clone(out, original, clone));
}

CU_API CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                     const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_kernel_op(&op, p);
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                     const CUDA_MEMCPY3D *p, CUcontext c)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_copy_op(&op, p);
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                     const CUDA_MEMSET_NODE_PARAMS *p, CUcontext c)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_fill_op(&op, p);
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                   const CUDA_HOST_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_host_op(&op, p);
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n, CUgraph child)
{
    struct rt_op op = {.kind = RT_OP_GRAPH, .child = child};
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n)
{
    struct rt_op op = {.kind = RT_OP_EMPTY};
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_depend(g, from, to, NULL, n));
}

CU_API CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_independ(g, from, to, NULL, n));
}

CU_API CUresult cuGraphDestroyNode(CUgraphNode node)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_node_destroy(node));
}

CU_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_kernel_op(&op, p);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

/* ---- queries ---- */

CU_API CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!type || !rt_node_ok(node)))
        e = cudaErrorInvalidValue;
    if (!e)
        *type = (CUgraphNodeType)node->op.kind;
    return cu_leave(e);
}

CU_API CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_nodes(g, nodes, n, false));
}

CU_API CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *nodes, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_nodes(g, nodes, n, true));
}

CU_API CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_edges(g, from, to, NULL, n));
}

CU_API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_node_dependencies(node, nodes, NULL, n));
}

CU_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_node_dependents(node, nodes, NULL, n));
}

/* ---- executable graphs ---- */

CU_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_instantiate(out, g, flags));
}

CU_API CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph g, CUgraphNode *bad, char *log, size_t log_bytes)
{
    if (bad)
        *bad = NULL;
    if (log && log_bytes)
        *log = 0;
    return cuGraphInstantiateWithFlags(out, g, 0);
}

CU_API CUresult cuGraphExecDestroy(CUgraphExec x)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_exec_destroy(x));
}

CU_API CUresult cuGraphLaunch(CUgraphExec x, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_launch(x, s));
}

CU_API CUresult cuGraphUpload(CUgraphExec x, CUstream s)
{
    cudaError_t e = cu_enter_stream(s);
    return cu_leave(e ? e : rt_exec_ok(x) ? cudaSuccess : cudaErrorInvalidValue);
}

CU_API CUresult cuGraphExecUpdate(CUgraphExec x, CUgraph g, CUgraphNode *bad, CUgraphExecUpdateResult *result)
{
    CUgraphNode node;
    enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateError;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = rt_exec_update(x, g, bad ? bad : &node, &r);
    if (result)
        *result = (CUgraphExecUpdateResult)r;
    return cu_leave(e);
}

CU_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_kernel_op(&op, p);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

/* ---- capture ---- */

CU_API CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_capture_begin(s, (int)mode));
}

CU_API CUresult cuStreamEndCapture(CUstream s, CUgraph *out)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_capture_end(s, out));
}

CU_API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    int m = mode ? (int)*mode : -1;
    cudaError_t e = rt_enter_driver();
    if (!e)
        e = rt_capture_exchange_mode(&m);
    if (!e)
        *mode = (CUstreamCaptureMode)m;
    return cu_leave(e);
}

static CUresult capture_info(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                             const CUgraphNode **deps, size_t *n)
{
    enum cudaStreamCaptureStatus st;
    unsigned long long number = 0;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = rt_capture_status(s, status ? &st : NULL, &number, graph, deps, n);
    if (!e) {
        *status = (CUstreamCaptureStatus)st;
        if (id)
            *id = number;
    }
    return cu_leave(e);
}

CU_API CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status)
{
    return capture_info(s, status, NULL, NULL, NULL, NULL);
}

CU_API CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id)
{
    return capture_info(s, status, id, NULL, NULL, NULL);
}

CU_API CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                          const CUgraphNode **deps, size_t *n)
{
    return capture_info(s, status, id, graph, deps, n);
}

CU_API CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *deps, size_t n, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_capture_dependencies(s, deps, n, flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}
