/* The GPU object: creation from a configuration, device memory, settings. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "consistency/protocols.h"
#include "frontend/lib/config_load.h"
#include "frontend/lib/gpu.h"
#include "frontend/lib/saved/saved.h"
#include "ptx/texture/texture.h"

simtx_status gpu_fail(simtx_gpu *g, simtx_status s, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    free(g->message);
    g->message = text;
    return s;
}

const char *simtx_last_message(const simtx_gpu *g)
{
    return g->message ? g->message : "";
}

const char *simtx_status_name(simtx_status s)
{
    static const char *const names[] = {
        [SIMTX_OK] = "ok",
        [SIMTX_INVALID_ARGUMENT] = "invalid argument",
        [SIMTX_OUT_OF_MEMORY] = "out of memory",
        [SIMTX_INVALID_PTX] = "invalid PTX",
        [SIMTX_NOT_FOUND] = "not found",
        [SIMTX_INVALID_LAUNCH] = "invalid launch",
        [SIMTX_LAUNCH_OUT_OF_RESOURCES] = "launch out of resources",
        [SIMTX_INVALID_CONFIG] = "invalid configuration",
        [SIMTX_FAULT] = "fault",
        [SIMTX_INTERRUPTED] = "interrupted",
        [SIMTX_NOT_SUPPORTED] = "not supported",
        [SIMTX_INVALID_ADDRESS] = "invalid address",
        [SIMTX_HANG] = "hang",
        [SIMTX_INTERNAL] = "internal error",
        [SIMTX_NOT_WRITTEN] = "file not written",
        [SIMTX_INVALID_CLUSTER] = "invalid cluster",
    };
    return (size_t)s < sizeof names / sizeof *names ? names[s] : "unknown status";
}

static void configure(struct library_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "frontend/lib/config.def"
#include "base/config/config_copy.h"
}

/* The cores that this process may use. */
static uint32_t host_cores(void)
{
    enum { MOST = 256 };                     /* as many as functional.threads may name */
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n > MOST ? MOST : (uint32_t)n;
}

static void fill_info(simtx_gpu *g)
{
    const struct gpu_cfg *c = &g->gpu;
    uint32_t major = (uint32_t)c->compute_capability;
    g->info = (simtx_gpu_info){
        .name = c->name, .sms = c->sms, .warp_size = c->warp_size,
        .max_threads_per_block = c->max_threads_per_block, .max_threads_per_sm = c->max_threads_per_sm,
        .max_blocks_per_sm = c->max_blocks_per_sm,
        .registers_per_sm = c->registers_per_sm, .registers_per_block = c->registers_per_sm,
        .shared_per_sm = c->shared_per_sm, .shared_per_block = c->shared_per_block,
        .shared_per_block_optin = c->shared_per_block_optin, .shared_reserved = c->shared_reserved,
        .const_bytes = 65536,
        .max_grid = { 0x7fffffff, 65535, 65535 },
        .max_block = { c->max_threads_per_block, c->max_threads_per_block, 64 },
        .cc_major = major, .cc_minor = (uint32_t)lround((c->compute_capability - major) * 10),
        .core_mhz = c->core_mhz, .memory_mhz = c->memory_mhz, .memory_bus_bits = c->memory_bus_bits,
        .l2_bytes = c->l2_kb * 1024, .memory_bytes = (uint64_t)c->memory_mb << 20
    };
}

void gpu_message(char **message, const char *fmt, ...)
{
    va_list ap;
    if (!message)
        return;
    va_start(ap, fmt);
    if (vasprintf(message, fmt, ap) < 0)
        *message = NULL;
    va_end(ap);
}

static bool pick_isa(simtx_gpu *g, char **message)
{
    const char *isa = config_text(g->config, KEY_HOST_ISA);
    g->isa = g->cfg.isa ? lanes_isa_find(isa) : lanes_best_isa();    /* the first choice is auto */
    if (g->isa == ISA_COUNT)
        gpu_message(message, "host.isa = %s: the host does not have these instructions; its widest are %s\n", isa,
                    lanes_isa_name(lanes_best_isa()));
    return g->isa != ISA_COUNT;
}

/* By errno. */
static void report_no_range(int index, char **message)
{
    double gib = (double)devmem_least_range() / (1 << 30);
    if (errno == EEXIST)
        gpu_message(message, "cannot reserve the address range of GPU %d: another GPU with this index exists in the "
                    "process\n", index);
    else
        gpu_message(message, "cannot reserve the address range of GPU %d, %g GiB at least: %s. Raise the limit of "
                    "addresses (ulimit -v); addresses alone take no memory\n", index, gib, strerror(errno));
}

simtx_gpu *simtx_gpu_new(const simtx_config *c, int index, char **message)
{
    enum { GPUS_MAX = 16 };
    if (index < 0 || index >= GPUS_MAX) {
        gpu_message(message, "GPU index %d is not in 0 .. %d\n", index, GPUS_MAX - 1);
        return NULL;
    }
    if (simtx_config_check(c, message))
        return NULL;
    simtx_gpu *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->config = simtx_config_copy(c);
    g->index = index;
    gpu_configure(&g->gpu, g->config);
    configure(&g->cfg, g->config);
    sim_configure(&g->sim, g->config);
    tm_configure(&g->tm, g->config);
    carveouts_configure(&g->carveouts, g->config);
    fill_info(g);
    g->checks = check_log_new();
    g->textures = tex_table_new();
    g->threads = g->cfg.threads ? g->cfg.threads : host_cores();
    g->stack_limit = g->gpu.stack_limit;
    g->heap_limit = (size_t)g->gpu.heap_mb << 20;
    g->l2_fetch = (uint32_t)config_int(g->config, KEY_L2_FETCH_BYTES);
    g->sampling = sampling_new(g->sim.detail);
    if (pick_isa(g, message) && timed_open(g, message)) {
        g->mem = devmem_new(index, g->info.memory_bytes);
        if (g->mem && g->cfg.check_uninitialised != CHECK_OFF)
            devmem_watch(g->mem);
        if (g->mem && g->gpu.packing == PACKING_PACKED)
            devmem_pack(g->mem);
        g->param_buffer = g->mem ? devmem_alloc(g->mem, PARAM_MAX, 256, MEM_PARAMETERS, "kernel parameters") : NULL;
        if (!g->param_buffer)
            report_no_range(index, message);
    }
    if (!g->param_buffer) {
        simtx_gpu_free(g);
        return NULL;
    }
    if (g->cfg.hash)
        devmem_hash_freed(g->mem);
    return g;
}

void simtx_gpu_free(simtx_gpu *g)
{
    if (!g)
        return;
    timed_flush(g, NULL, NULL);
    while (g->modules)
        simtx_module_unload(g->modules);
    timed_free(g);
    saved_free(g);
    array_free_all(g);
    texture_free_all(g);
    devmem_free(g->mem);
    launch_records_free(g);
    check_log_free(g->checks);
    grid_pool_free(&g->pool);
    simtx_config_free(g->config);
    free(g->message);
    free(g);
}

void simtx_interrupt(simtx_gpu *g)
{
    atomic_store_explicit(&g->interrupt, true, memory_order_relaxed);
}

void simtx_gpu_get_info(const simtx_gpu *g, simtx_gpu_info *out)
{
    *out = g->info;
    out->memory_free = g->info.memory_bytes - devmem_used(g->mem);
}

uint64_t simtx_time(const simtx_gpu *g)
{
    return g->clock_ns;
}

bool simtx_timing(const simtx_gpu *g)
{
    return g->sim.mode == SIM_MODE_TIMING;
}

void simtx_set_stack_limit(simtx_gpu *g, size_t bytes)
{
    enum { BYTES_MAX = 512 << 10 };  /* local memory per thread: compute capability tables of the CUDA guide */
    g->stack_limit = bytes < BYTES_MAX ? bytes : BYTES_MAX;
}

size_t simtx_get_stack_limit(const simtx_gpu *g)
{
    return g->stack_limit;
}

void simtx_set_heap_limit(simtx_gpu *g, size_t bytes)
{
    g->heap_limit = bytes;
}

size_t simtx_get_heap_limit(const simtx_gpu *g)
{
    return g->heap_limit;
}

simtx_status simtx_set_l2_fetch(simtx_gpu *g, size_t bytes)
{
    simtx_status s = timed_flush(g, NULL, NULL);
    if (s)
        return s;
    g->l2_fetch = bytes <= 32 ? 32 : bytes <= 64 ? 64 : 128;
    return SIMTX_OK;
}

size_t simtx_get_l2_fetch(const simtx_gpu *g)
{
    if (!config_int(g->config, KEY_L2_SLICE_KB))
        return 0;
    bool lines = !config_bool(g->config, KEY_L2_SECTORED) || coherence_of(g->config);
    return lines ? LINE_BYTES : g->l2_fetch;
}

void simtx_set_printf(simtx_gpu *g, void (*sink)(void *ctx, const char *text, size_t len), void *ctx)
{
    g->print = sink;
    g->print_ctx = ctx;
}

void simtx_set_progress(simtx_gpu *g, void (*fn)(void *ctx, const simtx_progress *p), void *ctx)
{
    g->progress = fn;
    g->progress_ctx = ctx;
}

void simtx_set_warning(simtx_gpu *g, void (*fn)(void *ctx, const char *text), void *ctx)
{
    g->warning = fn;
    g->warning_ctx = ctx;
}

unsigned simtx_check_places(const simtx_gpu *g, const char *check)
{
    static const char *const names[CHECKS] = { [CHECK_MEMORY] = "memory", [CHECK_BARRIER] = "barrier",
                                               [CHECK_WARP] = "warp", [CHECK_RACES] = "races",
                                               [CHECK_UNINITIALISED] = "uninitialised" };
    for (int c = 0; c < CHECKS; c++)
        if (!strcmp(names[c], check))
            return check_log_places(g->checks, (enum check)c);
    return 0;
}

/* ---- memory ---- */

static int kind_of(const struct mem_range *r)
{
    return r->kind == MEM_HOST || r->kind == MEM_EXTERNAL ? SIMTX_MEM_HOST
           : r->kind == MEM_MANAGED                       ? SIMTX_MEM_MANAGED
                                                          : SIMTX_MEM_DEVICE;
}

simtx_status simtx_malloc(simtx_gpu *g, size_t bytes, int kind, void **out)
{
    static const enum mem_kind kinds[] = { MEM_DEVICE, MEM_HOST, MEM_MANAGED };
    if (kind < SIMTX_MEM_DEVICE || kind > SIMTX_MEM_MANAGED)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "unknown kind of memory: %d", kind);
    *out = devmem_alloc(g->mem, bytes, 256, kinds[kind], NULL);
    if (!*out)
        return gpu_fail(g, SIMTX_OUT_OF_MEMORY,
                        "cannot allocate %zu bytes: %llu of %llu bytes are in use (gpu.memory_mb)", bytes,
                        (unsigned long long)devmem_used(g->mem), (unsigned long long)devmem_capacity(g->mem));
    if (kind == SIMTX_MEM_DEVICE)
        devmem_mark(g->mem, (uint64_t)(uintptr_t)*out, bytes, true);
    saved_allocated(g, *out, bytes, kind);
    return SIMTX_OK;
}

simtx_status simtx_free(simtx_gpu *g, void *p)
{
    const struct mem_range *r = p ? devmem_find(g->mem, (uint64_t)(uintptr_t)p) : NULL;
    bool ours = r && (r->kind == MEM_DEVICE || r->kind == MEM_HOST || r->kind == MEM_MANAGED);
    simtx_status s = timed_flush(g, NULL, NULL);
    if (s)
        return s;
    if (p && (!ours || !devmem_release(g->mem, p)))
        return gpu_fail(g, SIMTX_INVALID_ADDRESS, "%p is not the start of an allocation", p);
    if (p)
        saved_freed(g, p);
    return SIMTX_OK;
}

simtx_status simtx_host_register(simtx_gpu *g, void *p, size_t bytes)
{
    if (!p || !bytes || !devmem_register(g->mem, p, bytes))
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p .. +%zu is empty or overlaps an allocation or registered memory",
                        p, bytes);
    saved_excludes(g, "registered host memory");
    return SIMTX_OK;
}

simtx_status simtx_host_unregister(simtx_gpu *g, void *p)
{
    if (!devmem_unregister(g->mem, p))
        return gpu_fail(g, SIMTX_INVALID_ADDRESS, "%p was not registered", p);
    return SIMTX_OK;
}

bool simtx_mem_find(const simtx_gpu *g, const void *p, void **base, size_t *bytes, int *kind)
{
    const struct mem_range *r = devmem_find(g->mem, (uint64_t)(uintptr_t)p);
    if (!r)
        return false;
    if (base)
        *base = (void *)(uintptr_t)r->lo;
    if (bytes)
        *bytes = r->hi - r->lo;
    if (kind)
        *kind = kind_of(r);
    return true;
}

bool simtx_mem_valid(const simtx_gpu *g, const void *p, size_t bytes)
{
    uint64_t a = (uint64_t)(uintptr_t)p;
    const struct mem_range *r = devmem_find(g->mem, a);
    return r && bytes <= r->hi - a;
}

void simtx_mem_written(simtx_gpu *g, const void *device, size_t bytes)
{
    devmem_mark(g->mem, (uint64_t)(uintptr_t)device, bytes, false);
}

simtx_status simtx_after_copy_to_device(simtx_gpu *g, const void *device, size_t bytes)
{
    if (bytes && !simtx_mem_valid(g, device, bytes))
        return gpu_fail(g, SIMTX_INVALID_ADDRESS, "%p .. +%zu does not lie in one allocation", device, bytes);
    simtx_status s = timed_flush(g, NULL, NULL);
    simtx_mem_written(g, device, bytes);
    if (!s)
        saved_copied_in(g, device, bytes);
    return s ? s : timed_copied(g, device, bytes);
}

void simtx_before_copy_from_device(simtx_gpu *g, void *device, size_t bytes)
{
    saved_copying_out(g, device, bytes);
}

bool simtx_mem_in_range(const simtx_gpu *g, const void *p)
{
    return devmem_in_range(g->mem, (uint64_t)(uintptr_t)p);
}
