/*
 * Stream capture: calls on a captured stream add nodes to a graph. An event that is recorded on such a stream stands
 * for the nodes so far; another stream that waits for it joins the capture. A forbidden call invalidates the capture,
 * which the call that ends it reports.
 */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>
#include <string.h>

struct rt_capture {
    cudaGraph_t graph;
    cudaStream_t origin;
    int device;                              /* of the origin */
    bool blocking;                           /* the legacy stream waits for the origin */
    int mode;
    pthread_t thread;
    unsigned long long id;
    bool foreign;                            /* the graph is one of the program, which had `first` nodes */
    size_t first;
    bool invalid;
    int streams;                             /* that are captured now */
    int events;                              /* that stand for nodes of it */
    struct rt_capture *next;
};

static struct rt_capture *captures;
static _Thread_local int thread_mode = cudaStreamCaptureModeGlobal;

/* ---- sets of nodes ---- */

static bool add_node(struct rt_nodes *s, cudaGraphNode_t node)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->node[i] == node)
            return true;
    cudaGraphNode_t *more = realloc(s->node, (s->n + 1) * sizeof *more);
    if (!more)
        return false;
    s->node = more;
    more[s->n++] = node;
    return true;
}

static bool add_nodes(struct rt_nodes *s, const cudaGraphNode_t *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!add_node(s, node[i]))
            return false;
    return true;
}

static void clear_nodes(struct rt_nodes *s)
{
    free(s->node);
    *s = (struct rt_nodes){0};
}

/* ---- captures ---- */

/* A capture that has ended stays as long as an event refers to it. */
static void release(struct rt_capture *c)
{
    if (c->streams || c->events)
        return;
    for (struct rt_capture **p = &captures; *p; p = &(*p)->next)
        if (*p == c) {
            *p = c->next;
            break;
        }
    if (c->graph && !c->foreign)
        rt_graph_free(c->graph);
    free(c);
}

static void leave_stream(cudaStream_t state)
{
    struct rt_capture *c = state->capture;
    if (!c)
        return;
    state->capture = NULL;
    clear_nodes(&state->tail);
    c->streams--;
    release(c);
}

void rt_capture_leave(cudaStream_t s)
{
    if (s->capture)
        s->capture->invalid = true;
    leave_stream(s);
}

void rt_capture_forget_event(cudaEvent_t e)
{
    struct rt_capture *c = e->capture;
    if (!c)
        return;
    e->capture = NULL;
    clear_nodes(&e->nodes);
    c->events--;
    release(c);
}

static bool join(cudaStream_t state, struct rt_capture *c)
{
    if (state->capture == c)
        return true;
    state->capture = c;
    c->streams++;
    return true;
}

/* A capture of a blocking stream: the legacy stream would have to wait for it. */
static struct rt_capture *implicit(void)
{
    for (struct rt_capture *c = captures; c; c = c->next)
        if (c->streams && c->blocking && c->mode != cudaStreamCaptureModeRelaxed)
            return c;
    return NULL;
}

static cudaError_t add(cudaStream_t state, const struct rt_op *op)
{
    struct rt_capture *c = state->capture;
    cudaGraphNode_t node;
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    cudaError_t e = rt_graph_add(&node, c->graph, state->tail.node, state->tail.n, op);
    if (e) {
        c->invalid = true;
        return e;
    }
    clear_nodes(&state->tail);
    return add_node(&state->tail, node) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static bool legacy(cudaStream_t s)
{
    return !s || s == cudaStreamLegacy;
}

bool rt_captured(cudaStream_t stream, const struct rt_op *op, cudaError_t *e)
{
    if (!captures || !rt_stream_ok(stream))
        return false;
    if (legacy(stream)) {
        struct rt_capture *c = implicit();
        if (c) {
            c->invalid = true;
            *e = cudaErrorStreamCaptureImplicit;
        }
        return c != NULL;
    }
    cudaStream_t state = rt_stream_state(stream);
    if (state->capture)
        *e = add(state, op);
    return state->capture != NULL;
}

cudaError_t rt_capture_forbids(cudaStream_t stream)
{
    struct rt_capture *c = !captures || !rt_stream_ok(stream) ? NULL
                           : legacy(stream)                   ? implicit()
                                                              : rt_stream_state(stream)->capture;
    if (!c)
        return cudaSuccess;
    c->invalid = true;
    return legacy(stream) ? cudaErrorStreamCaptureImplicit : cudaErrorStreamCaptureUnsupported;
}

cudaError_t rt_capture_forbids_device(void)
{
    cudaError_t e = cudaSuccess;
    for (struct rt_capture *c = captures; c; c = c->next)
        if (c->streams && c->device == rt_thread.device) {
            c->invalid = true;
            e = cudaErrorStreamCaptureUnsupported;
        }
    return e;
}

/* Does the capture prohibit unsafe calls of this thread? Either mode may be weaker: the capture's or the thread's. */
static bool prohibits_unsafe(const struct rt_capture *c)
{
    int mode = c->mode > thread_mode ? c->mode : thread_mode;
    bool own = pthread_equal(c->thread, pthread_self());
    return c->streams && (mode == cudaStreamCaptureModeGlobal || (own && mode == cudaStreamCaptureModeThreadLocal));
}

cudaError_t rt_capture_forbids_unsafe(void)
{
    cudaError_t e = cudaSuccess;
    for (struct rt_capture *c = captures; c; c = c->next)
        if (prohibits_unsafe(c)) {
            c->invalid = true;
            e = cudaErrorStreamCaptureUnsupported;
        }
    return e;
}

/* ---- begin and end ---- */

static cudaError_t check_begin(cudaStream_t s, int mode)
{
    if (!rt_stream_ok(s))
        return cudaErrorInvalidResourceHandle;
    if (legacy(s))
        return cudaErrorStreamCaptureUnsupported;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    return rt_stream_state(s)->capture ? cudaErrorIllegalState : cudaSuccess;
}

/* graph: one of the program; NULL: a new one. */
static cudaError_t begin(cudaStream_t s, cudaGraph_t graph, int mode)
{
    static unsigned long long last_id;
    cudaStream_t state = rt_stream_state(s);
    struct rt_capture *c = calloc(1, sizeof *c);
    cudaError_t e = c ? cudaSuccess : cudaErrorMemoryAllocation;
    if (!e && !graph)
        e = rt_graph_create(&c->graph);
    if (e) {
        free(c);
        return e;
    }
    if (graph)
        c->graph = graph;
    else
        c->graph->owned = true;
    c->foreign = graph != NULL;
    c->first = c->graph->n;
    c->origin = s;
    c->device = rt_stream_context(s)->device;
    c->blocking = !(state->flags & cudaStreamNonBlocking);
    c->mode = mode;
    c->thread = pthread_self();
    c->id = ++last_id;
    c->next = captures;
    captures = c;
    join(state, c);
    return cudaSuccess;
}

cudaError_t rt_capture_begin(cudaStream_t s, int mode)
{
    cudaError_t e = check_begin(s, mode);
    return e ? e : begin(s, NULL, mode);
}

cudaError_t rt_capture_begin_to(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n, int mode)
{
    cudaError_t e = check_begin(s, mode);
    if (!e && (!rt_graph_ok(g) || (n && !deps)))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++)
        if (!rt_node_ok(deps[i]) || deps[i]->graph != g)
            e = cudaErrorInvalidValue;
    if (!e)
        e = begin(s, g, mode);
    return e || add_nodes(&rt_stream_state(s)->tail, deps, n) ? e : cudaErrorMemoryAllocation;
}

static bool has_dependent(cudaGraph_t g, cudaGraphNode_t node)
{
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->nodes[i]->ndeps; k++)
            if (g->nodes[i]->deps[k] == node)
                return true;
    return false;
}

/* The origin stream has reached every node of the capture without a dependent: all streams have joined it. */
static bool joined(const struct rt_capture *c, const struct rt_nodes *tail)
{
    for (size_t i = c->first; i < c->graph->n; i++) {
        bool reached = has_dependent(c->graph, c->graph->nodes[i]);
        for (size_t k = 0; !reached && k < tail->n; k++)
            reached = tail->node[k] == c->graph->nodes[i];
        if (!reached)
            return false;
    }
    return true;
}

static void leave_all(struct rt_capture *c)
{
    c->streams++;                            /* so that it stays to the end of this function */
    for (size_t i = 0; i < rt.streams.cap; i++)
        if (rt.streams.slots[i].key && ((cudaStream_t)rt.streams.slots[i].value)->capture == c)
            leave_stream(rt.streams.slots[i].value);
    if (rt_thread.stream.capture == c)
        leave_stream(&rt_thread.stream);
    c->graph = NULL;
    c->invalid = true;
    c->streams--;
    release(c);
}

cudaError_t rt_capture_end(cudaStream_t s, cudaGraph_t *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!rt_stream_ok(s) || legacy(s))
        return cudaErrorInvalidResourceHandle;
    cudaStream_t state = rt_stream_state(s);
    struct rt_capture *c = state->capture;
    if (!c)
        return cudaErrorIllegalState;
    if (c->origin != s)
        return cudaErrorStreamCaptureUnmatched;
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    if (c->foreign && !rt_graph_ok(c->graph))
        c->invalid = true;                       /* the program has destroyed it */
    cudaError_t e = c->invalid                   ? cudaErrorStreamCaptureInvalidated
                    : !joined(c, &state->tail) ? cudaErrorStreamCaptureUnjoined
                                               : cudaSuccess;
    if (!c->foreign)
        c->graph->owned = false;
    if (!e)
        *out = c->graph;
    else if (!c->foreign)
        rt_graph_free(c->graph);
    leave_all(c);
    return e;
}

/* ---- queries and changes ---- */

cudaError_t rt_capture_status(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                              cudaGraph_t *graph, const cudaGraphNode_t **deps, size_t *n)
{
    if (!rt_stream_ok(s))
        return cudaErrorInvalidResourceHandle;
    if (!status)
        return cudaErrorInvalidValue;
    cudaStream_t state = rt_stream_state(s);
    const struct rt_capture *c = state->capture;
    *status = !c ? cudaStreamCaptureStatusNone : c->invalid ? cudaStreamCaptureStatusInvalidated
                                                            : cudaStreamCaptureStatusActive;
    if (id && c)
        *id = c->id;
    if (graph && c)
        *graph = c->graph;
    if (deps)
        *deps = state->tail.node;
    if (n)
        *n = state->tail.n;
    return legacy(s) && implicit() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t rt_capture_dependencies(cudaStream_t s, const cudaGraphNode_t *deps, size_t n, bool set)
{
    if (!rt_stream_ok(s))
        return cudaErrorInvalidResourceHandle;
    cudaStream_t state = rt_stream_state(s);
    if (!state->capture)
        return cudaErrorIllegalState;
    for (size_t i = 0; i < n; i++)
        if (!rt_node_ok(deps[i]) || deps[i]->graph != state->capture->graph)
            return cudaErrorInvalidValue;
    if (set)
        clear_nodes(&state->tail);
    return add_nodes(&state->tail, deps, n) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t rt_capture_exchange_mode(int *mode)
{
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    int old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

/* ---- events ---- */

bool rt_capture_record(cudaEvent_t event, cudaStream_t s, cudaError_t *e)
{
    cudaStream_t state = captures && !legacy(s) ? rt_stream_state(s) : NULL;
    rt_capture_forget_event(event);
    if (!state || !state->capture)
        return captures && legacy(s) && (*e = rt_capture_forbids(s)) != cudaSuccess;
    event->capture = state->capture;
    state->capture->events++;
    *e = add_nodes(&event->nodes, state->tail.node, state->tail.n) ? cudaSuccess : cudaErrorMemoryAllocation;
    return true;
}

static cudaError_t fail(struct rt_capture *a, struct rt_capture *b, cudaError_t e)
{
    if (a)
        a->invalid = true;
    if (b)
        b->invalid = true;
    return e;
}

bool rt_capture_wait(cudaStream_t s, cudaEvent_t event, cudaError_t *e)
{
    struct rt_capture *c = event->capture;
    if (!captures)
        return false;
    if (legacy(s)) {
        if (c)
            *e = fail(c, NULL, cudaErrorStreamCaptureImplicit);
        return c != NULL;
    }
    cudaStream_t state = rt_stream_state(s);
    if (!c && !state->capture)
        return false;
    if (!c)
        *e = fail(state->capture, NULL, cudaErrorStreamCaptureIsolation);
    else if (state->capture && state->capture != c)
        *e = fail(state->capture, c, cudaErrorStreamCaptureMerge);
    else if (!c->graph)
        *e = cudaErrorCapturedEvent;             /* its capture has ended */
    else
        *e = join(state, c) && add_nodes(&state->tail, event->nodes.node, event->nodes.n) ? cudaSuccess
                                                                                     : cudaErrorMemoryAllocation;
    return true;
}

/* ---- data of edges ---- */

bool rt_plain_edges(const void *data, size_t n)
{
    static const cudaGraphEdgeData plain;
    const cudaGraphEdgeData *d = data;
    for (size_t i = 0; d && i < n; i++)
        if (memcmp(&d[i], &plain, offsetof(cudaGraphEdgeData, reserved)))
            return false;
    return true;
}

cudaError_t rt_other_edges(void)
{
    static bool said;
    return rt_not_supported("edge data of a capture", &said);
}
