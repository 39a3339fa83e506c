/* Kernel attributes, cache preferences and occupancy of the runtime API. */
#include "frontend/cudart/cudart.h"

/* rt_enter_gpu, then looks up the kernel. */
static cudaError_t enter_kernel(const void *func, struct CUfunc_st **f)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_kernel(func, f);
}

RT_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
    if (!e && !attr)
        e = cudaErrorInvalidValue;
    if (!e)
        rt_function_attributes(f, attr);
    return rt_leave(e);
}

RT_API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
    return rt_leave(e ? e : rt_function_set(f, attr, value));
}

/* The kernel of a function that one source file registered, as the driver API takes it. */
RT_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *func)
{
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = f;
    return rt_leave(e);
}

RT_API cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
    return rt_leave(e ? e : rt_function_set_cache(f, config));
}

RT_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
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
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
    if (!e && (!blocks || block_size <= 0 || (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)))
        e = cudaErrorInvalidValue;
    if (!e)
        *blocks = (int)rt_occupancy(f, block_size, dynamic_shared, NULL);
    return rt_leave(e);
}

RT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                                 int block_size, size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, block_size, dynamic_shared,
                                                                  cudaOccupancyDefault);
}

RT_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks,
                                                             int block_size)
{
    struct CUfunc_st *f;
    cudaError_t e = enter_kernel(func, &f);
    if (!e && (!bytes || blocks <= 0 || block_size <= 0))
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_largest_dynamic(f, blocks, block_size, bytes));
}
