/*
 * Exact conversion between number formats with integers, for every rounding mode. A value is a sign, an integer
 * mantissa and an exponent; a format has numbers of mantissa and exponent bits. Used by infrequent conversions.
 */
#ifndef PTX_LANES_SOFT_H
#define PTX_LANES_SOFT_H

#include "ptx/lanes/kernel.h"

enum soft_class { SOFT_FINITE, SOFT_INF, SOFT_NAN };
struct soft { bool negative; enum soft_class class; uint64_t mant; int exp; };   /* mant * 2^exp */
struct soft_format { int mant_bits, exp_bits; bool finite; };   /* finite: no infinity, one NaN, all ones */

/* The bits above every number: infinity, or the NaN of a finite format. */
static inline uint64_t soft_top(struct soft_format f)
{
    return f.finite ? (1ull << (f.exp_bits + f.mant_bits)) - 1 : ((1ull << f.exp_bits) - 1) << f.mant_bits;
}

static inline struct soft soft_decode(struct soft_format f, uint64_t bits)
{
    uint64_t mant = bits & ((1ull << f.mant_bits) - 1);
    int e = (int)(bits >> f.mant_bits) & ((1 << f.exp_bits) - 1), bias = (1 << (f.exp_bits - 1)) - 1;
    struct soft s = { bits >> (f.mant_bits + f.exp_bits) & 1, SOFT_FINITE, mant, 1 - bias - f.mant_bits };
    uint64_t magnitude = bits & ((1ull << (f.exp_bits + f.mant_bits)) - 1);
    if (magnitude >= soft_top(f)) {
        s.class = mant ? SOFT_NAN : SOFT_INF;
    } else if (e) {
        s.mant |= 1ull << f.mant_bits;
        s.exp += e - 1;
    }
    return s;
}

static inline struct soft soft_integer(bool negative, uint64_t magnitude)
{
    return (struct soft){ negative, SOFT_FINITE, magnitude, 0 };
}

/* Is the magnitude rounded up? odd: the kept part is; rest: the dropped part compared with one half (-1, 0, 1). */
static inline bool soft_round_up(uint8_t rnd, bool negative, bool odd, bool inexact, int rest)
{
    switch (rnd) {
    case MOD(RND, RZ): return false;
    case MOD(RND, RM): return inexact && negative;
    case MOD(RND, RP): return inexact && !negative;
    case MOD(RND, RNA): return rest >= 0;
    default: return rest > 0 || (rest == 0 && odd);
    }
}

static inline uint64_t soft_encode(struct soft_format f, struct soft s, uint8_t rnd)
{
    int bias = (1 << (f.exp_bits - 1)) - 1, emin = 1 - bias;
    uint64_t sign = (uint64_t)s.negative << (f.mant_bits + f.exp_bits);
    uint64_t inf = soft_top(f);
    if (s.class == SOFT_INF)
        return sign | inf;
    if (s.mant == 0)
        return sign;
    int shift = __builtin_clzll(s.mant), top = s.exp - shift + 63;
    uint64_t mant = s.mant << shift, q = 0, rest = mant, half = 1ull << 63;
    int drop = 63 - f.mant_bits + (top < emin ? emin - top : 0);
    int cmp = -1;
    if (drop < 64) {
        q = mant >> drop;
        rest = mant & ((1ull << drop) - 1);
        half = 1ull << (drop - 1);
    }
    if (drop <= 64)
        cmp = rest > half ? 1 : rest == half ? 0 : -1;
    uint64_t bits = top < emin ? q : ((uint64_t)(top + bias - 1) << f.mant_bits) + q;
    bits += soft_round_up(rnd, s.negative, q & 1, rest != 0, cmp);
    if (bits >= inf || top > bias + f.finite) {
        bool to_max = rnd == MOD(RND, RZ) || rnd == (s.negative ? MOD(RND, RP) : MOD(RND, RM));
        bits = to_max ? inf - 1 : inf;
    }
    return sign | bits;
}

#endif
