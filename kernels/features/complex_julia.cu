// cuComplex.h: quotients, products and magnitudes in an iteration of Newton's method for z^3 = 1, in float and
// double, against std::complex on the host.
#define PROGRAM "complex_julia"
#include "../check.h"

#include <complex>
#include <cuComplex.h>

enum { SIDE = 32, STEPS = 12 };

// One step: z - (z^3 - 1) / (3 z^2)
__global__ void newton(cuDoubleComplex *z, cuFloatComplex *single, double *magnitude) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    cuDoubleComplex one = make_cuDoubleComplex(1, 0), three = make_cuDoubleComplex(3, 0), x = z[i];
    for (int k = 0; k < STEPS; k++) {
        cuDoubleComplex square = cuCmul(x, x), cube = cuCmul(square, x);
        x = cuCsub(x, cuCdiv(cuCsub(cube, one), cuCmul(three, square)));
    }
    z[i] = x;
    magnitude[i] = cuCabs(cuCadd(x, cuConj(x)));
    single[i] = cuCfmaf(single[i], single[i], make_cuFloatComplex(cuCrealf(single[i]), 0.5f));
}

int main() {
    const int n = SIDE * SIDE;
    std::vector<cuDoubleComplex> start(n);
    std::vector<cuFloatComplex> single(n);
    for (int i = 0; i < n; i++) {
        start[i] = make_cuDoubleComplex(0.13 + 0.11 * (i % SIDE - 16), 0.07 + 0.09 * (i / SIDE - 16));
        single[i] = cuComplexDoubleToFloat(start[i]);
    }
    cuDoubleComplex *z = to_device(start);
    cuFloatComplex *f = to_device(single);
    double *magnitude = device_buffer<double>(n);
    newton<<<n / 128, 128>>>(z, f, magnitude);
    CHECK_KERNEL();
    std::vector<cuDoubleComplex> got = to_host(z, n);
    std::vector<cuFloatComplex> squares = to_host(f, n);
    std::vector<double> sizes = to_host(magnitude, n);
    int settled = 0;
    for (int i = 0; i < n; i++) {
        std::complex<double> x(start[i].x, start[i].y);
        for (int k = 0; k < STEPS; k++) {
            x = x - (x * x * x - 1.0) / (3.0 * x * x);
        }
        std::complex<float> s(single[i].x, single[i].y), square = s * s + std::complex<float>(s.real(), 0.5f);
        expect_near("real part of the square", i, square.real(), squares[i].x, 1e-5, 1e-6);
        expect_near("imaginary part of the square", i, square.imag(), squares[i].y, 1e-5, 1e-6);
        if (std::abs(x * x * x - 1.0) > 1e-9) { // between the basins small errors grow
            continue;
        }
        settled++;
        expect_near("real part", i, x.real(), got[i].x, 1e-6, 1e-6);
        expect_near("imaginary part", i, x.imag(), got[i].y, 1e-6, 1e-6);
        expect_near("magnitude", i, std::abs(x + std::conj(x)), sizes[i], 1e-6, 1e-6);
    }
    expect_true("most points settle", settled, settled > n / 2);
    return pass();
}
