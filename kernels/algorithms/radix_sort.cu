// Least-significant-digit radix sort, 4 bits a pass: count per block, scan the counts, scatter stably. The
// rank of a key inside its block comes from ballots over the digit's bits. Sorts unsigned keys, and floats
// and signed keys through the usual order-preserving bit flips. Checked against std::sort and for stability.
// also: --set gpu.warp_size=64
#define PROGRAM "radix_sort"
#include "../check.h"

#include <algorithm>

static const int BLOCK = 128;
static const int WARPS = BLOCK / 32;
static const int DIGITS = 16;

__global__ void count_digits(const unsigned *keys, int n, int shift, unsigned *counts) {
    __shared__ unsigned bins[DIGITS];
    if (threadIdx.x < DIGITS) {
        bins[threadIdx.x] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[(keys[i] >> shift) & (DIGITS - 1)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < DIGITS) {
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
    }
}

// One block turns the digit-major counts into exclusive offsets, in chunks of a block.
__global__ void scan_counts(unsigned *counts, int n) {
    __shared__ unsigned sums[BLOCK];
    __shared__ unsigned carry;
    if (threadIdx.x == 0) {
        carry = 0;
    }
    for (int start = 0; start < n; start += BLOCK) {
        int i = start + threadIdx.x;
        unsigned own = i < n ? counts[i] : 0;
        sums[threadIdx.x] = own;
        __syncthreads();
        for (int offset = 1; offset < BLOCK; offset *= 2) {
            unsigned other = (int)threadIdx.x >= offset ? sums[threadIdx.x - offset] : 0;
            __syncthreads();
            sums[threadIdx.x] += other;
            __syncthreads();
        }
        if (i < n) {
            counts[i] = carry + sums[threadIdx.x] - own;
        }
        __syncthreads();
        if (threadIdx.x == BLOCK - 1) {
            carry += sums[BLOCK - 1];
        }
        __syncthreads();
    }
}

__global__ void scatter(const unsigned *keys, const unsigned *values, int n, int shift,
                        const unsigned *offsets, unsigned *keys_out, unsigned *values_out) {
    __shared__ unsigned warp_counts[WARPS][DIGITS];
    int i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned key = i < n ? keys[i] : 0;
    unsigned digit = (key >> shift) & (DIGITS - 1);
    unsigned peers = __ballot_sync(0xffffffffu, i < n);
    for (int bit = 0; bit < 4; bit++) {
        unsigned ones = __ballot_sync(0xffffffffu, (digit >> bit) & 1);
        peers &= (digit >> bit) & 1 ? ones : ~ones;
    }
    if (lane < DIGITS) {
        warp_counts[warp][lane] = 0;
    }
    __syncwarp();
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (i < n && rank == 0) {
        warp_counts[warp][digit] = __popc(peers);
    }
    __syncthreads();
    if (i < n) {
        unsigned at = offsets[digit * gridDim.x + blockIdx.x] + rank;
        for (int w = 0; w < warp; w++) {
            at += warp_counts[w][digit];
        }
        keys_out[at] = key;
        values_out[at] = values[i];
    }
}

static void radix_sort(std::vector<unsigned> &keys, std::vector<unsigned> &values) {
    int n = (int)keys.size(), blocks = blocks_for(n, BLOCK);
    unsigned *key[2] = {to_device(keys), device_zeros<unsigned>(n)};
    unsigned *value[2] = {to_device(values), device_zeros<unsigned>(n)};
    unsigned *counts = device_zeros<unsigned>(blocks * DIGITS);
    for (int pass = 0; pass < 8; pass++) {
        int from = pass % 2;
        count_digits<<<blocks, BLOCK>>>(key[from], n, 4 * pass, counts);
        scan_counts<<<1, BLOCK>>>(counts, blocks * DIGITS);
        scatter<<<blocks, BLOCK>>>(key[from], value[from], n, 4 * pass, counts, key[!from], value[!from]);
    }
    CHECK_KERNEL();
    keys = to_host(key[0], n);
    values = to_host(value[0], n);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaFree(key[i]));
        CHECK(cudaFree(value[i]));
    }
    CHECK(cudaFree(counts));
}

static unsigned float_to_key(float value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// Sorts indices by key on both sides; the host's stable sort says where each must land.
template <typename T, typename ToKey>
static void check_sort(const char *what, const std::vector<T> &input, ToKey to_key) {
    int n = (int)input.size();
    std::vector<unsigned> keys(n), values(n), expected(n);
    for (int i = 0; i < n; i++) {
        keys[i] = to_key(input[i]);
        values[i] = expected[i] = (unsigned)i;
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [&](unsigned a, unsigned b) { return input[a] < input[b]; });
    radix_sort(keys, values);
    for (int i = 0; i < n; i++) {
        expect_equal(what, i, expected[i], values[i]);
        expect_equal(what, i, to_key(input[expected[i]]), keys[i]);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 3001, 1, 1 << 20);
    Lcg random(11);
    std::vector<unsigned> naturals(n);
    std::vector<int> integers(n);
    std::vector<float> reals(n);
    for (int i = 0; i < n; i++) {
        naturals[i] = random.below(2) ? random.next() : random.below(100);
        integers[i] = (int)random.next() >> random.below(32);
        reals[i] = std::ldexp(random.between(-1.0f, 1.0f), (int)random.below(60) - 30);
    }
    check_sort("unsigned keys", naturals, [](unsigned key) { return key; });
    check_sort("signed keys", integers, [](int key) { return (unsigned)key ^ 0x80000000u; });
    check_sort("float keys", reals, float_to_key);
    return pass();
}
