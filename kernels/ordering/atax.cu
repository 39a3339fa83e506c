// y = transposed A * (A * x) (atax of PolyBench-GPU): by rows, then by columns with what the first launch wrote.
// also: --timing --config gtx480-sc
#define PROGRAM "atax"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, VECTOR_SIZES);
    Lcg random(105);
    Floats a = small_integers(random, (size_t)n * n, 2), x = small_integers(random, n, 2), zeros(n);
    float *a_device = to_device(a), *product = to_device(zeros), *y = to_device(zeros);
    run_by_rows(a_device, to_device(x), product, n);
    run_by_columns(a_device, product, y, n);
    Floats expected = host_by_rows(a, x, zeros, n);
    expect_same("A * x", expected, to_host(product, n));
    expect_same("y", host_by_columns(a, expected, zeros, n), to_host(y, n));
    return pass();
}
