/*
 * Executable graphs. Nodes run in the order of their levels, the longest paths from a root. Kernels of one level depend
 * on nothing in it, so in timing mode they run concurrently; each level waits for the one before.
 */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>
#include <string.h>

bool rt_exec_ok(cudaGraphExec_t x)
{
    return ptrmap_get(&rt.execs, x) != NULL;
}

/* ---- order ---- */

static unsigned level_after(const struct CUgraphNode_st *node)
{
    unsigned level = 0;
    for (size_t i = 0; i < node->ndeps; i++)
        if (node->deps[i]->level + 1 > level)
            level = node->deps[i]->level + 1;
    return level;
}

/* Raises levels until they are those of longest paths; in a cycle they would rise for ever. */
static bool find_levels(cudaGraph_t g)
{
    bool changed = true;
    for (size_t round = 0; changed; round++) {
        changed = false;
        if (round > g->n)
            return false;
        for (size_t i = 0; i < g->n; i++) {
            unsigned level = level_after(g->nodes[i]);
            changed |= level != g->nodes[i]->level;
            g->nodes[i]->level = level;
        }
    }
    return true;
}

static cudaError_t sort(cudaGraphExec_t x)
{
    cudaGraph_t g = x->graph;
    size_t n = 0;
    x->order = calloc(g->n + 1, sizeof *x->order);
    if (!x->order)
        return cudaErrorMemoryAllocation;
    if (!find_levels(g))
        return cudaErrorInvalidValue;
    for (unsigned level = 0; n < g->n; level++)
        for (size_t i = 0; i < g->n; i++)
            if (g->nodes[i]->level == level)
                x->order[n++] = g->nodes[i];
    return cudaSuccess;
}

static void free_exec(cudaGraphExec_t x)
{
    if (x->graph)
        rt_graph_free(x->graph);
    free(x->order);
    free(x);
}

cudaError_t rt_graph_instantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags)
{
    if (!out || !rt_graph_ok(g))
        return cudaErrorInvalidValue;
    static unsigned last_id;
    cudaGraphExec_t x = calloc(1, sizeof *x);
    cudaError_t e = x ? rt_graph_clone(&x->graph, g) : cudaErrorMemoryAllocation;
    if (!e) {
        x->graph->owned = true;
        x->flags = flags;
        x->id = ++last_id;
        e = sort(x);
    }
    if (!e && !ptrmap_put(&rt.execs, x, x))
        e = cudaErrorMemoryAllocation;
    if (!e)
        *out = x;
    else if (x)
        free_exec(x);
    return e;
}

cudaError_t rt_exec_destroy(cudaGraphExec_t x)
{
    if (!ptrmap_remove(&rt.execs, x))
        return cudaErrorInvalidValue;
    x->destroyed = true;
    if (!x->launches)
        free_exec(x);
    return cudaSuccess;
}

static cudaGraphExec_t any_of(int device)
{
    for (size_t i = 0; i < rt.execs.cap; i++) {
        cudaGraphExec_t x = rt.execs.slots[i].key ? rt.execs.slots[i].value : NULL;
        if (x && x->graph->device == device)
            return x;
    }
    return NULL;
}

void rt_destroy_execs(int device)
{
    for (cudaGraphExec_t x; (x = any_of(device));)
        rt_exec_destroy(x);
}

/* ---- launches ---- */

static bool alone(const struct CUgraphExec_st *x, size_t i)
{
    unsigned level = x->order[i]->level;
    return (i == 0 || x->order[i - 1]->level != level) && (i + 1 == x->graph->n || x->order[i + 1]->level != level);
}

/* A later launch on the stream must follow all kernels of the last level. */
static cudaError_t run_levels(cudaGraphExec_t x, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    size_t n = x->graph->n;
    for (size_t i = 0; !e && i < n; i++) {
        if (i && x->order[i]->level != x->order[i - 1]->level)
            rt_run_queued();
        if (!x->order[i]->disabled)
            e = rt_op_run(&x->order[i]->op, stream, alone(x, i) ? 0 : (uint64_t)(uintptr_t)x->order[i]);
    }
    if (n && (e || !alone(x, n - 1)))
        rt_run_queued();
    return e;
}

cudaError_t rt_exec_run(cudaGraphExec_t x, cudaStream_t stream)
{
    x->launches++;
    cudaError_t e = run_levels(x, stream);
    if (!--x->launches && x->destroyed)
        free_exec(x);
    return e;
}

cudaError_t rt_graph_launch(cudaGraphExec_t x, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    if (!rt_exec_ok(x))
        return cudaErrorInvalidValue;
    struct rt_op child = {.kind = RT_OP_GRAPH, .child = x->graph};
    if (rt_captured(stream, &child, &e))
        return e;
    if (!rt_stream_ok(stream))
        return cudaErrorInvalidResourceHandle;
    e = rt_graph_start_conditions(x->graph);
    return e ? e : rt_exec_run(x, stream);
}

/* ---- changes ---- */

/* The clone of a node in the graph, in its child graphs, or in the bodies of its conditional nodes. */
static cudaGraphNode_t clone_in(cudaGraph_t g, cudaGraphNode_t node)
{
    cudaGraphNode_t n = NULL;
    if (!rt_graph_find_in_clone(&n, node, g))
        return n;
    for (size_t i = 0; !n && i < g->n; i++) {
        const struct rt_op *op = &g->nodes[i]->op;
        if (op->kind == RT_OP_GRAPH)
            n = clone_in(op->child, node);
        for (unsigned k = 0; !n && op->kind == RT_OP_CONDITIONAL && k < op->conditional.size; k++)
            n = clone_in(op->conditional.bodies[k], node);
    }
    return n;
}

static cudaGraphNode_t instance(cudaGraphExec_t x, cudaGraphNode_t node)
{
    return clone_in(x->graph, node);
}

cudaError_t rt_exec_set(cudaGraphExec_t x, cudaGraphNode_t node, const struct rt_op *op)
{
    cudaGraphNode_t n = rt_exec_ok(x) ? instance(x, node) : NULL;
    return n ? rt_node_set(n, op) : cudaErrorInvalidValue;
}

cudaError_t rt_exec_enable(cudaGraphExec_t x, cudaGraphNode_t node, bool enabled)
{
    cudaGraphNode_t n = rt_exec_ok(x) ? instance(x, node) : NULL;
    if (!n || (n->op.kind != RT_OP_KERNEL && n->op.kind != RT_OP_COPY && n->op.kind != RT_OP_FILL))
        return cudaErrorInvalidValue;
    n->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t rt_exec_enabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t n = rt_exec_ok(x) ? instance(x, node) : NULL;
    if (!n || !enabled)
        return cudaErrorInvalidValue;
    *enabled = !n->disabled;
    return cudaSuccess;
}

/* Both lists of dependencies name the same positions. */
static bool same_dependencies(cudaGraph_t a, size_t i, cudaGraph_t b)
{
    cudaGraphNode_t p = a->nodes[i], q = b->nodes[i];
    if (p->ndeps != q->ndeps)
        return false;
    for (size_t k = 0; k < p->ndeps; k++) {
        size_t at = 0;
        while (at < a->n && a->nodes[at] != p->deps[k])
            at++;
        bool found = false;
        for (size_t m = 0; m < q->ndeps; m++)
            found |= b->nodes[at] == q->deps[m];
        if (!found)
            return false;
    }
    return true;
}

/* Nodes correspond by the order of their creation. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t old, cudaGraph_t g, cudaGraphNode_t *bad)
{
    *bad = NULL;
    if (old->n != g->n)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < g->n; i++) {
        *bad = g->nodes[i];
        if (old->nodes[i]->op.kind != g->nodes[i]->op.kind)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!same_dependencies(old, i, g))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (g->nodes[i]->op.kind == RT_OP_CONDITIONAL && !rt_conditional_same(&old->nodes[i]->op, &g->nodes[i]->op))
            return cudaGraphExecUpdateErrorParametersChanged;
        if (g->nodes[i]->op.kind == RT_OP_ALLOC)
            return cudaGraphExecUpdateErrorNotSupported;
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

cudaError_t rt_exec_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
                           enum cudaGraphExecUpdateResult *result)
{
    if (!rt_exec_ok(x) || !rt_graph_ok(g))
        return cudaErrorInvalidValue;
    *result = compare(x->graph, g, bad);
    cudaError_t e = *result ? cudaErrorGraphExecUpdateFailure : cudaSuccess;
    for (size_t i = 0; !e && i < g->n; i++) {
        e = rt_node_set(x->graph->nodes[i], &g->nodes[i]->op);
        x->graph->nodes[i]->origin = g->nodes[i];
    }
    return e;
}
