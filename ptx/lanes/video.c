/*
 * Video instructions (PTX ISA 9.7.14, 9.7.15): arithmetic on selected bytes, halves or words of the sources, with
 * saturation, then a second operation or a merge with the last source. They are infrequent: the functions compute one
 * lane at a time and read all modifiers from the instruction.
 */
#include "ptx/lanes/kernel.h"

/* The part of a word that a scalar selector names (1..4 bytes, 5 and 6 halves, 0 the word), extended by its type. */
static int64_t pick(uint32_t v, uint8_t sel, bool is_signed)
{
    int bits = sel == 0 ? 32 : sel <= 4 ? 8 : 16;
    int shift = sel == 0 ? 0 : sel <= 4 ? 8 * (sel - 1) : 16 * (sel - 5);
    uint64_t u = (uint64_t)(v >> shift) << (64 - bits);
    return is_signed ? (int64_t)u >> (64 - bits) : (int64_t)(u >> (64 - bits));
}

static bool is_signed_type(uint8_t t)
{
    return ptx_type_class(t) == 's';
}

static int64_t clamp(int64_t v, int bits, bool is_signed)
{
    int64_t lo = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t hi = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    return v < lo ? lo : v > hi ? hi : v;
}

static bool compare(uint8_t cmp, int64_t a, int64_t b)
{
    switch (cmp) {
    case MOD(CMP, EQ): return a == b;
    case MOD(CMP, NE): return a != b;
    case MOD(CMP, LT): return a < b;
    case MOD(CMP, LE): return a <= b;
    case MOD(CMP, GT): return a > b;
    default: return a >= b;
    }
}

static int64_t shift_amount(const struct ptx_inst *in, int64_t b)
{
    uint32_t n = (uint32_t)b;
    return in->mod[PG_SHIFT] == MOD(SHIFT, WRAP) ? n & 31 : n > 32 ? 32 : n;
}

/* a << n with n up to 32: by 32 every nonzero result is out of range alike and its low word zero. */
static int64_t shift_left(int64_t a, int64_t n)
{
    return n < 32 ? (int64_t)((uint64_t)a << n) : (int64_t)((a > 0) - (a < 0)) * ((int64_t)1 << 32);
}

/* The first operation, exact. */
static int64_t first_op(const struct ptx_inst *in, int64_t a, int64_t b)
{
    switch (in->op) {
    case OP_VADD: case OP_VADD2: case OP_VADD4: return a + b;
    case OP_VSUB: case OP_VSUB2: case OP_VSUB4: return a - b;
    case OP_VAVRG2: case OP_VAVRG4: return (a + b + (a + b >= 0)) >> 1;
    case OP_VABSDIFF: case OP_VABSDIFF2: case OP_VABSDIFF4: return a > b ? a - b : b - a;
    case OP_VMIN: case OP_VMIN2: case OP_VMIN4: return a < b ? a : b;
    case OP_VMAX: case OP_VMAX2: case OP_VMAX4: return a > b ? a : b;
    case OP_VSHL: return shift_left(a, shift_amount(in, b));
    case OP_VSHR: return a >> shift_amount(in, b);
    default: return compare(in->mod[PG_CMP], a, b);
    }
}

/* Scalar: dsel of the destination merges the result into c, else the second operation combines it with c. */
static uint32_t scalar_tail(const struct ptx_inst *in, int64_t r, uint32_t c, bool is_signed)
{
    uint8_t dsel = in->opd[0].bytesel;
    if (dsel) {
        int shift = dsel <= 4 ? 8 * (dsel - 1) : 16 * (dsel - 5);
        uint32_t mask = (dsel <= 4 ? 0xffu : 0xffffu) << shift;
        return (c & ~mask) | ((uint32_t)r << shift & mask);
    }
    int64_t a = is_signed ? (int32_t)r : (int64_t)(uint32_t)r, b = is_signed ? (int32_t)c : (int64_t)c;
    switch (in->mod[PG_VOP2]) {
    case MOD(VOP2, VADD): return (uint32_t)(a + b);
    case MOD(VOP2, VMIN): return (uint32_t)(a < b ? a : b);
    case MOD(VOP2, VMAX): return (uint32_t)(a > b ? a : b);
    default: return (uint32_t)r;
    }
}

static bool video_is_set(const struct ptx_inst *in)
{
    return in->op == OP_VSET || in->op == OP_VSET2 || in->op == OP_VSET4;
}

/* Saturation of a scalar result: to the destination type at the width of dsel. */
static int dsel_bits(uint8_t dsel)
{
    return dsel == 0 ? 32 : dsel <= 4 ? 8 : 16;
}

static int video_scalar(struct lanes *x, const struct dinst *d)
{
    const struct ptx_inst *in = d->in;
    bool set = video_is_set(in), sd = !set && is_signed_type(in->type[0]);
    bool sa = is_signed_type(in->type[set ? 0 : 1]), sb = is_signed_type(in->type[set ? 1 : 2]);
    bool three = in->nopd > 3 && in->opd[3].kind != OPD_NONE;
    const uint32_t *A = src_of(x, d, 0), *B = src_of(x, d, 1), *C = three ? src_of(x, d, 2) : A;
    uint32_t *D = dst_of(x, d);
    for (uint32_t todo = x->mask; todo; todo &= todo - 1) {
        int i = __builtin_ctz(todo);
        int64_t r = first_op(in, pick(A[i], in->opd[1].bytesel, sa), pick(B[i], in->opd[2].bytesel, sb));
        if (in->mod[PG_SAT])
            r = clamp(r, dsel_bits(in->opd[0].bytesel), sd);
        D[i] = three ? scalar_tail(in, r, C[i], sd) : (uint32_t)r;
    }
    return 0;
}

/* (a * b + c) >> scale; with a negated product or c the sum is exact before the shift. */
static int video_mad(struct lanes *x, const struct dinst *d)
{
    const struct ptx_inst *in = d->in;
    bool sa = is_signed_type(in->type[1]), sb = is_signed_type(in->type[2]);
    bool minus = in->opd[1].negated != in->opd[2].negated, minus_c = in->opd[3].negated;
    bool sign = sa || sb || minus || minus_c;
    uint8_t vscale = in->mod[PG_VSCALE];
    int scale = vscale == MOD(VSCALE, SHR7) ? 7 : vscale == MOD(VSCALE, SHR15) ? 15 : 0;
    const uint32_t *A = src_of(x, d, 0), *B = src_of(x, d, 1), *C = src_of(x, d, 2);
    uint32_t *D = dst_of(x, d);
    __extension__ typedef __int128 wide;
    for (uint32_t todo = x->mask; todo; todo &= todo - 1) {
        int i = __builtin_ctz(todo);
        wide p = (wide)pick(A[i], in->opd[1].bytesel, sa) * pick(B[i], in->opd[2].bytesel, sb);
        wide c = sign ? (wide)(int32_t)C[i] : (wide)C[i];
        wide r = ((minus ? -p : p) + (minus_c ? -c : c) + (in->mod[PG_VPO] ? 1 : 0)) >> scale;
        wide lo = sign ? INT32_MIN : 0, hi = sign ? (wide)INT32_MAX : (wide)UINT32_MAX;
        if (in->mod[PG_SAT])
            r = r < lo ? lo : r > hi ? hi : r;
        D[i] = (uint32_t)r;
    }
    return 0;
}

/*
 * Part k of a SIMD source: selector digits count through the parts of a, then those of b. Without a
 * selector the first source (which = 0) is a, the second b.
 */
static int64_t simd_part(uint32_t a, uint32_t b, const struct ptx_operand *o, int which, int k, int parts,
                         bool is_signed)
{
    int bits = 32 / parts, from = which * parts + k;
    if (o->bytesel)
        from = (int)(o->imm >> 4 * k & 15) % (2 * parts);
    return pick(from < parts ? a >> bits * from : b >> bits * (from - parts), parts == 2 ? 5 : 1, is_signed);
}

/* The parts of the destination that a mask names; all of them without one. */
static uint32_t simd_mask(const struct ptx_operand *o, int parts)
{
    uint32_t m = 0;
    if (!o->bytesel)
        return (1u << parts) - 1;
    if (o->bytesel <= 6)
        return 1u << (o->bytesel <= 4 ? o->bytesel - 1 : o->bytesel - 5);
    for (int k = 0; k < o->n; k++)
        m |= 1u << (o->imm >> 4 * k & 3);
    return m;
}

static uint32_t simd_lane(const struct ptx_inst *in, int parts, uint32_t a, uint32_t b, uint32_t c)
{
    bool set = video_is_set(in), sd = !set && is_signed_type(in->type[0]);
    bool sa = is_signed_type(in->type[set ? 0 : 1]), sb = is_signed_type(in->type[set ? 1 : 2]);
    int bits = 32 / parts;
    uint32_t named = simd_mask(&in->opd[0], parts), part = (uint32_t)((1ull << bits) - 1), r = c;
    uint32_t sum = c;
    for (int k = 0; k < parts; k++) {
        if (!(named >> k & 1))
            continue;
        int64_t va = simd_part(a, b, &in->opd[1], 0, k, parts, sa);
        int64_t v = first_op(in, va, simd_part(a, b, &in->opd[2], 1, k, parts, sb));
        if (in->mod[PG_SAT])
            v = clamp(v, bits, sd);
        r = (r & ~(part << bits * k)) | ((uint32_t)v & part) << bits * k;
        sum += (uint32_t)v;
    }
    return in->mod[PG_VOP2] ? sum : r;
}

static inline int video_simd(struct lanes *x, const struct dinst *d, int parts)
{
    const uint32_t *A = src_of(x, d, 0), *B = src_of(x, d, 1), *C = src_of(x, d, 2);
    uint32_t *D = dst_of(x, d);
    for (uint32_t todo = x->mask; todo; todo &= todo - 1) {
        int i = __builtin_ctz(todo);
        D[i] = simd_lane(d->in, parts, A[i], B[i], C[i]);
    }
    return 0;
}

static int video_simd2(struct lanes *x, const struct dinst *d) { return video_simd(x, d, 2); }
static int video_simd4(struct lanes *x, const struct dinst *d) { return video_simd(x, d, 4); }

ptx_fn *NAME(select_video)(uint64_t key)
{
    switch (key) {
#define VIDEO_FN(op, fn) case KEY(OP_##op, 0, 0, NOSEL, K_0): return fn;
#include "ptx/isa/ops.def"
    default:
        return NULL;
    }
}
