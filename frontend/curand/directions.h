// Direction vectors of Sobol sequences for 20,000 dimensions, plain and scrambled. The first 20 dimensions have the
// initial numbers of Joe and Kuo (curand_precalc.h). The others have the next primitive polynomials, in their order,
// with initial numbers drawn here: each dimension alone is equidistributed, pairs of dimensions are not optimised as
// theirs.
#ifndef CURAND_DIRECTIONS_H
#define CURAND_DIRECTIONS_H

#include <curand_kernel.h>
#include <curand_precalc.h>

#include <cstdint>
#include <vector>

namespace sobol {

enum { DIMENSIONS = 20000 };

// SplitMix64 (Steele, Lea, Flood 2014).
struct Draws {
    uint64_t state;
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return z ^ z >> 31;
    }
};

// a b modulo p, polynomials over GF(2); p has degree s.
inline uint32_t times(uint32_t a, uint32_t b, uint32_t p, unsigned s) {
    uint32_t r = 0;
    for (; b; b >>= 1) {
        r ^= b & 1 ? a : 0;
        a <<= 1;
        a ^= a >> s & 1 ? p : 0;
    }
    return r;
}

inline uint32_t power_of_x(uint32_t n, uint32_t p, unsigned s) {
    uint32_t r = 1, x = s == 1 ? 2 ^ p : 2;
    for (; n; n >>= 1, x = times(x, x, p, s))
        r = n & 1 ? times(r, x, p, s) : r;
    return r;
}

inline std::vector<uint32_t> prime_factors(uint32_t n) {
    std::vector<uint32_t> primes;
    for (uint32_t p = 2; n > 1; p++)
        if (n % p == 0)
            for (primes.push_back(p); n % p == 0;)
                n /= p;
    return primes;
}

// Whether x has the order 2^s - 1, whose prime factors are given.
inline bool primitive(uint32_t p, unsigned s, const std::vector<uint32_t> &factors) {
    uint32_t order = (1u << s) - 1;
    if (power_of_x(order, p, s) != 1)
        return false;
    for (uint32_t f : factors)
        if (power_of_x(order / f, p, s) == 1)
            return false;
    return true;
}

// The polynomials of dimensions 1, 2 ...: by degree, then by their inner coefficients.
inline std::vector<simtx_sobol_row> rows(unsigned count) {
    std::vector<simtx_sobol_row> all;
    for (unsigned s = 1; all.size() < count; s++) {
        std::vector<uint32_t> factors = prime_factors((1u << s) - 1);
        for (uint32_t inner = 0; inner < 1u << (s - 1) && all.size() < count; inner++)
            if (primitive(1u << s | inner << 1 | 1, s, factors))
                all.push_back(simtx_sobol_row{s, inner, {}});
    }
    for (unsigned d = 0; d < count; d++) {
        Draws draws = {d};
        for (unsigned i = 0; i < all[d].degree; i++)
            all[d].m[i] = d + 1 < SIMTX_SOBOL_DIMENSIONS ? simtx_sobol_rows[d].m[i]
                                                         : (unsigned)(draws.next() >> (63 - i)) | 1;
    }
    return all;
}

inline std::vector<uint64_t> plain64() {
    std::vector<uint64_t> v(DIMENSIONS * 64);
    std::vector<simtx_sobol_row> polynomials = rows(DIMENSIONS - 1);
    simtx_sobol_directions64(0, (unsigned long long *)v.data());
    for (unsigned d = 1; d < DIMENSIONS; d++)
        simtx_sobol_recurrence(&polynomials[d - 1], (unsigned long long *)&v[d * 64]);
    return v;
}

// A random lower triangular matrix in each dimension (J. Matousek, "On the L2-discrepancy for anchored boxes", 1998):
// each bit of a result depends on itself and the higher ones.
inline std::vector<uint64_t> scrambled64(const std::vector<uint64_t> &plain) {
    std::vector<uint64_t> v(plain.size());
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        Draws draws = {d + 0x5eedull};
        uint64_t row[64];
        for (unsigned bit = 0; bit < 64; bit++)
            row[bit] = (draws.next() | 1) << bit;
        for (unsigned i = 0; i < 64; i++)
            for (unsigned bit = 0; bit < 64; bit++)
                v[d * 64 + i] |= (uint64_t)(__builtin_popcountll(plain[d * 64 + i] & row[bit]) & 1) << bit;
    }
    return v;
}

inline const std::vector<uint64_t> &directions64(bool scrambled) {
    static const std::vector<uint64_t> plain = plain64();
    if (!scrambled)
        return plain;
    static const std::vector<uint64_t> other = scrambled64(plain);
    return other;
}

// The upper halves of the first 32.
inline std::vector<uint32_t> upper(const std::vector<uint64_t> &wide) {
    std::vector<uint32_t> v(DIMENSIONS * 32);
    for (unsigned d = 0; d < DIMENSIONS; d++)
        for (unsigned i = 0; i < 32; i++)
            v[d * 32 + i] = (uint32_t)(wide[d * 64 + i] >> 32);
    return v;
}

inline const std::vector<uint32_t> &directions32(bool scrambled) {
    if (scrambled) {
        static const std::vector<uint32_t> v = upper(directions64(true));
        return v;
    }
    static const std::vector<uint32_t> v = upper(directions64(false));
    return v;
}

inline const std::vector<uint64_t> &constants64() {
    static const std::vector<uint64_t> constants = [] {
        std::vector<uint64_t> c(DIMENSIONS);
        Draws draws = {0xc0de};
        for (uint64_t &word : c)
            word = draws.next();
        return c;
    }();
    return constants;
}

inline const std::vector<uint32_t> &constants32() {
    static const std::vector<uint32_t> constants = [] {
        std::vector<uint32_t> c;
        for (uint64_t word : constants64())
            c.push_back((uint32_t)(word >> 32));
        return c;
    }();
    return constants;
}

} // namespace sobol

#endif
