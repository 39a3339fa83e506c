// Bitonic sort of key-value pairs: the inner stages run in shared memory, the outer ones as one launch per
// compare distance over global memory. Data-independent control flow with lane-dependent exchange direction.
// Checked against std::stable_sort on the host and as a permutation of the input.
#define PROGRAM "bitonic_sort"
#include "../check.h"

#include <algorithm>

static const int BLOCK = 256;
static const int TILE = 2 * BLOCK;

// Orders by key, then by value, so that equal keys have one right order.
__device__ bool after(unsigned key_a, unsigned value_a, unsigned key_b, unsigned value_b) {
    return key_a != key_b ? key_a > key_b : value_a > value_b;
}

__device__ void exchange(unsigned *keys, unsigned *values, int i, int j, bool ascending) {
    if (after(keys[i], values[i], keys[j], values[j]) == ascending) {
        unsigned key = keys[i], value = values[i];
        keys[i] = keys[j];
        values[i] = values[j];
        keys[j] = key;
        values[j] = value;
    }
}

// All stages with compare distance below the tile: from `first` (length of the sorted runs to make) to
// `last`.
__global__ void sort_tiles(unsigned *keys, unsigned *values, int first, int last) {
    __shared__ unsigned key[TILE], value[TILE];
    int base = blockIdx.x * TILE, t = threadIdx.x;
    for (int i = t; i < TILE; i += BLOCK) {
        key[i] = keys[base + i];
        value[i] = values[base + i];
    }
    for (int run = first; run <= last; run *= 2) {
        for (int distance = min(run / 2, BLOCK); distance > 0; distance /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (distance - 1));
            exchange(key, value, i, i + distance, ((base + i) & run) == 0);
        }
    }
    __syncthreads();
    for (int i = t; i < TILE; i += BLOCK) {
        keys[base + i] = key[i];
        values[base + i] = value[i];
    }
}

__global__ void exchange_far(unsigned *keys, unsigned *values, int run, int distance) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * t - (t & (distance - 1));
    exchange(keys, values, i, i + distance, (i & run) == 0);
}

int main(int argc, char **argv) {
    int asked = size_argument(argc, argv, 6000, 1, 1 << 22);
    int n = TILE;
    while (n < asked) {
        n *= 2;
    }
    Lcg random(10);
    std::vector<unsigned> keys(n), values(n);
    std::vector<std::pair<unsigned, unsigned>> expected(n);
    for (int i = 0; i < n; i++) {
        keys[i] = random.below((unsigned)n / 2) * 2654435769u;
        values[i] = (unsigned)i;
        expected[i] = {keys[i], values[i]};
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const std::pair<unsigned, unsigned> &a, const std::pair<unsigned, unsigned> &b) {
                         return a.first < b.first;
                     });
    unsigned *keys_device = to_device(keys), *values_device = to_device(values);
    sort_tiles<<<n / TILE, BLOCK>>>(keys_device, values_device, 2, TILE);
    for (int run = 2 * TILE; run <= n; run *= 2) {
        for (int distance = run / 2; distance >= TILE; distance /= 2) {
            exchange_far<<<n / TILE, BLOCK>>>(keys_device, values_device, run, distance);
        }
        sort_tiles<<<n / TILE, BLOCK>>>(keys_device, values_device, run, run);
    }
    CHECK_KERNEL();
    std::vector<unsigned> sorted_keys = to_host(keys_device, n), sorted_values = to_host(values_device, n);
    for (int i = 0; i < n; i++) {
        expect_equal("key", i, expected[i].first, sorted_keys[i]);
        expect_equal("value", i, expected[i].second, sorted_values[i]);
    }
    return pass();
}
