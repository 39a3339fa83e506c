// cuda_occupancy.h, which knows only the figures of a device and a kernel, against the occupancy functions of the
// runtime, which follow the configured machine: every block size and many sizes of shared memory, for kernels with
// static shared memory, launch bounds and opted-in shared memory. Then the examples of the CUDA guides.
// also: --set kernel.plain.registers=37 --set kernel.with_static.registers=61
// also: --set kernel.plain.registers=72 --set kernel.bounded.registers=255
// also: --config gtx480
// also: --config quadro-fx5800 --set kernel.plain.registers=21
// also: --set gpu.compute_capability=8.0 --set gpu.shared_unit=128 --set gpu.shared_reserved=1024
#define PROGRAM "occupancy_calculator"
#include "../check.h"

#include <cuda_occupancy.h>

extern "C" __global__ void plain(float *data) {
    extern __shared__ float part[];
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void with_static(float *data) {
    __shared__ float part[1250];
    for (int i = threadIdx.x; i < 1250; i += blockDim.x) {
        part[i] = data[i];
    }
    __syncthreads();
    data[threadIdx.x] = part[1249 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(192) bounded(float *data) {
    data[threadIdx.x] *= 2;
}

static const size_t DYNAMIC[] = {0,     1,     127,   128,   1000,  1024,  3000,  6144,
                                 12000, 16384, 24576, 40000, 49152, 65536, 98304, 200000};

static int shared_of(int block_size) {
    return 40 * block_size;
}

static size_t shared_of_size(int block_size) {
    return (size_t)shared_of(block_size);
}

struct Calculator {
    cudaOccDeviceProp device;
    cudaOccFuncAttributes kernel;
    cudaOccDeviceState state;

    cudaOccResult operator()(int block_size, size_t dynamic) const {
        cudaOccResult result;
        cudaOccError error =
            cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, block_size, dynamic);
        expect_equal("calculator", block_size, (int)CUDA_OCC_SUCCESS, (int)error);
        return result;
    }
};

template <typename Kernel>
static Calculator calculator_for(Kernel kernel) {
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return {cudaOccDeviceProp(properties), cudaOccFuncAttributes(attributes), cudaOccDeviceState()};
}

// The factors are those whose own limit is the number of blocks.
static void check_factors(const cudaOccResult &r, long where) {
    int n = r.activeBlocksPerMultiprocessor;
    unsigned expected = (r.blockLimitWarps == n ? OCC_LIMIT_WARPS : 0u) |
                        (r.blockLimitRegs == n ? OCC_LIMIT_REGISTERS : 0u) |
                        (r.blockLimitSharedMem == n ? OCC_LIMIT_SHARED_MEMORY : 0u) |
                        (r.blockLimitBlocks == n ? OCC_LIMIT_BLOCKS : 0u);
    expect_true("a factor limits", where, r.limitingFactors != 0);
    expect_equal("limiting factors", where, expected, r.limitingFactors);
}

template <typename Kernel>
static void check_blocks(Kernel kernel, const Calculator &calculator) {
    for (int size = 1; size <= 1056; size++) {
        for (size_t dynamic : DYNAMIC) {
            int blocks = -1;
            CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, dynamic));
            cudaOccResult result = calculator(size, dynamic);
            expect_equal("resident blocks", size * 1000000l + (long)dynamic, blocks,
                         result.activeBlocksPerMultiprocessor);
            check_factors(result, size);
        }
    }
}

template <typename Kernel>
static void check_available(Kernel kernel, const Calculator &c) {
    for (int size = 32; size <= 1024; size += 96) {
        for (int blocks = 1; blocks <= 33; blocks++) {
            size_t expected = 1, got = 2;
            cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&expected, kernel, blocks, size);
            cudaOccError other =
                cudaOccAvailableDynamicSMemPerBlock(&got, &c.device, &c.kernel, &c.state, blocks, size);
            expect_equal("room for so many blocks", size, error == cudaSuccess, other == CUDA_OCC_SUCCESS);
            if (error == cudaSuccess) {
                expect_equal("available shared memory", size * 100 + blocks, expected, got);
            }
        }
    }
    cudaGetLastError();
}

template <typename Kernel>
static void check_best(Kernel kernel, const Calculator &c) {
    int grid, block, best_grid, best_block;
    for (size_t dynamic : {(size_t)0, (size_t)3000, (size_t)20000}) {
        grid = block = 0;
        cudaError_t error = cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, dynamic);
        cudaOccMaxPotentialOccupancyBlockSize(&best_grid, &best_block, &c.device, &c.kernel, &c.state, dynamic);
        expect_equal("some block fits", (long)dynamic, error == cudaSuccess, best_block > 0);
        expect_equal("best block", (long)dynamic, block, best_block);
        expect_equal("its grid", (long)dynamic, grid, best_grid);
    }
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, kernel, shared_of));
    cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&best_grid, &best_block, &c.device, &c.kernel, &c.state,
                                                      shared_of);
    expect_equal("best block of growing size", 0, block, best_block);
    cudaOccMaxPotentialOccupancyBlockSize(&best_grid, &best_block, &c.device, &c.kernel, &c.state, shared_of_size, 0);
    expect_equal("the same by a function", 0, block, best_block);
    expect_equal("its grid", 0, grid, best_grid);
}

template <typename Kernel>
static void check_kernel(Kernel kernel) {
    Calculator calculator = calculator_for(kernel);
    check_blocks(kernel, calculator);
    check_available(kernel, calculator);
    check_best(kernel, calculator);
}

static int resident(int major, int threads_per_sm, int registers, int block_size) {
    Calculator c;
    c.device.computeMajor = major;
    c.device.computeMinor = 0;
    c.device.maxThreadsPerBlock = 1024;
    c.device.maxThreadsPerMultiprocessor = threads_per_sm;
    c.device.regsPerBlock = c.device.regsPerMultiprocessor = 65536;
    c.device.warpSize = 32;
    c.device.sharedMemPerBlock = c.device.sharedMemPerBlockOptin = 49152;
    c.device.sharedMemPerMultiprocessor = 98304;
    c.device.numSms = 80;
    c.device.reservedSharedMemPerBlock = 0;
    c.kernel.maxThreadsPerBlock = INT_MAX;
    c.kernel.numRegs = registers;
    c.kernel.sharedSizeBytes = c.kernel.maxDynamicSharedSizeBytes = 0;
    c.kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    c.kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_DEFAULT;
    c.kernel.numBlockBarriers = 1;
    return c(block_size, 0).activeBlocksPerMultiprocessor;
}

// CUDA C++ Best Practices Guide, "Calculating Occupancy"; CUDA C++ Programming Guide, "Multiprocessor Level".
static void check_guides() {
    expect_equal("37 registers, 128 threads", 7, 12, resident(7, 2048, 37, 128));
    expect_equal("37 registers, 320 threads", 7, 4, resident(7, 2048, 37, 320));
    expect_equal("32 registers, 1024 threads", 7, 2, resident(7, 2048, 32, 1024));
    expect_equal("64 registers, 512 threads", 6, 2, resident(6, 2048, 64, 512));
    expect_equal("65 registers, 512 threads", 6, 1, resident(6, 2048, 65, 512));
}

static void check_refusals() {
    Calculator c = calculator_for(plain);
    cudaOccResult result;
    expect_equal("no threads", 0, (int)CUDA_OCC_ERROR_INVALID_INPUT,
                 (int)cudaOccMaxActiveBlocksPerMultiprocessor(&result, &c.device, &c.kernel, &c.state, 0, 0));
    expect_equal("no result", 0, (int)CUDA_OCC_ERROR_INVALID_INPUT,
                 (int)cudaOccMaxActiveBlocksPerMultiprocessor(NULL, &c.device, &c.kernel, &c.state, 32, 0));
    c.device.computeMajor = 99;
    expect_equal("unknown device", 0, (int)CUDA_OCC_ERROR_UNKNOWN_DEVICE,
                 (int)cudaOccMaxActiveBlocksPerMultiprocessor(&result, &c.device, &c.kernel, &c.state, 32, 0));
}

int main() {
    check_kernel(plain);
    check_kernel(with_static);
    check_kernel(bounded);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (properties.sharedMemPerBlockOptin > properties.sharedMemPerBlock) {
        CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 66000));
        check_kernel(plain);
    }
    check_guides();
    check_refusals();
    return pass();
}
