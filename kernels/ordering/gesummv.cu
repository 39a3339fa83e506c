// y = alpha * A * x + beta * B * x (gesummv of PolyBench-GPU): one thread for each row, which reads both matrices and x
// and keeps two sums in memory.
// also: --timing --config gtx480-sc
#define PROGRAM "gesummv"
#include "matrices.h"

static __global__ void sum_two_products(const float *a, const float *b, const float *x, float *sum, float *y, int n,
                                        float alpha, float beta) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) {
        return;
    }
    for (int column = 0; column < n; column++) {
        sum[row] += a[row * n + column] * x[column];
        y[row] += b[row * n + column] * x[column];
    }
    y[row] = alpha * sum[row] + beta * y[row];
}

int main(int argc, char **argv) {
    int n = read_options(argc, argv, VECTOR_SIZES);
    Lcg random(107);
    Floats a = small_integers(random, (size_t)n * n, 4), b = small_integers(random, (size_t)n * n, 4),
           x = small_integers(random, n, 4), zeros(n);
    float *y = to_device(zeros);
    sum_two_products<<<blocks_for(n, vector_block(n)), vector_block(n)>>>(to_device(a), to_device(b), to_device(x),
                                                                         to_device(zeros), y, n, 2, -3);
    CHECK_KERNEL();
    expect_same("y", host_by_rows(b, x, host_by_rows(a, x, zeros, n, 2), n, -3), to_host(y, n));
    return pass();
}
