/*
 * References built from MPFR's functions with 40 to 200 guard bits.  Inverse functions are found by Newton
 * steps on MPFR's erfc, so they share nothing with the formulas under test.
 */
#include "refs.h"

#include <math.h>

/* CUDA: a zero gives an infinity of its sign, where MPFR's is always positive */
int ref_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    if (mpfr_zero_p(x)) {
        mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
        return 0;
    }
    return mpfr_rec_sqrt(r, x, rnd);
}

int ref_rcbrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t c;
    mpfr_init2(c, mpfr_get_prec(r) + 64);
    mpfr_cbrt(c, x, rnd);
    mpfr_ui_div(r, 1, c, rnd);
    mpfr_clear(c);
    return 1;
}

int ref_norm(mpfr_t r, const mpfr_t *v, int n)
{
    mpfr_t sum, square;
    int nan = 0, inf = 0;
    mpfr_inits2(mpfr_get_prec(r) + 200, sum, square, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < n; i++) {
        nan |= mpfr_nan_p(v[i]) != 0;
        inf |= mpfr_inf_p(v[i]) != 0;
        mpfr_sqr(square, v[i], MPFR_RNDN);
        mpfr_add(sum, sum, square, MPFR_RNDN);
    }
    mpfr_sqrt(r, sum, MPFR_RNDN);
    if (inf) {
        mpfr_set_inf(r, 1);
    } else if (nan) {
        mpfr_set_nan(r);
    }
    mpfr_clears(sum, square, (mpfr_ptr)0);
    return 1;
}

int ref_rnorm(mpfr_t r, const mpfr_t *v, int n)
{
    ref_norm(r, v, n);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
    return 1;
}

int ref_rhypot(mpfr_t r, const mpfr_t a, const mpfr_t b, mpfr_rnd_t rnd)
{
    mpfr_t wide;
    mpfr_init2(wide, mpfr_get_prec(r) + 64);
    mpfr_hypot(wide, a, b, rnd);
    mpfr_ui_div(r, 1, wide, rnd);
    mpfr_clear(wide);
    return 1;
}

/* exp(x^2) erfc(x); beyond 60 the asymptotic series 1/(x sqrt(pi)) sum (-1)^k (2k-1)!! / (2x^2)^k */
int ref_erfcx(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t a, b;
    if (mpfr_nan_p(x) || mpfr_cmp_ui(x, 60) < 0) {
        mpfr_inits2(mpfr_get_prec(r) + 40, a, b, (mpfr_ptr)0);
        mpfr_sqr(a, x, rnd);
        mpfr_exp(a, a, rnd);
        mpfr_erfc(b, x, rnd);
        mpfr_mul(r, a, b, rnd);
    } else {
        mpfr_inits2(mpfr_get_prec(r) + 64, a, b, (mpfr_ptr)0);
        mpfr_const_pi(a, rnd);
        mpfr_sqrt(a, a, rnd);
        mpfr_mul(a, a, x, rnd);
        mpfr_ui_div(a, 1, a, rnd);
        mpfr_set_ui(b, 1, rnd);
        for (unsigned long k = 15; k > 0; k--) {
            /* b = 1 - (2k - 1) / (2 x^2) * b */
            mpfr_mul_ui(b, b, 2 * k - 1, rnd);
            mpfr_div(b, b, x, rnd);
            mpfr_div(b, b, x, rnd);
            mpfr_div_ui(b, b, 2, rnd);
            mpfr_ui_sub(b, 1, b, rnd);
        }
        mpfr_mul(r, a, b, rnd);
    }
    mpfr_clears(a, b, (mpfr_ptr)0);
    return 1;
}

/*
 * y > 0 with erfc(y) = q for 0 < q < 1: Newton on log erfc, which is concave, so it converges from any start.
 * The first rounds are in double with the C library's erfc, while that neither vanishes nor is one.
 */
static double solve_erfc_roughly(double q)
{
    double y = q > 0.5 ? (1 - q) * 0.9 : sqrt(-log(q));
    for (int i = 0; i < 40 && q > 1e-290 && q < 0.999; i++) {
        double e = erfc(y), step = log(e / q) * e * 0.8862269254527580 * exp(y * y);
        y += step;
        if (fabs(step) < 1e-13 * y) {
            break;
        }
    }
    return y;
}

static void solve_erfc(mpfr_t y, const mpfr_t q, mpfr_prec_t prec)
{
    mpfr_t e, d, step, root_pi;
    mpfr_inits2(prec, e, d, step, root_pi, (mpfr_ptr)0);
    mpfr_const_pi(root_pi, MPFR_RNDN);
    mpfr_sqrt(root_pi, root_pi, MPFR_RNDN);
    mpfr_set_d(y, solve_erfc_roughly(mpfr_get_d(q, MPFR_RNDN)), MPFR_RNDN);
    if (mpfr_zero_p(y)) {
        mpfr_ui_sub(y, 1, q, MPFR_RNDN);
    }
    for (int i = 0; i < 60; i++) {
        /* step = log(erfc(y) / q) * erfc(y) * sqrt(pi)/2 * exp(y^2) */
        mpfr_erfc(e, y, MPFR_RNDN);
        mpfr_div(step, e, q, MPFR_RNDN);
        mpfr_log(step, step, MPFR_RNDN);
        mpfr_sqr(d, y, MPFR_RNDN);
        mpfr_exp(d, d, MPFR_RNDN);
        mpfr_mul(d, d, root_pi, MPFR_RNDN);
        mpfr_div_ui(d, d, 2, MPFR_RNDN);
        mpfr_mul(d, d, e, MPFR_RNDN);
        mpfr_mul(step, step, d, MPFR_RNDN);
        mpfr_add(y, y, step, MPFR_RNDN);
        if (mpfr_zero_p(step) || mpfr_get_exp(step) < mpfr_get_exp(y) - 40) {
            break; /* quadratic: the next step would be below 2^-80 */
        }
    }
    mpfr_clears(e, d, step, root_pi, (mpfr_ptr)0);
}

/* erfcinv on the whole line */
int ref_erfcinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t q, y;
    if (mpfr_nan_p(x) || mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 2) > 0) {
        mpfr_set_nan(r);
        return 0;
    }
    if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 2) == 0) {
        mpfr_set_inf(r, mpfr_zero_p(x) ? 1 : -1);
        return 0;
    }
    if (mpfr_cmp_ui(x, 1) == 0) {
        mpfr_set_zero(r, 1);
        return 0;
    }
    mpfr_inits2(mpfr_get_prec(r) + 70, q, y, (mpfr_ptr)0);
    int reflect = mpfr_cmp_ui(x, 1) > 0;
    if (reflect) {
        mpfr_ui_sub(q, 2, x, rnd);
    } else {
        mpfr_set(q, x, rnd);
    }
    solve_erfc(y, q, mpfr_get_prec(r) + 70);
    if (reflect) {
        mpfr_neg(y, y, rnd);
    }
    mpfr_set(r, y, rnd);
    mpfr_clears(q, y, (mpfr_ptr)0);
    return 1;
}

int ref_erfinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t q;
    if (mpfr_zero_p(x)) {
        mpfr_set(r, x, rnd);
        return 0;
    }
    mpfr_init2(q, 1300);
    if (mpfr_regular_p(x) && mpfr_get_exp(x) < -60) {
        /* erfinv x = sqrt(pi)/2 x (1 + pi x^2 / 12 + ...) */
        mpfr_const_pi(q, rnd);
        mpfr_sqrt(q, q, rnd);
        mpfr_div_ui(q, q, 2, rnd);
        mpfr_mul(r, q, x, rnd);
    } else {
        mpfr_ui_sub(q, 1, x, rnd);
        ref_erfcinv(r, q, rnd);
    }
    mpfr_clear(q);
    return 1;
}

int ref_normcdf(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t z;
    mpfr_init2(z, mpfr_get_prec(r) + 100);
    mpfr_set_ui(z, 2, rnd);
    mpfr_sqrt(z, z, rnd);
    mpfr_div(z, x, z, rnd);
    mpfr_neg(z, z, rnd);
    mpfr_erfc(r, z, rnd);
    mpfr_div_ui(r, r, 2, rnd);
    mpfr_clear(z);
    return 1;
}

int ref_normcdfinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t z, two;
    mpfr_inits2(mpfr_get_prec(r) + 64, z, two, (mpfr_ptr)0);
    mpfr_mul_ui(z, x, 2, rnd);
    ref_erfcinv(z, z, rnd);
    mpfr_set_ui(two, 2, rnd);
    mpfr_sqrt(two, two, rnd);
    mpfr_mul(z, z, two, rnd);
    if (mpfr_zero_p(z)) {
        mpfr_set_zero(r, 1);
    } else {
        mpfr_neg(r, z, rnd);
    }
    mpfr_clears(z, two, (mpfr_ptr)0);
    return 1;
}

int ref_lgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    int sign;
    if (mpfr_inf_p(x)) {
        mpfr_set_inf(r, 1);
        return 0;
    }
    return mpfr_lgamma(r, &sign, x, rnd);
}

int ref_tgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) { return mpfr_gamma(r, x, rnd); }

/* sum of (x/2)^(2k + n) / (k! (k + n)!), all terms of one sign */
static int bessel_i(mpfr_t r, const mpfr_t x, int n)
{
    mpfr_t sum, term, quarter;
    if (mpfr_nan_p(x) || mpfr_inf_p(x) || mpfr_cmp_d(x, 2000) > 0 || mpfr_cmp_d(x, -2000) < 0) {
        int sign = n && mpfr_signbit(x) ? -1 : 1;
        if (mpfr_nan_p(x)) {
            mpfr_set_nan(r);
        } else {
            mpfr_set_inf(r, sign); /* beyond either format already */
        }
        return 0;
    }
    mpfr_inits2(mpfr_get_prec(r) + 40, sum, term, quarter, (mpfr_ptr)0);
    mpfr_sqr(quarter, x, MPFR_RNDN);
    mpfr_div_2ui(quarter, quarter, 2, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    if (n) {
        mpfr_div_2ui(term, x, 1, MPFR_RNDN);
    }
    mpfr_set(sum, term, MPFR_RNDN);
    for (unsigned long k = 1; mpfr_regular_p(term) && k < 5000; k++) {
        mpfr_mul(term, term, quarter, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + (unsigned long)n), MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        if (mpfr_regular_p(term) && mpfr_get_exp(term) < mpfr_get_exp(sum) - mpfr_get_prec(sum)) {
            break;
        }
    }
    mpfr_set(r, sum, MPFR_RNDN);
    mpfr_clears(sum, term, quarter, (mpfr_ptr)0);
    return 1;
}

int ref_i0(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) { return (void)rnd, bessel_i(r, x, 0); }
int ref_i1(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) { return (void)rnd, bessel_i(r, x, 1); }
int ref_powi(mpfr_t r, long n, const mpfr_t x, mpfr_rnd_t rnd) { return mpfr_pow_si(r, x, n, rnd); }
