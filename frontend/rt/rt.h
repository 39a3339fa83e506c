/*
 * The layer below both APIs of CUDA: devices, contexts, allocations, streams, events, modules and launches of one
 * process. The runtime API (frontend/cudart) and the driver API (frontend/libcuda) are thin functions over it, so
 * handles and pointers of one are valid in the other. All three are in libcudart.so; libcuda.so.1 is a filter of it.
 *
 * Execution is synchronous in call order: an operation of a stream completes inside the call that requests it.  This is
 * one of the legal orders of every legal CUDA program.  The exception is a program whose host thread and kernel
 * communicate through mapped memory while the kernel runs: the kernel never ends, and the executor reports a hang.
 * In timing mode launches on different streams run concurrently: they stay in the GPU's queue until the first call that
 * is not a launch.
 *
 * Errors are those of the runtime API; the driver API translates them.  They are returned when CUDA returns them: a
 * launch that faults returns success and leaves a pending error; the next call that could synchronise returns it, and
 * so does every later call until the context is reset ("sticky").
 *
 * One mutex guards all state; the last error, the current context and the <<<>>> configuration are per thread.
 */
#ifndef RT_H
#define RT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/cuda/include/cuda_runtime_api.h"
#include "frontend/lib/simtx.h"
#include "frontend/lib/simtx_texture.h"
#include "frontend/rt/ptrmap.h"

#define RT_API __attribute__((visibility("default")))
#define RT_MAX_DEVICES 16
#define RT_DRIVER_VERSION 11050
/* The versions that libcudart.so.12 and libcudart.so.13 report. */
#define RT_RELEASE_12 12090
#define RT_RELEASE_13 13000
#define RT_GREATEST_PRIORITY (-5)

typedef struct CUctx_st *rt_context;
typedef struct CUmod_st *rt_module;

/* A pool of stream-ordered allocations; with synchronous execution it only stores attributes. */
struct CUmemPoolHandle_st {
    int device;
    unsigned long long release_threshold, used, used_high, max;  /* max: 0: no limit */
    bool no_reuse[3];                   /* the three reuse attributes, inverted: reuse is on by default */
};

/*
 * A context. The runtime API uses the primary context of each device; the driver API also creates others. Contexts of
 * one device share its memory and its errors; modules, streams, events and allocations belong to one context and end
 * with it. The structure stays after the end, so that a handle that is used too late is recognised.
 */
struct CUctx_st {
    int device;
    bool primary, alive;
    bool used_by_runtime;               /* the runtime API is a user of the primary context, too */
    unsigned flags, retained;           /* retained: uses of a primary context by the driver API */
    rt_context next;
};

/* The kind of function that allocated; the freeing function must match. */
enum rt_alloc_kind { RT_ALLOC_DEVICE, RT_ALLOC_HOST, RT_ALLOC_MANAGED, RT_ALLOC_REGISTERED };

struct rt_alloc {
    enum rt_alloc_kind kind;
    unsigned flags;                     /* from cudaHostAlloc, cudaHostRegister */
    size_t bytes;
    cudaMemPool_t pool;                 /* NULL: not from a pool */
    rt_context context;
    unsigned long long id;              /* number of the allocation in this process, from 1 */
    unsigned graphs;                    /* allocation nodes that stand for it */
};

struct rt_device {
    simtx_gpu *gpu;                     /* NULL until first used */
    bool failed;                        /* the GPU could not be created */
    simtx_gpu_info info;                /* valid when gpu is not NULL */
    bool queued;                        /* launches on streams may be queued (timing mode) */
    cudaError_t pending;                /* error of a kernel, not yet returned by a call */
    cudaError_t sticky;                 /* error that every call returns */
    unsigned flags;
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    size_t fifo_bytes, stack_default, heap_default, fetch_default;
    struct CUctx_st primary;
    struct CUmemPoolHandle_st default_pool;
    cudaMemPool_t pool;                 /* the current one */
    unsigned long long graph_memory_high;    /* most bytes of allocation nodes */
    struct ptrmap allocs;               /* base -> struct rt_alloc */
    struct ptrmap objects;              /* handle of a texture or surface object -> its context */
};

struct rt_capture;
struct rt_nodes {
    cudaGraphNode_t *node;
    size_t n;
};

struct CUstream_st {
    rt_context context;
    unsigned flags;
    int priority;
    enum cudaSynchronizationPolicy policy;
    struct cudaAccessPolicyWindow window;
    unsigned long long id;
    struct rt_capture *capture;         /* NULL: not captured */
    struct rt_nodes tail;               /* what the next captured call depends on */
};

struct CUevent_st {
    rt_context context;
    unsigned flags;
    bool recorded;
    uint64_t nanoseconds;
    struct rt_capture *capture;         /* last recorded on a captured stream: it stands for nodes */
    struct rt_nodes nodes;
};

/* A kernel on one device. */
struct CUfunc_st {
    simtx_kernel *kernel;
    rt_module module;                   /* NULL: of an image of the runtime API */
    const void *symbol;                 /* its host function; NULL: a kernel of a module */
    int device;
    int max_dynamic;                    /* set by cudaFuncSetAttribute; 0: not set */
    int carveout;                       /* cudaFuncAttributePreferredSharedMemoryCarveout */
    int cluster_policy;                 /* cudaFuncAttributeClusterSchedulingPolicyPreference: without effect */
    enum cudaFuncCache cache;           /* cudaFuncSetCacheConfig */
    struct rt_old_launch *old;          /* settings of launches as before CUDA 4; NULL: none */
    bool launched;                      /* by a launch that was not cooperative */
};

enum { RT_WARP_SIZE = 32 };             /* a wavefront of 64 is two PTX warps */

struct rt_launch_config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    uint64_t queue;                     /* of a kernel in a graph; 0: the stream's */
    struct rt_carveout { bool set; int percent; } carveout;     /* of this launch; not set: the kernel's */
    dim3 cluster;                       /* 0: the kernel's */
};

/* Arguments of a kernel: a pointer to each, or all in one buffer. */
struct rt_args {
    const void *const *each;
    const void *buffer;
    size_t bytes;
};
/* Of a list of keys and values, as launches have it: the buffer, and a pointer to its size. false: another key, or no
 * buffer. */
bool rt_read_extra(struct rt_args *a, void **extra);

#define RT_CONFIG_DEPTH 16
#define RT_CONTEXT_DEPTH 64

struct rt_thread {
    cudaError_t last;
    int device;                         /* that of the current context, or the one that cudaSetDevice chose */
    rt_context stack[RT_CONTEXT_DEPTH]; /* the last one is current; it may be NULL */
    int contexts;
    struct CUstream_st stream;          /* cudaStreamPerThread */
    int configs;
    struct rt_launch_config config[RT_CONFIG_DEPTH];
};

struct rt {
    pthread_mutex_t lock;
    bool initialised;                   /* a call of the runtime API, or cuInit */
    int device_count;                   /* 0 until the first query */
    struct rt_device device[RT_MAX_DEVICES];
    /* live handles; those of conditions by the address of the condition's word */
    struct ptrmap streams, events, pools, arrays, graphs, nodes, execs, user_objects, libraries, kernels, conditions,
                  notifications;
    rt_context contexts;                /* those that are not primary */
    rt_module modules;                  /* of the driver API */
    bool blocking;                      /* CUDA_LAUNCH_BLOCKING: a launch returns its own error */
};

extern struct rt rt;
extern _Thread_local struct rt_thread rt_thread;

/* Every function of the runtime API is `e = rt_enter*(); if (!e) e = work(); return rt_leave(e);`.
 * rt_enter locks, runs the queued launches, and returns the sticky error of the current device; rt_enter_gpu also
 * creates its GPU and makes its primary context current if no context is; rt_enter_launch does the same without
 * running the queued launches. */
cudaError_t rt_enter(void);
cudaError_t rt_enter_gpu(void);
cudaError_t rt_enter_launch(void);
cudaError_t rt_leave(cudaError_t e);
/* Of the driver API: cudaErrorInitializationError before cuInit, cudaErrorDeviceUninitialized without a context. */
cudaError_t rt_enter_driver(void);
cudaError_t rt_enter_context(void);
cudaError_t rt_enter_context_launch(void);
/* Lock only: for calls that neither access the device nor return its errors. */
void rt_lock(void);
void rt_unlock(void);

int rt_device_count(void);
struct rt_device *rt_current(void);
/* Creates the GPU of device i, 0 <= i < RT_MAX_DEVICES, unless it exists. */
cudaError_t rt_open(int i);
/* rt_open with a check of the number. */
cudaError_t rt_open_device(int i);
/* The device whose address range holds p; NULL when p is ordinary host memory. */
struct rt_device *rt_owner(const void *p);
/* cudaError_t for a failed library call that is not a launch. */
cudaError_t rt_status_error(simtx_status s);
/* One line on stderr, "simtx: ..." */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A function that simtx does not have: cudaErrorNotSupported, and its name once on stderr. */
cudaError_t rt_not_supported(const char *name, bool *said);

/* ---- context.c ---- */
rt_context rt_context_current(void);                    /* NULL: none */
bool rt_context_known(rt_context c);                    /* a handle of this process, alive or not */
/* Makes the context the top of the thread's stack, in place of the one that is there. */
cudaError_t rt_context_set(rt_context c);
cudaError_t rt_context_push(rt_context c);
cudaError_t rt_context_pop(rt_context *out);
cudaError_t rt_context_create(rt_context *out, int device, unsigned flags);
/* Ends a context that is not primary, with all that belongs to it. */
cudaError_t rt_context_destroy(rt_context c);
/* Whether an object of context `own` ends with context c of the device; c NULL: with the device. */
bool rt_belongs(rt_context own, int device, rt_context c);
cudaError_t rt_primary_retain(rt_context *out, int device);
cudaError_t rt_primary_release(int device);
/* The state before the first call: no memory, objects, modules, streams, graphs or errors; statistics are kept. */
void rt_reset(int device);

/* ---- properties.c, limits.c ---- */
void rt_properties(struct cudaDeviceProp *p, int device);
cudaError_t rt_device_attribute(int *value, int number, int device);
cudaError_t rt_set_limit(struct rt_device *d, int limit, size_t value);
cudaError_t rt_get_limit(const struct rt_device *d, int limit, size_t *value);
int rt_device_at(const char *pci_id);                   /* -1: none */

/* ---- memory.c ---- */
cudaError_t rt_malloc(void **out, size_t bytes, enum rt_alloc_kind kind, unsigned flags, cudaMemPool_t pool);
cudaError_t rt_malloc_pitched(void **out, size_t *pitch, size_t width, size_t rows);
cudaError_t rt_free_device(void *p);                    /* device and managed memory; NULL is allowed */
cudaError_t rt_free_host(void *p);
cudaError_t rt_host_register(void *p, size_t bytes, unsigned flags);
cudaError_t rt_host_unregister(void *p);
/* The pinned or registered host allocation that holds p. */
struct rt_alloc *rt_host_alloc_of(const void *p);
/* The allocation that holds p, with its device and first byte; NULL: none, or a variable of a module. */
struct rt_alloc *rt_alloc_of(const void *p, int *device, void **base);
void rt_describe_pointer(struct cudaPointerAttributes *a, const void *p);
void rt_memory_info(size_t *free_bytes, size_t *total);
/* Frees what was allocated in a context; NULL: on the device. */
void rt_free_all(struct rt_device *d, rt_context c);

/* ---- managed.c: hints without effect ---- */
cudaError_t rt_prefetch(const void *p, size_t bytes, int device, cudaStream_t stream);
cudaError_t rt_advise(const void *p, size_t bytes, int advice, int device);
cudaError_t rt_range_attribute(void *data, size_t size, int attribute, const void *p, size_t bytes);
/* Memory that host and device share. */
bool rt_managed(const void *p, size_t bytes);
cudaError_t rt_attach(void *p, size_t bytes, unsigned flags);

/* ---- copy.c ---- */
/* True when [p, p + bytes) is allocated device memory, or host memory. */
bool rt_range_ok(const void *p, size_t bytes);
/* A box of bytes in pitched memory. */
struct rt_box {
    unsigned char *first;
    size_t pitch, slice;                /* distance in bytes between rows, between slices */
    size_t width, height, depth;
};
struct rt_box rt_line(const void *p, size_t bytes);
/* The box of `extent` bytes at `pos` in pitched memory; false when it exceeds the rows or slices. */
bool rt_pitched_box(struct rt_box *b, struct cudaPitchedPtr p, struct cudaPos pos, struct cudaExtent extent);
cudaError_t rt_copy(const struct rt_box *dst, const struct rt_box *src, enum cudaMemcpyKind kind, cudaStream_t stream);
/* From the first byte of a box to the last one; *too_big: not a number of bytes. */
size_t rt_box_bytes(const struct rt_box *b, bool *too_big);
/* The copy itself, now. */
cudaError_t rt_copy_boxes(const struct rt_box *dst, const struct rt_box *src, enum cudaMemcpyKind kind);
/* Elements of 1, 2 or 4 bytes get the value. */
cudaError_t rt_fill(const struct rt_box *b, unsigned value, unsigned element, cudaStream_t stream);
#define RT_MAX_PITCH ((size_t)2147483647)

/* ---- copy_batch.c ---- */
/* Copies between pointers; attribute k holds from copy indices[k] to the one before indices[k + 1]. */
struct rt_batch {
    void *const *dsts;
    const void *const *srcs;
    const size_t *sizes;
    size_t count;
    const struct cudaMemcpyAttributes *attrs;
    const size_t *indices;
    size_t nattrs;
};
/* *failed: the copy that failed, or SIZE_MAX when it is none in particular. */
cudaError_t rt_copy_batch(const struct rt_batch *b, size_t *failed, cudaStream_t stream);
cudaError_t rt_copy_batch_3d(const struct cudaMemcpy3DBatchOp *ops, size_t n, unsigned long long flags, size_t *failed,
                             cudaStream_t stream);
/* A device that exists, or the host in one of three ways. */
bool rt_location_ok(struct cudaMemLocation l);
cudaError_t rt_prefetch_batch(void *const *p, const size_t *sizes, size_t n, const struct cudaMemLocation *locations,
                              const size_t *indices, size_t nlocations, unsigned long long flags, cudaStream_t stream);
cudaError_t rt_discard_batch(void *const *p, const size_t *sizes, size_t n, unsigned long long flags,
                             cudaStream_t stream);

/* ---- array.c: arrays, and copies with an array on one or both sides ---- */
cudaError_t rt_array_new(const simtx_array_desc *d, simtx_array **out);
cudaError_t rt_array_free(simtx_array *a);
/* False when it is no live array of the current device, or level of one. */
bool rt_array_get(const simtx_array *a, simtx_array_desc *d);
size_t rt_texel_bytes(const simtx_array_desc *d);
void rt_free_arrays(int device, rt_context c);
/* One side of a copy: a box of memory, or of an array; then only the extent of `box` counts, and pos.x is in bytes. */
struct rt_side {
    struct rt_box box;
    simtx_array *array;                 /* NULL: memory */
    struct cudaPos pos;
};
cudaError_t rt_copy_sides(const struct rt_side *dst, const struct rt_side *src, enum cudaMemcpyKind kind,
                          cudaStream_t stream);

/* ---- texture.c: objects of the current device ---- */
cudaError_t rt_texture_new(const simtx_resource *r, const simtx_sampler *s, uint64_t *handle);
cudaError_t rt_surface_new(simtx_array *a, uint64_t *handle);
/* The texel of a format of resource views (cudaResourceViewFormat), and the format of a texel that a view has. */
bool rt_view_texel(unsigned format, simtx_texel *t);
unsigned rt_view_format(const simtx_texel *t);
/* cudaErrorInvalidValue: no such object, or of the other kind. */
cudaError_t rt_object_free(int device, uint64_t handle, bool surface);
void rt_free_objects(int device, rt_context c);         /* c: as for rt_free_all */

/* ---- pool.c ---- */
bool rt_pool_ok(cudaMemPool_t p);
cudaError_t rt_malloc_async(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t rt_free_async(void *p, cudaStream_t stream);
cudaError_t rt_pool_create(cudaMemPool_t *out, const struct cudaMemPoolProps *props);
cudaError_t rt_pool_destroy(cudaMemPool_t pool);
cudaError_t rt_pool_set(cudaMemPool_t p, int attribute, const void *value);
cudaError_t rt_pool_get(cudaMemPool_t p, int attribute, void *value);
cudaError_t rt_pool_access(cudaMemPool_t p, const struct cudaMemAccessDesc *list, size_t n);
/* Frees the device's pools, whose memory is free, and sets the attributes of its default pool as they were first. */
void rt_destroy_pools(int device);

/* ---- graph/ (graph.h there has the rest) ---- */
/* Graphs and executable graphs that were made while the device was current, except those of captures in progress. */
void rt_destroy_graphs(int device);
void rt_destroy_execs(int device);

/* capture.c there: cudaErrorStreamCaptureUnsupported, and the captures are invalid, when a call waits for the current
 * device and one of its streams is captured; when a call that may wait (an allocation) is made while the modes of a
 * capture and of the thread prohibit it. */
cudaError_t rt_capture_forbids_device(void);
cudaError_t rt_capture_forbids_unsafe(void);

/* ---- stream.c, event.c ---- */
bool rt_stream_ok(cudaStream_t s);
bool rt_stream_builtin(cudaStream_t s);
struct CUstream_st *rt_stream_state(cudaStream_t s);
/* The context in which the work of a stream runs: of a built-in stream, the current one. */
rt_context rt_stream_context(cudaStream_t s);
cudaError_t rt_stream_create(cudaStream_t *out, unsigned flags, int priority);
cudaError_t rt_stream_destroy(cudaStream_t s);
cudaError_t rt_stream_wait(cudaStream_t s, cudaEvent_t event, unsigned flags);
/* Checks a stream that the caller waits for. */
cudaError_t rt_stream_sync(cudaStream_t s);
/* Calls a host function, without the lock. */
cudaError_t rt_host_function(cudaStream_t s, cudaHostFn_t fn, void *data);
bool rt_stream_capturing(cudaStream_t s);
void rt_destroy_streams(int device, rt_context c);      /* c: as for rt_free_all */
bool rt_event_ok(cudaEvent_t e);
/* Checks an event that the caller waits for. */
cudaError_t rt_event_sync(cudaEvent_t e);
cudaError_t rt_event_create(cudaEvent_t *out, unsigned flags);
cudaError_t rt_event_destroy(cudaEvent_t event);
cudaError_t rt_event_record(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t rt_event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end);
void rt_destroy_events(int device, rt_context c);

/* ---- module.c: texts of device code ---- */
#define RT_MAX_LINKED 1024
struct rt_texts {
    char *text[RT_MAX_LINKED];
    size_t length[RT_MAX_LINKED];
    const char *name[RT_MAX_LINKED];
    int n;
    char made_up[256];                  /* file name in messages about an image's PTX */
};
/* Adds the PTX of an image: a fat binary, its wrapper, plain text, or what rt_pack_texts made. bytes: its size, 0 if
 * the caller does not know it; an image of known size is the content of a file, which has no wrapper with pointers. A
 * text ends with NUL. False with the reason. */
bool rt_add_text(struct rt_texts *t, const void *image, size_t bytes, const char *name, char *why, size_t why_size);
/* One image of all texts, which may be copied or stored in a file; NULL without memory. */
void *rt_pack_texts(const struct rt_texts *t, size_t *size);
bool rt_read_text(struct rt_texts *t, const char *path, char *why, size_t size);
void rt_free_texts(struct rt_texts *t);
simtx_status rt_load_texts(const struct rt_texts *t, simtx_gpu *gpu, simtx_module **out);

/* A module of the driver API. */
struct CUmod_st {
    rt_context context;
    simtx_module *module;
    struct CUfunc_st *functions;        /* one for each kernel */
    int count;
    struct CUlib_st *library;           /* NULL: a module that the program has loaded */
    rt_module next;
};
bool rt_module_ok(rt_module m);
/* Loads texts into the current context; on failure the GPU's message has all errors. */
cudaError_t rt_module_load(rt_module *out, const struct rt_texts *t);
cudaError_t rt_module_function(rt_module m, const char *name, struct CUfunc_st **out);
cudaError_t rt_module_unload(rt_module m);
void rt_unload_modules(int device, rt_context c);
/* cu_texture.c: the texture and surface references of a module that ends. */
extern void (*rt_unload_references)(rt_module m);
/* register.c of the runtime API: what it loaded for a device. */
extern void (*rt_unload_images)(int device);
/* register.c: whether the handle is that of a kernel of an image. */
extern bool (*rt_owns_function)(const struct CUfunc_st *f);

/* register.c: the kernel of an image that the program names by its host function, on the current device */
extern cudaError_t (*rt_find_registered)(const void *host_function, struct CUfunc_st **out);

/* ---- library.c ---- */
bool rt_library_ok(struct CUlib_st *l);
bool rt_library_kernel_ok(const struct CUkern_st *k);
/* The library keeps the texts, so that other contexts can load them; *t becomes empty. path: the file, or NULL. */
cudaError_t rt_library_load(struct CUlib_st **out, struct rt_texts *t, const char *path);
cudaError_t rt_library_unload(struct CUlib_st *l);
/* The library's module in the current context. */
cudaError_t rt_library_module(struct CUlib_st *l, rt_module *out);
cudaError_t rt_library_count(const struct CUlib_st *l, unsigned *count);
cudaError_t rt_library_kernels(struct CUlib_st *l, struct CUkern_st **out, unsigned n);     /* the first n */
cudaError_t rt_library_kernel(struct CUlib_st *l, const char *name, struct CUkern_st **out);
/* A variable in the current context; managed: only one with .managed. */
cudaError_t rt_library_variable(struct CUlib_st *l, const char *name, bool managed, void **address, size_t *bytes);
struct CUlib_st *rt_kernel_library(const struct CUkern_st *k);
cudaError_t rt_kernel_on(struct CUkern_st *k, int device, struct CUfunc_st **out);
/* An attribute of the kernel on a device, in all its contexts. */
cudaError_t rt_kernel_set(struct CUkern_st *k, int attribute, int value, int device);
/* The function that a handle stands for in the current context: a function, a kernel of a library, or the host function
 * of a kernel. */
cudaError_t rt_resolve(const void *handle, struct CUfunc_st **out);

/* ---- launch_work.c ---- */
/* Runs the queued launches of all devices; their errors become pending. */
void rt_run_queued(void);
cudaError_t rt_launch(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args);
/* All blocks must be resident at once. */
cudaError_t rt_launch_cooperative(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args);

/* What the attributes of a launch request; the others are hints without effect. */
struct rt_launch_attributes {
    bool cooperative;
    struct rt_carveout carveout;
    dim3 cluster;                       /* 0: none is requested */
    cudaEvent_t events[2];              /* recorded after the launch */
    int n;
};
cudaError_t rt_read_attributes(struct rt_launch_attributes *out, const cudaLaunchAttribute *list, unsigned n);
cudaError_t rt_launch_with(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args,
                           const struct rt_launch_attributes *a);

/* ---- function.c ---- */
/* A handle of a kernel that is loaded. */
bool rt_function_ok(const struct CUfunc_st *f);
void rt_function_attributes(const struct CUfunc_st *f, struct cudaFuncAttributes *a);
cudaError_t rt_function_set(struct CUfunc_st *f, int attribute, int value);
cudaError_t rt_function_set_cache(struct CUfunc_st *f, enum cudaFuncCache config);
/* Before a launch and before its occupancy is asked for: tells the library how much of an SM's memory the kernel should
 * have as shared memory. The carveout of the launch (NULL: none) comes first, then the kernel's, then its
 * cudaFuncSetCacheConfig, then cudaDeviceSetCacheConfig. */
void rt_prefer_shared(const struct CUfunc_st *f, const struct rt_carveout *launch);
/* Resident blocks of an SM; 0 if no launch may have such blocks. `launch`: as rt_prefer_shared. */
uint32_t rt_occupancy(const struct CUfunc_st *f, int block_size, size_t dynamic_shared,
                      const struct rt_carveout *launch);
/* The largest dynamic size at which `blocks` blocks are resident. */
cudaError_t rt_largest_dynamic(const struct CUfunc_st *f, int blocks, int block_size, size_t *bytes);
/* The block size with the most resident threads, and the grid that fills the device with it. */
void rt_best_block(const struct CUfunc_st *f, size_t (*dynamic)(int block_size), size_t shared, int limit,
                   int *min_grid, int *block_size);

/* Clusters that are resident on the device. The attributes of the launch must give their shape, or the kernel has
 * it. */
cudaError_t rt_active_clusters(const struct CUfunc_st *f, const struct rt_launch_config *c,
                               const struct rt_launch_attributes *a, int *n);
/* Blocks of the largest cluster of which one can be resident; 0: not even one block. */
cudaError_t rt_largest_cluster(const struct CUfunc_st *f, const struct rt_launch_config *c, int *blocks);
/* Blocks of this launch that the device holds at once, those of clusters only in whole ones; 0: it holds none, or no
 * launch may be like this. */
uint64_t rt_resident_blocks(const struct CUfunc_st *f, const struct rt_launch_config *c);

/* ---- log.c ---- */
struct rt_log_reader;
typedef cudaLogsCallback_t rt_log_function;
void rt_log(const char *text);
cudaError_t rt_log_register(rt_log_function function, void *data, struct rt_log_reader **out);
cudaError_t rt_log_unregister(struct rt_log_reader *r);
/* An iterator is the number of a message. */
cudaError_t rt_log_current(unsigned *iterator, unsigned flags);
cudaError_t rt_log_to_file(unsigned *iterator, const char *path, unsigned flags);
cudaError_t rt_log_to_memory(unsigned *iterator, char *buffer, size_t *size, unsigned flags);

/* ---- notification.c ---- */
cudaError_t rt_notification_register(int device, const void *function, struct cudaAsyncCallbackEntry **out);
cudaError_t rt_notification_unregister(int device, struct cudaAsyncCallbackEntry *entry);

#endif
