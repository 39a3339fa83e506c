// curand_kernel.h: the generators against their papers (known answers, recurrences on the host, jumps against single
// steps) and the distributions by their moments.
#define PROGRAM "random_generators"
#include "../check.h"

#include <curand_kernel.h>
#include <curand_precalc.h>

enum { DRAWS = 512, SAMPLES = 4096 };

__global__ void philox_blocks(uint4 *out) {
    out[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    out[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
    out[2] = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
                                  make_uint2(0xa4093822, 0x299f31d0));
}

template <class State> __global__ void sequence(unsigned *out, unsigned long long seed, unsigned long long subsequence,
                                                unsigned long long offset, int count) {
    State s;
    curand_init(seed, subsequence, offset, &s);
    for (int i = 0; i < count; i++) {
        out[i] = curand(&s);
    }
}

__global__ void lecuyer(unsigned *out, unsigned long long skip) {
    curandStateMRG32k3a s;
    curand_init(0, 0, 0, &s);
    skipahead(skip, &s);
    for (int i = 0; i < DRAWS; i++) {
        out[i] = simtx_mrg_next(&s);
    }
}

// out[0]: behind two subsequences, out[1]: behind as many draws in steps of the largest power of two.
__global__ void xorwow_jumps(unsigned *out) {
    curandStateXORWOW s, t;
    curand_init(5, 0, 0, &s);
    t = s;
    skipahead_sequence(2, &s);
    for (int i = 0; i < 2 << (67 - 63); i++) {
        skipahead(1ull << 63, &t);
    }
    out[0] = curand(&s);
    out[1] = curand(&t);
}

__global__ void sobol(const unsigned (*directions)[32], unsigned *out, unsigned offset) {
    curandStateSobol32 s;
    curand_init((unsigned *)directions[threadIdx.x], offset, &s);
    for (int i = 0; i < DRAWS; i++) {
        out[threadIdx.x * DRAWS + i] = curand(&s);
    }
}

template <class State> __global__ void distributions(double *uniform, double *normal, double *poisson, double *large) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    State s;
    curand_init(77, i, 0, &s);
    uniform[i] = curand_uniform(&s);
    normal[i] = curand_normal(&s);
    curand_normal_double(&s);
    poisson[i] = curand_poisson(&s, 3.5);
    large[i] = curand_poisson(&s, 60.0);
}

// Random123's known answers (kat_vectors, philox4x32 10).
static void check_philox() {
    const unsigned known[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                  {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    uint4 *out = device_buffer<uint4>(3);
    philox_blocks<<<1, 1>>>(out);
    CHECK_KERNEL();
    std::vector<uint4> got = to_host(out, 3);
    for (int i = 0; i < 3; i++) {
        const unsigned words[4] = {got[i].x, got[i].y, got[i].z, got[i].w};
        for (int k = 0; k < 4; k++) {
            expect_equal("Philox, known answer", 4 * i + k, known[i][k], words[k]);
        }
    }
    unsigned *d = device_buffer<unsigned>(DRAWS);
    sequence<curandStatePhilox4_32_10><<<1, 1>>>(d, 0, 0, 0, 4);
    std::vector<unsigned> first = to_host(d, 4);
    for (int k = 0; k < 4; k++) {
        expect_equal("Philox, state of seed 0", k, known[0][k], first[k]);
    }
    sequence<curandStatePhilox4_32_10><<<1, 1>>>(d, 5, 3, 0, DRAWS);
    std::vector<unsigned> all = to_host(d, DRAWS);
    sequence<curandStatePhilox4_32_10><<<1, 1>>>(d, 5, 3, 101, DRAWS - 101);
    std::vector<unsigned> later = to_host(d, DRAWS - 101);
    for (int i = 101; i < DRAWS; i++) {
        expect_equal("Philox, offset", i, all[i], later[i - 101]);
    }
}

// The recurrences with L'Ecuyer's initial state; his package RngStreams begins 0.127011, 0.318528, 0.309186.
static void check_mrg() {
    const long long m1 = 4294967087ll, m2 = 4294944443ll, skip = 100003;
    long long x[3] = {12345, 12345, 12345}, y[3] = {12345, 12345, 12345};
    unsigned *d = device_buffer<unsigned>(DRAWS);
    lecuyer<<<1, 1>>>(d, 0);
    CHECK_KERNEL();
    std::vector<unsigned> direct = to_host(d, DRAWS);
    lecuyer<<<1, 1>>>(d, skip);
    CHECK_KERNEL();
    std::vector<unsigned> jumped = to_host(d, DRAWS);
    const double known[3] = {0.127011122, 0.318527565, 0.309186016};
    for (long long i = 0; i < skip + DRAWS; i++) {
        long long p = ((1403580 * x[1] - 810728 * x[0]) % m1 + m1) % m1;
        long long q = ((527612 * y[2] - 1370589 * y[0]) % m2 + m2) % m2;
        x[0] = x[1], x[1] = x[2], x[2] = p;
        y[0] = y[1], y[1] = y[2], y[2] = q;
        unsigned z = (unsigned)(p > q ? p - q : p - q + m1);
        if (i < 3) {
            expect_near("MRG32k3a, published", (long)i, known[i], (double)z / (m1 + 1.0), 0, 1e-8);
        }
        if (i < DRAWS) {
            expect_equal("MRG32k3a, recurrence", (long)i, z, direct[i]);
        }
        if (i >= skip) {
            expect_equal("MRG32k3a, jump", (long)i, z, jumped[i - skip]);
        }
    }
}

// Marsaglia's xorwow with the initial values of his paper.
static void check_xorwow() {
    unsigned x = 123456789, y = 362436069, z = 521288629, w = 88675123, v = 5783321, d = 6615241;
    unsigned *out = device_buffer<unsigned>(DRAWS);
    sequence<curandStateXORWOW><<<1, 1>>>(out, 0, 0, 0, DRAWS);
    CHECK_KERNEL();
    std::vector<unsigned> got = to_host(out, DRAWS);
    for (int i = 0; i < DRAWS; i++) {
        unsigned t = x ^ (x >> 2);
        x = y, y = z, z = w, w = v;
        v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        expect_equal("XORWOW", i, (d += 362437) + v, got[i]);
    }
    xorwow_jumps<<<1, 1>>>(out);
    CHECK_KERNEL();
    got = to_host(out, 2);
    expect_equal("XORWOW, subsequences of 2^67", 0, got[1], got[0]);
}

// The first points that Joe and Kuo print for three dimensions, in their order; each dimension alone visits every
// interval of length 1/512 once in 512 points.
static void check_sobol() {
    const double known[10][3] = {{0, 0, 0},
                                 {0.5, 0.5, 0.5},
                                 {0.75, 0.25, 0.25},
                                 {0.25, 0.75, 0.75},
                                 {0.375, 0.375, 0.625},
                                 {0.875, 0.875, 0.125},
                                 {0.625, 0.125, 0.875},
                                 {0.125, 0.625, 0.375},
                                 {0.1875, 0.3125, 0.9375},
                                 {0.6875, 0.8125, 0.4375}};
    const int dimensions = SIMTX_SOBOL_DIMENSIONS;
    std::vector<unsigned> directions(32 * dimensions);
    for (int k = 0; k < dimensions; k++) {
        simtx_sobol_directions((unsigned)k, &directions[32 * k]);
    }
    unsigned *out = device_buffer<unsigned>(dimensions * DRAWS);
    const unsigned(*rows)[32] = (const unsigned(*)[32])to_device(directions);
    sobol<<<1, dimensions>>>(rows, out, 0);
    CHECK_KERNEL();
    std::vector<unsigned> got = to_host(out, dimensions * DRAWS);
    sobol<<<1, dimensions>>>(rows, out, 300);
    CHECK_KERNEL();
    std::vector<unsigned> later = to_host(out, dimensions * DRAWS);
    for (int k = 0; k < dimensions; k++) {
        std::vector<int> seen(DRAWS);
        for (int i = 0; i < DRAWS; i++) {
            seen[got[k * DRAWS + i] >> 23]++;
            if (i < 10 && k < 3) {
                expect_equal("Sobol, printed points", 3 * i + k, known[i][k],
                             (double)got[k * DRAWS + i] / 4294967296.0);
            }
            if (i >= 300) {
                expect_equal("Sobol, offset", i, got[k * DRAWS + i], later[k * DRAWS + i - 300]);
            }
        }
        expect_same("Sobol, intervals", std::vector<int>(DRAWS, 1), seen);
    }
}

static void expect_moments(const char *what, const std::vector<double> &v, double mean, double variance) {
    double sum = 0, squares = 0;
    for (double x : v) {
        sum += x;
    }
    for (double x : v) {
        squares += (x - mean) * (x - mean);
    }
    double n = (double)v.size(), deviation = std::sqrt(variance / n);
    expect_near(what, 0, mean, sum / n, 0, 4 * deviation);
    expect_near(what, 1, variance, squares / n, 0.12);
}

template <class State> static void check_distributions() {
    double *d[4];
    for (double *&p : d) {
        p = device_buffer<double>(SAMPLES);
    }
    distributions<State><<<SAMPLES / 256, 256>>>(d[0], d[1], d[2], d[3]);
    CHECK_KERNEL();
    std::vector<double> uniform = to_host(d[0], SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        expect_true("uniform in (0, 1]", i, uniform[i] > 0 && uniform[i] <= 1);
    }
    expect_moments("uniform", uniform, 0.5, 1.0 / 12);
    expect_moments("normal", to_host(d[1], SAMPLES), 0, 1);
    expect_moments("Poisson, small mean", to_host(d[2], SAMPLES), 3.5, 3.5);
    expect_moments("Poisson, large mean", to_host(d[3], SAMPLES), 60, 60);
}

int main() {
    check_philox();
    check_mrg();
    check_xorwow();
    check_sobol();
    check_distributions<curandStateXORWOW>();
    check_distributions<curandStateMRG32k3a>();
    check_distributions<curandStatePhilox4_32_10>();
    return pass();
}
