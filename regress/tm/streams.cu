// Transactions of several kernels: one after another, with and without transactions, and two at once in two streams.
#define PROGRAM "streams"
#include "../../kernels/check.h"
#include <simtx_tm.h>

__global__ void add_all(unsigned *cells, int count, unsigned amount) {
    for (int i = 0; i < count; i++) {
        tx_begin();
        cells[(threadIdx.x + i) % count] += amount;
        cells[count] += 1;
        tx_commit();
    }
}

__global__ void plain(unsigned *cells, int count) {
    if (threadIdx.x < count) {
        cells[threadIdx.x] *= 2;
    }
}

int main() {
    const int cells = 8, threads = 64;
    unsigned *both[2];
    cudaStream_t stream[2];
    for (int s = 0; s < 2; s++) {
        both[s] = device_zeros<unsigned>(cells + 1);
        CHECK(cudaStreamCreate(&stream[s]));
    }
    for (int round = 0; round < 2; round++) {
        for (int s = 0; s < 2; s++) {
            add_all<<<2, threads, 0, stream[s]>>>(both[s], cells, s + 1);
        }
        CHECK(cudaDeviceSynchronize());
        for (int s = 0; s < 2; s++) {
            plain<<<1, threads, 0, stream[s]>>>(both[s], cells);
        }
        CHECK(cudaDeviceSynchronize());
    }
    for (int s = 0; s < 2; s++) {
        std::vector<unsigned> got = to_host(both[s], cells + 1);
        for (int i = 0; i < cells; i++) {
            expect_equal("cell", i, 2 * threads * (s + 1) * 6, (int)got[i]);
        }
        expect_equal("transactions", s, 2 * 2 * threads * cells, (int)got[cells]);
    }
    return pass();
}
