// Paths of a geometric Brownian motion with Philox (curand_kernel.h): every thread draws four normal numbers at a
// time from its own subsequence. Mean and variance against the closed form, and each path again on a state that
// starts in the middle.
#define PROGRAM "brownian_paths"
#include "../check.h"

#include <curand_kernel.h>

enum { PATHS = 4096, STEPS = 16 };

struct Path {
    float end;
    unsigned in_the_middle, by_offset;
};

__global__ void walk(Path *out, float drift, float volatility) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10 s, later;
    curand_init(2026, i, 0, &s);
    float logarithm = 0, dt = 1.0f / STEPS;
    for (int k = 0; k < STEPS; k += 4) {
        float4 z = curand_normal4(&s);
        logarithm += 4 * (drift - volatility * volatility / 2) * dt + volatility * sqrtf(dt) * (z.x + z.y + z.z + z.w);
    }
    Path p;
    p.end = expf(logarithm);
    p.in_the_middle = curand(&s);
    curand_init(2026, i, STEPS, &later);
    p.by_offset = curand(&later);
    out[i] = p;
}

int main() {
    const double drift = 0.05, volatility = 0.3;
    Path *out = device_buffer<Path>(PATHS);
    walk<<<PATHS / 128, 128>>>(out, (float)drift, (float)volatility);
    CHECK_KERNEL();
    std::vector<Path> paths = to_host(out, PATHS);
    double mean = 0, squares = 0, expected = std::exp(drift);
    for (int i = 0; i < PATHS; i++) {
        expect_equal("state after the walk", i, paths[i].by_offset, paths[i].in_the_middle);
        mean += paths[i].end / PATHS;
    }
    for (const Path &p : paths) {
        squares += (p.end - mean) * (p.end - mean) / PATHS;
    }
    double variance = expected * expected * (std::exp(volatility * volatility) - 1);
    expect_near("mean", 0, expected, mean, 0, 4 * std::sqrt(variance / PATHS));
    expect_near("variance", 0, variance, squares, 0.12);
    return pass();
}
