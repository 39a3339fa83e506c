/*
 * Some functions of libsimtx over the CUDA driver API, for tests that then run on a real GPU: libcuda.so.1 is loaded by
 * dlopen, and device memory is managed memory, which the host can access as it can access simtx's. A configuration is
 * ignored. There is one GPU, the first of the driver, with one context, which stays.
 *
 * Launches whose statistics are asked for are timed by events, `cycles` being nanoseconds times the clock that the
 * driver reports. Memory is then brought to the GPU before the launch, and its L2 holds other data.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/include/cuda.h"
#include "regress/gpu/library.h"

struct simtx_config { int nothing; };
struct block { CUdeviceptr at; size_t bytes; struct block *next; };
struct simtx_gpu {
    CUdevice device;
    CUcontext context;
    simtx_module *modules;
    struct block *blocks;
    CUdeviceptr flush;                           /* twice as large as L2 */
    size_t flush_bytes;
    double ghz;
    char name[128], message[8192], log[8192];
};
struct simtx_kernel { simtx_module *module; CUfunction function; struct simtx_kernel *next; };
struct simtx_module { simtx_gpu *gpu; CUmodule module; struct simtx_kernel *kernels; struct simtx_module *next; };

/* ---- the driver ---- */

#define DRIVER(f) f(Init, cuInit) f(GetErrorString, cuGetErrorString) f(DeviceGet, cuDeviceGet) \
    f(DeviceGetName, cuDeviceGetName) f(DeviceGetAttribute, cuDeviceGetAttribute) \
    f(CtxRetain, cuDevicePrimaryCtxRetain) f(CtxSetCurrent, cuCtxSetCurrent) f(CtxSynchronize, cuCtxSynchronize) \
    f(ModuleLoadDataEx, cuModuleLoadDataEx) f(ModuleUnload, cuModuleUnload) f(ModuleGetFunction, cuModuleGetFunction) \
    f(MemAllocManaged, cuMemAllocManaged) f(MemPrefetch, cuMemPrefetchAsync) f(MemAlloc, cuMemAlloc_v2) \
    f(MemFree, cuMemFree_v2) f(MemsetAsync, cuMemsetD8Async) f(MemsetD32, cuMemsetD32_v2) \
    f(MemcpyHtoD, cuMemcpyHtoD_v2) f(MemcpyDtoH, cuMemcpyDtoH_v2) f(LaunchKernel, cuLaunchKernel) \
    f(LaunchKernelEx, cuLaunchKernelEx) \
    f(LaunchCooperativeKernel, cuLaunchCooperativeKernel) f(Occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    f(EventCreate, cuEventCreate) f(EventRecord, cuEventRecord) f(EventSynchronize, cuEventSynchronize) \
    f(EventElapsedTime, cuEventElapsedTime) f(EventDestroy, cuEventDestroy_v2)

#define MEMBER(name, symbol) __typeof__(symbol) *name;
static struct { DRIVER(MEMBER) } driver;

static bool load_driver(char *message, size_t size)
{
    const char *path = getenv("LIBCUDA");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW), *missing = NULL;
    if (!library) {
        snprintf(message, size, "%s", dlerror());
        return false;
    }
#define LOAD(name, symbol)                                     \
    driver.name = (__typeof__(symbol) *)dlsym(library, #symbol); \
    missing = driver.name ? missing : (void *)#symbol;
    DRIVER(LOAD)
    if (missing)
        snprintf(message, size, "the driver has no %s", (const char *)missing);
    return !missing;
}

static simtx_status fail(simtx_gpu *g, const char *call, CUresult r)
{
    const char *text = NULL;
    driver.GetErrorString(r, &text);
    snprintf(g->message, sizeof g->message, "%s: %s%s%.8000s", call, text ? text : "unknown error", *g->log ? "\n" : "",
             g->log);
    return SIMTX_NOT_SUPPORTED;
}

#define TRY(g, call, ...)                                    \
    do {                                                     \
        CUresult r_ = driver.call(__VA_ARGS__);              \
        if (r_)                                              \
            return fail(g, "cu" #call, r_);                  \
    } while (0)

/* ---- configuration, GPU ---- */

simtx_config *simtx_config_new(void)
{
    return calloc(1, sizeof(simtx_config));
}

void simtx_config_free(simtx_config *c)
{
    free(c);
}

const char *simtx_config_get(const simtx_config *c, const char *key)
{
    return NULL;
}

simtx_status simtx_config_set(simtx_config *c, const char *assignment, char **message)
{
    return SIMTX_OK;
}

simtx_status simtx_config_load(simtx_config *c, const char *name, char **message)
{
    return SIMTX_OK;
}

static simtx_status open_gpu(simtx_gpu *g)
{
    int khz = 0, l2 = 0;
    TRY(g, Init, 0);
    TRY(g, DeviceGet, &g->device, 0);
    TRY(g, DeviceGetName, g->name, sizeof g->name, g->device);
    TRY(g, DeviceGetAttribute, &khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, g->device);
    TRY(g, DeviceGetAttribute, &l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, g->device);
    TRY(g, CtxRetain, &g->context, g->device);
    TRY(g, CtxSetCurrent, g->context);
    g->ghz = khz * 1e-6;
    g->flush_bytes = 2 * (size_t)l2;
    return SIMTX_OK;
}

simtx_gpu *simtx_gpu_new(const simtx_config *c, int index, char **message)
{
    simtx_gpu *g = calloc(1, sizeof *g);
    if (g && (driver.Init || load_driver(g->message, sizeof g->message)) && !open_gpu(g))
        return g;
    *message = strdup(g ? g->message : "out of memory");
    free(g);
    return NULL;
}

void simtx_gpu_free(simtx_gpu *g)
{
    if (!g)
        return;
    while (g->modules)
        simtx_module_unload(g->modules);
    while (g->blocks)
        simtx_free(g, (void *)(uintptr_t)g->blocks->at);
    if (g->flush)
        driver.MemFree(g->flush);
    free(g);
}

const char *simtx_last_message(const simtx_gpu *g)
{
    return g->message;
}

static uint32_t attribute(const simtx_gpu *g, CUdevice_attribute a)
{
    int value = 0;
    driver.DeviceGetAttribute(&value, a, g->device);
    return (uint32_t)value;
}

/* Name, SMs, threads of an SM, clock and compute capability; the other figures are 0. */
void simtx_gpu_get_info(const simtx_gpu *g, simtx_gpu_info *out)
{
    *out = (simtx_gpu_info){
        .name = g->name,
        .sms = attribute(g, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .max_threads_per_sm = attribute(g, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .cc_major = attribute(g, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        .cc_minor = attribute(g, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        .core_mhz = (uint32_t)(g->ghz * 1e3),
    };
}

/* ---- memory ---- */

simtx_status simtx_malloc(simtx_gpu *g, size_t bytes, int kind, void **out)
{
    struct block *b = calloc(1, sizeof *b);
    if (!b)
        return SIMTX_OUT_OF_MEMORY;
    b->bytes = bytes ? bytes : 1;
    CUresult r = driver.MemAllocManaged(&b->at, b->bytes, CU_MEM_ATTACH_GLOBAL);
    if (r) {
        free(b);
        return fail(g, "cuMemAllocManaged", r);
    }
    b->next = g->blocks;
    g->blocks = b;
    *out = (void *)(uintptr_t)b->at;
    memset(*out, 0, bytes);
    return SIMTX_OK;
}

simtx_status simtx_free(simtx_gpu *g, void *p)
{
    struct block **link = &g->blocks;
    while (*link && (*link)->at != (CUdeviceptr)(uintptr_t)p)
        link = &(*link)->next;
    if (*link) {
        struct block *b = *link;
        *link = b->next;
        free(b);
    }
    TRY(g, MemFree, (CUdeviceptr)(uintptr_t)p);
    return SIMTX_OK;
}

simtx_status simtx_after_copy_to_device(simtx_gpu *g, const void *device, size_t bytes)
{
    return SIMTX_OK;
}

simtx_status gpu_alloc(simtx_gpu *g, size_t bytes, uint64_t *out)
{
    CUdeviceptr p;
    TRY(g, MemAlloc, &p, bytes);
    *out = p;
    return SIMTX_OK;
}

simtx_status gpu_fill(simtx_gpu *g, uint64_t at, uint32_t value, size_t words)
{
    TRY(g, MemsetD32, at, value, words);
    return SIMTX_OK;
}

simtx_status gpu_copy_to(simtx_gpu *g, uint64_t at, const void *from, size_t bytes)
{
    TRY(g, MemcpyHtoD, at, from, bytes);
    return SIMTX_OK;
}

simtx_status gpu_copy_from(simtx_gpu *g, void *to, uint64_t from, size_t bytes)
{
    TRY(g, MemcpyDtoH, to, from, bytes);
    return SIMTX_OK;
}

/* ---- modules ---- */

simtx_status simtx_module_load(simtx_gpu *g, const char *ptx, size_t len, const char *name, simtx_module **out)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {g->log, (void *)sizeof g->log};
    CUmodule module;
    *g->log = 0;
    TRY(g, ModuleLoadDataEx, &module, ptx, 2, options, values);
    *g->log = 0;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return SIMTX_OUT_OF_MEMORY;
    **out = (simtx_module){g, module, NULL, g->modules};
    g->modules = *out;
    return SIMTX_OK;
}

void simtx_module_unload(simtx_module *m)
{
    if (!m)
        return;
    for (struct simtx_kernel *k = m->kernels, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    simtx_module **link = &m->gpu->modules;
    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    driver.ModuleUnload(m->module);
    free(m);
}

simtx_kernel *simtx_module_kernel(simtx_module *m, const char *name)
{
    simtx_kernel *k = calloc(1, sizeof *k);
    if (!k || driver.ModuleGetFunction(&k->function, m->module, name)) {
        free(k);
        return NULL;
    }
    k->module = m;
    k->next = m->kernels;
    m->kernels = k;
    return k;
}

/* No test that runs on a real GPU needs the variables of a module. */
bool simtx_module_symbol(simtx_module *m, const char *name, void **addr, size_t *bytes)
{
    return false;
}

/* ---- launches ---- */

static simtx_status prepare(simtx_gpu *g)
{
    for (struct block *b = g->blocks; b; b = b->next)
        TRY(g, MemPrefetch, b->at, b->bytes, g->device, NULL);
    if (!g->flush && g->flush_bytes)
        TRY(g, MemAlloc, &g->flush, g->flush_bytes);
    if (g->flush)
        TRY(g, MemsetAsync, g->flush, 0, g->flush_bytes, NULL);
    TRY(g, CtxSynchronize);
    return SIMTX_OK;
}

static simtx_status timed(simtx_kernel *k, const simtx_launch_params *p, bool measured, CUevent start, CUevent end,
                          float *ms)
{
    simtx_gpu *g = k->module->gpu;
    simtx_status s = measured ? prepare(g) : SIMTX_OK;
    if (s)
        return s;
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {p->cluster.x, p->cluster.y, p->cluster.z}};
    CUlaunchConfig c = {p->grid.x, p->grid.y, p->grid.z, p->block.x, p->block.y, p->block.z,
                        (unsigned)p->dynamic_shared, NULL, &cluster, p->cluster.x != 0};
    TRY(g, EventRecord, start, NULL);
    if (c.numAttrs)
        TRY(g, LaunchKernelEx, &c, k->function, (void **)p->args, NULL);
    else
        TRY(g, LaunchKernel, k->function, p->grid.x, p->grid.y, p->grid.z, p->block.x, p->block.y, p->block.z,
            (unsigned)p->dynamic_shared, NULL, (void **)p->args, NULL);
    TRY(g, EventRecord, end, NULL);
    TRY(g, EventSynchronize, end);
    TRY(g, CtxSynchronize);
    TRY(g, EventElapsedTime, ms, start, end);
    return SIMTX_OK;
}

simtx_status simtx_launch(simtx_kernel *k, const simtx_launch_params *p, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = k->module->gpu;
    CUevent start, end;
    float ms = 0;
    TRY(g, EventCreate, &start, 0);
    TRY(g, EventCreate, &end, 0);
    simtx_status s = timed(k, p, stats, start, end, &ms);
    driver.EventDestroy(start);
    driver.EventDestroy(end);
    if (stats)
        *stats = (simtx_launch_stats){.seconds = ms * 1e-3, .cycles = (uint64_t)(ms * 1e6 * g->ghz)};
    return s;
}

simtx_status gpu_start(simtx_kernel *k, const simtx_launch_params *p, bool resident)
{
    simtx_gpu *g = k->module->gpu;
    if (resident)
        TRY(g, LaunchCooperativeKernel, k->function, p->grid.x, p->grid.y, p->grid.z, p->block.x, p->block.y,
            p->block.z, (unsigned)p->dynamic_shared, NULL, (void **)p->args);
    else
        TRY(g, LaunchKernel, k->function, p->grid.x, p->grid.y, p->grid.z, p->block.x, p->block.y, p->block.z,
            (unsigned)p->dynamic_shared, NULL, (void **)p->args, NULL);
    return SIMTX_OK;
}

uint32_t simtx_occupancy(const simtx_kernel *k, uint32_t block_threads, size_t dynamic_shared, const char **limit)
{
    int blocks = 0;
    driver.Occupancy(&blocks, k->function, (int)block_threads, dynamic_shared);
    return (uint32_t)blocks;
}

/* The device's text goes to stdout. */
void simtx_set_printf(simtx_gpu *g, void (*sink)(void *ctx, const char *text, size_t len), void *ctx)
{
}
