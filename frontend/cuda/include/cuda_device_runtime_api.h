/* The device runtime: functions of the runtime API in device code. simtx runs no launches from kernels: device code
 * that refers to cudaGetParameterBuffer or cudaLaunchDevice, which libraries name, is rejected when it is loaded. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "host_defines.h"
#include "driver_types.h"

#if defined(__cplusplus) && defined(__CUDA__)
#define SIMTX_DEVICE_API static __inline__ __device__ __attribute__((unused))

extern "C" {
__device__ void *malloc(size_t size) __attribute__((nothrow)) __attribute__((malloc));
__device__ void free(void *ptr) __attribute__((nothrow));

__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

SIMTX_DEVICE_API const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define ERROR(name, text) case name: return #name;
#include "simtx/errors.def"
#undef ERROR
    }
    return "unrecognized error code";
}

SIMTX_DEVICE_API const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define ERROR(name, text) case name: return text;
#include "simtx/errors.def"
#undef ERROR
    }
    return "unrecognized error code";
}

/* Memory of the device heap (cudaLimitMallocHeapSize), like that of malloc. */
SIMTX_DEVICE_API cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    *devPtr = size ? malloc(size) : (void *)0;
    return *devPtr || !size ? cudaSuccess : cudaErrorMemoryAllocation;
}

SIMTX_DEVICE_API cudaError_t cudaFree(void *devPtr)
{
    free(devPtr);
    return cudaSuccess;
}
}

/* Programmatic dependent launches: a kernel starts after those before it in its stream have ended, so only the
 * compiler's order of accesses matters. */
SIMTX_DEVICE_API void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("" ::: "memory");
}

SIMTX_DEVICE_API void cudaGridDependencySynchronize()
{
    asm volatile("" ::: "memory");
}

template <class T_> SIMTX_DEVICE_API cudaError_t cudaMalloc(T_ **devPtr, size_t size)
{
    return ::cudaMalloc((void **)(void *)devPtr, size);
}
#endif

#endif
