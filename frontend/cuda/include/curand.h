/* The host API of cuRAND (cuRAND Library, "Host API Overview"): arrays of random numbers in device or host memory,
 * from the generators of curand_kernel.h. Link with -lcurand. */
#ifndef CURAND_H_
#define CURAND_H_

#include "cuda_runtime_api.h"
#include "curand/status.h"

#define CURAND_VERSION 10205
#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 2
#define CURAND_VER_PATCH 5

#ifdef __cplusplus
extern "C" {
#endif

typedef struct curandGenerator_st *curandGenerator_t;
#ifndef CURAND_KERNEL_H_
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
#endif

curandStatus_t curandGetVersion(int *version);
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order);
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int dimensions);
curandStatus_t curandGenerateSeeds(curandGenerator_t generator);
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t n);
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *out, size_t n);
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t n);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t n);
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t n, float mean, float stddev);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t n, double mean,
                                          double stddev);
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t n, float mean, float stddev);
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t n, double mean,
                                             double stddev);
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *out, size_t n, double lambda);
curandStatus_t curandGeneratePoissonMethod(curandGenerator_t generator, unsigned int *out, size_t n, double lambda,
                                           curandMethod_t method);
curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *distribution);
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution);

/* Direction vectors and scramble constants of 20,000 dimensions; they exist as long as the program. */
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetScrambleConstants32(unsigned int **constants);
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants);

#ifdef __cplusplus
}
#endif

#endif
