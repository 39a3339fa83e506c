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

/*
 * Steps of the five words are a linear map T over bits. T is a root of its characteristic polynomial P, of degree 160,
 * so n steps are the polynomial x^n mod P of T. Bit i of a polynomial is the coefficient of x^i.
 */
enum { SIMTX_XORWOW_BITS = 160, SIMTX_XORWOW_WORDS = 5, SIMTX_XORWOW_FEW = 1024 };

/* The lower half of the bits of x, each followed by a zero. */
QUALIFIERS unsigned int simtx_xorwow_spread(unsigned int x)
{
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

/* r, of 320 bits, mod P: to the lower 160 bits. */
QUALIFIERS void simtx_xorwow_reduce(unsigned int r[2 * SIMTX_XORWOW_WORDS])
{
    const unsigned int p[] = {0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e, 1};
    for (int k = 2 * SIMTX_XORWOW_BITS - 1; k >= SIMTX_XORWOW_BITS; k--) {
        int word = (k - SIMTX_XORWOW_BITS) / 32, bits = k % 32;
        if (!(r[k / 32] >> bits & 1))
            continue;
        for (int i = 0; i <= SIMTX_XORWOW_WORDS; i++)
            r[word + i] ^= p[i] << bits | (bits && i ? p[i - 1] >> (32 - bits) : 0);
    }
}

/* a = a * a * x^odd mod P */
QUALIFIERS void simtx_xorwow_square(unsigned int a[SIMTX_XORWOW_WORDS], int odd)
{
    unsigned int r[2 * SIMTX_XORWOW_WORDS];
    for (int i = 0; i < SIMTX_XORWOW_WORDS; i++) {
        r[2 * i] = simtx_xorwow_spread(a[i]) << odd;
        r[2 * i + 1] = simtx_xorwow_spread(a[i] >> 16) << odd;
    }
    simtx_xorwow_reduce(r);
    for (int i = 0; i < SIMTX_XORWOW_WORDS; i++)
        a[i] = r[i];
}

/* Sets the words to the polynomial of T, applied to them. */
QUALIFIERS void simtx_xorwow_apply(const unsigned int a[SIMTX_XORWOW_WORDS], curandStateXORWOW_t *state)
{
    unsigned int sum[SIMTX_XORWOW_WORDS] = {0, 0, 0, 0, 0};
    for (int i = 0; i < SIMTX_XORWOW_BITS; i++) {
        if (a[i / 32] >> i % 32 & 1)
            for (int k = 0; k < SIMTX_XORWOW_WORDS; k++)
                sum[k] ^= state->v[k];
        curand(state);
    }
    for (int k = 0; k < SIMTX_XORWOW_WORDS; k++)
        state->v[k] = sum[k];
}

/* n << shift steps. */
QUALIFIERS void simtx_xorwow_skip(unsigned long long n, int shift, curandStateXORWOW_t *state)
{
    unsigned int a[SIMTX_XORWOW_WORDS] = {1, 0, 0, 0, 0};
    unsigned int d = state->d + (shift < 32 ? (unsigned int)n << shift : 0) * 362437;
    for (int i = 63; i >= 0; i--)
        if (n >> i)
            simtx_xorwow_square(a, (int)(n >> i & 1));
    for (int i = 0; i < shift; i++)
        simtx_xorwow_square(a, 0);
    simtx_xorwow_apply(a, state);
    state->d = d;
}

/* A few steps one by one. */
QUALIFIERS void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    if (n >= SIMTX_XORWOW_FEW) {
        simtx_xorwow_skip(n, 0, state);
        return;
    }
    for (; n; n--)
        curand(state);
}

/* The subsequences of curand_init start elsewhere: their states are mixed from its arguments. */
QUALIFIERS void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    if (n)
        simtx_xorwow_skip(n, 67, state);
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
