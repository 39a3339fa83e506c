/* What the library's parts share: the GPU, its memory and modules, and the record of what was launched. */
#ifndef FRONTEND_GPU_H
#define FRONTEND_GPU_H

#include "frontend/simtx.h"
#include "ptx/program.h"

/* One launch as the statistics show it. */
struct launch_record {
    char *kernel;
    uint64_t index;
    simtx_dim3 grid, block;
    simtx_launch_stats stats;
    uint32_t registers, shared_bytes, local_bytes, dynamic_shared;
    uint32_t resident_per_sm;
    const char *limit;               /* what limited residency, static text */
    bool serial;                     /* one-thread order */
    bool relaxed;                    /* --threads-relaxed lifted it */
    simtx_fault_kind fault;
    simtx_status status;
};

/* All launches of one kernel added up. */
struct kernel_total {
    char *kernel;
    uint64_t launches;
    simtx_launch_stats sum;
};

struct simtx_kernel {
    struct simtx_module *module;
    struct ptx_func *func;
    const struct code *code;
    simtx_param_info *params;
    uint32_t nparams, param_bytes;
    uint32_t max_dynamic_shared;
};

struct simtx_module {
    struct simtx_module *next;
    simtx_gpu *gpu;
    struct program *program;
    struct simtx_kernel *kernels;
    uint32_t nkernels;
    uint32_t const_bytes;
};

struct simtx_gpu {
    simtx_config *config;            /* own copy */
    int index;
    simtx_gpu_info info;
    char *name;
    struct devmem *mem;
    char *param_buffer;
    struct simtx_module *modules;
    enum lanes_isa isa;
    bool independent;
    uint32_t threads;
    bool threads_relaxed;
    uint64_t quantum;
    size_t stack_limit, heap_limit, heap_used;
    uint64_t launches;
    uint64_t clock_ns;               /* simulated time: a nanosecond per warp instruction of the longest SM */
    volatile int interrupt;
    char *message;
    void (*print)(void *ctx, const char *text, size_t len);
    void *print_ctx;
    void (*progress)(void *ctx, const simtx_progress *p);
    void *progress_ctx;
    double progress_start, progress_last;
    const char *progress_kernel;
    struct launch_record *records;   /* the first launches, as many as stats.launches says */
    size_t nrecords, records_cap;
    struct kernel_total *totals;     /* by kernel, in the order of their first launches */
    size_t ntotals, totals_cap;
};

/* Sets the GPU's message (printf style) and returns the status. */
simtx_status gpu_fail(simtx_gpu *g, simtx_status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A configuration value as a number; 0 when there is no such key. */
uint64_t config_number(const simtx_config *c, const char *key);
double host_seconds(void);

#endif
