/*
 * The instructions that are sequences of machine instructions: those that hardware computes with an estimate and
 * multiply-adds, those of integers twice as wide as its multipliers, and estimates whose operand is scaled first.
 * Additions and logic of 64 bits count as one: on hardware they are two, but most compute addresses, where machine code
 * has one instruction for a multiplication and an addition.
 */
#include "ptx/isa/types.h"
#include "timing/core/tinst.h"

static enum sequence integer_sequence(const struct ptx_inst *in)
{
    bool is_long = ptx_type_size((enum ptx_type)in->type[0]) == 8;
    switch (in->op) {
    case OP_DIV:
    case OP_REM: return is_long ? SEQ_LONG_DIV : SEQ_INT_DIV;
    case OP_MUL:
    case OP_MAD:
    case OP_MADC:
        if (!is_long)
            return SEQ_NONE;
        return in->mod[PG_MULW] == MOD(MULW, HI) ? SEQ_LONG_MUL_HI : SEQ_LONG_MUL;
    default: return SEQ_NONE;
    }
}

static enum sequence single_sequence(const struct ptx_inst *in)
{
    bool rounded = !in->mod[PG_APPROX], ftz = in->mod[PG_FTZ];
    switch (in->op) {
    case OP_DIV:
        if (in->mod[PG_APPROX] == MOD(APPROX, FULL))
            return SEQ_FULL_DIV;
        return rounded ? SEQ_FP_DIV : ftz ? SEQ_SCALED : SEQ_APPROX_DIV;
    case OP_RCP: return rounded ? SEQ_FP_RCP : ftz ? SEQ_NONE : SEQ_APPROX_RCP;
    case OP_SQRT: return rounded ? SEQ_FP_SQRT : ftz ? SEQ_NONE : SEQ_APPROX;
    case OP_RSQRT:
    case OP_EX2:
    case OP_LG2: return ftz ? SEQ_NONE : SEQ_APPROX;
    case OP_SIN:
    case OP_COS: return SEQ_SCALED;
    default: return SEQ_NONE;
    }
}

static enum sequence double_sequence(const struct ptx_inst *in)
{
    if (in->op == OP_RCP)
        return in->mod[PG_APPROX] ? SEQ_NONE : SEQ_DP_RCP;
    return in->op == OP_DIV ? SEQ_DP_DIV : in->op == OP_SQRT ? SEQ_DP_SQRT : SEQ_NONE;
}

enum sequence sequence_of(const struct ptx_inst *in)
{
    uint8_t type = in->type[0];
    if (type == T_F64)
        return double_sequence(in);
    if (type == T_F32)
        return single_sequence(in);
    return type && ptx_type_class((enum ptx_type)type) != 'f' ? integer_sequence(in) : SEQ_NONE;
}
