/* References that MPFR has not by name, built from those it has (refs.c). */
#ifndef SIMTX_MATH_REFS_H
#define SIMTX_MATH_REFS_H

#include <mpfr.h>

int ref_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_rcbrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_rhypot(mpfr_t r, const mpfr_t a, const mpfr_t b, mpfr_rnd_t rnd);
int ref_erfcx(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_erfinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_erfcinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_normcdf(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_normcdfinv(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_lgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_tgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_i0(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
int ref_i1(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);

int ref_powi(mpfr_t r, long n, const mpfr_t x, mpfr_rnd_t rnd);

/* square root of the sum of n squares; the r form is its reciprocal */
int ref_norm(mpfr_t r, const mpfr_t *v, int n);
int ref_rnorm(mpfr_t r, const mpfr_t *v, int n);

#endif
