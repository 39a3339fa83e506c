/* Launches: does the block fit, what is resident, running the grid, and the record of it. */
#include <stdlib.h>
#include <string.h>

#include "frontend/gpu.h"

_Static_assert((int)FAULT_HEAP == (int)SIMTX_FAULT_MALLOC && (int)FAULT_BARRIER == (int)SIMTX_FAULT_BARRIER,
               "the executor's fault kinds are the interface's");

/* Hardware passes parameters of device functions in registers; here they take stack, so the limit is stretched. */
enum { STACK_FACTOR = 4 };

/*
 * Registers a thread for blocks of `threads` (0 = any): kernel.NAME.registers, or our own count within what a compiler
 * for the machine would allow itself before it spills: the limit of the ISA, .maxnreg, and one block on an SM.
 */
uint32_t kernel_registers(const struct simtx_kernel *k, uint32_t threads)
{
    enum { ISA_MAX = 255 };
    const simtx_gpu_info *i = &k->module->gpu->info;
    char key[600];
    snprintf(key, sizeof key, "kernel.%s.registers", k->func->name);
    uint32_t n = (uint32_t)config_number(k->module->gpu->config, key);
    if (n)
        return n;
    n = k->code->registers ? k->code->registers : 1;
    uint32_t lanes = (threads + i->warp_size - 1) / i->warp_size * i->warp_size;
    uint32_t most = lanes && i->registers_per_sm / lanes < ISA_MAX ? i->registers_per_sm / lanes : ISA_MAX;
    if (k->func->maxnreg && k->func->maxnreg < most)
        most = k->func->maxnreg;
    return n < most ? n : most;
}

static uint32_t static_shared(const struct simtx_kernel *k)
{
    return k->code->shared_static;
}

static uint32_t product3(const uint32_t v[3])
{
    return (v[0] ? v[0] : 1) * (v[1] ? v[1] : 1) * (v[2] ? v[2] : 1);
}

static uint32_t max_threads(const struct simtx_kernel *k)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    uint32_t n = i->max_threads_per_block;
    if (k->func->maxntid[0] && product3(k->func->maxntid) < n)
        n = product3(k->func->maxntid);
    if (k->func->reqntid[0])
        n = product3(k->func->reqntid);
    uint32_t by_registers = i->registers_per_block / kernel_registers(k, n) / i->warp_size * i->warp_size;
    return by_registers < n ? by_registers : n;
}

void simtx_kernel_get_info(const simtx_kernel *k, simtx_kernel_info *out)
{
    const struct ptx_module *m = k->func->module;
    *out = (simtx_kernel_info){
        .name = k->func->name,
        .registers = kernel_registers(k, 0),
        .shared_bytes = static_shared(k),
        .local_bytes = k->code->local_total,
        .const_bytes = k->module->const_bytes,
        .param_bytes = k->param_bytes,
        .nparams = k->nparams,
        .params = k->params,
        .max_threads = max_threads(k),
        .ptx_version = (uint32_t)(m->version_major * 10 + m->version_minor),
        .sm = (uint32_t)m->sm,
        .serial = k->code->serial,
    };
}

uint32_t simtx_occupancy(const simtx_kernel *k, uint32_t block_threads, size_t dynamic_shared, const char **limit)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    char key[600];
    snprintf(key, sizeof key, "kernel.%s.ctas_per_sm", k->func->name);
    uint32_t pinned = (uint32_t)config_number(k->module->gpu->config, key);
    uint32_t ws = i->warp_size, warps = (block_threads + ws - 1) / ws;
    uint64_t shared = static_shared(k) + dynamic_shared, regs = (uint64_t)kernel_registers(k, block_threads) * warps * ws;
    const struct { const char *what; uint64_t n; } bounds[] = {
        { "blocks per SM", i->max_blocks_per_sm },
        { "threads per SM", warps ? i->max_threads_per_sm / (warps * ws) : 0 },
        { "registers", regs ? i->registers_per_sm / regs : UINT32_MAX },
        { "shared memory", shared ? i->shared_per_sm / shared : UINT32_MAX },
    };
    uint64_t least = UINT64_MAX;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        if (bounds[b].n < least) {
            least = bounds[b].n;
            if (limit)
                *limit = bounds[b].what;
        }
    if (pinned && least) {
        if (limit)
            *limit = "kernel.*.ctas_per_sm";
        return pinned;
    }
    return (uint32_t)least;
}

simtx_status simtx_kernel_set_max_dynamic_shared(simtx_kernel *k, size_t bytes)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    if (bytes + static_shared(k) > i->shared_per_block_optin)
        return gpu_fail(k->module->gpu, SIMTX_INVALID_ARGUMENT,
                        "%s: %zu bytes of dynamic and %u of static shared memory; a block may ask for %u", k->func->name,
                        bytes, static_shared(k), i->shared_per_block_optin);
    k->max_dynamic_shared = (uint32_t)bytes;
    return SIMTX_OK;
}

/* ---- checks before a launch ---- */

static simtx_status check_shape(simtx_kernel *k, const simtx_launch_params *p)
{
    simtx_gpu *g = k->module->gpu;
    const simtx_gpu_info *i = &g->info;
    const uint32_t grid[3] = { p->grid.x, p->grid.y, p->grid.z }, block[3] = { p->block.x, p->block.y, p->block.z };
    for (int d = 0; d < 3; d++) {
        if (!grid[d] || grid[d] > i->max_grid[d])
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: grid.%c = %u is not in 1 .. %u", k->func->name, 'x' + d, grid[d],
                            i->max_grid[d]);
        if (!block[d] || block[d] > i->max_block[d])
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: block.%c = %u is not in 1 .. %u", k->func->name, 'x' + d,
                            block[d], i->max_block[d]);
        if (k->func->reqntid[0] && block[d] != (k->func->reqntid[d] ? k->func->reqntid[d] : 1))
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: block.%c = %u, but .reqntid demands %u", k->func->name, 'x' + d,
                            block[d], k->func->reqntid[d]);
    }
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > i->max_threads_per_block)
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: a block of %llu threads; the GPU allows %u", k->func->name,
                        (unsigned long long)threads, i->max_threads_per_block);
    if (k->func->maxntid[0] && threads > product3(k->func->maxntid))
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: a block of %llu threads, but .maxntid (__launch_bounds__) allows %u",
                        k->func->name, (unsigned long long)threads, product3(k->func->maxntid));
    return SIMTX_OK;
}

static simtx_status check_resources(simtx_kernel *k, const simtx_launch_params *p, uint32_t *resident, const char **limit)
{
    simtx_gpu *g = k->module->gpu;
    const simtx_gpu_info *i = &g->info;
    uint32_t threads = p->block.x * p->block.y * p->block.z;
    uint32_t fixed = static_shared(k);
    bool plain = fixed <= i->shared_per_block && p->dynamic_shared <= i->shared_per_block - fixed;
    bool asked = k->max_dynamic_shared && p->dynamic_shared <= k->max_dynamic_shared;
    if (!plain && !asked)
        return gpu_fail(g, p->dynamic_shared ? SIMTX_INVALID_LAUNCH : SIMTX_LAUNCH_OUT_OF_RESOURCES,
                        "%s: %zu bytes of dynamic and %u of static shared memory; a block has %u%s", k->func->name,
                        p->dynamic_shared, static_shared(k), i->shared_per_block,
                        i->shared_per_block_optin > i->shared_per_block
                            ? " (more after cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize)"
                            : "");
    *resident = simtx_occupancy(k, threads, p->dynamic_shared, limit);
    if (!*resident)
        return gpu_fail(g, SIMTX_LAUNCH_OUT_OF_RESOURCES,
                        "%s: a block of %u threads does not fit on an SM: %s (%u registers a thread, %zu bytes of shared memory)",
                        k->func->name, threads, *limit, kernel_registers(k, threads), p->dynamic_shared + static_shared(k));
    return SIMTX_OK;
}

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

/* ---- what the executor asks of the GPU ---- */

static void print(void *owner, const char *text, size_t len)
{
    simtx_gpu *g = owner;
    if (g->print)
        g->print(g->print_ctx, text, len);
    else
        fwrite(text, 1, len, stdout);
}

static void *heap_alloc(void *owner, uint64_t bytes)
{
    simtx_gpu *g = owner;
    if (bytes > g->heap_limit || g->heap_used > g->heap_limit - bytes)
        return NULL;
    void *p = devmem_alloc(g->mem, bytes, 256, MEM_HEAP, NULL);
    g->heap_used += p ? (bytes ? bytes : 1) : 0;
    return p;
}

static bool heap_free(void *owner, void *p)
{
    simtx_gpu *g = owner;
    const struct mem_range *r = devmem_find(g->mem, (uint64_t)(uintptr_t)p);
    if (!r || r->kind != MEM_HEAP || r->lo != (uint64_t)(uintptr_t)p)
        return false;
    g->heap_used -= r->hi - r->lo;
    return devmem_release(g->mem, p);
}

static void progress(void *owner, uint64_t done, uint64_t total, uint64_t thread_instructions)
{
    static const double period = 0.1;
    simtx_gpu *g = owner;
    double now = host_seconds();
    if (!g->progress || now - g->progress_last < period)
        return;
    g->progress_last = now;
    simtx_progress p = { .kernel = g->progress_kernel, .blocks_done = done, .blocks = total,
                         .thread_instructions = thread_instructions, .seconds = now - g->progress_start };
    g->progress(g->progress_ctx, &p);
}

static void fill_launch(struct launch *la, simtx_kernel *k, const simtx_launch_params *p, uint32_t resident,
                        const char *param)
{
    simtx_gpu *g = k->module->gpu;
    *la = (struct launch){
        .program = k->module->program,
        .code = k->code,
        .mem = g->mem,
        .grid = { p->grid.x, p->grid.y, p->grid.z },
        .block = { p->block.x, p->block.y, p->block.z },
        .nblocks = (uint64_t)p->grid.x * p->grid.y * p->grid.z,
        .threads_per_block = p->block.x * p->block.y * p->block.z,
        .warp_size = g->info.warp_size,
        .dynamic_shared = (uint32_t)p->dynamic_shared,
        .shared_bytes = k->code->uses_dynamic ? k->module->program->dynamic_offset + (uint32_t)p->dynamic_shared
                                              : k->code->shared_static,
        .param = param,
        .param_bytes = k->param_bytes,
        .resident = resident * g->info.sms,
        .sms = g->info.sms,
        .stack_bytes = g->stack_limit * STACK_FACTOR,
        .quantum = g->quantum ? g->quantum : 1 << 14,
        .block_turn = 1 << 18,
        .grid_id = g->launches++,
        .clock_base = g->clock_ns,
        .host_threads = g->threads ? g->threads : 1,
        .serial = k->code->exclusive || (k->code->serial && !g->threads_relaxed),
        .interrupt = &g->interrupt,
        .owner = g,
        .print = print,
        .heap_alloc = heap_alloc,
        .heap_free = heap_free,
        .progress = progress,
    };
    la->nwarps = (la->threads_per_block + la->warp_size - 1) / la->warp_size;
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
static simtx_status prepare(simtx_kernel *k, const simtx_launch_params *p, char *params, struct ordered *o)
{
    *o = (struct ordered){ .kernel = k, .grid = p->grid, .block = p->block,
                           .dynamic_shared = (uint32_t)p->dynamic_shared, .stream = p->stream };
    simtx_status s = check_shape(k, p);
    if (!s)
        s = check_resources(k, p, &o->resident, &o->limit);
    if (!s)
        s = gather_arguments(k, p, params);
    if (!s)
        fill_launch(&o->la, k, p, o->resident, params);
    return s;
}

simtx_launch_stats launch_figures(const struct ordered *o, double seconds)
{
    const struct launch_counts *c = &o->la.counts;
    return (simtx_launch_stats){
        .blocks = c->blocks_done,
        .threads = c->blocks_done * o->la.threads_per_block,
        .warp_instructions = c->warp_instructions,
        .thread_instructions = c->thread_instructions,
        .barriers = c->barriers,
        .transactions = c->transactions,
        .seconds = seconds,
        .host_threads = o->la.host_threads,
    };
}

static simtx_status run_functional(struct ordered *o, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = o->kernel->module->gpu;
    simtx_status s = SIMTX_OK;
    g->progress_start = g->progress_last = host_seconds();
    g->progress_kernel = o->kernel->func->name;
    bool ok = grid_run(&o->la);
    simtx_launch_stats st = launch_figures(o, host_seconds() - g->progress_start);
    g->clock_ns += st.warp_instructions / g->info.sms + 1;
    if (stats)
        *stats = st;
    if (!ok) {
        s = o->la.interrupted && !o->la.fault.kind ? SIMTX_INTERRUPTED : SIMTX_FAULT;
        g->interrupt = 0;                /* it has been heeded: the GPU can be used again */
        if (fault && s == SIMTX_FAULT)
            launch_fault(&o->la, fault);
        gpu_fail(g, s, "%s", s == SIMTX_FAULT ? o->la.fault.text : "interrupted");
    }
    record_launch(g, o, &st, s, NULL);
    return s;
}

/* Queues the launch in timing mode; in functional mode it runs. */
static simtx_status start(simtx_kernel *k, const simtx_launch_params *p, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = k->module->gpu;
    bool timed = timed_wanted(g, k);
    struct ordered o;
    char *params = g->param_buffer;
    simtx_status s = timed ? timed_check(k) : timed_flush(g, NULL, fault);
    if (!s && timed)
        s = timed_room(g, p->stream, &params, fault);
    if (!s)
        s = prepare(k, p, params, &o);
    if (!s && timed)
        timed_queue(g, &o);
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
