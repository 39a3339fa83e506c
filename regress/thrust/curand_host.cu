// libcurand: the host API against the device API's known sequences, std::mt19937, moments, equidistribution of Sobol
// points, inverse distribution functions, errors.
#include <curand.h>
#include <curand_kernel.h>
#include <curand_precalc.h>

#include <random>

#include "suite.h"

enum { N = 20000 };

static double moment(const std::vector<double> &v, double centre, int power) {
    double sum = 0;
    for (double x : v)
        sum += std::pow(x - centre, power);
    return sum / v.size();
}

__global__ void skip_twice(unsigned *out, unsigned long long n) {
    curandStateXORWOW_t s;
    curand_init(0, 0, n, &s);
    skipahead(n, &s);
    *out = curand(&s);
}

static void moments(curandRngType_t type, const char *name) {
    curandGenerator_t g;
    std::vector<double> uniform(N), normal(N);
    std::vector<unsigned> poisson(N), first(100), second(100), both(200);
    report(std::string(name) + ": create", curandCreateGeneratorHost(&g, type) == CURAND_STATUS_SUCCESS);
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    bool right = curandGenerateUniformDouble(g, uniform.data(), N) == CURAND_STATUS_SUCCESS &&
                 curandGenerateNormalDouble(g, normal.data(), N, 2, 3) == CURAND_STATUS_SUCCESS &&
                 curandGeneratePoisson(g, poisson.data(), N, 4.5) == CURAND_STATUS_SUCCESS;
    std::vector<double> counts(poisson.begin(), poisson.end());
    report(std::string(name) + ": uniform", right && std::fabs(moment(uniform, 0, 1) - 0.5) < 0.01 &&
                                                std::fabs(moment(uniform, 0.5, 2) - 1 / 12.0) < 0.003);
    report(std::string(name) + ": normal",
           std::fabs(moment(normal, 2, 1)) < 0.1 && std::fabs(moment(normal, 2, 2) - 9) < 0.5);
    report(std::string(name) + ": Poisson",
           std::fabs(moment(counts, 4.5, 1)) < 0.08 && std::fabs(moment(counts, 4.5, 2) - 4.5) < 0.3);
    curandSetPseudoRandomGeneratorSeed(g, 99);
    curandGenerate(g, first.data(), 100);
    curandSetPseudoRandomGeneratorSeed(g, 99);
    curandGenerate(g, second.data(), 100);
    curandGenerate(g, both.data(), 100);
    report(std::string(name) + ": a seed repeats, a second call goes on",
           first == second && !std::equal(first.begin(), first.end(), both.begin()));
    curandDestroyGenerator(g);
}

// Seed 0, generator 0: Marsaglia's recurrence from his initial state, at an offset; a large one as two halves.
static void offsets() {
    const unsigned steps = 100000;
    const unsigned long long large = 1ull << 40;
    unsigned v[5] = {123456789, 362436069, 521288629, 88675123, 5783321}, d = 6615241, expected = 0, got = 0;
    for (unsigned i = 0; i <= steps; i++) {
        unsigned t = v[0] ^ (v[0] >> 2);
        v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
        expected = (d += 362437) + v[4];
    }
    curandGenerator_t g;
    curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW);
    curandSetGeneratorOffset(g, steps);
    report("XORWOW at an offset", curandGenerate(g, &got, 1) == CURAND_STATUS_SUCCESS && got == expected);
    curandSetGeneratorOffset(g, large);
    report("XORWOW at a large offset", curandGenerate(g, &got, 1) == CURAND_STATUS_SUCCESS);
    unsigned *twice, both;
    cudaMallocManaged(&twice, sizeof *twice);
    skip_twice<<<1, 1>>>(twice, large / 2);
    report("is that of two halves", cudaDeviceSynchronize() == cudaSuccess && *twice == got);
    report("more results than memory",
           curandGenerate(g, &both, ~(size_t)0 / 2) == CURAND_STATUS_ALLOCATION_FAILED);
    curandDestroyGenerator(g);
}

// ---- MT19937 ----

static double unit53(unsigned x, unsigned y) {
    return (double)(x ^ (uint64_t)y << 21) * std::ldexp(1.0, -53) + std::ldexp(1.0, -54);
}

// The smallest k with at least u as the probability of at most k, by summing from 0.
static unsigned poisson_quantile(double u, double lambda) {
    long double term = std::exp(-(long double)lambda), sum = term;
    unsigned k = 0;
    while (sum < u)
        sum += term *= lambda / ++k;
    return k;
}

static void twister() {
    curandGenerator_t g;
    std::vector<unsigned> words(10000), later(500), poisson(300);
    std::vector<float> uniform(701), normal(702);
    std::vector<double> wide(700);
    report("MT19937: create", curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_SUCCESS);
    curandSetPseudoRandomGeneratorSeed(g, 5489);
    curandGenerate(g, words.data(), 10000);
    report("MT19937: the 10000th word that the C++ standard names", words[9999] == 4123659995u);
    std::mt19937 reference(5489);
    bool right = true;
    for (unsigned word : words)
        right = right && word == reference();
    report("MT19937: std::mt19937", right);
    curandSetGeneratorOffset(g, 700);
    curandGenerate(g, later.data(), 500);
    report("MT19937: offset", std::equal(later.begin(), later.end(), words.begin() + 700));

    curandSetPseudoRandomGeneratorSeed(g, 77);
    curandSetGeneratorOffset(g, 0);
    curandGenerateUniform(g, uniform.data(), 701);
    curandGenerateUniformDouble(g, wide.data(), 700);
    report("MT19937: an odd number of normal results",
           curandGenerateNormal(g, normal.data(), 701, 1, 2) == CURAND_STATUS_LENGTH_NOT_MULTIPLE &&
               curandGenerateLogNormal(g, normal.data(), 3, 1, 2) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    curandGenerateNormal(g, normal.data(), 702, 1, 2);
    curandGeneratePoisson(g, poisson.data(), 300, 60);
    reference.seed(77);
    right = true;
    for (float f : uniform)
        right = right && std::fabs(f - ((double)reference() + 0.5) / 4294967296.0) < 1e-7;
    report("MT19937: uniform", right);
    right = true;
    for (double d : wide) {
        unsigned x = reference(), y = reference();
        right = right && d == unit53(x, y);
    }
    report("MT19937: uniform in double precision", right);
    right = true;
    for (int i = 0; i < 702; i += 2) {
        double u = (reference() + 0.5) / 4294967296.0, v = (reference() + 0.5) / 4294967296.0;
        double r = 2 * std::sqrt(-2 * std::log(u));
        right = right && std::fabs(normal[i] - 1 - r * std::sin(2 * M_PI * v)) < 2e-5 &&
                std::fabs(normal[i + 1] - 1 - r * std::cos(2 * M_PI * v)) < 2e-5;
    }
    report("MT19937: normal by Box and Muller", right);
    right = true;
    for (unsigned k : poisson) {
        unsigned x = reference(), y = reference();
        right = right && k == poisson_quantile(unit53(x, y), 60);
    }
    report("MT19937: Poisson by the inverse", right);
    curandDestroyGenerator(g);
}

// ---- Sobol ----

// The first 2^bits points of a dimension: one in each interval of 2^-bits.
template <class Word> static bool equidistributed(const Word *points, unsigned bits) {
    std::set<Word> intervals;
    for (unsigned i = 0; i < 1u << bits; i++)
        intervals.insert(points[i] >> (sizeof(Word) * 8 - bits));
    return intervals.size() == 1u << bits;
}

static void sobol_table() {
    curandDirectionVectors32_t *narrow;
    curandDirectionVectors64_t *wide;
    curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
    curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
    bool table = true, upper = true, regular = true;
    for (unsigned d = 0; d < 20; d++) {
        unsigned v[32];
        simtx_sobol_directions(d, v);
        table = table && !memcmp(v, narrow[d], sizeof v);
    }
    for (unsigned d = 0; d < 20000; d += 199)
        for (int i = 0; i < 32; i++) {
            upper = upper && narrow[d][i] == wide[d][i] >> 32;
            regular = regular && narrow[d][i] >> (31 - i) & 1 && narrow[d][i] << i << 1 == 0;
        }
    report("primitive polynomials in order are those of Joe and Kuo", table);
    report("directions of 64 bits begin with those of 32", upper);
    report("directions are triangular", regular);
    report("a set of the other width", curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ==
                                           CURAND_STATUS_OUT_OF_RANGE);
}

template <class Word> static curandStatus_t words_of(curandGenerator_t g, Word *out, size_t n);
template <> curandStatus_t words_of(curandGenerator_t g, unsigned *out, size_t n) { return curandGenerate(g, out, n); }
template <> curandStatus_t words_of(curandGenerator_t g, unsigned long long *out, size_t n) {
    return curandGenerateLongLong(g, out, n);
}

template <class Word> static void sobol_points(curandRngType_t type, const char *name, bool scrambled) {
    enum { DIMENSIONS = 200, BITS_ = 6, EACH = 1 << BITS_ };
    curandGenerator_t g;
    std::vector<Word> points(DIMENSIONS * EACH), half(DIMENSIONS * EACH / 2);
    bool right = curandCreateGeneratorHost(&g, type) == CURAND_STATUS_SUCCESS &&
                 curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS) == CURAND_STATUS_SUCCESS &&
                 words_of(g, points.data(), points.size()) == CURAND_STATUS_SUCCESS, same = true, moved = true;
    for (int d = 0; d < DIMENSIONS; d++) {
        right = right && equidistributed(&points[d * EACH], BITS_);
        moved = moved && points[d * EACH] != 0;
    }
    report(std::string(name) + ": one point in each interval", right);
    report(std::string(name) + ": the first point", moved == scrambled);
    curandSetGeneratorOffset(g, EACH / 2);
    words_of(g, half.data(), half.size());
    for (int d = 0; d < DIMENSIONS; d++)
        same = same && std::equal(&half[d * EACH / 2], &half[(d + 1) * EACH / 2], &points[d * EACH + EACH / 2]);
    report(std::string(name) + ": offset", same);
    std::vector<double> uniform(DIMENSIONS * 2), normal(DIMENSIONS * 2);
    curandSetGeneratorOffset(g, 1);
    curandGenerateUniformDouble(g, uniform.data(), uniform.size());
    curandSetGeneratorOffset(g, 1);
    curandGenerateNormalDouble(g, normal.data(), normal.size(), 0, 1);
    for (int i = 0; i < DIMENSIONS * 2; i++) {
        double word = std::ldexp((double)points[i / 2 * EACH + 1 + i % 2], -(int)sizeof(Word) * 8);
        same = same && std::fabs(uniform[i] - word) < 1e-9 &&
               std::fabs(0.5 * std::erfc(-normal[i] / std::sqrt(2.0)) - uniform[i]) < 1e-9;
    }
    report(std::string(name) + ": uniform, and normal by the inverse", same);
    Word none;
    report(std::string(name) + ": words of the other width",
           (sizeof none == 8 ? curandGenerate(g, (unsigned *)&none, DIMENSIONS)
                             : curandGenerateLongLong(g, (unsigned long long *)&none, DIMENSIONS)) ==
               CURAND_STATUS_TYPE_ERROR);
    curandDestroyGenerator(g);
}

static void sobol_poisson() {
    curandGenerator_t g;
    std::vector<unsigned> words(128), poisson(128);
    curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32);
    curandSetGeneratorOffset(g, 5);
    curandGenerate(g, words.data(), 128);
    bool right = true;
    for (double lambda : {0.3, 4.5, 300.0}) {
        curandSetGeneratorOffset(g, 5);
        right = right && curandGeneratePoisson(g, poisson.data(), 128, lambda) == CURAND_STATUS_SUCCESS;
        for (int i = 0; i < 128; i++)
            right = right && poisson[i] == poisson_quantile(words[i] / 4294967296.0 + 1.1641532182693481e-10, lambda);
    }
    report("Sobol: Poisson by the inverse", right);
    curandDestroyGenerator(g);
}

// ---- forms of the device API ----

struct Forms {
    unsigned discrete, poisson[4], discrete4[4];
    double uniform, uniform4[4], normal4[4], log4[4];
    float normal4f[4], log4f[4];
    unsigned words[4];
};

__global__ void forms(Forms *out, curandDiscreteDistribution_t distribution) {
    Forms f;
    curandStatePhilox4_32_10_t start, s;
    curand_init(3, threadIdx.x, 0, &start);
    s = start, f.uniform = curand_uniform_double(&s);
    s = start, f.discrete = curand_discrete(&s, distribution);
    s = start, *(uint4 *)f.words = curand4(&s);
    s = start, *(double4 *)f.uniform4 = curand_uniform4_double(&s);
    s = start, *(double4 *)f.normal4 = curand_normal4_double(&s);
    s = start, *(double4 *)f.log4 = curand_log_normal4_double(&s, 0.5, 0.25);
    s = start, *(float4 *)f.normal4f = curand_normal4(&s);
    s = start, *(float4 *)f.log4f = curand_log_normal4(&s, 0.5f, 0.25f);
    s = start, *(uint4 *)f.poisson = curand_poisson4(&s, 40.0);
    s = start, *(uint4 *)f.discrete4 = curand_discrete4(&s, distribution);
    out[threadIdx.x] = f;
}

static void device_forms() {
    enum { THREADS = 256 };
    curandDiscreteDistribution_t distribution;
    Forms *f;
    report("histogram", curandCreatePoissonDistribution(9.5, &distribution) == CURAND_STATUS_SUCCESS);
    cudaMallocManaged(&f, THREADS * sizeof *f);
    forms<<<1, THREADS>>>(f, distribution);
    bool ran = cudaDeviceSynchronize() == cudaSuccess, discrete = ran, uniform = ran, normal = ran, logs = ran;
    double poisson = 0, four = 0;
    for (int i = 0; i < THREADS; i++) {
        discrete = discrete && f[i].discrete == poisson_quantile(f[i].uniform, 9.5);
        uniform = uniform && f[i].uniform4[0] == unit53(f[i].words[0], f[i].words[1]) &&
                  f[i].uniform4[1] == unit53(f[i].words[2], f[i].words[3]);
        double r = std::sqrt(-2 * std::log(f[i].uniform4[0])), angle = 2 * M_PI * f[i].uniform4[1];
        normal = normal && std::fabs(f[i].normal4[0] - r * std::sin(angle)) < 1e-12 &&
                 std::fabs(f[i].normal4[1] - r * std::cos(angle)) < 1e-12;
        for (int k = 0; k < 4; k++) {
            logs = logs && std::fabs(std::log(f[i].log4[k]) - 0.5 - 0.25 * f[i].normal4[k]) < 1e-12 &&
                   std::fabs(std::log(f[i].log4f[k]) - 0.5 - 0.25 * f[i].normal4f[k]) < 1e-5;
            poisson += f[i].poisson[k] / (4.0 * THREADS);
            four += f[i].discrete4[k] / (4.0 * THREADS);
        }
    }
    report("curand_discrete", discrete);
    report("curand_uniform4_double", uniform);
    report("curand_normal4_double", normal);
    report("curand_log_normal4", logs);
    report("curand_poisson4, mean", std::fabs(poisson - 40) < 0.8);
    report("curand_discrete4, mean", std::fabs(four - 9.5) < 0.4);
    report("no histogram for a mean of 0", curandCreatePoissonDistribution(0, &distribution) ==
                                               CURAND_STATUS_OUT_OF_RANGE);
    curandDestroyDistribution(distribution);
    cudaFree(f);
}

int main() {
    offsets();
    twister();
    sobol_table();
    sobol_points<unsigned>(CURAND_RNG_QUASI_SOBOL32, "Sobol32", false);
    sobol_points<unsigned>(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, "scrambled Sobol32", true);
    sobol_points<unsigned long long>(CURAND_RNG_QUASI_SOBOL64, "Sobol64", false);
    sobol_points<unsigned long long>(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, "scrambled Sobol64", true);
    sobol_poisson();
    device_forms();
    moments(CURAND_RNG_PSEUDO_XORWOW, "XORWOW");
    moments(CURAND_RNG_PSEUDO_MRG32K3A, "MRG32k3a");
    moments(CURAND_RNG_PSEUDO_PHILOX4_32_10, "Philox");

    curandGenerator_t g;
    unsigned *device, words[1];
    cudaMalloc(&device, 4096 * sizeof *device);
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandGenerate(g, device, 1); // seed 0, subsequence 0: Random123's known answer
    cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost);
    report("Philox, known answer", words[0] == 0x6627e8d5u);
    report("dimensions of a pseudorandom generator",
           curandSetQuasiRandomGeneratorDimensions(g, 2) == CURAND_STATUS_TYPE_ERROR);
    curandDestroyGenerator(g);

    float points[8];
    const float expected[8] = {0, 0.5f, 0.75f, 0.25f, 0, 0.5f, 0.25f, 0.75f}; // dimension by dimension
    curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32);
    curandSetQuasiRandomGeneratorDimensions(g, 2);
    bool right = curandGenerateUniform(g, points, 8) == CURAND_STATUS_SUCCESS;
    for (int i = 0; i < 8; i++)
        right = right && std::fabs(points[i] - expected[i]) < 1e-6f;
    report("Sobol, first points", right);
    report("Sobol, a length that is no multiple",
           curandGenerateUniform(g, points, 7) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    report("an offset beyond Sobol's points",
           curandSetGeneratorOffset(g, 1ull << 32) == CURAND_STATUS_OUT_OF_RANGE);
    report("points beyond the last",
           curandSetGeneratorOffset(g, (1ull << 32) - 2) == CURAND_STATUS_SUCCESS &&
               curandGenerateUniform(g, points, 8) == CURAND_STATUS_OUT_OF_RANGE);
    report("too many dimensions", curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE);
    report("a seed for Sobol", curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
    curandDestroyGenerator(g);
    report("MTGP32 is rejected", curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_TYPE_ERROR);
    report("no generator", curandGenerateUniform(nullptr, points, 8) == CURAND_STATUS_NOT_INITIALIZED);
    return suite_end("curand_host");
}
