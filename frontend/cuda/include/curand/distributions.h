/* Distributions over the generators: uniform in (0, 1], normal by Box and Muller, logarithmic normal. */
QUALIFIERS float simtx_curand_unit(unsigned int x)
{
    return (float)x * 2.3283064365386963e-10f + 1.16415321826934815e-10f;
}

QUALIFIERS float simtx_curand_unit(unsigned long long x)
{
    return simtx_curand_unit((unsigned int)(x >> 32));
}

QUALIFIERS double simtx_curand_unit_double(unsigned int x)
{
    return (double)x * 2.3283064365386963e-10 + 1.1641532182693481e-10;
}

QUALIFIERS double simtx_curand_unit_double(unsigned long long x)
{
    return (double)(x >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
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

/* A quasirandom point has one value for each dimension. Normal values keep their order: they come from the inverse of
 * the distribution function. */
#define SIMTX_QUASI(State)                                              \
    QUALIFIERS double curand_uniform_double(State *state)               \
    {                                                                   \
        return simtx_curand_unit_double(curand(state));                 \
    }                                                                   \
    QUALIFIERS double curand_normal_double(State *state)                \
    {                                                                   \
        return normcdfinv(curand_uniform_double(state));                \
    }                                                                   \
    QUALIFIERS float curand_normal(State *state)                        \
    {                                                                   \
        return normcdfinvf(curand_uniform(state));                      \
    }
SIMTX_QUASI(curandStateSobol32_t)
SIMTX_QUASI(curandStateScrambledSobol32_t)
SIMTX_QUASI(curandStateSobol64_t)
SIMTX_QUASI(curandStateScrambledSobol64_t)
#undef SIMTX_QUASI

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

template <class State> QUALIFIERS double2 curand_log_normal2_double(State *state, double mean, double stddev)
{
    double2 v = curand_normal2_double(state);
    return make_double2(exp(mean + stddev * v.x), exp(mean + stddev * v.y));
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
QUALIFIERS double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
QUALIFIERS double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
QUALIFIERS float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    float4 v = curand_normal4(state);
    return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
                       expf(mean + stddev * v.w));
}
QUALIFIERS double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double stddev)
{
    double2 a = curand_log_normal2_double(state, mean, stddev), b = curand_log_normal2_double(state, mean, stddev);
    return make_double4(a.x, a.y, b.x, b.y);
}
