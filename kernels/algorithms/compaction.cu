// Stream compaction: keeps the elements that satisfy a predicate, in order (scan of flags) and unordered with
// one atomic per warp (ballot, popc, leader election by __ffs, shuffle of the base). The ordered result must
// equal the host's filter; the unordered one must hold the same multiset.
// also: --set gpu.warp_size=64
#define PROGRAM "compaction"
#include "../check.h"

#include <algorithm>

static const int BLOCK = 256;

__device__ bool wanted(int value) {
    return value % 3 == 0 && value > 0;
}

__global__ void count_wanted(const int *in, int n, int *counts) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int count = __syncthreads_count(i < n && wanted(in[i]));
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = count;
    }
}

__global__ void exclusive_scan(int *counts, int n, int *total) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int count = counts[i];
        counts[i] = sum;
        sum += count;
    }
    *total = sum;
}

__global__ void keep_ordered(const int *in, int n, const int *offsets, int *out) {
    __shared__ int warp_counts[BLOCK / 32];
    int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    bool keep = i < n && wanted(in[i]);
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) {
        warp_counts[warp] = __popc(votes);
    }
    __syncthreads();
    if (keep) {
        int at = offsets[blockIdx.x] + __popc(votes & ((1u << lane) - 1));
        for (int w = 0; w < warp; w++) {
            at += warp_counts[w];
        }
        out[at] = in[i];
    }
}

__global__ void keep_unordered(const int *in, int n, int *out, int *size) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && wanted(in[i])) {
        unsigned active = __activemask();
        int lane = threadIdx.x % 32, leader = __ffs(active) - 1, base = 0;
        if (lane == leader) {
            base = atomicAdd(size, __popc(active));
        }
        base = __shfl_sync(active, base, leader);
        out[base + __popc(active & ((1u << lane) - 1))] = in[i];
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 50003, 1, 1 << 26), blocks = blocks_for(n, BLOCK);
    Lcg random(22);
    std::vector<int> values(n), expected;
    for (int &value : values) {
        value = (int)random.next() >> 8;
        if (value % 3 == 0 && value > 0) {
            expected.push_back(value);
        }
    }
    int *in = to_device(values), *out = device_zeros<int>(n), *counts = device_zeros<int>(blocks);
    int *size = device_zeros<int>(1);
    count_wanted<<<blocks, BLOCK>>>(in, n, counts);
    exclusive_scan<<<1, 1>>>(counts, blocks, size);
    keep_ordered<<<blocks, BLOCK>>>(in, n, counts, out);
    CHECK_KERNEL();
    expect_equal("elements kept in order", 0, expected.size(), (size_t)to_host(size, 1)[0]);
    expect_same("kept in order", expected, to_host(out, expected.size()));

    CHECK(cudaMemset(size, 0, sizeof(int)));
    CHECK(cudaMemset(out, 0, n * sizeof(int)));
    keep_unordered<<<blocks, BLOCK>>>(in, n, out, size);
    CHECK_KERNEL();
    expect_equal("elements kept", 0, expected.size(), (size_t)to_host(size, 1)[0]);
    std::vector<int> got = to_host(out, expected.size());
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    expect_same("kept in any order", expected, got);
    return pass();
}
