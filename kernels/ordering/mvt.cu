// x1 += A * y1 and x2 += transposed A * y2 (mvt of PolyBench-GPU): the first by rows, where every lane of a warp reads
// a line of its own, the second by columns. The sums are stored in every step.
// also: --timing --config gtx480-sc
#define PROGRAM "mvt"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, VECTOR_SIZES);
    Lcg random(104);
    Floats a = small_integers(random, (size_t)n * n, 4), x1 = small_integers(random, n, 9),
           x2 = small_integers(random, n, 9), y1 = small_integers(random, n, 4), y2 = small_integers(random, n, 4);
    float *a_device = to_device(a), *x1_device = to_device(x1), *x2_device = to_device(x2);
    run_by_rows(a_device, to_device(y1), x1_device, n);
    run_by_columns(a_device, to_device(y2), x2_device, n);
    expect_same("x1", host_by_rows(a, y1, x1, n), to_host(x1_device, n));
    expect_same("x2", host_by_columns(a, y2, x2, n), to_host(x2_device, n));
    return pass();
}
