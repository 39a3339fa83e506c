/* Operations of streams: running them, and copies of them that graphs keep. */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>
#include <string.h>

bool rt_read_extra(struct rt_args *a, void **extra)
{
    enum { END, BUFFER, SIZE };              /* CU_LAUNCH_PARAM_... */
    for (int i = 0; (uintptr_t)extra[i] != END; i += 2) {
        if ((uintptr_t)extra[i] == BUFFER)
            a->buffer = extra[i + 1];
        else if ((uintptr_t)extra[i] == SIZE)
            a->bytes = *(const size_t *)extra[i + 1];
        else
            return false;
    }
    return a->buffer != NULL;
}

cudaError_t rt_op_fill(struct rt_op *op, void *p, size_t pitch, unsigned value, unsigned element, size_t width,
                       size_t height)
{
    *op = (struct rt_op){.kind = RT_OP_FILL};
    if (!p || (element != 1 && element != 2 && element != 4) || width > RT_MAX_PITCH)
        return cudaErrorInvalidValue;
    size_t row = width * element;
    op->fill.box = (struct rt_box){p, height > 1 ? pitch : row, 0, row, height, 1};
    op->fill.value = value;
    op->fill.element = element;
    return cudaSuccess;
}

cudaError_t rt_op_host(struct rt_op *op, cudaHostFn_t fn, void *data)
{
    *op = (struct rt_op){.kind = RT_OP_HOST, .host = {.fn = fn, .data = data}};
    return fn ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t run_kernel(const struct rt_op *op, cudaStream_t stream, uint64_t queue)
{
    struct rt_launch_config c = op->kernel.config;
    c.stream = stream;
    c.queue = queue;
    if (!rt_function_ok(op->kernel.f))
        return cudaErrorInvalidResourceHandle;
    return op->kernel.cooperative ? rt_launch_cooperative(op->kernel.f, &c, &op->kernel.args)
                                  : rt_launch(op->kernel.f, &c, &op->kernel.args);
}

/* The function of the program runs without the lock. */
static cudaError_t run_host(const struct rt_op *op)
{
    cudaHostFn_t fn = op->host.fn;
    void *data = op->host.data;
    rt_unlock();
    fn(data);
    rt_lock();
    return cudaSuccess;
}

cudaError_t rt_graph_run(cudaGraph_t g, cudaStream_t stream)
{
    cudaGraphExec_t x;
    cudaError_t e = rt_graph_instantiate(&x, g, 0);
    if (!e) {
        e = rt_exec_run(x, stream);
        rt_exec_destroy(x);
    }
    return e;
}

cudaError_t rt_op_run(const struct rt_op *op, cudaStream_t stream, uint64_t queue)
{
    if (op->kind != RT_OP_KERNEL)
        rt_run_queued();
    switch (op->kind) {
    case RT_OP_KERNEL: return run_kernel(op, stream, queue);
    case RT_OP_COPY: return rt_copy_sides(&op->copy.dst, &op->copy.src, op->copy.kind, stream);
    case RT_OP_FILL: return rt_fill(&op->fill.box, op->fill.value, op->fill.element, stream);
    case RT_OP_HOST: return run_host(op);
    case RT_OP_GRAPH: return rt_graph_run(op->child, stream);
    case RT_OP_RECORD: return rt_event_record(op->event, stream, 0);
    case RT_OP_WAIT: return rt_stream_wait(stream, op->event, 0);
    case RT_OP_EMPTY:
    case RT_OP_ALLOC:                        /* the memory exists as long as the graph */
    case RT_OP_FREE: return cudaSuccess;
    case RT_OP_MEMORY: return rt_memory_ops_run(op->words.ops, op->words.n);
    case RT_OP_CONDITIONAL: return rt_conditional_run(op, stream);
    }
    return cudaErrorInvalidValue;
}

/* ---- copies ---- */

/* The parameters of a kernel packed into one buffer, as a launch reads them. */
static void pack(char *buffer, const simtx_kernel_info *k, const struct rt_args *from)
{
    if (from->buffer)
        memcpy(buffer, from->buffer, k->param_bytes);
    for (uint32_t i = 0; !from->buffer && i < k->nparams; i++)
        memcpy(buffer + k->params[i].offset, from->each[i], k->params[i].size);
}

static cudaError_t copy_args(struct rt_op *out, const struct rt_op *op)
{
    simtx_kernel_info k;
    const struct rt_args *from = &op->kernel.args;
    if (!rt_function_ok(op->kernel.f))
        return cudaErrorInvalidDeviceFunction;
    simtx_kernel_get_info(op->kernel.f->kernel, &k);
    if (k.nparams && !from->each && (!from->buffer || from->bytes < k.param_bytes))
        return cudaErrorInvalidValue;
    char *buffer = calloc(1, (size_t)k.param_bytes + 1);
    const void **each = calloc((size_t)k.nparams + 1, sizeof *each);
    if (!buffer || !each) {
        free(buffer);
        free(each);
        return cudaErrorMemoryAllocation;
    }
    pack(buffer, &k, from);
    for (uint32_t i = 0; i < k.nparams; i++)
        each[i] = buffer + k.params[i].offset;
    out->kernel.args = (struct rt_args){.each = each, .buffer = buffer, .bytes = k.param_bytes};
    return cudaSuccess;
}

cudaError_t rt_op_copy(struct rt_op *out, const struct rt_op *op)
{
    *out = *op;
    if (op->kind == RT_OP_KERNEL)
        return copy_args(out, op);
    if (op->kind == RT_OP_CONDITIONAL)
        return rt_conditional_copy(out, op);
    if (op->kind == RT_OP_MEMORY)
        return rt_memory_ops_copy(out, op);
    if (op->kind != RT_OP_GRAPH)
        return cudaSuccess;
    cudaError_t e = rt_graph_clone(&out->child, op->child);
    if (!e)
        out->child->owned = true;
    return e;
}

static void get_cluster(const struct rt_op *op, union cudaLaunchAttributeValue *v)
{
    const dim3 *c = &op->kernel.config.cluster;
    v->clusterDim.x = c->x;
    v->clusterDim.y = c->y;
    v->clusterDim.z = c->z;
}

/* 0, 0, 0 is what a node without a shape has. */
static cudaError_t set_cluster(struct rt_op *op, const union cudaLaunchAttributeValue *v)
{
    dim3 c = {v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
    if ((c.x || c.y || c.z) && !(c.x && c.y && c.z))
        return cudaErrorInvalidValue;
    op->kernel.config.cluster = c;
    return cudaSuccess;
}

cudaError_t rt_op_get_attribute(const struct rt_op *op, int id, union cudaLaunchAttributeValue *v)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow: v->accessPolicyWindow = op->kernel.window; return cudaSuccess;
    case cudaLaunchAttributeCooperative: v->cooperative = op->kernel.cooperative; return cudaSuccess;
    case cudaLaunchAttributeClusterDimension: get_cluster(op, v); return cudaSuccess;
    case cudaLaunchAttributePriority: v->priority = op->kernel.priority; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t rt_op_set_attribute(struct rt_op *op, int id, const union cudaLaunchAttributeValue *v)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow: op->kernel.window = v->accessPolicyWindow; return cudaSuccess;
    case cudaLaunchAttributeCooperative: op->kernel.cooperative = v->cooperative != 0; return cudaSuccess;
    case cudaLaunchAttributeClusterDimension: return set_cluster(op, v);
    case cudaLaunchAttributePriority: op->kernel.priority = v->priority; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

void rt_op_copy_attributes(struct rt_op *to, const struct rt_op *from)
{
    to->kernel.cooperative = from->kernel.cooperative;
    to->kernel.config.cluster = from->kernel.config.cluster;
    to->kernel.window = from->kernel.window;
    to->kernel.priority = from->kernel.priority;
}

/* Memory of an allocation node ends with the last graph that has the node, unless the program has freed it: cloned
 * nodes share it by the number of the allocation. */
static void free_memory(const struct rt_op *op)
{
    void *base;
    struct rt_alloc *a = rt_alloc_of(op->memory.p, NULL, &base);
    if (a && a->id == op->memory.id && --a->graphs == 0)
        rt_free_device(op->memory.p);
}

void rt_op_free(struct rt_op *op)
{
    if (op->kind == RT_OP_KERNEL) {
        free((void *)op->kernel.args.buffer);
        free((void *)op->kernel.args.each);
    }
    if (op->kind == RT_OP_GRAPH)
        rt_graph_free(op->child);
    if (op->kind == RT_OP_CONDITIONAL)
        rt_conditional_free(op);
    if (op->kind == RT_OP_MEMORY)
        free(op->words.ops);
    if (op->kind == RT_OP_ALLOC)
        free_memory(op);
}

/* ---- parameters of copies: the position in memory is a part of its address ---- */

void rt_side_memory(const struct rt_side *s, struct cudaPitchedPtr *p)
{
    const struct rt_box *b = &s->box;
    *p = (struct cudaPitchedPtr){b->first, b->pitch, b->width, b->pitch ? b->slice / b->pitch : 0};
}
