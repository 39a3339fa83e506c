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
static uint32_t registers_of(const struct simtx_kernel *k, uint32_t threads)
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
    uint32_t by_registers = i->registers_per_block / registers_of(k, n) / i->warp_size * i->warp_size;
    return by_registers < n ? by_registers : n;
}

void simtx_kernel_get_info(const simtx_kernel *k, simtx_kernel_info *out)
{
    const struct ptx_module *m = k->func->module;
    *out = (simtx_kernel_info){
        .name = k->func->name,
        .registers = registers_of(k, 0),
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
    uint64_t shared = static_shared(k) + dynamic_shared, regs = (uint64_t)registers_of(k, block_threads) * warps * ws;
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
                        k->func->name, threads, *limit, registers_of(k, threads), p->dynamic_shared + static_shared(k));
    return SIMTX_OK;
}

static simtx_status gather_arguments(simtx_kernel *k, const simtx_launch_params *p)
{
    simtx_gpu *g = k->module->gpu;
    memset(g->param_buffer, 0, k->param_bytes + 64u < PARAM_MAX ? k->param_bytes + 64u : PARAM_MAX);
    if (p->arg_buffer) {
        if (p->arg_buffer_bytes < k->param_bytes)
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: the argument buffer has %zu bytes, the kernel takes %u",
                            k->func->name, p->arg_buffer_bytes, k->param_bytes);
        memcpy(g->param_buffer, p->arg_buffer, k->param_bytes);
        return SIMTX_OK;
    }
    if (k->nparams && !p->args)
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s takes %u arguments, none were given", k->func->name, k->nparams);
    for (uint32_t i = 0; i < k->nparams; i++)
        memcpy(g->param_buffer + k->params[i].offset, p->args[i], k->params[i].size);
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
    simtx_progress p = { g->progress_kernel, done, total, thread_instructions, now - g->progress_start };
    g->progress(g->progress_ctx, &p);
}

static void fill_launch(struct launch *la, simtx_kernel *k, const simtx_launch_params *p, uint32_t resident)
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
        .param = g->param_buffer,
        .param_bytes = k->param_bytes,
        .resident = resident * g->info.sms,
        .sms = g->info.sms,
        .stack_bytes = g->stack_limit * STACK_FACTOR,
        .quantum = g->quantum ? g->quantum : 1 << 14,
        .block_turn = 1 << 18,
        .grid_id = g->launches,
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

static void fill_fault(const struct launch *la, simtx_fault *f)
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

static void *grown(void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    *cap = *cap ? *cap * 2 : 16;
    void *p = realloc(array, *cap * size);
    if (!p)
        abort();
    return p;
}

static void add_to_total(simtx_gpu *g, const char *kernel, const simtx_launch_stats *s)
{
    size_t i = 0;
    while (i < g->ntotals && strcmp(g->totals[i].kernel, kernel))
        i++;
    if (i == g->ntotals) {
        g->totals = grown(g->totals, g->ntotals, &g->totals_cap, sizeof *g->totals);
        g->totals[g->ntotals++] = (struct kernel_total){ .kernel = strdup(kernel) };
    }
    struct kernel_total *t = &g->totals[i];
    t->launches++;
    t->sum.blocks += s->blocks;
    t->sum.threads += s->threads;
    t->sum.warp_instructions += s->warp_instructions;
    t->sum.thread_instructions += s->thread_instructions;
    t->sum.barriers += s->barriers;
    t->sum.transactions += s->transactions;
    t->sum.seconds += s->seconds;
}

static void record(simtx_kernel *k, const simtx_launch_params *p, const struct launch *la, const simtx_launch_stats *s,
                   uint32_t resident, const char *limit, simtx_status status)
{
    simtx_gpu *g = k->module->gpu;
    add_to_total(g, k->func->name, s);
    if (g->nrecords >= config_number(g->config, "stats.launches"))
        return;
    g->records = grown(g->records, g->nrecords, &g->records_cap, sizeof *g->records);
    g->records[g->nrecords++] = (struct launch_record){
        .kernel = strdup(k->func->name),
        .index = la->grid_id,
        .grid = p->grid,
        .block = p->block,
        .stats = *s,
        .registers = registers_of(k, la->threads_per_block),
        .shared_bytes = static_shared(k),
        .local_bytes = k->code->local_total,
        .dynamic_shared = (uint32_t)p->dynamic_shared,
        .resident_per_sm = resident,
        .limit = limit,
        .serial = la->serial,
        .relaxed = k->code->serial && !la->serial,
        .fault = status == SIMTX_FAULT ? (simtx_fault_kind)la->fault.kind : SIMTX_FAULT_NONE,
        .status = status,
    };
}

simtx_status simtx_launch(simtx_kernel *k, const simtx_launch_params *p, simtx_launch_stats *stats, simtx_fault *fault)
{
    simtx_gpu *g = k->module->gpu;
    uint32_t resident = 0;
    const char *limit = NULL;
    struct launch la;
    simtx_status s = check_shape(k, p);
    if (!s)
        s = check_resources(k, p, &resident, &limit);
    if (!s)
        s = gather_arguments(k, p);
    if (s)
        return s;
    fill_launch(&la, k, p, resident);
    g->progress_start = g->progress_last = host_seconds();
    g->progress_kernel = k->func->name;
    bool ok = grid_run(&la);
    simtx_launch_stats st = {
        .blocks = la.counts.blocks_done,
        .threads = la.counts.blocks_done * la.threads_per_block,
        .warp_instructions = la.counts.warp_instructions,
        .thread_instructions = la.counts.thread_instructions,
        .barriers = la.counts.barriers,
        .transactions = la.counts.transactions,
        .seconds = host_seconds() - g->progress_start,
        .host_threads = la.host_threads,
    };
    g->launches++;
    g->clock_ns += st.warp_instructions / g->info.sms + 1;
    if (stats)
        *stats = st;
    if (fault)
        memset(fault, 0, sizeof *fault);
    if (!ok) {
        s = la.interrupted && !la.fault.kind ? SIMTX_INTERRUPTED : SIMTX_FAULT;
        g->interrupt = 0;                /* it has been heeded: the GPU can be used again */
        if (fault && s == SIMTX_FAULT)
            fill_fault(&la, fault);
        gpu_fail(g, s, "%s", s == SIMTX_FAULT ? la.fault.text : "interrupted");
    }
    record(k, p, &la, &st, resident, limit, s);
    return s;
}

/* ---- the plain call ---- */

static simtx_status copy_in(simtx_gpu *g, const simtx_arg *args, int n, void **device, const void **pointers)
{
    for (int i = 0; i < n; i++) {
        pointers[i] = args[i].kind == SIMTX_ARG_VALUE ? args[i].data : &device[i];
        if (args[i].kind == SIMTX_ARG_VALUE)
            continue;
        simtx_status s = simtx_malloc(g, args[i].bytes, SIMTX_MEM_DEVICE, &device[i]);
        if (s)
            return s;
        if (args[i].kind != SIMTX_ARG_OUT)
            memcpy(device[i], args[i].data, args[i].bytes);
    }
    return SIMTX_OK;
}

static simtx_status check_args(simtx_gpu *g, const simtx_kernel *k, const simtx_arg *args, int n)
{
    if ((uint32_t)n != k->nparams)
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s takes %u arguments, %d were given", k->func->name, k->nparams, n);
    for (int i = 0; i < n; i++) {
        size_t have = args[i].kind == SIMTX_ARG_VALUE ? args[i].bytes : sizeof(void *);
        if (have != k->params[i].size)
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: argument %d has %zu bytes, the parameter %u", k->func->name, i,
                            have, k->params[i].size);
    }
    return SIMTX_OK;
}

static simtx_status run_in(simtx_gpu *g, const char *ptx, const char *kernel, const simtx_launch_params *shape,
                           const simtx_arg *args, int nargs, simtx_launch_stats *stats)
{
    simtx_module *m;
    simtx_status s = simtx_module_load(g, ptx, strlen(ptx), "<ptx>", &m);
    if (s)
        return s;
    simtx_kernel *k = simtx_module_kernel(m, kernel);
    if (!k)
        return gpu_fail(g, SIMTX_NOT_FOUND, "the module has no kernel '%s'", kernel);
    void **device = calloc((size_t)nargs + 1, sizeof *device);
    const void **pointers = calloc((size_t)nargs + 1, sizeof *pointers);
    s = device && pointers ? check_args(g, k, args, nargs) : SIMTX_OUT_OF_MEMORY;
    if (!s)
        s = copy_in(g, args, nargs, device, pointers);
    if (!s) {
        simtx_launch_params p = *shape;
        p.args = pointers;
        s = simtx_launch(k, &p, stats, NULL);
    }
    for (int i = 0; i < nargs && !s; i++)
        if (args[i].kind == SIMTX_ARG_OUT || args[i].kind == SIMTX_ARG_INOUT)
            memcpy(args[i].data, device[i], args[i].bytes);
    free(device);
    free(pointers);
    return s;
}

simtx_status simtx_run_ptx(const simtx_config *config, const char *ptx, const char *kernel, simtx_dim3 grid,
                           simtx_dim3 block, size_t dynamic_shared, const simtx_arg *args, int nargs,
                           simtx_launch_stats *stats, char **message)
{
    simtx_config *own = config ? NULL : simtx_config_new();
    simtx_gpu *g = NULL;
    for (int i = 15; i >= 0 && !g; i--) {
        if (message) {
            free(*message);
            *message = NULL;
        }
        g = simtx_gpu_new(config ? config : own, i, message);
    }
    simtx_status s = SIMTX_OUT_OF_MEMORY;
    if (g) {
        simtx_launch_params shape = { .grid = grid, .block = block, .dynamic_shared = dynamic_shared };
        s = run_in(g, ptx, kernel, &shape, args, nargs, stats);
        if (s && message)
            *message = strdup(simtx_last_message(g));
        simtx_gpu_free(g);
    }
    simtx_config_free(own);
    return s;
}
