/* Internals of the library: the GPU with its memory and modules, launches and their records. */
#ifndef FRONTEND_GPU_H
#define FRONTEND_GPU_H

#include <stdatomic.h>

#include "frontend/lib/simtx.h"
#include "base/hist.h"
#include "base/stats.h"
#include "configs/gpu.h"
#include "frontend/lib/stats_sample.h"
#include "memsys/l1/carveout.h"
#include "ptx/exec/check.h"
#include "ptx/program/program.h"
#include "timing/machine/machine.h"
#include "tm/core/shared_protocol.h"

struct sampling;
struct simtx_array;
struct trace;
struct series;
struct profile_log;
struct saved;

struct library_cfg {
#define CONFIG_ROWS "frontend/lib/config.def"
#include "base/config/config_fields.h"
};

/* Cycles of a launch of which only some blocks were simulated in timing mode; error: half of the 95 % confidence
 * interval, in cycles. */
struct sample_estimate { uint64_t blocks, of; double cycles, error; };

/* The statistics of one launch. The executor and the machine increment its counters. */
struct launch_record {
    char *kernel;
    bool timed;                      /* in timing mode */
    simtx_dim3 grid, block, cluster;
    const char *limit;               /* what limited the number of resident blocks, static text */
    simtx_fault_kind fault;
    simtx_status status;
    struct sample_estimate sample;   /* of = 0: all blocks were simulated */
    struct counters counters;
};

/* The sum of all launches of one kernel. */
struct kernel_total {
    char *kernel;
    uint64_t timed_launches;
    struct stats_sample sample;
    struct counters counters;
};

/* The resources of an SM that a block needs. */
struct block_need {
    const struct tm_shared_protocol *protocol;   /* if the kernel has transactions on shared memory; NULL = none */
    struct tm_block_resources tm;    /* resources for these transactions */
    uint32_t registers;              /* per thread, without those of transactions */
    uint64_t block_registers;        /* of the block, in total, in whole units */
    uint64_t own_shared;             /* bytes of shared memory of the kernel itself */
    uint64_t shared;                 /* bytes in total; 0 with own_shared > 0 = more than the SM has */
    uint64_t block_shared;           /* the same in whole units */
};

/* A launch that has passed all checks; in timing mode it waits in the queue. */
struct queued_launch {
    struct simtx_kernel *kernel;
    simtx_dim3 grid, block;
    simtx_dim3 cluster;              /* 1, 1, 1 = the launch has no clusters */
    bool explicit_cluster;
    uint32_t dynamic_shared;
    uint32_t resident;               /* most resident blocks per SM */
    const char *limit;
    uint32_t carveout;               /* bytes of shared memory that an SM should have, with gpu.shared_carveouts */
    struct block_need need;
    uint64_t stream;
    struct launch_record *record;    /* passes to the GPU when the launch has ended */
    struct launch la;
};

/* Copies and fills by the host that took simulated time (dram.bulk). bytes: of the targets; ns: their time. */
struct bulk_total { uint64_t copies, fills, rows_cloned, bytes_cloned, bytes_over_bus, reads, writes, ns; };

struct simtx_kernel {
    struct simtx_module *module;
    struct ptx_func *func;
    const struct code *code;
    simtx_param_info *params;
    uint32_t nparams, param_bytes;
    uint32_t max_dynamic_shared;
    simtx_dim3 cluster;              /* of .reqnctapercluster or __cluster_dims__; 0 = none */
    bool large_clusters;             /* they are allowed */
    int carveout;                    /* shared memory that an SM should have, in percent, or SIMTX_CARVEOUT_AUTO */
    bool warned;                     /* about effects that its transactions cannot roll back */
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
    struct gpu_cfg gpu;              /* this and the next four are copied from `config` */
    struct library_cfg cfg;
    struct sim_cfg sim;
    struct tm_cfg tm;
    struct carveouts carveouts;
    struct devmem *mem;
    char *param_buffer;
    struct simtx_module *modules;
    simtx_place_fn *place;           /* variables of modules in memory of the host program; NULL: none */
    void *place_ctx;
    struct tex_table *textures;      /* texture and surface objects */
    struct simtx_array *arrays;      /* CUDA arrays and levels of mipmapped arrays */
    enum lanes_isa isa;
    uint32_t threads;                /* host threads of functional mode */
    size_t stack_limit, heap_limit, heap_used;
    uint32_t l2_fetch;               /* l2.fetch_bytes, or what the program has set */
    bool heap_warned;                /* a message has said that the heap is full */
    struct grid_pool pool;           /* of launches in functional mode */
    struct launch_record *spare;     /* a record that was not kept */
    uint64_t launches;
    struct bulk_total bulk;
    uint64_t clock_ns;               /* simulated time; functional mode: a nanosecond per warp instruction of an SM */
    /* timing mode */
    struct sampling *sampling;       /* the launches that run in timing mode */
    struct saved *saved;             /* the state that is saved or restored, up to its point; NULL = none */
    struct machine *machine;         /* created at the first launch in timing mode */
    struct trace *trace;             /* the timeline; NULL = none */
    struct series *series;           /* the time series; NULL = none */
    struct profile_log *profile;     /* NULL = none */
    struct machine_plugins plugins;  /* of the machine; tests set them before the first launch */
    struct queued_launch *queue;     /* launches that will run concurrently */
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
    struct launch_record **records;  /* of the first stats.launches launches */
    uint32_t nrecords, records_cap;
    struct check_log *checks;        /* places that checks have reported */
    struct kernel_total *totals;     /* by kernel, in the order of their first launches */
    uint32_t ntotals, totals_cap;
};

enum { LAUNCH_QUEUE_MAX = 32 };      /* concurrent launches: CUDA guide, resident grids per device */

/* Sets the GPU's message (printf style) and returns the status. */
simtx_status gpu_fail(simtx_gpu *g, simtx_status s, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Sets *message to the text (malloc'ed), unless message is NULL. */
void gpu_message(char **message, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* allocation_units.c */
/* Registers that an SM allocates to a block of so many warps, with so many registers per thread. */
uint64_t allocated_registers(const struct gpu_cfg *c, uint64_t registers, uint32_t warps, uint32_t more);
/* Blocks of so many warps for which an SM has registers. */
uint64_t allocated_blocks(const struct gpu_cfg *c, uint64_t registers, uint32_t warps, uint32_t more);
/* The most registers per thread with which a block of so many warps fits. */
uint32_t allocated_most_registers(const struct gpu_cfg *c, uint32_t warps, uint32_t more);
/* The most warps of a block that fits. */
uint32_t allocated_most_warps(const struct gpu_cfg *c, uint64_t registers, uint32_t more);
/* Bytes of shared memory that an SM allocates to a block. */
uint64_t allocated_shared(const struct gpu_cfg *c, uint64_t bytes);

/* occupancy.c */
/* The address in shared memory at which dynamic shared memory begins. */
uint32_t kernel_dynamic_offset(const struct simtx_kernel *k);
/* Bytes of shared memory that the kernel can reach. */
uint64_t kernel_shared(const struct simtx_kernel *k, size_t dynamic_shared);
/* Checks the shape of the launch and that a block fits on an SM; sets o->need, resident and limit. */
simtx_status kernel_check(struct simtx_kernel *k, const simtx_launch_params *p, struct queued_launch *o);

/* launch.c */
void launch_fault(const struct launch *la, simtx_fault *f);

/* launch_record.c */
struct launch_record *launch_record_new(simtx_gpu *g, const struct queued_launch *o);
/* The launch has ended: completes its record, adds it to the total of the kernel, and keeps or frees it. stats gets a
 * summary; may be NULL. */
void launch_record_end(simtx_gpu *g, struct queued_launch *o, simtx_status status, double seconds,
                       simtx_launch_stats *stats);
void launch_record_free(struct launch_record *r);
void launch_records_free(simtx_gpu *g);

/* launch_timed.c: launches in timing mode. */
/* Opens the timeline, the time series and the profile; false with a message when one cannot be written. */
bool timed_open(simtx_gpu *g, char **message);
/* Does the kernel's next launch run in timing mode? */
bool timed_selected(const simtx_gpu *g, const struct simtx_kernel *k);
/* SIMTX_NOT_SUPPORTED when timing mode cannot run the kernel. */
simtx_status timed_check(struct simtx_kernel *k);
/* Reserves a queue entry and a buffer for the parameters of a launch. First runs the queued launches if the queue is
 * full or the launch must not run concurrently with them. */
simtx_status timed_reserve(simtx_gpu *g, uint64_t stream, char **params, simtx_fault *fault);
void timed_enqueue(simtx_gpu *g, const struct queued_launch *o);
/* Runs the queued launches concurrently. stats: of the last one. stats and fault may be NULL. */
simtx_status timed_flush(simtx_gpu *g, simtx_launch_stats *stats, simtx_fault *fault);
/* The host has copied to these device addresses; no launch waits. */
simtx_status timed_copied(simtx_gpu *g, const void *device, size_t bytes);
void timed_free(simtx_gpu *g);

/* bulk_copy.c: do copies and fills by the host take simulated time? A line about bulk copies, or "". */
bool bulk_timed(const simtx_gpu *g);
const char *bulk_text(const simtx_gpu *g, char *text, size_t size);

/* check.races or check.uninitialised is not off. */
static inline bool gpu_watches(const simtx_gpu *g)
{
    return g->cfg.check_races != CHECK_OFF || g->cfg.check_uninitialised != CHECK_OFF;
}

/* array.c, texture.c: free all arrays, all objects. */
void array_free_all(simtx_gpu *g);
void texture_free_all(simtx_gpu *g);

/* sampling.c: the launches that sim.detail selects. The text is one that the check of the configuration accepts. */
struct sampling *sampling_new(const char *text);
bool sampling_selects(const struct sampling *d, const char *kernel, uint64_t launch);
void sampling_free(struct sampling *d);

#endif
