// libcurand: the host API of cuRAND over the generators of curand_kernel.h. The results are those of LANES generators
// of the device API, one for each subsequence: result i is drawn by generator i modulo LANES. A generator keeps the
// states between calls, so two calls continue one sequence. Quasirandom results come dimension by dimension, as the
// guide says.
#include <curand.h>
#include <curand_kernel.h>
#include <curand_precalc.h>

#include <climits>
#include <cstdint>
#include <new>
#include <vector>

enum { LANES = 4096, BLOCK = 128 };

enum kind { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE, POISSON };

struct curandGenerator_st {
    curandRngType_t type;
    bool host;                       // results go to host memory
    cudaStream_t stream;
    unsigned long long seed, offset;
    unsigned int dimensions;
    void *states;                    // on the device; NULL: to be made from seed and offset
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
__global__ static void quasi(const unsigned (*directions)[32], unsigned long long offset, enum kind k, void *out,
                             size_t each, double a, double b) {
    curandStateSobol32 s;
    curand_init((unsigned *)directions[threadIdx.x], (unsigned)offset, &s);
    for (size_t i = 0; i < each; i++)
        draw(&s, k, out, threadIdx.x * each + i, a, b);
}

static bool is_quasi(const curandGenerator_st *g) {
    return g->type == CURAND_RNG_QUASI_SOBOL32;
}

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

static curandStatus_t run_quasi(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    unsigned (*directions)[32];
    if (n % g->dimensions)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (g->offset + n / g->dimensions > 1ull << 32) // the sequence has 2^32 points
        return CURAND_STATUS_OUT_OF_RANGE;
    if (cudaMallocManaged(&directions, g->dimensions * sizeof *directions) != cudaSuccess)
        return CURAND_STATUS_ALLOCATION_FAILED;
    for (unsigned d = 0; d < g->dimensions; d++)
        simtx_sobol_directions(d, directions[d]);
    quasi<<<1, g->dimensions, 0, g->stream>>>(directions, g->offset, k, out, n / g->dimensions, a, b);
    g->offset += n / g->dimensions;
    cudaError_t e = cudaStreamSynchronize(g->stream);
    cudaFree(directions);
    return e == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

static curandStatus_t run(curandGenerator_st *g, enum kind k, void *out, size_t n, double a, double b) {
    switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW: return run_pseudo<curandStateXORWOW>(g, k, out, n, a, b);
    case CURAND_RNG_PSEUDO_MRG32K3A: return run_pseudo<curandStateMRG32k3a>(g, k, out, n, a, b);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: return run_pseudo<curandStatePhilox4_32_10>(g, k, out, n, a, b);
    default: return run_quasi(g, k, out, n, a, b);
    }
}

static curandStatus_t generate(curandGenerator_t g, enum kind k, void *out, size_t n, size_t size, double a, double b) {
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!n)
        return CURAND_STATUS_SUCCESS;
    if (is_quasi(g) && k == POISSON)
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
    g->states = nullptr;
}

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host) {
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT)
        type = CURAND_RNG_QUASI_SOBOL32;
    if (!out || (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
                 type != CURAND_RNG_PSEUDO_PHILOX4_32_10 && type != CURAND_RNG_QUASI_SOBOL32))
        return CURAND_STATUS_TYPE_ERROR;
    *out = new (std::nothrow) curandGenerator_st{type, host, nullptr, 0, 0, 1, nullptr};
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
    if (is_quasi(g) && offset > UINT_MAX)
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
    if (dimensions < 1 || dimensions > SIMTX_SOBOL_DIMENSIONS)
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
}
