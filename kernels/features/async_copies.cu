// Asynchronous copies to shared memory and split barriers by the primitives of cuda_pipeline_primitives.h and
// cuda_awbarrier_primitives.h and by their classes: a pipeline of tiles, copies of every size with zeros at the end,
// and barriers whose number of arrivals falls.
#define PROGRAM "async_copies"
#include "../check.h"

#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

enum { THREADS = 96, TILES = 5, STAGES = 2, PHASES = 4 };

// Each thread copies its element of the tile after next while the block sums the current one.
__global__ void sum_tiles(const float *data, float *sums) {
    __shared__ float tile[STAGES][THREADS];
    int i = (int)threadIdx.x;
    for (int t = 0; t < TILES + STAGES - 1; t++) {
        if (t < TILES) {
            __pipeline_memcpy_async(&tile[t % STAGES][i], &data[t * THREADS + i], sizeof(float));
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        int ready = t - (STAGES - 1);
        if (i == 0 && ready >= 0) {
            float sum = 0;
            for (int k = 0; k < THREADS; k++) {
                sum += tile[ready % STAGES][k];
            }
            sums[ready] = sum;
        }
        __syncthreads();
    }
}

__global__ void copy_sizes(const unsigned char *from, unsigned char *out) {
    __shared__ alignas(16) unsigned char to[3 * 16 * 5];
    int i = (int)threadIdx.x, size = 4 << i / 5, zeros = i % 5 * size / 4;
    if (i < 15) {
        __pipeline_memcpy_async(to + i * 16, from, size, zeros);
        __pipeline_wait_prior(0);
        for (int k = 0; k < size; k++) {
            out[i * 16 + k] = to[i * 16 + k];
        }
    }
}

// In each phase a thread writes, arrives, and after the wait reads what its neighbour wrote; the last warp leaves
// after the first phase.
__global__ void phases(int *seen) {
    __shared__ __mbarrier_t barrier;
    __shared__ int value[PHASES][THREADS];
    int i = (int)threadIdx.x;
    if (i == 0) {
        __mbarrier_init(&barrier, THREADS);
    }
    __syncthreads();
    for (int p = 0; p < PHASES; p++) {
        int members = p == 0 ? THREADS : THREADS - 32;
        value[p][i] = 100 * p + i;
        if (p == 0 && i >= THREADS - 32) {
            __mbarrier_arrive_and_drop(&barrier);
            return;
        }
        __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        seen[p * THREADS + i] = value[p][(i + 1) % members];
    }
}

__global__ void classes(const int *data, int *out, int *counts) {
    using namespace nvcuda::experimental;
    __shared__ awbarrier barrier;
    __shared__ int copy[THREADS];
    int i = (int)threadIdx.x;
    if (i == 0) {
        init(&barrier, THREADS);
    }
    __syncthreads();
    pipeline pipe;
    memcpy_async(copy[i], data[i], pipe);
    pipe.arrive_on(barrier);
    awbarrier::arrival_token token = barrier.arrive();
    barrier.wait(token);
    out[i] = copy[THREADS - 1 - i];
    counts[i] = (int)__mbarrier_token_pending_count(token);
}

void check_pipeline() {
    std::vector<float> data;
    for (int i = 0; i < TILES * THREADS; i++) {
        data.push_back((float)(i % 37));
    }
    float *sums = device_zeros<float>(TILES);
    sum_tiles<<<1, THREADS>>>(to_device(data), sums);
    CHECK_KERNEL();
    std::vector<float> got = to_host(sums, TILES);
    for (int t = 0; t < TILES; t++) {
        float sum = 0;
        for (int i = 0; i < THREADS; i++) {
            sum += data[t * THREADS + i];
        }
        expect_equal("sum of a tile", t, sum, got[t]);
    }
}

void check_sizes() {
    std::vector<unsigned char> data;
    for (int i = 0; i < 16; i++) {
        data.push_back((unsigned char)(200 + i));
    }
    unsigned char *out = device_zeros<unsigned char>(15 * 16);
    copy_sizes<<<1, 32>>>(to_device(data), out);
    CHECK_KERNEL();
    std::vector<unsigned char> got = to_host(out, 15 * 16);
    for (int i = 0; i < 15; i++) {
        int size = 4 << i / 5, zeros = i % 5 * size / 4;
        for (int k = 0; k < size; k++) {
            expect_equal("byte of a copy", i * 16 + k, k < size - zeros ? 200 + k : 0, (int)got[i * 16 + k]);
        }
    }
}

void check_phases() {
    int *seen = device_zeros<int>(PHASES * THREADS);
    phases<<<1, THREADS>>>(seen);
    CHECK_KERNEL();
    std::vector<int> got = to_host(seen, PHASES * THREADS);
    for (int p = 0; p < PHASES; p++) {
        int members = p == 0 ? THREADS : THREADS - 32;
        for (int i = 0; i < THREADS - 32; i++) {
            expect_equal("value of the neighbour", p * THREADS + i, 100 * p + (i + 1) % members, got[p * THREADS + i]);
        }
    }
}

void check_classes() {
    std::vector<int> data;
    for (int i = 0; i < THREADS; i++) {
        data.push_back(i * i);
    }
    int *out = device_zeros<int>(THREADS), *counts = device_zeros<int>(THREADS);
    classes<<<1, THREADS>>>(to_device(data), out, counts);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, THREADS), missing = to_host(counts, THREADS);
    for (int i = 0; i < THREADS; i++) {
        expect_equal("copied element", i, data[THREADS - 1 - i], got[i]);
        // other warps may have added arrivals for their copies in between
        expect_true("missing arrivals before that of a thread", i, missing[i] >= 1 && missing[i] <= 2 * THREADS);
    }
}

int main() {
    check_pipeline();
    check_sizes();
    check_phases();
    check_classes();
    return pass();
}
