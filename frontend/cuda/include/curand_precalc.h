/* Direction numbers of Sobol sequences: S. Joe, F. Kuo, "Constructing Sobol sequences with better two-dimensional
 * projections" (2008), the primitive polynomials and initial values of the first 20 dimensions. */
#ifndef CURAND_PRECALC_H_
#define CURAND_PRECALC_H_

enum { SIMTX_SOBOL_DIMENSIONS = 20 };

struct simtx_sobol_row {
    unsigned int degree, polynomial, m[18];   /* polynomial: its inner coefficients */
};

static const struct simtx_sobol_row simtx_sobol_rows[SIMTX_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
};

/* v: the 64 direction vectors of a primitive polynomial. */
static inline void simtx_sobol_recurrence(const struct simtx_sobol_row *r, unsigned long long v[64])
{
    unsigned int s = r->degree;
    for (unsigned int i = 0; i < 64; i++) {
        if (i < s) {
            v[i] = (unsigned long long)r->m[i] << (63 - i);
            continue;
        }
        v[i] = v[i - s] ^ (v[i - s] >> s);
        for (unsigned int k = 1; k < s; k++)
            v[i] ^= (r->polynomial >> (s - 1 - k) & 1) * v[i - k];
    }
}

/* Of a dimension from 0 to 19. */
static inline void simtx_sobol_directions64(unsigned int dimension, unsigned long long v[64])
{
    for (int i = 0; i < 64; i++)
        v[i] = 1ull << (63 - i);
    if (dimension)
        simtx_sobol_recurrence(&simtx_sobol_rows[dimension - 1], v);
}

/* Those of 32 bits are the upper halves of the first. */
static inline void simtx_sobol_directions(unsigned int dimension, unsigned int v[32])
{
    unsigned long long wide[64];
    simtx_sobol_directions64(dimension, wide);
    for (int i = 0; i < 32; i++)
        v[i] = (unsigned int)(wide[i] >> 32);
}

#endif
