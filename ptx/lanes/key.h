/*
 * The key of a lane function: an instruction's opcode, types, one modifier word and flags in one number. The semantic
 * rows of ops.def expand to `case KEY(...): return kernel;`, so two rows for the same instruction do not compile.
 */
#ifndef PTX_LANES_KEY_H
#define PTX_LANES_KEY_H

#include "ptx/lanes/lanes.h"

enum {
    K_0 = 0, K_FTZ = 1, K_SAT = 2, K_RELU = 4, K_NAN = 8, K_XORSIGN = 16, K_CC = 32, K_APPROX = 64,
    K_FULL = 128, K_WRAP = 256, K_PACK = 512, K_UNPACK = 1024, K_RAW = 2048, K_SYNC = 4096,
    K_APPROXFTZ = K_APPROX | K_FTZ, K_NANXOR = K_NAN | K_XORSIGN
};
enum { NOSEL = -1 };

#define KEY(op, t1, t2, sel, flags)                                                           \
    ((uint64_t)(op) | (uint64_t)(t1) << 12 | (uint64_t)(t2) << 18 | (uint64_t)((sel) + 1) << 24 |      \
     (uint64_t)(flags) << 32)

/* d->imm of lane functions that read it at run time. */
enum {
    PRED_PAIR = 1,           /* setp: the second destination is written */
    PRED_AND = 2, PRED_OR = 4, PRED_XOR = 8,     /* combined with the predicate src[2] */
    PRED_NOT = 16,           /* the predicate source is negated (setp, set, selp, vote) */
    LOP3_OR = 256, LOP3_NOT = 512, LOP3_PAIR = 1024,  /* lop3, above its table; no OR: and */
    CMP_HALF_FTZ = 32,       /* setp, set on f16: flush */
    HALF_FTZ = 1, HALF_SAT = 2, HALF_RELU = 4, HALF_NAN = 8, HALF_XORSIGN = 16
};

typedef ptx_fn *lanes_select_fn(uint64_t key);
typedef ptx_fn *lanes_resize_fn(int from, int to, bool sign);
typedef ptx_fn *lanes_pair_fn(const struct ptx_inst *in);

/* One family of functions for each file of this folder that expands semantic rows. */
enum { LANES_FAMILY_COUNT = 8 };

#define LANES_DECLARE(isa)                                                                    \
    lanes_select_fn lanes_select_int_##isa, lanes_select_logic_##isa, lanes_select_float_##isa,        \
        lanes_select_half_##isa, lanes_select_cmp_##isa,                                      \
        lanes_select_cvt_##isa, lanes_select_warp_##isa, lanes_select_video_##isa;            \
    lanes_resize_fn lanes_pick_resize_##isa;                                                  \
    lanes_pair_fn lanes_pick_pair_##isa;
LANES_DECLARE(base)
LANES_DECLARE(avx2)
LANES_DECLARE(avx512)

#endif
