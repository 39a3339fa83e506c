/* checkCudaErrors(), device selection and module files for the driver API, as sample programs expect them. Programs
 * include cuda.h before it. */
#ifndef COMMON_HELPER_CUDA_DRVAPI_H_
#define COMMON_HELPER_CUDA_DRVAPI_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include "cuda.h"
#include "helper_string.h"
#include "simtx/sm_lanes.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

#ifndef checkCudaErrors
static inline void simtx_check_driver(CUresult result, const char *what, const char *file, int line)
{
    if (result != CUDA_SUCCESS) {
        const char *name = NULL;
        cuGetErrorName(result, &name);
        fprintf(stderr, "%s:%d: %s failed: %s (%d)\n", file, line, what, name ? name : "unknown error", (int)result);
        exit(EXIT_FAILURE);
    }
}
#define checkCudaErrors(call) simtx_check_driver((call), #call, __FILE__, __LINE__)
#endif

#ifndef COMMON_HELPER_CUDA_H_
static inline int ftoi(float value) { return (int)(value >= 0 ? value + 0.5 : value - 0.5); }
#endif

template <class T_> inline void getCudaAttribute(T_ *attribute, CUdevice_attribute which, int device)
{
    checkCudaErrors(cuDeviceGetAttribute(attribute, which, device));
}

static inline int _ConvertSMVer2CoresDRV(int major, int minor) { return simtx_sm_lanes(major, minor); }

static inline int gpuDeviceInitDRV(int argc, const char **argv)
{
    int count = 0, device = getCmdLineArgumentInt(argc, argv, "device");
    checkCudaErrors(cuInit(0));
    checkCudaErrors(cuDeviceGetCount(&count));
    if (device < 0)
        device = 0;
    if (device >= count) {
        fprintf(stderr, "device %d: there are %d\n", device, count);
        return -1;
    }
    return device;
}

/* Devices of simtx are equal. */
static inline int gpuGetMaxGflopsDeviceIdDRV()
{
    checkCudaErrors(cuInit(0));
    return 0;
}

/* None is integrated. */
static inline CUdevice findIntegratedGPUDrv()
{
    fprintf(stderr, "no integrated GPU\n");
    exit(EXIT_FAILURE);
}

static inline CUdevice findCudaDeviceDRV(int argc, const char **argv)
{
    int at = checkCmdLineFlag(argc, argv, "device") ? gpuDeviceInitDRV(argc, argv) : gpuGetMaxGflopsDeviceIdDRV();
    if (at < 0)
        exit(EXIT_FAILURE);
    CUdevice device;
    char name[100];
    checkCudaErrors(cuDeviceGet(&device, at));
    checkCudaErrors(cuDeviceGetName(name, sizeof name, device));
    printf("> Using CUDA Device [%d]: %s\n", at, name);
    return device;
}

static inline bool checkCudaCapabilitiesDRV(int major, int minor, int device)
{
    int has_major = 0, has_minor = 0;
    checkCudaErrors(cuDeviceGetAttribute(&has_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    checkCudaErrors(cuDeviceGetAttribute(&has_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    return has_major > major || (has_major == major && has_minor >= minor);
}

/* Finds a module's file near the program; the content of a fat binary is written to the stream. */
inline bool findFatbinPath(const char *module_file, std::string &module_path, char **argv, std::ostringstream &image)
{
    char *path = sdkFindFilePath(module_file, argv[0]);
    if (!path) {
        printf("> findModulePath could not find file: <%s>\n", module_file);
        return false;
    }
    module_path = path;
    free(path);
    printf("> findModulePath found file at <%s>\n", module_path.c_str());
    if (module_path.rfind("fatbin") != std::string::npos)
        image << std::ifstream(module_path.c_str(), std::ios::binary).rdbuf();
    return true;
}

#endif
