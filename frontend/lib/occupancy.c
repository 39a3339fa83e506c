/*
 * Occupancy: the resources that a block needs, the number of resident blocks per SM, and the checks before a launch. A
 * kernel with transactions on shared memory needs additional resources (struct tm_block_resources). Resources are
 * allocated in units (allocation_units.c).
 */
#include <string.h>

#include "frontend/lib/gpu.h"
#include "base/num.h"
#include "tm/core/shared_protocol.h"

static uint32_t least(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static uint32_t product3(const uint32_t v[3])
{
    return (v[0] ? v[0] : 1) * (v[1] ? v[1] : 1) * (v[2] ? v[2] : 1);
}

static uint32_t lanes_of(const struct simtx_kernel *k, uint32_t threads)
{
    uint32_t ws = k->module->gpu->info.warp_size;
    return (threads + ws - 1) / ws * ws;
}

/* The value of kernel.NAME.key; 0 = unset. */
static uint32_t configured(const struct simtx_kernel *k, enum kernel_key key)
{
    int64_t n = 0;
    config_kernel_int(k->module->gpu->config, k->func->name, key, &n);
    return (uint32_t)n;
}

/* The protocol for transactions on shared memory of the kernel's next launch; NULL = none. */
static const struct tm_shared_protocol *protocol_of(const struct simtx_kernel *k)
{
    const simtx_gpu *g = k->module->gpu;
    bool tm = k->code->transactions && timed_selected(g, k);
    return tm ? tm_shared_protocols[g->tm.shared] : NULL;
}

static struct tm_block_resources shared_tm_need(const struct simtx_kernel *k, const struct tm_shared_protocol *p,
                                                uint32_t lanes, uint64_t shared)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    struct tm_block_resources n = { .threads = UINT32_MAX, .register_copies = 1, .blocks = UINT32_MAX };
    if (p)
        p->resources(k->module->gpu->config, least(shared, i->shared_per_sm + 1), lanes / i->warp_size, &n);
    return n;
}

/*
 * Registers per thread for blocks of so many lanes (0 = any): kernel.NAME.registers, or simtx's count, at most as many
 * as a compiler would use before it spills: the GPU's limit, .maxnreg, and one block per SM.
 */
static uint32_t own_registers(const struct simtx_kernel *k, uint32_t lanes, const struct tm_block_resources *tm)
{
    const struct gpu_cfg *c = &k->module->gpu->gpu;
    uint32_t n = configured(k, KEY_KERNEL_REGISTERS), most = c->registers_per_thread;
    if (n)
        return n;
    if (lanes)
        most = num_least(allocated_most_registers(c, lanes / c->warp_size, tm->registers) / tm->register_copies, most);
    if (k->func->maxnreg)
        most = least(k->func->maxnreg, most);
    n = least(k->code->registers, most);
    return n ? n : 1;
}

/* Also for a kernel without an unsized array: OpenCL compilers pass addresses of dynamic shared memory as arguments. */
uint32_t kernel_dynamic_offset(const struct simtx_kernel *k)
{
    return k->code->uses_dynamic ? k->module->program->dynamic_offset : k->code->shared_end;
}

uint64_t kernel_shared(const struct simtx_kernel *k, size_t dynamic)
{
    return (uint64_t)kernel_dynamic_offset(k) + dynamic;
}

/* The resources of a block with so many threads in the kernel's next launch. */
static void block_need_of(const struct simtx_kernel *k, uint32_t threads, size_t dynamic, struct block_need *n)
{
    uint64_t own = (uint64_t)k->code->shared_static + dynamic, reached = kernel_shared(k, dynamic);
    uint32_t lanes = lanes_of(k, threads);
    const struct tm_shared_protocol *p = protocol_of(k);
    own = p && own < reached ? reached : own;
    struct tm_block_resources tm = shared_tm_need(k, p, lanes, own);
    uint32_t registers = own_registers(k, lanes, &tm);
    const struct gpu_cfg *c = &k->module->gpu->gpu;
    uint64_t shared = p ? tm.shared : own;
    *n = (struct block_need){
        .protocol = p,
        .tm = tm,
        .registers = registers,
        .block_registers = allocated_registers(c, (uint64_t)registers * tm.register_copies, lanes / c->warp_size,
                                               tm.registers),
        .own_shared = own,
        .shared = shared,
        .block_shared = allocated_shared(c, shared),
    };
}

static uint32_t max_threads(const struct simtx_kernel *k)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    uint32_t n = i->max_threads_per_block;
    if (k->func->maxntid[0] && product3(k->func->maxntid) < n)
        n = product3(k->func->maxntid);
    if (k->func->reqntid[0])
        n = product3(k->func->reqntid);
    struct tm_block_resources tm = shared_tm_need(k, protocol_of(k), lanes_of(k, n), 0);
    n = least(n, tm.threads);
    uint64_t registers = (uint64_t)own_registers(k, lanes_of(k, n), &tm) * tm.register_copies;
    uint32_t warps = allocated_most_warps(&k->module->gpu->gpu, registers, tm.registers);
    return least((uint64_t)warps * i->warp_size, n);
}

void simtx_kernel_get_info(const simtx_kernel *k, simtx_kernel_info *out)
{
    const struct ptx_module *m = k->func->module;
    struct tm_block_resources any = shared_tm_need(k, NULL, 0, 0);
    *out = (simtx_kernel_info){
        .name = k->func->name,
        .registers = own_registers(k, 0, &any),
        .shared_bytes = k->code->shared_static,
        .local_bytes = k->code->local_total,
        .const_bytes = k->module->const_bytes,
        .param_bytes = k->param_bytes,
        .nparams = k->nparams,
        .params = k->params,
        .max_threads = max_threads(k),
        .ptx_version = (uint32_t)(m->version_major * 10 + m->version_minor),
        .sm = (uint32_t)m->sm,
        .serial = k->code->serial,
        .grid_barrier = k->code->grid_barrier,
        .cluster = k->cluster,
        .cluster_required = k->func->explicit_cluster,
        .large_clusters = k->large_clusters,
    };
}

/* Blocks of so many warps that the schedulers of an SM take: with core.block_on_one_scheduler each as many as it has
 * warp slots for (timing/core/sm_blocks.c). */
static uint64_t scheduler_blocks(const simtx_gpu *g, uint32_t warps)
{
    uint64_t schedulers = (uint64_t)config_int(g->config, KEY_CORE_SCHEDULERS);
    uint64_t slots = g->info.max_threads_per_sm / g->info.warp_size / schedulers;
    bool one = config_bool(g->config, KEY_CORE_BLOCK_ON_ONE_SCHEDULER) && warps && warps <= slots;
    return one ? schedulers * (slots / warps) : UINT64_MAX;
}

/* Shared memory of an SM for the kernel's blocks: what the program prefers, but enough for one of them, or the most. */
static uint32_t shared_capacity(const struct simtx_kernel *k, const struct block_need *n)
{
    const simtx_gpu *g = k->module->gpu;
    if (!g->carveouts.n || k->carveout == SIMTX_CARVEOUT_AUTO)
        return g->info.shared_per_sm;
    uint64_t preferred = ((uint64_t)g->info.shared_per_sm * (uint32_t)k->carveout + SIMTX_CARVEOUT_MOST - 1) /
                         SIMTX_CARVEOUT_MOST;
    return carveouts_choose(&g->carveouts, n->block_shared > preferred ? n->block_shared : preferred)->shared_bytes;
}

/* The number of resident blocks per SM; *limit: the resource that limits it. */
static uint32_t resident_blocks(const struct simtx_kernel *k, uint32_t threads, const struct block_need *n,
                                const char **limit)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    uint32_t lanes = lanes_of(k, threads), warps = lanes / i->warp_size;
    uint64_t registers = (uint64_t)n->registers * n->tm.register_copies;
    bool tm = n->protocol, too_much = n->own_shared && !n->shared;
    const struct { const char *what; uint64_t n; } bounds[] = {
        { "threads of a block (tm.shared)", threads > n->tm.threads ? 0 : UINT32_MAX },
        { "blocks per SM", i->max_blocks_per_sm },
        { "threads per SM", lanes ? i->max_threads_per_sm / lanes : 0 },
        { "warps of a scheduler", scheduler_blocks(k->module->gpu, warps) },
        { tm ? "registers (tm.shared)" : "registers",
          warps ? allocated_blocks(&k->module->gpu->gpu, registers, warps, n->tm.registers) : UINT32_MAX },
        { tm ? "shared memory (tm.shared)" : "shared memory",
          too_much ? 0 : n->block_shared ? shared_capacity(k, n) / n->block_shared : UINT32_MAX },
        { "blocks (tm.shared)", n->tm.blocks },
    };
    uint64_t blocks = UINT64_MAX;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        if (bounds[b].n < blocks) {
            blocks = bounds[b].n;
            *limit = bounds[b].what;
        }
    uint32_t fixed = configured(k, KEY_KERNEL_CTAS_PER_SM);
    if (fixed && blocks)
        *limit = "kernel.*.ctas_per_sm";
    return fixed && blocks ? fixed : (uint32_t)blocks;
}

uint32_t simtx_occupancy(const simtx_kernel *k, uint32_t block_threads, size_t dynamic_shared, const char **limit)
{
    const char *what;
    struct block_need n;
    block_need_of(k, block_threads, dynamic_shared, &n);
    return resident_blocks(k, block_threads, &n, limit ? limit : &what);
}

simtx_status simtx_kernel_set_max_dynamic_shared(simtx_kernel *k, size_t bytes)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    if (bytes + k->code->shared_static > i->shared_per_block_optin)
        return gpu_fail(k->module->gpu, SIMTX_INVALID_ARGUMENT,
                        "%s: %zu bytes of dynamic and %u of static shared memory; a block may have %u",
                        k->func->name, bytes, k->code->shared_static, i->shared_per_block_optin);
    k->max_dynamic_shared = (uint32_t)bytes;
    return SIMTX_OK;
}

simtx_status simtx_kernel_set_carveout(simtx_kernel *k, int percent)
{
    if (percent < SIMTX_CARVEOUT_AUTO || percent > SIMTX_CARVEOUT_MOST)
        return gpu_fail(k->module->gpu, SIMTX_INVALID_ARGUMENT, "%s: a carveout of %d percent; it may be 0 to 100",
                        k->func->name, percent);
    k->carveout = percent;
    return SIMTX_OK;
}

/* ---- checks before a launch ---- */

/* Explains a limit that transactions on shared memory cause. */
static const char *reason(const struct simtx_kernel *k, const struct block_need *n, enum tm_block_limit limit,
                          char *text, size_t size)
{
    *text = 0;
    if (n->protocol->explain_limit)
        n->protocol->explain_limit(k->module->gpu->config, limit, &n->tm, text, size);
    return text;
}

/* The threads of a block; x * y if this is already more than any limit. */
static uint64_t threads_of(simtx_dim3 d)
{
    uint64_t plane = (uint64_t)d.x * d.y;
    return plane > UINT32_MAX ? plane : plane * d.z;
}

static simtx_status check_threads(simtx_kernel *k, uint64_t threads)
{
    char why[300];
    struct block_need n;
    block_need_of(k, 1, 0, &n);
    if (!n.protocol || threads <= n.tm.threads)
        return SIMTX_OK;
    return gpu_fail(k->module->gpu, SIMTX_INVALID_LAUNCH,
                    "%s: a block of %llu threads; with tm.shared = %s a block that uses transactions has at most %u%s",
                    k->func->name, (unsigned long long)threads, n.protocol->name,
                    n.tm.threads, reason(k, &n, TM_LIMIT_THREADS, why, sizeof why));
}

static bool shared_within(const struct simtx_kernel *k, size_t dynamic, uint32_t limit)
{
    return k->code->shared_static <= limit && dynamic <= limit - k->code->shared_static;
}

/* The limit that programs raise is that of dynamic shared memory: ptxas rejects larger arrays. */
static bool too_much_static(const struct simtx_kernel *k)
{
    return k->code->shared_static > k->module->gpu->info.shared_per_block;
}

/* What allows blocks with this much dynamic shared memory, if anything does; every chip since compute capability 2.0
 * can give a block 48 KB. */
static const char *more_shared(const struct simtx_kernel *k, size_t dynamic)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    if (too_much_static(k) && i->shared_per_block < i->shared_per_block_optin)
        return "; no attribute raises this limit for static arrays: use dynamic shared memory (extern __shared__)";
    if (shared_within(k, dynamic, i->shared_per_block_optin))
        return "; cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) raises this limit";
    return shared_within(k, dynamic, 48 << 10) ? "; the overlay shared48 raises this to 49152: --config PRESET+shared48"
                                               : ", the most on this GPU (gpu.shared_per_block_optin)";
}

/* The shared memory that a block may have now, or the GPU's maximum if even that is too little. */
static uint32_t shared_limit(const struct simtx_kernel *k, size_t dynamic)
{
    const simtx_gpu_info *i = &k->module->gpu->info;
    uint32_t allowed = k->max_dynamic_shared ? k->max_dynamic_shared + k->code->shared_static : 0;
    if (too_much_static(k))
        return i->shared_per_block;
    if (!shared_within(k, dynamic, i->shared_per_block_optin))
        return i->shared_per_block_optin;
    return allowed > i->shared_per_block ? allowed : i->shared_per_block;
}

static const char *lack_of_shared(const struct simtx_kernel *k, size_t dynamic, char *text, size_t size)
{
    snprintf(text, size, "a block needs %zu bytes of dynamic and %u of static shared memory, but may have %u in all%s",
             dynamic, k->code->shared_static, shared_limit(k, dynamic), more_shared(k, dynamic));
    return text;
}

/* Why a program asks for a grid of no blocks, if the occupancy of the kernel is 0 (CUB multiplies the two). */
static const char *empty_grid(const simtx_kernel *k, const simtx_launch_params *p, char *text, size_t size)
{
    uint64_t threads = threads_of(p->block);
    const char *limit;
    char lack[250];
    *text = 0;
    if (threads && threads <= k->module->gpu->info.max_threads_per_block &&
        !simtx_occupancy(k, (uint32_t)threads, p->dynamic_shared, &limit))
        snprintf(text, size, "; its blocks of %u threads do not fit on an SM: %s", (uint32_t)threads,
                 strcmp(limit, "shared memory") ? limit : lack_of_shared(k, p->dynamic_shared, lack, sizeof lack));
    return text;
}

static simtx_status check_shape(simtx_kernel *k, const simtx_launch_params *p)
{
    simtx_gpu *g = k->module->gpu;
    const simtx_gpu_info *i = &g->info;
    const uint32_t grid[3] = { p->grid.x, p->grid.y, p->grid.z }, block[3] = { p->block.x, p->block.y, p->block.z };
    char why[300];
    for (int d = 0; d < 3; d++) {
        if (!grid[d] || grid[d] > i->max_grid[d])
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: grid.%c = %u is not in 1 .. %u%s", k->func->name, 'x' + d,
                            grid[d], i->max_grid[d], grid[d] ? "" : empty_grid(k, p, why, sizeof why));
        if (!block[d] || block[d] > i->max_block[d])
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: block.%c = %u is not in 1 .. %u", k->func->name, 'x' + d,
                            block[d], i->max_block[d]);
        if (k->func->reqntid[0] && block[d] != (k->func->reqntid[d] ? k->func->reqntid[d] : 1))
            return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: block.%c = %u, but .reqntid requires %u", k->func->name,
                            'x' + d, block[d], k->func->reqntid[d]);
    }
    uint64_t threads = threads_of(p->block);
    if (threads > i->max_threads_per_block)
        return gpu_fail(g, SIMTX_INVALID_LAUNCH, "%s: a block of %llu threads; the GPU allows %u", k->func->name,
                        (unsigned long long)threads, i->max_threads_per_block);
    if (k->func->maxntid[0] && threads > product3(k->func->maxntid))
        return gpu_fail(g, SIMTX_INVALID_LAUNCH,
                        "%s: a block of %llu threads, but .maxntid (__launch_bounds__) allows %u",
                        k->func->name, (unsigned long long)threads, product3(k->func->maxntid));
    return SIMTX_OK;
}

static simtx_status check_shared(simtx_kernel *k, const simtx_launch_params *p, const struct block_need *n)
{
    simtx_gpu *g = k->module->gpu;
    char why[300];
    if (n->own_shared && !n->shared)
        return gpu_fail(g, SIMTX_LAUNCH_OUT_OF_RESOURCES,
                        "%s: %llu bytes of shared memory; with tm.shared = %s a kernel with transactions may "
                        "declare %u%s",
                        k->func->name, (unsigned long long)n->own_shared,
                        n->protocol->name, n->tm.shared_most, reason(k, n, TM_LIMIT_SHARED, why, sizeof why));
    bool allowed = k->max_dynamic_shared && p->dynamic_shared <= k->max_dynamic_shared && !too_much_static(k);
    if (allowed || shared_within(k, p->dynamic_shared, g->info.shared_per_block))
        return SIMTX_OK;
    return gpu_fail(g, p->dynamic_shared ? SIMTX_INVALID_LAUNCH : SIMTX_LAUNCH_OUT_OF_RESOURCES,
                    "%s: %s", k->func->name, lack_of_shared(k, p->dynamic_shared, why, sizeof why));
}

static simtx_status does_not_fit(simtx_kernel *k, uint32_t threads, const struct block_need *n, const char *limit)
{
    simtx_gpu *g = k->module->gpu;
    char why[300];
    if (n->protocol && n->block_registers > g->info.registers_per_sm)
        return gpu_fail(g, SIMTX_LAUNCH_OUT_OF_RESOURCES,
                        "%s: %u registers per thread, and a block of %u threads needs %llu; with tm.shared = %s "
                        "an SM has %u%s",
                        k->func->name, n->registers, threads,
                        (unsigned long long)n->block_registers, n->protocol->name, g->info.registers_per_sm,
                        reason(k, n, TM_LIMIT_REGISTERS, why, sizeof why));
    return gpu_fail(g, SIMTX_LAUNCH_OUT_OF_RESOURCES,
                    "%s: a block of %u threads does not fit on an SM: %s (%u registers per thread, %llu bytes of "
                    "shared memory)%s", k->func->name, threads, limit, n->registers, (unsigned long long)n->own_shared,
                    n->protocol && !n->tm.blocks ? reason(k, n, TM_LIMIT_BLOCKS, why, sizeof why) : "");
}

/* ---- clusters ---- */

/* The keys allow no larger cluster than struct cluster holds. */
#define CONFIG_ROWS "configs/gpu.def"
#define INT_KEY(id, field, name, def, lo, hi, ...) \
    _Static_assert(KEY_##id != KEY_GPU_CLUSTER_BLOCKS_OPTIN || (hi) == CLUSTER_MAX, name);
#include "base/config/config_rows.h"

uint32_t simtx_largest_cluster(const simtx_kernel *k)
{
    const struct gpu_cfg *c = &k->module->gpu->gpu;
    uint32_t most = k->large_clusters ? c->cluster_blocks_optin : c->cluster_blocks, rank = k->func->max_cluster_rank;
    return rank && rank < most ? rank : most;
}

void simtx_kernel_set_cluster(simtx_kernel *k, simtx_dim3 shape)
{
    k->cluster = shape;
}

void simtx_kernel_allow_large_clusters(simtx_kernel *k, bool allowed)
{
    k->large_clusters = allowed;
}

/* Clusters that the GPU holds of blocks of which an SM holds `resident`: each lies in one group of SMs. */
static uint32_t clusters_held(const simtx_gpu *g, uint32_t resident, uint32_t blocks)
{
    uint32_t sms = g->info.sms, group = g->gpu.gpc_sms ? g->gpu.gpc_sms : sms, n = 0;
    for (uint32_t first = 0; first < sms; first += group)
        n += (first + group < sms ? group : sms - first) * resident / blocks;
    return n;
}

uint32_t simtx_active_clusters(const simtx_kernel *k, uint32_t block_threads, size_t dynamic_shared, uint32_t blocks)
{
    if (!blocks || blocks > simtx_largest_cluster(k))
        return 0;
    return clusters_held(k->module->gpu, simtx_occupancy(k, block_threads, dynamic_shared, NULL), blocks);
}

/* What sets the limit, or raises it. */
static const char *why_largest(const simtx_kernel *k)
{
    const struct gpu_cfg *c = &k->module->gpu->gpu;
    uint32_t most = simtx_largest_cluster(k);
    if (k->func->max_cluster_rank == most)
        return " (.maxclusterrank of the kernel)";
    return !k->large_clusters && c->cluster_blocks_optin > most
               ? "; cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) raises this limit"
               : " on this GPU (gpu.cluster_blocks_optin)";
}

static simtx_status too_large(const simtx_kernel *k, const simtx_dim3 *c)
{
    simtx_gpu *g = k->module->gpu;
    uint32_t most = simtx_largest_cluster(k);
    if (!most)
        return gpu_fail(g, SIMTX_INVALID_CLUSTER, "%s: a launch with clusters; this GPU has none (gpu.cluster_blocks = "
                        "0)", k->func->name);
    return gpu_fail(g, SIMTX_INVALID_CLUSTER, "%s: clusters of %u x %u x %u blocks; at most %u are allowed%s",
                    k->func->name, c->x, c->y, c->z, most, why_largest(k));
}

/* The shape of the launch, or of the kernel; both must be the same. */
static simtx_status choose_cluster(simtx_kernel *k, const simtx_launch_params *p, struct queued_launch *o)
{
    simtx_gpu *g = k->module->gpu;
    simtx_dim3 of = k->cluster, c = p->cluster.x ? p->cluster : of;
    if (of.x && (c.x != of.x || c.y != of.y || c.z != of.z))
        return gpu_fail(g, SIMTX_INVALID_CLUSTER,
                        "%s: a launch with clusters of %u x %u x %u blocks; the kernel requires %u x %u x %u "
                        "(__cluster_dims__)", k->func->name, c.x, c.y, c.z, of.x, of.y, of.z);
    if (!c.x && k->func->explicit_cluster)
        return gpu_fail(g, SIMTX_INVALID_CLUSTER, "%s must be launched with clusters (.explicitcluster): the launch "
                        "attribute cluster dimension is missing", k->func->name);
    o->explicit_cluster = c.x;
    o->cluster = c.x ? c : (simtx_dim3){ 1, 1, 1 };
    return SIMTX_OK;
}

static simtx_status check_cluster(simtx_kernel *k, const simtx_launch_params *p, struct queued_launch *o)
{
    simtx_gpu *g = k->module->gpu;
    simtx_status s = choose_cluster(k, p, o);
    const simtx_dim3 *c = &o->cluster;
    uint64_t blocks = (uint64_t)c->x * c->y * c->z;
    if (s || !o->explicit_cluster)
        return s;
    if (c->x > CLUSTER_MAX || c->y > CLUSTER_MAX || c->z > CLUSTER_MAX || blocks > simtx_largest_cluster(k))
        return too_large(k, c);
    if (!blocks || p->grid.x % c->x || p->grid.y % c->y || p->grid.z % c->z)
        return gpu_fail(g, SIMTX_INVALID_CLUSTER,
                        "%s: a grid of %u x %u x %u blocks is not a multiple of the cluster, %u x %u x %u",
                        k->func->name, p->grid.x, p->grid.y, p->grid.z, c->x, c->y, c->z);
    if (!clusters_held(g, o->resident, (uint32_t)blocks))
        return gpu_fail(g, SIMTX_INVALID_CLUSTER,
                        "%s: a cluster of %u blocks does not fit in a group of %u SMs with %u such block%s each",
                        k->func->name, (uint32_t)blocks, g->gpu.gpc_sms ? g->gpu.gpc_sms : g->info.sms, o->resident,
                        o->resident == 1 ? "" : "s");
    return SIMTX_OK;
}

simtx_status kernel_check(simtx_kernel *k, const simtx_launch_params *p, struct queued_launch *o)
{
    const simtx_gpu *g = k->module->gpu;
    simtx_status s = check_threads(k, threads_of(p->block));
    if (!s)
        s = check_shape(k, p);
    if (s)
        return s;
    uint32_t threads = (uint32_t)threads_of(p->block);
    block_need_of(k, threads, p->dynamic_shared, &o->need);
    s = check_shared(k, p, &o->need);
    if (s)
        return s;
    o->resident = resident_blocks(k, threads, &o->need, &o->limit);
    o->carveout = k->carveout == SIMTX_CARVEOUT_AUTO ? least(o->resident * o->need.block_shared, g->info.shared_per_sm)
                                                     : shared_capacity(k, &o->need);
    return o->resident ? check_cluster(k, p, o) : does_not_fit(k, threads, &o->need, o->limit);
}
