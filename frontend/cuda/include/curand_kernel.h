/* Random numbers in device code (cuRAND Library, "Device API"): generators and distributions.
 *
 *   XORWOW         G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003, section 3.1
 *   MRG32k3a       P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
 *                  generators", Operations Research 47(1), 1999
 *   Philox4_32_10  J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011
 *   Sobol          S. Joe, F. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM
 *                  Journal on Scientific Computing 30(5), 2008 (curand_precalc.h has the direction numbers)
 *
 * Philox is seeded as the cuRAND guide defines: the key is the seed, the counter the subsequence and the offset. How
 * cuRAND derives the states of XORWOW and MRG32k3a from a seed is not published; here seed 0 gives the papers'
 * initial states, other seeds are mixed into them, so sequences have the published recurrences and differ from
 * cuRAND's. Subsequences of MRG32k3a are 2^76 apart, found by powers of its matrices; those of XORWOW have
 * independent states. */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"

#if !defined(__CUDA__) || !defined(__clang__)
#error "curand_kernel.h needs a CUDA compilation: give the file the suffix .cu, or -x cu"
#endif
#include "curand/status.h"
#include "simtx/keywords.h"

#define QUALIFIERS static __forceinline__ __device__

typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateXORWOW_t;

typedef struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];       /* the three last values of each component, the oldest first */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateMRG32k3a_t;

typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;              /* words of output that are used */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;

typedef unsigned int curandDirectionVectors32_t[32];

typedef struct curandStateSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
} curandStateSobol32_t;

typedef unsigned long long curandDirectionVectors64_t[64];

typedef struct curandStateScrambledSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
} curandStateScrambledSobol32_t;

typedef struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
} curandStateSobol64_t;

typedef struct curandStateScrambledSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
} curandStateScrambledSobol64_t;

typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW curandState;

#include "curand/xorwow.h"
#include "curand/mrg32k3a.h"
#include "curand/philox.h"
#include "curand/sobol.h"
#include "curand/distributions.h"
#include "curand/discrete.h"

#endif
