/* Kernel attributes, limits, cache preferences and occupancy. */
#include "frontend/cudart/rt.h"

/* rt_enter_gpu, then looks up the kernel. */
static cudaError_t enter_kernel(const void *func, simtx_kernel **kernel)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_kernel(func, kernel);
}

/* Largest dynamic shared memory of a launch without cudaFuncSetAttribute. */
static size_t default_dynamic_shared(const simtx_kernel_info *k)
{
    size_t limit = rt_current()->info.shared_per_block;
    return k->shared_bytes < limit ? limit - k->shared_bytes : 0;
}

RT_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    simtx_kernel *kernel;
    simtx_kernel_info k;
    cudaError_t e = enter_kernel(func, &kernel);
    if (!e && !attr)
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    simtx_kernel_get_info(kernel, &k);
    int set = *rt_max_dynamic(func);
    *attr = (struct cudaFuncAttributes){
        .sharedSizeBytes = k.shared_bytes,
        .constSizeBytes = k.const_bytes,
        .localSizeBytes = k.local_bytes,
        .maxThreadsPerBlock = (int)k.max_threads,
        .numRegs = (int)k.registers,
        .ptxVersion = (int)k.sm,
        .binaryVersion = (int)(rt_current()->info.cc_major * 10 + rt_current()->info.cc_minor),
        .cacheModeCA = 0,
        .maxDynamicSharedSizeBytes = set ? set : (int)default_dynamic_shared(&k),
        .preferredShmemCarveout = cudaSharedmemCarveoutDefault,
    };
    return rt_leave(cudaSuccess);
}

static cudaError_t set_max_dynamic(simtx_kernel *kernel, const void *func, int value)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(kernel, &k);
    if (value < 0 || (size_t)value + k.shared_bytes > rt_current()->info.shared_per_block_optin)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_status_error(simtx_kernel_set_max_dynamic_shared(kernel, (size_t)value));
    if (!e)
        *rt_max_dynamic(func) = value;
    return e;
}

static cudaError_t set_attribute(simtx_kernel *kernel, const void *func, enum cudaFuncAttribute attr,
                                 int value)
{
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: return set_max_dynamic(kernel, func, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        return value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared
                   ? cudaErrorInvalidValue
                   : cudaSuccess;
    case cudaFuncAttributeMax: break;
    }
    return cudaErrorInvalidValue;
}

RT_API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    simtx_kernel *kernel;
    cudaError_t e = enter_kernel(func, &kernel);
    return rt_leave(e ? e : set_attribute(kernel, func, attr, value));
}

RT_API cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    simtx_kernel *kernel;
    cudaError_t e = enter_kernel(func, &kernel);
    if (!e && (unsigned)config > cudaFuncCachePreferEqual)
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

RT_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    simtx_kernel *kernel;
    cudaError_t e = enter_kernel(func, &kernel);
    if (!e && (unsigned)config > cudaSharedMemBankSizeEightByte)
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

/* ---- occupancy ---- */

RT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                          int block_size,
                                                                          size_t dynamic_shared,
                                                                          unsigned flags)
{
    simtx_kernel *kernel;
    cudaError_t e = enter_kernel(func, &kernel);
    if (!e && (!blocks || block_size <= 0 || (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)))
        e = cudaErrorInvalidValue;
    if (!e)
        *blocks = (int)simtx_occupancy(kernel, (uint32_t)block_size, dynamic_shared, NULL);
    return rt_leave(e);
}

RT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                 int block_size, size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, block_size, dynamic_shared,
                                                                  cudaOccupancyDefault);
}

/* The largest dynamic size at which `blocks` blocks are resident; the number of blocks falls as the size grows. */
static size_t largest_dynamic(const simtx_kernel *kernel, uint32_t blocks, uint32_t block_size)
{
    size_t low = 0, high = rt_current()->info.shared_per_block_optin;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (simtx_occupancy(kernel, block_size, middle, NULL) >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

RT_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks,
                                                             int block_size)
{
    simtx_kernel *kernel;
    cudaError_t e = enter_kernel(func, &kernel);
    if (!e && (!bytes || blocks <= 0 || block_size <= 0))
        e = cudaErrorInvalidValue;
    if (!e && simtx_occupancy(kernel, (uint32_t)block_size, 0, NULL) < (uint32_t)blocks)
        e = cudaErrorInvalidValue;
    if (!e)
        *bytes = largest_dynamic(kernel, (uint32_t)blocks, (uint32_t)block_size);
    return rt_leave(e);
}
