/* Number formats of the reference: see ref_fp.h. */
#include "regress/conformance/ref/ref_fp.h"

#include <math.h>
#include <string.h>

struct fp_format fp_format_of(uint8_t type)
{
    switch (type) {
    case T_F16: case T_F16X2: return (struct fp_format){ 11, 5 };
    case T_BF16: case T_BF16X2: return (struct fp_format){ 8, 8 };
    case T_TF32: return (struct fp_format){ 11, 8 };
    case T_F32: return (struct fp_format){ 24, 8 };
    default: return (struct fp_format){ 53, 11 };
    }
}

/* A tf32 value lies in the high 19 bits of a 32-bit register; here its bits are those 19. */
static uint64_t exponent_ones(struct fp_format f) { return ((1ull << f.exp_bits) - 1) << (f.prec - 1); }

uint64_t fp_sign_bit(uint8_t type)
{
    struct fp_format f = fp_format_of(type);
    return 1ull << (f.prec - 1 + f.exp_bits);
}

bool fp_is_nan(uint8_t type, uint64_t bits)
{
    return (bits & (fp_sign_bit(type) - 1)) > exponent_ones(fp_format_of(type));
}

bool fp_is_inf(uint8_t type, uint64_t bits)
{
    return (bits & (fp_sign_bit(type) - 1)) == exponent_ones(fp_format_of(type));
}

bool fp_is_subnormal(uint8_t type, uint64_t bits)
{
    uint64_t m = bits & (fp_sign_bit(type) - 1);
    return m && m < 1ull << (fp_format_of(type).prec - 1);
}

bool fp_negative(uint8_t type, uint64_t bits) { return (bits & fp_sign_bit(type)) != 0; }

uint64_t fp_nan(uint8_t type)
{
    return type == T_F64 ? 0xfff8000000000000u : type == T_F32 || type == T_TF32 ? 0x7fffffff : 0x7fff;
}

uint64_t fp_flush(uint8_t type, uint64_t bits)
{
    return fp_is_subnormal(type, bits) ? bits & fp_sign_bit(type) : bits;
}

double fp_to_double(uint8_t type, uint64_t bits)
{
    struct fp_format f = fp_format_of(type);
    int bias = (1 << (f.exp_bits - 1)) - 1, e = (int)(bits >> (f.prec - 1)) & ((1 << f.exp_bits) - 1);
    uint64_t m = bits & ((1ull << (f.prec - 1)) - 1);
    double v = fp_is_inf(type, bits) ? INFINITY
             : e ? ldexp((double)(m | 1ull << (f.prec - 1)), e - bias - f.prec + 1)
                 : ldexp((double)m, 1 - bias - f.prec + 1);
    return fp_negative(type, bits) ? -v : v;
}

uint64_t fp_from_double(uint8_t type, double v)
{
    struct fp_format f = fp_format_of(type);
    int bias = (1 << (f.exp_bits - 1)) - 1, e;
    uint64_t sign = signbit(v) ? fp_sign_bit(type) : 0;
    v = fabs(v);
    if (isinf(v))
        return sign | exponent_ones(f);
    if (v == 0)
        return sign;
    double m = frexp(v, &e);                     /* m in [1/2, 1): exponent e - 1 */
    if (e - 1 >= 1 - bias)
        return sign | (((uint64_t)(e - 1 + bias - 1) << (f.prec - 1)) + (uint64_t)ldexp(m, f.prec));
    return sign | (uint64_t)ldexp(v, bias - 1 + f.prec - 1);
}

mpfr_rnd_t fp_rounding(uint8_t rnd)
{
    switch (rnd) {
    case MOD(RND, RZ): return MPFR_RNDZ;
    case MOD(RND, RM): return MPFR_RNDD;
    case MOD(RND, RP): return MPFR_RNDU;
    default: return MPFR_RNDN;
    }
}

uint64_t fp_encode(uint8_t type, mpfr_t x, int t, mpfr_rnd_t rnd)
{
    struct fp_format f = fp_format_of(type);
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    int bias = (1 << (f.exp_bits - 1)) - 1;
    mpfr_set_emin(1 - bias - (f.prec - 1) + 1);  /* the least subnormal is 1/2 * 2^emin */
    mpfr_set_emax(bias + 1);
    t = mpfr_check_range(x, t, rnd);
    mpfr_subnormalize(x, t, rnd);
    double v = mpfr_get_d(x, MPFR_RNDN);         /* exact: every format is part of f64 */
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return fp_from_double(type, v);
}

uint64_t fp_nan64(const uint64_t *src, int n)
{
    for (int i = 0; i < n; i++)
        if (fp_is_nan(T_F64, src[i]))
            return src[i] | 0x0008000000000000u;
    return fp_nan(T_F64);
}
