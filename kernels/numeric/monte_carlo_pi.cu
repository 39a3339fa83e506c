// Monte Carlo estimate of pi, one xorshift64* generator to a thread, hits counted with a warp vote and one
// atomic per warp. The host runs the same generators serially and must count exactly the same hits; the
// estimate must also lie within five standard deviations of pi.
// also: --set gpu.warp_size=64
#define PROGRAM "monte_carlo_pi"
#include "../check.h"

static const int SAMPLES = 64;

__host__ __device__ uint64_t xorshift(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 2685821657736338717ull;
}

// Spreads a thread's number into a well-mixed non-zero seed.
__host__ __device__ uint64_t seed_of(uint64_t thread) {
    uint64_t z = (thread + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (z ^ (z >> 31)) | 1;
}

__global__ void count_hits(unsigned *hits) {
    uint64_t state = seed_of(blockIdx.x * (uint64_t)blockDim.x + threadIdx.x);
    unsigned count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        unsigned x = (unsigned)(xorshift(&state) >> 40), y = (unsigned)(xorshift(&state) >> 40);
        bool hit = (uint64_t)x * x + (uint64_t)y * y < (1ull << 48);
        count += __popc(__ballot_sync(0xffffffffu, hit));
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(hits, count);
    }
}

int main(int argc, char **argv) {
    int blocks = size_argument(argc, argv, 10, 1, 10000), threads = 128;
    unsigned *hits = device_zeros<unsigned>(1);
    count_hits<<<blocks, threads>>>(hits);
    CHECK_KERNEL();
    unsigned got = to_host(hits, 1)[0], expected = 0;
    for (uint64_t thread = 0; thread < (uint64_t)blocks * threads; thread++) {
        uint64_t state = seed_of(thread);
        for (int i = 0; i < SAMPLES; i++) {
            uint64_t x = xorshift(&state) >> 40, y = xorshift(&state) >> 40;
            expected += x * x + y * y < (1ull << 48);
        }
    }
    expect_equal("hits", 0, expected, got);
    double samples = (double)blocks * threads * SAMPLES, pi = 3.14159265358979324;
    double deviation = 4.0 * std::sqrt(pi / 4 * (1 - pi / 4) / samples);
    expect_near("pi", 0, pi, 4.0 * got / samples, 0.0, 5.0 * deviation);
    return pass();
}
