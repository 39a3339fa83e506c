/* What the library's parts share: the GPU, its memory and modules, and the record of what was launched. */
#ifndef FRONTEND_GPU_H
#define FRONTEND_GPU_H

#include <stdatomic.h>

#include "frontend/lib/simtx.h"
#include "base/hist.h"
#include "base/stats.h"
#include "configs/gpu.h"
#include "ptx/program/program.h"
#include "timing/machine/machine.h"
#include "tm/core/banks.h"

struct detail;
struct trace;
struct series;

struct library_cfg {
#define CONFIG_ROWS "frontend/lib/config.def"
#include "base/config_fields.h"
};

/* One launch as the statistics show it. Executor and machine count into its counters. */
struct launch_record {
    char *kernel;
    bool timed;                      /* in timing mode */
    simtx_dim3 grid, block;
    const char *limit;               /* what limited residency, static text */
    simtx_fault_kind fault;
    simtx_status status;
    struct counters counters;
};

/* All launches of one kernel added up. */
struct kernel_total {
    char *kernel;
    uint64_t timed_launches;
    struct counters counters;
};

/* What a block takes of an SM. */
struct block_need {
    const struct tm_banks *protocol; /* of transactions on shared memory, when the kernel has them; NULL = none */
    struct banks_need tm;            /* what those take beside */
    uint32_t registers;              /* a thread's own */
    uint64_t block_registers;        /* of a block, in all */
    uint64_t own_shared;             /* bytes of shared memory that the kernel itself takes */
    uint64_t shared;                 /* in all; 0 and own_shared > 0 = more than there is */
};

/* A launch that has passed all checks. */
struct ordered {
    struct simtx_kernel *kernel;
    simtx_dim3 grid, block;
    uint32_t dynamic_shared;
    uint32_t resident;               /* blocks of it that fit on an SM */
    const char *limit;
    struct block_need need;
    uint64_t stream;
    struct launch_record *record;    /* which becomes the GPU's when the launch has ended */
    struct launch la;
};

struct simtx_kernel {
    struct simtx_module *module;
    struct ptx_func *func;
    const struct code *code;
    simtx_param_info *params;
    uint32_t nparams, param_bytes;
    uint32_t max_dynamic_shared;
    bool warned;                     /* of what its transactions cannot undo */
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
    struct gpu_cfg gpu;              /* from `config`, as the next three */
    struct library_cfg cfg;
    struct sim_cfg sim;
    struct tm_cfg tm;
    struct devmem *mem;
    char *param_buffer;
    struct simtx_module *modules;
    enum lanes_isa isa;
    size_t stack_limit, heap_limit, heap_used;
    uint64_t launches;
    uint64_t clock_ns;               /* simulated time; functional mode: a nanosecond per warp instruction of an SM */
    /* timing mode */
    struct detail *detail;           /* which launches run in it */
    struct machine *machine;         /* made at the first launch in timing mode */
    struct trace *trace;             /* the timeline; NULL = none */
    struct series *series;           /* the time series; NULL = none */
    struct machine_plugins plugins;  /* of the machine: tests set them before the first launch */
    struct ordered *queue;           /* launches on streams that have not run yet, side by side when they do */
    uint32_t nqueue;
    char **param_buffers;            /* of queued launches; [0] = param_buffer */
    atomic_bool interrupt;
    char *message;
    void (*print)(void *ctx, const char *text, size_t len);
    void *print_ctx;
    void (*progress)(void *ctx, const simtx_progress *p);
    void *progress_ctx;
    void (*warning)(void *ctx, const char *text);
    void *warning_ctx;
    double progress_start, progress_last;
    const char *progress_kernel;
    struct launch_record **records;  /* the first launches, as many as stats.launches says */
    uint32_t nrecords, records_cap;
    struct kernel_total *totals;     /* by kernel, in the order of their first launches */
    uint32_t ntotals, totals_cap;
};

enum { QUEUE_MAX = 32 };             /* launches side by side: CUDA guide, resident grids per device */

/* Sets the GPU's message (printf style) and returns the status. */
simtx_status gpu_fail(simtx_gpu *g, simtx_status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* *message, when wanted: the text, malloc'ed. */
void gpu_message(char **message, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* occupancy.c */
/* Of a block of so many threads in the kernel's next launch. */
void kernel_need(const struct simtx_kernel *k, uint32_t threads, size_t dynamic_shared, struct block_need *n);
/* Bytes of shared memory that the kernel can reach. */
uint64_t kernel_shared(const struct simtx_kernel *k, size_t dynamic_shared);
/* Checks its shape and that it fits; fills in o->need, resident and limit. */
simtx_status kernel_check(struct simtx_kernel *k, const simtx_launch_params *p, struct ordered *o);

/* launch.c */
void launch_fault(const struct launch *la, simtx_fault *f);

/* launch_record.c */
struct launch_record *record_new(const struct ordered *o);
/* The launch has ended: completes its record, adds it up, and keeps it, or not. stats: a summary of it; may be NULL. */
void record_launch(simtx_gpu *g, struct ordered *o, simtx_status status, double seconds, simtx_launch_stats *stats);
void record_free(struct launch_record *r);
void records_free(simtx_gpu *g);

/* launch_timed.c: launches in timing mode. */
/* Opens the files that they write; false with a message when that cannot be. */
bool timed_open(simtx_gpu *g, char **message);
bool timed_wanted(const simtx_gpu *g, const struct simtx_kernel *k);
/* Can timing mode run it? If not it is refused: SIMTX_NOT_SUPPORTED. */
simtx_status timed_check(struct simtx_kernel *k);
/* Room for one more launch in the queue, with a buffer for its parameters; runs what is queued when there is none, or
 * when the launch must not run beside it. */
simtx_status timed_room(simtx_gpu *g, uint64_t stream, char **params, simtx_fault *fault);
void timed_queue(simtx_gpu *g, const struct ordered *o);
/* Runs what is queued. stats: of the last of them. Both may be NULL. */
simtx_status timed_flush(simtx_gpu *g, simtx_launch_stats *stats, simtx_fault *fault);
void timed_free(simtx_gpu *g);

/* sampling.c: sim.detail. NULL with a message when it cannot be understood. */
struct detail *detail_new(const char *text, char **message);
bool detail_selects(const struct detail *d, const char *kernel, uint64_t launch);
void detail_free(struct detail *d);

#endif
