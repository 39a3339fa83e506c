// What the runtime reports about the device and about kernels: properties and attributes agree with each other,
// kernels have the limits that are reported, function attributes match the source (static shared and constant
// bytes, launch bounds), occupancy follows from threads and shared memory, and dynamic shared memory above
// the default works once it has been asked for.
#define PROGRAM "device_query"
#include "../check.h"

__constant__ int table[25];

__global__ void with_shared(int *out) {
    __shared__ int pool[1000];
    for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
        pool[i] = i * i;
    }
    __syncthreads();
    out[threadIdx.x] = pool[999 - threadIdx.x] + table[threadIdx.x % 25];
}

__global__ void __launch_bounds__(128) bounded(int *out) {
    out[threadIdx.x] = 1;
}

__global__ void with_local(int *out, int index) {
    int kept[200];
    for (int i = 0; i < 200; i++) {
        kept[i] = out[i] * 3;
    }
    out[0] = kept[index] + kept[index / 2];
}

__global__ void fill_dynamic(unsigned *out, int words) {
    extern __shared__ unsigned pool[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        pool[i] = (unsigned)i * 2654435769u;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        sum += pool[words - 1 - i];
    }
    atomicAdd(out, sum);
}

__global__ void geometry(unsigned *out) {
    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 && threadIdx.z == blockDim.z - 1) {
        const unsigned seen[] = {gridDim.x,  gridDim.y,  gridDim.z,         blockDim.x,
                                 blockDim.y, blockDim.z, (unsigned)warpSize};
        for (int i = 0; i < 7; i++) {
            out[i] = seen[i];
        }
    }
}

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void check_properties(const cudaDeviceProp &p) {
    int count = 0, device = -1, runtime = 0, driver = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    expect_true("there is a device", count, count >= 1);
    expect_equal("the current device", 0, 0, device);
    expect_equal("runtime version", 0, (int)CUDART_VERSION, runtime);
    expect_true("the driver is as new as the runtime", driver, driver >= runtime);
    expect_true("the device has a name", 0, p.name[0] != '\0');
    expect_equal("warp size", 0, 32, p.warpSize);
    expect_true("blocks of 1024 threads", 0,
                p.maxThreadsPerBlock >= 1024 && p.maxThreadsPerMultiProcessor >= 1024);
    expect_true("compute capability", p.major, p.major >= 7);
    expect_equal("attribute: threads a block", 0, p.maxThreadsPerBlock,
                 attribute(cudaDevAttrMaxThreadsPerBlock));
    expect_equal("attribute: block x", 0, p.maxThreadsDim[0], attribute(cudaDevAttrMaxBlockDimX));
    expect_equal("attribute: block z", 0, p.maxThreadsDim[2], attribute(cudaDevAttrMaxBlockDimZ));
    expect_equal("attribute: grid x", 0, p.maxGridSize[0], attribute(cudaDevAttrMaxGridDimX));
    expect_equal("attribute: grid y", 0, p.maxGridSize[1], attribute(cudaDevAttrMaxGridDimY));
    expect_equal("attribute: shared memory", 0, (int)p.sharedMemPerBlock,
                 attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    expect_equal("attribute: warp size", 0, p.warpSize, attribute(cudaDevAttrWarpSize));
    expect_equal("attribute: registers", 0, p.regsPerBlock, attribute(cudaDevAttrMaxRegistersPerBlock));
    expect_equal("attribute: multiprocessors", 0, p.multiProcessorCount,
                 attribute(cudaDevAttrMultiProcessorCount));
    expect_equal("attribute: major", 0, p.major, attribute(cudaDevAttrComputeCapabilityMajor));
    expect_equal("attribute: minor", 0, p.minor, attribute(cudaDevAttrComputeCapabilityMinor));
    expect_equal("attribute: threads a multiprocessor", 0, p.maxThreadsPerMultiProcessor,
                 attribute(cudaDevAttrMaxThreadsPerMultiProcessor));

    size_t free_before = 0, free_during = 0, free_after = 0, total = 0;
    CHECK(cudaMemGetInfo(&free_before, &total));
    expect_equal("memory size", 0, p.totalGlobalMem, total);
    char *block = device_buffer<char>(64 << 20);
    CHECK(cudaMemGetInfo(&free_during, &total));
    CHECK(cudaFree(block));
    CHECK(cudaMemGetInfo(&free_after, &total));
    expect_true("an allocation takes from the free memory", 0, free_before - free_during >= (64u << 20));
    expect_equal("and gives it back", 0, free_before, free_after);
}

static void check_functions(const cudaDeviceProp &p) {
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, with_shared));
    expect_equal("static shared memory", 0, 1000 * sizeof(int), attributes.sharedSizeBytes);
    expect_true("constant memory", 0, attributes.constSizeBytes >= sizeof table);
    expect_true("registers", attributes.numRegs, attributes.numRegs > 0 && attributes.numRegs <= 255);
    expect_true("largest block", 0,
                attributes.maxThreadsPerBlock > 0 && attributes.maxThreadsPerBlock <= p.maxThreadsPerBlock);
    CHECK(cudaFuncGetAttributes(&attributes, bounded));
    expect_equal("launch bounds", 0, 128, attributes.maxThreadsPerBlock);
    expect_equal("no shared memory", 0, (size_t)0, attributes.sharedSizeBytes);
    CHECK(cudaFuncGetAttributes(&attributes, with_local));
    expect_true("local array", 0, attributes.localSizeBytes >= 200 * sizeof(int));

    int *out = device_zeros<int>(256);
    bounded<<<1, 128>>>(out);
    CHECK_KERNEL();
    bounded<<<1, 129>>>(out);
    cudaError_t error = cudaGetLastError();
    expect_true("a block beyond the launch bounds is refused", error, error != cudaSuccess);
    with_shared<<<1, 100>>>(out);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, 100);
    for (int i = 0; i < 100; i++) {
        expect_equal("kernel with shared memory", i, (999 - i) * (999 - i), got[i]);
    }
}

static void check_occupancy(const cudaDeviceProp &p) {
    int blocks = 0, grid = 0, block = 0;
    for (int threads = 64; threads <= 1024; threads *= 2) {
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, threads, 0));
        expect_true("occupancy within threads", threads, blocks * threads <= p.maxThreadsPerMultiProcessor);
        expect_true("occupancy within shared memory", threads,
                    blocks * 1000 * sizeof(int) <= p.sharedMemPerMultiprocessor);
        expect_true("something fits", threads, blocks >= 1);
    }
    int roomy = 0, tight = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&roomy, fill_dynamic, 64, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&tight, fill_dynamic, 64, p.sharedMemPerBlock));
    expect_true("shared memory limits occupancy", tight,
                tight >= 1 && tight <= roomy &&
                    tight <= (int)(p.sharedMemPerMultiprocessor / p.sharedMemPerBlock));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, with_shared, 0, 0));
    expect_true("suggested block", block, block >= 32 && block <= p.maxThreadsPerBlock);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, block, 0));
    expect_equal("suggested grid fills the device", 0, blocks * p.multiProcessorCount, grid);
}

static void check_large_shared(const cudaDeviceProp &p) {
    size_t most = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    expect_true("opting in gives no less", (long)most, most >= p.sharedMemPerBlock);
    CHECK(cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
    const size_t sizes[] = {p.sharedMemPerBlock, most};
    for (size_t bytes : sizes) {
        int words = (int)(bytes / sizeof(unsigned));
        unsigned *out = device_zeros<unsigned>(1), expected = 0;
        fill_dynamic<<<1, 256, bytes>>>(out, words);
        CHECK_KERNEL();
        for (int i = 0; i < words; i++) {
            expected += (unsigned)i * 2654435769u;
        }
        expect_equal("sum over all shared memory", (long)bytes, expected, to_host(out, 1)[0]);
    }
}

int main() {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    check_properties(properties);
    check_functions(properties);
    check_occupancy(properties);
    check_large_shared(properties);

    unsigned *out = device_zeros<unsigned>(7);
    geometry<<<dim3(3, 5, 2), dim3(4, 2, 8)>>>(out);
    CHECK_KERNEL();
    const unsigned expected[] = {3, 5, 2, 4, 2, 8, 32};
    expect_same("geometry", std::vector<unsigned>(expected, expected + 7), to_host(out, 7));
    return pass();
}
