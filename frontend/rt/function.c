/* Kernel attributes and occupancy. */
#include "frontend/rt/rt.h"

#include <limits.h>

static const simtx_gpu_info *info_of(const struct CUfunc_st *f)
{
    return &rt.device[f->device].info;
}

/* Largest dynamic shared memory of a launch without cudaFuncSetAttribute. */
static size_t default_dynamic_shared(const struct CUfunc_st *f, const simtx_kernel_info *k)
{
    size_t limit = info_of(f)->shared_per_block;
    return k->shared_bytes < limit ? limit - k->shared_bytes : 0;
}

void rt_function_attributes(const struct CUfunc_st *f, struct cudaFuncAttributes *a)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = k.shared_bytes,
        .constSizeBytes = k.const_bytes,
        .localSizeBytes = k.local_bytes,
        .maxThreadsPerBlock = (int)k.max_threads,
        .numRegs = (int)k.registers,
        .ptxVersion = (int)k.sm,
        .binaryVersion = (int)(info_of(f)->cc_major * 10 + info_of(f)->cc_minor),
        .cacheModeCA = 0,
        .maxDynamicSharedSizeBytes = f->max_dynamic ? f->max_dynamic : (int)default_dynamic_shared(f, &k),
        .preferredShmemCarveout = f->carveout,
    };
}

static cudaError_t set_max_dynamic(struct CUfunc_st *f, int value)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    if (value < 0 || (size_t)value + k.shared_bytes > info_of(f)->shared_per_block_optin)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_status_error(simtx_kernel_set_max_dynamic_shared(f->kernel, (size_t)value));
    if (!e)
        f->max_dynamic = value;
    return e;
}

static cudaError_t set_carveout(struct CUfunc_st *f, int value)
{
    if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
        return cudaErrorInvalidValue;
    f->carveout = value;
    return cudaSuccess;
}

cudaError_t rt_function_set(struct CUfunc_st *f, int attribute, int value)
{
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: return set_max_dynamic(f, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout: return set_carveout(f, value);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        if (value != 0 && value != 1)
            return cudaErrorInvalidValue;
        simtx_kernel_allow_large_clusters(f->kernel, value);
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        f->cluster_policy = value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t rt_function_set_cache(struct CUfunc_st *f, enum cudaFuncCache config)
{
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return cudaErrorInvalidValue;
    f->cache = config;
    return cudaSuccess;
}

void rt_prefer_shared(const struct CUfunc_st *f, const struct rt_carveout *launch)
{
    static const int percent[] = {
        [cudaFuncCachePreferNone] = SIMTX_CARVEOUT_AUTO, [cudaFuncCachePreferShared] = SIMTX_CARVEOUT_MOST,
        [cudaFuncCachePreferL1] = 0, [cudaFuncCachePreferEqual] = SIMTX_CARVEOUT_MOST / 2
    };
    enum cudaFuncCache cache = f->cache ? f->cache : rt.device[f->device].cache;
    int carveout = launch && launch->set ? launch->percent : f->carveout;
    simtx_kernel_set_carveout(f->kernel, carveout == cudaSharedmemCarveoutDefault ? percent[cache] : carveout);
}

/* ---- occupancy ---- */

/* Resident blocks with any amount of shared memory; 0 for more threads than a block may have. */
static uint32_t resident(const struct CUfunc_st *f, const simtx_kernel_info *k, int block_size, size_t dynamic_shared,
                         const struct rt_carveout *launch)
{
    rt_prefer_shared(f, launch);
    return (uint32_t)block_size <= k->max_threads
               ? simtx_occupancy(f->kernel, (uint32_t)block_size, dynamic_shared, NULL)
               : 0;
}

static bool shared_allowed(const struct CUfunc_st *f, const simtx_kernel_info *k, size_t dynamic_shared)
{
    return dynamic_shared <= default_dynamic_shared(f, k) || dynamic_shared <= (size_t)f->max_dynamic;
}

uint32_t rt_occupancy(const struct CUfunc_st *f, int block_size, size_t dynamic_shared,
                      const struct rt_carveout *launch)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    return shared_allowed(f, &k, dynamic_shared) ? resident(f, &k, block_size, dynamic_shared, launch) : 0;
}

/* The number of blocks falls as the dynamic size grows. */
cudaError_t rt_largest_dynamic(const struct CUfunc_st *f, int blocks, int block_size, size_t *bytes)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    size_t low = 0, most = info_of(f)->shared_per_block_optin;
    if (k.shared_bytes > most || resident(f, &k, block_size, 0, NULL) < (uint32_t)blocks)
        return cudaErrorInvalidValue;
    size_t high = most - k.shared_bytes;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (resident(f, &k, block_size, middle, NULL) >= (uint32_t)blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *bytes = low;
    return cudaSuccess;
}

void rt_best_block(const struct CUfunc_st *f, size_t (*dynamic)(int block_size), size_t shared, int limit,
                   int *min_grid, int *block_size)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    int most = limit > 0 && (uint32_t)limit < k.max_threads ? limit : (int)k.max_threads;
    uint32_t best = 0;
    *min_grid = *block_size = 0;
    for (int top = (most + RT_WARP_SIZE - 1) / RT_WARP_SIZE * RT_WARP_SIZE; top > 0; top -= RT_WARP_SIZE) {
        int size = top < most ? top : most;
        uint32_t blocks = rt_occupancy(f, size, dynamic ? dynamic(size) : shared, NULL);
        uint32_t threads = blocks * (uint32_t)size;
        if (threads <= best)
            continue;
        best = threads;
        *block_size = size;
        *min_grid = (int)(blocks * info_of(f)->sms);
    }
}

/* ---- clusters ---- */

static cudaError_t clusters_of(const struct CUfunc_st *f, const struct rt_launch_config *c, unsigned blocks, int *n)
{
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    if (!threads || threads > INT_MAX)
        return cudaErrorInvalidValue;
    rt_prefer_shared(f, &c->carveout);
    *n = threads <= k.max_threads && shared_allowed(f, &k, c->shared)
             ? (int)simtx_active_clusters(f->kernel, (uint32_t)threads, c->shared, blocks)
             : 0;
    return cudaSuccess;
}

/* The largest number if there are more. */
static unsigned blocks_of(dim3 shape)
{
    uint64_t plane = (uint64_t)shape.x * shape.y;
    return plane > UINT_MAX || plane * shape.z > UINT_MAX ? UINT_MAX : (unsigned)(plane * shape.z);
}

/* Blocks of a cluster of .reqnctapercluster or __cluster_dims__; 0: none. */
static unsigned own_cluster(const struct CUfunc_st *f)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    return blocks_of((dim3){k.cluster.x, k.cluster.y, k.cluster.z});
}

cudaError_t rt_active_clusters(const struct CUfunc_st *f, const struct rt_launch_config *c,
                               const struct rt_launch_attributes *a, int *n)
{
    unsigned blocks = blocks_of(a->cluster) ? blocks_of(a->cluster) : own_cluster(f);
    if (!blocks)
        return cudaErrorInvalidValue;
    return blocks > simtx_largest_cluster(f->kernel) ? cudaErrorInvalidClusterSize : clusters_of(f, c, blocks, n);
}

cudaError_t rt_largest_cluster(const struct CUfunc_st *f, const struct rt_launch_config *c, int *blocks)
{
    unsigned own = own_cluster(f), size = own ? own : simtx_largest_cluster(f->kernel);
    int n = 0;
    cudaError_t e = cudaSuccess;
    for (size = size ? size : 1; !e && size; size = own ? 0 : size - 1) {
        e = clusters_of(f, c, size, &n);
        if (n)
            break;
    }
    *blocks = (int)size;
    return e;
}

uint64_t rt_resident_blocks(const struct CUfunc_st *f, const struct rt_launch_config *c)
{
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    unsigned blocks = blocks_of(c->cluster) ? blocks_of(c->cluster) : own_cluster(f);
    int clusters;
    if (!threads || threads > info_of(f)->max_threads_per_block)
        return 0;
    if (!blocks)
        return (uint64_t)rt_occupancy(f, (int)threads, c->shared, &c->carveout) * info_of(f)->sms;
    return clusters_of(f, c, blocks, &clusters) ? 0 : (uint64_t)clusters * blocks;
}
