// G = (A * B) * (C * D) (3mm of PolyBench-GPU): the third product reads what other SMs wrote in the first two.
// also: --timing --config gtx480-sc
#define PROGRAM "3mm"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"columns, and 3/8 as many rows of A", 64, 192, 16, 2048});
    Lcg random(103);
    Matrix a(random, std::max(8, n * 3 / 8), n, 2), b(random, n, n, 2), c(random, n, n, 2), d(random, n, n, 2),
        ab(a.rows, n), cd(n, n), g(a.rows, n);
    float *ab_device = checked_multiply("A * B", a, to_device(a.cells), b, to_device(b.cells), ab, 1, 0);
    float *cd_device = checked_multiply("C * D", c, to_device(c.cells), d, to_device(d.cells), cd, 1, 0);
    checked_multiply("G", ab, ab_device, cd, cd_device, g, 1, 0);
    return pass();
}
