/*
 * Products of matrices in memory against a triple loop. Elements are small integers, so that sums are exact and do not
 * depend on their order.
 *
 * mma: the registers of every lane are filled, and read, by tables of where its elements lie, which do not share the
 * formulas of the simulator. A table has a row for each digit of the lane's number and of the element's: its radix and
 * the distance in rows and columns. They are those of CUTLASS 3 (include/cute/atom/mma_traits_sm70.hpp and _sm80.hpp,
 * BSD-3-Clause: facts of its layouts), and for 4 bits, and f64 of 16 rows, of the PTX ISA 8.7, 9.7.14.5, "Matrix
 * Fragments for mma". wmma: matrices in every layout, by constant, default and register strides, in every state space.
 */
#include <stdlib.h>
#include <string.h>

#include "regress/conformance/behave/behave.h"

enum { SIDE = 32, DEEP = 256, AREA = 2048, AT_D = 4 * AREA, LANES = 32 };

enum kind { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, S32 };

static const struct { int bits, least, most; const char *text; } kinds[] = {
    [F16] = { 16, -8, 8, "f16" }, [BF16] = { 16, -8, 8, "bf16" }, [TF32] = { 32, -40, 40, "tf32" },
    [F32] = { 32, -99, 99, "f32" }, [F64] = { 64, -99, 99, "f64" }, [S8] = { 8, -128, 127, "s8" },
    [U8] = { 8, 0, 255, "u8" }, [S4] = { 4, -8, 7, "s4" }, [U4] = { 4, 0, 15, "u4" }, [B1] = { 1, 0, 1, "b1" },
    [S32] = { 32, -999, 999, "s32" },
};

/* A small integer as an element of the kind. */
static uint64_t encode(enum kind k, int v)
{
    float f = (float)v;
    double d = v;
    uint32_t word;
    uint64_t wide;
    memcpy(&word, &f, 4);
    memcpy(&wide, &d, 8);
    switch (k) {
    case F16:
        if (!v)
            return 0;
        return (word >> 16 & 0x8000) | (((word >> 23 & 255) - 112) << 10) | (word >> 13 & 1023);
    case BF16: return word >> 16;
    case TF32: case F32: return word;
    case F64: return wide;
    default: return (uint64_t)(int64_t)v & ((UINT64_C(1) << kinds[k].bits) - 1);
    }
}

/* Element e of an array. */
static void put_element(void *to, int e, enum kind k, int v)
{
    behave_put_bits(to, (size_t)e * (size_t)kinds[k].bits, kinds[k].bits, encode(k, v));
}

static uint64_t get_bits(const unsigned char *from, size_t at, int bits)
{
    uint64_t v = 0;
    for (int i = 0; i < bits; i++, at++)
        v |= (uint64_t)(from[at / 8] >> at % 8 & 1) << i;
    return v;
}

/* ---- the matrices ---- */

struct gemm {
    int m, n, k;
    enum kind a, b, c, d;
    bool xors, ands, clamps;
    int va[SIDE][DEEP], vb[DEEP][SIDE], vc[SIDE][SIDE];
};

static int value(uint32_t *seed, enum kind k)
{
    return kinds[k].least + (int)behave_random(seed, (uint32_t)(kinds[k].most - kinds[k].least + 1));
}

/* Sums that are clamped start near the limit. */
static void fill(struct gemm *g, uint32_t seed)
{
    for (int i = 0; i < g->m; i++)
        for (int k = 0; k < g->k; k++)
            g->va[i][k] = value(&seed, g->a);
    for (int k = 0; k < g->k; k++)
        for (int j = 0; j < g->n; j++)
            g->vb[k][j] = value(&seed, g->b);
    for (int i = 0; i < g->m; i++)
        for (int j = 0; j < g->n; j++)
            g->vc[i][j] = value(&seed, g->c) + (g->clamps ? (i + j) % 2 ? INT32_MAX - 999 : INT32_MIN + 999 : 0);
}

/* An element of D. */
static int64_t sum_of(const struct gemm *g, int i, int j)
{
    int64_t s = g->vc[i][j];
    for (int k = 0; k < g->k; k++)
        s += g->xors ? g->va[i][k] ^ g->vb[k][j] : g->va[i][k] * g->vb[k][j];
    return !g->clamps ? s : s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
}

static struct gemm gemm;                 /* of the test that runs */

/* ---- mma: tables ---- */

struct digit { int radix, row, column; };
struct layout { struct digit lane[4], element[4]; };

/* A and B^T in lanes of 4 x 8. */
#define LANES_OF(run) { { 4, 0, run }, { 8, 1, 0 } }
#define NO_LAYOUT { { { 0, 0, 0 } }, { { 0, 0, 0 } } }
#define LINE1 { LANES_OF(1), { { 1, 0, 0 } } }
#define LINE2 { LANES_OF(2), { { 2, 0, 1 } } }
#define LINE4 { LANES_OF(4), { { 4, 0, 1 } } }
#define SQUARE2 { LANES_OF(2), { { 2, 0, 1 }, { 2, 8, 0 } } }

struct product {
    const char *text;
    int m, n, k, products;
    enum kind a, b, c, d;
    struct layout at_a, at_b, at_c, at_d;    /* at_b: rows are columns of B; empty at_d: that of C */
};

#define HALVES_A16 { LANES_OF(2), { { 2, 0, 1 }, { 2, 8, 0 }, { 2, 0, 8 } } }
#define HALVES_B16 { LANES_OF(2), { { 2, 0, 1 }, { 2, 0, 8 } } }
#define QUAD { 4, 1, 0 }, { 4, 0, 0 }, { 2, 4, 0 }
#define QUAD_LINES { { QUAD }, { { 4, 0, 1 } } }
#define QUAD_ACROSS { { { 4, 0, 1 }, { 4, 0, 0 }, { 2, 4, 0 } }, { { 4, 1, 0 } } }
#define QUAD_HALVES { { QUAD }, { { 8, 0, 1 } } }
#define QUAD_FLOATS \
    { { { 2, 1, 0 }, { 2, 0, 2 }, { 4, 0, 0 }, { 2, 4, 0 } }, { { 2, 0, 1 }, { 2, 2, 0 }, { 2, 0, 4 } } }

static const struct product products[] = {
    { "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, 1, F16, F16, F16, F16, SQUARE2, LINE2, SQUARE2, NO_LAYOUT },
    { "m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 1, F16, F16, F16, F16, HALVES_A16, HALVES_B16, SQUARE2,
      NO_LAYOUT },
    { "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 1, F16, F16, F32, F32, SQUARE2, LINE2, SQUARE2, NO_LAYOUT },
    { "m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 1, F16, F16, F32, F32, HALVES_A16, HALVES_B16, SQUARE2,
      NO_LAYOUT },
    { "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, 1, BF16, BF16, F32, F32, SQUARE2, LINE2, SQUARE2, NO_LAYOUT },
    { "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 1, BF16, BF16, F32, F32, HALVES_A16, HALVES_B16, SQUARE2,
      NO_LAYOUT },
    { "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, 1, TF32, TF32, F32, F32, { LANES_OF(1), { { 2, 8, 0 } } }, LINE1,
      SQUARE2, NO_LAYOUT },
    { "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 1, TF32, TF32, F32, F32,
      { LANES_OF(1), { { 2, 8, 0 }, { 2, 0, 4 } } }, { LANES_OF(1), { { 2, 0, 4 } } }, SQUARE2, NO_LAYOUT },
    { "m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, 1, F64, F64, F64, F64, LINE1, LINE1, LINE2, NO_LAYOUT },
    { "m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, 1, F64, F64, F64, F64, { LANES_OF(1), { { 2, 8, 0 } } }, LINE1,
      SQUARE2, NO_LAYOUT },
    { "m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, 1, F64, F64, F64, F64,
      { LANES_OF(1), { { 2, 8, 0 }, { 2, 0, 4 } } }, { LANES_OF(1), { { 2, 0, 4 } } }, SQUARE2, NO_LAYOUT },
    { "m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, 1, F64, F64, F64, F64,
      { LANES_OF(1), { { 2, 8, 0 }, { 4, 0, 4 } } }, { LANES_OF(1), { { 4, 0, 4 } } }, SQUARE2, NO_LAYOUT },
    { "m8n8k16.row.col.s32.s8.u8.s32", 8, 8, 16, 1, S8, U8, S32, S32, LINE4, LINE4, LINE2, NO_LAYOUT },
    { "m16n8k16.row.col.s32.u8.s8.s32", 16, 8, 16, 1, U8, S8, S32, S32, { LANES_OF(4), { { 4, 0, 1 }, { 2, 8, 0 } } },
      LINE4, SQUARE2, NO_LAYOUT },
    { "m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 1, S8, S8, S32, S32,
      { LANES_OF(4), { { 4, 0, 1 }, { 2, 8, 0 }, { 2, 0, 16 } } }, { LANES_OF(4), { { 4, 0, 1 }, { 2, 0, 16 } } },
      SQUARE2,
      NO_LAYOUT },
    { "m8n8k32.row.col.s32.s4.u4.s32", 8, 8, 32, 1, S4, U4, S32, S32, { LANES_OF(8), { { 8, 0, 1 } } },
      { LANES_OF(8), { { 8, 0, 1 } } }, LINE2, NO_LAYOUT },
    { "m16n8k32.row.col.s32.u4.s4.s32", 16, 8, 32, 1, U4, S4, S32, S32, { LANES_OF(8), { { 8, 0, 1 }, { 2, 8, 0 } } },
      { LANES_OF(8), { { 8, 0, 1 } } }, SQUARE2, NO_LAYOUT },
    { "m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, 1, S4, S4, S32, S32,
      { LANES_OF(8), { { 8, 0, 1 }, { 2, 8, 0 }, { 2, 0, 32 } } }, { LANES_OF(8), { { 8, 0, 1 }, { 2, 0, 32 } } },
      SQUARE2,
      NO_LAYOUT },
    { "m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 8, 128, 1, B1, B1, S32, S32, { LANES_OF(32), { { 32, 0, 1 } } },
      { LANES_OF(32), { { 32, 0, 1 } } }, LINE2, NO_LAYOUT },
    { "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 128, 1, B1, B1, S32, S32,
      { LANES_OF(32), { { 32, 0, 1 }, { 2, 8, 0 } } }, { LANES_OF(32), { { 32, 0, 1 } } }, SQUARE2, NO_LAYOUT },
    { "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 8, 256, 1, B1, B1, S32, S32,
      { LANES_OF(32), { { 32, 0, 1 }, { 2, 8, 0 }, { 2, 0, 128 } } }, { LANES_OF(32), { { 32, 0, 1 }, { 2, 0, 128 } } },
      SQUARE2, NO_LAYOUT },
    { "m8n8k4.row.col.f32.f16.f16.f32", 8, 8, 4, 4, F16, F16, F32, F32, QUAD_LINES, QUAD_LINES, QUAD_FLOATS,
      NO_LAYOUT },
    { "m8n8k4.col.col.f32.f16.f16.f32", 8, 8, 4, 4, F16, F16, F32, F32, QUAD_ACROSS, QUAD_LINES, QUAD_FLOATS,
      NO_LAYOUT },
    { "m8n8k4.row.row.f16.f16.f16.f16", 8, 8, 4, 4, F16, F16, F16, F16, QUAD_LINES, QUAD_ACROSS, QUAD_HALVES,
      NO_LAYOUT },
    { "m8n8k4.col.row.f32.f16.f16.f16", 8, 8, 4, 4, F16, F16, F16, F32, QUAD_ACROSS, QUAD_ACROSS, QUAD_HALVES,
      QUAD_FLOATS },
};

static int elements_of(const struct layout *l)
{
    int n = 1;
    for (int i = 0; i < 4; i++)
        n *= l->element[i].radix ? l->element[i].radix : 1;
    return n;
}

static void add_digits(const struct digit *d, int number, int *row, int *column)
{
    for (int i = 0; i < 4 && d[i].radix; i++) {
        *row += number % d[i].radix * d[i].row;
        *column += number % d[i].radix * d[i].column;
        number /= d[i].radix;
    }
}

/* The element of a lane; lanes beyond the number of a table's digits begin again. */
static void place_of(const struct layout *l, int lane, int element, int *row, int *column)
{
    *row = *column = 0;
    add_digits(l->lane, lane, row, column);
    add_digits(l->element, element, row, column);
}

/* Four products have the lanes 4 q .. 4 q + 3 of each half: their matrices differ by the sign of A and C. */
static int sign_of(const struct product *p, int lane)
{
    return p->products == 4 && lane / 4 % 2 ? -1 : 1;
}

static const struct product *running;

/* A lane has 256 bytes: its words of A, of B from 64 on, of C from 128 on; D is stored from AT_D on, 64 a lane. */
static void pack(simtx_gpu *gpu, simtx_module *m, void *buffer, bool end)
{
    const struct product *p = running;
    unsigned char *to = buffer;
    int row, column;
    (void)gpu;
    (void)m;
    for (int lane = 0; lane < LANES && !end; lane++, to += 256) {
        for (int e = 0; e < elements_of(&p->at_a); e++) {
            place_of(&p->at_a, lane, e, &row, &column);
            put_element(to, e, p->a, gemm.va[row][column] * sign_of(p, lane));
        }
        for (int e = 0; e < elements_of(&p->at_b); e++) {
            place_of(&p->at_b, lane, e, &row, &column);
            put_element(to + 64, e, p->b, gemm.vb[column][row]);
        }
        for (int e = 0; e < elements_of(&p->at_c); e++) {
            place_of(&p->at_c, lane, e, &row, &column);
            put_element(to + 128, e, p->c, gemm.vc[row][column] * sign_of(p, lane));
        }
    }
}

static void unpack(const unsigned char *buffer, bool *ok)
{
    const struct product *p = running;
    const struct layout *l = p->at_d.lane[0].radix ? &p->at_d : &p->at_c;
    int row, column, bits = kinds[p->d].bits;
    for (int lane = 0; lane < LANES; lane++)
        for (int e = 0; e < elements_of(l); e++) {
            place_of(l, lane, e, &row, &column);
            *ok &= get_bits(buffer + AT_D + 64 * lane, (size_t)(e * bits), bits) ==
                   encode(p->d, (int)sum_of(&gemm, row, column) * sign_of(p, lane));
        }
}

/* ---- text of kernels ---- */

struct fragment { char letter; int first, n; };

static struct fragment fragment_of(enum kind k, int first, int elements)
{
    int registers = k == F64 ? elements : elements * kinds[k].bits / 32;
    return (struct fragment){ k == F64 ? 'e' : k == F32 ? 'f' : 'r', first, registers };
}

static void print_list(FILE *f, struct fragment x)
{
    for (int i = 0; i < x.n; i++)
        fprintf(f, "%s%%%c%d", i ? ", " : "{", x.letter, x.first + i);
    fputs("}", f);
}

static void print_moves(FILE *f, struct fragment x, bool store, int at)
{
    const char *type = x.letter == 'e' ? "f64" : x.letter == 'f' ? "f32" : "b32";
    int bytes = x.letter == 'e' ? 8 : 4;
    for (int i = 0; i < x.n; i++)
        if (store)
            fprintf(f, "  st.global.%s [%%d2+%d], %%%c%d;\n", type, at + i * bytes, x.letter, x.first + i);
        else
            fprintf(f, "  ld.global.%s %%%c%d, [%%d1+%d];\n", type, x.letter, x.first + i, at + i * bytes);
}

static void product_test(struct behave_ctx *x, const struct product *p)
{
    char body[4096];
    FILE *f = fmemopen(body, sizeof body, "w");
    struct fragment a = fragment_of(p->a, 8, elements_of(&p->at_a)), b = fragment_of(p->b, 24, elements_of(&p->at_b));
    struct fragment c = fragment_of(p->c, 32, elements_of(&p->at_c)), d = fragment_of(p->d, 48, elements_of(&p->at_c));
    fprintf(f, "  mul.wide.u32 %%d1, %%t, 256;\n  add.u64 %%d1, %%d1, %%b;\n  mul.wide.u32 %%d2, %%t, 64;\n"
            "  add.u64 %%d2, %%d2, %%b;\n");
    print_moves(f, a, false, 0);
    print_moves(f, b, false, 64);
    print_moves(f, c, false, 128);
    fprintf(f, "  mma.sync.aligned.%s ", p->text);
    print_list(f, d);
    fputs(", ", f);
    print_list(f, a);
    fputs(", ", f);
    print_list(f, b);
    fputs(", ", f);
    print_list(f, c);
    fputs(";\n", f);
    print_moves(f, d, true, AT_D);
    fclose(f);
    gemm = (struct gemm){ .m = p->m, .n = p->n, .k = p->k, .a = p->a, .b = p->b, .c = p->c,
                          .xors = strstr(p->text, "xor") };
    fill(&gemm, (uint32_t)(p - products));
    running = p;
    char name[96];
    snprintf(name, sizeof name, "mma %s of tables", p->text);
    behave_one(x, &(struct behave_test){ .name = name, .body = body, .block = LANES, .prepare = pack,
                                         .check_buffer = unpack });
}

/* ---- wmma ---- */

struct wmma { int m, n, k; enum kind a, c, d; const char *tail; };

static const struct wmma wmmas[] = {
    { 16, 16, 16, F16, F32, F32, "" }, { 32, 8, 16, F16, F32, F32, "" }, { 8, 32, 16, F16, F32, F32, "" },
    { 16, 16, 16, F16, F16, F16, "" }, { 32, 8, 16, F16, F16, F32, "" }, { 8, 32, 16, F16, F32, F16, "" },
    { 16, 16, 16, F16, F16, F32, "" }, { 32, 8, 16, F16, F32, F16, "" }, { 8, 32, 16, F16, F16, F16, "" },
    { 16, 16, 16, BF16, F32, F32, "" }, { 32, 8, 16, BF16, F32, F32, "" }, { 8, 32, 16, BF16, F32, F32, "" },
    { 16, 16, 16, S8, S32, S32, "" }, { 32, 8, 16, S8, S32, S32, ".satfinite" }, { 8, 32, 16, S8, S32, S32, "" },
    { 16, 16, 16, U8, S32, S32, ".satfinite" }, { 32, 8, 16, U8, S32, S32, "" },
    { 8, 32, 16, U8, S32, S32, ".satfinite" },
    { 16, 16, 8, TF32, F32, F32, "" }, { 8, 8, 4, F64, F64, F64, "" }, { 8, 8, 32, S4, S32, S32, "" },
    { 8, 8, 32, U4, S32, S32, ".satfinite" }, { 8, 8, 128, B1, S32, S32, ".xor.popc" },
    { 8, 8, 128, B1, S32, S32, ".and.popc" },
};

/* A matrix in memory: layout and stride, in elements; how the instruction gets the stride. */
struct stored { bool rows; int lines, length, stride; enum { DEFAULT, CONSTANT, REGISTER } how; };
enum where { GLOBAL, GENERIC, SHARED };
static struct wmma_run { const struct wmma *w; struct stored a, b, c, d; } run;

static struct stored stored(bool rows, int nrows, int ncolumns, enum kind k, uint32_t how)
{
    struct stored s = { .rows = rows, .lines = rows ? nrows : ncolumns, .length = rows ? ncolumns : nrows };
    s.how = how % 3;
    s.stride = s.length + (s.how == DEFAULT ? 0 : 128 / kinds[k].bits);
    return s;
}

static int element_at(const struct stored *s, int row, int column)
{
    return s->rows ? row * s->stride + column : column * s->stride + row;
}

static void put_matrices(simtx_gpu *gpu, simtx_module *m, void *buffer, bool end)
{
    const struct wmma *w = run.w;
    (void)gpu;
    (void)m;
    for (int i = 0; i < w->m && !end; i++)
        for (int k = 0; k < w->k; k++)
            put_element(buffer, element_at(&run.a, i, k), w->a, gemm.va[i][k]);
    for (int k = 0; k < w->k && !end; k++)
        for (int j = 0; j < w->n; j++)
            put_element((unsigned char *)buffer + AREA, element_at(&run.b, k, j), w->a, gemm.vb[k][j]);
    for (int i = 0; i < w->m && !end; i++)
        for (int j = 0; j < w->n; j++)
            put_element((unsigned char *)buffer + 2 * AREA, element_at(&run.c, i, j), w->c, gemm.vc[i][j]);
}

static void get_matrix(const unsigned char *buffer, bool *ok)
{
    enum kind k = run.w->d;
    for (int i = 0; i < run.w->m; i++)
        for (int j = 0; j < run.w->n; j++)
            *ok &= get_bits(buffer + 3 * AREA, (size_t)(element_at(&run.d, i, j) * kinds[k].bits), kinds[k].bits) ==
                   encode(k, (int)sum_of(&gemm, i, j));
}

static void print_access(FILE *f, const char *what, const struct stored *s, enum kind k, enum where where,
                         struct fragment x, int at)
{
    static const char *const spaces[] = { ".global", "", ".shared" }, *const base[] = { "%d4", "%d4", "%r5" };
    bool store = what[0] == 's';
    if (s->how == REGISTER)
        fprintf(f, "  mov.u32 %%r4, %d;\n", s->stride);
    fprintf(f, "  wmma.%s.sync.aligned.%s.m%dn%dk%d%s.%s ", what, s->rows ? "row" : "col", run.w->m, run.w->n, run.w->k,
            spaces[where], kinds[k].text);
    if (!store)
        print_list(f, x);
    fprintf(f, "%s[%s+%d]%s", store ? "" : ", ", base[where], at, store ? ", " : "");
    if (store)
        print_list(f, x);
    if (s->how == CONSTANT)
        fprintf(f, ", %d", s->stride);
    fputs(s->how == REGISTER ? ", %r4;\n" : ";\n", f);
}

static struct fragment wmma_fragment(enum kind k, bool factor, int elements, int first)
{
    struct fragment x = fragment_of(k, first, elements / LANES);
    if (factor && k == F16)
        x.n = 8;
    return x;
}

/* The warp copies 4 AREA bytes between the buffer and shared memory. */
static void print_copy(FILE *f, bool out)
{
    fprintf(f, "  mov.u32 %%r6, 0;\nCOPY%d:\n  mad.lo.u32 %%r7, %%t, 4, %%r6;\n  add.u32 %%r7, %%r7, %%r5;\n"
            "  mad.lo.u32 %%r60, %%t, 4, %%r6;\n  cvt.u64.u32 %%d5, %%r60;\n  add.u64 %%d5, %%d5, %%d4;\n", out);
    fputs(out ? "  ld.shared.u32 %r61, [%r7];\n  st.global.u32 [%d5], %r61;\n"
              : "  ld.global.u32 %r61, [%d5];\n  st.shared.u32 [%r7], %r61;\n", f);
    fprintf(f, "  add.u32 %%r6, %%r6, 128;\n  setp.lt.u32 %%p1, %%r6, %d;\n  @%%p1 bra COPY%d;\n  bar.warp.sync -1;\n",
            4 * AREA, out);
}

static void wmma_test(struct behave_ctx *x, const struct wmma *w, bool row_a, bool row_b, uint32_t turn)
{
    enum where where = turn % 3;
    char body[8192], name[128];
    run = (struct wmma_run){ w, stored(row_a, w->m, w->k, w->a, turn), stored(row_b, w->k, w->n, w->a, turn + turn / 3),
                             stored(turn & 1, w->m, w->n, w->c, turn / 2),
                             stored(turn & 2, w->m, w->n, w->d, turn + 1) };
    gemm = (struct gemm){ .m = w->m, .n = w->n, .k = w->k, .a = w->a, .b = w->a, .c = w->c,
                          .xors = strstr(w->tail, "xor"), .clamps = strstr(w->tail, "sat") };
    fill(&gemm, turn);
    struct fragment a = wmma_fragment(w->a, true, w->m * w->k, 8), b = wmma_fragment(w->a, true, w->k * w->n, 16);
    struct fragment c = wmma_fragment(w->c, false, w->m * w->n, 24), d = wmma_fragment(w->d, false, w->m * w->n, 32);
    if (turn % 4 == 3)                   /* D overwrites registers of A and B */
        d.first = d.letter == 'r' ? 12 : c.first;
    FILE *f = fmemopen(body, sizeof body, "w");
    fputs("  mov.u64 %d4, %b;\n  mov.u32 %r5, tile;\n", f);
    if (where == SHARED)
        print_copy(f, false);
    print_access(f, "load.a", &run.a, w->a, where, a, 0);
    print_access(f, "load.b", &run.b, w->a, where, b, AREA);
    print_access(f, "load.c", &run.c, w->c, where, c, 2 * AREA);
    fprintf(f, "  wmma.mma.sync.aligned.%s.%s.m%dn%dk%d.%s", row_a ? "row" : "col", row_b ? "row" : "col", w->m, w->n,
            w->k, kinds[w->d].text);
    if (w->a != F16)
        fprintf(f, ".%s.%s", kinds[w->a].text, kinds[w->a].text);
    fprintf(f, ".%s%s ", kinds[w->c].text, w->tail);
    print_list(f, d);
    fputs(", ", f);
    print_list(f, a);
    fputs(", ", f);
    print_list(f, b);
    fputs(", ", f);
    print_list(f, c);
    fputs(";\n", f);
    print_access(f, "store.d", &run.d, w->d, where, d, 3 * AREA);
    if (where == SHARED) {
        fputs("  bar.warp.sync -1;\n", f);
        print_copy(f, true);
    }
    fclose(f);
    snprintf(name, sizeof name, "wmma m%dn%dk%d %s, %s sums%s, layout %d%d, turn %u", w->m, w->n, w->k,
             kinds[w->a].text, kinds[w->d].text, w->tail, row_a, row_b, turn);
    behave_one(x, &(struct behave_test){ .name = name, .module = ".shared .align 32 .b8 tile[8192];\n", .body = body,
                                         .block = LANES, .prepare = put_matrices, .check_buffer = get_matrix });
}

/* ---- ldmatrix, movmatrix, stmatrix: a product of matrices in shared memory ---- */

/* The address of a lane's row goes to %r<to>: `bytes` for each of the lanes with the bits of `mask`, and `more` from
 * lane `from` on. */
static void print_row(FILE *f, int to, int at, unsigned mask, int bytes, unsigned from, int more)
{
    fprintf(f, "  and.b32 %%r62, %%t, %u;\n  mad.lo.u32 %%r%d, %%r62, %d, %%r5;\n  and.b32 %%r62, %%t, %u;\n"
            "  setp.ne.u32 %%p1, %%r62, 0;\n  @%%p1 add.u32 %%r%d, %%r%d, %d;\n  add.u32 %%r%d, %%r%d, %d;\n",
            mask, to, bytes, from, to, to, more, to, to, at);
}

/* A, B and C by rows, D by rows or columns; B is transposed by ldmatrix, or by movmatrix. */
static void rows_test(struct behave_ctx *x, bool moved, bool columns)
{
    static const struct wmma w = { 16, 8, 16, F16, F16, F16, "" };
    char body[4096], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    run = (struct wmma_run){ &w, stored(true, 16, 16, F16, DEFAULT), stored(true, 16, 8, F16, DEFAULT),
                             stored(true, 16, 8, F16, DEFAULT), stored(!columns, 16, 8, F16, DEFAULT) };
    gemm = (struct gemm){ .m = 16, .n = 8, .k = 16, .a = F16, .b = F16, .c = F16 };
    fill(&gemm, moved + 2u * columns);
    fputs("  mov.u64 %d4, %b;\n  mov.u32 %r5, tile;\n", f);
    print_copy(f, false);
    print_row(f, 10, 0, 15, 32, 16, 16);
    print_row(f, 11, AREA, 15, 16, 16, 0);
    print_row(f, 12, 2 * AREA, 15, 16, 16, 0);
    print_row(f, 13, 3 * AREA, columns ? 7 : 15, columns ? 32 : 16, columns ? 8 : 0, 16);
    fprintf(f, "  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r20, %%r21, %%r22, %%r23}, [%%r10];\n"
            "  ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%%r24, %%r25}, [%%r11];\n%s"
            "  ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%%r26, %%r27}, [%%r12];\n"
            "  mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%%r28, %%r29}, {%%r20, %%r21, %%r22, %%r23}, "
            "{%%r24, %%r25}, {%%r26, %%r27};\n"
            "  stmatrix.sync.aligned.m8n8.x2%s.shared.b16 [%%r13], {%%r28, %%r29};\n  bar.warp.sync -1;\n",
            moved ? "" : ".trans",
            moved ? "  movmatrix.sync.aligned.m8n8.trans.b16 %r24, %r24;\n"
                    "  movmatrix.sync.aligned.m8n8.trans.b16 %r25, %r25;\n" : "",
            columns ? ".trans" : "");
    print_copy(f, true);
    fclose(f);
    snprintf(name, sizeof name, "a product by ldmatrix%s, stmatrix%s", moved ? ", movmatrix" : ".trans",
             columns ? ".trans" : "");
    behave_one(x, &(struct behave_test){ .name = name, .module = ".shared .align 32 .b8 tile[8192];\n", .body = body,
                                         .block = LANES, .prepare = put_matrices, .check_buffer = get_matrix });
}

void behave_gemm(struct behave_ctx *x)
{
    uint32_t turn = 0;
    for (int i = 0; i < 4; i++)
        rows_test(x, i & 1, i & 2);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        product_test(x, &products[i]);
    for (size_t i = 0; i < sizeof wmmas / sizeof *wmmas; i++)
        for (int layouts = 0; layouts < 4; layouts++)
            if (kinds[wmmas[i].a].bits >= 8 || layouts == 2)
                for (int again = 0; again < 3; again++)
                    wmma_test(x, &wmmas[i], layouts & 2, layouts & 1, turn++);
}
