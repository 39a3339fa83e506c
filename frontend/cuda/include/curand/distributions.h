/* Distributions over the generators: uniform in (0, 1], normal by Box and Muller, logarithmic normal, Poisson. */
QUALIFIERS float simtx_curand_unit(unsigned int x)
{
    return (float)x * 2.3283064365386963e-10f + 1.16415321826934815e-10f;
}

/* 53 bits of two words */
QUALIFIERS double simtx_curand_unit53(unsigned int x, unsigned int y)
{
    unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << (53 - 32));
    return (double)z * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

QUALIFIERS float2 simtx_curand_pair(unsigned int x, unsigned int y)
{
    float u = simtx_curand_unit(x), v = (float)y * 1.46291807e-9f + 0.73145904e-9f, s = sqrtf(-2.0f * logf(u)), sine,
          cosine;
    sincosf(v, &sine, &cosine);
    return make_float2(s * sine, s * cosine);
}

QUALIFIERS double2 simtx_curand_pair_double(double u, double v)
{
    double s = sqrt(-2.0 * log(u)), sine, cosine;
    sincospi(2.0 * v, &sine, &cosine);
    return make_double2(s * sine, s * cosine);
}

template <class State> QUALIFIERS float curand_uniform(State *state)
{
    return simtx_curand_unit(curand(state));
}

template <class State> QUALIFIERS double curand_uniform_double(State *state)
{
    unsigned int x = curand(state), y = curand(state);
    return simtx_curand_unit53(x, y);
}

/* A quasirandom point has one value for each dimension. */
QUALIFIERS double curand_uniform_double(curandStateSobol32_t *state)
{
    return (double)curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10;
}

template <class State> QUALIFIERS float2 curand_normal2(State *state)
{
    unsigned int x = curand(state), y = curand(state);
    return simtx_curand_pair(x, y);
}

template <class State> QUALIFIERS double2 curand_normal2_double(State *state)
{
    double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return simtx_curand_pair_double(u, v);
}

/* Box and Muller's method gives two values; the second is for the next call. */
template <class State> QUALIFIERS float curand_normal(State *state)
{
    state->boxmuller_flag = !state->boxmuller_flag;
    if (!state->boxmuller_flag)
        return state->boxmuller_extra;
    float2 v = curand_normal2(state);
    state->boxmuller_extra = v.y;
    return v.x;
}

template <class State> QUALIFIERS double curand_normal_double(State *state)
{
    state->boxmuller_flag_double = !state->boxmuller_flag_double;
    if (!state->boxmuller_flag_double)
        return state->boxmuller_extra_double;
    double2 v = curand_normal2_double(state);
    state->boxmuller_extra_double = v.y;
    return v.x;
}

/* Quasirandom values keep their order: the inverse of the distribution function. */
QUALIFIERS double curand_normal_double(curandStateSobol32_t *state)
{
    return normcdfinv(curand_uniform_double(state));
}
QUALIFIERS float curand_normal(curandStateSobol32_t *state)
{
    return normcdfinvf(curand_uniform(state));
}

template <class State> QUALIFIERS float curand_log_normal(State *state, float mean, float stddev)
{
    return expf(mean + stddev * curand_normal(state));
}
template <class State> QUALIFIERS double curand_log_normal_double(State *state, double mean, double stddev)
{
    return exp(mean + stddev * curand_normal_double(state));
}
template <class State> QUALIFIERS float2 curand_log_normal2(State *state, float mean, float stddev)
{
    float2 v = curand_normal2(state);
    return make_float2(expf(mean + stddev * v.x), expf(mean + stddev * v.y));
}

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

/* Four at a time */
QUALIFIERS float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    uint4 r = curand4(state);
    return make_float4(simtx_curand_unit(r.x), simtx_curand_unit(r.y), simtx_curand_unit(r.z), simtx_curand_unit(r.w));
}
QUALIFIERS double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 r = curand4(state);
    return make_double2(simtx_curand_unit53(r.x, r.y), simtx_curand_unit53(r.z, r.w));
}
QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    uint4 r = curand4(state);
    float2 a = simtx_curand_pair(r.x, r.y), b = simtx_curand_pair(r.z, r.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
