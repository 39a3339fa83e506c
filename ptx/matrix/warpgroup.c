/*
 * wgmma.mma_async: D = A * B + D of a warpgroup, four PTX warps that follow each other from a multiple of four on. D
 * and A are 64 rows, 16 in each warp; a row of A is 32 bytes. The fragments of D, and of A in registers, are those
 * of mma with 16 rows (matrix.h). PTX ISA 8.x, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Operation".
 *
 * Time of the product. The ISA leaves open when, between its issue and the wait for its group, it reads and writes.
 * Here a warp computes its rows when it issues. The barrier of wgmma.wait_group (exec/barrier.c) keeps a warp from
 * passing before all four have issued their part: then memory that the product reads may be overwritten. Timing mode
 * computes how long the product takes (timing/core/copies.c).
 *
 * A matrix in shared memory consists of lines of 16-byte chunks. A line runs along K; of a transposed matrix, along the
 * rows of A or the columns of B. Eight lines of `width` chunks are an atom. The swizzle permutes the chunks of a line:
 * address bits 4 and up are XORed with as many bits from bit 7 on.
 *
 * Arithmetic is that of mma (product.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "ptx/lanes/half.h"
#include "ptx/matrix/matrix.h"
#include "ptx/matrix/step.h"

enum { ROWS = 16, COLUMNS = 256, DEPTH = 32, DEEP = 64, CHUNK = 16,    /* elements of A, B along K */
        WARPS = WARPGROUP_THREADS / LANES };

struct product {
    int n, k, stored;                /* k: of .b1 in words of 32 elements; stored: elements of a row of A */
    enum ptx_type d, a, b;
    bool sparse, clamps, negated_a, negated_b, transposed_a, transposed_b, a_in_memory;
    operand reg_d[PTX_MAX_ELEMENTS], reg_a[4], matrix_a, matrix_b, adds;
    struct matrix_metadata metadata; /* of sparse products */
};

/* An element of A or B: a number; of .b1, 32 of them. */
union element { float f; int32_t i; };

/* ---- matrices in shared memory ---- */

/* A descriptor (PTX ISA, "Matrix Descriptor"), offsets in bytes. */
struct stored { uint32_t start, leading, stride, base, width; bool transposed; };

static struct stored stored_at(uint64_t descriptor, bool transposed)
{
    static const uint8_t width[] = { 1, 8, 4, 2 };
    return (struct stored){
        .start = (uint32_t)(descriptor & 0x3fff) * CHUNK, .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * CHUNK,
        .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * CHUNK, .base = (uint32_t)(descriptor >> 49 & 7),
        .width = width[descriptor >> 62], .transposed = transposed
    };
}

/* The address of a chunk of a line ("Strides"). The pattern of the swizzle begins 128 * base bytes late. */
static uint32_t chunk_address(const struct stored *m, uint32_t line, uint32_t chunk)
{
    uint32_t at = m->start + line % 8 * CHUNK * m->width;
    if (m->width > 1)
        at += line / 8 * m->stride + chunk % m->width * CHUNK + chunk / m->width * m->leading;
    else if (m->transposed)
        at += line / 8 * m->leading + chunk * m->stride;
    else
        at += line / 8 * m->stride + chunk * m->leading;
    return at ^ (((at >> 7) - m->base) & (m->width - 1)) * CHUNK;
}

/* Copies a chunk; zeros where the access is tolerated outside shared memory. False: a fault. */
static bool read_chunk(struct half *h, const struct dinst *d, uint32_t address, uint32_t to[4])
{
    struct dinst access = *d;
    const char *from = mem_resolve(h, SP_SHARED, address, 0, CHUNK, false);
    access.space = SP_SHARED;
    if (from)
        memcpy(to, from, CHUNK);
    else
        memset(to, 0, CHUNK);
    return from || fault_memory(h, &access, 0, address, CHUNK, false) != CONTROL_FAULT;
}

/* ---- elements ---- */

/* Where elements go: element k of row (A) or column (B) `of` is to[of * step + k * step_k]. */
struct target { union element *to; int step, step_k; };

static int elements_of_word(enum ptx_type t)
{
    return t == T_B1 ? 1 : 32 / matrix_element_bits(t);
}

static union element element(enum ptx_type t, bool negated, uint32_t word, int i)
{
    if (t == T_B1)
        return (union element){ .i = (int32_t)word };
    if (ptx_type_class(t) != 'f')
        return (union element){ .i = matrix_integer(t, word, i) };
    float f = matrix_float(t, word, i);
    return (union element){ .f = negated ? -f : f };
}

/* Reads n rows or columns from `first` on. */
static bool read_matrix(struct half *h, const struct dinst *d, const struct stored *m, int first, int n, int depth,
                        enum ptx_type t, bool negated, struct target to)
{
    int per = elements_of_word(t), along = 4 * per;
    int lines = m->transposed ? depth : n, chunks = (m->transposed ? n : depth) / along;
    uint32_t line0 = m->transposed ? 0 : (uint32_t)first, chunk0 = m->transposed ? (uint32_t)(first / along) : 0;
    for (int line = 0; line < lines; line++)
        for (int chunk = 0; chunk < chunks; chunk++) {
            uint32_t word[4];
            if (!read_chunk(h, d, chunk_address(m, line0 + (uint32_t)line, chunk0 + (uint32_t)chunk), word))
                return false;
            for (int e = 0; e < along; e++) {
                int at = chunk * along + e, of = m->transposed ? at : line, k = m->transposed ? line : at;
                to.to[of * to.step + k * to.step_k] = element(t, negated, word[e / per], e % per);
            }
        }
    return true;
}

static void read_registers(const struct product *p, const struct lanes *l, union element (*a)[DEPTH])
{
    int per = elements_of_word(p->a);
    for (int r = 0; r < 4; r++)
        for (int lane = 0; lane < LANES; lane++)
            for (int e = 0; e < per; e++)
                a[lane / 4 + 8 * (r % 2)][4 * per * (r / 2) + per * (lane % 4) + e] =
                    element(p->a, p->negated_a, ((const uint32_t *)lanes_at(l, p->reg_a[r]))[lane], e);
}

/* ---- sums ---- */

MATRIX_WIDE static void multiply_float(int n, int k, union element (*a)[DEPTH], union element (*b)[COLUMNS],
                                       float (*c)[COLUMNS])
{
    for (int i = 0; i < ROWS; i++)
        for (int x = 0; x < k; x++)
            for (int j = 0; j < n; j++)
                c[i][j] = __builtin_fmaf(a[i][x].f, b[x][j].f, c[i][j]);
}

MATRIX_WIDE static void multiply_integer(int n, int k, union element (*a)[DEPTH], union element (*b)[COLUMNS],
                                         int32_t (*c)[COLUMNS])
{
    for (int i = 0; i < ROWS; i++)
        for (int x = 0; x < k; x++)
            for (int j = 0; j < n; j++)
                c[i][j] += a[i][x].i * b[x][j].i;
}

static void multiply_bits(int n, int k, union element (*a)[DEPTH], union element (*b)[COLUMNS], int32_t (*c)[COLUMNS])
{
    for (int i = 0; i < ROWS; i++)
        for (int x = 0; x < k; x++)
            for (int j = 0; j < n; j++)
                c[i][j] += __builtin_popcount((uint32_t)(a[i][x].i & b[x][j].i));
}

static void multiply_sparse_float(int n, int k, union element (*a)[DEPTH], uint8_t (*columns)[MATRIX_STORED],
                                  union element (*b)[COLUMNS], float (*c)[COLUMNS])
{
    for (int i = 0; i < ROWS; i++)
        for (int x = 0; x < k; x++)
            for (int j = 0; j < n; j++)
                c[i][j] = __builtin_fmaf(a[i][x].f, b[columns[i][x]][j].f, c[i][j]);
}

static void multiply_sparse_integer(int n, int k, union element (*a)[DEPTH], uint8_t (*columns)[MATRIX_STORED],
                                    union element (*b)[COLUMNS], int32_t (*c)[COLUMNS])
{
    for (int i = 0; i < ROWS; i++)
        for (int x = 0; x < k; x++)
            for (int j = 0; j < n; j++)
                c[i][j] += a[i][x].i * b[columns[i][x]][j].i;
}

static int row_of(int i, int lane)
{
    return lane / 4 + 8 * (i / 2 % 2);
}

static int column_of(int i, int lane)
{
    return 8 * (i / 4) + 2 * (lane % 4) + i % 2;
}

static uint32_t *sum_word(const struct product *p, const struct lanes *l, int i, int lane)
{
    return (uint32_t *)lanes_at(l, p->reg_d[p->d == T_F16 ? i / 2 : i]) + lane;
}

static void load_float(const struct product *p, const struct lanes *l, float (*c)[COLUMNS])
{
    for (int i = 0; i < p->n / 2; i++)
        for (int lane = 0; lane < LANES; lane++) {
            float *to = &c[row_of(i, lane)][column_of(i, lane)];
            const uint32_t *word = sum_word(p, l, i, lane);
            if (p->d == T_F16)
                *to = f16_to_f32((uint16_t)(*word >> 16 * (i % 2)));
            else
                memcpy(to, word, sizeof *to);
        }
}

static void store_float(const struct product *p, const struct lanes *l, float (*c)[COLUMNS])
{
    for (int i = 0; i < p->n / 2; i++)
        for (uint32_t m = l->mask; m; m &= m - 1) {
            int lane = __builtin_ctz(m);
            float v = matrix_quiet(c[row_of(i, lane)][column_of(i, lane)]);
            uint32_t *word = sum_word(p, l, i, lane);
            if (p->d == T_F16) {
                uint32_t half = v != v ? 0x7fff : f32_to_f16(v);
                *word = i % 2 ? (*word & 0xffff) | half << 16 : (*word & 0xffff0000) | half;
            } else {
                memcpy(word, &v, sizeof v);
            }
        }
}

static void store_integer(const struct product *p, const struct lanes *l, bool adds, int32_t (*c)[COLUMNS])
{
    for (int i = 0; i < p->n / 2; i++)
        for (uint32_t m = l->mask; m; m &= m - 1) {
            int lane = __builtin_ctz(m);
            uint32_t *word = sum_word(p, l, i, lane);
            int64_t v = (int64_t)c[row_of(i, lane)][column_of(i, lane)] + (adds ? (int32_t)*word : 0);
            bool over = p->clamps && v != (int32_t)v;
            *word = (uint32_t)(over ? v < 0 ? INT32_MIN : INT32_MAX : v);
        }
}

/* ---- the warps of the warpgroup execute the same ---- */

static bool misused(struct half *h, const struct dinst *d, int lane, const char *what)
{
    fault_raise(h->warp, d, FAULT_WARP, lane + h->index * LANES, 0, "%s", what);
    return false;
}

/* The descriptor, which all lanes give. False: a fault. */
static bool descriptor_of(struct half *h, const struct dinst *d, operand o, uint64_t *value)
{
    const uint64_t *v = lanes_at(&h->l, o);
    int first = __builtin_ctz(h->l.mask);
    *value = v[first];
    for (uint32_t m = h->l.mask; m; m &= m - 1)
        if (v[__builtin_ctz(m)] != *value)
            return misused(h, d, __builtin_ctz(m), "its matrix descriptor is not that of the other lanes of its warp");
    return true;
}

static bool same_product(struct half *h, const struct dinst *d, const struct warpgroup_product *first,
                         const struct warpgroup_product *mine)
{
    int lane = h->index * LANES;
    char place[256];
    fault_place(first->d, place, sizeof place);
    if (first->d != mine->d)
        fault_raise(h->warp, d, FAULT_WARP, lane, 0,
                    "the warps of its warpgroup execute different products: warp %u the one at %s", first->warp, place);
    else if (first->a != mine->a || first->b != mine->b)
        fault_raise(h->warp, d, FAULT_WARP, lane, 0,
                    "the descriptor of %c is 0x%llx, but 0x%llx in warp %u of its warpgroup",
                    first->a != mine->a ? 'A' : 'B', (unsigned long long)(first->a != mine->a ? mine->a : mine->b),
                    (unsigned long long)(first->a != mine->a ? first->a : first->b), first->warp);
    else if (first->adds != mine->adds)
        fault_raise(h->warp, d, FAULT_WARP, lane, 0, "it %s D, but warp %u of its warpgroup does not",
                    mine->adds ? "adds to" : "overwrites", first->warp);
    else
        return true;
    return false;
}

/*
 * Compares the product with the one of the same number of the warp that was first to issue it; a warp that issues it
 * more than WARPGROUP_LOG products later is not compared.
 */
static bool check_product(struct half *h, const struct dinst *d, struct warpgroup_product *mine)
{
    struct block *b = h->warp->block;
    uint32_t first = warpgroup_first(h->warp, h->index);
    mine->warp = h->warp->index * h->warp->halves + h->index;
    if (b->launch->threads_per_block < (first + WARPS) * LANES) {
        fault_raise(h->warp, d, FAULT_WARP, h->index * LANES, 0,
                    "its warpgroup, warps %u to %u, is not complete: the block has %u threads", first,
                    first + WARPS - 1, b->launch->threads_per_block);
        return false;
    }
    if (!b->warpgroups)
        b->warpgroups = mem_zero(WARPGROUPS_MAX, sizeof *b->warpgroups, "the products of a block");
    struct warpgroup *g = &b->warpgroups[first / WARPS];
    mine->number = ++g->issued[mine->warp % WARPS];
    struct warpgroup_product *e = &g->product[mine->number % WARPGROUP_LOG];
    if (e->number == mine->number)
        return same_product(h, d, e, mine);
    if (e->number < mine->number)
        *e = *mine;
    return true;
}

/* ---- a warp's part of a product ---- */

static int run_product(struct lanes *l, const struct dinst *d)
{
    const struct product *p = d->extra;
    struct half *h = half_of(l);
    struct warpgroup_product x = { .d = d };
    uint32_t adds = *(const uint32_t *)lanes_at(l, p->adds) & l->mask;
    union element a[ROWS][DEPTH], b[DEEP][COLUMNS];
    uint8_t columns[ROWS][MATRIX_STORED];
    union { float f[ROWS][COLUMNS]; int32_t i[ROWS][COLUMNS]; } sum;
    x.adds = adds;
    if (adds && adds != l->mask) {
        misused(h, d, __builtin_ctz(l->mask & ~adds), "its predicate is not that of the other lanes of its warp");
        return CONTROL_FAULT;
    }
    if ((p->a_in_memory && !descriptor_of(h, d, p->matrix_a, &x.a)) || !descriptor_of(h, d, p->matrix_b, &x.b) ||
        !check_product(h, d, &x) || (p->sparse && !matrix_stored_columns(&p->metadata, l, d, columns)))
        return CONTROL_FAULT;
    struct stored ma = stored_at(x.a, p->transposed_a), mb = stored_at(x.b, p->transposed_b);
    int first = (int)(x.warp % WARPS) * ROWS;
    if (!p->a_in_memory)
        read_registers(p, l, a);
    else if (!read_matrix(h, d, &ma, first, ROWS, p->stored, p->a, p->negated_a, (struct target){ a[0], DEPTH, 1 }))
        return CONTROL_FAULT;
    if (!read_matrix(h, d, &mb, 0, p->n, p->k, p->b, p->negated_b, (struct target){ b[0], 1, COLUMNS }))
        return CONTROL_FAULT;
    memset(&sum, 0, sizeof sum);
    if (p->d == T_S32) {
        if (p->sparse)
            multiply_sparse_integer(p->n, p->stored, a, columns, b, sum.i);
        else
            (p->a == T_B1 ? multiply_bits : multiply_integer)(p->n, p->k, a, b, sum.i);
        store_integer(p, l, x.adds, sum.i);
        return CONTROL_NEXT;
    }
    if (x.adds)
        load_float(p, l, sum.f);
    if (p->sparse)
        multiply_sparse_float(p->n, p->stored, a, columns, b, sum.f);
    else
        multiply_float(p->n, p->k, a, b, sum.f);
    store_float(p, l, sum.f);
    return CONTROL_NEXT;
}

/* Constant i after the predicate; `absent` if it is not written. */
static int64_t constant(const struct ptx_inst *in, int i, int64_t absent)
{
    int at = ptx_wgmma_predicate((enum ptx_op)in->op) + 1 + i;
    return at < in->nopd && in->opd[at].kind == OPD_IMM ? in->opd[at].imm : absent;
}

void decode_warpgroup_multiply(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    const struct ptx_operand *adds = &in->opd[ptx_wgmma_predicate((enum ptx_op)in->op)];
    struct product *p = arena_alloc(x->p->arena, sizeof *p);
    p->a_in_memory = in->opd[1].kind != OPD_VEC;
    p->d = (enum ptx_type)in->type[0];
    p->a = (enum ptx_type)in->type[1];
    p->b = (enum ptx_type)in->type[2];
    p->n = in->wgmma_n;
    p->k = p->a == T_B1 ? in->wgmma_k / 32 : in->wgmma_k;
    p->clamps = in->mod[PG_SATF];
    p->negated_a = constant(in, 0, 1) < 0;
    p->negated_b = constant(in, 1, 1) < 0;
    p->transposed_a = p->a_in_memory && constant(in, 2, 0);
    p->transposed_b = constant(in, p->a_in_memory ? 3 : 2, 0);
    matrix_operands(x, &in->opd[0], true, T_B32, p->reg_d);
    if (p->a_in_memory)
        p->matrix_a = decoder_source(x, &in->opd[1], T_B64);
    else
        matrix_operands(x, &in->opd[1], false, T_B32, p->reg_a);
    p->matrix_b = decoder_source(x, &in->opd[2], T_B64);
    p->adds = adds->negated ? decoder_negated_predicate(x, adds) : decoder_source(x, adds, T_PRED);
    p->sparse = ptx_is_sparse_product((enum ptx_op)in->op);
    p->stored = p->sparse ? p->k / 2 : p->k;
    if (p->sparse)
        matrix_decode_metadata(x, &p->metadata, &in->opd[3]);
    if (in->tx)
        decoder_error(x, "a product of a warpgroup inside a transaction is not supported");
    struct dinst *d = decoder_add_counting_step(x);
    d->extra = p;
    d->fn = run_product;
    decode_matrix_step(x, d);
}
