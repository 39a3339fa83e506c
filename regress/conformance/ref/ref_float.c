/*
 * Reference of floating point arithmetic that is rounded exactly (PTX ISA 9.7.3 to 9.7.5): the operation by
 * MPFR in the target's precision, then range, flush to zero, saturation, relu.
 */
#include "regress/conformance/ref/ref_fp.h"

static int sources(uint16_t op)
{
    switch (op) {
    case OP_FMA: case OP_MAD: return 3;
    case OP_RCP: case OP_SQRT: case OP_ABS: case OP_NEG: return 1;
    default: return 2;
    }
}

static int compute(uint16_t op, mpfr_t z, mpfr_t *x, mpfr_rnd_t rnd)
{
    switch (op) {
    case OP_ADD: return mpfr_add(z, x[0], x[1], rnd);
    case OP_SUB: return mpfr_sub(z, x[0], x[1], rnd);
    case OP_MUL: return mpfr_mul(z, x[0], x[1], rnd);
    case OP_DIV: return mpfr_div(z, x[0], x[1], rnd);
    case OP_RCP: return mpfr_ui_div(z, 1, x[0], rnd);
    case OP_SQRT: return mpfr_sqrt(z, x[0], rnd);
    default: return mpfr_fma(z, x[0], x[1], x[2], rnd);
    }
}

static uint64_t rounded_op(const struct ptx_inst *in, const uint64_t *src, int n)
{
    uint8_t t = in->type[0];
    mpfr_rnd_t rnd = fp_rounding(in->mod[PG_RND]);
    bool nan = false;
    for (int i = 0; i < n; i++)
        nan = nan || fp_is_nan(t, src[i]);
    if (nan)
        return t == T_F64 ? fp_nan64(src, n) : fp_nan(t);
    mpfr_t x[3], z;
    mpfr_init2(z, fp_format_of(t).prec);
    for (int i = 0; i < n; i++) {
        mpfr_init2(x[i], 53);
        mpfr_set_d(x[i], fp_to_double(t, src[i]), MPFR_RNDN);
    }
    int ternary = compute(in->op, z, x, rnd);
    uint64_t d = mpfr_nan_p(z) ? fp_nan(t) : fp_encode(t, z, ternary, rnd);
    for (int i = 0; i < n; i++)
        mpfr_clear(x[i]);
    mpfr_clear(z);
    return d;
}

/*
 * min and max: a NaN loses unless .NaN; -0 is below +0; .xorsign.abs compares magnitudes and xors the signs.
 */
static uint64_t least_or_most(const struct ptx_inst *in, uint64_t a, uint64_t b)
{
    uint8_t t = in->type[0];
    uint64_t sign = fp_sign_bit(t), xored = (a ^ b) & sign, both[2] = { a, b };
    bool na = fp_is_nan(t, a), nb = fp_is_nan(t, b);
    if ((na && nb) || (in->mod[PG_NAN] && (na || nb)))
        return t == T_F64 ? fp_nan64(both, 2) : fp_nan(t);
    if (in->mod[PG_ABSMOD]) {
        a &= ~sign;
        b &= ~sign;
    }
    double x = na ? 0 : fp_to_double(t, a), y = nb ? 0 : fp_to_double(t, b);
    bool a_less = x < y || (x == y && fp_negative(t, a) && !fp_negative(t, b));
    uint64_t d = na ? b : nb ? a : (in->op == OP_MIN) == a_less ? a : b;
    return in->mod[PG_XORSIGN] ? (d & ~sign) | xored : d;
}

static uint64_t clip(const struct ptx_inst *in, uint64_t d)
{
    uint8_t t = in->type[0];
    if (in->mod[PG_SAT]) {
        if (fp_is_nan(t, d) || fp_negative(t, d))
            return 0;
        uint64_t one = fp_from_double(t, 1.0);
        return d > one ? one : d;
    }
    if (in->mod[PG_RELU] && !fp_is_nan(t, d) && fp_negative(t, d))
        return 0;
    return d;
}

bool ref_float(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t t = in->type[0];
    uint64_t src[3], sign = fp_sign_bit(t);
    for (int i = 0; i < 3; i++)
        src[i] = in->mod[PG_FTZ] ? fp_flush(t, l->src[i]) : l->src[i];
    switch (in->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: case OP_RCP: case OP_SQRT: case OP_FMA: case OP_MAD:
        r->d = rounded_op(in, src, sources(in->op));
        break;
    case OP_MIN: case OP_MAX: r->d = least_or_most(in, src[0], src[1]); break;
    case OP_ABS: r->d = src[0] & ~sign; return true;
    case OP_NEG: r->d = src[0] ^ sign; return true;
    case OP_COPYSIGN: r->d = (src[1] & ~sign) | (src[0] & sign); return true;
    default: return false;
    }
    if (in->mod[PG_FTZ])
        r->d = fp_flush(t, r->d);
    r->d = clip(in, r->d);
    return true;
}
