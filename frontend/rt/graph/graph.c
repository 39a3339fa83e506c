/* Graphs of operations: nodes, dependencies, clones, lists. */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>
#include <string.h>

bool rt_graph_ok(cudaGraph_t g)
{
    return ptrmap_get(&rt.graphs, g) != NULL;
}

bool rt_node_ok(cudaGraphNode_t n)
{
    return ptrmap_get(&rt.nodes, n) != NULL;
}

cudaError_t rt_graph_create(cudaGraph_t *out)
{
    static unsigned last_id;
    cudaGraph_t g = calloc(1, sizeof *g);
    if (!g || !ptrmap_put(&rt.graphs, g, g)) {
        free(g);
        return cudaErrorMemoryAllocation;
    }
    g->device = rt_thread.device;
    g->id = ++last_id;
    *out = g;
    return cudaSuccess;
}

static void free_node(cudaGraphNode_t n)
{
    ptrmap_remove(&rt.nodes, n);
    rt_op_free(&n->op);
    free(n->deps);
    free(n->edges);
    free(n->answer);
    free(n);
}

void rt_graph_free(cudaGraph_t g)
{
    if (!ptrmap_remove(&rt.graphs, g))
        return;
    for (size_t i = 0; i < g->n; i++)
        free_node(g->nodes[i]);
    rt_graph_drop_references(g);
    rt_graph_drop_conditions(g);
    free(g->nodes);
    free(g);
}

cudaError_t rt_graph_destroy(cudaGraph_t g)
{
    if (!rt_graph_ok(g) || g->owned)
        return cudaErrorInvalidValue;
    rt_graph_free(g);
    return cudaSuccess;
}

static cudaGraph_t any_of(int device)
{
    for (size_t i = 0; i < rt.graphs.cap; i++) {
        cudaGraph_t g = rt.graphs.slots[i].key ? rt.graphs.slots[i].value : NULL;
        if (g && !g->owned && g->device == device)
            return g;
    }
    return NULL;
}

void rt_destroy_graphs(int device)
{
    for (cudaGraph_t g; (g = any_of(device));)
        rt_graph_free(g);
}

/* ---- nodes ---- */

static bool append(cudaGraphNode_t **list, size_t *n, cudaGraphNode_t node)
{
    cudaGraphNode_t *more = realloc(*list, (*n + 1) * sizeof *more);
    if (!more)
        return false;
    *list = more;
    more[(*n)++] = node;
    return true;
}

static bool all_in(cudaGraph_t g, const cudaGraphNode_t *list, size_t n)
{
    if (n && !list)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!rt_node_ok(list[i]) || list[i]->graph != g)
            return false;
    return true;
}

static bool depends(cudaGraphNode_t node, cudaGraphNode_t on)
{
    for (size_t i = 0; i < node->ndeps; i++)
        if (node->deps[i] == on)
            return true;
    return false;
}

static bool all_allowed(cudaGraph_t g)
{
    for (size_t i = 0; i < g->n; i++)
        if (!rt_body_allows(g->nodes[i]->op.kind) ||
            (g->nodes[i]->op.kind == RT_OP_GRAPH && !all_allowed(g->nodes[i]->op.child)))
            return false;
    return true;
}

/* Bodies of conditional nodes have kernels, copies, fills, and graphs of these. */
static bool allowed(cudaGraph_t g, const struct rt_op *op)
{
    return !g->body || (rt_body_allows(op->kind) && (op->kind != RT_OP_GRAPH || all_allowed(op->child)));
}

/* Allocation nodes share their memory with the nodes that they were cloned from. */
static void share_memory(const struct rt_op *op)
{
    void *base;
    struct rt_alloc *a = op->kind == RT_OP_ALLOC ? rt_alloc_of(op->memory.p, NULL, &base) : NULL;
    if (a && a->id == op->memory.id)
        a->graphs++;
}

cudaError_t rt_graph_add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                         const struct rt_op *op)
{
    if (!out || !rt_graph_ok(g) || !all_in(g, deps, n))
        return cudaErrorInvalidValue;
    if (op->kind == RT_OP_GRAPH && !rt_graph_ok(op->child))
        return cudaErrorInvalidValue;
    if (!allowed(g, op))
        return cudaErrorNotSupported;
    cudaGraphNode_t node = calloc(1, sizeof *node);
    if (!node)
        return cudaErrorMemoryAllocation;
    node->graph = g;
    cudaError_t e = rt_op_copy(&node->op, op);
    if (e) {
        free(node);
        return e;
    }
    share_memory(op);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = depends(node, deps[i]) || append(&node->deps, &node->ndeps, deps[i]);
    if (!ok || !ptrmap_put(&rt.nodes, node, node) || !append(&g->nodes, &g->n, node)) {
        free_node(node);
        return cudaErrorMemoryAllocation;
    }
    node->id = g->node_ids++;
    *out = node;
    return cudaSuccess;
}

cudaError_t rt_graph_depend(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *data,
                            size_t n)
{
    const cudaGraphEdgeData *d = data;
    if (!rt_graph_ok(g) || !all_in(g, from, n) || !all_in(g, to, n) || !rt_edges_allowed(data, from, to, false, n))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (from[i] == to[i] || depends(to[i], from[i]))
            return cudaErrorInvalidValue;
        if (!append(&to[i]->deps, &to[i]->ndeps, from[i]) || (d && !rt_edge_set(to[i], from[i], &d[i])))
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

static bool remove_dependency(cudaGraphNode_t node, cudaGraphNode_t on)
{
    for (size_t i = 0; i < node->ndeps; i++) {
        if (node->deps[i] != on)
            continue;
        node->deps[i] = node->deps[--node->ndeps];
        rt_edge_remove(node, on);
        return true;
    }
    return false;
}

cudaError_t rt_graph_independ(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *data,
                              size_t n)
{
    if (!rt_graph_ok(g) || !all_in(g, from, n) || !all_in(g, to, n) || !rt_edges_equal(data, from, to, n))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
        if (!remove_dependency(to[i], from[i]))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* The kind stays. */
cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_op *op)
{
    struct rt_op copy;
    if (!rt_node_ok(node) || node->op.kind != op->kind)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_op_copy(&copy, op);
    if (e)
        return e;
    struct rt_op old = node->op;
    node->op = copy;
    rt_op_free(&old);                            /* may run a function of the program, without the lock */
    return cudaSuccess;
}

cudaError_t rt_node_destroy(cudaGraphNode_t node)
{
    if (!rt_node_ok(node))
        return cudaErrorInvalidValue;
    cudaGraph_t g = node->graph;
    size_t k = 0;
    for (size_t i = 0; i < g->n; i++) {
        remove_dependency(g->nodes[i], node);
        if (g->nodes[i] != node)
            g->nodes[k++] = g->nodes[i];
    }
    g->n = k;
    free_node(node);
    return cudaSuccess;
}

/* ---- clones ---- */

static cudaGraphNode_t clone_of(cudaGraph_t clone, cudaGraphNode_t original)
{
    for (size_t i = 0; i < clone->n; i++)
        if (clone->nodes[i]->origin == original)
            return clone->nodes[i];
    return NULL;
}

static cudaError_t clone_dependencies(cudaGraph_t clone, cudaGraphNode_t original)
{
    cudaGraphNode_t node = clone_of(clone, original);
    for (size_t i = 0; i < original->ndeps; i++)
        if (!append(&node->deps, &node->ndeps, clone_of(clone, original->deps[i])))
            return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < original->nedges; i++)
        if (!rt_edge_set(node, clone_of(clone, original->edges[i].from), &original->edges[i].data))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t rt_graph_clone(cudaGraph_t *out, cudaGraph_t g)
{
    cudaGraph_t c = NULL;
    if (!out || !rt_graph_ok(g))
        return cudaErrorInvalidValue;
    cudaError_t e = rt_graph_create(&c);
    for (size_t i = 0; !e && i < g->n; i++) {
        cudaGraphNode_t node;
        e = rt_graph_add(&node, c, NULL, 0, &g->nodes[i]->op);
        if (!e) {
            node->origin = g->nodes[i];
            node->disabled = g->nodes[i]->disabled;
        }
    }
    for (size_t i = 0; !e && i < g->n; i++)
        e = clone_dependencies(c, g->nodes[i]);
    if (!e)
        e = rt_graph_copy_references(c, g);
    if (!e && !rt_graph_copy_conditions(c, g))
        e = cudaErrorMemoryAllocation;
    if (e) {
        if (c)
            rt_graph_free(c);
        return e;
    }
    c->origin = g;
    *out = c;
    return cudaSuccess;
}

cudaError_t rt_graph_find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone)
{
    cudaGraphNode_t node = out && rt_graph_ok(clone) ? clone_of(clone, original) : NULL;
    if (!node)
        return cudaErrorInvalidValue;
    *out = node;
    return cudaSuccess;
}

/* ---- lists ---- */

struct lister {
    cudaGraphNode_t *to;
    size_t room, n;
    void *data;                                  /* of edges */
    cudaError_t error;
};

static void list(struct lister *l, cudaGraphNode_t node)
{
    if (l->to && l->n < l->room)
        l->to[l->n] = node;
    l->n++;
}

/* A node of the list, and the data of an edge. */
static void list_edge(struct lister *l, cudaGraphNode_t node, cudaGraphNode_t to, cudaGraphNode_t from)
{
    if (l->to && l->n < l->room && !l->error)
        l->error = rt_edge_give(l->data, l->n, to, from);
    list(l, node);
}

static cudaError_t finish(struct lister *l, size_t *n)
{
    for (size_t i = l->n; l->to && i < l->room; i++)
        l->to[i] = NULL;
    *n = l->to && l->n > l->room ? l->room : l->n;
    return l->error;
}

cudaError_t rt_graph_nodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n, bool roots_only)
{
    if (!n || !rt_graph_ok(g))
        return cudaErrorInvalidValue;
    struct lister l = {.to = nodes, .room = *n};
    for (size_t i = 0; i < g->n; i++)
        if (!roots_only || !g->nodes[i]->ndeps)
            list(&l, g->nodes[i]);
    return finish(&l, n);
}

cudaError_t rt_graph_edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, void *data, size_t *n)
{
    if (!n || !rt_graph_ok(g) || !from != !to)
        return cudaErrorInvalidValue;
    struct lister a = {.to = from, .room = *n, .data = data}, b = {.to = to, .room = *n};
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++) {
            list_edge(&a, g->nodes[i]->deps[k], g->nodes[i], g->nodes[i]->deps[k]);
            list(&b, g->nodes[i]);
        }
    finish(&b, n);
    return finish(&a, n);
}

cudaError_t rt_node_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *data, size_t *n)
{
    if (!n || !rt_node_ok(node))
        return cudaErrorInvalidValue;
    struct lister l = {.to = nodes, .room = *n, .data = data};
    for (size_t i = 0; i < node->ndeps; i++)
        list_edge(&l, node->deps[i], node, node->deps[i]);
    return finish(&l, n);
}

cudaError_t rt_node_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *data, size_t *n)
{
    if (!n || !rt_node_ok(node))
        return cudaErrorInvalidValue;
    struct lister l = {.to = nodes, .room = *n, .data = data};
    for (size_t i = 0; i < node->graph->n; i++)
        if (depends(node->graph->nodes[i], node))
            list_edge(&l, node->graph->nodes[i], node->graph->nodes[i], node);
    return finish(&l, n);
}
