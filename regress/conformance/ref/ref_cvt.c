/*
 * Reference of conversions (PTX ISA 9.7.9.21): the source as an exact MPFR number, one rounding into the
 * target. Float to integer clamps to the target's range; a NaN becomes 0, or, from f64 or into 64 bits, the integer
 * whose highest bit alone is set.
 */
#include "regress/conformance/ref/ref_fp.h"

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
        return is_float(to)                       ? convert_nan(in, to, from, a)
               : bits == 64 || from == T_F64 ? UINT64_C(1) << (bits - 1)
                                             : 0;
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

/* ---- cvt.pack: bit by bit, as the ISA has it ---- */

static uint64_t pack(const struct ptx_inst *in, const uint64_t *src)
{
    static const struct { uint8_t type; int bits; bool sign; } formats[] = {
        { T_U16, 16, false }, { T_S16, 16, true }, { T_U8, 8, false }, { T_S8, 8, true },
        { T_U4, 4, false }, { T_S4, 4, true }, { T_U2, 2, false }, { T_S2, 2, true }
    };
    int k = 0;
    while (formats[k].type != in->type[0])
        k++;
    int n = formats[k].bits;
    s128 least = ref_least(n, formats[k].sign), most = ref_most(n, formats[k].sign);
    uint64_t a = (uint64_t)ref_clamp(ref_value(T_S32, src[0]), least, most), d = 0;
    uint64_t b = (uint64_t)ref_clamp(ref_value(T_S32, src[1]), least, most);
    for (int i = 0; i < 32; i++) {
        uint64_t bit = i < n ? b >> i : i < 2 * n ? a >> (i - n) : src[2] >> (i - 2 * n);
        d |= (bit & 1) << i;
    }
    return d;
}

/* ---- 8-bit floating point: the nearest of the values that the code points have ---- */

static int fp8_max(uint8_t type) { return type == T_E4M3X2 ? 0x7e : 0x7b; }

/* A magnitude's value: exponent bias 7 and 3 bits of mantissa, or 15 and 2. */
static double fp8_value(uint8_t type, int code)
{
    int bits = type == T_E4M3X2 ? 3 : 2, bias = type == T_E4M3X2 ? 7 : 15;
    int e = code >> bits, m = code & ((1 << bits) - 1);
    double v = e ? m + (1 << bits) : m;
    for (int k = (e ? e : 1) - bias - bits; k != 0; k += k < 0 ? 1 : -1)
        v = k < 0 ? v / 2 : v * 2;
    return v;
}

static uint64_t to_fp8(const struct ptx_inst *in, uint8_t from, uint64_t a)
{
    uint8_t to = in->type[0];
    int best = 0;
    if (fp_is_nan(from, a))
        return 0x7f;
    if (fp_negative(from, a) && in->mod[PG_RELU])
        return 0;
    double v = fp_to_double(from, a);
    v = v < 0 ? -v : v;
    for (int code = 1; code <= fp8_max(to); code++) {
        double here = fp8_value(to, code) - v, there = fp8_value(to, best) - v;
        here = here < 0 ? -here : here;
        there = there < 0 ? -there : there;
        if (here < there || (here == there && code % 2 == 0))
            best = code;
    }
    if (v > fp8_value(to, fp8_max(to)))          /* infinity too */
        best = fp8_max(to);
    return (uint64_t)best | (fp_negative(from, a) ? 0x80 : 0);
}

static uint64_t from_fp8(const struct ptx_inst *in, uint64_t a)
{
    uint8_t from = in->type[1];
    int code = (int)(a & 0x7f);
    bool infinite = from == T_E5M2X2 && code == 0x7c;
    if (!infinite && code > fp8_max(from))
        return 0x7fff;
    if (in->mod[PG_RELU] && a & 0x80)
        return 0;
    return (infinite ? 0x7c00 : fp_from_double(T_F16, fp8_value(from, code))) | (a & 0x80) << 8;
}

static bool is_fp8(uint8_t t) { return t == T_E4M3X2 || t == T_E5M2X2; }

static uint64_t fp8_pair(const struct ptx_inst *in, const uint64_t *src)
{
    if (is_fp8(in->type[1]))
        return from_fp8(in, src[0] >> 8 & 0xff) << 16 | from_fp8(in, src[0] & 0xff);
    if (in->type[1] == T_F32)
        return to_fp8(in, T_F32, src[0] & 0xffffffff) << 8 | to_fp8(in, T_F32, src[1] & 0xffffffff);
    return to_fp8(in, T_F16, src[0] >> 16 & 0xffff) << 8 | to_fp8(in, T_F16, src[0] & 0xffff);
}

bool ref_cvt(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    if (in->mod[PG_PACK] || is_fp8(in->type[0]) || is_fp8(in->type[1])) {
        r->d = in->mod[PG_PACK] ? pack(in, l->src) : fp8_pair(in, l->src);
        return true;
    }
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
