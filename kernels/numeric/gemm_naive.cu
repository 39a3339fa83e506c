// C = alpha * A * B + beta * C, one thread to an element, straight from global memory. The matrices hold
// small integers, so that every float sum is exact and the host's integer product must match to the bit.
#define PROGRAM "gemm_naive"
#include "../check.h"

__global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < k; i++) {
        sum += a[row * k + i] * b[i * n + column];
    }
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

int main(int argc, char **argv) {
    int m = size_argument(argc, argv, 75, 1, 2048);
    int n = m + 22, k = m + 5;
    Lcg random(3);
    std::vector<float> a((size_t)m * k), b((size_t)k * n), c((size_t)m * n);
    for (float &value : a) {
        value = (float)((int)random.below(17) - 8);
    }
    for (float &value : b) {
        value = (float)((int)random.below(17) - 8);
    }
    for (float &value : c) {
        value = (float)((int)random.below(9) - 4);
    }
    float *a_device = to_device(a), *b_device = to_device(b), *c_device = to_device(c);
    dim3 block(16, 16);
    dim3 grid(blocks_for(n, 16), blocks_for(m, 16));
    gemm<<<grid, block>>>(a_device, b_device, c_device, m, n, k, 2.0f, -3.0f);
    CHECK_KERNEL();

    std::vector<float> got = to_host(c_device, c.size());
    for (int row = 0; row < m; row++) {
        for (int column = 0; column < n; column++) {
            long sum = 0;
            for (int i = 0; i < k; i++) {
                sum += (long)a[(size_t)row * k + i] * (long)b[(size_t)i * n + column];
            }
            long expected = 2 * sum - 3 * (long)c[(size_t)row * n + column];
            expect_equal("element", (long)row * n + column, (double)expected,
                         (double)got[(size_t)row * n + column]);
        }
    }
    return pass();
}
