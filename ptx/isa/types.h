/*
 * The vocabulary of PTX: types, state spaces, modifier words and special registers, each spelled once here. PTX ISA
 * 8.x, sections 5 (state spaces and types), 9 (instruction set) and 10 (special registers).
 */
#ifndef PTX_TYPES_H
#define PTX_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#define PTX_NEWEST_VERSION "8.6"     /* the newest version of PTX that is known here */

/* X(enumerator, spelling, bytes in memory, class letter) */
#define PTX_TYPES(X)                                                                          \
    X(B8, "b8", 1, 'b') X(B16, "b16", 2, 'b') X(B32, "b32", 4, 'b') X(B64, "b64", 8, 'b')     \
    X(B128, "b128", 16, 'b')                                                                  \
    X(U8, "u8", 1, 'u') X(U16, "u16", 2, 'u') X(U32, "u32", 4, 'u') X(U64, "u64", 8, 'u')     \
    X(S8, "s8", 1, 's') X(S16, "s16", 2, 's') X(S32, "s32", 4, 's') X(S64, "s64", 8, 's')     \
    X(F16, "f16", 2, 'f') X(F16X2, "f16x2", 4, 'f') X(BF16, "bf16", 2, 'f')                   \
    X(BF16X2, "bf16x2", 4, 'f') X(F32, "f32", 4, 'f') X(F64, "f64", 8, 'f')                   \
    X(TF32, "tf32", 4, 'f') X(E4M3X2, "e4m3x2", 2, 'f') X(E5M2X2, "e5m2x2", 2, 'f')           \
    X(E4M3, "e4m3", 1, 'f') X(E5M2, "e5m2", 1, 'f')                                           \
    X(U16X2, "u16x2", 4, 'u') X(S16X2, "s16x2", 4, 's')                                       \
    X(B1, "b1", 0, 'b') X(U4, "u4", 0, 'u') X(S4, "s4", 0, 's') X(U2, "u2", 0, 'u') X(S2, "s2", 0, 's')           \
    X(B1024, "b1024", 0, 'b')                                                                 \
    X(PRED, "pred", 0, 'p')                                                                   \
    X(TEXREF, "texref", 8, 'o') X(SAMPLERREF, "samplerref", 8, 'o') X(SURFREF, "surfref", 8, 'o')

enum ptx_type {
    T_NONE,
#define X(e, s, n, c) T_##e,
    PTX_TYPES(X)
#undef X
    T_COUNT
};

typedef uint64_t ptx_typeset;                    /* bit t = type t */
#define TS(t) ((ptx_typeset)1 << T_##t)

const char *ptx_type_name(enum ptx_type t);      /* "f32"; "" for T_NONE */
int ptx_type_size(enum ptx_type t);              /* bytes in memory; 0 for predicates */
char ptx_type_class(enum ptx_type t);            /* 'b' bits, 'u', 's', 'f', 'p' predicate, 'o' opaque */
enum ptx_type ptx_type_find(const char *name, int len);   /* T_NONE when unknown */

/* State spaces (PTX ISA 5.1). GENERIC: no space written. */
#define PTX_SPACES(X)                                                                         \
    X(GENERIC, "") X(REG, "reg") X(SREG, "sreg") X(CONST, "const") X(GLOBAL, "global")        \
    X(LOCAL, "local") X(PARAM, "param") X(SHARED, "shared") X(TEX, "tex")
enum ptx_space {
#define X(e, s) SP_##e,
    PTX_SPACES(X)
#undef X
    SP_COUNT
};
const char *ptx_space_name(enum ptx_space s);

/*
 * Modifier words. X(group, enumerator, spelling): a word may appear in several groups ("and" is a boolean
 * operation of setp, an operation of atom and of bar.red); an opcode's row lists the groups that it takes, and
 * the first of those that has the word gives the meaning.
 */
#define PTX_MODIFIERS(X)                                                                      \
    X(RND, RN, "rn") X(RND, RZ, "rz") X(RND, RM, "rm") X(RND, RP, "rp")                       \
    X(RND, RNA, "rna")                                                                        \
    X(RND, RNI, "rni") X(RND, RZI, "rzi") X(RND, RMI, "rmi") X(RND, RPI, "rpi")               \
    X(FTZ, FTZ, "ftz") X(SAT, SAT, "sat") X(SATF, SATFINITE, "satfinite")                     \
    X(RELU, RELU, "relu") X(NAN, NAN, "NaN") X(XORSIGN, XORSIGN, "xorsign")                   \
    X(ABSMOD, ABS, "abs") X(NOFTZ, NOFTZ, "noftz")                                            \
    X(APPROX, APPROX, "approx") X(APPROX, FULL, "full")                                       \
    X(MULW, LO, "lo") X(MULW, HI, "hi") X(MULW, WIDE, "wide")                                 \
    X(CC, CC, "cc") X(PACK, PACK, "pack")                                                      \
    X(CMP, EQ, "eq") X(CMP, NE, "ne") X(CMP, LT, "lt") X(CMP, LE, "le") X(CMP, GT, "gt")      \
    X(CMP, GE, "ge") X(CMP, LO, "lo") X(CMP, LS, "ls") X(CMP, HI, "hi") X(CMP, HS, "hs")      \
    X(CMP, EQU, "equ") X(CMP, NEU, "neu") X(CMP, LTU, "ltu") X(CMP, LEU, "leu")               \
    X(CMP, GTU, "gtu") X(CMP, GEU, "geu") X(CMP, NUM, "num") X(CMP, NAN, "nan")               \
    X(BOOL, AND, "and") X(BOOL, OR, "or") X(BOOL, XOR, "xor")                                 \
    X(SHIFT, WRAP, "wrap") X(SHIFT, CLAMP, "clamp")                                           \
    X(DIR, L, "l") X(DIR, R, "r")                                                             \
    X(SHIFTAMT, SHIFTAMT, "shiftamt")                                                         \
    X(PRMT, F4E, "f4e") X(PRMT, B4E, "b4e") X(PRMT, RC8, "rc8") X(PRMT, ECL, "ecl")           \
    X(PRMT, ECR, "ecr") X(PRMT, RC16, "rc16")                                                 \
    X(TESTP, FINITE, "finite") X(TESTP, INFINITE, "infinite") X(TESTP, NUMBER, "number")      \
    X(TESTP, NOTANUMBER, "notanumber") X(TESTP, NORMAL, "normal")                             \
    X(TESTP, SUBNORMAL, "subnormal")                                                          \
    X(SHFL, UP, "up") X(SHFL, DOWN, "down") X(SHFL, BFLY, "bfly") X(SHFL, IDX, "idx")         \
    X(VOTE, ALL, "all") X(VOTE, ANY, "any") X(VOTE, UNI, "uni") X(VOTE, BALLOT, "ballot")     \
    X(MATCH, ANY, "any") X(MATCH, ALL, "all")                                                 \
    X(SYNC, SYNC, "sync") X(ALIGNED, ALIGNED, "aligned")                                      \
    X(BAROP, SYNC, "sync") X(BAROP, ARRIVE, "arrive") X(BAROP, RED, "red")                    \
    X(BAROP, WARP, "warp")                                                                    \
    X(CTA, CTA, "cta")                                                                        \
    X(REDOP, POPC, "popc") X(REDOP, AND, "and") X(REDOP, OR, "or") X(REDOP, XOR, "xor")       \
    X(REDOP, ADD, "add") X(REDOP, MIN, "min") X(REDOP, MAX, "max")                            \
    X(ATOM, AND, "and") X(ATOM, OR, "or") X(ATOM, XOR, "xor") X(ATOM, CAS, "cas")             \
    X(ATOM, EXCH, "exch") X(ATOM, ADD, "add") X(ATOM, INC, "inc") X(ATOM, DEC, "dec")         \
    X(ATOM, MIN, "min") X(ATOM, MAX, "max")                                                   \
    X(SEM, WEAK, "weak") X(SEM, RELAXED, "relaxed") X(SEM, ACQUIRE, "acquire")                \
    X(SEM, RELEASE, "release") X(SEM, ACQ_REL, "acq_rel") X(SEM, SC, "sc")                    \
    X(SEM, VOLATILE, "volatile") X(MMIO, MMIO, "mmio")                                        \
    X(SCOPE, CTA, "cta") X(SCOPE, CLUSTER, "cluster") X(SCOPE, GPU, "gpu") X(SCOPE, SYS, "sys") \
    X(MEMBAR, CTA, "cta") X(MEMBAR, GL, "gl") X(MEMBAR, SYS, "sys")                           \
    X(DST, DST_SHARED, "shared") X(DST, DST_SHARED_CTA, "shared::cta")                        \
    X(SPACE, CONST, "const") X(SPACE, GLOBAL, "global") X(SPACE, LOCAL, "local")              \
    X(SPACE, PARAM, "param") X(SPACE, SHARED, "shared")                                       \
    X(TO, TO, "to")                                                                           \
    X(CACHE, CA, "ca") X(CACHE, CG, "cg") X(CACHE, CS, "cs") X(CACHE, LU, "lu")               \
    X(CACHE, CV, "cv") X(CACHE, WB, "wb") X(CACHE, WT, "wt")                                  \
    X(EVICT, L1_EVICT_NORMAL, "L1::evict_normal") X(EVICT, L1_EVICT_UNCHANGED, "L1::evict_unchanged") \
    X(EVICT, L1_EVICT_FIRST, "L1::evict_first") X(EVICT, L1_EVICT_LAST, "L1::evict_last")     \
    X(EVICT, L1_NO_ALLOCATE, "L1::no_allocate") X(EVICT2, L2_EVICT_LAST, "L2::evict_last")     \
    X(EVICT2, L2_EVICT_NORMAL, "L2::evict_normal")                                            \
    X(EVICT2, L2_EVICT_FIRST, "L2::evict_first")                                              \
    X(EVICT2, L2_EVICT_UNCHANGED, "L2::evict_unchanged")                                        \
    X(L2HINT, L2_CACHE_HINT, "L2::cache_hint")                                                \
    X(PREFSIZE, L2_64B, "L2::64B") X(PREFSIZE, L2_128B, "L2::128B") X(PREFSIZE, L2_256B, "L2::256B") \
    X(LEVEL, L1, "L1") X(LEVEL, L2, "L2")                                                     \
    X(NC, NC, "nc") X(UNIFIED, UNIFIED, "unified")                                            \
    X(VEC, V2, "v2") X(VEC, V4, "v4") X(VEC, V8, "v8")                                        \
    X(UNI, UNI, "uni")                                                                        \
    X(DPMODE, DP_LO, "lo") X(DPMODE, DP_HI, "hi")                                             \
    X(BFIMODE, BMSK_CLAMP, "clamp") X(BFIMODE, BMSK_WRAP, "wrap")                             \
    X(VOP2, VADD, "add") X(VOP2, VMIN, "min") X(VOP2, VMAX, "max")                            \
    X(VSCALE, SHR7, "shr7") X(VSCALE, SHR15, "shr15") X(VPO, PO, "po")                        \
    X(PARAMSUB, ENTRY, "param::entry") X(PARAMSUB, FUNC, "param::func")                       \
    X(SHAREDSUB, SHARED_CTA, "shared::cta") X(SHAREDSUB, SHARED_CLUSTER, "shared::cluster")   \
    X(LOD, BASE, "base") X(LOD, LEVEL, "level") X(LOD, GRAD, "grad")                          \
    X(LOD, IM2COL, "im2col") X(LOD, IM2COL_NO_OFFS, "im2col_no_offs")                         \
    X(COMP, R, "r") X(COMP, G, "g") X(COMP, B, "b") X(COMP, A, "a")                           \
    X(SURF, B, "b") X(SURF, P, "p")                                                           \
    X(GEOM, 1D, "1d") X(GEOM, 2D, "2d") X(GEOM, 3D, "3d") X(GEOM, A1D, "a1d")                 \
    X(GEOM, A2D, "a2d") X(GEOM, CUBE, "cube") X(GEOM, ACUBE, "acube")                         \
    X(GEOM, 4D, "4d") X(GEOM, 5D, "5d")                                                       \
    X(QUERY, WIDTH, "width") X(QUERY, HEIGHT, "height") X(QUERY, DEPTH, "depth")              \
    X(QUERY, CHANNEL_DATA_TYPE, "channel_data_type") X(QUERY, CHANNEL_ORDER, "channel_order") \
    X(QUERY, NORMALIZED_COORDS, "normalized_coords") X(QUERY, ARRAY_SIZE, "array_size")       \
    X(QUERY, NUM_MIPMAP_LEVELS, "num_mipmap_levels") X(QUERY, MEMORY_LAYOUT, "memory_layout") \
    X(QUERY, FORCE_UNNORMALIZED_COORDS, "force_unnormalized_coords")                          \
    X(QUERY, FILTER_MODE, "filter_mode") X(QUERY, ADDR_MODE_0, "addr_mode_0")                 \
    X(QUERY, ADDR_MODE_1, "addr_mode_1") X(QUERY, ADDR_MODE_2, "addr_mode_2")                 \
    X(BOUND, TRAP, "trap") X(BOUND, CLAMP, "clamp") X(BOUND, ZERO, "zero")                    \
    X(ALAYOUT, A_ROW, "row") X(ALAYOUT, A_COL, "col") X(ALAYOUT, TRANS, "trans")              \
    X(BLAYOUT, B_ROW, "row") X(BLAYOUT, B_COL, "col")                                         \
    X(SHAPE, M8N8, "m8n8") X(SHAPE, M8N8K4, "m8n8k4") X(SHAPE, M16N8K4, "m16n8k4")            \
    X(SHAPE, M16N8K8, "m16n8k8") X(SHAPE, M16N8K16, "m16n8k16") X(SHAPE, M8N8K16, "m8n8k16")  \
    X(SHAPE, M16N8K32, "m16n8k32") X(SHAPE, M8N8K32, "m8n8k32") X(SHAPE, M16N8K64, "m16n8k64") \
    X(SHAPE, M8N8K128, "m8n8k128") X(SHAPE, M16N8K128, "m16n8k128")                           \
    X(SHAPE, M16N8K256, "m16n8k256") X(SHAPE, M16N16K16, "m16n16k16")                         \
    X(SHAPE, M32N8K16, "m32n8k16") X(SHAPE, M8N32K16, "m8n32k16") X(SHAPE, M16N16K8, "m16n16k8") \
    X(MATRIX, X1, "x1") X(MATRIX, X2, "x2") X(MATRIX, X4, "x4")                               \
    X(EVICT3, SECOND_EVICT_FIRST, "L2::evict_first")                                          \
    X(EVICT3, SECOND_EVICT_UNCHANGED, "L2::evict_unchanged")

#define PTX_GROUPS(X)                                                                         \
    X(RND) X(FTZ) X(SAT) X(SATF) X(RELU) X(NAN) X(XORSIGN) X(ABSMOD) X(NOFTZ) X(APPROX)       \
    X(MULW) X(CC) X(PACK) X(CMP) X(BOOL) X(SHIFT) X(DIR) X(SHIFTAMT) X(PRMT) X(TESTP) X(SHFL)  \
    X(VOTE) X(MATCH) X(SYNC) X(ALIGNED) X(BAROP) X(CTA) X(REDOP) X(ATOM) X(MMIO) X(SEM) X(SCOPE) \
    X(MEMBAR) X(DST) X(SPACE) X(TO) X(CACHE) X(EVICT) X(EVICT2) X(L2HINT) X(PREFSIZE) X(LEVEL) X(NC)           \
    X(UNIFIED) X(VEC) X(UNI) X(DPMODE) X(BFIMODE) X(VOP2) X(VSCALE) X(VPO) X(PARAMSUB)        \
    X(SHAREDSUB) X(LOD) X(COMP) X(SURF) X(GEOM) X(QUERY) X(BOUND) X(ALAYOUT)  \
    X(BLAYOUT) X(SHAPE) X(MATRIX) X(EVICT3)

enum ptx_group {
#define X(g) PG_##g,
    PTX_GROUPS(X)
#undef X
    PG_COUNT
};
typedef uint64_t ptx_groupset;
#define G(g) ((ptx_groupset)1 << PG_##g)

/*
 * Every modifier of every group has a number. An instruction has one byte a group: 0 = not written, else
 * MOD(group, enumerator), the number plus one: inst->mod[PG_RND] == MOD(RND, RZ).
 */
#define X(g, e, s) g##_##e,
enum ptx_modifier_number { PTX_MODIFIERS(X) PTX_MODIFIER_COUNT };
#undef X
#define MOD(g, e) ((uint8_t)(g##_##e + 1))

/* MOD value of a word within a group, 0 when the group has no such word. */
uint8_t ptx_modifier_find(enum ptx_group g, const char *word, int len);
const char *ptx_modifier_name(uint8_t mod);      /* spelling of a MOD value */

/* Special registers (PTX ISA section 10). X(enumerator, spelling without %, type, bits of the vector form) */
#define PTX_SREGS(X)                                                                          \
    X(TID, "tid", U32, 1) X(NTID, "ntid", U32, 1) X(CTAID, "ctaid", U32, 1)                   \
    X(NCTAID, "nctaid", U32, 1) X(LANEID, "laneid", U32, 0) X(WARPID, "warpid", U32, 0)       \
    X(NWARPID, "nwarpid", U32, 0) X(SMID, "smid", U32, 0) X(NSMID, "nsmid", U32, 0)           \
    X(GRIDID, "gridid", U64, 0) X(LANEMASK_EQ, "lanemask_eq", U32, 0)                         \
    X(LANEMASK_LE, "lanemask_le", U32, 0) X(LANEMASK_LT, "lanemask_lt", U32, 0)               \
    X(LANEMASK_GE, "lanemask_ge", U32, 0) X(LANEMASK_GT, "lanemask_gt", U32, 0)               \
    X(CLOCK, "clock", U32, 0) X(CLOCK_HI, "clock_hi", U32, 0) X(CLOCK64, "clock64", U64, 0)   \
    X(GLOBALTIMER, "globaltimer", U64, 0) X(GLOBALTIMER_LO, "globaltimer_lo", U32, 0)         \
    X(GLOBALTIMER_HI, "globaltimer_hi", U32, 0)                                               \
    X(TOTAL_SMEM_SIZE, "total_smem_size", U32, 0) X(DYNAMIC_SMEM_SIZE, "dynamic_smem_size", U32, 0) \
    X(AGGR_SMEM_SIZE, "aggr_smem_size", U32, 0)                                               \
    X(RESERVED_SMEM_OFFSET_BEGIN, "reserved_smem_offset_begin", U32, 0)                       \
    X(RESERVED_SMEM_OFFSET_END, "reserved_smem_offset_end", U32, 0)                           \
    X(RESERVED_SMEM_OFFSET_CAP, "reserved_smem_offset_cap", U32, 0)                           \
    X(IS_EXPLICIT_CLUSTER, "is_explicit_cluster", PRED, 0) X(CLUSTERID, "clusterid", U32, 1)  \
    X(NCLUSTERID, "nclusterid", U32, 1) X(CLUSTER_CTAID, "cluster_ctaid", U32, 1)             \
    X(CLUSTER_NCTAID, "cluster_nctaid", U32, 1) X(CLUSTER_CTARANK, "cluster_ctarank", U32, 0) \
    X(CLUSTER_NCTARANK, "cluster_nctarank", U32, 0)                                           \
    X(CURRENT_GRAPH_EXEC, "current_graph_exec", U64, 0)                                       \
    X(PM, "pm", U32, 0) X(PM64, "pm64", U64, 0) X(ENVREG, "envreg", U32, 0)

enum ptx_sreg {
    SR_NONE,
#define X(e, s, t, v) SR_##e,
    PTX_SREGS(X)
#undef X
    SR_COUNT
};
const char *ptx_sreg_name(enum ptx_sreg s);
enum ptx_type ptx_sreg_type(enum ptx_sreg s);

#endif
