// C = alpha * A * B + beta * C (gemm of PolyBench-GPU). A and B are only read, by many SMs; C is private to its thread.
// With 512 columns, the eight rows of a block fall into four sets of a 32 KB L1: one block's lines fit, those of six or
// eight blocks do not. The blocks of an SM first have the same columns, and different ones when some of them have ended.
// also: --timing --config gtx480-sc
#define PROGRAM "gemm"
#include "matrices.h"

static const float ALPHA = 2, BETA = -3;

// As in the original, alpha multiplies the element of a, so that this load is waited for before that of b.
static __global__ void multiply(const float *a, const float *b, float *c, int rows, int columns, int depth, int pitch) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        c[row * pitch + column] *= BETA;
        for (int k = 0; k < depth; k++) {
            c[row * pitch + column] += ALPHA * a[row * pitch + k] * b[k * pitch + column];
        }
    }
}

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"rows and columns", 64, 512, 16, 4096});
    int pitch = std::max(n, 512);
    Lcg random(101);
    Matrix a(random, n, n, pitch, 4), b(random, n, n, pitch, 4), c(random, n, n, pitch, 9);
    float *a_device = to_device(a.cells), *b_device = to_device(b.cells), *c_device = to_device(c.cells);
    multiply<<<matrix_grid(c), matrix_block()>>>(a_device, b_device, c_device, n, n, n, pitch);
    CHECK_KERNEL();
    expect_same("C", host_multiply(a, b, c, (int)ALPHA, (int)BETA).cells, to_host(c_device, c.cells.size()));
    return pass();
}
