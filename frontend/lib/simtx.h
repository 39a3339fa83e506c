/*
 * The simtx library: creates GPUs from configurations, loads PTX modules, launches kernels, reads statistics. There is
 * no global state: a process can have several GPUs. A function that can fail returns a status; the message is
 * simtx_last_message() of the GPU, or goes to the `message` argument.
 *
 * Device memory is a reserved range of host addresses: the host can access device addresses directly. Only one thread
 * at a time may call functions on a GPU.
 */
#ifndef SIMTX_H
#define SIMTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMTX_VERSION "0.1.0"

typedef enum simtx_status {
    SIMTX_OK = 0,
    SIMTX_INVALID_ARGUMENT,
    SIMTX_OUT_OF_MEMORY,         /* device memory, or host memory for it */
    SIMTX_INVALID_PTX,           /* syntax errors or unsupported features; the message lists all of them */
    SIMTX_NOT_FOUND,             /* no such kernel, symbol, file */
    SIMTX_INVALID_LAUNCH,        /* invalid grid, block, shared memory or arguments */
    SIMTX_LAUNCH_OUT_OF_RESOURCES, /* the block needs more registers, shared memory or threads than an SM has */
    SIMTX_INVALID_CONFIG,
    SIMTX_FAULT,                 /* a kernel faulted; see simtx_fault */
    SIMTX_INTERRUPTED,           /* simtx_interrupt() was called */
    SIMTX_NOT_SUPPORTED,
    SIMTX_INVALID_ADDRESS,       /* not an address of device memory, or not the start of an allocation */
    SIMTX_HANG,                  /* timing mode: a kernel makes no progress; the message is a report on all waits */
    SIMTX_INTERNAL,              /* timing mode: a conservation law is violated, an error in simtx */
    SIMTX_NOT_WRITTEN,           /* a file could not be written */
    SIMTX_INVALID_CLUSTER        /* a launch with clusters of a size that the kernel, the grid or the GPU rules out */
} simtx_status;

const char *simtx_status_name(simtx_status s);

typedef struct simtx_config simtx_config;
typedef struct simtx_gpu simtx_gpu;
typedef struct simtx_module simtx_module;
typedef struct simtx_kernel simtx_kernel;

typedef struct simtx_dim3 { uint32_t x, y, z; } simtx_dim3;

/* ---- configuration (configs/, keys by `simtx config list`) ---- */
simtx_config *simtx_config_new(void);                             /* all defaults */
void simtx_config_free(simtx_config *c);
/* Loads a preset by name ("gtx480", from the installed configs directory) or a file by path over the configuration. On
 * failure *message (may be NULL) gets a malloc'ed text with file:line. */
simtx_status simtx_config_load(simtx_config *c, const char *name_or_path, char **message);
/* "key=value" */
simtx_status simtx_config_set(simtx_config *c, const char *assignment, char **message);
/* The value as text (a buffer in c); NULL = unknown key. */
const char *simtx_config_get(const simtx_config *c, const char *key);

/* ---- GPU ---- */
/* index: 0 .. 15; each index has its own range of device addresses. *message as above. NULL on failure. */
simtx_gpu *simtx_gpu_new(const simtx_config *c, int index, char **message);
void simtx_gpu_free(simtx_gpu *g);
const char *simtx_last_message(const simtx_gpu *g);              /* of the last call that failed; "" = none */
/* Stops the running launch, or else the next one. The GPU can be used again afterwards. Async-signal-safe. */
void simtx_interrupt(simtx_gpu *g);

typedef struct simtx_gpu_info {
    const char *name;
    uint32_t sms, warp_size, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
    uint32_t registers_per_sm, registers_per_block;
    uint32_t shared_per_block, shared_per_block_optin, shared_per_sm, shared_reserved, const_bytes;
    uint32_t max_grid[3], max_block[3];
    uint32_t cc_major, cc_minor;      /* compute capability reported to programs */
    uint32_t core_mhz, memory_mhz, memory_bus_bits, l2_bytes;
    uint64_t memory_bytes, memory_free;
} simtx_gpu_info;
void simtx_gpu_get_info(const simtx_gpu *g, simtx_gpu_info *out);

/* ---- memory ---- */
enum { SIMTX_MEM_DEVICE, SIMTX_MEM_HOST, SIMTX_MEM_MANAGED };    /* kind, kept for pointer queries */
simtx_status simtx_malloc(simtx_gpu *g, size_t bytes, int kind, void **out);   /* 256-byte aligned, contents zero */
simtx_status simtx_free(simtx_gpu *g, void *p);                  /* p: the start of an allocation, or NULL */
simtx_status simtx_host_register(simtx_gpu *g, void *p, size_t bytes);   /* makes host memory accessible to kernels */
simtx_status simtx_host_unregister(simtx_gpu *g, void *p);
/* The allocation (or module variable) that contains p; false = none. Any out pointer may be NULL. */
bool simtx_mem_find(const simtx_gpu *g, const void *p, void **base, size_t *bytes, int *kind);
/* True when [p, p + bytes) lies inside one allocation. */
bool simtx_mem_valid(const simtx_gpu *g, const void *p, size_t bytes);
/* Sets [p, p + bytes), inside one allocation, to a byte value; zeros use no host memory. With dram.bulk, in timing
 * mode, this and simtx_mem_copy take simulated time. */
void simtx_mem_fill(simtx_gpu *g, void *p, int value, size_t bytes);
/* Copies between two ranges of allocated device memory, which may overlap. */
void simtx_mem_copy(simtx_gpu *g, void *to, const void *from, size_t bytes);
/* True when p lies in the address range of this GPU, allocated or not. */
bool simtx_mem_in_range(const simtx_gpu *g, const void *p);

/*
 * The host has copied to these bytes of one allocation, as cudaMemcpy does: in timing mode with l2.copies they are in
 * L2 from now on. What the host merely writes through an address passes no cache.
 */
simtx_status simtx_after_copy_to_device(simtx_gpu *g, const void *device, size_t bytes);

/* Marks bytes that the host has written through an address as written (check.uninitialised). The functions that copy
 * and fill mark theirs. */
void simtx_mem_written(simtx_gpu *g, const void *device, size_t bytes);

/* The host is about to copy from these bytes of one allocation: a run that restores a saved state sets them now. */
void simtx_before_copy_from_device(simtx_gpu *g, void *device, size_t bytes);

/*
 * Declares [p, p + bytes), inside one allocation, as versioned: transactions under snapshot isolation read and write
 * versions of it (docs/versions.md). It remains so until the allocation is freed. Without versioned memory it has no
 * effect. SIMTX_OUT_OF_MEMORY: more regions than version.regions.
 */
simtx_status simtx_declare_versions(simtx_gpu *g, void *p, size_t bytes);

/* ---- modules and kernels ---- */
/* name: for messages. All errors are reported at once, as lines "name:line:col: error: ...", in simtx_last_message. */
simtx_status simtx_module_load(simtx_gpu *g, const char *ptx, size_t len, const char *name, simtx_module **out);
/* Several texts, linked as one module: extern functions and variables of one are resolved by the others. */
simtx_status simtx_module_load_many(simtx_gpu *g, const char *const *ptx, const size_t *len,
                                    const char *const *name, int n, simtx_module **out);
/* Modules loaded from now on have the variables for which the function returns memory of the host program there,
 * instead of in device memory. *written: an earlier load has initialised it. NULL ends this. */
typedef void *simtx_place_fn(void *ctx, const char *name, uint64_t bytes, bool *written);
void simtx_module_place(simtx_gpu *g, simtx_place_fn *place, void *ctx);
void simtx_module_unload(simtx_module *m);
simtx_kernel *simtx_module_kernel(simtx_module *m, const char *name);           /* NULL = not found */
simtx_kernel *simtx_module_kernel_at(simtx_module *m, int i);                   /* i-th kernel, NULL at the end */
bool simtx_module_symbol(simtx_module *m, const char *name, void **addr, size_t *bytes);

typedef struct simtx_param_info { uint32_t offset, size, align; const char *type; } simtx_param_info;
typedef struct simtx_kernel_info {
    const char *name;
    uint32_t registers;               /* 32-bit registers per thread */
    uint32_t shared_bytes;            /* static shared memory per block */
    uint32_t local_bytes;             /* local memory per thread, including calls of bounded depth */
    uint32_t const_bytes;             /* of the module */
    uint32_t param_bytes, nparams;
    const simtx_param_info *params;
    uint32_t max_threads;             /* largest block by .maxntid/.reqntid and registers */
    uint32_t ptx_version, sm;         /* 75 for 7.5, 70 for sm_70 */
    bool serial;                      /* blocks run in the order of one host thread (manual, Order) */
    bool grid_barrier;                /* it may wait at this_grid().sync() or cudaCGSynchronize() */
    simtx_dim3 cluster;               /* of .reqnctapercluster; 0 = not given */
    bool cluster_required;            /* it must be launched with clusters (.explicitcluster) */
    bool large_clusters;              /* allowed by simtx_kernel_allow_large_clusters */
} simtx_kernel_info;
void simtx_kernel_get_info(const simtx_kernel *k, simtx_kernel_info *out);
/* Resident blocks of this size per SM; 0 = a block does not fit. limit: the limiting resource (static text), may be
 * NULL. */
uint32_t simtx_occupancy(const simtx_kernel *k, uint32_t block_threads, size_t dynamic_shared, const char **limit);
/* Clusters of so many blocks that the GPU holds at once; 0 = such a cluster does not fit, or is too large. */
uint32_t simtx_active_clusters(const simtx_kernel *k, uint32_t block_threads, size_t dynamic_shared, uint32_t blocks);
/* Blocks of the largest cluster of a launch of the kernel: gpu.cluster_blocks, or gpu.cluster_blocks_optin with larger
 * ones allowed (cudaFuncAttributeNonPortableClusterSizeAllowed); at most .maxclusterrank. */
uint32_t simtx_largest_cluster(const simtx_kernel *k);
/* The shape of the kernel's clusters, as .reqnctapercluster gives it: launches have it, and no other. */
void simtx_kernel_set_cluster(simtx_kernel *k, simtx_dim3 shape);
void simtx_kernel_allow_large_clusters(simtx_kernel *k, bool allowed);
/* Required before a launch with more dynamic shared memory than the default limit (cudaFuncSetAttribute). */
simtx_status simtx_kernel_set_max_dynamic_shared(simtx_kernel *k, size_t bytes);
/*
 * Shared memory that an SM should have in launches of the kernel, in percent of the most it can have
 * (cudaFuncAttributePreferredSharedMemoryCarveout); SIMTX_CARVEOUT_AUTO: as much as its resident blocks need. Always
 * enough for a block. Without gpu.shared_carveouts it has no effect.
 */
enum { SIMTX_CARVEOUT_AUTO = -1, SIMTX_CARVEOUT_MOST = 100 };
simtx_status simtx_kernel_set_carveout(simtx_kernel *k, int percent);
/* Local memory per thread for calls of unknown depth, at most 512 KiB. */
void simtx_set_stack_limit(simtx_gpu *g, size_t bytes);
size_t simtx_get_stack_limit(const simtx_gpu *g);
void simtx_set_heap_limit(simtx_gpu *g, size_t bytes);           /* device malloc heap */
size_t simtx_get_heap_limit(const simtx_gpu *g);
/*
 * Bytes that later launches fetch into L2 when a sector misses there (cudaLimitMaxL2FetchGranularity): `bytes` rounded
 * up to 32, 64 or 128, at most 128. At first l2.fetch_bytes; always a line without l2.sectored and under a coherence
 * protocol; 0 = there is no L2. It changes timing mode only. Launches that wait in the queue run before it changes.
 */
simtx_status simtx_set_l2_fetch(simtx_gpu *g, size_t bytes);
size_t simtx_get_l2_fetch(const simtx_gpu *g);

/* ---- launch ---- */
typedef enum simtx_fault_kind {
    SIMTX_FAULT_NONE, SIMTX_FAULT_OUT_OF_BOUNDS, SIMTX_FAULT_USE_AFTER_FREE, SIMTX_FAULT_MISALIGNED,
    SIMTX_FAULT_WRONG_SPACE, SIMTX_FAULT_READ_ONLY, SIMTX_FAULT_BARRIER, SIMTX_FAULT_DEADLOCK,
    SIMTX_FAULT_STACK_OVERFLOW, SIMTX_FAULT_TRAP, SIMTX_FAULT_ASSERT, SIMTX_FAULT_BAD_CALL,
    SIMTX_FAULT_TRANSACTION, SIMTX_FAULT_MALLOC, SIMTX_FAULT_WARP, SIMTX_FAULT_TEXTURE,
    SIMTX_FAULT_RACE, SIMTX_FAULT_UNINITIALISED
} simtx_fault_kind;

typedef struct simtx_fault {
    simtx_fault_kind kind;
    char kernel[256];
    simtx_dim3 block, thread;
    uint32_t ptx_line;
    uint64_t address;
    char report[4096];                /* the complete report */
} simtx_fault;

/* Figures of one launch. thread_instructions counts the active lanes of each instruction. */
typedef struct simtx_launch_stats {
    uint64_t blocks, threads, warp_instructions, thread_instructions, barriers;
    uint64_t transactions;
    double seconds;                   /* host time */
    uint32_t host_threads;            /* number of host threads that executed blocks */
    uint64_t cycles;                  /* core cycles, in timing mode */
    uint64_t sampled_blocks;          /* of sim.sample: simulated blocks, and cycles are estimated; 0 = all blocks */
    double cycles_error;              /* half of the 95 % confidence interval of cycles, as a ratio */
} simtx_launch_stats;

typedef struct simtx_launch_params {
    simtx_dim3 grid, block;
    size_t dynamic_shared;
    const void *const *args;          /* one pointer per parameter, as for cudaLaunchKernel */
    const void *arg_buffer;           /* or all parameters in one buffer */
    size_t arg_buffer_bytes;
    uint64_t stream;                  /* of simtx_launch_async; 0 = the default stream */
    simtx_dim3 cluster;               /* blocks of a cluster; 0, 0, 0: those of the kernel, or none */
} simtx_launch_params;

/* Runs the kernel until it ends. stats and fault may be NULL. */
simtx_status simtx_launch(simtx_kernel *k, const simtx_launch_params *p, simtx_launch_stats *stats,
                          simtx_fault *fault);
/*
 * In timing mode, launches on different streams run concurrently: they are queued until simtx_synchronize, a launch on
 * the default stream, or a second launch on the same stream, and then run together. In functional mode, and on the
 * default stream, the kernel runs at once. Arguments are copied. The host must synchronize before it accesses device
 * memory, frees it or reads statistics. Errors of queued launches are returned by the call that runs them; that call
 * then does not start its own launch.
 */
simtx_status simtx_launch_async(simtx_kernel *k, const simtx_launch_params *p, simtx_fault *fault);
simtx_status simtx_synchronize(simtx_gpu *g, simtx_fault *fault);
/* Simulated time in nanoseconds; in timing mode from the core clock. */
uint64_t simtx_time(const simtx_gpu *g);
bool simtx_timing(const simtx_gpu *g);                           /* sim.mode = timing */
/* The function that gets the output of device printf; the default writes to stdout. */
void simtx_set_printf(simtx_gpu *g, void (*sink)(void *ctx, const char *text, size_t len), void *ctx);
/* The progress of a launch, reported several times per second. */
typedef struct simtx_progress {
    const char *kernel;
    uint64_t blocks_done, blocks, thread_instructions;
    double seconds;
    uint64_t cycles;                  /* core cycles of this launch, in timing mode; else 0 */
    uint64_t commits;                 /* transactions committed, in timing mode; else 0 */
} simtx_progress;
void simtx_set_progress(simtx_gpu *g, void (*fn)(void *ctx, const simtx_progress *p), void *ctx);
/* The function that gets warnings about kernels at their launches, and the reports of checks: lines, without the last
 * newline. NULL = none. */
void simtx_set_warning(simtx_gpu *g, void (*fn)(void *ctx, const char *text), void *ctx);

/* How many places (instructions of kernels; of races pairs of them) a check has reported: "memory", "barrier", "warp",
 * "races" or "uninitialised" (check.memory ...). */
unsigned simtx_check_places(const simtx_gpu *g, const char *check);

/* Statistics of all launches so far, as JSON (malloc'ed). */
char *simtx_stats_json(const simtx_gpu *g);
/* The same as a table (malloc'ed). */
char *simtx_stats_text(const simtx_gpu *g);
/*
 * Closes the timeline (trace.file), the time series (stats.window) and the profile (profile.file) of timing mode; later
 * launches are not recorded.
 * SIMTX_NOT_WRITTEN when a file could not be written. simtx_gpu_free closes them, too, but returns no status.
 */
simtx_status simtx_close_files(simtx_gpu *g);

/* ---- saved states (docs/saved-states.md) ---- */
/*
 * Writes the device's state to a file before the first launch of a kernel: point is "kernel:NAME",
 * "kernel:NAME,launch:N" (its first launch from number N on) or "launch:N". Launches before it run in functional mode.
 * Call before any other function on the GPU; message as above. From there on the process ends with a message and status
 * 1 when the state cannot be saved.
 */
simtx_status simtx_save_at(simtx_gpu *g, const char *point, const char *path, char **message);
bool simtx_point_valid(const char *point);
/*
 * The same calls of the same host program follow. Launches before the point are skipped: the host gets what it got when
 * the state was saved, and at the point the device has its state. The process ends with a message and status 1 when the
 * host makes other calls.
 */
simtx_status simtx_restore(simtx_gpu *g, const char *path, char **message);
/* Is the file whole, and can a GPU with this configuration restore it? */
simtx_status simtx_restore_check(const simtx_config *c, const char *path, char **message);
/* The program ends: true when the point has not been reached; nothing is saved then. */
bool simtx_saved_abandon(simtx_gpu *g);

/* ---- one call for everything: PTX text, kernel, arguments ---- */
/* Host buffers as arguments: IN and INOUT are copied to the device before the launch, OUT and INOUT back after it. */
typedef struct simtx_arg {
    enum { SIMTX_ARG_VALUE, SIMTX_ARG_IN, SIMTX_ARG_OUT, SIMTX_ARG_INOUT } kind;
    void *data;                       /* VALUE: the bytes of the parameter; else the host buffer */
    size_t bytes;
} simtx_arg;
/* config may be NULL (defaults). On failure *message (may be NULL) gets a malloc'ed text. */
simtx_status simtx_run_ptx(const simtx_config *config, const char *ptx, const char *kernel,
                           simtx_dim3 grid, simtx_dim3 block, size_t dynamic_shared,
                           const simtx_arg *args, int nargs, simtx_launch_stats *stats, char **message);

/* ---- PTX without a GPU ---- */
/* Parses and checks a text; *message (may be NULL) gets all errors and warnings. */
simtx_status simtx_ptx_check(const char *ptx, size_t len, const char *name, char **message);
/* The same for one of several texts that are linked: it may refer to functions and variables of the others. */
simtx_status simtx_ptx_check_part(const char *ptx, size_t len, const char *name, char **message);
/* What an assembler does to the code: gpu.combine_accesses, gpu.if_conversion, gpu.instruction_order = scheduled. */
enum { SIMTX_PTX_COMBINED = 1, SIMTX_PTX_IF_CONVERTED = 2, SIMTX_PTX_SCHEDULED = 4 };
/* The text of `simtx ptx info` and `simtx ptx list` (malloc'ed; NULL on failure), *message as above. changes: a sum of
 * the numbers above. */
char *simtx_ptx_info(const char *ptx, size_t len, const char *name, unsigned changes, bool json, char **message);
char *simtx_ptx_list(const char *ptx, size_t len, const char *name, unsigned changes, char **message);
/* Every supported instruction with its types and modifiers (malloc'ed). */
char *simtx_ptx_ops(bool markdown);
/* The opcodes of each latency class and pipeline of timing mode (malloc'ed). */
char *simtx_ptx_classes(bool markdown);

#ifdef __cplusplus
}
#endif
#endif
