// C = alpha * A * B + beta * C (gemm of PolyBench-GPU). A and B are only read, by many SMs; C is private to its thread.
// With 512 columns, the eight rows of a block fall into four sets of a 32 KB L1: one block's lines fit, those of six or
// eight blocks do not.
// also: --timing --config gtx480-sc
#define PROGRAM "gemm"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"columns, and 3/32 as many rows", 64, 512, 16, 4096});
    Lcg random(101);
    Matrix a(random, std::max(8, n * 3 / 32), n, 4), b(random, n, n, 4), c(random, a.rows, n, 9);
    checked_multiply("C", a, to_device(a.cells), b, to_device(b.cells), c, 2, -3);
    return pass();
}
