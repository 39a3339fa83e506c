/* NVTX: names for objects of the driver API. Without a profiler the functions do nothing. */
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_

#include <cuda.h>

#include "nvToolsExt.h"

NVTX_INLINE void nvtxNameCuDeviceA(CUdevice device, const char *name) { (void)device, (void)name; }
NVTX_INLINE void nvtxNameCuContextA(CUcontext context, const char *name) { (void)context, (void)name; }
NVTX_INLINE void nvtxNameCuStreamA(CUstream stream, const char *name) { (void)stream, (void)name; }
NVTX_INLINE void nvtxNameCuEventA(CUevent event, const char *name) { (void)event, (void)name; }

#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA

#endif
