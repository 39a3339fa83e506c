// s = transposed A * r and q = A * p (bicg of PolyBench-GPU, the kernel of the biconjugate gradient method): by
// columns, then by rows of the same matrix.
// also: --timing --config gtx480-sc
#define PROGRAM "bicg"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, VECTOR_SIZES);
    Lcg random(106);
    Floats a = small_integers(random, (size_t)n * n, 4), r = small_integers(random, n, 4),
           p = small_integers(random, n, 4), zeros(n);
    float *a_device = to_device(a), *s = to_device(zeros), *q = to_device(zeros);
    run_by_columns(a_device, to_device(r), s, n);
    run_by_rows(a_device, to_device(p), q, n);
    expect_same("s", host_by_columns(a, r, zeros, n), to_host(s, n));
    expect_same("q", host_by_rows(a, p, zeros, n), to_host(q, n));
    return pass();
}
