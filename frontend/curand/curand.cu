// libcurand: the host API of cuRAND over the generators of curand_kernel.h. The results are those of LANES generators
// of the device API, one for each subsequence: result i is drawn by generator i modulo LANES. A generator keeps the
// states between calls, so two calls continue one sequence. Quasirandom results come dimension by dimension, as the
// guide says. MT19937 is one sequence, computed by the host; kernels make distributions of its words.
#include <curand.h>
#include <curand_kernel.h>

#include "frontend/curand/directions.h"
#include "frontend/curand/mt19937.h"

#include <climits>
#include <cmath>
#include <cstdint>
#include <new>
#include <vector>

enum { LANES = 4096, BLOCK = 128 };

enum kind { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE, POISSON, LONG };

struct curandGenerator_st {
    curandRngType_t type;
    bool host;                       // results go to host memory
    cudaStream_t stream;
    unsigned long long seed, offset;
    unsigned int dimensions;
    void *states;                    // on the device; NULL: to be made from seed and offset
    Mt19937 *twister;                // of MT19937, likewise
};

template <class State>
__global__ static void make_states(State *s, unsigned long long seed, unsigned long long offset) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    curand_init(seed, i, offset, &s[i]);
}

template <class State> __device__ static void draw(State *s, enum kind k, void *out, size_t i, double a, double b) {
    switch (k) {
    case BITS: ((unsigned *)out)[i] = curand(s); break;
    case UNIFORM: ((float *)out)[i] = curand_uniform(s); break;
    case UNIFORM_DOUBLE: ((double *)out)[i] = curand_uniform_double(s); break;
    case NORMAL: ((float *)out)[i] = (float)a + (float)b * curand_normal(s); break;
    case NORMAL_DOUBLE: ((double *)out)[i] = a + b * curand_normal_double(s); break;
    case LOG_NORMAL: ((float *)out)[i] = expf((float)a + (float)b * curand_normal(s)); break;
    case LOG_NORMAL_DOUBLE: ((double *)out)[i] = exp(a + b * curand_normal_double(s)); break;
    case POISSON: ((unsigned *)out)[i] = curand_poisson(s, a); break;
    case LONG: ((unsigned long long *)out)[i] = curand(s); break;
    }
}

template <class State>
__global__ static void pseudo(State *states, enum kind k, void *out, size_t n, double a, double b) {
    size_t lane = blockIdx.x * BLOCK + threadIdx.x;
    State s = states[lane];
    for (size_t i = lane; i < n; i += LANES)
        draw(&s, k, out, i, a, b);
    states[lane] = s;
}

// Thread d writes the results of dimension d.
template <class State, class Word, bool Scrambled>
__global__ static void quasi(Word *directions, const Word *constants, unsigned dimensions, unsigned long long offset,
                             enum kind k, void *out, size_t each, double a, double b) {
    unsigned d = blockIdx.x * BLOCK + threadIdx.x;
    State s;
    if (d >= dimensions)
        return;
    simtx_sobol_start(directions + d * sizeof(Word) * 8, Scrambled ? constants[d] : Word(0), (Word)offset, &s);
    for (size_t i = 0; i < each; i++)
        draw(&s, k, out, d * each + i, a, b);
}

static bool is_quasi(const curandGenerator_st *g) {
    return g->type >= CURAND_RNG_QUASI_SOBOL32;
}

static bool is_wide(const curandGenerator_st *g) {
    return g->type >= CURAND_RNG_QUASI_SOBOL64;
}

// ---- MT19937 ----

// Words of a result, so that each is computed by a thread of its own; normal results come in pairs.
static unsigned words_of(enum kind k) {
    return k == UNIFORM_DOUBLE || k == NORMAL_DOUBLE || k == LOG_NORMAL_DOUBLE || k == POISSON ? 2 : 1;
}

struct Words {
    const unsigned *next;
};

__device__ static unsigned curand(Words *w) {
    return *w->next++;
}

__device__ static double normal_of_words(const unsigned *words, size_t i, bool wide) {
    Words pair = {words + (i & ~(size_t)1) * (wide ? 2 : 1)};
    if (wide) {
        double2 v = curand_normal2_double(&pair);
        return i & 1 ? v.y : v.x;
    }
    float2 v = curand_normal2(&pair);
    return i & 1 ? v.y : v.x;
}

__global__ static void distribute(const unsigned *words, enum kind k, void *out, size_t n, double a, double b) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    Words w = {words + i * (k == UNIFORM_DOUBLE || k == POISSON ? 2 : 1)};
    switch (k) {
    case BITS: ((unsigned *)out)[i] = curand(&w); break;
    case UNIFORM: ((float *)out)[i] = curand_uniform(&w); break;
    case UNIFORM_DOUBLE: ((double *)out)[i] = curand_uniform_double(&w); break;
    case NORMAL: ((float *)out)[i] = (float)a + (float)b * (float)normal_of_words(words, i, false); break;
    case NORMAL_DOUBLE: ((double *)out)[i] = a + b * normal_of_words(words, i, true); break;
    case LOG_NORMAL: ((float *)out)[i] = expf((float)a + (float)b * (float)normal_of_words(words, i, false)); break;
    case LOG_NORMAL_DOUBLE: ((double *)out)[i] = exp(a + b * normal_of_words(words, i, true)); break;
    case POISSON: ((unsigned *)out)[i] = simtx_poisson_quantile(curand_uniform_double(&w), a); break;
    case LONG: break;
    }
}

static bool start_twister(curandGenerator_st *g) {
    if (g->twister)
        return true;
    g->twister = new (std::nothrow) Mt19937((uint32_t)g->seed);
    for (unsigned long long i = 0; g->twister && i < g->offset; i++)
        g->twister->next();
    return g->twister != nullptr;
}

static curandStatus_t run_twister(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    unsigned *words;
    size_t count = n * words_of(k);
    if (count > SIZE_MAX / sizeof *words || !start_twister(g) ||
        cudaMallocManaged(&words, count * sizeof *words) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    for (size_t i = 0; i < count; i++)
        words[i] = g->twister->next();
    distribute<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, 0, g->stream>>>(words, k, out, n, a, b);
    cudaError_t e = cudaStreamSynchronize(g->stream);
    cudaFree(words);
    return e == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// ---- the generators of the device API ----

template <class State>
static curandStatus_t run_pseudo(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    if (!g->states) {
        if (cudaMalloc(&g->states, LANES * sizeof(State)) != cudaSuccess)
            return CURAND_STATUS_ALLOCATION_FAILED;
        make_states<<<LANES / BLOCK, BLOCK, 0, g->stream>>>((State *)g->states, g->seed, g->offset);
    }
    pseudo<<<LANES / BLOCK, BLOCK, 0, g->stream>>>((State *)g->states, k, out, n, a, b);
    return cudaGetLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class State, class Word, bool Scrambled>
static curandStatus_t launch_quasi(curandGenerator_st *g, const Word *directions, const Word *constants, enum kind k,
                                   void *out, size_t n, double a, double b) {
    size_t bytes = g->dimensions * sizeof(Word) * sizeof(Word) * 8, more = g->dimensions * sizeof(Word);
    Word *table;
    if (cudaMalloc(&table, bytes + more) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    Word *shifts = table + bytes / sizeof(Word);
    cudaMemcpy(table, directions, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(shifts, constants, more, cudaMemcpyHostToDevice);
    quasi<State, Word, Scrambled><<<(g->dimensions + BLOCK - 1) / BLOCK, BLOCK, 0, g->stream>>>(
        table, shifts, g->dimensions, g->offset, k, out, n / g->dimensions, a, b);
    cudaError_t e = cudaStreamSynchronize(g->stream);
    cudaFree(table);
    return e == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class State, bool Scrambled>
static curandStatus_t run_quasi32(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    return launch_quasi<State, uint32_t, Scrambled>(g, sobol::directions32(Scrambled).data(),
                                                    sobol::constants32().data(), k, out, n, a, b);
}

template <class State, bool Scrambled>
static curandStatus_t run_quasi64(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    typedef unsigned long long word;
    return launch_quasi<State, word, Scrambled>(g, (const word *)sobol::directions64(Scrambled).data(),
                                                (const word *)sobol::constants64().data(), k, out, n, a, b);
}

static curandStatus_t run_quasi(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    if (n % g->dimensions)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (!is_wide(g) && g->offset + n / g->dimensions > 1ull << 32) // the sequence has 2^32 points
        return CURAND_STATUS_OUT_OF_RANGE;
    curandStatus_t s;
    switch (g->type) {
    case CURAND_RNG_QUASI_SOBOL32: s = run_quasi32<curandStateSobol32_t, false>(g, k, out, n, a, b); break;
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
        s = run_quasi32<curandStateScrambledSobol32_t, true>(g, k, out, n, a, b);
        break;
    case CURAND_RNG_QUASI_SOBOL64: s = run_quasi64<curandStateSobol64_t, false>(g, k, out, n, a, b); break;
    default: s = run_quasi64<curandStateScrambledSobol64_t, true>(g, k, out, n, a, b); break;
    }
    if (!s)
        g->offset += n / g->dimensions;
    return s;
}

// Box and Muller make two results at a time, so the guide requires an even number of them.
static bool is_half_a_pair(const curandGenerator_st *g, enum kind k, size_t n) {
    return !is_quasi(g) && k >= NORMAL && k <= LOG_NORMAL_DOUBLE && n % 2;
}

static curandStatus_t run(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    if (is_half_a_pair(g, k, n))
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW: return run_pseudo<curandStateXORWOW>(g, k, out, n, a, b);
    case CURAND_RNG_PSEUDO_MRG32K3A: return run_pseudo<curandStateMRG32k3a>(g, k, out, n, a, b);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: return run_pseudo<curandStatePhilox4_32_10>(g, k, out, n, a, b);
    case CURAND_RNG_PSEUDO_MT19937: return run_twister(g, k, out, n, a, b);
    default: return run_quasi(g, k, out, n, a, b);
    }
}

static curandStatus_t generate(curandGenerator_t g, enum kind k, void *out, size_t n, size_t size, double a, double b) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!n)
        return CURAND_STATUS_SUCCESS;
    if (k == BITS ? is_wide(g) : k == LONG && !is_wide(g))
        return CURAND_STATUS_TYPE_ERROR;
    if (n > SIZE_MAX / size)
        return CURAND_STATUS_ALLOCATION_FAILED;
    if (!g->host)
        return run(g, k, out, n, a, b);
    void *device;
    if (cudaMalloc(&device, n * size) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    curandStatus_t s = run(g, k, device, n, a, b);
    if (!s && cudaMemcpy(out, device, n * size, cudaMemcpyDeviceToHost) != cudaSuccess)
        s = CURAND_STATUS_LAUNCH_FAILURE;
    cudaFree(device);
    return s;
}

static void drop_states(curandGenerator_st *g) {
    cudaFree(g->states);
    delete g->twister;
    g->states = nullptr;
    g->twister = nullptr;
}

static bool known(curandRngType_t type) {
    return type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A ||
           type == CURAND_RNG_PSEUDO_MT19937 || type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ||
           (type >= CURAND_RNG_QUASI_SOBOL32 && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
}

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host) {
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT)
        type = CURAND_RNG_QUASI_SOBOL32;
    if (!out || !known(type))
        return CURAND_STATUS_TYPE_ERROR;
    *out = new (std::nothrow) curandGenerator_st{type, host, nullptr, 0, 0, 1, nullptr, nullptr};
    return *out ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

extern "C" {

curandStatus_t curandGetVersion(int *version) {
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
    return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    drop_states(g);
    delete g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (is_quasi(g))
        return CURAND_STATUS_TYPE_ERROR;
    g->seed = seed;
    drop_states(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    bool counted = g->type == CURAND_RNG_PSEUDO_MT19937 || (is_quasi(g) && !is_wide(g));
    if (counted && offset > UINT_MAX)
        return CURAND_STATUS_OUT_OF_RANGE;
    g->offset = offset;
    drop_states(g);
    return CURAND_STATUS_SUCCESS;
}

// There is one order.
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    return (order == CURAND_ORDERING_QUASI_DEFAULT) == is_quasi(g) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!is_quasi(g))
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions < 1 || dimensions > sobol::DIMENSIONS)
        return CURAND_STATUS_OUT_OF_RANGE;
    g->dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}

// States are made by the first call that needs them.
curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
    return g ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *out, size_t n) {
    return generate(g, BITS, out, n, sizeof *out, 0, 0);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n) {
    return generate(g, LONG, out, n, sizeof *out, 0, 0);
}

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n) {
    return generate(g, UNIFORM, out, n, sizeof *out, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n) {
    return generate(g, UNIFORM_DOUBLE, out, n, sizeof *out, 0, 0);
}

curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean, float stddev) {
    return generate(g, NORMAL, out, n, sizeof *out, mean, stddev);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double stddev) {
    return generate(g, NORMAL_DOUBLE, out, n, sizeof *out, mean, stddev);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean, float stddev) {
    return generate(g, LOG_NORMAL, out, n, sizeof *out, mean, stddev);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double stddev) {
    return generate(g, LOG_NORMAL_DOUBLE, out, n, sizeof *out, mean, stddev);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *out, size_t n, double lambda) {
    if (!(lambda > 0))
        return CURAND_STATUS_OUT_OF_RANGE;
    return generate(g, POISSON, out, n, sizeof *out, lambda, 0);
}

curandStatus_t curandGeneratePoissonMethod(curandGenerator_t g, unsigned int *out, size_t n, double lambda,
                                           curandMethod_t) {
    return curandGeneratePoisson(g, out, n, lambda);
}

// The histogram reaches as far on both sides of the mean as the sum of probabilities can be told from 0 and 1.
curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *out) {
    if (!(lambda > 0 && lambda <= 400000))
        return CURAND_STATUS_OUT_OF_RANGE;
    double reach = 10 * std::sqrt(lambda) + 40, first = std::fmax(0, std::floor(lambda - reach)), sum = 0;
    curandDiscreteDistribution_t d = nullptr;
    unsigned length = (unsigned)(std::ceil(lambda + reach) - first);
    if (!out || cudaMallocManaged(&d, sizeof *d) != cudaSuccess ||
        cudaMallocManaged(&d->cumulative, length * sizeof(double)) != cudaSuccess) {
        cudaFree(d);
        return out ? CURAND_STATUS_ALLOCATION_FAILED : CURAND_STATUS_OUT_OF_RANGE;
    }
    d->shift = (unsigned)first;
    d->length = length;
    for (unsigned i = 0; i < length; i++) {
        double k = first + i;
        sum += std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1));
        d->cumulative[i] = sum;
    }
    *out = d;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t d) {
    if (!d)
        return CURAND_STATUS_NOT_INITIALIZED;
    cudaFree(d->cumulative);
    cudaFree(d);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
    bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
    if (!vectors || (!scrambled && set != CURAND_DIRECTION_VECTORS_32_JOEKUO6))
        return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = (curandDirectionVectors32_t *)sobol::directions32(scrambled).data();
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
    bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
    if (!vectors || (!scrambled && set != CURAND_DIRECTION_VECTORS_64_JOEKUO6))
        return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = (curandDirectionVectors64_t *)sobol::directions64(scrambled).data();
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants32(unsigned int **constants) {
    if (!constants)
        return CURAND_STATUS_OUT_OF_RANGE;
    *constants = (unsigned int *)sobol::constants32().data();
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **constants) {
    if (!constants)
        return CURAND_STATUS_OUT_OF_RANGE;
    *constants = (unsigned long long *)sobol::constants64().data();
    return CURAND_STATUS_SUCCESS;
}
}
