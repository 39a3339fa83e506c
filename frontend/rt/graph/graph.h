/*
 * Graphs and stream capture, below both APIs. A node carries an operation: what an asynchronous call requests of a
 * stream. While a stream is captured, such calls add nodes in place of running.
 */
#ifndef RT_GRAPH_H
#define RT_GRAPH_H

#include "frontend/rt/rt.h"

/* The values of cudaGraphNodeType and CUgraphNodeType. */
enum rt_op_kind {
    RT_OP_KERNEL = 0, RT_OP_COPY = 1, RT_OP_FILL = 2, RT_OP_HOST = 3, RT_OP_GRAPH = 4, RT_OP_EMPTY = 5, RT_OP_WAIT = 6,
    RT_OP_RECORD = 7, RT_OP_ALLOC = 10, RT_OP_FREE = 11, RT_OP_MEMORY = 12, RT_OP_CONDITIONAL = 13
};

/* A write of a word, or a wait for its value. */
struct rt_memory_op {
    void *address;
    uint64_t value;
    unsigned bits, flags;                    /* CUstreamWaitValue_flags, CUstreamWriteValue_flags */
    bool wait;
    bool nothing;                            /* a barrier: all earlier work is complete anyway */
};

struct rt_op {
    enum rt_op_kind kind;
    union {
        struct {
            struct CUfunc_st *f;
            struct rt_launch_config config;
            bool cooperative;
            struct cudaAccessPolicyWindow window;    /* kept for queries, as is the priority */
            int priority;
            struct rt_args args;             /* of a node: a copy, with `each` pointing into `buffer` */
        } kernel;
        struct { struct rt_side dst, src; enum cudaMemcpyKind kind; } copy;
        struct { struct rt_box box; unsigned value, element; } fill;
        struct { cudaHostFn_t fn; void *data; } host;
        cudaGraph_t child;                   /* of a node: its own clone */
        cudaEvent_t event;
        struct { void *p; size_t bytes; unsigned long long id; } memory;
        struct { struct rt_memory_op *ops; size_t n; } words;    /* of a node: a copy */
        struct {
            struct rt_condition *condition;
            int type;                        /* cudaGraphConditionalNodeType */
            unsigned size;
            cudaGraph_t *bodies;             /* of a node: its own graphs; NULL: empty graphs will be made */
        } conditional;
    };
};

/* ---- stream_op.c ---- */
/* A fill, with the pitch of its rows in bytes and the width in elements; a call of a host function. */
cudaError_t rt_op_fill(struct rt_op *op, void *p, size_t pitch, unsigned value, unsigned element, size_t width,
                       size_t height);
cudaError_t rt_op_host(struct rt_op *op, cudaHostFn_t fn, void *data);
/* queue: kernels in different queues may run concurrently in timing mode; 0: the queue of the stream. */
cudaError_t rt_op_run(const struct rt_op *op, cudaStream_t stream, uint64_t queue);
/* A copy that owns its parameters. */
cudaError_t rt_op_copy(struct rt_op *out, const struct rt_op *op);
/* One side of a copy that is memory. */
void rt_side_memory(const struct rt_side *s, struct cudaPitchedPtr *p);
/* Of kernels; an attribute by its number, with the value of a launch attribute. */
cudaError_t rt_op_get_attribute(const struct rt_op *op, int id, union cudaLaunchAttributeValue *v);
cudaError_t rt_op_set_attribute(struct rt_op *op, int id, const union cudaLaunchAttributeValue *v);
void rt_op_copy_attributes(struct rt_op *to, const struct rt_op *from);
void rt_op_free(struct rt_op *op);

/* ---- graph.c ---- */
struct rt_edge {
    cudaGraphNode_t from;
    cudaGraphEdgeData data;
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    struct rt_op op;
    cudaGraphNode_t *deps;                   /* nodes of the same graph that run before */
    size_t ndeps;
    struct rt_edge *edges;                   /* those of the dependencies that are not ordinary */
    size_t nedges;
    cudaGraphNode_t origin;                  /* of a clone: the node that it was cloned from */
    bool disabled;                           /* of an instantiated graph and its clones: has no effect when it runs */
    void *answer;                            /* a list that a query has given */
    unsigned id;                             /* in its graph, from 0 */
    unsigned level;                          /* of an instantiated graph: longest path from a root */
};

/* References of a graph to a user object; n may be 0. */
struct rt_object_reference {
    cudaUserObject_t object;
    unsigned n;
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;                  /* in the order of their creation */
    size_t n;
    unsigned id;                             /* of this process, from 1 */
    unsigned node_ids;                       /* given so far */
    cudaGraph_t origin;
    int device;                              /* current at its creation */
    bool owned;                              /* by a node or an executable graph; programs cannot destroy it */
    bool body;                               /* of a conditional node: some kinds of nodes are not allowed */
    struct rt_condition **conditions;        /* created for this graph, or for the one that it was cloned from */
    size_t nconditions;
    struct rt_object_reference *references;
    size_t nreferences;
};

bool rt_graph_ok(cudaGraph_t g);
bool rt_node_ok(cudaGraphNode_t n);
cudaError_t rt_graph_create(cudaGraph_t *out);
cudaError_t rt_graph_destroy(cudaGraph_t g);
cudaError_t rt_graph_clone(cudaGraph_t *out, cudaGraph_t g);
void rt_graph_free(cudaGraph_t g);
cudaError_t rt_graph_find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t rt_graph_add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                         const struct rt_op *op);
/* data: of the edges (cudaGraphEdgeData); NULL: ordinary ones. */
cudaError_t rt_graph_depend(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *data,
                            size_t n);
cudaError_t rt_graph_independ(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *data,
                              size_t n);
cudaError_t rt_node_set(cudaGraphNode_t node, const struct rt_op *op);
cudaError_t rt_node_destroy(cudaGraphNode_t node);
/* Lists: with a NULL array *n gets the number; else at most *n are written, and the rest of the array is NULL. data
 * gets the data of the edges; when it is NULL and an edge of the list is not ordinary, the query is an error. */
cudaError_t rt_graph_nodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n, bool roots_only);
cudaError_t rt_graph_edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, void *data, size_t *n);
cudaError_t rt_node_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *data, size_t *n);
cudaError_t rt_node_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *data, size_t *n);

/* ---- edge.c ---- */
cudaGraphEdgeData rt_edge_data(cudaGraphNode_t node, cudaGraphNode_t from);
/* one_to: all edges end at to[0]. */
bool rt_edges_allowed(const void *data, const cudaGraphNode_t *from, const cudaGraphNode_t *to, bool one_to, size_t n);
bool rt_edges_equal(const void *data, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
bool rt_edge_set(cudaGraphNode_t node, cudaGraphNode_t from, const cudaGraphEdgeData *data);
void rt_edge_remove(cudaGraphNode_t node, cudaGraphNode_t from);
/* data[i] gets the data of an edge; cudaErrorLossyQuery: data is NULL, and the edge is not ordinary. */
cudaError_t rt_edge_give(void *data, size_t i, cudaGraphNode_t node, cudaGraphNode_t from);
/* Of a new node, which a failure destroys. */
cudaError_t rt_node_set_edges(cudaGraphNode_t node, const cudaGraphNode_t *deps, const void *data, size_t n);

/* ---- graph_exec.c ---- */
struct CUgraphExec_st {
    cudaGraph_t graph;                       /* its own clone */
    cudaGraphNode_t *order;                  /* by level, then by creation */
    unsigned long long flags;
    unsigned id;                            /* of this process, from 1 */
    unsigned launches;                      /* in progress: a host function runs without the lock */
    bool destroyed;                         /* freed when they have ended */
};

bool rt_exec_ok(cudaGraphExec_t x);
cudaError_t rt_graph_instantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags);
cudaError_t rt_exec_destroy(cudaGraphExec_t x);
cudaError_t rt_graph_launch(cudaGraphExec_t x, cudaStream_t stream);
/* As a part of a launch: of an executable graph, or of a graph that is instantiated for this run. */
cudaError_t rt_exec_run(cudaGraphExec_t x, cudaStream_t stream);
cudaError_t rt_graph_run(cudaGraph_t g, cudaStream_t stream);
/* Gives the node that was instantiated from `node` another operation of the same kind. */
cudaError_t rt_exec_set(cudaGraphExec_t x, cudaGraphNode_t node, const struct rt_op *op);
/* Copies, fills and kernels may be disabled. */
cudaError_t rt_exec_enable(cudaGraphExec_t x, cudaGraphNode_t node, bool enabled);
cudaError_t rt_exec_enabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned *enabled);
cudaError_t rt_exec_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
                           enum cudaGraphExecUpdateResult *result);

/* ---- memory_op.c ---- */
cudaError_t rt_memory_ops_check(const struct rt_memory_op *ops, size_t n);
cudaError_t rt_memory_ops_run(const struct rt_memory_op *ops, size_t n);
cudaError_t rt_memory_ops(cudaStream_t stream, const struct rt_memory_op *ops, size_t n);
cudaError_t rt_memory_ops_copy(struct rt_op *out, const struct rt_op *op);

/* ---- conditional.c ---- */
cudaError_t rt_condition_create(unsigned long long *handle, cudaGraph_t g, unsigned initial, unsigned flags);
bool rt_graph_copy_conditions(cudaGraph_t to, cudaGraph_t from);
void rt_graph_drop_conditions(cudaGraph_t g);
/* Sets the conditions of the graph, its child graphs and bodies whose launches start with the initial value. */
cudaError_t rt_graph_start_conditions(cudaGraph_t g);
cudaError_t rt_op_conditional(struct rt_op *op, unsigned long long handle, int type, unsigned size);
cudaError_t rt_conditional_copy(struct rt_op *out, const struct rt_op *op);
void rt_conditional_free(struct rt_op *op);
cudaError_t rt_conditional_run(const struct rt_op *op, cudaStream_t stream);
bool rt_conditional_same(const struct rt_op *a, const struct rt_op *b);
/* Whether the body of a conditional node may have such nodes. */
bool rt_body_allows(enum rt_op_kind kind);

/* ---- graph_memory.c ---- */
cudaError_t rt_graph_add_alloc(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
                               const struct cudaMemPoolProps *props, size_t bytes, void **p);
cudaError_t rt_graph_add_free(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n, void *p);
/* The memory of all graphs of a device, now and at most: values of cudaGraphMemAttributeType. */
cudaError_t rt_graph_memory_get(int device, int attribute, unsigned long long *value);
cudaError_t rt_graph_memory_set(int device, int attribute, unsigned long long value);

/* ---- user_object.c ---- */
cudaError_t rt_user_object_create(cudaUserObject_t *out, void *p, cudaHostFn_t end, unsigned references,
                                  unsigned flags);
cudaError_t rt_user_object_retain(cudaUserObject_t o, unsigned n);
cudaError_t rt_user_object_release(cudaUserObject_t o, unsigned n);
/* move: the references of the caller become those of the graph. */
cudaError_t rt_graph_retain_object(cudaGraph_t g, cudaUserObject_t o, unsigned n, bool move);
cudaError_t rt_graph_release_object(cudaGraph_t g, cudaUserObject_t o, unsigned n);
cudaError_t rt_graph_copy_references(cudaGraph_t to, cudaGraph_t from);
void rt_graph_drop_references(cudaGraph_t g);

/* ---- graph_dot.c ---- */
cudaError_t rt_graph_dot(cudaGraph_t g, const char *path);

/* ---- capture.c: the edges of captured calls are ordinary ---- */
bool rt_plain_edges(const void *data, size_t n);
cudaError_t rt_other_edges(void);
/* True when the stream is captured or must not be used because of a capture: *e is then the result of the call. */
bool rt_captured(cudaStream_t stream, const struct rt_op *op, cudaError_t *e);
/* A call that waits for the stream: an error while it is captured, which the capture does not survive. */
cudaError_t rt_capture_forbids(cudaStream_t stream);
cudaError_t rt_capture_begin(cudaStream_t s, int mode);
/* Adds to a graph of the program; the first node depends on `deps`. */
cudaError_t rt_capture_begin_to(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n, int mode);
cudaError_t rt_capture_end(cudaStream_t s, cudaGraph_t *out);
cudaError_t rt_capture_status(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                              cudaGraph_t *graph, const cudaGraphNode_t **deps, size_t *n);
/* Replaces (set) or extends the nodes that the next captured call depends on. */
cudaError_t rt_capture_dependencies(cudaStream_t s, const cudaGraphNode_t *deps, size_t n, bool set);
/* Of captured streams; false when none is involved. */
bool rt_capture_record(cudaEvent_t event, cudaStream_t s, cudaError_t *e);
bool rt_capture_wait(cudaStream_t s, cudaEvent_t event, cudaError_t *e);
/* The stream or event ends. */
void rt_capture_leave(cudaStream_t s);
void rt_capture_forget_event(cudaEvent_t e);
cudaError_t rt_capture_exchange_mode(int *mode);

#endif
