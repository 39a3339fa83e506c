/* A graph as text for Graphviz: a node for each node with its operation, a cluster for each child graph. */
#include "frontend/rt/graph/graph.h"

#include <stdio.h>

static const char *name_of(enum rt_op_kind kind)
{
    switch (kind) {
    case RT_OP_KERNEL: return "kernel";
    case RT_OP_COPY: return "memcpy";
    case RT_OP_FILL: return "memset";
    case RT_OP_HOST: return "host function";
    case RT_OP_GRAPH: return "child graph";
    case RT_OP_EMPTY: return "empty";
    case RT_OP_WAIT: return "wait for an event";
    case RT_OP_RECORD: return "record an event";
    case RT_OP_ALLOC: return "allocation";
    case RT_OP_FREE: return "free";
    case RT_OP_MEMORY: return "memory operations";
    case RT_OP_CONDITIONAL: return "conditional";
    }
    return "";
}

/* One graph of the text; names of nodes begin with `prefix`. */
struct part {
    FILE *f;
    cudaGraph_t graph;
    const char *prefix;
};

static size_t number(const struct part *p, cudaGraphNode_t node)
{
    size_t i = 0;
    while (p->graph->nodes[i] != node)
        i++;
    return i;
}

static void print_label(FILE *f, const struct rt_op *op)
{
    simtx_kernel_info k;
    fputs(name_of(op->kind), f);
    switch (op->kind) {
    case RT_OP_KERNEL:
        if (!rt_function_ok(op->kernel.f))       /* its module has been unloaded */
            break;
        simtx_kernel_get_info(op->kernel.f->kernel, &k);
        fprintf(f, "\\n%s\\ngrid %u x %u x %u, block %u x %u x %u", k.name, op->kernel.config.grid.x,
                op->kernel.config.grid.y, op->kernel.config.grid.z, op->kernel.config.block.x,
                op->kernel.config.block.y, op->kernel.config.block.z);
        break;
    case RT_OP_COPY:
        fprintf(f, "\\n%zu x %zu x %zu bytes", op->copy.dst.box.width, op->copy.dst.box.height, op->copy.dst.box.depth);
        break;
    case RT_OP_FILL: fprintf(f, "\\n%zu x %zu bytes", op->fill.box.width, op->fill.box.height); break;
    case RT_OP_ALLOC: fprintf(f, "\\n%zu bytes", op->memory.bytes); break;
    default: break;
    }
}

static void print_part(const struct part *p);

/* A graph inside node i, as a cluster. body: its number among the bodies of a conditional node, or -1. */
static void print_inner(const struct part *p, size_t i, int body, cudaGraph_t inner)
{
    char prefix[64], name[24] = "graph";
    if (body >= 0)
        snprintf(name, sizeof name, "body %d", body);
    if (body >= 0)
        snprintf(prefix, sizeof prefix, "%s%zu.%d.", p->prefix, i, body);
    else
        snprintf(prefix, sizeof prefix, "%s%zu.", p->prefix, i);
    fprintf(p->f, "subgraph \"cluster_%s\" {\nlabel=\"%s of %s%zu\";\n", prefix, name, p->prefix, i);
    print_part(&(struct part){p->f, inner, prefix});
    fputs("}\n", p->f);
}

static void print_node(const struct part *p, size_t i)
{
    cudaGraphNode_t node = p->graph->nodes[i];
    fprintf(p->f, "\"%s%zu\" [label=\"%s%zu ", p->prefix, i, p->prefix, i);
    print_label(p->f, &node->op);
    fputs("\"];\n", p->f);
    for (size_t k = 0; k < node->ndeps; k++)
        fprintf(p->f, "\"%s%zu\" -> \"%s%zu\";\n", p->prefix, number(p, node->deps[k]), p->prefix, i);
    if (node->op.kind == RT_OP_GRAPH)
        print_inner(p, i, -1, node->op.child);
    for (unsigned k = 0; node->op.kind == RT_OP_CONDITIONAL && k < node->op.conditional.size; k++)
        print_inner(p, i, (int)k, node->op.conditional.bodies[k]);
}

static void print_part(const struct part *p)
{
    for (size_t i = 0; i < p->graph->n; i++)
        print_node(p, i);
}

cudaError_t rt_graph_dot(cudaGraph_t g, const char *path)
{
    FILE *f = rt_graph_ok(g) && path ? fopen(path, "w") : NULL;
    if (!f)
        return rt_graph_ok(g) && path ? cudaErrorOperatingSystem : cudaErrorInvalidValue;
    fputs("digraph graph_of_simtx {\n", f);
    print_part(&(struct part){f, g, ""});
    fputs("}\n", f);
    bool failed = ferror(f);
    return fclose(f) || failed ? cudaErrorOperatingSystem : cudaSuccess;
}
