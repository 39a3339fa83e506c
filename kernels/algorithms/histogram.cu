// Histogram of bytes with privatised bins in shared memory merged into global ones, and of wide keys straight
// in global memory; both by atomic adds whose results are not read (reductions). A skewed input makes many
// lanes hit one bin. The sum over the bins must also equal the number of inputs.
#define PROGRAM "histogram"
#include "../check.h"

static const int BINS = 256;
static const int WIDE_BINS = 1021;

__global__ void histogram_bytes(const unsigned char *bytes, int n, unsigned *bins) {
    __shared__ unsigned local[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        local[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[bytes[i]], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        if (local[i]) {
            atomicAdd(&bins[i], local[i]);
        }
    }
}

__global__ void histogram_keys(const unsigned *keys, int n, unsigned *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[keys[i] % WIDE_BINS], 1u);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 60000, 1, 1 << 26);
    Lcg random(9);
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> keys(n), expected_bytes(BINS, 0), expected_keys(WIDE_BINS, 0);
    for (int i = 0; i < n; i++) {
        bytes[i] = (unsigned char)(random.below(4) ? random.below(7) : random.below(256));
        keys[i] = random.next();
        expected_bytes[bytes[i]]++;
        expected_keys[keys[i] % WIDE_BINS]++;
    }
    unsigned char *bytes_device = to_device(bytes);
    unsigned *keys_device = to_device(keys);
    unsigned *bins = device_zeros<unsigned>(BINS), *wide_bins = device_zeros<unsigned>(WIDE_BINS);
    histogram_bytes<<<10, 192>>>(bytes_device, n, bins);
    histogram_keys<<<10, 192>>>(keys_device, n, wide_bins);
    CHECK_KERNEL();

    std::vector<unsigned> got = to_host(bins, BINS);
    unsigned long sum = 0;
    for (unsigned count : got) {
        sum += count;
    }
    expect_equal("inputs counted", 0, (unsigned long)n, sum);
    expect_same("byte bins", expected_bytes, got);
    expect_same("key bins", expected_keys, to_host(wide_bins, WIDE_BINS));
    return pass();
}
