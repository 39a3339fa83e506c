/* Occupancy from the figures of a device and a kernel alone, without a device (CUDA C++ Programming Guide, technical
 * specifications per compute capability; CUDA occupancy calculator, GPU data). A multiprocessor has a limited number of
 * warps, blocks, registers and bytes of shared memory; the resident blocks are the least that one of them allows. A
 * device has one size of shared memory whatever cache a kernel prefers, and barriers limit no device. */
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__

#include <limits.h>
#include <stddef.h>

#ifndef __OCC_INLINE
#define __OCC_INLINE static inline
#endif

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

enum cudaOccLimitingFactors_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08,
    OCC_LIMIT_BARRIERS = 0x10
};

typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF,
    PARTITIONED_GC_ON,
    PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum { FUNC_SHMEM_LIMIT_DEFAULT, FUNC_SHMEM_LIMIT_OPTIN } cudaOccFuncShmemConfig;

typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0x00,
    CACHE_PREFER_SHARED = 0x01,
    CACHE_PREFER_L1 = 0x02,
    CACHE_PREFER_EQUAL = 0x03
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} cudaOccCarveoutConfig;

typedef struct cudaOccDeviceProp {
    int computeMajor, computeMinor;
    int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
    int regsPerBlock, regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
    cudaOccDeviceProp() {}
    template <class Properties>
    cudaOccDeviceProp(const Properties &p)
        : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
          regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize), sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
          sharedMemPerBlockOptin(p.sharedMemPerBlockOptin), reservedSharedMemPerBlock(p.reservedSharedMemPerBlock)
    {
    }
#endif
} cudaOccDeviceProp;

typedef struct cudaOccFuncAttributes {
    int maxThreadsPerBlock, numRegs;
    size_t sharedSizeBytes;
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    int numBlockBarriers;
#ifdef __cplusplus
    cudaOccFuncAttributes() {}
    template <class Attributes>
    cudaOccFuncAttributes(const Attributes &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs), sharedSizeBytes(a.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF), shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes((size_t)a.maxDynamicSharedSizeBytes), numBlockBarriers(1)
    {
    }
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig;
#ifdef __cplusplus
    cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

/* From this compute capability (10 * major + minor) on: the units in which registers and shared memory are allocated,
 * the warps that a register file is divided for, and the most blocks of a multiprocessor. */
typedef struct simtx_occ_chip {
    int since, registers, warps;
    size_t shared;
    int blocks;
} simtx_occ_chip;

__OCC_INLINE const simtx_occ_chip *simtx_occ_find(const cudaOccDeviceProp *p)
{
    static const simtx_occ_chip chips[] = {
        {10, 256, 2, 512, 8},   {12, 512, 2, 512, 8},   {20, 64, 2, 128, 8},    {30, 256, 4, 256, 16},
        {50, 256, 4, 256, 32},  {60, 256, 2, 256, 32},  {61, 256, 4, 256, 32},  {75, 256, 4, 256, 16},
        {80, 256, 4, 128, 32},  {86, 256, 4, 128, 16},  {89, 256, 4, 128, 24},  {90, 256, 4, 128, 32},
        {100, 256, 4, 128, 32}, {110, 256, 4, 128, 24}, {120, 256, 4, 128, 24}, {130, 0, 0, 0, 0},
    };
    int capability = 10 * p->computeMajor + p->computeMinor, i = (int)(sizeof chips / sizeof *chips) - 1;
    while (i >= 0 && chips[i].since > capability)
        i--;
    return i >= 0 && chips[i].blocks ? &chips[i] : NULL;
}

__OCC_INLINE size_t simtx_occ_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

__OCC_INLINE int simtx_occ_least(int a, int b)
{
    return a < b ? a : b;
}

__OCC_INLINE int simtx_occ_warps(const cudaOccDeviceProp *p, int block_size)
{
    return (block_size + p->warpSize - 1) / p->warpSize;
}

__OCC_INLINE int simtx_occ_warp_limit(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a, int block_size)
{
    if (block_size > simtx_occ_least(p->maxThreadsPerBlock, a->maxThreadsPerBlock))
        return 0;
    return p->maxThreadsPerMultiprocessor / p->warpSize / simtx_occ_warps(p, block_size);
}

/* Registers go to warps; on devices of compute capability 1.x to a block, whose warps are rounded up. */
__OCC_INLINE int simtx_occ_registers(const cudaOccDeviceProp *p, const simtx_occ_chip *c, int registers, int warps)
{
    size_t of_warp = (size_t)registers * (size_t)p->warpSize, unit = (size_t)c->registers;
    if (p->computeMajor == 1)
        return (int)simtx_occ_up(of_warp * simtx_occ_up((size_t)warps, (size_t)c->warps), unit);
    return (int)simtx_occ_up(of_warp, unit) * warps;
}

__OCC_INLINE int simtx_occ_register_limit(const cudaOccDeviceProp *p, const simtx_occ_chip *c, int block, int warps)
{
    if (!block)
        return INT_MAX;
    if (block > p->regsPerBlock)
        return 0;
    if (p->computeMajor == 1)
        return p->regsPerMultiprocessor / block;
    return p->regsPerMultiprocessor / (block / warps) / c->warps * c->warps / warps;
}

/* A launch may have the shared memory of every block, or what the kernel has opted in to. */
__OCC_INLINE int simtx_occ_shared_allowed(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a, size_t dynamic)
{
    size_t all = a->sharedSizeBytes + dynamic;
    return all <= p->sharedMemPerBlock || (a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
                                           dynamic <= a->maxDynamicSharedSizeBytes && all <= p->sharedMemPerBlockOptin);
}

__OCC_INLINE size_t simtx_occ_shared(const cudaOccDeviceProp *p, const simtx_occ_chip *c,
                                     const cudaOccFuncAttributes *a, size_t dynamic)
{
    return simtx_occ_up(a->sharedSizeBytes + dynamic + p->reservedSharedMemPerBlock, c->shared);
}

__OCC_INLINE int simtx_occ_shared_limit(const cudaOccDeviceProp *p, size_t block)
{
    return block ? (int)(p->sharedMemPerMultiprocessor / block) : INT_MAX;
}

__OCC_INLINE void simtx_occ_conclude(cudaOccResult *r)
{
    const struct {
        int blocks;
        unsigned int factor;
    } limits[] = {
        {r->blockLimitWarps, OCC_LIMIT_WARPS},   {r->blockLimitRegs, OCC_LIMIT_REGISTERS},
        {r->blockLimitBlocks, OCC_LIMIT_BLOCKS}, {r->blockLimitSharedMem, OCC_LIMIT_SHARED_MEMORY},
        {r->blockLimitBarriers, OCC_LIMIT_BARRIERS},
    };
    int i, n = (int)(sizeof limits / sizeof *limits);
    r->activeBlocksPerMultiprocessor = INT_MAX;
    for (i = 0; i < n; i++)
        r->activeBlocksPerMultiprocessor = simtx_occ_least(r->activeBlocksPerMultiprocessor, limits[i].blocks);
    r->limitingFactors = 0;
    for (i = 0; i < n; i++)
        if (limits[i].blocks == r->activeBlocksPerMultiprocessor)
            r->limitingFactors |= limits[i].factor;
}

__OCC_INLINE cudaOccError simtx_occ_check(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                          const cudaOccDeviceState *s, int block_size)
{
    if (!p || !a || !s || block_size <= 0 || p->warpSize <= 0 || p->maxThreadsPerBlock <= 0 ||
        p->maxThreadsPerMultiprocessor <= 0 || p->regsPerBlock <= 0 || p->regsPerMultiprocessor <= 0 ||
        a->maxThreadsPerBlock <= 0 || a->numRegs < 0 || a->numBlockBarriers < 0 ||
        s->carveoutConfig < SHAREDMEM_CARVEOUT_DEFAULT || s->carveoutConfig > SHAREDMEM_CARVEOUT_MAX_SHARED)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    return simtx_occ_find(p) ? CUDA_OCC_SUCCESS : CUDA_OCC_ERROR_UNKNOWN_DEVICE;
}

__OCC_INLINE cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult *result,
                                                                  const cudaOccDeviceProp *properties,
                                                                  const cudaOccFuncAttributes *attributes,
                                                                  const cudaOccDeviceState *state, int blockSize,
                                                                  size_t dynamicSmemSize)
{
    const simtx_occ_chip *chip;
    int warps;
    cudaOccError error = simtx_occ_check(properties, attributes, state, blockSize);
    if (error || !result)
        return error ? error : CUDA_OCC_ERROR_INVALID_INPUT;
    chip = simtx_occ_find(properties);
    warps = simtx_occ_warps(properties, blockSize);
    result->partitionedGCConfig = PARTITIONED_GC_OFF;
    result->allocatedRegistersPerBlock = simtx_occ_registers(properties, chip, attributes->numRegs, warps);
    result->allocatedSharedMemPerBlock = simtx_occ_shared(properties, chip, attributes, dynamicSmemSize);
    result->blockLimitWarps = simtx_occ_warp_limit(properties, attributes, blockSize);
    result->blockLimitBlocks = chip->blocks;
    result->blockLimitRegs =
        simtx_occ_register_limit(properties, chip, result->allocatedRegistersPerBlock, warps);
    result->blockLimitSharedMem = simtx_occ_shared_allowed(properties, attributes, dynamicSmemSize)
                                      ? simtx_occ_shared_limit(properties, result->allocatedSharedMemPerBlock)
                                      : 0;
    result->blockLimitBarriers = INT_MAX;
    simtx_occ_conclude(result);
    return CUDA_OCC_SUCCESS;
}

/* The most dynamic shared memory with which `numBlocks` blocks are resident. */
__OCC_INLINE cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *bytesAvailable,
                                                              const cudaOccDeviceProp *properties,
                                                              const cudaOccFuncAttributes *attributes,
                                                              const cudaOccDeviceState *state, int numBlocks,
                                                              int blockSize)
{
    cudaOccResult result;
    size_t share, used, unit;
    cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, blockSize, 0);
    if (error || !bytesAvailable || numBlocks <= 0 || numBlocks > result.activeBlocksPerMultiprocessor)
        return error ? error : CUDA_OCC_ERROR_INVALID_INPUT;
    unit = simtx_occ_find(properties)->shared;
    share = properties->sharedMemPerMultiprocessor / (size_t)numBlocks / unit * unit;
    used = attributes->sharedSizeBytes + properties->reservedSharedMemPerBlock;
    if (share > properties->sharedMemPerBlockOptin + properties->reservedSharedMemPerBlock)
        share = properties->sharedMemPerBlockOptin + properties->reservedSharedMemPerBlock;
    *bytesAvailable = share - used;
    return CUDA_OCC_SUCCESS;
}

/* The search for the block size with the most resident threads, from the largest size down: one candidate. */
typedef struct simtx_occ_best {
    int threads, blocks, size;
} simtx_occ_best;

__OCC_INLINE cudaOccError simtx_occ_try(simtx_occ_best *best, const cudaOccDeviceProp *p,
                                        const cudaOccFuncAttributes *a, const cudaOccDeviceState *s, int size,
                                        size_t dynamic)
{
    cudaOccResult r;
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&r, p, a, s, size, dynamic);
    if (error || r.activeBlocksPerMultiprocessor * size <= best->threads)
        return error;
    best->threads = r.activeBlocksPerMultiprocessor * size;
    best->blocks = r.activeBlocksPerMultiprocessor;
    best->size = size;
    return CUDA_OCC_SUCCESS;
}

/* The candidate below `size`: the next multiple of a warp. */
__OCC_INLINE int simtx_occ_next(const cudaOccDeviceProp *p, int size)
{
    return (size - 1) / p->warpSize * p->warpSize;
}

/* Shared memory of a block is a function of its size, or `dynamicSMemSize` without one. */
__OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize,
                                                                const cudaOccDeviceProp *properties,
                                                                const cudaOccFuncAttributes *attributes,
                                                                const cudaOccDeviceState *state,
                                                                size_t (*blockSizeToDynamicSMemSize)(int),
                                                                size_t dynamicSMemSize)
{
    simtx_occ_best best = {0, 0, 0};
    int size;
    cudaOccError error = simtx_occ_check(properties, attributes, state, 1);
    if (error || !minGridSize || !blockSize)
        return error ? error : CUDA_OCC_ERROR_INVALID_INPUT;
    size = simtx_occ_least(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);
    for (; !error && size > 0; size = simtx_occ_next(properties, size))
        error = simtx_occ_try(&best, properties, attributes, state, size,
                              blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize);
    *minGridSize = best.blocks * properties->numSms;
    *blockSize = best.size;
    return error;
}

#ifdef __cplusplus
__OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize,
                                                                const cudaOccDeviceProp *properties,
                                                                const cudaOccFuncAttributes *attributes,
                                                                const cudaOccDeviceState *state,
                                                                size_t dynamicSMemSize = 0)
{
    return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, NULL,
                                                 dynamicSMemSize);
}

template <class UnaryFunction>
__OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
    const cudaOccDeviceState *state, UnaryFunction blockSizeToDynamicSMemSize)
{
    simtx_occ_best best = {0, 0, 0};
    cudaOccError error = simtx_occ_check(properties, attributes, state, 1);
    if (error || !minGridSize || !blockSize)
        return error ? error : CUDA_OCC_ERROR_INVALID_INPUT;
    int size = simtx_occ_least(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);
    for (; !error && size > 0; size = simtx_occ_next(properties, size))
        error = simtx_occ_try(&best, properties, attributes, state, size, (size_t)blockSizeToDynamicSMemSize(size));
    *minGridSize = best.blocks * properties->numSms;
    *blockSize = best.size;
    return error;
}
#endif

#endif
