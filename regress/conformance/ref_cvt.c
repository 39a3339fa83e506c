/*
 * Reference of conversions (PTX ISA 9.7.9.21): the source as an exact MPFR number, one rounding into the
 * target. Float to integer clamps to the target's range; a NaN becomes 0, or 0x8000000000000000 in 64 bits.
 */
#include "regress/conformance/ref_fp.h"

static bool is_float(uint8_t t) { return ptx_type_class(t) == 'f'; }

static void round_whole(mpfr_t x, uint8_t rnd)
{
    switch (rnd) {
    case MOD(RND, RNI): mpfr_roundeven(x, x); break;
    case MOD(RND, RZI): mpfr_trunc(x, x); break;
    case MOD(RND, RMI): mpfr_floor(x, x); break;
    case MOD(RND, RPI): mpfr_ceil(x, x); break;
    default: break;
    }
}

static void set_integer(mpfr_t x, s128 v)
{
    if (v < 0)
        mpfr_set_si(x, (long)v, MPFR_RNDN);
    else
        mpfr_set_ui(x, (unsigned long)v, MPFR_RNDN);
}

static uint64_t to_integer(uint8_t type, mpfr_t x)
{
    int bits = ref_bits_of(type);
    bool sign = ptx_type_class(type) == 's';
    s128 least = ref_least(bits, sign), most = ref_most(bits, sign);
    mpfr_t limit;
    mpfr_init2(limit, 64);
    set_integer(limit, least);
    bool low = mpfr_cmp(x, limit) <= 0;
    set_integer(limit, most);
    bool high = mpfr_cmp(x, limit) >= 0;
    mpfr_clear(limit);
    return (uint64_t)(low ? least : high ? most : sign ? (s128)mpfr_get_si(x, MPFR_RNDN)
                                                       : (s128)mpfr_get_ui(x, MPFR_RNDN));
}

/* An f32 rounded to tf32, halves away from zero: on the bits. */
static uint64_t tf32_away(uint64_t a)
{
    return ((a & 0x7fffffff) + 0x1000) & 0x7fffe000;
}

static uint64_t modified(const struct ptx_inst *in, uint8_t type, uint64_t d)
{
    uint64_t sign = fp_sign_bit(type);
    if (in->mod[PG_FTZ] && type == T_F32)
        d = fp_flush(type, d);
    if ((in->mod[PG_SAT] || in->mod[PG_RELU]) && d & sign)
        d = 0;
    if (in->mod[PG_SAT] && d > fp_from_double(type, 1))
        d = fp_from_double(type, 1);
    if (in->mod[PG_SATF] && fp_is_inf(type, d))
        d--;
    return d;
}

/* A NaN: 0 with .sat; wider f64 keep sign and payload, quieted; other targets have one NaN. */
static uint64_t convert_nan(const struct ptx_inst *in, uint8_t to, uint8_t from, uint64_t a)
{
    if (in->mod[PG_SAT])
        return 0;
    if (to != T_F64)
        return fp_nan(to);
    struct fp_format f = fp_format_of(from);
    uint64_t payload = (a & ((1ull << (f.prec - 1)) - 1)) << (53 - f.prec);
    return (fp_negative(from, a) ? 1ull << 63 : 0) | 0x7ff8000000000000u | payload;
}

static uint64_t convert(const struct ptx_inst *in, uint64_t a)
{
    uint8_t to = ref_half_of(in->type[0]) ? ref_half_of(in->type[0]) : in->type[0], from = in->type[1];
    int bits = ref_bits_of(to);
    a &= ref_mask(ref_bits_of(from));
    if (!is_float(to) && !is_float(from)) {
        s128 v = ref_value(from, a);
        bool sign = ptx_type_class(to) == 's';
        return (uint64_t)(in->mod[PG_SAT] ? ref_clamp(v, ref_least(bits, sign), ref_most(bits, sign)) : v);
    }
    if (is_float(from) && fp_is_nan(from, a))
        return is_float(to) ? convert_nan(in, to, from, a) : bits == 64 ? 0x8000000000000000u : 0;
    if (in->mod[PG_FTZ] && from == T_F32)
        a = fp_flush(from, a);
    if (REF_HAS(in, RND, RNA)) {
        uint64_t d = fp_is_inf(from, a) ? a : (a & 0x80000000u) | tf32_away(a);
        return modified(in, T_TF32, d >> 13) << 13;
    }
    mpfr_t x, z;
    mpfr_init2(x, 64);
    mpfr_init2(z, is_float(to) ? fp_format_of(to).prec : 64);
    if (is_float(from))
        mpfr_set_d(x, fp_to_double(from, a), MPFR_RNDN);
    else
        set_integer(x, ref_value(from, a));
    round_whole(x, in->mod[PG_RND]);
    uint64_t d;
    if (is_float(to)) {
        mpfr_rnd_t rnd = fp_rounding(in->mod[PG_RND]);
        int ternary = mpfr_set(z, x, rnd);
        d = modified(in, to, fp_encode(to, z, ternary, rnd));
        if (to == T_TF32)
            d <<= 13;
    } else {
        d = to_integer(to, x);
    }
    mpfr_clear(x);
    mpfr_clear(z);
    return d;
}

bool ref_cvt(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    if (ref_half_of(in->type[0])) {
        r->d = convert(in, l->src[0]) << 16 | convert(in, l->src[1]);
        return true;
    }
    int bits = ref_bits_of(in->type[0]);
    r->d = convert(in, l->src[0]);
    if (bits == 8) {                             /* extended in its 16-bit register */
        s128 v = ref_value(in->type[0], r->d);
        r->d = (uint64_t)v;
        bits = 16;
    }
    r->d &= ref_mask(bits);
    return true;
}
