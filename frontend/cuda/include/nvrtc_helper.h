/* Compilation of a source file at run time and loading of the result, as sample programs expect them. */
#ifndef COMMON_NVRTC_HELPER_H_
#define COMMON_NVRTC_HELPER_H_

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
#include "cuda.h"
#include "helper_cuda_drvapi.h"
#include "nvrtc.h"

#define NVRTC_SAFE_CALL(Name, x)                                                                                       \
    do {                                                                                                               \
        nvrtcResult simtx_result = x;                                                                                  \
        if (simtx_result != NVRTC_SUCCESS) {                                                                           \
            std::cerr << "\nerror: " << Name << " failed with error " << nvrtcGetErrorString(simtx_result) << "\n";    \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

/* The result is allocated by malloc(); loadCUBIN() frees it. The headers of cooperative groups need no option. */
inline void compileFileToCUBIN(char *filename, int argc, char **argv, char **cubin, size_t *size, int)
{
    std::ifstream file(filename, std::ios::binary);
    if (!file) {
        std::cerr << "\nerror: unable to open " << filename << " for reading!\n";
        exit(EXIT_FAILURE);
    }
    std::ostringstream source;
    source << file.rdbuf();
    CUdevice device = findCudaDeviceDRV(argc, (const char **)argv);
    int major = 0, minor = 0;
    checkCudaErrors(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    checkCudaErrors(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    std::string arch = "--gpu-architecture=sm_" + std::to_string(major * 10 + minor);
    const char *option = arch.c_str();

    nvrtcProgram program;
    NVRTC_SAFE_CALL("nvrtcCreateProgram", nvrtcCreateProgram(&program, source.str().c_str(), filename, 0, NULL, NULL));
    nvrtcResult result = nvrtcCompileProgram(program, 1, &option);
    size_t length = 0;
    NVRTC_SAFE_CALL("nvrtcGetProgramLogSize", nvrtcGetProgramLogSize(program, &length));
    std::vector<char> log(length + 1);
    NVRTC_SAFE_CALL("nvrtcGetProgramLog", nvrtcGetProgramLog(program, log.data()));
    if (strlen(log.data()) > 1)
        std::cerr << "\n compilation log ---\n" << log.data() << "\n end log ---\n";
    NVRTC_SAFE_CALL("nvrtcCompileProgram", result);
    NVRTC_SAFE_CALL("nvrtcGetCUBINSize", nvrtcGetCUBINSize(program, size));
    *cubin = (char *)malloc(*size);
    if (!*cubin) {
        std::cerr << "\nerror: no memory for " << *size << " bytes of code\n";
        exit(EXIT_FAILURE);
    }
    NVRTC_SAFE_CALL("nvrtcGetCUBIN", nvrtcGetCUBIN(program, *cubin));
    NVRTC_SAFE_CALL("nvrtcDestroyProgram", nvrtcDestroyProgram(&program));
}

inline CUmodule loadCUBIN(char *cubin, int argc, char **argv)
{
    CUdevice device = findCudaDeviceDRV(argc, (const char **)argv);
    CUcontext context;
    CUmodule module;
    checkCudaErrors(cuCtxCreate(&context, 0, device));
    checkCudaErrors(cuModuleLoadData(&module, cubin));
    free(cubin);
    return module;
}

#endif
