// The helper headers of samples for the driver API and NVRTC: the kernel of this file is loaded from the fat binary that
// the test made of it, and compiled once more at run time from the source that the first argument names.
extern "C" __global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

#ifndef __CUDACC_RTC__
#include <cuda.h>
#include <nvrtc_helper.h>
#include <vector>

// Runs the module's kernel on 0, 1, 2 ...; true if each element was doubled.
static bool doubles(CUmodule module) {
    enum { N = 1000 };
    std::vector<float> x(N);
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    CUfunction kernel;
    CUdeviceptr at;
    int n = N;
    void *args[] = {&at, &n};
    checkCudaErrors(cuModuleGetFunction(&kernel, module, "twice"));
    checkCudaErrors(cuMemAlloc(&at, N * sizeof(float)));
    checkCudaErrors(cuMemcpyHtoD(at, x.data(), N * sizeof(float)));
    checkCudaErrors(cuLaunchKernel(kernel, (N + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, args, NULL));
    checkCudaErrors(cuMemcpyDtoH(x.data(), at, N * sizeof(float)));
    checkCudaErrors(cuMemFree(at));
    for (int i = 0; i < N; i++)
        if (x[i] != 2.0f * i)
            return false;
    return true;
}

int main(int argc, char **argv) {
    CUdevice device = findCudaDeviceDRV(argc, (const char **)argv);
    CUcontext context;
    CUmodule module;
    std::string path;
    std::ostringstream image;
    checkCudaErrors(cuCtxCreate(&context, 0, device));
    if (findFatbinPath("no_such.fatbin", path, argv, image) || !checkCudaCapabilitiesDRV(3, 0, device) ||
        checkCudaCapabilitiesDRV(99, 0, device) || !findFatbinPath("module_helpers.fatbin", path, argv, image))
        return 1;
    checkCudaErrors(cuModuleLoadData(&module, image.str().c_str()));
    if (!doubles(module))
        return 2;
    char *cubin;
    size_t size;
    compileFileToCUBIN(argv[1], argc, argv, &cubin, &size, 0);
    return doubles(loadCUBIN(cubin, argc, argv)) ? 0 : 3;
}
#endif
