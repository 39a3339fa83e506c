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

cudaError_t rt_active_clusters(const struct CUfunc_st *f, dim3 block, size_t shared, unsigned cluster, int *n)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (!cluster || !threads || threads > INT_MAX)
        return cudaErrorInvalidValue;
    if (cluster != 1)
        return cudaErrorNotSupported;
    *n = (int)(rt_occupancy(f, (int)threads, shared, NULL) * info_of(f)->sms);
    return cudaSuccess;
}
