/* Types of pointers to functions of the driver API, for programs that look the functions up by name
 * (cudaGetDriverEntryPoint, cuGetProcAddress): PFN_cuInit, and PFN_cuInit_v2000 with the release of CUDA whose
 * signature it has. A row names a function of cuda.h and the release in which its present signature appeared (CUDA
 * Driver API, "Driver Entry Point Access"). */
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include <cuda.h>

/* PFN_##function has the name as it is written, __typeof__ that of cuda.h's macro for it (cuMemAlloc_v2). */
#define SIMTX_PFN(function, release)              \
    typedef __typeof__(function) *PFN_##function; \
    typedef __typeof__(function) *PFN_##function##_v##release;

/* Devices, errors, look-up */
SIMTX_PFN(cuInit, 2000)
SIMTX_PFN(cuDriverGetVersion, 2020)
SIMTX_PFN(cuDeviceGet, 2000)
SIMTX_PFN(cuDeviceGetCount, 2000)
SIMTX_PFN(cuDeviceGetName, 2000)
SIMTX_PFN(cuDeviceGetAttribute, 2000)
SIMTX_PFN(cuGetErrorString, 6000)
SIMTX_PFN(cuGetErrorName, 6000)
SIMTX_PFN(cuDeviceTotalMem, 3020)
typedef __typeof__(cuGetProcAddress_v2) *PFN_cuGetProcAddress;     /* cuda.h names the first signature */
typedef PFN_cuGetProcAddress PFN_cuGetProcAddress_v12000;

/* Contexts */
SIMTX_PFN(cuDevicePrimaryCtxRetain, 7000)
SIMTX_PFN(cuDevicePrimaryCtxGetState, 7000)
SIMTX_PFN(cuCtxGetCurrent, 4000)
SIMTX_PFN(cuCtxSetCurrent, 4000)
SIMTX_PFN(cuCtxGetDevice, 2000)
SIMTX_PFN(cuCtxSynchronize, 2000)
SIMTX_PFN(cuDevicePrimaryCtxRelease, 11000)
SIMTX_PFN(cuCtxCreate, 3020)
SIMTX_PFN(cuCtxDestroy, 4000)
SIMTX_PFN(cuCtxPushCurrent, 4000)
SIMTX_PFN(cuCtxPopCurrent, 4000)

/* Code */
SIMTX_PFN(cuModuleLoad, 2000)
SIMTX_PFN(cuModuleLoadData, 2000)
SIMTX_PFN(cuModuleLoadDataEx, 2010)
SIMTX_PFN(cuModuleUnload, 2000)
SIMTX_PFN(cuModuleGetFunction, 2000)
SIMTX_PFN(cuLibraryLoadData, 12000)
SIMTX_PFN(cuLibraryUnload, 12000)
SIMTX_PFN(cuLibraryGetKernel, 12000)
SIMTX_PFN(cuKernelGetFunction, 12000)
SIMTX_PFN(cuFuncGetAttribute, 2020)
SIMTX_PFN(cuFuncSetAttribute, 9000)
SIMTX_PFN(cuLaunchKernel, 4000)
SIMTX_PFN(cuLaunchKernelEx, 11060)
SIMTX_PFN(cuLaunchCooperativeKernel, 9000)
SIMTX_PFN(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050)
SIMTX_PFN(cuModuleGetGlobal, 3020)

/* Memory */
SIMTX_PFN(cuMemAllocManaged, 6000)
SIMTX_PFN(cuMemAddressReserve, 10020)
SIMTX_PFN(cuMemAddressFree, 10020)
SIMTX_PFN(cuMemCreate, 10020)
SIMTX_PFN(cuMemRelease, 10020)
SIMTX_PFN(cuMemMap, 10020)
SIMTX_PFN(cuMemUnmap, 10020)
SIMTX_PFN(cuMemSetAccess, 10020)
SIMTX_PFN(cuMemGetAllocationGranularity, 10020)
SIMTX_PFN(cuPointerGetAttribute, 4000)
SIMTX_PFN(cuPointerGetAttributes, 7000)
SIMTX_PFN(cuMemGetInfo, 3020)
SIMTX_PFN(cuMemAlloc, 3020)
SIMTX_PFN(cuMemFree, 3020)
SIMTX_PFN(cuMemGetAddressRange, 3020)
SIMTX_PFN(cuMemcpyHtoD, 3020)
SIMTX_PFN(cuMemcpyDtoH, 3020)
SIMTX_PFN(cuMemcpyDtoD, 3020)
SIMTX_PFN(cuMemcpyHtoDAsync, 3020)
SIMTX_PFN(cuMemcpyDtoHAsync, 3020)
SIMTX_PFN(cuMemsetD8, 3020)
SIMTX_PFN(cuMemsetD32, 3020)

/* Tensor maps */
SIMTX_PFN(cuTensorMapEncodeTiled, 12000)
SIMTX_PFN(cuTensorMapEncodeIm2col, 12000)
SIMTX_PFN(cuTensorMapReplaceAddress, 12000)

/* Streams and events */
SIMTX_PFN(cuStreamCreate, 2000)
SIMTX_PFN(cuStreamSynchronize, 2000)
SIMTX_PFN(cuStreamWaitEvent, 3020)
SIMTX_PFN(cuEventCreate, 2000)
SIMTX_PFN(cuEventRecord, 2000)
SIMTX_PFN(cuEventSynchronize, 2000)
SIMTX_PFN(cuStreamDestroy, 4000)
SIMTX_PFN(cuEventDestroy, 4000)
SIMTX_PFN(cuStreamWriteValue32, 11070)
SIMTX_PFN(cuStreamWaitValue32, 11070)

#undef SIMTX_PFN

#endif
