/*
 * Number formats for the reference: bits to MPFR and back. A result is computed with the format's precision
 * and an unbounded exponent, then brought into its range by mpfr_check_range and mpfr_subnormalize, which
 * round only once.
 */
#ifndef REGRESS_CONFORMANCE_REF_FP_H
#define REGRESS_CONFORMANCE_REF_FP_H

#include <mpfr.h>

#include "regress/conformance/ref/ref.h"

struct fp_format { int prec, exp_bits; };        /* precision with the implicit bit */

struct fp_format fp_format_of(uint8_t type);     /* element type for packed pairs */
bool fp_is_nan(uint8_t type, uint64_t bits);
bool fp_is_inf(uint8_t type, uint64_t bits);
bool fp_is_subnormal(uint8_t type, uint64_t bits);
bool fp_negative(uint8_t type, uint64_t bits);
uint64_t fp_sign_bit(uint8_t type);
uint64_t fp_nan(uint8_t type);                   /* the NaN of a result without NaN operands */
double fp_to_double(uint8_t type, uint64_t bits);          /* exact; NaN operands excluded */
uint64_t fp_from_double(uint8_t type, double v);           /* v is representable */
uint64_t fp_flush(uint8_t type, uint64_t bits);            /* a subnormal becomes the zero of its sign */
mpfr_rnd_t fp_rounding(uint8_t rnd);             /* of a MOD(RND, ..) word; 0 = nearest */

/* x holds a result of the format's precision with ternary value t: its bits in the format. x is not NaN. */
uint64_t fp_encode(uint8_t type, mpfr_t x, int t, mpfr_rnd_t rnd);
/* The NaN that an f64 operation returns: the first NaN operand quieted, else the default one. */
uint64_t fp_nan64(const uint64_t *src, int n);

#endif
