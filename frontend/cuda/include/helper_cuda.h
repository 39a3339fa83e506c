/* checkCudaErrors(), getLastCudaError() and device selection, as sample programs expect them. */
#ifndef COMMON_HELPER_CUDA_H_
#define COMMON_HELPER_CUDA_H_

#include <stdio.h>
#include <stdlib.h>
#include "cuda_runtime.h"
#include "helper_string.h"

template <class T> static inline void simtx_check(T result, const char *what, const char *file, int line)
{
    if (result) {
        fprintf(stderr, "%s:%d: %s failed: %s (%d)\n", file, line, what,
                cudaGetErrorName((cudaError_t)result), (int)result);
        exit(EXIT_FAILURE);
    }
}

#define checkCudaErrors(call) simtx_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(msg) simtx_check(cudaGetLastError(), msg, __FILE__, __LINE__)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

/* Arithmetic lanes of one multiprocessor (CUDA C++ programming guide, "Arithmetic Instructions"). */
static inline int _ConvertSMVer2Cores(int major, int minor)
{
    switch (major * 10 + minor) {
    case 35:
    case 37: return 192;
    case 50:
    case 52:
    case 53:
    case 61:
    case 62:
    case 86:
    case 87: return 128;
    default: return 64;
    }
}

static inline int gpuGetMaxGflopsDeviceId() { return 0; }

static inline int findCudaDevice(int argc, const char **argv)
{
    int dev = checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0;
    struct cudaDeviceProp prop;
    checkCudaErrors(cudaSetDevice(dev));
    checkCudaErrors(cudaGetDeviceProperties(&prop, dev));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", dev, prop.name, prop.major, prop.minor);
    return dev;
}

static inline bool checkCudaCapabilities(int major, int minor)
{
    struct cudaDeviceProp prop;
    int dev = 0;
    checkCudaErrors(cudaGetDevice(&dev));
    checkCudaErrors(cudaGetDeviceProperties(&prop, dev));
    return prop.major > major || (prop.major == major && prop.minor >= minor);
}

#endif
