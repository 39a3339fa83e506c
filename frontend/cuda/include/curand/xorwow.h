/* XORWOW: a xorshift of five words plus a Weyl sequence. */
QUALIFIERS unsigned int curand(curandStateXORWOW_t *state)
{
    unsigned int t = state->v[0] ^ (state->v[0] >> 2);
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = state->v[4];
    state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
    state->d += 362437;
    return state->v[4] + state->d;
}

/* Advances by n steps, one by one. */
QUALIFIERS void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    for (; n; n--)
        curand(state);
}

/* The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
QUALIFIERS unsigned long long simtx_curand_mix(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Marsaglia's initial state, mixed with seed and subsequence unless both are 0. */
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateXORWOW_t *state)
{
    const unsigned int first[5] = {123456789, 362436069, 521288629, 88675123, 5783321};
    unsigned long long z =
        simtx_curand_mix(seed) + simtx_curand_mix(subsequence ? subsequence ^ 0x9e3779b97f4a7c15ull : 0);
    for (int i = 0; i < 5; i++)
        state->v[i] = first[i] ^ (z ? (unsigned int)simtx_curand_mix(z + (unsigned int)i + 1) : 0);
    if (!(state->v[0] | state->v[1] | state->v[2] | state->v[3] | state->v[4]))
        state->v[4] = 1;
    state->d = 6615241 + (z ? (unsigned int)simtx_curand_mix(z + 6) : 0);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead(offset, state);
}
