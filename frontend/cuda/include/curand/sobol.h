/* Sobol sequences of 32 and 64 bits, plain and scrambled: the Gray-code order of a digital sequence, one dimension for
 * each state. Scrambled direction vectors and a scramble constant, the value of point 0, come from libcurand. */
#define SIMTX_SOBOL(State, Word, BITS, lowest_zero)                                       \
    QUALIFIERS void skipahead(Word n, State *state)                                       \
    {                                                                                     \
        Word gray;                                                                        \
        state->i += n;                                                                    \
        gray = state->i ^ (state->i >> 1);                                                \
        state->x = state->c;                                                              \
        for (int bit = 0; bit < BITS; bit++)                                              \
            if (gray >> bit & 1)                                                          \
                state->x ^= state->direction_vectors[bit];                                \
    }                                                                                     \
    QUALIFIERS void simtx_sobol_start(Word *vectors, Word c, Word offset, State *state)   \
    {                                                                                     \
        state->i = 0;                                                                     \
        state->x = state->c = c;                                                          \
        for (int bit = 0; bit < BITS; bit++)                                              \
            state->direction_vectors[bit] = vectors[bit];                                 \
        skipahead(offset, state);                                                         \
    }                                                                                     \
    QUALIFIERS Word curand(State *state)                                                  \
    {                                                                                     \
        Word r = state->x;                                                                \
        int zero = lowest_zero(~state->i);                                                \
        if (zero)                                                                         \
            state->x ^= state->direction_vectors[zero - 1];                               \
        state->i++;                                                                       \
        return r;                                                                         \
    }
#define SIMTX_FFS32(v) __ffs((int)(v))
#define SIMTX_FFS64(v) __ffsll((long long)(v))
SIMTX_SOBOL(curandStateSobol32_t, unsigned int, 32, SIMTX_FFS32)
SIMTX_SOBOL(curandStateScrambledSobol32_t, unsigned int, 32, SIMTX_FFS32)
SIMTX_SOBOL(curandStateSobol64_t, unsigned long long, 64, SIMTX_FFS64)
SIMTX_SOBOL(curandStateScrambledSobol64_t, unsigned long long, 64, SIMTX_FFS64)
#undef SIMTX_SOBOL
#undef SIMTX_FFS32
#undef SIMTX_FFS64

QUALIFIERS void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int offset,
                            curandStateSobol32_t *state)
{
    simtx_sobol_start(direction_vectors, 0, offset, state);
}

QUALIFIERS void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int scramble_c, unsigned int offset,
                            curandStateScrambledSobol32_t *state)
{
    simtx_sobol_start(direction_vectors, scramble_c, offset, state);
}

QUALIFIERS void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long offset,
                            curandStateSobol64_t *state)
{
    simtx_sobol_start(direction_vectors, 0, offset, state);
}

QUALIFIERS void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long scramble_c,
                            unsigned long long offset, curandStateScrambledSobol64_t *state)
{
    simtx_sobol_start(direction_vectors, scramble_c, offset, state);
}
