/*
 * mma: D = A * B + C. The fragments of the warp are gathered into matrices, multiplied, and scattered again.
 *
 * Arithmetic (the ISA leaves it open). Floating point: an element begins as that of C, and the products of ascending k
 * are added, each with one rounding to nearest even of the exact product and sum (fma), in f32, or f64 with f64.
 * Elements of f16 are converted to f32 before and rounded once after it. Subnormal numbers are kept; a NaN is
 * 0x7fffffff (f16: 0x7fff). tf32 ignores the low 13 bits of a register. Integers: exact, modulo 2^32, or clamped once
 * with .satfinite.
 *
 * Sparse products add those of the stored elements of A, in the order in which they are stored; elements of B without a
 * partner have no effect, not even if they are NaN.
 */
#include <math.h>
#include <string.h>

#include "ptx/exec/check.h"
#include "ptx/lanes/half.h"
#include "ptx/matrix/matrix.h"
#include "ptx/matrix/step.h"

enum { REGISTERS = 16, SIDE = 32, DEEP = 64, DEPTH = 256 };    /* DEEP: rows of B of floating point */

struct product {
    struct matrix_shape shape;
    enum ptx_type d, a, b, c;
    bool clamps, xors;
    bool rows_a, columns_b;          /* layouts, of m8n8k4 of f16 */
    uint8_t nd, na, nb;              /* registers */
    operand reg_d[REGISTERS], reg_a[REGISTERS], reg_b[REGISTERS], reg_c[REGISTERS];
    struct matrix_metadata metadata; /* of sparse products */
};

/* A register of a lane is the elements (row, at) .. (row, at + E - 1) of A, or those of a column of B. */
struct place { int line, at; };

static struct place place_a(const struct product *p, int r, int lane, int per)
{
    int blocks = p->shape.m / 8;
    return (struct place){ lane / 4 + 8 * (r % blocks), 4 * per * (r / blocks) + per * (lane % 4) };
}

static struct place place_b(const struct product *p, int r, int lane, int per)
{
    int blocks = p->shape.k / (4 * per);
    return (struct place){ lane / 4 + 8 * (r / blocks), 4 * per * (r % blocks) + per * (lane % 4) };
}

typedef struct place place_fn(const struct product *p, int r, int lane, int per);

/* e5m2 is the upper byte of a half; e4m3 has a smaller bias, and NaN in place of its largest magnitude. */
static float eight_bits(enum ptx_type t, uint32_t v)
{
    if (t == T_E5M2)
        return f16_to_f32((uint16_t)(v << 8));
    return (v & 0x7f) == 0x7f ? NAN : 256 * f16_to_f32((uint16_t)((v & 0x80) << 8 | (v & 0x7f) << 7));
}

float matrix_float(enum ptx_type t, uint32_t word, int i)
{
    if (t == T_F16)
        return f16_to_f32((uint16_t)(word >> 16 * i));
    if (t == T_E4M3 || t == T_E5M2)
        return eight_bits(t, word >> 8 * i & 0xff);
    uint32_t bits = t == T_BF16 ? (uint32_t)(uint16_t)(word >> 16 * i) << 16 : word & ~0x1fffu;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

int32_t matrix_integer(enum ptx_type t, uint32_t word, int i)
{
    int bits = matrix_element_bits(t);
    uint32_t v = word >> bits * i << (32 - bits);
    return ptx_type_class(t) == 's' ? (int32_t)v >> (32 - bits) : (int32_t)(v >> (32 - bits));
}

static int row_of(const struct product *p, int i, int lane)
{
    return lane / 4 + 8 * (i / 2 % (p->shape.m / 8));
}

static int column_of(const struct product *p, int i, int lane)
{
    return 8 * (i / 2 / (p->shape.m / 8)) + 2 * (lane % 4) + i % 2;
}

/* ---- floating point; B is kept by rows, so that a row of D is one vector ---- */

static void gather_float(const struct product *p, const struct lanes *l, const operand *reg, int n, enum ptx_type t,
                         place_fn *place, bool by_rows, float (*to)[SIDE])
{
    int per = 32 / matrix_element_bits(t);
    for (int r = 0; r < n; r++) {
        const uint32_t *word = lanes_at(l, reg[r]);
        for (int lane = 0; lane < LANES; lane++) {
            struct place at = place(p, r, lane, per);
            for (int i = 0; i < per; i++)
                *(by_rows ? &to[at.at + i][at.line] : &to[at.line][at.at + i]) = matrix_float(t, word[lane], i);
        }
    }
}

MATRIX_WIDE static void multiply_float(struct matrix_shape s, float (*a)[SIDE], float (*b)[SIDE], float (*c)[SIDE])
{
    for (int i = 0; i < s.m; i++)
        for (int k = 0; k < s.k; k++)
            for (int j = 0; j < s.n; j++)
                c[i][j] = __builtin_fmaf(a[i][k], b[k][j], c[i][j]);
}

MATRIX_WIDE static void multiply_sparse(struct matrix_shape s, float (*a)[SIDE], uint8_t (*columns)[MATRIX_STORED],
                                        float (*b)[SIDE], float (*c)[SIDE])
{
    for (int i = 0; i < s.m; i++)
        for (int k = 0; k < s.k / 2; k++)
            for (int j = 0; j < s.n; j++)
                c[i][j] = __builtin_fmaf(a[i][k], b[columns[i][k]][j], c[i][j]);
}

float matrix_quiet(float f)
{
    uint32_t nan = 0x7fffffff;
    if (f != f)
        memcpy(&f, &nan, sizeof f);
    return f;
}

static void load_sum(const struct product *p, const struct lanes *l, float (*c)[SIDE])
{
    bool half = p->c == T_F16;
    for (int i = 0; i < p->shape.m * p->shape.n / LANES; i++) {
        const uint32_t *word = lanes_at(l, p->reg_c[half ? i / 2 : i]);
        for (int lane = 0; lane < LANES; lane++) {
            float *to = &c[row_of(p, i, lane)][column_of(p, i, lane)];
            if (half)
                *to = f16_to_f32((uint16_t)(word[lane] >> 16 * (i % 2)));
            else
                memcpy(to, &word[lane], sizeof *to);
        }
    }
}

static void store_sum(const struct product *p, const struct lanes *l, float (*c)[SIDE])
{
    bool half = p->d == T_F16;
    for (int i = 0; i < p->shape.m * p->shape.n / LANES; i++) {
        uint32_t *word = lanes_at(l, p->reg_d[half ? i / 2 : i]);
        for (int lane = 0; lane < LANES; lane++) {
            float v = matrix_quiet(c[row_of(p, i, lane)][column_of(p, i, lane)]);
            uint32_t bits;
            if (half) {
                bits = v != v ? 0x7fff : f32_to_f16(v);
                bits = i % 2 ? (word[lane] & 0xffff) | bits << 16 : bits;
            } else {
                memcpy(&bits, &v, sizeof bits);
            }
            if (l->mask >> lane & 1)
                word[lane] = bits;
        }
    }
}

static int run_float(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    _Alignas(64) float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
    gather_float(p, l, p->reg_a, p->na, p->a, place_a, false, a);
    gather_float(p, l, p->reg_b, p->nb, p->b, place_b, true, b);
    load_sum(p, l, c);
    multiply_float(p->shape, a, b, c);
    store_sum(p, l, c);
    return CONTROL_NEXT;
}

static int run_sparse_float(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    _Alignas(64) float a[SIDE][SIDE], b[DEEP][SIDE], c[SIDE][SIDE];
    uint8_t columns[SIDE][MATRIX_STORED];
    if (!matrix_stored_columns(&p->metadata, l, d, columns))
        return CONTROL_FAULT;
    gather_float(p, l, p->reg_a, p->na, p->a, place_a, false, a);
    gather_float(p, l, p->reg_b, p->nb, p->b, place_b, true, b);
    load_sum(p, l, c);
    multiply_sparse(p->shape, a, columns, b, c);
    store_sum(p, l, c);
    return CONTROL_NEXT;
}

/* ---- m8n8k4 of f16: four products, of lanes 4 q .. 4 q + 3 and 4 q + 16 .. 4 q + 19 ---- */

static struct place quad_sum(enum ptx_type t, int lane, int i)
{
    int low = lane % 4, high = lane / 16 * 4;
    if (t == T_F16)
        return (struct place){ low + high, i };
    return (struct place){ (low & 1) + (i & 2) + high, (i & 4) + (low & 2) + (i & 1) };
}

/* A lane has a line of A or B, or a place in every line of its half. */
static struct place quad_factor(bool lines, int lane, int i)
{
    int low = lane % 4, high = lane / 16 * 4;
    return lines ? (struct place){ low + high, i } : (struct place){ i + high, low };
}

static float half_of_pair(const struct lanes *l, const operand *reg, int lane, int i)
{
    return f16_to_f32((uint16_t)(((const uint32_t *)lanes_at(l, reg[i / 2]))[lane] >> 16 * (i % 2)));
}

static void store_quad_sum(const struct product *p, const struct lanes *l, int lane, float (*c)[8])
{
    for (int i = 0; i < 8; i++) {
        struct place at = quad_sum(p->d, lane, i);
        float v = matrix_quiet(c[at.line][at.at]);
        uint32_t bits, *word = (uint32_t *)lanes_at(l, p->reg_d[p->d == T_F16 ? i / 2 : i]) + lane;
        memcpy(&bits, &v, sizeof bits);
        if (p->d == T_F16) {
            bits = v != v ? 0x7fff : f32_to_f16(v);
            bits = i % 2 ? (*word & 0xffff) | bits << 16 : bits;
        }
        *word = bits;
    }
}

static int run_quads(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    float a[4][8][4], b[4][8][4], c[4][8][8];
    for (int lane = 0; lane < LANES; lane++) {
        int q = lane / 4 % 4;
        for (int i = 0; i < 4; i++) {
            struct place at = quad_factor(p->rows_a, lane, i), to = quad_factor(p->columns_b, lane, i);
            a[q][at.line][at.at] = half_of_pair(l, p->reg_a, lane, i);
            b[q][to.line][to.at] = half_of_pair(l, p->reg_b, lane, i);
        }
        for (int i = 0; i < 8; i++) {
            struct place at = quad_sum(p->c, lane, i);
            if (p->c == T_F16)
                c[q][at.line][at.at] = half_of_pair(l, p->reg_c, lane, i);
            else
                c[q][at.line][at.at] = ((const float *)lanes_at(l, p->reg_c[i]))[lane];
        }
    }
    for (int i = 0; i < 4 * 8 * 8; i++)
        for (int k = 0; k < 4; k++) {
            float *sum = &c[i / 64][i / 8 % 8][i % 8];
            *sum = __builtin_fmaf(a[i / 64][i / 8 % 8][k], b[i / 64][i % 8][k], *sum);
        }
    for (uint32_t m = l->mask; m; m &= m - 1)
        store_quad_sum(p, l, __builtin_ctz(m), c[__builtin_ctz(m) / 4 % 4]);
    return CONTROL_NEXT;
}

/* ---- double precision ---- */

static int run_double(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    double a[SIDE][SIDE], b[SIDE][SIDE], sum[REGISTERS][LANES];
    for (int lane = 0; lane < LANES; lane++) {
        for (int r = 0; r < p->na; r++) {
            struct place at = place_a(p, r, lane, 1);
            memcpy(&a[at.line][at.at], (double *)lanes_at(l, p->reg_a[r]) + lane, sizeof(double));
        }
        for (int r = 0; r < p->nb; r++) {
            struct place at = place_b(p, r, lane, 1);
            memcpy(&b[at.line][at.at], (double *)lanes_at(l, p->reg_b[r]) + lane, sizeof(double));
        }
    }
    for (int i = 0; i < p->nd; i++)
        for (int lane = 0; lane < LANES; lane++) {
            const double *x = a[row_of(p, i, lane)], *y = b[column_of(p, i, lane)];
            double s = ((const double *)lanes_at(l, p->reg_c[i]))[lane];
            for (int k = 0; k < p->shape.k; k++)
                s = fma(x[k], y[k], s);
            sum[i][lane] = s;
        }
    for (int i = 0; i < p->nd; i++)
        for (uint32_t m = l->mask; m; m &= m - 1) {
            int lane = __builtin_ctz(m);
            uint64_t nan = 0x7fffffffffffffff;
            memcpy((double *)lanes_at(l, p->reg_d[i]) + lane,
                   sum[i][lane] != sum[i][lane] ? (void *)&nan : &sum[i][lane], sizeof(double));
        }
    return CONTROL_NEXT;
}

/* ---- integers and bits ---- */

static void gather_integer(const struct product *p, const struct lanes *l, const operand *reg, int n, enum ptx_type t,
                           place_fn *place, int16_t (*to)[DEPTH])
{
    int per = 32 / matrix_element_bits(t);
    for (int r = 0; r < n; r++) {
        const uint32_t *word = lanes_at(l, reg[r]);
        for (int lane = 0; lane < LANES; lane++) {
            struct place at = place(p, r, lane, per);
            for (int i = 0; i < per; i++)
                to[at.line][at.at + i] = (int16_t)matrix_integer(t, word[lane], i);
        }
    }
}

static int64_t dot(const struct product *p, const int16_t *a, const int16_t *b)
{
    int32_t s = 0;
    for (int k = 0; k < p->shape.k; k++)
        s += p->xors ? a[k] ^ b[k] : a[k] * b[k];
    return s;
}

static uint32_t clamped(int64_t v)
{
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static void store_integer(const struct product *p, const struct lanes *l, uint32_t (*sum)[LANES])
{
    for (int i = 0; i < p->nd; i++)
        for (uint32_t m = l->mask; m; m &= m - 1)
            ((uint32_t *)lanes_at(l, p->reg_d[i]))[__builtin_ctz(m)] = sum[i][__builtin_ctz(m)];
}

static int run_integer(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    int16_t a[SIDE][DEPTH], b[SIDE][DEPTH];
    uint32_t sum[REGISTERS][LANES];
    gather_integer(p, l, p->reg_a, p->na, p->a, place_a, a);
    gather_integer(p, l, p->reg_b, p->nb, p->b, place_b, b);
    for (int i = 0; i < p->nd; i++)
        for (int lane = 0; lane < LANES; lane++) {
            int64_t s = ((const int32_t *)lanes_at(l, p->reg_c[i]))[lane];
            s += dot(p, a[row_of(p, i, lane)], b[column_of(p, i, lane)]);
            sum[i][lane] = p->clamps ? clamped(s) : (uint32_t)s;
        }
    store_integer(p, l, sum);
    return CONTROL_NEXT;
}

static int run_sparse_integer(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    int16_t a[SIDE][DEPTH], b[SIDE][DEPTH];
    uint8_t columns[SIDE][MATRIX_STORED];
    uint32_t sum[REGISTERS][LANES];
    if (!matrix_stored_columns(&p->metadata, l, d, columns))
        return CONTROL_FAULT;
    gather_integer(p, l, p->reg_a, p->na, p->a, place_a, a);
    gather_integer(p, l, p->reg_b, p->nb, p->b, place_b, b);
    for (int i = 0; i < p->nd; i++)
        for (int lane = 0; lane < LANES; lane++) {
            int64_t s = ((const int32_t *)lanes_at(l, p->reg_c[i]))[lane];
            int row = row_of(p, i, lane), column = column_of(p, i, lane);
            for (int k = 0; k < p->shape.k / 2; k++)
                s += a[row][k] * b[column][columns[row][k]];
            sum[i][lane] = p->clamps ? clamped(s) : (uint32_t)s;
        }
    store_integer(p, l, sum);
    return CONTROL_NEXT;
}

/* ---- decoding ---- */

int matrix_all_lanes(struct lanes *l, const struct dinst *d, uint32_t lanes)
{
    struct half *h = half_of(l);
    for (uint32_t m = l->exist & ~lanes; m; m &= m - 1) {
        int lane = __builtin_ctz(m) + h->index * LANES;
        if (!check_tolerated(h->warp, d, CHECK_WARP, lane) &&
            check_failed(h->warp, d, CHECK_WARP, FAULT_WARP, lane, 0,
                         "lane %d does not execute it with the others of its warp; the result is undefined",
                         __builtin_ctz(m)))
            return CONTROL_FAULT;
    }
    return CONTROL_NEXT;
}

static int run_aligned(struct lanes *l, const struct dinst *d)
{
    return matrix_all_lanes(l, d, l->mask) == CONTROL_FAULT ? CONTROL_FAULT : d->rounded(l, d);
}

void decode_matrix_step(struct decoder *x, struct dinst *d)
{
    d->rounded = d->fn;
    d->fn = run_aligned;
    decode_matrix_guard(x, d);
}

void decode_matrix_guard(struct decoder *x, struct dinst *d)
{
    if (!x->p->independent) {
        decoder_guard(x, d);
        return;
    }
    d->target = 3;
    d->src[3] = decoder_constant(x, UINT32_MAX, 4);
    d->guarded = d->fn;
    d->fn = decode_run_warpsync;
    decoder_warp_guard(x, d);
}

int matrix_operands(struct decoder *x, const struct ptx_operand *o, bool result, enum ptx_type t, operand *to)
{
    int n = o->kind == OPD_VEC ? o->n : 1;
    for (int i = 0; i < n; i++) {
        const struct ptx_operand *e = o->kind == OPD_VEC ? &o->elem[i] : o;
        to[i] = !result ? decoder_source(x, e, t) : e->kind == OPD_REG ? decoder_reg(x, e->reg) : x->scratch;
    }
    return n;
}

void decode_matrix_multiply(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    struct product *p = arena_alloc(x->p->arena, sizeof *p);
    p->shape = matrix_shape(in);
    p->d = (enum ptx_type)in->type[0];
    p->a = (enum ptx_type)in->type[1];
    p->b = (enum ptx_type)in->type[2];
    p->c = (enum ptx_type)in->type[3];
    p->clamps = in->mod[PG_SATF];
    p->rows_a = in->mod[PG_ALAYOUT] == MOD(ALAYOUT, A_ROW);
    p->columns_b = in->mod[PG_BLAYOUT] == MOD(BLAYOUT, B_COL);
    p->xors = in->mod[PG_BOOL] == MOD(BOOL, XOR);
    enum ptx_type t = p->d == T_F64 ? T_F64 : T_B32, sum = matrix_registers(in, 3).type;
    p->nd = (uint8_t)matrix_operands(x, &in->opd[0], true, t, p->reg_d);
    p->na = (uint8_t)matrix_operands(x, &in->opd[1], false, t, p->reg_a);
    p->nb = (uint8_t)matrix_operands(x, &in->opd[2], false, t, p->reg_b);
    matrix_operands(x, &in->opd[3], false, sum, p->reg_c);
    struct dinst *d = decoder_add_counting_step(x);
    d->extra = p;
    d->fn = matrix_is_quads(in) ? run_quads : p->d == T_F64 ? run_double : p->d == T_S32 ? run_integer : run_float;
    if (ptx_is_sparse_product((enum ptx_op)in->op)) {
        matrix_decode_metadata(x, &p->metadata, &in->opd[4]);
        d->fn = p->d == T_S32 ? run_sparse_integer : run_sparse_float;
    }
    decode_matrix_step(x, d);
}
