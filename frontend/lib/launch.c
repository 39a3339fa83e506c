/* Launches: preparation, execution in functional mode, and the calls of the executor. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "frontend/lib/gpu.h"
#include "frontend/lib/saved/saved.h"

_Static_assert((int)FAULT_UNINITIALISED == (int)SIMTX_FAULT_UNINITIALISED &&
               (int)FAULT_BARRIER == (int)SIMTX_FAULT_BARRIER,
               "the fault kinds of the executor and of simtx.h have the same values");

/* Hardware passes parameters of device functions in registers; here they are on the stack, so the limit is larger. */
enum { STACK_FACTOR = 4 };

static simtx_status gather_arguments(simtx_kernel *k, const simtx_launch_params *p, char *to)
{
    simtx_gpu *g = k->module->gpu;
    memset(to, 0, k->param_bytes + 64u < PARAM_MAX ? k->param_bytes + 64u : PARAM_MAX);
    if (p->arg_buffer) {
        if (p->arg_buffer_bytes < k->param_bytes)
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: the argument buffer has %zu bytes, the kernel takes %u",
                            k->func->name, p->arg_buffer_bytes, k->param_bytes);
        memcpy(to, p->arg_buffer, k->param_bytes);
        return SIMTX_OK;
    }
    if (k->nparams && !p->args)
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s takes %u arguments, none were given", k->func->name, k->nparams);
    for (uint32_t i = 0; i < k->nparams; i++)
        memcpy(to + k->params[i].offset, p->args[i], k->params[i].size);
    return SIMTX_OK;
}

/* ---- calls of the executor ---- */

static void print(void *owner, const char *text, size_t len)
{
    simtx_gpu *g = owner;
    saved_printed(g, text, len);
    if (g->print)
        g->print(g->print_ctx, text, len);
    else
        fwrite(text, 1, len, stdout);
}

/* Once for each GPU. */
static void warn_of_heap(simtx_gpu *g, uint64_t bytes)
{
    char text[200];
    if (g->heap_warned || !g->warning)
        return;
    g->heap_warned = true;
    snprintf(text, sizeof text, "malloc of %" PRIu64 " bytes in a kernel returns NULL: %" PRIu64 " of %zu bytes of the "
             "heap are in use (gpu.heap_mb, cudaLimitMallocHeapSize)", bytes, (uint64_t)g->heap_used, g->heap_limit);
    g->warning(g->warning_ctx, text);
}

static void *heap_alloc(void *owner, uint64_t bytes)
{
    simtx_gpu *g = owner;
    if (bytes > g->heap_limit || g->heap_used > g->heap_limit - bytes) {
        warn_of_heap(g, bytes);
        return NULL;
    }
    void *p = devmem_alloc(g->mem, bytes, 256, MEM_HEAP, NULL);
    g->heap_used += p ? (bytes ? bytes : 1) : 0;
    devmem_mark(g->mem, (uint64_t)(uintptr_t)p, bytes, true);
    saved_heap(g, p, bytes, true);
    return p;
}

static bool heap_free(void *owner, void *p)
{
    simtx_gpu *g = owner;
    const struct mem_range *r = devmem_find(g->mem, (uint64_t)(uintptr_t)p);
    if (!r || r->kind != MEM_HEAP || r->lo != (uint64_t)(uintptr_t)p)
        return false;
    g->heap_used -= r->hi - r->lo;
    saved_heap(g, p, 0, false);
    return devmem_release(g->mem, p);
}

static void progress(void *owner, uint64_t done, uint64_t total, uint64_t thread_instructions)
{
    static const double period = 0.1;
    simtx_gpu *g = owner;
    double now = g->progress ? host_seconds() : 0;
    if (!g->progress || now - g->progress_last < period)
        return;
    g->progress_last = now;
    simtx_progress p = { .kernel = g->progress_kernel, .blocks_done = done, .blocks = total,
                         .thread_instructions = thread_instructions, .seconds = now - g->progress_start };
    g->progress(g->progress_ctx, &p);
}

static void fill_launch(struct launch *la, simtx_kernel *k, const simtx_launch_params *p, const struct queued_launch *o,
                        const char *param)
{
    simtx_gpu *g = k->module->gpu;
    *la = (struct launch){
        .program = k->module->program,
        .code = k->code,
        .mem = g->mem,
        .textures = g->textures,
        .grid = { p->grid.x, p->grid.y, p->grid.z },
        .block = { p->block.x, p->block.y, p->block.z },
        .cluster = { o->cluster.x, o->cluster.y, o->cluster.z },
        .cluster_blocks = o->cluster.x * o->cluster.y * o->cluster.z,
        .explicit_cluster = o->explicit_cluster,
        .nblocks = (uint64_t)p->grid.x * p->grid.y * p->grid.z,
        .threads_per_block = p->block.x * p->block.y * p->block.z,
        .warp_size = g->info.warp_size,
        .dynamic_shared = (uint32_t)p->dynamic_shared,
        .shared_bytes = (uint32_t)kernel_shared(k, p->dynamic_shared),
        .dynamic_offset = kernel_dynamic_offset(k),
        .param = param,
        .param_bytes = k->param_bytes,
        .resident = o->resident * g->info.sms,
        .sms = g->info.sms,
        .stack_bytes = g->stack_limit * STACK_FACTOR,
        .quantum = g->cfg.quantum,
        .block_quantum = 1 << 18,
        .grid_id = g->launches++,
        .clock_base = g->clock_ns,
        .host_threads = g->cfg.check_uninitialised == CHECK_OFF ? g->threads : 1,
        .threads_after = g->cfg.threads_after,
        .serial = k->code->exclusive || (k->code->serial && !g->cfg.threads_relaxed),
        .check = { [CHECK_MEMORY] = (uint8_t)g->cfg.check_memory, [CHECK_BARRIER] = (uint8_t)g->cfg.check_barrier,
                   [CHECK_WARP] = (uint8_t)g->cfg.check_warp, [CHECK_RACES] = (uint8_t)g->cfg.check_races,
                   [CHECK_UNINITIALISED] = (uint8_t)g->cfg.check_uninitialised },
        .watched = gpu_watches(g),
        .checks = g->checks,
        .interrupt = &g->interrupt,
        .owner = g,
        .print = print,
        .heap_alloc = heap_alloc,
        .heap_free = heap_free,
        .progress = progress,
        .count = o->record->counters.count,
        .pool = &g->pool,
    };
    la->nwarps = (la->threads_per_block + la->warp_size - 1) / la->warp_size;
    la->shared_reserved = o->need.protocol ? (uint32_t)o->need.shared - la->shared_bytes : 0;
}

void launch_fault(const struct launch *la, simtx_fault *f)
{
    const struct fault *from = &la->fault;
    memset(f, 0, sizeof *f);
    f->kind = (simtx_fault_kind)from->kind;
    snprintf(f->kernel, sizeof f->kernel, "%s", from->func ? from->func->name : "");
    f->block = (simtx_dim3){ from->block[0], from->block[1], from->block[2] };
    f->thread = (simtx_dim3){ from->thread[0], from->thread[1], from->thread[2] };
    f->ptx_line = from->inst ? (uint32_t)from->inst->loc.line : 0;
    f->address = from->address;
    snprintf(f->report, sizeof f->report, "%s", from->text);
}

/* Checks a launch and writes its parameters into a buffer. */
static simtx_status prepare(simtx_kernel *k, const simtx_launch_params *p, char *params, struct queued_launch *o)
{
    *o = (struct queued_launch){ .kernel = k, .grid = p->grid, .block = p->block,
                           .dynamic_shared = (uint32_t)p->dynamic_shared, .stream = p->stream };
    simtx_gpu *g = k->module->gpu;
    simtx_status s = kernel_check(k, p, o);
    if (!s)
        s = gather_arguments(k, p, params);
    if (!s) {
        o->record = launch_record_new(g, o);
        fill_launch(&o->la, k, p, o, params);
    }
    return s;
}

static simtx_status run_functional(struct queued_launch *o, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = o->kernel->module->gpu;
    simtx_status s = SIMTX_OK;
    g->progress_start = g->progress_last = host_seconds();
    g->progress_kernel = o->kernel->func->name;
    bool skipped = saved_skips(g, o);
    if (!skipped)
        saved_launching(g, o);
    bool ok = skipped || grid_run(&o->la);
    if (!skipped)
        saved_launched(g, o);
    double seconds = host_seconds() - g->progress_start;
    g->clock_ns += o->la.count[STAT_WARP_INSTRUCTIONS] / g->info.sms + 1;
    if (!ok) {
        s = o->la.interrupted && !o->la.fault.kind ? SIMTX_INTERRUPTED : SIMTX_FAULT;
        g->interrupt = false;            /* further launches are possible */
        if (fault && s == SIMTX_FAULT)
            launch_fault(&o->la, fault);
        if (s == SIMTX_FAULT)
            gpu_fail(g, s, "%s", o->la.fault.text);
        else
            gpu_fail(g, s, "interrupted%s%s", o->la.where[0] ? "\n" : "", o->la.where);
    }
    launch_record_end(g, o, s, seconds, stats);
    return s;
}

/* In timing mode queues the launch; in functional mode runs it. */
static simtx_status start(simtx_kernel *k, const simtx_launch_params *p, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = k->module->gpu;
    bool timed = timed_selected(g, k);
    struct queued_launch o;
    char *params = g->param_buffer;
    saved_at_launch(g, k, timed);
    simtx_status s = timed ? timed_check(k) : timed_flush(g, NULL, fault);
    if (!s && timed)
        s = timed_reserve(g, p->stream, &params, fault);
    if (!s)
        s = prepare(k, p, params, &o);
    if (!s && timed && o.la.cluster_blocks > 1 && k->code->transactions)
        s = gpu_fail(g, SIMTX_NOT_SUPPORTED, "%s: timing mode does not support transactions in clusters of blocks; use "
                     "functional mode", k->func->name);
    if (!s && timed)
        timed_enqueue(g, &o);
    return s || timed ? s : run_functional(&o, stats, fault);
}

simtx_status simtx_launch(simtx_kernel *k, const simtx_launch_params *p, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = k->module->gpu;
    simtx_launch_params alone = *p;
    alone.stream = 0;
    if (fault)
        memset(fault, 0, sizeof *fault);
    simtx_status s = start(k, &alone, stats, fault);
    return s || !g->nqueue ? s : timed_flush(g, stats, fault);
}

simtx_status simtx_launch_async(simtx_kernel *k, const simtx_launch_params *p, simtx_fault *fault)
{
    if (fault)
        memset(fault, 0, sizeof *fault);
    return p->stream ? start(k, p, NULL, fault) : simtx_launch(k, p, NULL, fault);
}

simtx_status simtx_synchronize(simtx_gpu *g, simtx_fault *fault)
{
    if (fault)
        memset(fault, 0, sizeof *fault);
    return timed_flush(g, NULL, fault);
}
