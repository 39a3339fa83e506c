// Quasirandom integration with Sobol points (curand_kernel.h): a product of one-dimensional integrals whose value is
// known, closer to it than the error that as many random points have on average.
#define PROGRAM "quasi_monte_carlo"
#include "../check.h"

#include <curand_kernel.h>
#include <curand_precalc.h>

enum { DIMENSIONS = 6, THREADS = 256, EACH = 16, POINTS = THREADS * EACH };

// The integral of each factor over [0, 1] is 1.
__host__ __device__ static double factor(double x, int dimension) {
    double c = dimension + 1;
    return (fabs(4 * x - 2) + c) / (1 + c);
}

__global__ void integrate(const unsigned (*directions)[32], double *sums) {
    double values[EACH];
    for (int i = 0; i < EACH; i++) {
        values[i] = 1;
    }
    for (int d = 0; d < DIMENSIONS; d++) {
        curandStateSobol32 s;
        curand_init((unsigned *)directions[d], threadIdx.x * EACH, &s);
        for (int i = 0; i < EACH; i++) {
            values[i] *= factor(curand_uniform_double(&s), d);
        }
    }
    double sum = 0;
    for (int i = 0; i < EACH; i++) {
        sum += values[i];
    }
    sums[threadIdx.x] = sum;
}

int main() {
    std::vector<unsigned> directions(32 * DIMENSIONS);
    for (int d = 0; d < DIMENSIONS; d++) {
        simtx_sobol_directions((unsigned)d, &directions[32 * d]);
    }
    double *sums = device_buffer<double>(THREADS);
    integrate<<<1, THREADS>>>((const unsigned(*)[32])to_device(directions), sums);
    CHECK_KERNEL();
    double mean = 0, variance = 1;
    for (double s : to_host(sums, THREADS)) {
        mean += s / POINTS;
    }
    for (int d = 0; d < DIMENSIONS; d++) { // of the product: each factor has mean 1 and variance 1/3 / (1 + c)^2
        variance *= 1 + 1.0 / 3 / ((d + 2.0) * (d + 2.0));
    }
    double random_error = std::sqrt((variance - 1) / POINTS);
    expect_true("closer than a tenth of the random error", 0, std::fabs(mean - 1) < random_error / 10);
    return pass();
}
