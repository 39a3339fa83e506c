// G = (A * B) * (C * D) (3mm of PolyBench-GPU): the third product reads what other SMs wrote in the first two.
// also: --timing --config gtx480-sc
#define PROGRAM "3mm"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"columns, 3/8 as many rows of A, 1/4 of C, 1/8 of B and D", 64, 512, 16, 2048});
    int pitch = std::max(n, 512), rows = std::max(8, n * 3 / 8), inner = std::max(8, n / 4), steps = std::max(8, n / 8);
    Lcg random(103);
    Matrix a(random, rows, steps, pitch, 2), b(random, steps, inner, pitch, 2), c(random, inner, steps, pitch, 2),
        d(random, steps, n, pitch, 2), ab(rows, inner, pitch), cd(inner, n, pitch), g(rows, n, pitch);
    float *ab_device = checked_product("A * B", a, to_device(a.cells), b, to_device(b.cells), ab);
    float *cd_device = checked_product("C * D", c, to_device(c.cells), d, to_device(d.cells), cd);
    checked_product("G", ab, ab_device, cd, cd_device, g);
    return pass();
}
