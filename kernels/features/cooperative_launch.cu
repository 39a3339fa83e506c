// A cooperative launch: all blocks are resident, so they may wait for each other. Each round every block
// adds up what all blocks wrote in the round before. A grid that is too large is refused.
#define PROGRAM "cooperative_launch"
#include "../check.h"

static const int ROUNDS = 5;

// The last block that arrives opens the next round.
__device__ void grid_barrier(unsigned *arrived, unsigned *round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before = atomicAdd(round, 0);
        __threadfence();
        if (atomicAdd(arrived, 1) == gridDim.x - 1) {
            *arrived = 0;
            __threadfence();
            atomicAdd(round, 1);
        }
        while (atomicAdd(round, 0) == before) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void rounds(unsigned *value, unsigned *arrived, unsigned *round) {
    for (int r = 0; r < ROUNDS; r++) {
        volatile unsigned *from = value + (r % 2) * gridDim.x, *to = value + (1 - r % 2) * gridDim.x;
        if (threadIdx.x == 0) {
            unsigned sum = blockIdx.x;
            for (unsigned b = 0; b < gridDim.x; b++) {
                sum += from[b];
            }
            to[blockIdx.x] = sum;
        }
        grid_barrier(arrived, round);
    }
}

int main(int argc, char **argv) {
    int sms = 0, each = 0, can = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    expect_equal("cudaDevAttrCooperativeLaunch", 0, 1, can);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, rounds, 64, 0));
    int blocks = sms * each < 24 ? sms * each : 24;
    unsigned *value = device_buffer<unsigned>(2 * blocks), *state = device_buffer<unsigned>(2), *round = state + 1;
    CHECK(cudaMemset(value, 0, 2 * blocks * sizeof *value));
    CHECK(cudaMemset(state, 0, 2 * sizeof *state));
    void *args[] = {&value, &state, &round};
    CHECK(cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(64), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> now(blocks, 0);
    for (int r = 0; r < ROUNDS; r++) {
        unsigned sum = 0;
        for (unsigned v : now) {
            sum += v;
        }
        for (int b = 0; b < blocks; b++) {
            now[b] = sum + b;
        }
    }
    std::vector<unsigned> got = to_host(value, 2 * blocks);
    expect_same("values", now, std::vector<unsigned>(got.begin() + (ROUNDS % 2) * blocks,
                                                      got.begin() + (ROUNDS % 2 + 1) * blocks));
    expect_equal("too many blocks", 0, cudaErrorCooperativeLaunchTooLarge,
                 cudaLaunchCooperativeKernel((void *)rounds, dim3(sms * each + 1), dim3(64), args, 0, 0));
    cudaGetLastError();
    return pass();
}
