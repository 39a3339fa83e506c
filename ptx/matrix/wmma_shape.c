/*
 * The legal combinations of shapes, types and layouts of wmma instructions, and the registers of their fragments (PTX
 * ISA, "Matrix Fragments for WMMA").
 */
#include "ptx/matrix/matrix.h"

#define HAS(in, g, e) ((in)->mod[PG_##g] == MOD(g, e))

/* The types of A, B, C and D: wmma.mma of f16 does not write those of A and B. */
enum ptx_type wmma_type(const struct ptx_inst *in, enum wmma_matrix m)
{
    bool short_form = in->op == OP_WMMA_MMA && !in->type[2];
    if (in->op != OP_WMMA_MMA)
        return (enum ptx_type)in->type[0];
    switch (m) {
    case WMMA_A: return short_form ? T_F16 : (enum ptx_type)in->type[1];
    case WMMA_B: return short_form ? T_F16 : (enum ptx_type)in->type[2];
    case WMMA_C: return (enum ptx_type)in->type[short_form ? 1 : 3];
    default: return (enum ptx_type)in->type[0];
    }
}

enum wmma_matrix wmma_matrix_at(const struct ptx_inst *in, int position)
{
    switch (in->op) {
    case OP_WMMA_LOAD_A: return WMMA_A;
    case OP_WMMA_LOAD_B: return WMMA_B;
    case OP_WMMA_LOAD_C: return WMMA_C;
    case OP_WMMA_STORE_D: return WMMA_D;
    default: return position == 0 ? WMMA_D : position == 1 ? WMMA_A : position == 2 ? WMMA_B : WMMA_C;
    }
}

/* Fragments of f16 A and B have eight registers for every shape: more than their elements need. */
struct matrix_registers wmma_registers(const struct ptx_inst *in, int position)
{
    enum wmma_matrix x = wmma_matrix_at(in, position);
    enum ptx_type t = wmma_type(in, x);
    struct matrix_shape s = matrix_shape(in);
    bool factor = x == WMMA_A || x == WMMA_B;
    int elements = x == WMMA_A ? s.m * s.k : x == WMMA_B ? s.k * s.n : s.m * s.n;
    int lane_bits = elements / 32 * matrix_element_bits(t);
    if (t == T_F64)
        return (struct matrix_registers){ lane_bits / 64, T_F64 };
    if (factor && t == T_F16)
        return (struct matrix_registers){ 8, T_B32 };
    return (struct matrix_registers){ lane_bits / 32, t == T_F32 ? T_F32 : T_B32 };
}

static bool shape_fits(const struct ptx_inst *in, enum ptx_type t)
{
    bool tall = HAS(in, SHAPE, M16N16K16) || HAS(in, SHAPE, M32N8K16) || HAS(in, SHAPE, M8N32K16);
    switch (t) {
    case T_TF32: return HAS(in, SHAPE, M16N16K8);
    case T_F64: return HAS(in, SHAPE, M8N8K4);
    case T_S4: case T_U4: return HAS(in, SHAPE, M8N8K32);
    case T_B1: return HAS(in, SHAPE, M8N8K128);
    case T_F32: return tall || HAS(in, SHAPE, M16N16K8);
    case T_S32: return tall || HAS(in, SHAPE, M8N8K32) || HAS(in, SHAPE, M8N8K128);
    default: return tall;
    }
}

static bool below_a_byte(enum ptx_type t)
{
    return t == T_S4 || t == T_U4 || t == T_B1;
}

static const char *check_access(const struct ptx_inst *in)
{
    enum ptx_type t = (enum ptx_type)in->type[0];
    uint8_t space = INST_SPACE(in);
    if (!HAS(in, ALAYOUT, A_ROW) && !HAS(in, ALAYOUT, A_COL))
        return "the layout is .row or .col";
    if (below_a_byte(t) && HAS(in, ALAYOUT, A_ROW) != (in->op == OP_WMMA_LOAD_A))
        return "of elements smaller than a byte, A is .row and B is .col";
    if (space && space != MOD(SPACE, GLOBAL) && space != MOD(SPACE, SHARED))
        return "matrices are in global or shared memory";
    return shape_fits(in, t) ? NULL : "this shape is not for this type";
}

static const char *check_product(const struct ptx_inst *in)
{
    enum ptx_type a = wmma_type(in, WMMA_A);
    if (a != wmma_type(in, WMMA_B))
        return "A and B have the same type";
    if (in->type[2] && in->type[3] != in->type[0])
        return "C has the type of D, which is written a second time at the end";
    bool rows = HAS(in, ALAYOUT, A_ROW), columns = HAS(in, BLAYOUT, B_COL);
    if ((!rows && !HAS(in, ALAYOUT, A_COL)) || (!columns && !HAS(in, BLAYOUT, B_ROW)))
        return "the layouts of A and B are .row or .col";
    if (below_a_byte(a) && (!rows || !columns))
        return "of elements smaller than a byte, A is .row and B is .col";
    if (a == T_B1 && (!in->mod[PG_BOOL] || HAS(in, BOOL, OR) || !HAS(in, REDOP, POPC)))
        return "a product of .b1 is .and.popc or .xor.popc";
    return shape_fits(in, a) ? NULL : "this shape is not for this type";
}

/* Texts before PTX ISA 6.3 have no .aligned. */
const char *wmma_check(const struct ptx_inst *in)
{
    if (!in->mod[PG_SYNC])
        return "a matrix instruction has .sync";
    return in->op == OP_WMMA_MMA ? check_product(in) : check_access(in);
}
