/* Graphs of the driver API: parameters of nodes and of their instances in executable graphs, events, allocations. */
#include "frontend/libcuda/cu_graph.h"

#include <string.h>

/* rt_enter_context, then checks that the node exists, has this kind, and that there is a place for the answer. */
static cudaError_t enter_node(CUgraphNode node, enum rt_op_kind kind, const void *out)
{
    cudaError_t e = rt_enter_context();
    return e ? e : out && rt_node_ok(node) && node->op.kind == kind ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- copies, fills, host functions, kernels ---- */

CU_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_copy_op(&op, p);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

CU_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_MEMCPY3D *p, CUcontext c)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_copy_op(&op, p);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

CU_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_fill_op(&op, p);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

CU_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec x, CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS *p, CUcontext c)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_fill_op(&op, p);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

CU_API CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_host_op(&op, p);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

CU_API CUresult cuGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_host_op(&op, p);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

CU_API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec x, CUgraphNode node, CUgraph child)
{
    struct rt_op op = {.kind = RT_OP_GRAPH, .child = child};
    cudaError_t e = rt_enter_context();
    if (!e && !rt_graph_ok(child))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

CU_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
    cudaError_t e = enter_node(node, RT_OP_KERNEL, p);
    if (!e) {
        const struct rt_launch_config *c = &node->op.kernel.config;
        *p = (CUDA_KERNEL_NODE_PARAMS){
            .func = node->op.kernel.f,
            .gridDimX = c->grid.x, .gridDimY = c->grid.y, .gridDimZ = c->grid.z,
            .blockDimX = c->block.x, .blockDimY = c->block.y, .blockDimZ = c->block.z,
            .sharedMemBytes = (unsigned)c->shared, .kernelParams = (void **)node->op.kernel.args.each,
        };
    }
    return cu_leave(e);
}

CU_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p)
{
    cudaError_t e = enter_node(node, RT_OP_FILL, p);
    if (!e) {
        const struct rt_box *b = &node->op.fill.box;
        *p = (CUDA_MEMSET_NODE_PARAMS){cu_address(b->first), b->pitch, node->op.fill.value, node->op.fill.element,
                                       b->width / node->op.fill.element, b->height};
    }
    return cu_leave(e);
}

CU_API CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p)
{
    cudaError_t e = enter_node(node, RT_OP_HOST, p);
    if (!e)
        *p = (CUDA_HOST_NODE_PARAMS){node->op.host.fn, node->op.host.data};
    return cu_leave(e);
}

CU_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out)
{
    cudaError_t e = enter_node(node, RT_OP_GRAPH, out);
    if (!e)
        *out = node->op.child;
    return cu_leave(e);
}

/* ---- events ---- */

static cudaError_t event_op(struct rt_op *op, enum rt_op_kind kind, CUevent event)
{
    *op = (struct rt_op){.kind = kind, .event = event};
    return rt_event_ok(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static CUresult add_event(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n, enum rt_op_kind kind,
                          CUevent event)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = event_op(&op, kind, event);
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

static CUresult get_event(CUgraphNode node, enum rt_op_kind kind, CUevent *out)
{
    cudaError_t e = enter_node(node, kind, out);
    if (!e)
        *out = node->op.event;
    return cu_leave(e);
}

static CUresult set_event(CUgraphNode node, enum rt_op_kind kind, CUevent event)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = event_op(&op, kind, event);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

static CUresult set_instance(CUgraphExec x, CUgraphNode node, enum rt_op_kind kind, CUevent event)
{
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = event_op(&op, kind, event);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

CU_API CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                          CUevent event)
{
    return add_event(out, g, deps, n, RT_OP_RECORD, event);
}

CU_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out)
{
    return get_event(node, RT_OP_RECORD, out);
}

CU_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    return set_event(node, RT_OP_RECORD, event);
}

CU_API CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec x, CUgraphNode node, CUevent event)
{
    return set_instance(x, node, RT_OP_RECORD, event);
}

CU_API CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                        CUevent event)
{
    return add_event(out, g, deps, n, RT_OP_WAIT, event);
}

CU_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out)
{
    return get_event(node, RT_OP_WAIT, out);
}

CU_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    return set_event(node, RT_OP_WAIT, event);
}

CU_API CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec x, CUgraphNode node, CUevent event)
{
    return set_instance(x, node, RT_OP_WAIT, event);
}

/* ---- allocations ---- */

CU_API CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                       CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    void *place = NULL;
    cudaError_t e = rt_enter_context();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_graph_add_alloc(out, g, deps, n, (const struct cudaMemPoolProps *)(const void *)&p->poolProps,
                               p->bytesize, &place);
    if (!e)
        p->dptr = cu_address(place);
    return cu_leave(e);
}

CU_API CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    cudaError_t e = enter_node(node, RT_OP_ALLOC, p);
    if (!e) {
        memset(p, 0, sizeof *p);
        p->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p->poolProps.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, node->graph->device};
        p->bytesize = node->op.memory.bytes;
        p->dptr = cu_address(node->op.memory.p);
    }
    return cu_leave(e);
}

CU_API CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n, CUdeviceptr p)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_add_free(out, g, deps, n, cu_pointer(p)));
}

CU_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out)
{
    cudaError_t e = enter_node(node, RT_OP_FREE, out);
    if (!e)
        *out = cu_address(node->op.memory.p);
    return cu_leave(e);
}

CU_API CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    return cu_leave(cu_enter_device(device));
}

CU_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    cudaError_t e = cu_enter_device(device);
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_graph_memory_get(device, (int)attribute, value));
}

CU_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    cudaError_t e = cu_enter_device(device);
    if (!e && !value)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_graph_memory_set(device, (int)attribute, *(const unsigned long long *)value));
}

/* ---- executable graphs, text, user objects ---- */

CU_API CUresult cuGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned enabled)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_exec_enable(x, node, enabled != 0));
}

CU_API CUresult cuGraphNodeGetEnabled(CUgraphExec x, CUgraphNode node, unsigned *enabled)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_exec_enabled(x, node, enabled));
}

CU_API CUresult cuGraphExecGetFlags(CUgraphExec x, cuuint64_t *flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!flags || !rt_exec_ok(x)))
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = x->flags;
    return cu_leave(e);
}

CU_API CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_dot(g, path));
}

CU_API CUresult cuUserObjectCreate(CUuserObject *out, void *p, CUhostFn end, unsigned references, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_user_object_create(out, p, end, references, flags));
}

CU_API CUresult cuUserObjectRetain(CUuserObject o, unsigned n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_user_object_retain(o, n));
}

CU_API CUresult cuUserObjectRelease(CUuserObject o, unsigned n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_user_object_release(o, n));
}

CU_API CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject o, unsigned n, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    if (!e && flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE)
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_graph_retain_object(g, o, n, flags != 0));
}

CU_API CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject o, unsigned n)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_graph_release_object(g, o, n));
}

/* ---- the forms of CUDA 12: parameters of kernels have a kernel of a library and a context in addition ---- */

static CUDA_KERNEL_NODE_PARAMS first_form(const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    memcpy(&k, p, sizeof k);
    if (!k.func)
        k.func = (CUfunction)(void *)p->kern;
    return k;
}

CU_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                        const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    CUDA_KERNEL_NODE_PARAMS k = p ? first_form(p) : (CUDA_KERNEL_NODE_PARAMS){0};
    return cuGraphAddKernelNode(out, g, deps, n, p ? &k : NULL);
}

CU_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    CUresult r = cuGraphKernelNodeGetParams(node, p ? &k : NULL);
    if (r == CUDA_SUCCESS) {
        memset(p, 0, sizeof *p);
        memcpy(p, &k, sizeof k);
    }
    return r;
}

CU_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    CUDA_KERNEL_NODE_PARAMS k = p ? first_form(p) : (CUDA_KERNEL_NODE_PARAMS){0};
    return cuGraphKernelNodeSetParams(node, p ? &k : NULL);
}

CU_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    CUDA_KERNEL_NODE_PARAMS k = p ? first_form(p) : (CUDA_KERNEL_NODE_PARAMS){0};
    return cuGraphExecKernelNodeSetParams(x, node, p ? &k : NULL);
}

CU_API CUresult cuGraphExecUpdate_v2(CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *info)
{
    CUgraphNode bad = NULL;
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_ERROR;
    CUresult r = info ? cuGraphExecUpdate(x, g, &bad, &result) : CUDA_ERROR_INVALID_VALUE;
    if (info)
        *info = (CUgraphExecUpdateResultInfo){result, bad, NULL};
    return r;
}

CU_API CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    CUresult r = p ? cuGraphInstantiateWithFlags(out, g, p->flags) : CUDA_ERROR_INVALID_VALUE;
    if (p) {
        p->hErrNode_out = NULL;
        p->result_out = r == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    }
    return r;
}
