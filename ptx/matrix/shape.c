/*
 * The legal combinations of shapes and types of matrix instructions, and the registers that hold a matrix (PTX ISA,
 * "Matrix Shape", "Matrix Data-types").
 */
#include <stdio.h>

#include "ptx/matrix/matrix.h"

#define HAS(in, g, e) ((in)->mod[PG_##g] == MOD(g, e))

struct matrix_shape matrix_shape(const struct ptx_inst *in)
{
    struct matrix_shape s = { 8, 8, 8 };
    if (ptx_is_warpgroup_product((enum ptx_op)in->op))
        return (struct matrix_shape){ 64, in->wgmma_n, in->wgmma_k };
    if (in->mod[PG_SHAPE])
        sscanf(ptx_modifier_name(in->mod[PG_SHAPE]), "m%dn%dk%d", &s.m, &s.n, &s.k);
    return s;
}

int matrix_element_bits(enum ptx_type t)
{
    return t == T_B1 ? 1 : t == T_S4 || t == T_U4 ? 4 : 8 * ptx_type_size(t);
}

static int count_of(const struct ptx_inst *in)
{
    return HAS(in, MATRIX, X4) ? 4 : HAS(in, MATRIX, X2) ? 2 : 1;
}

bool matrix_is_quads(const struct ptx_inst *in)
{
    return in->op == OP_MMA && in->type[1] == T_F16 && HAS(in, SHAPE, M8N8K4);
}

static bool is_wmma(const struct ptx_inst *in)
{
    return in->op >= OP_WMMA_LOAD_A && in->op <= OP_WMMA_MMA;
}

/* Of sparse products A has half the columns. */
static int stored_columns(const struct ptx_inst *in)
{
    return matrix_shape(in).k / (ptx_is_sparse_product((enum ptx_op)in->op) ? 2 : 1);
}

/* A has 16 rows of 32 bytes in each warp. */
static struct matrix_registers wgmma_registers(const struct ptx_inst *in, int position)
{
    if (position == 1)
        return (struct matrix_registers){ 4, T_B32 };
    bool half = in->type[0] == T_F16;
    return (struct matrix_registers){ in->wgmma_n / (half ? 4 : 2), in->type[0] == T_F32 ? T_F32 : T_B32 };
}

struct matrix_registers matrix_registers(const struct ptx_inst *in, int position)
{
    if (is_wmma(in))
        return wmma_registers(in, position);
    if (ptx_is_warpgroup_product((enum ptx_op)in->op))
        return wgmma_registers(in, position);
    if (!ptx_is_matrix_product((enum ptx_op)in->op))
        return (struct matrix_registers){ count_of(in), T_B32 };
    struct matrix_shape s = matrix_shape(in);
    bool factor = position == 1 || position == 2;
    enum ptx_type t = (enum ptx_type)in->type[position];
    int elements = position == 1 ? s.m * stored_columns(in) : position == 2 ? s.k * s.n : s.m * s.n;
    int bits = matrix_element_bits(t), lane_bits = elements * (matrix_is_quads(in) ? 4 : 1) / 32 * bits;
    if (t == T_F64)
        return (struct matrix_registers){ lane_bits / 64, T_F64 };
    return (struct matrix_registers){ lane_bits / 32, t == T_F32 && !factor ? T_F32 : T_B32 };
}

/* Four bits for each chunk of a row: 2 elements of tf32, 8 of 4 bits, 4 of others. */
int matrix_metadata_lanes(const struct ptx_inst *in)
{
    int bits = matrix_element_bits((enum ptx_type)in->type[1]);
    return matrix_shape(in).k / (bits == 32 ? 2 : bits == 4 ? 8 : 4) / 4;
}

static bool one_of(uint8_t shape, const uint8_t *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == shape)
            return true;
    return false;
}

#define SHAPE_OF(m) MOD(SHAPE, m)
#define FITS(...) one_of(in->mod[PG_SHAPE], (const uint8_t[]){ __VA_ARGS__ }, \
                         (int)(sizeof((const uint8_t[]){ __VA_ARGS__ })))

static bool shape_fits(const struct ptx_inst *in)
{
    switch (in->type[1]) {
    case T_F16: case T_BF16: return FITS(SHAPE_OF(M16N8K8), SHAPE_OF(M16N8K16));
    case T_E4M3: case T_E5M2: return FITS(SHAPE_OF(M16N8K16), SHAPE_OF(M16N8K32));
    case T_TF32: return FITS(SHAPE_OF(M16N8K4), SHAPE_OF(M16N8K8));
    case T_F64: return FITS(SHAPE_OF(M8N8K4), SHAPE_OF(M16N8K4), SHAPE_OF(M16N8K8), SHAPE_OF(M16N8K16));
    case T_S8: case T_U8: return FITS(SHAPE_OF(M8N8K16), SHAPE_OF(M16N8K16), SHAPE_OF(M16N8K32));
    case T_S4: case T_U4: return FITS(SHAPE_OF(M8N8K32), SHAPE_OF(M16N8K32), SHAPE_OF(M16N8K64));
    default: return FITS(SHAPE_OF(M8N8K128), SHAPE_OF(M16N8K128), SHAPE_OF(M16N8K256));
    }
}

static bool sparse_shape_fits(const struct ptx_inst *in)
{
    switch (in->type[1]) {
    case T_F16: case T_BF16: return FITS(SHAPE_OF(M16N8K16), SHAPE_OF(M16N8K32));
    case T_TF32: return FITS(SHAPE_OF(M16N8K8), SHAPE_OF(M16N8K16));
    case T_S8: case T_U8: return FITS(SHAPE_OF(M16N8K32), SHAPE_OF(M16N8K64));
    case T_S4: case T_U4: return FITS(SHAPE_OF(M16N8K64), SHAPE_OF(M16N8K128));
    default: return FITS(SHAPE_OF(M16N8K64));
    }
}

static const char *check_product(const struct ptx_inst *in)
{
    bool quads = matrix_is_quads(in);
    if (in->type[3] != in->type[0] && (!quads || in->type[0] != T_F32 || in->type[3] != T_F16))
        return "C has the type of D, which is written a second time at the end";
    if (quads)
        return in->mod[PG_ALAYOUT] && in->mod[PG_BLAYOUT] && !HAS(in, ALAYOUT, TRANS) ? NULL
               : "the layouts of A and B are .row or .col";
    if (matrix_element_bits((enum ptx_type)in->type[1]) != matrix_element_bits((enum ptx_type)in->type[2]))
        return "the elements of A and B have the same size";
    if (!HAS(in, ALAYOUT, A_ROW) || !HAS(in, BLAYOUT, B_COL))
        return "A is .row and B is .col";
    if (in->type[1] == T_B1 && (!in->mod[PG_BOOL] || HAS(in, BOOL, OR) || !HAS(in, REDOP, POPC)))
        return "a product of .b1 is .and.popc or .xor.popc";
    bool fits = in->op == OP_MMA ? shape_fits(in) : sparse_shape_fits(in);
    return fits ? NULL : "this shape is not for this type";
}

/* N is a multiple of 8; of integers, above 32, a multiple of 16. A row of A is 32 bytes, of sparse products twice
 * as many elements. */
static const char *check_wgmma(const struct ptx_inst *in)
{
    int n = in->wgmma_n, k = in->wgmma_k;
    if (!n)
        return "a shape .m64nNkK is needed";
    if (in->type[1] == T_B1 && (!HAS(in, BOOL, AND) || !HAS(in, REDOP, POPC)))
        return "a product of .b1 is .and.popc";
    bool fits = n <= 256 && n % (in->type[0] == T_S32 && n > 32 ? 16 : 8) == 0;
    fits &= k * matrix_element_bits((enum ptx_type)in->type[1]) == (in->op == OP_WGMMA_SP ? 512 : 256);
    return fits ? NULL : "this shape is not for this type";
}

const char *matrix_check(const struct ptx_inst *in)
{
    if (is_wmma(in))
        return wmma_check(in);
    if (!in->mod[PG_SYNC] || !in->mod[PG_ALIGNED])
        return "a matrix instruction has .sync.aligned";
    if (ptx_is_warpgroup((enum ptx_op)in->op))
        return ptx_is_warpgroup_product((enum ptx_op)in->op) ? check_wgmma(in) : NULL;
    if (ptx_is_matrix_product((enum ptx_op)in->op))
        return check_product(in);
    if (!HAS(in, SHAPE, M8N8))
        return "the shape is .m8n8";
    if (in->mod[PG_ALAYOUT] && !HAS(in, ALAYOUT, TRANS))
        return "the layout is .trans or none";
    if (in->op == OP_MOVMATRIX)
        return in->mod[PG_ALAYOUT] ? NULL : "movmatrix has .trans";
    if (!in->mod[PG_MATRIX])
        return "the number of matrices is .x1, .x2 or .x4";
    uint8_t space = INST_SPACE(in);
    return space && space != MOD(SPACE, SHARED) ? "matrices are in shared memory" : NULL;
}

uint32_t matrix_products(const struct ptx_inst *in)
{
    struct matrix_shape s = matrix_shape(in);
    if (ptx_is_warpgroup_product((enum ptx_op)in->op))
        s.m /= 4;
    return (uint32_t)(s.m * s.n * stored_columns(in)) * (matrix_is_quads(in) ? 4 : 1);
}

/* Throughput of a product in 16ths of that of f16: f64 1/16, tf32 1/2, 8 bits 2, 4 bits 4, one bit 16. */
uint32_t matrix_work(const struct ptx_inst *in)
{
    uint32_t products = matrix_products(in), faster = 16;
    switch (in->type[1]) {
    case T_F64: faster = 1; break;
    case T_TF32: faster = 8; break;
    case T_S8: case T_U8: case T_E4M3: case T_E5M2: faster = 32; break;
    case T_S4: case T_U4: faster = 64; break;
    case T_B1: faster = 256; break;
    default: break;
    }
    return (products * 16 + faster - 1) / faster;
}
