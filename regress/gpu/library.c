/*
 * Some functions of libsimtx over the CUDA driver API, for tests that then run on a real GPU: libcuda.so.1 is loaded by
 * dlopen, and device memory is managed memory, which the host can access as it can access simtx's. A configuration is
 * ignored. There is one GPU, the first of the driver.
 *
 * Launches are timed by events: `cycles` are nanoseconds times the clock that the driver reports.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/include/cuda.h"
#include "frontend/lib/simtx.h"

struct simtx_config { int nothing; };
struct simtx_gpu { CUcontext context; simtx_module *modules; double ghz; char message[8192], log[8192]; };
struct simtx_kernel { simtx_module *module; CUfunction function; struct simtx_kernel *next; };
struct simtx_module { simtx_gpu *gpu; CUmodule module; struct simtx_kernel *kernels; struct simtx_module *next; };

/* ---- the driver ---- */

#define DRIVER(f) f(Init, cuInit) f(GetErrorString, cuGetErrorString) f(DeviceGet, cuDeviceGet) \
    f(DeviceGetName, cuDeviceGetName) f(DeviceGetAttribute, cuDeviceGetAttribute) f(CtxCreate, cuCtxCreate_v2) \
    f(CtxDestroy, cuCtxDestroy_v2) f(CtxSynchronize, cuCtxSynchronize) f(ModuleLoadDataEx, cuModuleLoadDataEx) \
    f(ModuleUnload, cuModuleUnload) f(ModuleGetFunction, cuModuleGetFunction) \
    f(MemAllocManaged, cuMemAllocManaged) f(MemFree, cuMemFree_v2) f(LaunchKernel, cuLaunchKernel) \
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
    CUdevice device;
    int khz = 0;
    char name[128];
    TRY(g, Init, 0);
    TRY(g, DeviceGet, &device, 0);
    TRY(g, DeviceGetName, name, sizeof name, device);
    TRY(g, DeviceGetAttribute, &khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
    TRY(g, CtxCreate, &g->context, 0, device);
    g->ghz = khz * 1e-6;
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
    driver.CtxDestroy(g->context);
    free(g);
}

const char *simtx_last_message(const simtx_gpu *g)
{
    return g->message;
}

/* ---- memory ---- */

simtx_status simtx_malloc(simtx_gpu *g, size_t bytes, int kind, void **out)
{
    CUdeviceptr p;
    TRY(g, MemAllocManaged, &p, bytes ? bytes : 1, CU_MEM_ATTACH_GLOBAL);
    *out = (void *)(uintptr_t)p;
    memset(*out, 0, bytes);
    return SIMTX_OK;
}

simtx_status simtx_free(simtx_gpu *g, void *p)
{
    TRY(g, MemFree, (CUdeviceptr)(uintptr_t)p);
    return SIMTX_OK;
}

simtx_status simtx_after_copy_to_device(simtx_gpu *g, const void *device, size_t bytes)
{
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

/* ---- launches ---- */

static simtx_status timed(simtx_kernel *k, const simtx_launch_params *p, CUevent start, CUevent end, float *ms)
{
    simtx_gpu *g = k->module->gpu;
    TRY(g, EventRecord, start, NULL);
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
    simtx_status s = timed(k, p, start, end, &ms);
    driver.EventDestroy(start);
    driver.EventDestroy(end);
    if (stats)
        *stats = (simtx_launch_stats){.seconds = ms * 1e-3, .cycles = (uint64_t)(ms * 1e6 * g->ghz)};
    return s;
}

/* The device's text goes to stdout. */
void simtx_set_printf(simtx_gpu *g, void (*sink)(void *ctx, const char *text, size_t len), void *ctx)
{
}
