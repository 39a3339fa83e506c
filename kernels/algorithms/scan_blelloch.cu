// Exclusive prefix sum by Blelloch's two sweeps over a balanced tree in shared memory, block by block, then
// recursively over the block totals. Exercises strided shared-memory access, barriers with shrinking sets of
// working threads, and dependent launches. Checked against a serial sum; wraps modulo 2^32 like the device.
#define PROGRAM "scan_blelloch"
#include "../check.h"

static const int BLOCK = 128;
static const int ITEMS = 2 * BLOCK;

// Leaves a gap of one word after every 32, so that the strides of the sweeps do not all hit one bank.
__device__ int padded(int i) {
    return i + (i >> 5);
}

__global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *totals, int n) {
    __shared__ unsigned tree[ITEMS + ITEMS / 32];
    int base = blockIdx.x * ITEMS, t = threadIdx.x;
    tree[padded(t)] = base + t < n ? in[base + t] : 0;
    tree[padded(t + BLOCK)] = base + t + BLOCK < n ? in[base + t + BLOCK] : 0;
    int offset = 1;
    for (int active = BLOCK; active > 0; active >>= 1) {
        __syncthreads();
        if (t < active) {
            int left = padded(offset * (2 * t + 1) - 1), right = padded(offset * (2 * t + 2) - 1);
            tree[right] += tree[left];
        }
        offset *= 2;
    }
    if (t == 0) {
        totals[blockIdx.x] = tree[padded(ITEMS - 1)];
        tree[padded(ITEMS - 1)] = 0;
    }
    for (int active = 1; active <= BLOCK; active *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < active) {
            int left = padded(offset * (2 * t + 1) - 1), right = padded(offset * (2 * t + 2) - 1);
            unsigned kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    if (base + t < n) {
        out[base + t] = tree[padded(t)];
    }
    if (base + t + BLOCK < n) {
        out[base + t + BLOCK] = tree[padded(t + BLOCK)];
    }
}

__global__ void add_offsets(unsigned *out, const unsigned *offsets, int n) {
    for (int i = blockIdx.x * ITEMS + threadIdx.x; i < n && i < (int)(blockIdx.x + 1) * ITEMS;
         i += blockDim.x) {
        out[i] += offsets[blockIdx.x];
    }
}

static void scan(const unsigned *in, unsigned *out, int n) {
    int blocks = blocks_for(n, ITEMS);
    unsigned *totals = device_zeros<unsigned>(blocks);
    scan_blocks<<<blocks, BLOCK>>>(in, out, totals, n);
    CHECK_KERNEL();
    if (blocks > 1) {
        unsigned *offsets = device_zeros<unsigned>(blocks);
        scan(totals, offsets, blocks);
        add_offsets<<<blocks, BLOCK>>>(out, offsets, n);
        CHECK_KERNEL();
        CHECK(cudaFree(offsets));
    }
    CHECK(cudaFree(totals));
}

int main(int argc, char **argv) {
    int largest = size_argument(argc, argv, 70001, 1, 1 << 25);
    const int sizes[] = {1, 2, 255, 256, 257, largest};
    for (int n : sizes) {
        Lcg random(7 + n);
        std::vector<unsigned> values(n), expected(n);
        unsigned sum = 0;
        for (int i = 0; i < n; i++) {
            values[i] = random.next();
            expected[i] = sum;
            sum += values[i];
        }
        unsigned *in = to_device(values), *out = device_zeros<unsigned>(n);
        scan(in, out, n);
        expect_same("exclusive prefix sum", expected, to_host(out, n));
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
    return pass();
}
