/* Occupancy from the figures of a device and a kernel alone (CUDA C++ Programming Guide, "Occupancy Calculator"): the
 * limits are threads, warps, blocks, registers and shared memory of a multiprocessor. Registers are allocated per warp
 * in units of 256, shared memory in units of 256 bytes (128 from compute capability 8.0 on). */
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__

#include <stddef.h>

#ifndef __OCC_INLINE
#define __OCC_INLINE static inline
#endif

enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
};
typedef enum cudaOccError_enum cudaOccError;

enum cudaOccLimitingFactors_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08
};

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
#ifdef __cplusplus
    cudaOccFuncAttributes() {}
    template <class Attributes>
    cudaOccFuncAttributes(const Attributes &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs), sharedSizeBytes(a.sharedSizeBytes)
    {
    }
#endif
} cudaOccFuncAttributes;

/* Preferences of a kernel; the shared memory of simtx's machines is the configured one whatever is preferred. */
typedef struct cudaOccDeviceState {
    int cacheConfig, carveoutConfig;
#ifdef __cplusplus
    cudaOccDeviceState() : cacheConfig(0), carveoutConfig(-1) {}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
} cudaOccResult;

static inline int simtx_occ_blocks(const cudaOccDeviceProp *p)
{
    if (p->computeMajor < 5)
        return 16;
    if (p->computeMajor == 8)
        return p->computeMinor == 0 ? 32 : p->computeMinor == 9 ? 24 : 16;
    return p->computeMajor == 7 && p->computeMinor == 5 ? 16 : 32;
}

static inline size_t simtx_occ_round(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static inline int simtx_occ_least(const cudaOccResult *r)
{
    int least = r->blockLimitWarps;
    least = r->blockLimitBlocks < least ? r->blockLimitBlocks : least;
    least = r->blockLimitRegs < least ? r->blockLimitRegs : least;
    return r->blockLimitSharedMem < least ? r->blockLimitSharedMem : least;
}

__OCC_INLINE cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult *result,
                                                                  const cudaOccDeviceProp *properties,
                                                                  const cudaOccFuncAttributes *attributes,
                                                                  const cudaOccDeviceState *state, int blockSize,
                                                                  size_t dynamicSmemSize)
{
    if (!result || !properties || !attributes || !state || blockSize <= 0 || properties->warpSize <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    int warps = (blockSize + properties->warpSize - 1) / properties->warpSize;
    size_t unit = properties->computeMajor >= 8 ? 128 : 256;
    size_t shared = simtx_occ_round(
        attributes->sharedSizeBytes + dynamicSmemSize + properties->reservedSharedMemPerBlock, unit);
    int regs_per_warp = (int)simtx_occ_round((size_t)attributes->numRegs * properties->warpSize, 256);
    int limit_none = simtx_occ_blocks(properties);
    cudaOccResult r;
    r.allocatedRegistersPerBlock = regs_per_warp * warps;
    r.allocatedSharedMemPerBlock = shared;
    r.blockLimitBlocks = limit_none;
    r.blockLimitWarps = properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;
    r.blockLimitRegs =
        regs_per_warp ? properties->regsPerMultiprocessor / regs_per_warp / warps : limit_none;
    r.blockLimitSharedMem = shared ? (int)(properties->sharedMemPerMultiprocessor / shared) : limit_none;
    if (blockSize > properties->maxThreadsPerBlock || blockSize > attributes->maxThreadsPerBlock)
        r.blockLimitWarps = 0;
    r.activeBlocksPerMultiprocessor = simtx_occ_least(&r);
    int n = r.activeBlocksPerMultiprocessor;
    r.limitingFactors = (r.blockLimitWarps == n ? OCC_LIMIT_WARPS : 0u) |
                        (r.blockLimitRegs == n ? OCC_LIMIT_REGISTERS : 0u) |
                        (r.blockLimitSharedMem == n ? OCC_LIMIT_SHARED_MEMORY : 0u) |
                        (r.blockLimitBlocks == n ? OCC_LIMIT_BLOCKS : 0u);
    *result = r;
    return CUDA_OCC_SUCCESS;
}

#endif
