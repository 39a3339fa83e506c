/* Discrete distributions over the generators: Poisson, and any by its cumulative histogram. */
/* Poisson: products of uniforms for small means (Knuth), W. Hoermann's transformed rejection PTRS for others. */
template <class State> QUALIFIERS unsigned int curand_poisson(State *state, double lambda)
{
    if (lambda < 10) {
        double limit = exp(-lambda), p = 1;
        unsigned int k = 0;
        while ((p *= curand_uniform_double(state)) > limit)
            k++;
        return k;
    }
    double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4);
    double limit = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= limit)
            return (unsigned int)k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v * inverse / (a / (us * us) + b)) <= k * log(lambda) - lambda - lgamma(k + 1))
            return (unsigned int)k;
    }
}

/* The smallest k whose probability of at most k reaches u, from the mean on; terms grow or shrink by lambda / k. */
QUALIFIERS unsigned int simtx_poisson_quantile(double u, double lambda)
{
    double k = floor(lambda), term = exp(k * log(lambda) - lambda - lgamma(k + 1)), sum = 0, t = term;
    for (double i = k; i >= 0 && t > sum * 1e-17; i--) {
        sum += t;
        t *= i / lambda;
    }
    while (u <= sum && k > 0 && sum - term >= u) {
        sum -= term;
        term *= k / lambda;
        k--;
    }
    while (sum < u && term > 0) {
        k++;
        term *= lambda / k;
        sum += term;
    }
    return (unsigned int)k;
}

/* Quasirandom values keep their order. */
#define SIMTX_QUASI(State)                                               \
    QUALIFIERS unsigned int curand_poisson(State *state, double lambda)  \
    {                                                                    \
        return simtx_poisson_quantile(curand_uniform_double(state), lambda); \
    }
SIMTX_QUASI(curandStateSobol32_t)
SIMTX_QUASI(curandStateScrambledSobol32_t)
SIMTX_QUASI(curandStateSobol64_t)
SIMTX_QUASI(curandStateScrambledSobol64_t)
#undef SIMTX_QUASI

QUALIFIERS uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    unsigned int a = curand_poisson(state, lambda), b = curand_poisson(state, lambda);
    unsigned int c = curand_poisson(state, lambda), d = curand_poisson(state, lambda);
    return make_uint4(a, b, c, d);
}

/* curandCreatePoissonDistribution() makes the histogram. */
template <class State>
QUALIFIERS unsigned int curand_discrete(State *state, curandDiscreteDistribution_t distribution)
{
    double u = curand_uniform_double(state);
    unsigned int low = 0, high = distribution->length - 1;
    while (low < high) {
        unsigned int middle = (low + high) / 2;
        if (distribution->cumulative[middle] >= u)
            high = middle;
        else
            low = middle + 1;
    }
    return distribution->shift + low;
}

QUALIFIERS uint4 curand_discrete4(curandStatePhilox4_32_10_t *state, curandDiscreteDistribution_t distribution)
{
    unsigned int a = curand_discrete(state, distribution), b = curand_discrete(state, distribution);
    unsigned int c = curand_discrete(state, distribution), d = curand_discrete(state, distribution);
    return make_uint4(a, b, c, d);
}
