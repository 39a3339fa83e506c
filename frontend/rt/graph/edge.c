/*
 * Data of edges: ports and types, which let a kernel start before the kernel that it depends on has ended. simtx keeps
 * the data for queries, and starts every node after all nodes that it depends on have ended, which is allowed. Most
 * edges are ordinary, with data that is zero; a node stores only the data of the others.
 */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>
#include <string.h>

static const cudaGraphEdgeData ordinary;

static bool is_ordinary(const cudaGraphEdgeData *d)
{
    return !memcmp(d, &ordinary, sizeof ordinary);
}

static struct rt_edge *find(cudaGraphNode_t node, cudaGraphNode_t from)
{
    for (size_t i = 0; i < node->nedges; i++)
        if (node->edges[i].from == from)
            return &node->edges[i];
    return NULL;
}

cudaGraphEdgeData rt_edge_data(cudaGraphNode_t node, cudaGraphNode_t from)
{
    const struct rt_edge *e = find(node, from);
    return e ? e->data : ordinary;
}

/* A kernel has ports for its trigger and for the start of its blocks; programmatic edges join kernels. */
static bool allowed(const cudaGraphEdgeData *d, cudaGraphNode_t from, cudaGraphNode_t to)
{
    cudaGraphEdgeData rest = *d;
    bool kernel = from->op.kind == RT_OP_KERNEL;
    rest.from_port = rest.type = 0;
    if (!is_ordinary(&rest) || d->from_port > cudaGraphKernelNodePortLaunchCompletion || (d->from_port && !kernel))
        return false;
    if (d->type == cudaGraphDependencyTypeProgrammatic)
        return d->from_port && to->op.kind == RT_OP_KERNEL;
    return d->type == cudaGraphDependencyTypeDefault && d->from_port != cudaGraphKernelNodePortProgrammatic;
}

bool rt_edges_allowed(const void *data, const cudaGraphNode_t *from, const cudaGraphNode_t *to, bool one_to, size_t n)
{
    const cudaGraphEdgeData *d = data;
    for (size_t i = 0; d && i < n; i++)
        if (!allowed(&d[i], from[i], to[one_to ? 0 : i]))
            return false;
    return true;
}

bool rt_edge_set(cudaGraphNode_t node, cudaGraphNode_t from, const cudaGraphEdgeData *data)
{
    if (is_ordinary(data))
        return true;
    struct rt_edge *more = realloc(node->edges, (node->nedges + 1) * sizeof *more);
    if (!more)
        return false;
    node->edges = more;
    more[node->nedges++] = (struct rt_edge){from, *data};
    return true;
}

void rt_edge_remove(cudaGraphNode_t node, cudaGraphNode_t from)
{
    struct rt_edge *e = find(node, from);
    if (e)
        *e = node->edges[--node->nedges];
}

bool rt_edges_equal(const void *data, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
    const cudaGraphEdgeData *d = data;
    for (size_t i = 0; i < n; i++) {
        cudaGraphEdgeData own = rt_edge_data(to[i], from[i]);
        if (memcmp(&own, d ? &d[i] : &ordinary, sizeof own))
            return false;
    }
    return true;
}

cudaError_t rt_edge_give(void *data, size_t i, cudaGraphNode_t node, cudaGraphNode_t from)
{
    cudaGraphEdgeData own = rt_edge_data(node, from);
    if (data)
        ((cudaGraphEdgeData *)data)[i] = own;
    return data || is_ordinary(&own) ? cudaSuccess : cudaErrorLossyQuery;
}

cudaError_t rt_node_set_edges(cudaGraphNode_t node, const cudaGraphNode_t *deps, const void *data, size_t n)
{
    const cudaGraphEdgeData *d = data;
    cudaError_t e = rt_edges_allowed(data, deps, &node, true, n) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; !e && d && i < n; i++)
        if (!rt_edge_set(node, deps[i], &d[i]))
            e = cudaErrorMemoryAllocation;
    if (e)
        rt_node_destroy(node);
    return e;
}
