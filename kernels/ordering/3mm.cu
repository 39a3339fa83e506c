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
    float *a_device = to_device(a.cells), *b_device = to_device(b.cells), *c_device = to_device(c.cells),
          *d_device = to_device(d.cells), *ab_device = to_device(ab.cells), *cd_device = to_device(cd.cells),
          *g_device = to_device(g.cells);
    checked_product("A * B", a, a_device, b, b_device, ab, ab_device);
    checked_product("C * D", c, c_device, d, d_device, cd, cd_device);
    checked_product("G", ab, ab_device, cd, cd_device, g, g_device);
    return pass();
}
