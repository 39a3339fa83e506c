/* checkCudaErrors(), getLastCudaError() and device selection, as sample programs expect them. */
#ifndef COMMON_HELPER_CUDA_H_
#define COMMON_HELPER_CUDA_H_

#include <stdio.h>
#include <stdlib.h>
#include "cuda_runtime.h"
#include "helper_string.h"
#include "simtx/sm_lanes.h"

template <class T_> static inline void simtx_check(T_ result, const char *what, const char *file, int line)
{
    if (result) {
        fprintf(stderr, "%s:%d: %s failed: %s (%d)\n", file, line, what,
                cudaGetErrorName((cudaError_t)result), (int)result);
        exit(EXIT_FAILURE);
    }
}

/* The name under which programs call it themselves. */
template <class T_> static inline void check(T_ result, const char *const what, const char *const file, const int line)
{
    simtx_check(result, what, file, line);
}

static inline void simtx_print_last(const char *message, const char *file, int line)
{
    cudaError_t error = cudaGetLastError();
    if (error)
        fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, message, cudaGetErrorName(error), (int)error);
}

#define checkCudaErrors(call) simtx_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(msg) simtx_check(cudaGetLastError(), msg, __FILE__, __LINE__)
#define printLastCudaError(msg) simtx_print_last(msg, __FILE__, __LINE__)
#ifndef DEVICE_RESET
#define DEVICE_RESET cudaDeviceReset();
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

static inline int _ConvertSMVer2Cores(int major, int minor) { return simtx_sm_lanes(major, minor); }

static inline const char *_ConvertSMVer2ArchName(int major, int minor)
{
    static const struct {
        int since;
        const char *name;
    } names[] = {{100, "Blackwell"}, {90, "Hopper"},  {89, "Ada"},    {80, "Ampere"}, {75, "Turing"},
                 {70, "Volta"},      {60, "Pascal"},  {50, "Maxwell"}, {30, "Kepler"}, {20, "Fermi"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (major * 10 + minor >= names[i].since)
            return names[i].name;
    return "Graphics Device";
}

static inline int ftoi(float value) { return (int)(value >= 0 ? value + 0.5 : value - 0.5); }

static inline int gpuDeviceInit(int device)
{
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (device < 0)
        device = 0;
    if (device >= count) {
        fprintf(stderr, "device %d: there are %d\n", device, count);
        return -1;
    }
    checkCudaErrors(cudaSetDevice(device));
    return device;
}

/* Devices of simtx are equal. */
static inline int gpuGetMaxGflopsDeviceId() { return 0; }

/* None is integrated. */
static inline int findIntegratedGPU()
{
    fprintf(stderr, "no integrated GPU\n");
    exit(EXIT_FAILURE);
}

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
