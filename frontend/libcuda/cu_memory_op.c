/* Memory operations of streams and of nodes of graphs. */
#include "frontend/libcuda/cu_graph.h"

#include <stdlib.h>
#include <string.h>

static struct rt_memory_op word(CUdeviceptr p, uint64_t value, unsigned bits, unsigned flags, bool wait)
{
    return (struct rt_memory_op){.address = cu_pointer(p), .value = value, .bits = bits, .flags = flags, .wait = wait};
}

static CUresult run(CUstream s, struct rt_memory_op op)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_memory_ops(s, &op, 1));
}

CU_API CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr p, cuuint32_t value, unsigned flags)
{
    return run(s, word(p, value, 32, flags, true));
}

CU_API CUresult cuStreamWaitValue64_v2(CUstream s, CUdeviceptr p, cuuint64_t value, unsigned flags)
{
    return run(s, word(p, value, 64, flags, true));
}

CU_API CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr p, cuuint32_t value, unsigned flags)
{
    return run(s, word(p, value, 32, flags, false));
}

CU_API CUresult cuStreamWriteValue64_v2(CUstream s, CUdeviceptr p, cuuint64_t value, unsigned flags)
{
    return run(s, word(p, value, 64, flags, false));
}

/* ---- batches ---- */

static bool read_op(struct rt_memory_op *out, const CUstreamBatchMemOpParams *p)
{
    const CUstreamMemOpWaitValueParams *v = &p->waitValue;      /* writes have the same structure */
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32: *out = word(v->address, v->value, 32, v->flags, true); return true;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: *out = word(v->address, v->value64, 64, v->flags, true); return true;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: *out = word(v->address, v->value, 32, v->flags, false); return true;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: *out = word(v->address, v->value64, 64, v->flags, false); return true;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:   /* no other device writes */
    case CU_STREAM_MEM_OP_BARRIER: *out = (struct rt_memory_op){.nothing = true}; return true;
    }
    return false;
}

static cudaError_t read_batch(struct rt_memory_op *ops, unsigned n, const CUstreamBatchMemOpParams *p, unsigned flags)
{
    if (n > CU_MEMORY_OPS || (n && !p) || flags)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        if (!read_op(&ops[i], &p[i]))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

CU_API CUresult cuStreamBatchMemOp_v2(CUstream s, unsigned n, CUstreamBatchMemOpParams *p, unsigned flags)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    cudaError_t e = rt_enter_context();
    if (!e)
        e = read_batch(ops, n, p, flags);
    return cu_leave(e ? e : rt_memory_ops(s, ops, n));
}

/* ---- nodes ---- */

cudaError_t cu_memory_op(struct rt_op *op, struct rt_memory_op *ops, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    cudaError_t e = p ? read_batch(ops, p->count, p->paramArray, p->flags) : cudaErrorInvalidValue;
    *op = (struct rt_op){.kind = RT_OP_MEMORY, .words = {ops, e ? 0 : p->count}};
    return e ? e : rt_memory_ops_check(ops, op->words.n);
}

CU_API CUresult cuGraphAddBatchMemOpNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                         const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_memory_op(&op, ops, p);
    return cu_leave(e ? e : rt_graph_add(out, g, deps, n, &op));
}

CU_API CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_memory_op(&op, ops, p);
    return cu_leave(e ? e : rt_node_set(node, &op));
}

CU_API CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec x, CUgraphNode node,
                                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    struct rt_memory_op ops[CU_MEMORY_OPS];
    struct rt_op op;
    cudaError_t e = rt_enter_context();
    if (!e)
        e = cu_memory_op(&op, ops, p);
    return cu_leave(e ? e : rt_exec_set(x, node, &op));
}

static CUstreamBatchMemOpParams params_of(const struct rt_memory_op *op)
{
    CUstreamBatchMemOpParams p;
    memset(&p, 0, sizeof p);
    if (op->nothing)
        p.operation = CU_STREAM_MEM_OP_BARRIER;
    else if (op->wait)
        p.operation = op->bits == 32 ? CU_STREAM_MEM_OP_WAIT_VALUE_32 : CU_STREAM_MEM_OP_WAIT_VALUE_64;
    else
        p.operation = op->bits == 32 ? CU_STREAM_MEM_OP_WRITE_VALUE_32 : CU_STREAM_MEM_OP_WRITE_VALUE_64;
    p.waitValue.address = cu_address(op->address);
    p.waitValue.value64 = op->value;
    p.waitValue.flags = op->flags;
    return p;
}

/* The list of the answer belongs to the node, as the reference says of the parameters of kernels. */
CU_API CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!p || !rt_node_ok(node) || node->op.kind != RT_OP_MEMORY))
        e = cudaErrorInvalidValue;
    size_t n = e ? 0 : node->op.words.n;
    CUstreamBatchMemOpParams *list = e ? NULL : calloc(n + 1, sizeof *list);
    if (!e && !list)
        e = cudaErrorMemoryAllocation;
    for (size_t i = 0; i < n && list; i++)
        list[i] = params_of(&node->op.words.ops[i]);
    if (!e) {
        free(node->answer);
        node->answer = list;
        *p = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = rt_context_current(), .count = (unsigned)n, .paramArray = list};
    }
    return cu_leave(e);
}
