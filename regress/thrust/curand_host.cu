// libcurand: the host API against the device API's known sequences, moments, points of Sobol, errors.
#include <curand.h>
#include <curand_kernel.h>

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

int main() {
    offsets();
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
    report("Sobol has no Poisson numbers", curandGeneratePoisson(g, words, 1, 3) == CURAND_STATUS_TYPE_ERROR);
    report("an offset beyond Sobol's points",
           curandSetGeneratorOffset(g, 1ull << 32) == CURAND_STATUS_OUT_OF_RANGE);
    report("points beyond the last",
           curandSetGeneratorOffset(g, (1ull << 32) - 2) == CURAND_STATUS_SUCCESS &&
               curandGenerateUniform(g, points, 8) == CURAND_STATUS_OUT_OF_RANGE);
    report("too many dimensions", curandSetQuasiRandomGeneratorDimensions(g, 21) == CURAND_STATUS_OUT_OF_RANGE);
    report("a seed for Sobol", curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
    curandDestroyGenerator(g);
    report("MT19937 is rejected", curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_TYPE_ERROR);
    report("no generator", curandGenerateUniform(nullptr, points, 8) == CURAND_STATUS_NOT_INITIALIZED);
    return suite_end("curand_host");
}
