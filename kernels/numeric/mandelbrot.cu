// Escape-time Mandelbrot set in double precision with a per-pixel trip count: the classic divergent loop.
// Each operation is written as a rounding intrinsic, so host and device follow the same orbit and every count
// must be equal; the set's symmetry about the real axis and its known inside and outside points are checked
// too.
#define PROGRAM "mandelbrot"
#include "../check.h"

struct View {
    double left, top, step;
    int width, height, limit;
};

__global__ void escape_counts(View view, unsigned short *counts) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= view.width || y >= view.height) {
        return;
    }
    double cr = __dadd_rn(view.left, __dmul_rn(x, view.step)),
           ci = __dadd_rn(view.top, __dmul_rn(-y, view.step));
    double zr = 0.0, zi = 0.0;
    int count = 0;
    while (count < view.limit) {
        double rr = __dmul_rn(zr, zr), ii = __dmul_rn(zi, zi);
        if (__dadd_rn(rr, ii) > 4.0) {
            break;
        }
        zi = __dadd_rn(__dmul_rn(__dmul_rn(2.0, zr), zi), ci);
        zr = __dadd_rn(__dadd_rn(rr, -ii), cr);
        count++;
    }
    counts[y * view.width + x] = (unsigned short)count;
}

static int host_count(double cr, double ci, int limit) {
    double zr = 0.0, zi = 0.0;
    for (int count = 0; count < limit; count++) {
        double rr = zr * zr, ii = zi * zi;
        if (rr + ii > 4.0) {
            return count;
        }
        double product = 2.0 * zr * zi;
        zi = product + ci;
        zr = rr - ii + cr;
    }
    return limit;
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 97, 9, 4096);
    View view;
    view.width = width;
    view.height = width * 2 / 3 | 1;
    view.limit = 100;
    view.step = 3.0 / (width - 1);
    view.left = -2.125;
    view.top = view.step * (view.height / 2);
    size_t count = (size_t)view.width * view.height;
    unsigned short *counts = device_zeros<unsigned short>(count);
    escape_counts<<<dim3(blocks_for(view.width, 16), blocks_for(view.height, 8)), dim3(16, 8)>>>(view,
                                                                                                 counts);
    CHECK_KERNEL();
    std::vector<unsigned short> got = to_host(counts, count);
    for (int y = 0; y < view.height; y++) {
        for (int x = 0; x < view.width; x++) {
            long at = (long)y * view.width + x;
            double cr = view.left + x * view.step, ci = view.top + -y * view.step;
            expect_equal("escape count", at, host_count(cr, ci, view.limit), (int)got[at]);
            bool in_disk = cr * cr + ci * ci<0.0625, far = cr * cr + ci * ci> 4.0;
            expect_true("points near zero stay, points beyond 2 leave", at,
                        in_disk ? got[at] == view.limit
                        : far   ? got[at] < 2
                                : true);
        }
    }
    int middle = view.height / 2;
    for (int x = 0; x < view.width; x++) {
        expect_equal("symmetry", x, (int)got[(middle - 1) * view.width + x],
                     (int)got[(middle + 1) * view.width + x]);
    }
    return pass();
}
