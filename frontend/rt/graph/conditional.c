/*
 * Conditional nodes. A condition is a word of device memory whose address is its handle, so that a kernel sets it by
 * a store (cudaGraphSetConditional). The node owns its bodies, graphs that the program fills. It reads the condition
 * when it runs, after all earlier nodes, and runs a body or none; a loop reads it again after each run.
 */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>

struct rt_condition {
    void *word;
    unsigned long long id;                   /* of the allocation: the word ends with its context */
    unsigned initial;
    bool assign;                             /* each launch starts with the initial value */
    unsigned references;                     /* of graphs and nodes */
};

/* ---- conditions ---- */

static bool word_ok(const struct rt_condition *c)
{
    void *base;
    const struct rt_alloc *a = rt_alloc_of(c->word, NULL, &base);
    return a && a->id == c->id;
}

static cudaError_t copy_word(void *to, const void *from, enum cudaMemcpyKind kind)
{
    struct rt_box dst = rt_line(to, sizeof(unsigned)), src = rt_line(from, sizeof(unsigned));
    return rt_copy_boxes(&dst, &src, kind);
}

static cudaError_t set(const struct rt_condition *c, unsigned value)
{
    return word_ok(c) ? copy_word(c->word, &value, cudaMemcpyHostToDevice) : cudaErrorInvalidValue;
}

static cudaError_t get(const struct rt_condition *c, unsigned *value)
{
    return word_ok(c) ? copy_word(value, c->word, cudaMemcpyDeviceToHost) : cudaErrorInvalidValue;
}

static struct rt_condition *hold(struct rt_condition *c)
{
    c->references++;
    return c;
}

static void release(struct rt_condition *c)
{
    if (--c->references)
        return;
    ptrmap_remove(&rt.conditions, c->word);
    if (word_ok(c))
        rt_free_device(c->word);
    free(c);
}

static bool append(cudaGraph_t g, struct rt_condition *c)
{
    struct rt_condition **more = realloc(g->conditions, (g->nconditions + 1) * sizeof *more);
    if (!more)
        return false;
    g->conditions = more;
    more[g->nconditions++] = hold(c);
    return true;
}

cudaError_t rt_condition_create(unsigned long long *handle, cudaGraph_t g, unsigned initial, unsigned flags)
{
    void *base;
    if (!handle || !rt_graph_ok(g) || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return cudaErrorInvalidValue;
    struct rt_condition *c = calloc(1, sizeof *c);
    cudaError_t e = c ? rt_malloc(&c->word, sizeof(unsigned), RT_ALLOC_DEVICE, 0, NULL) : cudaErrorMemoryAllocation;
    if (e) {
        free(c);
        return e;
    }
    c->id = rt_alloc_of(c->word, NULL, &base)->id;
    c->initial = initial;
    c->assign = flags != 0;
    hold(c);
    e = !ptrmap_put(&rt.conditions, c->word, c) || !append(g, c) ? cudaErrorMemoryAllocation : set(c, initial);
    if (!e)
        *handle = (unsigned long long)(uintptr_t)c->word;
    release(c);
    return e;
}

bool rt_graph_copy_conditions(cudaGraph_t to, cudaGraph_t from)
{
    bool ok = true;
    for (size_t i = 0; ok && i < from->nconditions; i++)
        ok = append(to, from->conditions[i]);
    return ok;
}

void rt_graph_drop_conditions(cudaGraph_t g)
{
    for (size_t i = 0; i < g->nconditions; i++)
        release(g->conditions[i]);
    free(g->conditions);
}

/* ---- parameters of nodes ---- */

static bool size_ok(int type, unsigned size)
{
    switch (type) {
    case cudaGraphCondTypeIf: return size == 1 || size == 2;
    case cudaGraphCondTypeWhile: return size == 1;
    case cudaGraphCondTypeSwitch: return size > 0;
    }
    return false;
}

cudaError_t rt_op_conditional(struct rt_op *op, unsigned long long handle, int type, unsigned size)
{
    struct rt_condition *c = ptrmap_get(&rt.conditions, (const void *)(uintptr_t)handle);
    *op = (struct rt_op){.kind = RT_OP_CONDITIONAL, .conditional = {.condition = c, .type = type, .size = size}};
    return c && size_ok(type, size) ? cudaSuccess : cudaErrorInvalidValue;
}

void rt_conditional_free(struct rt_op *op)
{
    for (unsigned i = 0; i < op->conditional.size && op->conditional.bodies; i++)
        if (op->conditional.bodies[i])
            rt_graph_free(op->conditional.bodies[i]);
    free(op->conditional.bodies);
    release(op->conditional.condition);
}

static cudaError_t make_body(cudaGraph_t *out, cudaGraph_t from)
{
    cudaError_t e = from ? rt_graph_clone(out, from) : rt_graph_create(out);
    if (!e)
        (*out)->owned = (*out)->body = true;
    return e;
}

cudaError_t rt_conditional_copy(struct rt_op *out, const struct rt_op *op)
{
    cudaGraph_t *from = op->conditional.bodies;
    hold(op->conditional.condition);
    out->conditional.bodies = calloc(op->conditional.size, sizeof *out->conditional.bodies);
    cudaError_t e = out->conditional.bodies ? cudaSuccess : cudaErrorMemoryAllocation;
    for (unsigned i = 0; !e && i < op->conditional.size; i++)
        e = make_body(&out->conditional.bodies[i], from ? from[i] : NULL);
    if (e)
        rt_conditional_free(out);
    return e;
}

bool rt_conditional_same(const struct rt_op *a, const struct rt_op *b)
{
    return a->conditional.condition == b->conditional.condition && a->conditional.type == b->conditional.type &&
           a->conditional.size == b->conditional.size;
}

bool rt_body_allows(enum rt_op_kind kind)
{
    return kind == RT_OP_KERNEL || kind == RT_OP_COPY || kind == RT_OP_FILL || kind == RT_OP_EMPTY ||
           kind == RT_OP_GRAPH || kind == RT_OP_CONDITIONAL;
}

/* ---- execution ---- */

cudaError_t rt_graph_start_conditions(cudaGraph_t g)
{
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; !e && i < g->nconditions; i++)
        if (g->conditions[i]->assign)
            e = set(g->conditions[i], g->conditions[i]->initial);
    for (size_t i = 0; !e && i < g->n; i++) {
        const struct rt_op *op = &g->nodes[i]->op;
        if (op->kind == RT_OP_GRAPH)
            e = rt_graph_start_conditions(op->child);
        for (unsigned k = 0; !e && op->kind == RT_OP_CONDITIONAL && k < op->conditional.size; k++)
            e = rt_graph_start_conditions(op->conditional.bodies[k]);
    }
    return e;
}

/* A kernel has faulted: the condition is not known, and the next call reports the error. */
static bool faulted(void)
{
    rt_run_queued();
    return rt_current()->pending || rt_current()->sticky;
}

static cudaError_t repeat(const struct rt_op *op, cudaStream_t stream)
{
    cudaGraphExec_t x;
    unsigned value = 0;
    cudaError_t e = rt_graph_instantiate(&x, op->conditional.bodies[0], 0);
    if (e)
        return e;
    e = get(op->conditional.condition, &value);
    while (!e && value) {
        e = rt_exec_run(x, stream);
        if (faulted())
            break;
        if (!e)
            e = get(op->conditional.condition, &value);
    }
    rt_exec_destroy(x);
    return e;
}

cudaError_t rt_conditional_run(const struct rt_op *op, cudaStream_t stream)
{
    unsigned value = 0;
    if (faulted())
        return cudaSuccess;
    if (op->conditional.type == cudaGraphCondTypeWhile)
        return repeat(op, stream);
    cudaError_t e = get(op->conditional.condition, &value);
    if (e)
        return e;
    if (op->conditional.type == cudaGraphCondTypeIf)
        value = !value;
    return value < op->conditional.size ? rt_graph_run(op->conditional.bodies[value], stream) : cudaSuccess;
}
