/* Sobol32: the Gray-code order of a digital sequence, one dimension for each state. */
QUALIFIERS void skipahead(unsigned int n, curandStateSobol32_t *state)
{
    unsigned int gray;
    state->i += n;
    gray = state->i ^ (state->i >> 1);
    state->x = state->c;
    for (int bit = 0; bit < 32; bit++)
        if (gray >> bit & 1)
            state->x ^= state->direction_vectors[bit];
}

QUALIFIERS void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int offset,
                            curandStateSobol32_t *state)
{
    state->i = state->x = state->c = 0;
    for (int bit = 0; bit < 32; bit++)
        state->direction_vectors[bit] = direction_vectors[bit];
    skipahead(offset, state);
}

QUALIFIERS unsigned int curand(curandStateSobol32_t *state)
{
    unsigned int r = state->x, zeros = (unsigned int)__ffs((int)~state->i);
    if (zeros)
        state->x ^= state->direction_vectors[zeros - 1];
    state->i++;
    return r;
}
