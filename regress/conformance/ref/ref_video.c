/*
 * Reference of the video instructions, after the pseudo code of PTX ISA 9.7.14 and 9.7.15: select parts,
 * operate exactly, saturate, then the secondary operation or the merge.
 */
#include "regress/conformance/ref/ref.h"

static bool is_signed(uint8_t t) { return ptx_type_class(t) == 's'; }

/* Field of a word: `bits` wide from bit `at`, as a number. */
static s128 field(uint64_t v, int at, int bits, bool sign)
{
    s128 f = (s128)(v >> at & ref_mask(bits));
    return sign && f >> (bits - 1) & 1 ? f - ((s128)1 << bits) : f;
}

struct selection { int at, bits; };

/* bytesel 1..4: .b0 to .b3; 5, 6: .h0, .h1; 0: the whole word */
static struct selection selected(const struct ptx_operand *o)
{
    static const struct selection table[] = { { 0, 32 }, { 0, 8 },  { 8, 8 },  { 16, 8 },
                                              { 24, 8 }, { 0, 16 }, { 16, 16 } };
    return table[o->bytesel];
}

static s128 select_part(const struct ptx_operand *o, uint64_t v, bool sign)
{
    struct selection s = selected(o);
    return field(v, s.at, s.bits, sign);
}

static s128 magnitude(s128 v) { return v < 0 ? -v : v; }

static s128 shift(const struct ptx_inst *in, s128 a, s128 b)
{
    uint32_t n = (uint32_t)b;
    n = REF_HAS(in, SHIFT, WRAP) ? n & 31 : n > 32 ? 32 : n;
    return in->op == OP_VSHL ? a * ((s128)1 << n) : a >> n;
}

static bool holds(const struct ptx_inst *in, s128 a, s128 b)
{
    switch (in->mod[PG_CMP]) {
    case MOD(CMP, EQ): return a == b;
    case MOD(CMP, NE): return a != b;
    case MOD(CMP, LT): return a < b;
    case MOD(CMP, LE): return a <= b;
    case MOD(CMP, GT): return a > b;
    default: return a >= b;
    }
}

static s128 operate(const struct ptx_inst *in, s128 a, s128 b)
{
    switch (in->op) {
    case OP_VADD: case OP_VADD2: case OP_VADD4: return a + b;
    case OP_VSUB: case OP_VSUB2: case OP_VSUB4: return a - b;
    case OP_VABSDIFF: case OP_VABSDIFF2: case OP_VABSDIFF4: return magnitude(a - b);
    case OP_VMIN: case OP_VMIN2: case OP_VMIN4: return a < b ? a : b;
    case OP_VMAX: case OP_VMAX2: case OP_VMAX4: return a > b ? a : b;
    case OP_VAVRG2: case OP_VAVRG4: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case OP_VSHL: case OP_VSHR: return shift(in, a, b);
    default: return holds(in, a, b);
    }
}

static s128 saturated(const struct ptx_inst *in, s128 v, int bits, bool sign)
{
    return in->mod[PG_SAT] ? ref_clamp(v, ref_least(bits, sign), ref_most(bits, sign)) : v;
}

static void scalar(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    bool set = in->op == OP_VSET, sd = !set && is_signed(in->type[0]);
    s128 a = select_part(&in->opd[1], l->src[0], is_signed(in->type[set ? 0 : 1]));
    s128 b = select_part(&in->opd[2], l->src[1], is_signed(in->type[set ? 1 : 2]));
    struct selection to = selected(&in->opd[0]);
    s128 v = saturated(in, operate(in, a, b), to.bits, sd), c = field(l->src[2], 0, 32, sd);
    s128 low = field((uint64_t)v, 0, 32, sd);
    switch (in->mod[PG_VOP2]) {
    case MOD(VOP2, VADD): v = v + c; break;
    case MOD(VOP2, VMIN): v = low < c ? low : c; break;
    case MOD(VOP2, VMAX): v = low > c ? low : c; break;
    default: break;
    }
    uint64_t keep = to.bits == 32 ? 0 : l->src[2] & ~(ref_mask(to.bits) << to.at);
    r->d = ((uint64_t)v & ref_mask(to.bits)) << to.at | (keep & 0xffffffff);
}

static void mad(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    bool sa = is_signed(in->type[1]), sb = is_signed(in->type[2]);
    bool minus = in->opd[1].negated != in->opd[2].negated, minus_c = in->opd[3].negated;
    bool final_signed = sa || sb || minus || minus_c;
    s128 product = select_part(&in->opd[1], l->src[0], sa) * select_part(&in->opd[2], l->src[1], sb);
    s128 c = field(l->src[2], 0, 32, final_signed);
    s128 v = (minus ? -product : product) + (minus_c ? -c : c) + (in->mod[PG_VPO] ? 1 : 0);
    v >>= REF_HAS(in, VSCALE, SHR7) ? 7 : REF_HAS(in, VSCALE, SHR15) ? 15 : 0;
    r->d = (uint64_t)saturated(in, v, 32, final_signed) & 0xffffffff;
}

/* Parts of both sources in a row: digit k of the selector names one of them. */
static s128 simd_source(const struct ptx_operand *o, const struct ref_lane *l, int k, int parts, int first,
                        bool sign)
{
    uint64_t both = (l->src[0] & 0xffffffff) | l->src[1] << 32;
    int which = o->bytesel ? (int)(o->imm >> 4 * k & 15) : first + k;
    return field(both, which * 32 / parts, 32 / parts, sign);
}

static bool in_mask(const struct ptx_operand *o, int k)
{
    if (!o->bytesel)
        return true;
    if (o->bytesel <= 6)
        return k == (o->bytesel <= 4 ? o->bytesel - 1 : o->bytesel - 5);
    for (int i = 0; i < o->n; i++)
        if ((o->imm >> 4 * i & 15) == k)
            return true;
    return false;
}

static void simd(const struct ptx_inst *in, const struct ref_lane *l, int parts, struct ref_result *r)
{
    bool set = in->op == OP_VSET2 || in->op == OP_VSET4, sd = !set && is_signed(in->type[0]);
    int bits = 32 / parts;
    s128 sum = (s128)l->src[2];
    uint64_t merged = l->src[2];
    for (int k = 0; k < parts; k++) {
        if (!in_mask(&in->opd[0], k))
            continue;
        s128 a = simd_source(&in->opd[1], l, k, parts, 0, is_signed(in->type[set ? 0 : 1]));
        s128 b = simd_source(&in->opd[2], l, k, parts, parts, is_signed(in->type[set ? 1 : 2]));
        s128 v = saturated(in, operate(in, a, b), bits, sd);
        sum += v;
        merged = (merged & ~(ref_mask(bits) << bits * k)) | ((uint64_t)v & ref_mask(bits)) << bits * k;
    }
    r->d = (in->mod[PG_VOP2] ? (uint64_t)sum : merged) & 0xffffffff;
}

bool ref_video(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    switch (in->op) {
    case OP_VADD:
    case OP_VSUB:
    case OP_VABSDIFF:
    case OP_VMIN:
    case OP_VMAX:
    case OP_VSHL:
    case OP_VSHR:
    case OP_VSET: scalar(in, l, r); return true;
    case OP_VMAD:
        mad(in, l, r);
        return true;
    case OP_VADD2:
    case OP_VSUB2:
    case OP_VAVRG2:
    case OP_VABSDIFF2:
    case OP_VMIN2:
    case OP_VMAX2:
    case OP_VSET2: simd(in, l, 2, r); return true;
    case OP_VADD4:
    case OP_VSUB4:
    case OP_VAVRG4:
    case OP_VABSDIFF4:
    case OP_VMIN4:
    case OP_VMAX4:
    case OP_VSET4: simd(in, l, 4, r); return true;
    default:
        return false;
    }
}
