/* See eval_matrix.h. Sums begin with C and add products of ascending k, each with one rounding (docs/manual.md). */
#include "regress/random/eval_matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptx/isa/ops_check.h"
#include "regress/conformance/ref/ref_fp.h"

struct shape { int m, n, k, per; };              /* per: elements of a register of A or B */

static double value(uint8_t type, uint64_t word, int i)
{
    int bits = type == T_B1 ? 1 : type == T_S4 || type == T_U4 ? 4 : 8 * ptx_type_size((enum ptx_type)type);
    uint64_t v = bits == 64 ? word : word >> bits * i & ((UINT64_C(1) << bits) - 1);
    if (type == T_TF32) {
        type = T_F32;
        v &= ~UINT64_C(0x1fff);
    }
    if (ptx_type_class((enum ptx_type)type) == 'f')
        return fp_is_nan(type, v) ? NAN : fp_to_double(type, v);
    if (ptx_type_class((enum ptx_type)type) == 's')
        return (double)((int64_t)(v << (64 - bits)) >> (64 - bits));
    return (double)v;
}

/* Element (row, k) of A: registers go down 8 rows first, then on by 4 registers of elements. */
static double of_a(const struct ptx_inst *in, const struct matrix_values *m, struct shape s, int row, int k)
{
    int lane = row % 8 * 4 + k % (4 * s.per) / s.per, high = s.m == 16;
    return value(in->type[1], m->v[1][(row >= 8) + (k / (4 * s.per) << high)][lane], k % s.per);
}

static double of_b(const struct ptx_inst *in, const struct matrix_values *m, struct shape s, int k, int column)
{
    int lane = column * 4 + k % (4 * s.per) / s.per;
    return value(in->type[2], m->v[2][k / (4 * s.per)][lane], k % s.per);
}

static uint64_t clamped(const struct ptx_inst *in, double sum)
{
    int64_t v = (int64_t)sum;
    if (in->mod[PG_SATF])
        v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    return (uint32_t)v;
}

static uint64_t sum_of(const struct ptx_inst *in, const struct matrix_values *m, struct shape s, int i, int lane)
{
    int row = lane / 4 + (i >= 2 ? 8 : 0), column = lane % 4 * 2 + i % 2;
    double d = value(in->type[3], m->v[3][i][lane], 0);
    float f = (float)d;
    uint64_t bits = 0;
    for (int k = 0; k < s.k; k++) {
        double a = of_a(in, m, s, row, k), b = of_b(in, m, s, k, column);
        if (in->type[0] == T_F32)
            f = fmaf((float)a, (float)b, f);
        else if (in->type[0] == T_F64)
            d = fma(a, b, d);
        else
            d += in->mod[PG_BOOL] == MOD(BOOL, XOR) ? (a != b) : a * b;
    }
    if (in->type[0] == T_S32)
        return clamped(in, d);
    if (in->type[0] == T_F32) {
        memcpy(&bits, &f, 4);
        return f != f ? 0x7fffffff : bits;
    }
    memcpy(&bits, &d, 8);
    return d != d ? 0x7fffffffffffffff : bits;
}

bool matrix_product(const struct ptx_inst *in, struct matrix_values *m)
{
    struct shape s;
    int bits = in->type[1] == T_B1 ? 1 : in->type[1] == T_S4 || in->type[1] == T_U4 ? 4
               : 8 * ptx_type_size((enum ptx_type)in->type[1]);
    sscanf(ptx_modifier_name(in->mod[PG_SHAPE]), "m%dn%dk%d", &s.m, &s.n, &s.k);
    s.per = bits < 32 ? 32 / bits : 1;
    if (in->type[0] == T_F16 || (in->type[1] == T_F16 && s.k == 4))
        return false;
    for (int lane = 0; lane < MATRIX_LANES; lane++)
        for (int i = 0; i < s.m / 4; i++)
            m->v[0][i][lane] = sum_of(in, m, s, i, lane);
    return true;
}

/* ---- rows ---- */

/* The place of half h of a lane's register. */
static char *half_at(char *const *rows, bool transposed, int lane, int h)
{
    int line = lane / 4, at = lane % 4 * 2 + h;
    return transposed ? rows[at] + 2 * line : rows[line] + 2 * at;
}

void matrix_load(struct matrix_values *m, int o, int matrices, bool transposed, char *const *rows)
{
    for (int i = 0; i < matrices; i++)
        for (int lane = 0; lane < MATRIX_LANES; lane++) {
            uint16_t half[2];
            for (int h = 0; h < 2; h++)
                memcpy(&half[h], half_at(rows + 8 * i, transposed, lane, h), 2);
            m->v[o][i][lane] = half[0] | (uint32_t)half[1] << 16;
        }
}

void matrix_store(const struct matrix_values *m, int o, int matrices, bool transposed, char *const *rows)
{
    for (int i = 0; i < matrices; i++)
        for (int lane = 0; lane < MATRIX_LANES; lane++)
            for (int h = 0; h < 2; h++) {
                uint16_t v = (uint16_t)(m->v[o][i][lane] >> 16 * h);
                memcpy(half_at(rows + 8 * i, transposed, lane, h), &v, 2);
            }
}
