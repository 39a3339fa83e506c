/*
 * The instruction table, as the rest of the program sees it. ops.def holds one place per PTX opcode: its name,
 * modifiers, operands, unit and latency class (OP row), the legal type x modifier combinations (FORM rows) and
 * what it computes (semantic rows). The parser's checks, the choice of executing function, the timing classes,
 * `simtx ptx ops`, the disassembly and the manual's list come from it.
 */
#ifndef PTX_OPS_H
#define PTX_OPS_H

#include "ptx/isa/types.h"

/* Functional unit and latency class: what timing mode charges (configuration gives the numbers). */
enum ptx_unit { U_ALU, U_INT, U_FP, U_DP, U_SFU, U_HALF, U_LDST, U_CTRL, U_BARRIER, U_WARP, U_TM, U_NONE };
enum ptx_latency { L_SIMPLE, L_ADD, L_MAX, L_MUL, L_MAD, L_DIV, L_SQRT, L_SPECIAL, L_CVT, L_SHFL, L_MEM, L_CTRL };

/* Rounding words that a form takes. */
enum {
    R_RN = 1, R_RZ = 2, R_RM = 4, R_RP = 8, R_RNA = 16,
    R_RNI = 32, R_RZI = 64, R_RMI = 128, R_RPI = 256,
    R_FLOAT = R_RN | R_RZ | R_RM | R_RP, R_INT = R_RNI | R_RZI | R_RMI | R_RPI
};

enum ptx_op {
    OP_NONE,
#define OP(id, text, groups, sig, unit, lat, doc) OP_##id,
#define FORM(id, t1, t2, t3, groups, need, rnd)
#include "ptx/isa/ops.def"
#undef OP
#undef FORM
    OP_COUNT
};

struct ptx_op_info {
    const char *text;        /* as written: "add" */
    ptx_groupset groups;     /* modifier groups that some form takes */
    /*
     * Operands in order, comma separated; one letter each, '?' after it = may be missing, '|' = a pair as in
     * %r1|%p1 whose second half may be missing (the second half takes the next position of opd[]):
     *   d destination of the first type          D destination of twice the width (mul.wide, mad.wide)
     *   a source of the first type               A source of twice the width
     *   b source of the second type              c source of the third type
     *   p predicate destination ('_' allowed)    q predicate source, may be negated with '!'
     *   u 32-bit unsigned source                 e 32-bit destination
     *   m memory operand [..]                    v data of the first type, scalar or vector {..} (source)
     *   V the same as destination                l label
     *   f call target, table or prototype        i immediate
     *   x 64-bit source                          s symbol or register of the first type (mov)
     */
    const char *sig;
    enum ptx_unit unit;
    enum ptx_latency latency;
    const char *doc;         /* what it computes, for people */
};

struct ptx_form {
    uint16_t op;
    ptx_typeset type[3];     /* legal first, second and third types; 0 = the instruction has no such type */
    ptx_groupset groups;     /* modifier groups that this form takes */
    ptx_groupset need;       /* at least one of these groups must be written; 0 = none need be */
    uint16_t rnd;            /* which rounding words, when G(RND) is in groups */
};

extern const struct ptx_op_info ptx_ops[OP_COUNT];
extern const struct ptx_form ptx_forms[];
extern const int ptx_form_count;

enum ptx_op ptx_op_find(const char *text, int len);    /* OP_NONE when unknown */

#endif
