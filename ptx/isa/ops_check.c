/*
 * Whether the types and modifiers of an instruction are legal together: its FORM row, and the rules that a row cannot
 * express (PTX ISA section 9, "Syntax" and the notes of each instruction).
 */
#include "ptx/isa/ops_check.h"
#include "ptx/matrix/matrix.h"

enum ptx_space ptx_inst_space(const struct ptx_inst *in)
{
    switch (INST_SPACE(in)) {
    case MOD(SPACE, CONST): return SP_CONST;
    case MOD(SPACE, GLOBAL): return SP_GLOBAL;
    case MOD(SPACE, LOCAL): return SP_LOCAL;
    case MOD(SPACE, PARAM): return SP_PARAM;
    case MOD(SPACE, SHARED): return SP_SHARED;
    }
    if (in->mod[PG_PARAMSUB])
        return SP_PARAM;
    return in->mod[PG_SHAREDSUB] ? SP_SHARED : SP_GENERIC;
}

uint8_t ptx_inst_sem(const struct ptx_inst *in)
{
    uint8_t sem = in->mod[PG_SEM];
    if (sem || !ptx_is_mbarrier((enum ptx_op)in->op) || in->op < OP_MBARRIER_ARRIVE)
        return sem;
    return ptx_is_mbarrier_test((enum ptx_op)in->op) ? MOD(SEM, ACQUIRE) : MOD(SEM, RELEASE);
}

bool ptx_inst_of_block(const struct ptx_inst *in)
{
    uint8_t scope = in->mod[PG_SCOPE];
    return scope == MOD(SCOPE, CTA) || in->mod[PG_MEMBAR] == MOD(MEMBAR, CTA) ||
           (!scope && ptx_is_mbarrier((enum ptx_op)in->op));
}

/* The R_ bit of a rounding word; the words are in the order of the bits. */
static unsigned rnd_bit(uint8_t mod)
{
    return 1u << (mod - MOD(RND, RN));
}

_Static_assert(RND_RPI - RND_RN == 8 && R_RPI == 1 << 8 &&
    R_RNA == 1 << (RND_RNA - RND_RN), "rounding words follow R_");

static bool type_fits(ptx_typeset legal, uint8_t type)
{
    return legal ? type != T_NONE && (legal >> type & 1) : type == T_NONE;
}

static bool form_fits(const struct ptx_form *f, const struct ptx_inst *in, ptx_groupset have)
{
    if (f->op != in->op || (have & ~f->groups) || (f->need && !(have & f->need)))
        return false;
    for (int i = 0; i < 3; i++)
        if (!type_fits(f->type[i], in->type[i]))
            return false;
    return !in->mod[PG_RND] || (f->rnd & rnd_bit(in->mod[PG_RND]));
}

const struct ptx_form *ptx_form_find(const struct ptx_inst *in)
{
    ptx_groupset have = 0;
    for (int g = 0; g < PG_COUNT; g++)
        if (in->mod[g])
            have |= (ptx_groupset)1 << g;
    for (int i = 0; i < ptx_form_count; i++)
        if (form_fits(&ptx_forms[i], in, have))
            return &ptx_forms[i];
    return NULL;
}

#define HAS(in, g, e) ((in)->mod[PG_##g] == MOD(g, e))

static bool cmp_ok(uint8_t cmp, uint8_t type)
{
    switch (ptx_type_class(type)) {
    case 'b': return cmp == MOD(CMP, EQ) || cmp == MOD(CMP, NE);
    case 's': return cmp <= MOD(CMP, GE);
    case 'u': return cmp <= MOD(CMP, HS);
    default: return cmp <= MOD(CMP, GE) || cmp >= MOD(CMP, EQU);
    }
}

/* Which types each atomic operation takes; cas.b16 is for atom only, as red has no cas and no exch. */
static bool atom_ok(const struct ptx_inst *in)
{
    ptx_typeset t = (ptx_typeset)1 << in->type[0];
    ptx_typeset halves = TS(F16) | TS(F16X2) | TS(BF16) | TS(BF16X2);
    if (in->mod[PG_VEC])
        return HAS(in, ATOM, ADD) ? (t & (halves | TS(F32))) != 0 :
               (HAS(in, ATOM, MIN) || HAS(in, ATOM, MAX)) && (t & halves);
    switch (in->mod[PG_ATOM]) {
    case MOD(ATOM, AND): case MOD(ATOM, OR): case MOD(ATOM, XOR):
        return t & (TS(B32) | TS(B64));
    case MOD(ATOM, CAS):
        return in->op == OP_ATOM && (t & (TS(B16) | TS(B32) | TS(B64) | TS(B128)));
    case MOD(ATOM, EXCH):
        return in->op == OP_ATOM && (t & (TS(B32) | TS(B64) | TS(B128)));
    case MOD(ATOM, ADD):
        return t & (TS(U32) | TS(S32) | TS(U64) | TS(F32) | TS(F64) | halves);
    case MOD(ATOM, INC): case MOD(ATOM, DEC):
        return t & TS(U32);
    case MOD(ATOM, MIN): case MOD(ATOM, MAX):
        return t & (TS(U32) | TS(S32) | TS(U64) | TS(S64));
    default:
        return false;
    }
}

static const char *check_ordering(const struct ptx_inst *in)
{
    uint8_t sem = in->mod[PG_SEM];
    bool scoped = sem == MOD(SEM, RELAXED) || sem == MOD(SEM, ACQUIRE) || sem == MOD(SEM, RELEASE) ||
                  sem == MOD(SEM, ACQ_REL);
    bool atomic = in->op == OP_ATOM || in->op == OP_RED;
    if (in->op == OP_FENCE)
        return sem == 0 || sem == MOD(SEM, SC) || sem == MOD(SEM, ACQ_REL) ? NULL :
            "fence takes .sc or .acq_rel";
    if (in->op == OP_LD && (sem == MOD(SEM, RELEASE) || sem == MOD(SEM, ACQ_REL) || sem == MOD(SEM, SC)))
        return "ld takes .weak, .volatile, .relaxed or .acquire";
    if (in->op == OP_ST && (sem == MOD(SEM, ACQUIRE) || sem == MOD(SEM, ACQ_REL) || sem == MOD(SEM, SC)))
        return "st takes .weak, .volatile, .relaxed or .release";
    if (atomic && sem && !scoped)
        return "atom takes .relaxed, .acquire, .release or .acq_rel";
    if (in->op == OP_RED && sem && sem != MOD(SEM, RELAXED) && sem != MOD(SEM, RELEASE))
        return "red takes .relaxed or .release";
    if (!atomic && scoped && !in->mod[PG_SCOPE])
        return "a memory ordering other than .weak and .volatile needs a scope";
    if (!atomic && in->mod[PG_SCOPE] && !scoped)
        return "a scope needs a memory ordering";
    return NULL;
}

/* Accesses to memory-mapped input and output are of one kind only (PTX ISA 9.7.9.8). */
static bool mmio_ok(const struct ptx_inst *in)
{
    bool where = !INST_SPACE(in) || HAS(in, SPACE, GLOBAL);
    return !in->mod[PG_MMIO] || (HAS(in, SEM, RELAXED) && HAS(in, SCOPE, SYS) && where && !in->mod[PG_VEC]);
}

/* Vectors of 16 bytes at most; ld and st of global memory also 32, of elements of 4 or 8 bytes. */
static bool vector_ok(const struct ptx_inst *in, int size, bool atomic)
{
    if (!in->mod[PG_VEC])
        return true;
    int bytes = size << (in->mod[PG_VEC] - MOD(VEC, V2) + 1);
    bool wide = bytes == 32 && (size == 4 || size == 8) && HAS(in, SPACE, GLOBAL);
    wide = wide && !atomic && in->op != OP_LDU;
    return size <= 8 && (bytes <= 16 || wide) && (!HAS(in, VEC, V8) || (atomic ? size == 2 : wide));
}

static const char *check_memory(const struct ptx_inst *in)
{
    uint8_t space = INST_SPACE(in);
    int size = ptx_type_size(in->type[0]);
    bool atomic = in->op == OP_ATOM || in->op == OP_RED;
    if (in->mod[PG_NC] && (space != MOD(SPACE, GLOBAL) || in->mod[PG_SEM]))
        return ".nc is for ld.global without memory ordering";
    if (!mmio_ok(in))
        return ".mmio goes with .relaxed.sys, on generic or global addresses, without a vector";
    if (HAS(in, EVICT2, L2_EVICT_UNCHANGED))
        return ".L2::evict_unchanged is for createpolicy";
    if (in->mod[PG_SEM] && in->mod[PG_CACHE] && !HAS(in, SEM, WEAK))
        return "a cache operator cannot go with a memory ordering";
    if (in->op == OP_ST && space == MOD(SPACE, CONST))
        return "constant memory cannot be written";
    if (atomic && space && space != MOD(SPACE, GLOBAL) &&
        space != MOD(SPACE, SHARED))
        return "atomic operations are on global or shared memory";
    if (in->op == OP_LDU && space && space != MOD(SPACE, GLOBAL))
        return "ldu is for global memory";
    if (atomic && in->mod[PG_VEC] && space && space != MOD(SPACE, GLOBAL))
        return "a vector of atomic operations is on global memory";
    if (!vector_ok(in, size, atomic))
        return "a vector access is of at most 16 bytes, with ld.global and st.global of at most 32";
    if (in->op == OP_PREFETCH && space && space != MOD(SPACE, GLOBAL) && space != MOD(SPACE, LOCAL))
        return "prefetch is for global or local memory";
    if (in->op == OP_PREFETCHU && !HAS(in, LEVEL, L1))
        return "prefetchu takes .L1";
    return check_ordering(in);
}

/* A test acquires, an arrival releases, and what only counts bytes is relaxed; each may be relaxed. */
static const char *check_mbarrier(const struct ptx_inst *in)
{
    uint8_t sem = in->mod[PG_SEM], scope = in->mod[PG_SCOPE], space = INST_SPACE(in);
    bool bytes = in->op == OP_MBARRIER_EXPECT_TX || in->op == OP_MBARRIER_COMPLETE_TX;
    uint8_t strong = ptx_is_mbarrier_test((enum ptx_op)in->op) ? MOD(SEM, ACQUIRE) : MOD(SEM, RELEASE);
    if (space && space != MOD(SPACE, SHARED))
        return "a barrier object is in shared memory";
    if (sem && sem != MOD(SEM, RELAXED) && (bytes || sem != strong))
        return bytes ? "it takes .relaxed" :
               strong == MOD(SEM, ACQUIRE) ? "it takes .acquire or .relaxed" : "it takes .release or .relaxed";
    if (!sem != !scope)
        return sem ? "a memory ordering needs a scope" : "a scope needs a memory ordering";
    if (scope && scope != MOD(SCOPE, CTA) && scope != MOD(SCOPE, CLUSTER))
        return "the scope is .cta or .cluster";
    bool no_complete = in->op == OP_MBARRIER_ARRIVE_NO_COMPLETE || in->op == OP_MBARRIER_DROP_NO_COMPLETE;
    if (no_complete && sem && (sem != MOD(SEM, RELEASE) || scope != MOD(SCOPE, CTA)))
        return "with .noComplete it takes .release.cta";
    bool of_cluster = bytes || (in->op >= OP_MBARRIER_ARRIVE && in->op < OP_MBARRIER_TEST && !no_complete);
    return HAS(in, SHAREDSUB, SHARED_CLUSTER) && !of_cluster ? "it takes .shared::cta" : NULL;
}

static const char *check_barrier(const struct ptx_inst *in)
{
    bool red = HAS(in, BAROP, RED);
    if (red != (in->mod[PG_REDOP] != 0))
        return "a barrier's reduction is .red with .popc, .and or .or";
    if (red && in->type[0] != (HAS(in, REDOP, POPC) ? T_U32 : T_PRED))
        return ".popc gives .u32, .and and .or give .pred";
    if (red && in->mod[PG_REDOP] != MOD(REDOP, POPC) && in->mod[PG_REDOP] != MOD(REDOP, AND) &&
        in->mod[PG_REDOP] != MOD(REDOP, OR))
        return "a barrier's reduction is .popc, .and or .or";
    if (HAS(in, BAROP, WARP) && !in->mod[PG_SYNC])
        return "bar.warp needs .sync";
    if (in->mod[PG_BAROP] && !HAS(in, BAROP, WARP) && in->mod[PG_SYNC])
        return "a barrier has one of .sync, .arrive and .red";
    if (in->op == OP_BARRIER && HAS(in, BAROP, WARP))
        return "the warp barrier is bar.warp.sync";
    return NULL;
}

static const char *check_integer(const struct ptx_inst *in)
{
    uint8_t width = in->mod[PG_MULW];
    if (width == MOD(MULW, WIDE) && in->op != OP_MUL && in->op != OP_MAD)
        return ".wide is for mul and mad";
    if (width == MOD(MULW, WIDE) && (in->mod[PG_CC] || ptx_type_size(in->type[0]) == 8))
        return ".wide is for 16 and 32 bits, without .cc";
    if (in->op == OP_MAD && in->mod[PG_CC] && !width)
        return "mad.cc needs .lo or .hi";
    if ((in->op == OP_MAD || in->op == OP_MAD24) && in->mod[PG_SAT] && ptx_type_class(in->type[0]) == 's' &&
        width != MOD(MULW, HI))
        return "integer .sat is for .hi";
    return NULL;
}

/* Are both integers, and has `to` every value of `from`? Floating point saturates to [0, 1]. */
static bool covers(uint8_t to, uint8_t from)
{
    bool same = ptx_type_class(to) == ptx_type_class(from) && ptx_type_class(to) != 'f';
    bool extended = ptx_type_class(to) == 's' && ptx_type_class(from) == 'u';
    return (same && ptx_type_size(to) >= ptx_type_size(from)) ||
           (extended && ptx_type_size(to) > ptx_type_size(from));
}

static const char *check_convert(const struct ptx_inst *in)
{
    bool two = in->nopd > 2 && in->opd[2].kind != OPD_NONE;
    bool three = in->nopd > 3 && in->opd[3].kind != OPD_NONE;
    if (in->mod[PG_PACK]) {
        if (!in->mod[PG_SAT])
            return "cvt.pack needs .sat";
        bool small = in->type[2] != T_NONE;
        if (!two || three != small)
            return small ? "cvt.pack below 16 bits has three sources" : "cvt.pack to 16 bits has two sources";
        return NULL;
    }
    if (in->mod[PG_SAT] && covers(in->type[0], in->type[1]))
        return "the destination has every value of the source, so there is nothing to saturate";
    bool small = in->type[0] == T_E4M3X2 || in->type[0] == T_E5M2X2;
    bool pack = in->type[1] == T_F32 && (in->type[0] == T_F16X2 || in->type[0] == T_BF16X2 || small);
    if (small && !in->mod[PG_RND])
        return "a conversion to 8-bit floating point needs .rn";
    if (pack != two)
        return pack ? "a conversion of f32 to a packed pair needs two sources" :
            "this conversion has one source";
    if (in->type[0] == in->type[1] && ptx_type_class(in->type[0]) == 'f' && !in->mod[PG_RND] &&
        !in->mod[PG_SAT] && !in->mod[PG_FTZ] && in->type[0] == T_BF16)
        return "cvt.bf16.bf16 needs integer rounding";
    return NULL;
}

static const char *check_half_modes(const struct ptx_inst *in)
{
    if (!in->mod[PG_XORSIGN] != !in->mod[PG_ABSMOD])
        return ".xorsign goes with .abs";
    if (in->op == OP_EX2 && (in->type[0] == T_BF16 || in->type[0] == T_BF16X2) && !in->mod[PG_FTZ])
        return "ex2 on bf16 needs .ftz";
    if (in->op == OP_RCP && in->type[0] == T_F64 && in->mod[PG_APPROX] && !in->mod[PG_FTZ])
        return "rcp.approx.f64 needs .ftz";
    if (in->op != OP_DIV && HAS(in, APPROX, FULL))
        return ".full is for div.f32";
    if ((in->op == OP_ATOM || in->op == OP_RED) && in->mod[PG_NOFTZ] == 0 && HAS(in, ATOM, ADD) &&
        (in->type[0] == T_F16 || in->type[0] == T_F16X2))
        return "atomic add on f16 needs .noftz";
    return NULL;
}

static const char *check_lop3(const struct ptx_inst *in)
{
    return HAS(in, BOOL, XOR) ? "lop3 combines with .and or .or" : NULL;
}

static const char *check_warp(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_VOTE:
        return HAS(in, VOTE, BALLOT) == (in->type[0] == T_B32) ? NULL :
            "vote.ballot gives .b32, the others .pred";
    case OP_MATCH:
        return in->mod[PG_SYNC] ? NULL : "match needs .sync";
    case OP_REDUX: {
        bool bits = HAS(in, REDOP, AND) || HAS(in, REDOP, OR) || HAS(in, REDOP, XOR);
        if (!in->mod[PG_SYNC])
            return "redux needs .sync";
        if (HAS(in, REDOP, POPC) || bits != (in->type[0] == T_B32))
            return "redux does .add .min .max on .u32 or .s32, .and .or .xor on .b32";
        return NULL;
    }
    case OP_BRX:
        return HAS(in, SHFL, IDX) ? NULL : "brx needs .idx";
    default:
        return NULL;
    }
}

static const char *check_space(const struct ptx_inst *in)
{
    uint8_t s = INST_SPACE(in);
    if (s == 0 && !in->mod[PG_PARAMSUB] && !in->mod[PG_SHAREDSUB])
        return "a state space is needed";
    return NULL;
}

/* mapa and getctarank: .shared::cluster or a generic address; the barrier of a cluster. */
static const char *check_cluster(const struct ptx_inst *in)
{
    uint8_t sem = in->mod[PG_SEM];
    switch (in->op) {
    case OP_CLUSTER_ARRIVE:
        return !sem || sem == MOD(SEM, RELEASE) || sem == MOD(SEM, RELAXED) ? NULL : "it takes .release or .relaxed";
    case OP_CLUSTER_WAIT: return !sem || sem == MOD(SEM, ACQUIRE) ? NULL : "it takes .acquire";
    case OP_FENCE_MBARRIER_INIT:
        return sem == MOD(SEM, RELEASE) && HAS(in, SCOPE, CLUSTER) ? NULL : "it takes .release.cluster";
    default:
        return !INST_SPACE(in) || HAS(in, SHAREDSUB, SHARED_CLUSTER) ? NULL : "it takes .shared::cluster";
    }
}

static const char *check_video(const struct ptx_inst *in)
{
    bool simd = in->op >= OP_VADD2;
    if (simd && in->mod[PG_VOP2] && !HAS(in, VOP2, VADD))
        return "the second operation of a SIMD video instruction is .add";
    if (simd && in->mod[PG_VOP2] && in->mod[PG_SAT])
        return "a SIMD video instruction with .add cannot saturate";
    if (in->op == OP_VSET || in->op == OP_VSET2 || in->op == OP_VSET4)
        return in->mod[PG_CMP] <= MOD(CMP, GE) ? NULL : "the comparison is one of eq ne lt le gt ge";
    return NULL;
}

static const char *check_fetch(const struct ptx_inst *in)
{
    bool pair = in->type[0] == T_F16X2;
    if (!HAS(in, VEC, V4) != pair || !HAS(in, VEC, V2) == pair)
        return pair ? "a fetch of .f16x2 has .v2" : "a fetch has .v4";
    if (in->op == OP_TLD4 && (HAS(in, GEOM, 1D) || HAS(in, GEOM, A1D) || HAS(in, GEOM, 3D) || !in->mod[PG_GEOM]))
        return "tld4 is for .2d, .a2d, .cube and .acube";
    if (in->type[1] == T_S32 && (HAS(in, LOD, GRAD) || HAS(in, GEOM, CUBE) || HAS(in, GEOM, ACUBE)))
        return "cube maps and gradients take coordinates of .f32";
    return NULL;
}

static const char *check_surface(const struct ptx_inst *in)
{
    if (!in->mod[PG_SURF])
        return "a surface access has .b or .p";
    if (!in->mod[PG_GEOM] || HAS(in, GEOM, CUBE) || HAS(in, GEOM, ACUBE))
        return "a surface is .1d, .2d, .3d, .a1d or .a2d";
    if (HAS(in, SURF, P) && (in->op == OP_SULD || in->type[0] != T_B32))
        return ".p is for sust and sured on .b32";
    if (HAS(in, VEC, V8) || (HAS(in, VEC, V4) && in->type[0] == T_B64))
        return "a surface access is of at most 16 bytes";
    if (in->op != OP_SURED)
        return NULL;
    bool bits = HAS(in, ATOM, AND) || HAS(in, ATOM, OR);
    bool number = HAS(in, ATOM, ADD) || HAS(in, ATOM, MIN) || HAS(in, ATOM, MAX);
    if (!bits && !number)
        return "sured does .add .min .max .and .or";
    if (HAS(in, SURF, P))
        return bits || HAS(in, ATOM, ADD) ? NULL : "sured.p does .add .and .or";
    if (bits != (in->type[0] == T_B32))
        return "sured does .and .or on .b32, .add .min .max on integers";
    return in->type[0] == T_S64 && HAS(in, ATOM, ADD) ? "sured.add of 64 bits is .u64" : NULL;
}

static const char *check_query(const struct ptx_inst *in)
{
    uint8_t q = in->mod[PG_QUERY];
    bool size = q == MOD(QUERY, WIDTH) || q == MOD(QUERY, HEIGHT) || q == MOD(QUERY, DEPTH);
    if (in->mod[PG_LOD] && (!HAS(in, LOD, LEVEL) || !size))
        return "txq.level is for .width, .height and .depth";
    bool shared = size || q == MOD(QUERY, CHANNEL_DATA_TYPE) || q == MOD(QUERY, CHANNEL_ORDER) ||
                  q == MOD(QUERY, ARRAY_SIZE);
    if (in->op == OP_SUQ)
        return shared || q == MOD(QUERY, MEMORY_LAYOUT) ? NULL : "a surface has no such attribute";
    return q == MOD(QUERY, MEMORY_LAYOUT) ? "only surfaces have a memory layout" : NULL;
}

static const char *check_copy(const struct ptx_inst *in)
{
    if (!HAS(in, CACHE, CA) && !HAS(in, CACHE, CG))
        return "cp.async has .ca or .cg";
    if (!in->mod[PG_DST] || !HAS(in, SPACE, GLOBAL))
        return "cp.async copies from .global to .shared";
    return NULL;
}

/* cp.reduce.async.bulk to global memory. */
static const char *check_bulk_reduce(const struct ptx_inst *in)
{
    ptx_typeset t = (ptx_typeset)1 << in->type[0], halves = TS(F16) | TS(BF16), ok = 0;
    switch (in->mod[PG_ATOM]) {
    case MOD(ATOM, AND): case MOD(ATOM, OR): case MOD(ATOM, XOR): ok = TS(B32) | TS(B64); break;
    case MOD(ATOM, INC): case MOD(ATOM, DEC): ok = TS(U32); break;
    case MOD(ATOM, MIN): case MOD(ATOM, MAX): ok = TS(U32) | TS(S32) | TS(U64) | TS(S64) | halves; break;
    case MOD(ATOM, ADD): ok = TS(U32) | TS(S32) | TS(U64) | TS(S64) | TS(F32) | TS(F64) | halves; break;
    default: break;
    }
    if (!(t & ok))
        return "this atomic operation is not for this type";
    bool noftz = HAS(in, ATOM, ADD) && t & halves;
    return noftz == (in->mod[PG_NOFTZ] != 0) ? NULL : ".noftz is for .add on .f16 and .bf16, which need it";
}

/* Which types each operation of red.async, and of cp.reduce.async.bulk to shared memory, takes. */
static bool red_async_ok(const struct ptx_inst *in)
{
    ptx_typeset t = (ptx_typeset)1 << in->type[0], words = TS(U32) | TS(S32);
    switch (in->mod[PG_ATOM]) {
    case MOD(ATOM, AND): case MOD(ATOM, OR): case MOD(ATOM, XOR):
        return t & TS(B32);
    case MOD(ATOM, INC): case MOD(ATOM, DEC):
        return t & TS(U32);
    case MOD(ATOM, MIN): case MOD(ATOM, MAX):
        return t & words;
    case MOD(ATOM, ADD):
        return t & (words | TS(U64) | TS(S64));
    default:
        return false;
    }
}

int ptx_tensor_dims(const struct ptx_inst *in)
{
    switch (in->mod[PG_GEOM]) {
    case MOD(GEOM, 1D): return 1;
    case MOD(GEOM, 2D): return 2;
    case MOD(GEOM, 3D): return 3;
    case MOD(GEOM, 4D): return 4;
    case MOD(GEOM, 5D): return 5;
    default: return 0;
    }
}

bool ptx_takes_word(enum ptx_op op, uint8_t mod)
{
    bool tensor = ptx_is_tensor_copy(op), stores = op == OP_TENSOR_STORE || op == OP_TENSOR_REDUCE;
    switch (mod) {
    case MOD(GEOM, 4D): case MOD(GEOM, 5D): return tensor;
    case MOD(LOD, IM2COL): return tensor && !stores;
    case MOD(LOD, IM2COL_NO_OFFS): return stores;
    case MOD(LOD, BASE): case MOD(LOD, LEVEL): case MOD(LOD, GRAD):
    case MOD(GEOM, A1D): case MOD(GEOM, A2D): case MOD(GEOM, CUBE): case MOD(GEOM, ACUBE): return !tensor;
    default: return true;
    }
}

/* The types of reductions are those of tensor maps. */
static const char *check_tensor_copy(const struct ptx_inst *in)
{
    if (in->mod[PG_LOD] && ptx_tensor_dims(in) < 3)
        return "the mode im2col is for .3d, .4d and .5d";
    if (in->op != OP_TENSOR_REDUCE)
        return NULL;
    bool other = !in->mod[PG_ATOM] || HAS(in, ATOM, CAS) || HAS(in, ATOM, EXCH);
    return other ? "a reduction is one of .add .min .max .inc .dec .and .or .xor" : NULL;
}

static const char *check_async_store(const struct ptx_inst *in)
{
    if (in->op == OP_RED_ASYNC || in->op == OP_BULK_REDUCE_SEND)
        return red_async_ok(in) ? NULL : "this atomic operation is not for this type";
    return vector_ok(in, ptx_type_size(in->type[0]), false) ? NULL : "a vector access is of at most 16 bytes";
}

static const char *check_fence_proxy(const struct ptx_inst *in)
{
    bool plain = !in->mod[PG_SHAREDSUB] && in->mod[PG_SPACE];
    return plain && !HAS(in, SPACE, GLOBAL) ? "it takes .global, .shared::cta or .shared::cluster" : NULL;
}

/* tensormap.replace and tensormap.cp_fenceproxy. */
static const char *check_map(const struct ptx_inst *in)
{
    if (in->op == OP_MAP_COPY)
        return in->mod[PG_SYNC] && in->mod[PG_ALIGNED] ? NULL : "it has .sync.aligned";
    bool shared = HAS(in, SPACE, SHARED) && HAS(in, SHAREDSUB, SHARED_CTA);
    return !INST_SPACE(in) || HAS(in, SPACE, GLOBAL) || shared ? NULL : "a tensor map is in .global or .shared::cta";
}

static const char *check_hint(const struct ptx_inst *in)
{
    uint8_t space = INST_SPACE(in);
    if (space && space != MOD(SPACE, GLOBAL))
        return "hints are for global memory";
    if (in->op == OP_DISCARD && !HAS(in, LEVEL, L2))
        return "discard takes .L2";
    if (in->op == OP_APPLYPRIORITY && !HAS(in, EVICT2, L2_EVICT_NORMAL))
        return "applypriority takes .L2::evict_normal";
    return NULL;
}

static const char *check_rules(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_SETP: case OP_SET:
        return cmp_ok(in->mod[PG_CMP], in->type[in->op == OP_SET]) ? NULL :
            "this comparison is not for this type";
    case OP_MUL: case OP_MAD: case OP_MADC: case OP_MUL24: case OP_MAD24:
        return check_integer(in);
    case OP_SHF:
        return in->mod[PG_DIR] && in->mod[PG_SHIFT] ? NULL : "shf needs .l or .r, and .clamp or .wrap";
    case OP_CVT:
        return check_convert(in);
    case OP_LOP3:
        return check_lop3(in);
    case OP_MIN: case OP_MAX: case OP_EX2: case OP_RCP: case OP_SQRT: case OP_RSQRT: case OP_SIN: case OP_COS:
    case OP_LG2: case OP_TANH:
        return check_half_modes(in);
    case OP_MAPA: case OP_GETCTARANK: case OP_CLUSTER_ARRIVE: case OP_CLUSTER_WAIT: case OP_FENCE_MBARRIER_INIT:
        return check_cluster(in);
    case OP_CVTA: case OP_ISSPACEP:
        return check_space(in);
    case OP_ATOM: case OP_RED:
        if (!atom_ok(in))
            return "this atomic operation is not for this type";
        return check_half_modes(in) ? check_half_modes(in) : check_memory(in);
    case OP_LD: case OP_LDU: case OP_ST: case OP_PREFETCH: case OP_PREFETCHU: case OP_FENCE:
        return check_memory(in);
    case OP_CP_ASYNC:
        return check_copy(in);
    case OP_BULK_REDUCE:
        return check_bulk_reduce(in);
    case OP_TENSOR_LOAD: case OP_TENSOR_LOAD_CTA: case OP_TENSOR_MULTICAST: case OP_TENSOR_STORE: case OP_TENSOR_REDUCE:
    case OP_TENSOR_PREFETCH:
        return check_tensor_copy(in);
    case OP_ST_ASYNC: case OP_ST_ASYNC_WEAK: case OP_RED_ASYNC: case OP_BULK_REDUCE_SEND:
        return check_async_store(in);
    case OP_FENCE_PROXY_ASYNC:
        return check_fence_proxy(in);
    case OP_DISCARD: case OP_APPLYPRIORITY: case OP_POLICY_RANGE:
        return check_hint(in);
    case OP_LDMATRIX: case OP_STMATRIX: case OP_MOVMATRIX: case OP_MMA: case OP_MMA_SP: case OP_MMA_SP_ORDERED:
    case OP_WMMA_LOAD_A: case OP_WMMA_LOAD_B: case OP_WMMA_LOAD_C: case OP_WMMA_STORE_D: case OP_WMMA_MMA:
    case OP_WGMMA_FENCE: case OP_WGMMA: case OP_WGMMA_SP: case OP_WGMMA_COMMIT: case OP_WGMMA_WAIT:
        return matrix_check(in);
    case OP_TEX: case OP_TLD4:
        return check_fetch(in);
    case OP_SULD: case OP_SUST: case OP_SURED:
        return check_surface(in);
    case OP_TXQ: case OP_SUQ:
        return check_query(in);
    case OP_MAXNREG_INC: case OP_MAXNREG_DEC:
        return in->mod[PG_ALIGNED] ? NULL : "it has .sync.aligned";
    case OP_BAR: case OP_BARRIER:
        return check_barrier(in);
    case OP_VOTE: case OP_MATCH: case OP_REDUX: case OP_BRX:
        return check_warp(in);
    default:
        if (ptx_is_mbarrier((enum ptx_op)in->op))
            return check_mbarrier(in);
        if (ptx_is_map_field((enum ptx_op)in->op) || in->op == OP_MAP_COPY)
            return check_map(in);
        return in->op >= OP_VADD && in->op <= OP_VSET4 ? check_video(in) : NULL;
    }
}

bool ptx_form_ok(const struct ptx_inst *in, const char **why)
{
    *why = NULL;
    if (!ptx_form_find(in))
        *why = "this combination of types and modifiers does not exist";
    else
        *why = check_rules(in);
    return *why == NULL;
}
