/* Launches of the runtime API, and the configuration of <<<>>>. */
#include "frontend/cudart/cudart.h"

RT_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    if (rt_thread.configs == RT_CONFIG_DEPTH) {
        rt_thread.last = cudaErrorInvalidConfiguration;
        return cudaErrorInvalidConfiguration;
    }
    rt_thread.config[rt_thread.configs++] =
        (struct rt_launch_config){.grid = grid, .block = block, .shared = shared, .stream = stream};
    return 0;
}

RT_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!rt_thread.configs) {
        rt_thread.last = cudaErrorMissingConfiguration;
        return cudaErrorMissingConfiguration;
    }
    const struct rt_launch_config *c = &rt_thread.config[--rt_thread.configs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

RT_API cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    struct rt_launch_config c = {.grid = grid, .block = block, .shared = shared, .stream = stream};
    struct rt_args a = {.each = (const void *const *)args};
    struct CUfunc_st *f;
    cudaError_t e = rt_enter_launch();
    if (!e)
        e = rt_kernel(func, &f);
    return rt_leave(e ? e : rt_launch(f, &c, &a));
}

RT_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                               cudaStream_t stream)
{
    struct rt_launch_config c = {.grid = grid, .block = block, .shared = shared, .stream = stream};
    struct rt_args a = {.each = (const void *const *)args};
    struct CUfunc_st *f;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = rt_kernel(func, &f);
    return rt_leave(e ? e : rt_launch_cooperative(f, &c, &a));
}
