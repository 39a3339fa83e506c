// Element-wise sum of two integer vectors: the smallest complete CUDA program. Exercises global loads and
// stores, a guarded tail (the size is no multiple of the block), unsigned wrap-around, and one-, two- and
// three-dimensional indexing of the same data.
#define PROGRAM "vecadd"
#include "../check.h"

__global__ void add(const unsigned *a, const unsigned *b, unsigned *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] = a[i] + b[i];
    }
}

// The same with every dimension of grid and block in play.
__global__ void add_3d(const unsigned *a, const unsigned *b, unsigned *sum, int n) {
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int i = block * (int)(blockDim.x * blockDim.y * blockDim.z) + thread;
    if (i < n) {
        sum[i] = a[i] + b[i];
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 100003, 1, 1 << 26);
    Lcg random(1);
    std::vector<unsigned> a(n), b(n), expected(n);
    for (int i = 0; i < n; i++) {
        a[i] = random.next();
        b[i] = random.next();
        expected[i] = (unsigned)(((uint64_t)a[i] + b[i]) % 4294967296ull);
    }
    unsigned *a_device = to_device(a), *b_device = to_device(b), *sum = device_zeros<unsigned>(n);

    add<<<blocks_for(n, 256), 256>>>(a_device, b_device, sum, n);
    CHECK_KERNEL();
    expect_same("one-dimensional sum", expected, to_host(sum, n));

    CHECK(cudaMemset(sum, 0xff, n * sizeof(unsigned)));
    dim3 block(5, 4, 3);
    dim3 grid(7, 3, blocks_for(n, 5 * 4 * 3 * 7 * 3));
    add_3d<<<grid, block>>>(a_device, b_device, sum, n);
    CHECK_KERNEL();
    expect_same("three-dimensional sum", expected, to_host(sum, n));

    CHECK(cudaFree(a_device));
    CHECK(cudaFree(b_device));
    CHECK(cudaFree(sum));
    return pass();
}
