/* The part of the device runtime (dynamic parallelism) that libraries name in device code. simtx runs no launches
 * from kernels: device code that refers to one of the launch functions is rejected when it is loaded. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "host_defines.h"
#include "driver_types.h"

#if defined(__cplusplus) && defined(__CUDA__)
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned int sharedMemSize, cudaStream_t stream);
/* A kernel starts when all earlier work of its stream is complete, so there is nothing to wait for, or to announce. */
static __inline__ __device__ void cudaGridDependencySynchronize(void) { __asm__ volatile("" ::: "memory"); }
static __inline__ __device__ void cudaTriggerProgrammaticLaunchCompletion(void) { __asm__ volatile("" ::: "memory"); }
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
}
#endif

#endif
