/* NVTX: names for objects of the runtime API. Without a profiler the functions do nothing. */
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include <driver_types.h>

#include "nvToolsExt.h"

NVTX_INLINE void nvtxNameCudaDeviceA(int device, const char *name) { (void)device, (void)name; }
NVTX_INLINE void nvtxNameCudaStreamA(cudaStream_t stream, const char *name) { (void)stream, (void)name; }
NVTX_INLINE void nvtxNameCudaEventA(cudaEvent_t event, const char *name) { (void)event, (void)name; }

#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA

#endif
