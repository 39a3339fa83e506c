/*
 * The CUDA runtime library of simtx: state that its files share.
 *
 * Execution is synchronous in call order: a launch, copy or callback runs to its end inside the call that
 * asks for it, whatever its stream.  Every legal CUDA program sees one of its legal orders; only a program
 * whose host thread talks to a kernel while it runs (through mapped memory) would wait for ever, and is
 * reported as hung by the executor.  Errors keep CUDA's timing: a launch that faults returns success, the
 * next call that could synchronise returns the error, and from then on every call does until cudaDeviceReset
 * ("sticky").
 *
 * In timing mode launches on different streams run side by side: they wait in the GPU's queue until the first
 * call that is no launch.
 *
 * One mutex guards everything; the last error, the current device and the <<<>>> configuration are per
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

/* A pool of stream-ordered allocations; with synchronous execution it only keeps figures. */
struct CUmemPoolHandle_st {
    int device;
    unsigned long long release_threshold, used, used_high;
    bool no_reuse[3];                   /* the three reuse switches, which start switched on */
};

/* What an allocation was made by; the freeing function must match. */
enum rt_alloc_kind { RT_ALLOC_DEVICE, RT_ALLOC_HOST, RT_ALLOC_MANAGED, RT_ALLOC_REGISTERED };

struct rt_alloc {
    enum rt_alloc_kind kind;
    unsigned flags;                     /* of cudaHostAlloc, cudaHostRegister */
    size_t bytes;
    cudaMemPool_t pool;                 /* NULL when from none */
};

struct rt_device {
    simtx_gpu *gpu;                     /* NULL until first used */
    bool failed;                        /* it could not be made */
    simtx_gpu_info info;                /* valid once gpu is */
    bool queued;                        /* launches on streams may be waiting (timing mode) */
    cudaError_t pending;                /* error of a kernel that no call has returned yet */
    cudaError_t sticky;                 /* one that has been returned: every call returns it */
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
    int device_count;                   /* 0 until first asked */
    struct rt_device device[RT_MAX_DEVICES];
    struct ptrmap streams, events, pools;   /* live handles */
    bool blocking;                      /* CUDA_LAUNCH_BLOCKING: a launch returns its own error */
};

extern struct rt rt;
extern _Thread_local struct rt_thread rt_thread;

/* Every API function is `e = rt_enter*(); if (!e) e = work(); return rt_leave(e);`.
 * rt_enter locks, runs what is queued, and returns the sticky error of the current device; rt_enter_gpu also makes its
 * GPU; rt_enter_launch leaves the queue alone. */
cudaError_t rt_enter(void);
cudaError_t rt_enter_gpu(void);
cudaError_t rt_enter_launch(void);
cudaError_t rt_leave(cudaError_t e);
/* Lock only: for calls that do not touch the device and never return its errors. */
void rt_lock(void);
void rt_unlock(void);

int rt_device_count(void);
struct rt_device *rt_current(void);
/* Make the GPU of device i, if need be. */
cudaError_t rt_open(int i);
/* The device whose address range holds p; NULL when p is ordinary host memory. */
struct rt_device *rt_owner(const void *p);
/* cudaError_t for a failed library call that is not a launch. */
cudaError_t rt_status_error(simtx_status s);
/* One line on stderr, "simtx: ..." */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* launch.c: runs what is queued on all devices; its errors become pending ones */
void rt_run_queued(void);

/* memory.c */
cudaError_t rt_malloc(void **out, size_t bytes, enum rt_alloc_kind kind, unsigned flags, cudaMemPool_t pool);
void rt_free_all(struct rt_device *d);

/* copy.c: true when [p, p + bytes) is device memory that exists, or host memory */
bool rt_range_ok(const void *p, size_t bytes);

/* register.c */
cudaError_t rt_kernel(const void *host_function, simtx_kernel **out); /* of the current device */
int *rt_max_dynamic(const void *host_function); /* what was set for that kernel, 0 when nothing was */
cudaError_t rt_symbol(const void *host_variable, void **address, size_t *bytes);
void rt_unload_modules(int device);

/* stream.c */
bool rt_stream_ok(cudaStream_t s);
void rt_destroy_streams(int device);

#endif
