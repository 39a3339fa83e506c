/*
 * Reference of the approximate functions (PTX ISA 9.7.3, 9.7.4): the exact value by MPFR and the error that
 * the ISA documents give an interval; special values (zeros, infinities, NaN) are exact. Where the ISA gives
 * no bound ours is marked so.
 */
#include <float.h>
#include <math.h>

#include "regress/conformance/ref/ref_fp.h"

enum error_kind { RELATIVE, ABSOLUTE, ULPS };
struct bound { enum error_kind kind; double size; };

static struct bound bound_of(const struct ptx_inst *in, double x)
{
    uint8_t t = in->type[0];
    bool f64 = t == T_F64;
    switch (in->op) {
    case OP_DIV: return (struct bound){ ULPS, 2 };
    case OP_RCP: return f64 ? (struct bound){ RELATIVE, 0x1p-18 } : (struct bound){ ULPS, 1 }; /* f64: ours */
    case OP_SQRT: return (struct bound){ RELATIVE, 0x1p-23 };
    case OP_RSQRT:
        return !f64 ? (struct bound){ RELATIVE, 0x1.12p-23 }                           /* 2^-22.9 */
                    : (struct bound){ RELATIVE, in->mod[PG_FTZ] ? 0x1p-18 : 0x1p-51 }; /* f64: ours */
    case OP_SIN: case OP_COS:
        return (struct bound){ ABSOLUTE, fabs(x) <= 6.2831854820251465 ? 0x1.6ap-21 /* 2^-20.5 */
                                         : fabs(x) <= 314.15926        ? 0x1.3bp-15
                                                                       : 2 }; /* 2^-14.7 */
    case OP_LG2:
        return x >= 0.5 && x <= 2 ? (struct bound){ ABSOLUTE, 0x1p-22 } : (struct bound){ RELATIVE, 0x1p-22 };
    case OP_EX2: return (struct bound){ RELATIVE, t == T_F32 ? 0x1p-22 : t == T_F16 ? 0x1.12p-10 : 0x1p-7 };
    default: return t == T_F32 ? (struct bound){ RELATIVE, 0x1p-11 }
                  : (struct bound){ ABSOLUTE, t == T_F16 ? 0x1.02p-11 : 0x1p-8 };                   /* tanh */
    }
}

static void exact_value(uint16_t op, mpfr_t z, mpfr_t x, mpfr_t y)
{
    switch (op) {
    case OP_DIV: mpfr_div(z, x, y, MPFR_RNDN); break;
    case OP_RCP: mpfr_ui_div(z, 1, x, MPFR_RNDN); break;
    case OP_SQRT: mpfr_sqrt(z, x, MPFR_RNDN); break;
    case OP_RSQRT:
        mpfr_rec_sqrt(z, x, MPFR_RNDN);
        if (mpfr_zero_p(x))
            mpfr_set_inf(z, mpfr_signbit(x) ? -1 : 1);
        break;
    case OP_SIN: mpfr_sin(z, x, MPFR_RNDN); break;
    case OP_COS: mpfr_cos(z, x, MPFR_RNDN); break;
    case OP_LG2: mpfr_log2(z, x, MPFR_RNDN); break;
    case OP_EX2: mpfr_exp2(z, x, MPFR_RNDN); break;
    default: mpfr_tanh(z, x, MPFR_RNDN); break;
    }
}

/* The error in absolute terms around v, and half a step of the subnormals, which no relative bound can
 * promise. */
static double slack(uint8_t t, struct bound b, double v)
{
    struct fp_format f = fp_format_of(t);
    int least = 2 - (1 << (f.exp_bits - 1)), e;
    double step = ldexp(1, least - f.prec + 1);
    frexp(v, &e);
    if (b.kind == ABSOLUTE)
        return b.size + step / 2;
    if (b.kind == RELATIVE)
        return fabs(v) * b.size + step / 2;
    return b.size * fmax(step, ldexp(1, e - f.prec));
}

static void widen(const struct ptx_inst *in, double v, struct ref_result *r)
{
    uint8_t t = in->type[0];
    struct fp_format f = fp_format_of(t);
    double least = ldexp(1, 2 - (1 << (f.exp_bits - 1))),
           most = ldexp(1 - ldexp(0.5, -f.prec), 1 << (f.exp_bits - 1));
    r->approx = true;
    if (in->mod[PG_FTZ]) {
        if (fabs(r->low) < least || fabs(v) < least)
            r->low = fmin(r->low, 0);
        if (fabs(r->high) < least || fabs(v) < least)
            r->high = fmax(r->high, 0);
    }
    if (r->high >= most)
        r->high = INFINITY;
    if (r->low <= -most)
        r->low = -INFINITY;
}

/* A quotient by more than 2^126: the reciprocal underflows, so 0, or NaN for an infinite dividend. */
static bool huge_divisor(const struct ptx_inst *in, double y)
{
    return in->op == OP_DIV && REF_HAS(in, APPROX, APPROX) && fabs(y) > 0x1p126 && !isinf(y);
}

bool ref_approx(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t t = in->type[0];
    uint64_t a = l->src[0], b = l->src[1];
    if (in->mod[PG_FTZ] && t != T_F16) {
        a = fp_flush(t, a);
        b = fp_flush(t, b);
    }
    bool gross = t == T_F64 && in->mod[PG_FTZ];  /* looks at and gives high words only */
    if (gross && !fp_is_nan(t, a))
        a = fp_flush(t, a & 0xffffffff00000000u);
    if (fp_is_nan(t, a) || (in->op == OP_DIV && fp_is_nan(t, b))) {
        r->d = t == T_F64 ? fp_nan64(&a, 1) : fp_nan(t);
        return true;
    }
    mpfr_t x, y, z;
    mpfr_inits2(120, x, y, z, (mpfr_ptr)0);
    mpfr_set_d(x, fp_to_double(t, a), MPFR_RNDN);
    mpfr_set_d(y, in->op == OP_DIV ? fp_to_double(t, b) : 1, MPFR_RNDN);
    exact_value(in->op, z, x, y);
    if (in->op == OP_DIV && huge_divisor(in, mpfr_get_d(y, MPFR_RNDN))) {
        if (mpfr_inf_p(x))
            mpfr_set_nan(z);
        else
            mpfr_set_zero(z, mpfr_signbit(x) != mpfr_signbit(y) ? -1 : 1);
    }
    if (mpfr_nan_p(z)) {
        r->d = fp_nan(t);
    } else if (mpfr_zero_p(z) || mpfr_inf_p(z)) {
        r->d = fp_from_double(t, mpfr_get_d(z, MPFR_RNDN));
    } else {
        double v = fmax(-DBL_MAX, fmin(mpfr_get_d(z, MPFR_RNDN), DBL_MAX)),
               e = slack(t, bound_of(in, mpfr_get_d(x, MPFR_RNDN)), v);
        r->low = v - e;
        r->high = v + e;
        widen(in, v, r);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
    return true;
}
