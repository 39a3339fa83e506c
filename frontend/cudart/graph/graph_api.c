/* Graphs of the runtime API: parameters of nodes become operations of the layer below. */
#include "frontend/cudart/cudart.h"
#include "frontend/rt/graph/graph.h"

/* ---- parameters as operations ---- */

static cudaError_t kernel_op(struct rt_op *op, const struct cudaKernelNodeParams *p)
{
    if (!p || (p->kernelParams && p->extra))
        return cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = RT_OP_KERNEL,
                         .kernel = {.config = {p->gridDim, p->blockDim, p->sharedMemBytes, NULL, 0},
                                    .args = {.each = (const void *const *)p->kernelParams}}};
    if (p->extra && !rt_read_extra(&op->kernel.args, p->extra))
        return cudaErrorInvalidValue;
    return rt_kernel(p->func, &op->kernel.f);
}

static cudaError_t copy_op(struct rt_op *op, const struct cudaMemcpy3DParms *p)
{
    *op = (struct rt_op){.kind = RT_OP_COPY};
    if (!p)
        return cudaErrorInvalidValue;
    op->copy.kind = p->kind;
    return rt_copy_parameters(&op->copy.dst, &op->copy.src, p);
}

static cudaError_t line_op(struct rt_op *op, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    *op = (struct rt_op){.kind = RT_OP_COPY,
                         .copy = {{.box = rt_line(dst, bytes)}, {.box = rt_line(src, bytes)}, kind}};
    return dst && src && bytes ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t fill_op(struct rt_op *op, const struct cudaMemsetParams *p)
{
    if (!p)
        return cudaErrorInvalidValue;
    return rt_op_fill(op, p->dst, p->pitch, p->value, p->elementSize, p->width, p->height);
}

static cudaError_t host_op(struct rt_op *op, const struct cudaHostNodeParams *p)
{
    return p ? rt_op_host(op, p->fn, p->userData) : cudaErrorInvalidValue;
}

static cudaError_t event_op(struct rt_op *op, enum rt_op_kind kind, cudaEvent_t event)
{
    *op = (struct rt_op){.kind = kind, .event = event};
    return rt_event_ok(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* ---- building ---- */

RT_API cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || flags))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_graph_create(out));
}

RT_API cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_destroy(g));
}

RT_API cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t g)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_clone(out, g));
}

RT_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_find_in_clone(out, original, clone));
}

RT_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                          const struct cudaKernelNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = kernel_op(&op, p);
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                          const struct cudaMemcpy3DParms *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = copy_op(&op, p);
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                            void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = line_op(&op, dst, src, bytes, kind);
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                          const struct cudaMemsetParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = fill_op(&op, p);
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                                        const struct cudaHostNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = host_op(&op, p);
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                              size_t n, cudaGraph_t child)
{
    struct rt_op op = {.kind = RT_OP_GRAPH, .child = child};
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n)
{
    struct rt_op op = {.kind = RT_OP_EMPTY};
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

static cudaError_t add_event(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                             enum rt_op_kind kind, cudaEvent_t event)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = event_op(&op, kind, event);
    return rt_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

RT_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                               size_t n, cudaEvent_t event)
{
    return add_event(out, g, deps, n, RT_OP_RECORD, event);
}

RT_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                             size_t n, cudaEvent_t event)
{
    return add_event(out, g, deps, n, RT_OP_WAIT, event);
}

RT_API cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            size_t n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_depend(g, from, to, NULL, n));
}

RT_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                               size_t n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_independ(g, from, to, NULL, n));
}

RT_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_node_destroy(node));
}

/* ---- queries ---- */

/* rt_enter_gpu, then checks that the node exists and has this kind. */
static cudaError_t enter_node(cudaGraphNode_t node, enum rt_op_kind kind)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_node_ok(node) && node->op.kind == kind ? cudaSuccess : cudaErrorInvalidValue;
}

RT_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!type || !rt_node_ok(node)))
        e = cudaErrorInvalidValue;
    if (!e)
        *type = (enum cudaGraphNodeType)node->op.kind;
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_nodes(g, nodes, n, false));
}

RT_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_nodes(g, nodes, n, true));
}

RT_API cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_edges(g, from, to, NULL, n));
}

RT_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_node_dependencies(node, nodes, NULL, n));
}

RT_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_node_dependents(node, nodes, NULL, n));
}

RT_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    cudaError_t e = enter_node(node, RT_OP_GRAPH);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = node->op.child;
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    cudaError_t e = enter_node(node, RT_OP_KERNEL);
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e && !rt_function_ok(node->op.kernel.f))
        e = cudaErrorInvalidDeviceFunction;
    if (!e)
        *p = (struct cudaKernelNodeParams){
            .func = node->op.kernel.f->symbol ? (void *)node->op.kernel.f->symbol : node->op.kernel.f,
            .gridDim = node->op.kernel.config.grid, .blockDim = node->op.kernel.config.block,
            .sharedMemBytes = (unsigned)node->op.kernel.config.shared,
            .kernelParams = (void **)node->op.kernel.args.each,
        };
    return rt_leave(e);
}

/* With an array on a side, positions in arrays and the width count texels. */
static void copy_of(struct cudaMemcpy3DParms *p, const struct rt_op *op)
{
    const struct rt_side *dst = &op->copy.dst, *src = &op->copy.src;
    simtx_array_desc d;
    size_t texel = rt_array_get(dst->array ? dst->array : src->array, &d) ? rt_texel_bytes(&d) : 1;
    *p = (struct cudaMemcpy3DParms){.dstArray = (cudaArray_t)(void *)dst->array,
                                    .srcArray = (cudaArray_t)(void *)src->array,
                                    .extent = {dst->box.width / texel, dst->box.height, dst->box.depth},
                                    .kind = op->copy.kind};
    if (dst->array)
        p->dstPos = (struct cudaPos){dst->pos.x / texel, dst->pos.y, dst->pos.z};
    else
        rt_side_memory(dst, &p->dstPtr);
    if (src->array)
        p->srcPos = (struct cudaPos){src->pos.x / texel, src->pos.y, src->pos.z};
    else
        rt_side_memory(src, &p->srcPtr);
}

RT_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
    cudaError_t e = enter_node(node, RT_OP_COPY);
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e)
        copy_of(p, &node->op);
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    cudaError_t e = enter_node(node, RT_OP_FILL);
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e) {
        const struct rt_box *b = &node->op.fill.box;
        *p = (struct cudaMemsetParams){b->first, b->pitch, node->op.fill.value, node->op.fill.element,
                                       b->width / node->op.fill.element, b->height};
    }
    return rt_leave(e);
}

RT_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    cudaError_t e = enter_node(node, RT_OP_HOST);
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e)
        *p = (struct cudaHostNodeParams){node->op.host.fn, node->op.host.data};
    return rt_leave(e);
}

/* ---- changes of nodes ---- */

/* The attributes of the kernel stay. */
RT_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = kernel_op(&op, p);
    if (!e && rt_node_ok(node) && node->op.kind == RT_OP_KERNEL)
        rt_op_copy_attributes(&op, &node->op);
    return rt_leave(e ? e : rt_node_set(node, &op));
}

RT_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = copy_op(&op, p);
    return rt_leave(e ? e : rt_node_set(node, &op));
}

RT_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
                                                  enum cudaMemcpyKind kind)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = line_op(&op, dst, src, bytes, kind);
    return rt_leave(e ? e : rt_node_set(node, &op));
}

RT_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = fill_op(&op, p);
    return rt_leave(e ? e : rt_node_set(node, &op));
}

RT_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = host_op(&op, p);
    return rt_leave(e ? e : rt_node_set(node, &op));
}

/* ---- executable graphs ---- */

RT_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_instantiate(out, g, flags));
}

RT_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphNode_t *bad, char *log,
                                        size_t log_bytes)
{
    if (bad)
        *bad = NULL;
    if (log && log_bytes)
        *log = 0;
    return cudaGraphInstantiateWithFlags(out, g, 0);
}

RT_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_exec_destroy(x));
}

RT_API cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_graph_launch(x, stream));
}

RT_API cudaError_t cudaGraphUpload(cudaGraphExec_t x, cudaStream_t stream)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_exec_ok(x))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_stream_ok(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

RT_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
                                       enum cudaGraphExecUpdateResult *result)
{
    cudaGraphNode_t node;
    enum cudaGraphExecUpdateResult r;
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_exec_update(x, g, bad ? bad : &node, result ? result : &r));
}

RT_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node,
                                                    const struct cudaKernelNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = kernel_op(&op, p);
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}

RT_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node,
                                                    const struct cudaMemcpy3DParms *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = copy_op(&op, p);
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}

RT_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t x, cudaGraphNode_t node, void *dst,
                                                      const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = line_op(&op, dst, src, bytes, kind);
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}

RT_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node,
                                                    const struct cudaMemsetParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = fill_op(&op, p);
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}

RT_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node,
                                                  const struct cudaHostNodeParams *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = host_op(&op, p);
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}

RT_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node, cudaGraph_t child)
{
    struct rt_op op = {.kind = RT_OP_GRAPH, .child = child};
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}
