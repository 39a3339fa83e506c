/* The CUDA runtime for C++ programs: the C API, C++ forms of it that take typed pointers, kernels and
 * symbols, and vector constructors.  clang's CUDA mode includes this file automatically. */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"
#include "builtin_types.h"
#include "library_types.h"
#include "cuda_runtime_api.h"
#include "cuda_device_runtime_api.h"
#include "channel_descriptor.h"
#include "cuda_texture_types.h"
#include "vector_functions.h"
#include "device_launch_parameters.h"

#ifdef __cplusplus

#define SIMTX_API static __inline__ __host__ __attribute__((unused)) cudaError_t

template <class T_> SIMTX_API cudaMalloc(T_ **devPtr, size_t size)
{
    return ::cudaMalloc((void **)(void *)devPtr, size);
}

template <class T_> SIMTX_API cudaMallocHost(T_ **ptr, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

SIMTX_API cudaMallocHost(void **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(ptr, size, flags);
}

template <class T_> SIMTX_API cudaHostAlloc(T_ **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T_> SIMTX_API cudaHostGetDevicePointer(T_ **pDevice, void *pHost, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}

template <class T_>
SIMTX_API cudaMallocManaged(T_ **devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}

template <class T_> SIMTX_API cudaMallocPitch(T_ **devPtr, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}

template <class T_> SIMTX_API cudaMallocAsync(T_ **devPtr, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)devPtr, size, stream);
}

template <class T_> SIMTX_API cudaMallocAsync(T_ **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T_>
SIMTX_API cudaMallocFromPoolAsync(T_ **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T_> SIMTX_API cudaStreamAttachMemAsync(cudaStream_t stream, T_ *devPtr, size_t length = 0,
                                                      unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}

SIMTX_API cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* Symbols: the argument is the variable itself. */
template <class T_> SIMTX_API cudaMemcpyToSymbol(const T_ &symbol, const void *src, size_t count,
                                                size_t offset = 0,
                                                enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <class T_> SIMTX_API cudaMemcpyFromSymbol(void *dst, const T_ &symbol, size_t count, size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <class T_>
SIMTX_API cudaMemcpyToSymbolAsync(const T_ &symbol, const void *src, size_t count, size_t offset = 0,
                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <class T_> SIMTX_API cudaMemcpyFromSymbolAsync(void *dst, const T_ &symbol, size_t count,
                                                       size_t offset = 0,
                                                       enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                       cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <class T_> SIMTX_API cudaGetSymbolAddress(void **devPtr, const T_ &symbol)
{
    return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}

template <class T_> SIMTX_API cudaGetSymbolSize(size_t *size, const T_ &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

/* Kernels */
template <class T_> SIMTX_API cudaLaunchKernel(T_ *func, dim3 gridDim, dim3 blockDim, void **args,
                                              size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}

template <class T_> SIMTX_API cudaLaunchCooperativeKernel(T_ *func, dim3 gridDim, dim3 blockDim,
                                                         void **args, size_t sharedMem = 0,
                                                         cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}

template <class T_> SIMTX_API cudaFuncSetCacheConfig(T_ *func, enum cudaFuncCache cacheConfig)
{
    return ::cudaFuncSetCacheConfig((const void *)func, cacheConfig);
}

template <class T_> SIMTX_API cudaFuncSetSharedMemConfig(T_ *func, enum cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}

template <class T_> SIMTX_API cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T_ *func)
{
    return ::cudaFuncGetAttributes(attr, (const void *)func);
}

template <class T_> SIMTX_API cudaFuncSetAttribute(T_ *func, enum cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}

/* Occupancy */
template <class T_> SIMTX_API
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T_ func, int blockSize, size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func, blockSize,
                                                           dynamicSMemSize);
}

template <class T_>
SIMTX_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T_ func, int blockSize,
                                                                 size_t dynamicSMemSize, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void *)func, blockSize,
                                                                    dynamicSMemSize, flags);
}

template <class T_> SIMTX_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, T_ func,
                                                                       int numBlocks, int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void *)func, numBlocks,
                                                       blockSize);
}

/* The block size with the most resident threads, found by trying every multiple of the warp size. */
template <class UnaryFunction, class T_>
SIMTX_API cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize, T_ func,
                                                                  UnaryFunction blockSizeToDynamicSMemSize,
                                                                  int blockSizeLimit = 0,
                                                                  unsigned int flags = 0)
{
    int dev = 0, sms = 0, warp = 32, most = 0, blocks = 0, best = 0;
    struct cudaFuncAttributes attr;
    cudaError_t err;
    if (!minGridSize || !blockSize)
        return cudaErrorInvalidValue;
    if ((err = ::cudaGetDevice(&dev)) != cudaSuccess ||
        (err = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev)) != cudaSuccess ||
        (err = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, dev)) != cudaSuccess ||
        (err = ::cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, dev)) != cudaSuccess ||
        (err = ::cudaFuncGetAttributes(&attr, (const void *)func)) != cudaSuccess)
        return err;
    if (attr.maxThreadsPerBlock && attr.maxThreadsPerBlock < most)
        most = attr.maxThreadsPerBlock;
    if (blockSizeLimit && blockSizeLimit < most)
        most = blockSizeLimit;
    for (int size = most; size > 0; size = (size - 1) / warp * warp) {
        err = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, size, (size_t)blockSizeToDynamicSMemSize(size), flags);
        if (err != cudaSuccess)
            return err;
        if (blocks * size > best) {
            best = blocks * size;
            *blockSize = size;
            *minGridSize = blocks * sms;
        }
    }
    return best ? cudaSuccess : cudaErrorInvalidValue;
}

template <class UnaryFunction, class T_>
SIMTX_API cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T_ func,
                                                         UnaryFunction blockSizeToDynamicSMemSize,
                                                         int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit, 0u);
}

struct simtx_constant_smem {
    size_t bytes;
    __host__ __device__ size_t operator()(int) const { return bytes; }
};

template <class T_> SIMTX_API cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                                         T_ func, size_t dynamicSMemSize = 0,
                                                                         int blockSizeLimit = 0,
                                                                         unsigned int flags = 0)
{
    simtx_constant_smem smem = {dynamicSMemSize};
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, smem,
                                                                   blockSizeLimit, flags);
}

template <class T_> SIMTX_API cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T_ func,
                                                                size_t dynamicSMemSize = 0,
                                                                int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize,
                                                       blockSizeLimit, 0u);
}

/* Texture and surface references */
template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaBindTexture(size_t *offset, const struct texture<T_, dim, mode> &tex, const void *devPtr,
                          const struct cudaChannelFormatDesc &desc, size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, (const struct textureReference *)&tex, devPtr, &desc, size);
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaBindTexture(size_t *offset, const struct texture<T_, dim, mode> &tex, const void *devPtr,
                          size_t size = UINT_MAX)
{
    return cudaBindTexture(offset, tex, devPtr, tex.channelDesc, size);
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaBindTexture2D(size_t *offset, const struct texture<T_, dim, mode> &tex, const void *devPtr,
                            const struct cudaChannelFormatDesc &desc, size_t width, size_t height,
                            size_t pitch)
{
    return ::cudaBindTexture2D(offset, (const struct textureReference *)&tex, devPtr, &desc, width, height,
                               pitch);
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaBindTexture2D(size_t *offset, const struct texture<T_, dim, mode> &tex, const void *devPtr,
                            size_t width, size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, tex, devPtr, tex.channelDesc, width, height, pitch);
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaBindTextureToArray(const struct texture<T_, dim, mode> &tex, cudaArray_const_t array,
                                 const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray((const struct textureReference *)&tex, array, &desc);
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaBindTextureToArray(const struct texture<T_, dim, mode> &tex, cudaArray_const_t array)
{
    struct cudaChannelFormatDesc desc;
    cudaError_t err = ::cudaGetChannelDesc(&desc, array);
    return err == cudaSuccess ? cudaBindTextureToArray(tex, array, desc) : err;
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaUnbindTexture(const struct texture<T_, dim, mode> &tex)
{
    return ::cudaUnbindTexture((const struct textureReference *)&tex);
}

template <class T_, int dim, enum cudaTextureReadMode mode>
SIMTX_API cudaGetTextureAlignmentOffset(size_t *offset, const struct texture<T_, dim, mode> &tex)
{
    return ::cudaGetTextureAlignmentOffset(offset, (const struct textureReference *)&tex);
}

template <class T_, int dim> SIMTX_API cudaBindSurfaceToArray(const struct surface<T_, dim> &surf,
                                                             cudaArray_const_t array,
                                                             const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindSurfaceToArray((const struct surfaceReference *)&surf, array, &desc);
}

template <class T_, int dim>
SIMTX_API cudaBindSurfaceToArray(const struct surface<T_, dim> &surf, cudaArray_const_t array)
{
    struct cudaChannelFormatDesc desc;
    cudaError_t err = ::cudaGetChannelDesc(&desc, array);
    return err == cudaSuccess ? cudaBindSurfaceToArray(surf, array, desc) : err;
}

#include "simtx/newer_signatures.h"

#undef SIMTX_API

/* Announces the section of __managed__ variables of this program or library, if it has one, before its device code. In
 * the host's pass clang's wrapper defines __CUDA_ARCH__ as 9999 around this file. */
#if defined(__CUDA__) && defined(__clang__) && __CUDA_ARCH__ == 9999
extern "C" {
extern __attribute__((weak, visibility("hidden"))) char __start_simtx_managed[], __stop_simtx_managed[];
__attribute__((weak)) void __cudaSimtxManagedSection(const void *start, const void *stop);
static __attribute__((constructor(101), used)) void simtx_managed_section(void)
{
    if (__start_simtx_managed && __cudaSimtxManagedSection)
        __cudaSimtxManagedSection(__start_simtx_managed, __stop_simtx_managed);
}
}
#endif

#endif
#endif
