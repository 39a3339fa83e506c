// E = (alpha * A * B) * C + beta * E (2mm of PolyBench-GPU): the second product reads what other SMs wrote in the
// first.
// also: --timing --config gtx480-sc
#define PROGRAM "2mm"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"columns, and 3/8 as many rows", 64, 256, 16, 2048});
    Lcg random(102);
    Matrix a(random, std::max(8, n * 3 / 8), n, 2), b(random, n, n, 2), c(random, n, n, 2), ab(a.rows, n),
        e(random, a.rows, n, 9);
    float *ab_device = checked_multiply("A * B", a, to_device(a.cells), b, to_device(b.cells), ab, 2, 0);
    checked_multiply("E", ab, ab_device, c, to_device(c.cells), e, 1, -3);
    return pass();
}
