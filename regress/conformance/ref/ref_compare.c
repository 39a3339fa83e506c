/* Reference of comparison, selection and tests (PTX ISA 9.7.3.2, 9.7.6, 9.7.7). */
#include "regress/conformance/ref/ref_fp.h"

enum order { LESS, EQUAL, GREATER, UNORDERED };

static enum order order_of(uint8_t t, uint64_t a, uint64_t b, bool ftz)
{
    if (ptx_type_class(t) != 'f') {
        s128 x = ref_value(t, a), y = ref_value(t, b);
        return x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    if (fp_is_nan(t, a) || fp_is_nan(t, b))
        return UNORDERED;
    double x = fp_to_double(t, ftz ? fp_flush(t, a) : a), y = fp_to_double(t, ftz ? fp_flush(t, b) : b);
    return x < y ? LESS : x > y ? GREATER : EQUAL;
}

static bool holds(uint8_t cmp, enum order o)
{
    bool u = o == UNORDERED;
    switch (cmp) {
    case MOD(CMP, EQ): return o == EQUAL;
    case MOD(CMP, NE): return o == LESS || o == GREATER;
    case MOD(CMP, LT): case MOD(CMP, LO): return o == LESS;
    case MOD(CMP, LE): case MOD(CMP, LS): return o == LESS || o == EQUAL;
    case MOD(CMP, GT): case MOD(CMP, HI): return o == GREATER;
    case MOD(CMP, GE): case MOD(CMP, HS): return o == GREATER || o == EQUAL;
    case MOD(CMP, EQU): return u || o == EQUAL;
    case MOD(CMP, NEU): return u || o != EQUAL;
    case MOD(CMP, LTU): return u || o == LESS;
    case MOD(CMP, LEU): return u || o == LESS || o == EQUAL;
    case MOD(CMP, GTU): return u || o == GREATER;
    case MOD(CMP, GEU): return u || o == GREATER || o == EQUAL;
    case MOD(CMP, NUM): return !u;
    default: return u;
    }
}

static bool combined(const struct ptx_inst *in, bool t, uint64_t c)
{
    bool k = (c & 1) != (unsigned)in->opd[in->op == OP_SETP ? 4 : 3].negated;
    switch (in->mod[PG_BOOL]) {
    case MOD(BOOL, AND): return t && k;
    case MOD(BOOL, OR): return t || k;
    case MOD(BOOL, XOR): return t != k;
    default: return t;
    }
}

static bool compare(const struct ptx_inst *in, uint8_t t, uint64_t a, uint64_t b)
{
    return holds(in->mod[PG_CMP], order_of(t, a, b, in->mod[PG_FTZ]));
}

static uint64_t truth(uint8_t type)
{
    return ptx_type_class(type) == 'f' ? fp_from_double(type, 1.0) : ref_mask(ref_bits_of(type));
}

static void setp(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t half = ref_half_of(in->type[0]);
    if (!half) {
        bool t = compare(in, in->type[0], l->src[0], l->src[1]);
        r->d = combined(in, t, l->src[2]);
        r->q = combined(in, !t, l->src[2]);
        return;
    }
    r->d = combined(in, compare(in, half, l->src[0] & 0xffff, l->src[1] & 0xffff), l->src[2]);
    r->q = combined(in, compare(in, half, l->src[0] >> 16, l->src[1] >> 16), l->src[2]);
}

static void set(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t half = ref_half_of(in->type[1]);
    if (!half) {
        r->d = combined(in, compare(in, in->type[1], l->src[0], l->src[1]), l->src[2]) ? truth(in->type[0])
                                                                                       : 0;
        return;
    }
    uint64_t yes = ref_half_of(in->type[0]) ? truth(ref_half_of(in->type[0])) : 0xffff;
    bool low = combined(in, compare(in, half, l->src[0] & 0xffff, l->src[1] & 0xffff), l->src[2]);
    bool high = combined(in, compare(in, half, l->src[0] >> 16, l->src[1] >> 16), l->src[2]);
    r->d = (low ? yes : 0) | (high ? yes << 16 : 0);
}

static bool has_property(const struct ptx_inst *in, uint64_t a)
{
    uint8_t t = in->type[0];
    bool nan = fp_is_nan(t, a), inf = fp_is_inf(t, a), sub = fp_is_subnormal(t, a);
    switch (in->mod[PG_TESTP]) {
    case MOD(TESTP, FINITE): return !nan && !inf;
    case MOD(TESTP, INFINITE): return inf;
    case MOD(TESTP, NUMBER): return !nan;
    case MOD(TESTP, NOTANUMBER): return nan;
    case MOD(TESTP, NORMAL): return !nan && !inf && !sub;
    default: return sub;
    }
}

bool ref_compare(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    switch (in->op) {
    case OP_SETP:
        setp(in, l, r);
        return true;
    case OP_SET:
        set(in, l, r);
        return true;
    case OP_TESTP:
        r->d = has_property(in, l->src[0]);
        return true;
    case OP_SELP:
        r->d = (l->src[2] & 1) != (unsigned)in->opd[3].negated ? l->src[0] : l->src[1];
        return true;
    case OP_SLCT: {
        enum order o = order_of(in->type[1], l->src[2], 0, in->mod[PG_FTZ]);
        r->d = o == GREATER || o == EQUAL ? l->src[0] : l->src[1];
        return true;
    }
    default:
        return false;
    }
}
