/*
 * ldmatrix, stmatrix and movmatrix. A matrix is 8 rows of 8 elements of 16 bits. In registers, lane i has elements
 * (i / 4, 2 (i % 4)) and the next one of a row; of a transposed matrix the rows are columns. In memory a row is 16
 * bytes at the address that lane `8 m + row` gives for matrix m.
 */
#include <string.h>

#include "ptx/matrix/matrix.h"
#include "ptx/matrix/matrix_rows.h"
#include "ptx/matrix/step.h"

static uint16_t element(const uint8_t *row, int column)
{
    uint16_t v;
    memcpy(&v, row + 2 * column, sizeof v);
    return v;
}

void matrix_to_registers(const uint8_t (*rows)[MATRIX_ROW_BYTES], int matrices, bool transposed, uint32_t lanes,
                         uint32_t *const reg[4])
{
    for (int m = 0; m < matrices; m++, rows += 8)
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            int i = __builtin_ctz(rest);
            int line = i / 4, at = 2 * (i % 4);
            uint32_t low = transposed ? element(rows[at], line) : element(rows[line], at);
            uint32_t high = transposed ? element(rows[at + 1], line) : element(rows[line], at + 1);
            reg[m][i] = low | high << 16;
        }
}

void matrix_from_registers(uint8_t (*rows)[MATRIX_ROW_BYTES], int matrices, bool transposed,
                           const uint32_t *const reg[4])
{
    for (int m = 0; m < matrices; m++, rows += 8)
        for (int i = 0; i < 2 * LANES; i++) {
            uint16_t v = (uint16_t)(reg[m][i / 2] >> 16 * (i % 2));
            int line = i / 8, at = i % 8;
            memcpy(transposed ? &rows[at][2 * line] : &rows[line][2 * at], &v, sizeof v);
        }
}

/* ---- rows in shared memory ---- */

int matrix_count(const struct dinst *d)
{
    return d->in->mod[PG_MATRIX] == MOD(MATRIX, X4) ? 4 : d->in->mod[PG_MATRIX] == MOD(MATRIX, X2) ? 2 : 1;
}

static bool transposed(const struct dinst *d)
{
    return d->in->mod[PG_ALAYOUT] != 0;
}

/* The lanes that give rows. */
static uint32_t row_lanes(const struct dinst *d, uint32_t mask)
{
    return mask & (uint32_t)mask_all((uint32_t)(8 * matrix_count(d)));
}

/* The offset of a lane's row; false: it is outside shared memory, and left out. *fault: a fault was raised. */
static bool row_offset(struct half *h, const struct dinst *d, int lane, bool write, uint32_t *offset, bool *fault)
{
    uint64_t a = (uint64_t)d->imm;
    if (d->addr_size == 8)
        a += ((const uint64_t *)lanes_at(&h->l, d->src[0]))[lane];
    else if (d->addr_size == 4)
        a += ((const uint32_t *)lanes_at(&h->l, d->src[0]))[lane];
    struct dinst t = *d;
    bool window = d->space == SP_GENERIC;
    bool shared = !window || a >> WINDOW_BITS == WINDOW_SHARED >> WINDOW_BITS;
    if (shared) {
        t.space = SP_SHARED;
        a = window ? a - WINDOW_SHARED : (uint32_t)a;
    }
    *offset = (uint32_t)a;
    if (shared && a == *offset && !(a & (MATRIX_ROW_BYTES - 1)) &&
        mem_resolve(h, SP_SHARED, a, lane, MATRIX_ROW_BYTES, write))
        return true;
    if (!shared)
        fault_raise(h->warp, d, FAULT_SPACE, lane + h->index * LANES, a,
                    "the generic address 0x%llx is not in shared memory", (unsigned long long)a);
    *fault |= !shared || fault_memory(h, &t, lane, a, MATRIX_ROW_BYTES, write) == CONTROL_FAULT;
    return false;
}

static int run_load(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    uint8_t rows[LANES][MATRIX_ROW_BYTES] = { { 0 } };
    uint32_t *reg[4] = { NULL };
    bool fault = false;
    for (uint32_t m = row_lanes(d, l->mask); m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        uint32_t at;
        if (row_offset(h, d, lane, false, &at, &fault))
            memcpy(rows[lane], h->warp->block->shared + at, MATRIX_ROW_BYTES);
        if (fault)
            return CONTROL_FAULT;
    }
    for (int i = 0; i < matrix_count(d); i++)
        reg[i] = lanes_at(l, ((const operand *)d->extra)[i]);
    matrix_to_registers(rows, matrix_count(d), transposed(d), l->mask, reg);
    return CONTROL_NEXT;
}

static void rows_of_registers(const struct lanes *l, const struct dinst *d, uint8_t (*rows)[MATRIX_ROW_BYTES])
{
    const uint32_t *reg[4] = { NULL };
    for (int i = 0; i < matrix_count(d); i++)
        reg[i] = lanes_at(l, ((const operand *)d->extra)[i]);
    matrix_from_registers(rows, matrix_count(d), transposed(d), reg);
}

static int run_store(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    uint8_t rows[LANES][MATRIX_ROW_BYTES];
    bool fault = false;
    rows_of_registers(l, d, rows);
    for (uint32_t m = row_lanes(d, l->mask); m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        uint32_t at;
        if (row_offset(h, d, lane, true, &at, &fault)) {
            h->worker->changes += memcmp(h->warp->block->shared + at, rows[lane], MATRIX_ROW_BYTES) != 0;
            memcpy(h->warp->block->shared + at, rows[lane], MATRIX_ROW_BYTES);
        }
        if (fault)
            return CONTROL_FAULT;
    }
    return CONTROL_NEXT;
}

static void clear_results(struct half *h, const struct dinst *d, uint32_t mask)
{
    static const uint8_t rows[LANES][MATRIX_ROW_BYTES];
    uint32_t *reg[4] = { NULL };
    for (int i = 0; i < matrix_count(d); i++)
        reg[i] = lanes_at(&h->l, ((const operand *)d->extra)[i]);
    matrix_to_registers(rows, matrix_count(d), false, mask, reg);
}

bool matrix_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    bool store = op->kind == MOP_STORE, fault = matrix_all_lanes(&h->l, d, mask) == CONTROL_FAULT;
    if (store)
        rows_of_registers(&h->l, d, (uint8_t (*)[MATRIX_ROW_BYTES])(void *)mem_data(op, LANES * h->index));
    for (uint32_t m = row_lanes(d, mask); m && !fault; m &= m - 1) {
        int lane = __builtin_ctz(m), at = lane + LANES * h->index;
        uint32_t offset;
        if (row_offset(h, d, lane, store, &offset, &fault)) {
            op->address[at] = offset;
            op->served_by[SERVE_SHARED] |= UINT64_C(1) << at;
        }
    }
    op->pattern = MEM_PATTERN_SCATTERED;
    if (!store && !fault && !(uint32_t)(op->served_by[SERVE_SHARED] >> LANES * h->index))
        clear_results(h, d, mask);       /* no access that would write the registers */
    return !fault;
}

/* Rows of lanes that are left out are zeros. */
void matrix_load_rows(struct mem_op *op)
{
    for (uint32_t k = 0; k < op->warp->halves; k++) {
        uint32_t lanes = (uint32_t)(op->served_by[SERVE_SHARED] >> LANES * k);
        uint8_t rows[LANES][MATRIX_ROW_BYTES] = { { 0 } };
        uint32_t *reg[4];
        for (uint32_t m = lanes; m; m &= m - 1) {
            int lane = __builtin_ctz(m);
            memcpy(rows[lane], op->warp->block->shared + op->address[LANES * k + (unsigned)lane], MATRIX_ROW_BYTES);
        }
        for (int i = 0; i < matrix_count(op->d); i++)
            reg[i] = (uint32_t *)(void *)(op->warp->half[k].regs + op->reg[i]);
        if (lanes)
            matrix_to_registers(rows, matrix_count(op->d), transposed(op->d), (uint32_t)(op->fragments >> LANES * k),
                                reg);
    }
}

/* ---- decoding ---- */

/* Timing mode captures the access when the lanes have met (step.c). */
static int run_aligned_access(struct lanes *l, const struct dinst *d)
{
    if (half_of(l)->warp->block->launch->timed)
        return CONTROL_NEXT;
    return matrix_all_lanes(l, d, l->mask) == CONTROL_FAULT ? CONTROL_FAULT : d->rounded(l, d);
}

static void decode_rows(struct decoder *x, const struct ptx_operand *address, const struct ptx_operand *data, bool load)
{
    operand *list = arena_alloc(x->p->arena, 4 * sizeof *list);
    matrix_operands(x, data, load, T_B32, list);
    if (x->in->tx)
        decoder_error(x, "an access to matrices inside a transaction is not supported");
    struct dinst *d = decoder_add_access(x, address, MATRIX_ROW_BYTES, 1);
    d->extra = list;
    d->rounded = load ? run_load : run_store;
    d->fn = run_aligned_access;
    decode_matrix_guard(x, d);
}

void decode_matrix_load(struct decoder *x)
{
    decode_rows(x, &x->in->opd[1], &x->in->opd[0], true);
}

void decode_matrix_store(struct decoder *x)
{
    decode_rows(x, &x->in->opd[0], &x->in->opd[1], false);
}

static int run_move(struct lanes *l, const struct dinst *d)
{
    uint8_t rows[8][MATRIX_ROW_BYTES];
    const uint32_t *from[4] = { lanes_at(l, d->src[0]) };
    uint32_t *to[4] = { lanes_at(l, d->dst) };
    matrix_from_registers(rows, 1, false, from);
    matrix_to_registers(rows, 1, true, l->mask, to);
    return CONTROL_NEXT;
}

void decode_matrix_move(struct decoder *x)
{
    operand from = decoder_source(x, &x->in->opd[1], T_B32);
    operand to = x->in->opd[0].kind == OPD_REG ? decoder_reg(x, x->in->opd[0].reg) : x->scratch;
    struct dinst *d = decoder_add_counting_step(x);
    d->src[0] = from;
    d->dst = to;
    d->fn = run_move;
    decode_matrix_step(x, d);
}
