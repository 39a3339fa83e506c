/* Nodes of graphs that copy to and from variables of the device, and the events of nodes. */
#include "frontend/cudart/cudart.h"
#include "frontend/rt/graph/graph.h"

/* ---- variables: a copy to or from the address that the variable has ---- */

static cudaError_t place_in(const void *symbol, size_t offset, size_t bytes, void **at)
{
    size_t size = 0;
    cudaError_t e = cudaGetSymbolSize(&size, symbol);
    if (!e)
        e = cudaGetSymbolAddress(at, symbol);
    if (!e && (offset > size || bytes > size - offset)) {
        e = rt_enter_gpu();
        return rt_leave(e ? e : cudaErrorInvalidValue);
    }
    *at = e ? NULL : (char *)*at + offset;
    return e;
}

RT_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                                  size_t n, const void *symbol, const void *src, size_t bytes,
                                                  size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = place_in(symbol, offset, bytes, &at);
    return e ? e : cudaGraphAddMemcpyNode1D(out, g, deps, n, at, src, bytes, kind);
}

RT_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                                    size_t n, void *dst, const void *symbol, size_t bytes,
                                                    size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = place_in(symbol, offset, bytes, &at);
    return e ? e : cudaGraphAddMemcpyNode1D(out, g, deps, n, dst, at, bytes, kind);
}

RT_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                        size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = place_in(symbol, offset, bytes, &at);
    return e ? e : cudaGraphMemcpyNodeSetParams1D(node, at, src, bytes, kind);
}

RT_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol,
                                                          size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = place_in(symbol, offset, bytes, &at);
    return e ? e : cudaGraphMemcpyNodeSetParams1D(node, dst, at, bytes, kind);
}

RT_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t x, cudaGraphNode_t node,
                                                            const void *symbol, const void *src, size_t bytes,
                                                            size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = place_in(symbol, offset, bytes, &at);
    return e ? e : cudaGraphExecMemcpyNodeSetParams1D(x, node, at, src, bytes, kind);
}

RT_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t x, cudaGraphNode_t node, void *dst,
                                                              const void *symbol, size_t bytes, size_t offset,
                                                              enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = place_in(symbol, offset, bytes, &at);
    return e ? e : cudaGraphExecMemcpyNodeSetParams1D(x, node, dst, at, bytes, kind);
}

/* ---- events ---- */

static cudaError_t get_event(cudaGraphNode_t node, enum rt_op_kind kind, cudaEvent_t *out)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && (!out || !rt_node_ok(node) || node->op.kind != kind))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = node->op.event;
    return rt_leave(e);
}

static cudaError_t enter_event(struct rt_op *op, enum rt_op_kind kind, cudaEvent_t event)
{
    cudaError_t e = rt_enter_gpu();
    *op = (struct rt_op){.kind = kind, .event = event};
    return e ? e : rt_event_ok(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t set_event(cudaGraphNode_t node, enum rt_op_kind kind, cudaEvent_t event)
{
    struct rt_op op;
    cudaError_t e = enter_event(&op, kind, event);
    return rt_leave(e ? e : rt_node_set(node, &op));
}

static cudaError_t set_exec_event(cudaGraphExec_t x, cudaGraphNode_t node, enum rt_op_kind kind, cudaEvent_t event)
{
    struct rt_op op;
    cudaError_t e = enter_event(&op, kind, event);
    return rt_leave(e ? e : rt_exec_set(x, node, &op));
}

RT_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out)
{
    return get_event(node, RT_OP_RECORD, out);
}

RT_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out)
{
    return get_event(node, RT_OP_WAIT, out);
}

RT_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(node, RT_OP_RECORD, event);
}

RT_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(node, RT_OP_WAIT, event);
}

RT_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t x, cudaGraphNode_t node, cudaEvent_t event)
{
    return set_exec_event(x, node, RT_OP_RECORD, event);
}

RT_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t x, cudaGraphNode_t node, cudaEvent_t event)
{
    return set_exec_event(x, node, RT_OP_WAIT, event);
}
