// The runtime's error conventions: cudaGetLastError clears what cudaPeekAtLastError only returns; rejected
// calls leave the context usable; each kind of wrong launch, copy, pointer, symbol, device and handle gives its own
// code; names and texts of codes are CUDA's. After all of it a correct kernel must still run.
#define PROGRAM "error_api"
#include "../check.h"

__device__ int symbol[4];
static int not_a_symbol;

__global__ void fill(int *out, int value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void not_a_kernel(int *, int) {}

// A rejected call returns the code, which is the last error until cudaGetLastError clears it.
static void expect_refused(const char *what, cudaError_t expected, cudaError_t got) {
    expect_error(what, expected, got);
    expect_error(what, expected, cudaPeekAtLastError());
    expect_error(what, expected, cudaGetLastError());
    expect_error(what, cudaSuccess, cudaPeekAtLastError());
    expect_error(what, cudaSuccess, cudaGetLastError());
}

// A launch returns nothing itself.
static void expect_launch_refused(const char *what, cudaError_t expected) {
    expect_error(what, expected, cudaPeekAtLastError());
    expect_refused(what, expected, cudaPeekAtLastError());
    CHECK(cudaDeviceSynchronize());
}

static void check_launches(int *out, const cudaDeviceProp &p) {
    fill<<<1, p.maxThreadsPerBlock + 1>>>(out, 1);
    expect_launch_refused("too many threads", cudaErrorInvalidConfiguration);
    fill<<<1, dim3(1, 1, p.maxThreadsDim[2] + 1)>>>(out, 1);
    expect_launch_refused("block too deep", cudaErrorInvalidConfiguration);
    fill<<<0, 32>>>(out, 1);
    expect_launch_refused("empty grid", cudaErrorInvalidConfiguration);
    fill<<<1, 0>>>(out, 1);
    expect_launch_refused("empty block", cudaErrorInvalidConfiguration);
    fill<<<dim3(1, p.maxGridSize[1] + 1), 32>>>(out, 1);
    expect_launch_refused("grid too high", cudaErrorInvalidConfiguration);
    fill<<<1, 32, 16 << 20>>>(out, 1);
    expect_launch_refused("too much shared memory", cudaErrorInvalidValue);
    int value = 1;
    void *arguments[] = {&out, &value};
    expect_refused("launch of something that is no kernel", cudaErrorInvalidDeviceFunction,
                   cudaLaunchKernel((const void *)not_a_kernel, dim3(1), dim3(1), arguments, 0, 0));
    CHECK(cudaLaunchKernel((const void *)fill, dim3(1), dim3(8), arguments, 0, 0));
    CHECK_KERNEL();
    expect_equal("explicit launch", 0, 1, to_host(out, 8)[7]);
}

static void check_memory(int *out, int n) {
    int host[8] = {0};
    void *pointer = nullptr;
    expect_refused("impossible allocation", cudaErrorMemoryAllocation, cudaMalloc(&pointer, (size_t)1 << 60));
    expect_refused("allocation to nowhere", cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 16));
    expect_refused("free of a host pointer", cudaErrorInvalidValue, cudaFree(host));
    expect_refused("free inside an allocation", cudaErrorInvalidValue, cudaFree(out + 1));
    CHECK(cudaFree(nullptr));
    CHECK(cudaFreeHost(nullptr));
    CHECK(cudaMalloc(&pointer, 64));
    CHECK(cudaFree(pointer));
    expect_refused("second free", cudaErrorInvalidValue, cudaFree(pointer));
    expect_refused("copy past the end", cudaErrorInvalidValue,
                   cudaMemcpy(out + n - 2, host, sizeof host, cudaMemcpyHostToDevice));
    expect_refused("copy in no direction", cudaErrorInvalidMemcpyDirection,
                   cudaMemcpy(out, host, sizeof host, (cudaMemcpyKind)17));
    expect_refused("set past the end", cudaErrorInvalidValue, cudaMemset(out, 0, (n + 1) * sizeof(int)));
    expect_refused("row wider than its pitch", cudaErrorInvalidPitchValue,
                   cudaMemcpy2D(out, 8, host, 16, 16, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(out, host, 0, cudaMemcpyHostToDevice));
}

static void check_handles() {
    int value = 0;
    void *address = nullptr;
    size_t size = 0;
    expect_refused("copy past a symbol's end", cudaErrorInvalidValue,
                   cudaMemcpyToSymbol(symbol, &value, sizeof value, 4 * sizeof value));
    expect_refused("address of no symbol", cudaErrorInvalidSymbol,
                   cudaGetSymbolAddress(&address, not_a_symbol));
    expect_refused("size of no symbol", cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, not_a_symbol));
    expect_refused("device that is not there", cudaErrorInvalidDevice, cudaSetDevice(1000));
    expect_refused("properties of no device", cudaErrorInvalidDevice,
                   cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1));
    expect_refused("attribute that is none", cudaErrorInvalidValue,
                   cudaDeviceGetAttribute(&value, (cudaDeviceAttr)99999, 0));
    cudaFuncAttributes attributes;
    expect_refused("attributes of no kernel", cudaErrorInvalidDeviceFunction,
                   cudaFuncGetAttributes(&attributes, (const void *)not_a_kernel));
    cudaEvent_t start, stop;
    float milliseconds;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    expect_refused("time between events never recorded", cudaErrorInvalidResourceHandle,
                   cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

struct Text {
    cudaError_t error;
    const char *name, *text;
};

static void check_texts() {
    const Text texts[] = {
        {cudaSuccess, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
        {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
        {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
         "too many resources requested for launch"},
        {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
        {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
        {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
        {(cudaError_t)12345, "unrecognized error code", "unrecognized error code"},
    };
    for (const Text &text : texts) {
        expect_equal("error name", text.error, std::string(text.name),
                     std::string(cudaGetErrorName(text.error)));
        expect_equal("error text", text.error, std::string(text.text),
                     std::string(cudaGetErrorString(text.error)));
    }
    const int numbers[] = {cudaErrorInvalidValue,  cudaErrorMemoryAllocation, cudaErrorInvalidConfiguration,
                           cudaErrorInvalidDevice, cudaErrorIllegalAddress,   cudaErrorAssert,
                           cudaErrorLaunchFailure};
    const int known[] = {1, 2, 9, 101, 700, 710, 719};
    for (int i = 0; i < 7; i++) {
        expect_equal("error number", i, known[i], numbers[i]);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1024, 128, 1 << 20) / 128 * 128;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int *out = device_zeros<int>(n);
    check_texts();
    check_launches(out, properties);
    check_memory(out, n);
    check_handles();

    // A successful call does not clear the last error; only reading it does.
    expect_error("refused", cudaErrorInvalidDevice, cudaSetDevice(1000));
    CHECK(cudaDeviceSynchronize());
    expect_error("still the last error", cudaErrorInvalidDevice, cudaGetLastError());

    fill<<<n / 128, 128>>>(out, 77);
    CHECK_KERNEL();
    expect_same("correct kernel afterwards", std::vector<int>(n, 77), to_host(out, n));
    return pass();
}
