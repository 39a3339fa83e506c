// A persistent kernel whose resident blocks meet at a barrier in global memory (arrival counter and sense,
// polled by one thread of each block). Each phase reads what a neighbouring block wrote in the phase before,
// so a block that runs ahead or a barrier that opens early gives a wrong value. The occupancy call gives the
// number of blocks that can be resident at once.
#define PROGRAM "grid_barrier"
#include "../check.h"

static const int BLOCK = 64;

struct Barrier {
    unsigned arrived;
    volatile unsigned phase;
};

__device__ void grid_sync(Barrier *barrier) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned phase = barrier->phase;
        __threadfence();
        if (atomicAdd(&barrier->arrived, 1u) == gridDim.x - 1) {
            barrier->arrived = 0;
            __threadfence();
            barrier->phase = phase + 1;
        } else {
            while (barrier->phase == phase) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void pass_around(unsigned *values, unsigned *scratch, int phases, Barrier *barrier) {
    int n = gridDim.x * BLOCK, own = blockIdx.x * BLOCK + threadIdx.x;
    for (int phase = 0; phase < phases; phase++) {
        volatile unsigned *from = phase % 2 ? scratch : values, *to = phase % 2 ? values : scratch;
        unsigned other = from[(own + BLOCK + 1) % n];
        to[own] = from[own] * 3u + other + (unsigned)phase;
        grid_sync(barrier);
    }
}

int main(int argc, char **argv) {
    int phases = size_argument(argc, argv, 25, 1, 100000);
    cudaDeviceProp properties;
    int per_multiprocessor = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, pass_around, BLOCK, 0));
    expect_true("at least one block is resident", 0, per_multiprocessor > 0);
    int resident = per_multiprocessor * properties.multiProcessorCount,
        blocks = resident < 24 ? resident : 24;
    int n = blocks * BLOCK;
    Lcg random(24);
    std::vector<unsigned> values(n), next(n);
    for (unsigned &value : values) {
        value = random.next();
    }
    unsigned *values_device = to_device(values), *scratch = device_zeros<unsigned>(n);
    Barrier *barrier = device_zeros<Barrier>(1);
    pass_around<<<blocks, BLOCK>>>(values_device, scratch, phases, barrier);
    CHECK_KERNEL();
    for (int phase = 0; phase < phases; phase++) {
        for (int i = 0; i < n; i++) {
            next[i] = values[i] * 3u + values[(i + BLOCK + 1) % n] + (unsigned)phase;
        }
        std::swap(values, next);
    }
    expect_same("values after all phases", values, to_host(phases % 2 ? scratch : values_device, n));
    return pass();
}
