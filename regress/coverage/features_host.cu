// The host's side: OpenMP threads of the host around kernels, a loop over all devices with memory and a
// stream on each, peer access, cudaLaunchKernel by pointer, loads and stores with a cache operator, copies
// that go through a stream, channels of half precision, NVTX and function objects in C++, functions of the
// runtime in device code, nvstd::function, functions of the driver by name. Results are exact sums.
#define PROGRAM "features_host"
#include "kernels/check.h"

#include <cudaTypedefs.h>
#include <nvfunctional>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
#include <string>
#if __has_include(<cuda/std/functional>)
#include <cuda/functional>
#endif

static __global__ void scale(const int *in, int *out, int factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * factor;
    }
}

static const int COUNT = 4096;

// The host's reference in parallel, where the compiler has OpenMP, and the same sum from the device.
static void check_openmp() {
    std::vector<int> values(COUNT);
    long long expected = 0;
#pragma omp parallel for reduction(+ : expected)
    for (int i = 0; i < COUNT; i++) {
        values[i] = i * 3 + 1;
        expected += (long long)values[i] * 5;
    }
    int *in = to_device(values), *out = device_zeros<int>(COUNT);
    scale<<<blocks_for(COUNT, 256), 256>>>(in, out, 5, COUNT);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, COUNT);
    long long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < COUNT; i++) {
        sum += got[i];
    }
    expect_equal("sum", 0, expected, sum);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static void check_devices() {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    expect_true("there is a device", devices, devices > 0);
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        int current = -1, reachable = -1;
        cudaStream_t stream;
        CHECK(cudaGetDevice(&current));
        expect_equal("current device", d, d, current);
        CHECK(cudaStreamCreate(&stream));
        std::vector<int> values(COUNT), got(COUNT);
        for (int i = 0; i < COUNT; i++) {
            values[i] = i ^ d;
        }
        int *in = device_buffer<int>(COUNT), *out = device_buffer<int>(COUNT);
        CHECK(cudaMemcpyAsync(in, values.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice, stream));
        scale<<<blocks_for(COUNT, 128), 128, 0, stream>>>(in, out, d + 2, COUNT);
        CHECK(cudaMemcpyAsync(got.data(), out, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < COUNT; i++) {
            expect_equal("scaled", i, (i ^ d) * (d + 2), got[i]);
        }
        CHECK(cudaDeviceCanAccessPeer(&reachable, d, d));
        expect_equal("a device is no peer of itself", d, 0, reachable);
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaSetDevice(0));
    expect_error("a device too many", cudaErrorInvalidDevice, cudaSetDevice(devices));
    CHECK(cudaSetDevice(0));
    (void)cudaGetLastError();
}

static __global__ void cached(const int *in, const float4 *in4, int *out, float4 *out4) {
    int i = threadIdx.x;
    __stcs(out + i, __ldcs(in + i) + __ldcg(in + i));
    __stcg(out4 + i, __ldca(in4 + i));
    __stwt(out + 64 + i, __ldcv(in + i) * 3);
    __stwb(out + 128 + i, __ldg(in + i) * 5);
}

static void check_cached() {
    std::vector<int> in(64);
    std::vector<float4> in4(64);
    for (int i = 0; i < 64; i++) {
        in[i] = i * i - 7;
        in4[i] = make_float4(i, i + 0.25f, i + 0.5f, -i);
    }
    int *din = to_device(in), *out = device_zeros<int>(192);
    float4 *din4 = to_device(in4), *out4 = device_zeros<float4>(64);
    void *arguments[] = {&din, &din4, &out, &out4};
    CHECK(cudaLaunchKernel((const void *)cached, dim3(1), dim3(64), arguments, 0, nullptr));
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, 192);
    std::vector<float4> got4 = to_host(out4, 64);
    for (int i = 0; i < 64; i++) {
        expect_equal("__ldcs and __ldcg", i, 2 * in[i], got[i]);
        expect_equal("__ldcv", i, 3 * in[i], got[64 + i]);
        expect_equal("__ldg", i, 5 * in[i], got[128 + i]);
        expect_true("__ldca of a vector", i, !memcmp(&got4[i], &in4[i], sizeof(float4)));
    }
    CHECK(cudaFree(din));
    CHECK(cudaFree(din4));
    CHECK(cudaFree(out));
    CHECK(cudaFree(out4));
}

// Channels of half precision.
static void check_channels() {
    const cudaChannelFormatDesc channels[] = {cudaCreateChannelDescHalf(), cudaCreateChannelDescHalf1(),
                                              cudaCreateChannelDescHalf2(), cudaCreateChannelDescHalf4()};
    const int widths[][4] = {{16, 0, 0, 0}, {16, 0, 0, 0}, {16, 16, 0, 0}, {16, 16, 16, 16}};
    for (int i = 0; i < 4; i++) {
        const int got[] = {channels[i].x, channels[i].y, channels[i].z, channels[i].w};
        expect_equal("kind of half channels", i, cudaChannelFormatKindFloat, channels[i].f);
        for (int c = 0; c < 4; c++) {
            expect_equal("bits of half channels", i, widths[i][c], got[c]);
        }
    }
}

// Marks for profilers in C++; only that they compile and change nothing.
struct Domain {
    static constexpr const char *name{"simulation"};
};
struct Stage {
    static constexpr const char *message{"stage"};
};

static int marked(int value) {
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range whole{"whole", nvtx3::rgb{10, 20, 30}, nvtx3::payload{value}};
    nvtx3::scoped_range_in<Domain> part{nvtx3::event_attributes{std::string("part"), nvtx3::category{3}}};
    nvtx3::unique_range moved = nvtx3::unique_range{"first"};
    moved = nvtx3::unique_range(nvtx3::registered_string_in<Domain>::get<Stage>());
    nvtx3::mark_in<Domain>("mark", nvtx3::color{0xff00ff00});
    nvtx3::end_range(nvtx3::start_range("open"));
    nvtxNameCudaDevice(0, "first");
    nvtxNameCudaStream(nullptr, "default");
    nvtxNameCuContext(nullptr, "none");
    return value;
}

// Kernels as pointers of their own type, and the attribute that bounds their registers.
static __global__ void __maxnreg__(64) store(int *out, int value) {
    *out = value;
}

static void check_typed_launches() {
    int *out = device_zeros<int>(1), value = 11;
    void (*kernel)(int *, int) = store;
    void *arguments[] = {&out, &value};
    CHECK(cudaLaunchKernel(store, 1, 1, arguments));
    expect_equal("launched by its name", 0, 11, to_host(out, 1)[0]);
    value = 12;
    CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    expect_equal("by a pointer", 0, 12, to_host(out, 1)[0]);
    value = 13;
    CHECK(cudaLaunchCooperativeKernel(kernel, 1, 1, arguments));
    expect_equal("cooperatively", 0, 13, to_host(out, 1)[0]);
    CHECK(cudaFree(out));
}

// Functions of the driver by name, with the types of cudaTypedefs.h.
static void check_driver_functions() {
    void *function = nullptr;
    int devices = 0, count = 0;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaGetDriverEntryPoint("cuDeviceGetCount", &function, cudaEnableDefault));
    PFN_cuDeviceGetCount_v2000 get_count = (PFN_cuDeviceGetCount_v2000)function;
    expect_equal("cuDeviceGetCount", 0, CUDA_SUCCESS, get_count(&count));
    expect_equal("devices", 0, devices, count);
    CHECK(cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault));
    PFN_cuMemAlloc alloc = (PFN_cuMemAlloc)function;
    CUdeviceptr memory = 0;
    expect_equal("cuMemAlloc", 0, CUDA_SUCCESS, alloc(&memory, 64));
    CHECK(cudaFree((void *)memory));
}

#if __has_include(<cuda/std/functional>)
template <class Fn>
static __global__ void called(Fn fn, int *out) {
    out[threadIdx.x] = fn((int)threadIdx.x, 5);
}

static void check_functional() {
    int *out = device_zeros<int>(32);
    called<<<1, 32>>>(cuda::maximum<>(), out);
    std::vector<int> largest = to_host(out, 32);
    called<<<1, 32>>>(cuda::minimum<int>(), out);
    std::vector<int> least = to_host(out, 32);
    called<<<1, 32>>>(cuda::proclaim_return_type<int>([] __device__(int a, int b) { return a * b; }), out);
    std::vector<int> product = to_host(out, 32);
    CHECK_KERNEL();
    for (int i = 0; i < 32; i++) {
        expect_equal("maximum", i, i > 5 ? i : 5, largest[i]);
        expect_equal("minimum", i, i < 5 ? i : 5, least[i]);
        expect_equal("lambda with a stated result", i, i * 5, product[i]);
    }
    CHECK(cudaFree(out));
}
#else
static void check_functional() {}
#endif

// Functions of the runtime in device code: a check of results that host and kernels share, names and texts of errors,
// memory of the device heap.
static __host__ __device__ bool succeeded(cudaError_t error) {
    if (error != cudaSuccess) {
        printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    }
    return error == cudaSuccess;
}

static __device__ void copy_text(char *to, const char *from) {
    do {
        *to++ = *from;
    } while (*from++);
}

static __global__ void call_runtime(int *failed, char (*texts)[100], int code) {
    int *block;
    failed[0] = !succeeded(cudaMalloc(&block, 40 * sizeof *block));
    for (int i = 0; i < 40; i++) {
        block[i] = i;
    }
    failed[1] = block[39] != 39 || !succeeded(cudaFree(block));
    void *too_large = block;
    failed[2] = cudaMalloc(&too_large, (size_t)1 << 40) != cudaErrorMemoryAllocation || too_large != nullptr;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    copy_text(texts[0], cudaGetErrorName((cudaError_t)code));
    copy_text(texts[1], cudaGetErrorString((cudaError_t)code));
}

static void check_device_runtime() {
    int *failed = device_zeros<int>(3);
    char (*texts)[100];
    CHECK(cudaMallocManaged(&texts, 2 * sizeof *texts));
    for (int code : {(int)cudaSuccess, (int)cudaErrorMemoryAllocation, (int)cudaErrorIllegalAddress, 12345}) {
        call_runtime<<<1, 1>>>(failed, texts, code);
        CHECK_KERNEL();
        expect_same("calls that fail", std::vector<int>(3, 0), to_host(failed, 3));
        expect_true("name", code, !strcmp(texts[0], cudaGetErrorName((cudaError_t)code)));
        expect_true("text", code, !strcmp(texts[1], cudaGetErrorString((cudaError_t)code)));
    }
    expect_true("the same check on the host", 0, succeeded(cudaFree(texts)));
    CHECK(cudaFree(failed));
}

// nvstd::function in kernels and on the host: small and large callables, copies, assignments, swaps, null.
static __host__ __device__ int twice(int x) {
    return 2 * x;
}

struct Large {
    int terms[20];
    __host__ __device__ int operator()(int x) const {
        return terms[x % 20] + x;
    }
};

static __host__ __device__ int use_functions(int i) {
    Large large;
    for (int k = 0; k < 20; k++) {
        large.terms[k] = k * k;
    }
    int (*none)(int) = nullptr;
    nvstd::function<int(int)> empty, null(none), pointer(twice), closure([=](int x) { return x + i; }), big(large);
    if (empty || null || empty != nullptr || !pointer || pointer == nullptr) {
        return -1;
    }
    nvstd::function<int(int)> copy(big), moved(static_cast<nvstd::function<int(int)> &&>(copy));
    copy = closure;
    swap(copy, pointer); // a closure in `pointer`, `twice` in `copy`
    int sum = copy(i) * 1000000 + pointer(i) * 10000 + moved(i);
    moved.swap(copy); // `twice` and a large one
    sum += moved(1) + copy(3);
    copy = nullptr;
    moved = [](int x) { return x ? 5 : 6; };
    nvstd::function<void(int &)> change([](int &x) { x++; });
    change(sum);
    return copy ? -2 : sum + moved(0);
}

static __global__ void functions(int *out) {
    out[threadIdx.x] = use_functions(threadIdx.x);
}

static void check_functions() {
    int *out = device_zeros<int>(32);
    functions<<<1, 32>>>(out);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, 32);
    for (int i = 0; i < 32; i++) {
        int expected = 2 * i * 1000000 + 2 * i * 10000 + i % 20 * (i % 20) + i + 2 + 12 + 1 + 6;
        expect_equal("function objects in a kernel", i, expected, got[i]);
        expect_equal("function objects on the host", i, expected, use_functions(i));
    }
    bool caught = false;
    try {
        nvstd::function<int(int)>()(1);
    } catch (const std::bad_function_call &) {
        caught = true;
    }
    expect_true("a call of an empty function", 0, caught);
    CHECK(cudaFree(out));
}

int main() {
    check_functions();
    check_device_runtime();
    check_channels();
    check_functional();
    expect_equal("result of a marked function", 0, 7, marked(7));
    check_openmp();
    check_devices();
    check_cached();
    check_typed_launches();
    check_driver_functions();
    return pass();
}
