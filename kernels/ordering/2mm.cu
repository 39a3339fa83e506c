// E += (A * B) * C (2mm of PolyBench-GPU): the second product reads what other SMs wrote in the first. With the
// original's 2048 columns, the rows of all blocks of an SM fall into one set of a 32 KB L1.
// also: --timing --config gtx480-sc
#define PROGRAM "2mm"
#include "matrices.h"

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"columns, 3/256 as many rows and 1/8 as many steps of a product", 256, 2048, 64, 4096});
    int pitch = std::max(n, 2048), rows = std::max(8, n * 3 / 256), steps = n / 8;
    Lcg random(102);
    Matrix a(random, rows, steps, pitch, 2), b(random, steps, steps, pitch, 2), c(random, steps, n, pitch, 2),
        ab(rows, steps, pitch), e(random, rows, n, pitch, 9);
    float *a_device = to_device(a.cells), *b_device = to_device(b.cells), *ab_device = to_device(ab.cells),
          *c_device = to_device(c.cells), *e_device = to_device(e.cells);
    checked_product("A * B", a, a_device, b, b_device, ab, ab_device);
    checked_product("E", ab, ab_device, c, c_device, e, e_device);
    return pass();
}
