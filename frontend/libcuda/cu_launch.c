/* Functions, launches and occupancy of the driver API. */
#include "frontend/libcuda/cu.h"

cudaError_t cu_enter_function(CUfunction *f)
{
    cudaError_t e = rt_enter_context();
    return e ? e : rt_resolve(*f, f);
}

/* ---- launches ---- */

static cudaError_t launch(CUfunction f, const struct rt_launch_config *c, void **params, void **extra,
                          const struct rt_launch_attributes *attributes)
{
    struct rt_args a = {.each = (const void *const *)params};
    cudaError_t e = rt_resolve(f, &f);
    if (!e && ((params && extra) || (extra && !rt_read_extra(&a, extra))))
        e = cudaErrorInvalidValue;
    if (!e && attributes->cooperative)
        rt_run_queued();
    return e ? e : rt_launch_with(f, c, &a, attributes);
}

CU_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CUstream s, void **params, void **extra)
{
    struct rt_launch_config c = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .stream = s};
    cudaError_t e = rt_enter_context_launch();
    return cu_leave(e ? e : launch(f, &c, params, extra, &(struct rt_launch_attributes){0}));
}

CU_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, CUstream s, void **params)
{
    struct rt_launch_config c = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .stream = s};
    cudaError_t e = rt_enter_context_launch();
    return cu_leave(e ? e : launch(f, &c, params, NULL, &(struct rt_launch_attributes){.cooperative = true}));
}

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "attributes of launches");

static struct rt_launch_config launch_of(const CUlaunchConfig *config)
{
    return (struct rt_launch_config){
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared = config->sharedMemBytes, .stream = config->hStream
    };
}

CU_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    struct rt_launch_attributes attributes;
    cudaError_t e = rt_enter_context_launch();
    if (!e && !config)
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_read_attributes(&attributes, (const cudaLaunchAttribute *)(const void *)config->attrs,
                               config->numAttrs);
    if (e)
        return cu_leave(e);
    struct rt_launch_config c = launch_of(config);
    return cu_leave(launch(f, &c, params, extra, &attributes));
}

/* ---- functions ---- */

cudaError_t cu_function_attribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
    struct cudaFuncAttributes a;
    simtx_kernel_info k;
    rt_function_attributes(f, &a);
    simtx_kernel_get_info(f->kernel, &k);
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.sharedSizeBytes; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.constSizeBytes; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.localSizeBytes; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = a.cacheModeCA; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = a.maxDynamicSharedSizeBytes; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = a.preferredShmemCarveout; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = k.cluster_required; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = (int)k.cluster.x; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = (int)k.cluster.y; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = (int)k.cluster.z; return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = k.large_clusters;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = f->cluster_policy;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

CU_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : value ? cu_function_attribute(value, attribute, f) : cudaErrorInvalidValue);
}

CU_API CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : rt_function_set(f, (int)attribute, value));
}

CU_API CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : rt_function_set_cache(f, (enum cudaFuncCache)config));
}

CU_API CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? cudaErrorInvalidValue : cudaSuccess);
}

/* Kernels of the runtime API belong to no module of the driver API. */
CU_API CUresult cuFuncGetModule(CUmodule *out, CUfunction f)
{
    cudaError_t e = cu_enter_function(&f);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e && !f->module)
        e = cudaErrorNotSupported;
    if (!e)
        *out = f->module;
    return cu_leave(e);
}

cudaError_t cu_function_name(const char **name, CUfunction f)
{
    simtx_kernel_info k;
    if (!name)
        return cudaErrorInvalidValue;
    simtx_kernel_get_info(f->kernel, &k);
    *name = k.name;
    return cudaSuccess;
}

CU_API CUresult cuFuncGetName(const char **name, CUfunction f)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : cu_function_name(name, f));
}

cudaError_t cu_function_parameter(CUfunction f, size_t i, size_t *offset, size_t *size)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(f->kernel, &k);
    if (!offset || i >= k.nparams)
        return cudaErrorInvalidValue;
    *offset = k.params[i].offset;
    if (size)
        *size = k.params[i].size;
    return cudaSuccess;
}

CU_API CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size)
{
    cudaError_t e = cu_enter_function(&f);
    return cu_leave(e ? e : cu_function_parameter(f, i, offset, size));
}

/* ---- occupancy ---- */

CU_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int block_size,
                                                                     size_t shared, unsigned flags)
{
    cudaError_t e = cu_enter_function(&f);
    if (!e && (!blocks || block_size <= 0 || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
        e = cudaErrorInvalidValue;
    if (!e)
        *blocks = (int)rt_occupancy(f, block_size, shared, NULL);
    return cu_leave(e);
}

CU_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int block_size, size_t shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block_size, shared, 0);
}

CU_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, CUfunction f,
                                                          CUoccupancyB2DSize dynamic, size_t shared, int limit,
                                                          unsigned flags)
{
    cudaError_t e = cu_enter_function(&f);
    if (!e && (!min_grid || !block_size || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
        e = cudaErrorInvalidValue;
    if (!e)
        rt_best_block(f, dynamic, shared, limit, min_grid, block_size);
    return cu_leave(e);
}

CU_API CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction f,
                                                 CUoccupancyB2DSize dynamic, size_t shared, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, f, dynamic, shared, limit, 0);
}

CU_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction f, int blocks, int block_size)
{
    cudaError_t e = cu_enter_function(&f);
    if (!e && (!bytes || blocks <= 0 || block_size <= 0))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_largest_dynamic(f, blocks, block_size, bytes));
}

/* ---- clusters ---- */

static cudaError_t enter_configuration(const int *out, CUfunction *f, const CUlaunchConfig *config,
                                       struct rt_launch_config *c, struct rt_launch_attributes *a)
{
    cudaError_t e = cu_enter_function(f);
    if (e || !out || !config)
        return e ? e : cudaErrorInvalidValue;
    *c = launch_of(config);
    return rt_read_attributes(a, (const cudaLaunchAttribute *)(const void *)config->attrs, config->numAttrs);
}

CU_API CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config)
{
    struct rt_launch_attributes a;
    struct rt_launch_config c;
    cudaError_t e = enter_configuration(clusters, &f, config, &c, &a);
    return cu_leave(e ? e : rt_active_clusters(f, &c, &a, clusters));
}

CU_API CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config)
{
    struct rt_launch_attributes a;
    struct rt_launch_config c;
    cudaError_t e = enter_configuration(size, &f, config, &c, &a);
    return cu_leave(e ? e : rt_largest_cluster(f, &c, size));
}

/* ---- loading ---- */

/* A function is loaded with its module. */
CU_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f)
{
    cudaError_t e = cu_enter_function(&f);
    if (!e && !state)
        e = cudaErrorInvalidValue;
    if (!e)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return cu_leave(e);
}

CU_API CUresult cuFuncLoad(CUfunction f)
{
    return cu_leave(cu_enter_function(&f));
}

CU_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    cudaError_t e = rt_enter_driver();
    if (!e && !mode)
        e = cudaErrorInvalidValue;
    if (!e)
        *mode = CU_MODULE_EAGER_LOADING;
    return cu_leave(e);
}
