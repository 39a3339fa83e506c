/* MRG32k3a: the difference of two recurrences of order three, modulo m1 = 2^32 - 209 and m2 = 2^32 - 22853. */
#define SIMTX_MRG_M1 4294967087ull
#define SIMTX_MRG_M2 4294944443ull

/* The next value of the paper's generator, in 1 ... m1. */
QUALIFIERS unsigned int simtx_mrg_next(curandStateMRG32k3a_t *state)
{
    unsigned long long p1 = (1403580ull * state->s1[1] + (SIMTX_MRG_M1 - 810728ull) * state->s1[0]) % SIMTX_MRG_M1;
    unsigned long long p2 = (527612ull * state->s2[2] + (SIMTX_MRG_M2 - 1370589ull) * state->s2[0]) % SIMTX_MRG_M2;
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = (unsigned int)p1;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = (unsigned int)p2;
    return (unsigned int)(p1 > p2 ? p1 - p2 : p1 + SIMTX_MRG_M1 - p2);
}

/* All 32 bits vary: m1 values are spread over 2^32. */
QUALIFIERS unsigned int curand(curandStateMRG32k3a_t *state)
{
    return (unsigned int)((double)(simtx_mrg_next(state) - 1) * (4294967296.0 / 4294967087.0));
}

struct simtx_mrg_matrix {
    unsigned long long a[3][3];
};

QUALIFIERS void simtx_mrg_multiply(simtx_mrg_matrix *to, const simtx_mrg_matrix *x, const simtx_mrg_matrix *y,
                                   unsigned long long m)
{
    simtx_mrg_matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + x->a[i][k] * y->a[k][j] % m) % m;
            r.a[i][j] = sum;
        }
    *to = r;
}

QUALIFIERS void simtx_mrg_apply(const simtx_mrg_matrix *x, unsigned int s[3], unsigned long long m)
{
    unsigned int r[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; k++)
            sum = (sum + x->a[i][k] * s[k] % m) % m;
        r[i] = (unsigned int)sum;
    }
    for (int i = 0; i < 3; i++)
        s[i] = r[i];
}

/* Multiplies the state by the matrix of one step to the power n * 2^shift. */
QUALIFIERS void simtx_mrg_jump(unsigned int s[3], simtx_mrg_matrix x, unsigned long long n, int shift,
                               unsigned long long m)
{
    for (int i = 0; i < shift; i++)
        simtx_mrg_multiply(&x, &x, &x, m);
    for (; n; n >>= 1) {
        if (n & 1)
            simtx_mrg_apply(&x, s, m);
        simtx_mrg_multiply(&x, &x, &x, m);
    }
}

QUALIFIERS void simtx_mrg_skip(unsigned long long n, int shift, curandStateMRG32k3a_t *state)
{
    simtx_mrg_matrix a1 = {{{0, 1, 0}, {0, 0, 1}, {SIMTX_MRG_M1 - 810728ull, 1403580ull, 0}}};
    simtx_mrg_matrix a2 = {{{0, 1, 0}, {0, 0, 1}, {SIMTX_MRG_M2 - 1370589ull, 0, 527612ull}}};
    if (!n)
        return;
    simtx_mrg_jump(state->s1, a1, n, shift, SIMTX_MRG_M1);
    simtx_mrg_jump(state->s2, a2, n, shift, SIMTX_MRG_M2);
}

QUALIFIERS void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    simtx_mrg_skip(n, 0, state);
}

QUALIFIERS void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    simtx_mrg_skip(n, 76, state);
}

QUALIFIERS void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    simtx_mrg_skip(n, 127, state);
}

/* L'Ecuyer's initial state, 12345 six times, mixed with the seed unless it is 0. */
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateMRG32k3a_t *state)
{
    for (unsigned int i = 0; i < 3; i++) {
        unsigned long long z1 = seed ? simtx_curand_mix(seed + i) : 0, z2 = seed ? simtx_curand_mix(seed + i + 3) : 0;
        state->s1[i] = (unsigned int)((12345 + z1 % (SIMTX_MRG_M1 - 1)) % (SIMTX_MRG_M1 - 1)) + (seed ? 1 : 0);
        state->s2[i] = (unsigned int)((12345 + z2 % (SIMTX_MRG_M2 - 1)) % (SIMTX_MRG_M2 - 1)) + (seed ? 1 : 0);
    }
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}
