/*
 * Selects the lane function of an instruction: its types and modifiers become a key (lanes/key.h), which is looked up
 * in the families of the vector width in use; d->imm gets what the function reads at run time. The functions round to
 * nearest; for other modes a wrapper sets the host processor's rounding mode around them.
 */
#include "ptx/lanes/lanes.h"

#include <string.h>

#include "ptx/lanes/key.h"

#if defined __x86_64__
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

struct isa {
    const char *name;
    lanes_select_fn *select[LANES_FAMILY_COUNT];
    lanes_resize_fn *resize;
    lanes_pair_fn *pair;
};

#define FAMILY(f, isa) lanes_select_##f##_##isa,
#define ISA_ROW(isa)                                                                          \
    { #isa, { FAMILY(int, isa) FAMILY(logic, isa) FAMILY(float, isa) FAMILY(half, isa) FAMILY(cmp, isa) \
              FAMILY(cvt, isa) FAMILY(warp, isa) FAMILY(video, isa) }, lanes_pick_resize_##isa, lanes_pick_pair_##isa }

static const struct isa isas[] = {
    ISA_ROW(base),
#if defined __x86_64__
    ISA_ROW(avx2),
    ISA_ROW(avx512),
#endif
};

static bool isa_present(enum lanes_isa isa)
{
#if defined __x86_64__
    if (isa == ISA_AVX2 || isa == ISA_AVX512)
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
            !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
            return false;
    if (isa == ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return isa < ISA_COUNT;
#else
    return isa == ISA_BASE;
#endif
}

enum lanes_isa lanes_best_isa(void)
{
    int best = ISA_BASE;
    for (int i = 0; i < ISA_COUNT; i++)
        if (isa_present((enum lanes_isa)i))
            best = i;
    return (enum lanes_isa)best;
}

const char *lanes_isa_name(enum lanes_isa isa)
{
    static const char *const names[ISA_COUNT] = { "base", "avx2", "avx512" };
    return isa < ISA_COUNT ? names[isa] : "";
}

enum lanes_isa lanes_isa_find(const char *name)
{
    for (int i = 0; i < ISA_COUNT; i++)
        if (!strcmp(lanes_isa_name((enum lanes_isa)i), name) && isa_present((enum lanes_isa)i))
            return (enum lanes_isa)i;
    return ISA_COUNT;
}

static ptx_fn *find(enum lanes_isa isa, uint64_t key)
{
    ptx_fn *fn = NULL;
    for (int f = 0; f < LANES_FAMILY_COUNT && !fn; f++)
        fn = isas[isa].select[f](key);
    return fn;
}

/* ---- rounding modes ---- */

#if defined __x86_64__
static int with_rounding(struct lanes *x, const struct dinst *d, unsigned mode)
{
    unsigned saved = _mm_getcsr();
    _mm_setcsr((saved & ~0x6000u) | mode);
    int r = d->rounded(x, d);
    _mm_setcsr(saved);
    return r;
}
enum { MODE_DOWN = 0x2000, MODE_UP = 0x4000, MODE_ZERO = 0x6000 };
#else
static int with_rounding(struct lanes *x, const struct dinst *d, int mode)
{
    int saved = fegetround();
    fesetround(mode);
    int r = d->rounded(x, d);
    fesetround(saved);
    return r;
}
enum { MODE_DOWN = FE_DOWNWARD, MODE_UP = FE_UPWARD, MODE_ZERO = FE_TOWARDZERO };
#endif

static int rounded_zero(struct lanes *x, const struct dinst *d) { return with_rounding(x, d, MODE_ZERO); }
static int rounded_down(struct lanes *x, const struct dinst *d) { return with_rounding(x, d, MODE_DOWN); }
static int rounded_up(struct lanes *x, const struct dinst *d) { return with_rounding(x, d, MODE_UP); }

static ptx_fn *with_mode(ptx_fn *fn, uint8_t rnd, struct dinst *d)
{
    if (!fn || rnd == 0 || rnd == MOD(RND, RN))
        return fn;
    d->rounded = fn;
    return rnd == MOD(RND, RZ) ? rounded_zero : rnd == MOD(RND, RM) ? rounded_down : rounded_up;
}

/* ---- keys ---- */

static uint64_t flags_of(const struct ptx_inst *in)
{
    static const struct { uint8_t group; uint16_t flag; } table[] = {
        { PG_FTZ, K_FTZ }, { PG_SAT, K_SAT }, { PG_RELU, K_RELU }, { PG_NAN, K_NAN },
        { PG_XORSIGN, K_XORSIGN }, { PG_CC, K_CC }, { PG_SYNC, K_SYNC }
    };
    uint64_t f = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (in->mod[table[i].group])
            f |= table[i].flag;
    if (in->mod[PG_APPROX])
        f |= in->mod[PG_APPROX] == MOD(APPROX, FULL) ? K_FULL : K_APPROX;
    if (in->mod[PG_SHIFT] == MOD(SHIFT, WRAP))
        f |= K_WRAP;
    return f;
}

/* The modifier word that names the operation; an opcode has at most one of these groups besides BOOL. */
static int word_of(const struct ptx_inst *in)
{
    static const uint8_t groups[] = {
        PG_CMP, PG_MULW, PG_DIR, PG_SHIFTAMT, PG_PRMT, PG_TESTP, PG_SHFL, PG_VOTE, PG_MATCH, PG_REDOP,
        PG_DPMODE, PG_BFIMODE
    };
    for (size_t i = 0; i < sizeof groups; i++)
        if (in->mod[groups[i]])
            return in->mod[groups[i]] - 1;
    return NOSEL;
}

static uint8_t bits_type(uint8_t type)
{
    switch (ptx_type_size(type)) {
    case 1: return T_B8;
    case 2: return T_B16;
    case 4: return T_B32;
    case 8: return T_B64;
    case 16: return T_B128;
    default: return type;
    }
}

static bool is_half(uint8_t t)
{
    return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2;
}

static bool present(const struct ptx_inst *in, int i)
{
    return i < in->nopd && in->opd[i].kind == OPD_REG;
}

/* d->imm for a combination with the predicate opd[c]. */
static int64_t bool_flags(const struct ptx_inst *in, int c)
{
    int64_t f = 0;
    switch (in->mod[PG_BOOL]) {
    case MOD(BOOL, AND): f = PRED_AND; break;
    case MOD(BOOL, OR): f = PRED_OR; break;
    case MOD(BOOL, XOR): f = PRED_XOR; break;
    default: return 0;
    }
    return f | (in->opd[c].negated ? PRED_NOT : 0);
}

/* lo, ls, hi and hs are the unsigned names of lt, le, gt and ge. */
static int cmp_word(const struct ptx_inst *in)
{
    switch (in->mod[PG_CMP]) {
    case MOD(CMP, LO): return CMP_LT;
    case MOD(CMP, LS): return CMP_LE;
    case MOD(CMP, HI): return CMP_GT;
    case MOD(CMP, HS): return CMP_GE;
    default: return in->mod[PG_CMP] - 1;
    }
}

static ptx_fn *select_setp(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    uint8_t t = in->type[0];
    d->imm = bool_flags(in, 4) | (present(in, 1) ? PRED_PAIR : 0);
    if (!is_half(t))
        return find(isa, KEY(OP_SETP, t, 0, cmp_word(in), in->mod[PG_FTZ] ? K_FTZ : K_0));
    d->imm |= in->mod[PG_FTZ] ? CMP_HALF_FTZ : 0;
    d->rounded = find(isa, KEY(OP_SETP, T_F32, 0, cmp_word(in), K_RAW));
    return find(isa, KEY(OP_SETP, t, 0, NOSEL, K_0));
}

static uint32_t true_bits(uint8_t type)
{
    switch (type) {
    case T_F32: return 0x3f800000;
    case T_F16: case T_F16X2: return 0x3c003c00;
    case T_BF16: case T_BF16X2: return 0x3f803f80;
    default: return 0xffffffff;
    }
}

static ptx_fn *select_set(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    uint8_t t = in->type[1];
    bool half = is_half(t), ftz = in->mod[PG_FTZ];
    d->size = (uint8_t)ptx_type_size(in->type[0]);
    d->imm = (int64_t)((uint64_t)true_bits(in->type[0]) << 32) | bool_flags(in, 3);
    d->imm |= half && ftz ? CMP_HALF_FTZ : 0;
    int flags = K_RAW | (ftz && !half ? K_FTZ : K_0);
    d->rounded = find(isa, KEY(OP_SETP, half ? T_F32 : t, 0, cmp_word(in), flags));
    return d->rounded ? find(isa, KEY(OP_SET, half ? t : T_NONE, 0, NOSEL, K_0)) : NULL;
}

static ptx_fn *select_mov(enum lanes_isa isa, const struct ptx_inst *in)
{
    uint8_t t = bits_type(in->type[0]);
    bool unpack = in->opd[0].kind == OPD_VEC, pack = in->opd[1].kind == OPD_VEC;
    if (!unpack && !pack)
        return find(isa, KEY(OP_MOV, t, 0, NOSEL, K_0));
    int n = in->opd[unpack ? 0 : 1].n, bytes = n ? ptx_type_size(t) / n : 0;
    uint8_t e = bytes == 1 ? T_B8 : bytes == 2 ? T_B16 : bytes == 4 ? T_B32 : bytes == 8 ? T_B64 : T_NONE;
    return unpack == pack ? NULL : find(isa, KEY(OP_MOV, t, e, NOSEL, unpack ? K_UNPACK : K_PACK));
}

/* ---- conversions ---- */

static ptx_fn *float_to_int(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    uint8_t from = in->type[1];
    bool half = is_half(from), flush = in->mod[PG_FTZ];
    ptx_fn *fn = find(isa, KEY(OP_CVT, in->type[0], half ? T_F32 : from, in->mod[PG_RND] - 1, K_0));
    if (!half && !flush)
        return fn;
    d->rounded = fn;
    return fn ? find(isa, KEY(OP_CVT, T_NONE, from, NOSEL, K_0)) : NULL;
}

static bool is_pair(uint8_t t)
{
    return t == T_F16X2 || t == T_BF16X2 || t == T_E4M3X2 || t == T_E5M2X2;
}

/* To a floating-point type: a kernel if there is one for this rounding and these modifiers, else the exact code. */
static ptx_fn *to_float(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    uint8_t to = in->type[0], from = in->type[1], rnd = in->mod[PG_RND];
    bool whole = rnd >= MOD(RND, RNI), near = rnd == 0 || rnd == MOD(RND, RN);
    bool odd = in->mod[PG_RELU] || in->mod[PG_SATF] || !(near || whole);
    bool flush_source = in->mod[PG_FTZ] && from == T_F32;
    bool flush_result = in->mod[PG_FTZ] && to == T_F32 && from != T_F32;
    ptx_fn *fn = NULL;
    if (!odd && !flush_result)
        fn = find(isa, KEY(OP_CVT, to, from, whole ? rnd - 1 : NOSEL, in->mod[PG_SAT] ? K_SAT : K_0));
    if (!fn)
        return find(isa, KEY(OP_CVT, is_pair(to) ? T_F16X2 : T_F32, T_NONE, NOSEL, K_0));
    if (!flush_source)
        return fn;
    d->rounded = fn;
    return find(isa, KEY(OP_CVT, T_NONE, T_F32, NOSEL, K_0));
}

static ptx_fn *select_cvt(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    if (in->mod[PG_PACK])
        return find(isa, KEY(OP_CVT, in->type[0], T_S32, NOSEL, K_PACK));
    if (ptx_type_class(in->type[0]) == 'f')
        return to_float(isa, in, d);
    if (ptx_type_class(in->type[1]) == 'f')
        return float_to_int(isa, in, d);
    return find(isa, KEY(OP_CVT, in->type[0], in->type[1], NOSEL, in->mod[PG_SAT] ? K_SAT : K_0));
}

/* ---- halves ---- */

static ptx_fn *select_half(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    d->imm = (in->mod[PG_FTZ] ? HALF_FTZ : 0) | (in->mod[PG_SAT] ? HALF_SAT : 0) |
             (in->mod[PG_RELU] ? HALF_RELU : 0) | (in->mod[PG_NAN] ? HALF_NAN : 0) |
             (in->mod[PG_XORSIGN] ? HALF_XORSIGN : 0);
    return find(isa, KEY(in->op, in->type[0], 0, NOSEL, K_0));
}

static ptx_fn *select_plain(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    uint64_t key = KEY(in->op, in->type[0], in->type[1], word_of(in), flags_of(in));
    return with_mode(find(isa, key), in->mod[PG_RND], d);
}

static ptx_fn *select_lop3(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    bool pair = in->mod[PG_BOOL] != 0;
    d->imm = in->opd[pair ? 5 : 4].imm & 255;
    if (pair)
        d->imm |= (in->mod[PG_BOOL] == MOD(BOOL, OR) ? LOP3_OR : 0) | (in->opd[6].negated ? LOP3_NOT : 0) |
                  (present(in, 1) ? LOP3_PAIR : 0);
    return find(isa, KEY(OP_LOP3, T_B32, pair ? T_PRED : 0, NOSEL, K_0));
}

ptx_fn *lanes_select(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    d->in = in;
    d->rounded = NULL;
    switch (in->op) {
    case OP_SETP:
        return select_setp(isa, in, d);
    case OP_SET:
        return select_set(isa, in, d);
    case OP_CVT:
        return select_cvt(isa, in, d);
    case OP_MOV:
        return select_mov(isa, in);
    case OP_SELP:
        d->imm = in->opd[3].negated;
        return find(isa, KEY(OP_SELP, bits_type(in->type[0]), 0, NOSEL, K_0));
    case OP_SLCT:
        return find(isa, KEY(OP_SLCT, bits_type(in->type[0]), in->type[1], NOSEL, flags_of(in)));
    case OP_SHR: {
        uint8_t t = in->type[0];
        t = ptx_type_class(t) != 'b' ? t : t == T_B16 ? T_U16 : t == T_B32 ? T_U32 : T_U64;
        return find(isa, KEY(OP_SHR, t, 0, NOSEL, K_0));
    }
    case OP_LOP3:
        return select_lop3(isa, in, d);
    case OP_ELECT:
        d->imm = present(in, 1) ? PRED_PAIR : 0;
        break;
    case OP_CVTA:
        d->imm = in->mod[PG_TO] != 0;
        return find(isa, KEY(OP_CVTA, in->type[0], 0, NOSEL, K_0));
    case OP_SHFL:
        d->imm = present(in, 1) ? PRED_PAIR : 0;
        return find(isa, KEY(OP_SHFL, T_B32, 0, word_of(in), K_0));
    case OP_MATCH:
        d->imm = in->mod[PG_MATCH] == MOD(MATCH, ALL) && present(in, 1) ? PRED_PAIR : 0;
        break;
    case OP_VOTE:
        d->imm = in->opd[1].negated ? PRED_NOT : 0;
        break;
    default:
        if (in->op >= OP_VADD && in->op <= OP_VSET4)
            return find(isa, KEY(in->op, 0, 0, NOSEL, K_0));
        if (is_half(in->type[0]))
            return select_half(isa, in, d);
    }
    return select_plain(isa, in, d);
}

ptx_fn *lanes_resize(enum lanes_isa isa, int from, int to, bool sign)
{
    return isas[isa].resize(from, to, sign);
}

ptx_fn *lanes_pair(enum lanes_isa isa, const struct ptx_inst *in)
{
    return isas[isa].pair(in);
}
