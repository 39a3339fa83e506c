/*
 * The CUDA runtime library of simtx: state that its files share.
 *
 * Execution is synchronous in call order: a launch, copy or callback completes inside its API call, on every
 * stream.  This is one of the legal orders of every legal CUDA program.  The exception is a program whose host
 * thread and kernel communicate through mapped memory while the kernel runs: the kernel never ends, and the
 * executor reports a hang.  Errors are returned when CUDA returns them: a launch that faults returns success
 * and leaves a pending error; the next call that could synchronise returns it, and so does every later call
 * until cudaDeviceReset ("sticky").
 *
 * In timing mode launches on different streams run concurrently: they stay in the GPU's queue until the first
 * call that is not a launch.
 *
 * One mutex guards all state; the last error, the current device and the <<<>>> configuration are per
 * thread.
 */
#ifndef CUDART_RT_H
#define CUDART_RT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "frontend/cuda/include/cuda_runtime_api.h"
#include "frontend/cudart/ptrmap.h"
#include "frontend/lib/simtx.h"

#define RT_API __attribute__((visibility("default")))
#define RT_MAX_DEVICES 16
#define RT_DRIVER_VERSION 11050

/* A pool of stream-ordered allocations; with synchronous execution it only stores attributes. */
struct CUmemPoolHandle_st {
    int device;
    unsigned long long release_threshold, used, used_high;
    bool no_reuse[3];                   /* the three reuse attributes, inverted: reuse is on by default */
};

/* The kind of function that allocated; the freeing function must match. */
enum rt_alloc_kind { RT_ALLOC_DEVICE, RT_ALLOC_HOST, RT_ALLOC_MANAGED, RT_ALLOC_REGISTERED };

struct rt_alloc {
    enum rt_alloc_kind kind;
    unsigned flags;                     /* from cudaHostAlloc, cudaHostRegister */
    size_t bytes;
    cudaMemPool_t pool;                 /* NULL: not from a pool */
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
    size_t fifo_bytes, stack_default, heap_default;
    struct CUmemPoolHandle_st default_pool;
    cudaMemPool_t pool;                 /* the current one */
    struct ptrmap allocs;               /* base -> struct rt_alloc */
};

struct rt_launch_config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

#define RT_CONFIG_DEPTH 16

struct rt_thread {
    cudaError_t last;
    int device;
    int configs;
    struct rt_launch_config config[RT_CONFIG_DEPTH];
};

struct rt {
    pthread_mutex_t lock;
    int device_count;                   /* 0 until the first query */
    struct rt_device device[RT_MAX_DEVICES];
    struct ptrmap streams, events, pools;   /* live handles */
    bool blocking;                      /* CUDA_LAUNCH_BLOCKING: a launch returns its own error */
};

extern struct rt rt;
extern _Thread_local struct rt_thread rt_thread;

/* Every API function is `e = rt_enter*(); if (!e) e = work(); return rt_leave(e);`.
 * rt_enter locks, runs the queued launches, and returns the sticky error of the current device; rt_enter_gpu also
 * creates its GPU; rt_enter_launch does not run the queued launches. */
cudaError_t rt_enter(void);
cudaError_t rt_enter_gpu(void);
cudaError_t rt_enter_launch(void);
cudaError_t rt_leave(cudaError_t e);
/* Lock only: for calls that neither access the device nor return its errors. */
void rt_lock(void);
void rt_unlock(void);

int rt_device_count(void);
struct rt_device *rt_current(void);
/* Creates the GPU of device i unless it exists. */
cudaError_t rt_open(int i);
/* The device whose address range holds p; NULL when p is ordinary host memory. */
struct rt_device *rt_owner(const void *p);
/* cudaError_t for a failed library call that is not a launch. */
cudaError_t rt_status_error(simtx_status s);
/* One line on stderr, "simtx: ..." */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* launch_api.c: runs the queued launches of all devices; their errors become pending */
void rt_run_queued(void);

/* memory.c */
cudaError_t rt_malloc(void **out, size_t bytes, enum rt_alloc_kind kind, unsigned flags, cudaMemPool_t pool);
void rt_free_all(struct rt_device *d);

/* copy.c: true when [p, p + bytes) is allocated device memory, or host memory */
bool rt_range_ok(const void *p, size_t bytes);

/* register.c */
cudaError_t rt_kernel(const void *host_function, simtx_kernel **out); /* on the current device */
int *rt_max_dynamic(const void *host_function); /* value set for that kernel; 0: none */
cudaError_t rt_symbol(const void *host_variable, void **address, size_t *bytes);
void rt_unload_modules(int device);

/* stream.c */
bool rt_stream_ok(cudaStream_t s);
void rt_destroy_streams(int device);

#endif
