/*
 * Sparse products (mma.sp) against a triple loop over a dense A. A test chooses which elements of each chunk of A are
 * there, and in which order they are stored, and random bits for them and for B; what is not there takes no part in a
 * sum, so that a NaN of B beside it has no effect. Then it fills the registers of every lane by tables of where
 * elements and metadata lie. They are those of CUTLASS 3 (include/cute/atom/mma_traits_sm90_gmma_sparse.hpp, ELayout,
 * and tools/util/include/cutlass/util/host_uncompress.h, BSD-3-Clause: facts of its layouts), which do not share the
 * formulas of the simulator. Sums are one fused multiply-add for each stored element, in the order of storage.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress/conformance/behave/behave.h"

enum { ROWS = 16, COLUMNS = 8, DEEP = 128, LANES = 32, AT_B = 16, AT_C = 32, AT_WORD = 48, RECORD = 64, AT_D = 4096 };

struct type {
    const char *a, *b, *sum;
    enum behave_kind kind_a, kind_b;
    int bits, chunk, stored;         /* elements of a chunk, and those that are there */
    int shape[2];
};

static const struct type types[] = {
    { "f16", "f16", "f16", BEHAVE_HALF, BEHAVE_HALF, 16, 4, 2, { 16, 32 } },
    { "f16", "f16", "f32", BEHAVE_HALF, BEHAVE_HALF, 16, 4, 2, { 16, 32 } },
    { "bf16", "bf16", "f32", BEHAVE_BRAIN, BEHAVE_BRAIN, 16, 4, 2, { 16, 32 } },
    { "tf32", "tf32", "f32", BEHAVE_TENSOR, BEHAVE_TENSOR, 32, 2, 1, { 8, 16 } },
    { "s8", "s8", "s32", BEHAVE_SIGNED, BEHAVE_SIGNED, 8, 4, 2, { 32, 64 } },
    { "u8", "s8", "s32", BEHAVE_UNSIGNED, BEHAVE_SIGNED, 8, 4, 2, { 32, 64 } },
    { "s8", "u8", "s32", BEHAVE_SIGNED, BEHAVE_UNSIGNED, 8, 4, 2, { 32, 64 } },
    { "u8", "u8", "s32", BEHAVE_UNSIGNED, BEHAVE_UNSIGNED, 8, 4, 2, { 32, 64 } },
    { "s4", "s4", "s32", BEHAVE_SIGNED, BEHAVE_SIGNED, 4, 8, 4, { 64, 128 } },
    { "u4", "s4", "s32", BEHAVE_UNSIGNED, BEHAVE_SIGNED, 4, 8, 4, { 64, 128 } },
    { "s4", "u4", "s32", BEHAVE_SIGNED, BEHAVE_UNSIGNED, 4, 8, 4, { 64, 128 } },
    { "u4", "u4", "s32", BEHAVE_UNSIGNED, BEHAVE_UNSIGNED, 4, 8, 4, { 64, 128 } },
    { "e4m3", "e4m3", "f32", BEHAVE_E4M3, BEHAVE_E4M3, 8, 4, 2, { 64 } },
    { "e4m3", "e5m2", "f32", BEHAVE_E4M3, BEHAVE_E5M2, 8, 4, 2, { 64 } },
    { "e5m2", "e4m3", "f32", BEHAVE_E5M2, BEHAVE_E4M3, 8, 4, 2, { 64 } },
    { "e5m2", "e5m2", "f32", BEHAVE_E5M2, BEHAVE_E5M2, 8, 4, 2, { 64 } },
};

static struct run {
    const struct type *t;
    int k, selector, lanes;          /* lanes of each four that give metadata */
    bool ordered, clamps, broken;    /* broken: indices are equal, or descend */
    uint8_t nibble[ROWS][BEHAVE_CHUNKS];
    uint32_t a[ROWS][DEEP], b[DEEP][COLUMNS], c[ROWS][COLUMNS];    /* a: dense; what is not there is garbage */
    int at[ROWS][DEEP / 2];          /* columns of the stored elements, in the order of storage */
} run;

static uint32_t seed;

static uint32_t pick(uint32_t n)
{
    return behave_random(&seed, n);
}

static uint32_t random_bits(int bits)
{
    return behave_random_bits(&seed, bits, run.t->kind_a >= BEHAVE_SIGNED);
}

static bool sums_half(const struct type *t)
{
    return !strcmp(t->sum, "f16");
}

/* ---- the matrices ---- */

/* Two different indices of 0 to 3; where the order is free they may descend. */
static uint8_t choose_indices(void)
{
    uint32_t i = pick(4), k = (i + 1 + pick(3)) % 4;
    if (run.broken && pick(2))
        k = pick(2) && i ? i - 1 : i;
    else if (run.ordered && k < i)
        return (uint8_t)(k | i << 2);
    return (uint8_t)(i | k << 2);
}

/* Of tf32, where one of two elements is there. */
static uint8_t choose_index(void)
{
    static const uint8_t undefined[] = { 0x2, 0xb, 0x0, 0x7 };
    uint32_t i = pick(2), bad = pick(4);
    return run.broken ? undefined[bad] : i ? 0xe : 0x4;
}

static void choose_chunk(int row, int chunk)
{
    const struct type *t = run.t;
    uint8_t nibble = run.nibble[row][chunk] = t->bits == 32 ? choose_index() : choose_indices();
    for (int i = 0; i < t->stored; i++)
        run.at[row][chunk * t->stored + i] = chunk * t->chunk + behave_chunk_column(t->bits, nibble, i);
}

static void fill(void)
{
    const struct type *t = run.t;
    int sum = sums_half(t) ? 16 : 32;
    for (int i = 0; i < ROWS; i++) {
        for (int chunk = 0; chunk < run.k / t->chunk; chunk++)
            choose_chunk(i, chunk);
        for (int k = 0; k < run.k; k++)
            run.a[i][k] = random_bits(t->bits);
        for (int j = 0; j < COLUMNS; j++) {
            run.c[i][j] = random_bits(sum);
            if (t->kind_a >= BEHAVE_SIGNED)
                run.c[i][j] = (run.c[i][j] & 0xfff) | (pick(2) ? 0x80000000 : 0x7ffff000);
        }
    }
    for (int k = 0; k < run.k; k++)
        for (int j = 0; j < COLUMNS; j++)
            run.b[k][j] = random_bits(t->bits);
}

static double element_a(int i, int k)
{
    return behave_element(run.t->kind_a, run.a[i][k], (uint32_t)run.t->bits);
}

static double element_b(int k, int j)
{
    return behave_element(run.t->kind_b, run.b[k][j], (uint32_t)run.t->bits);
}

static uint32_t integer_sum(int i, int j)
{
    int64_t s = (int32_t)run.c[i][j];
    for (int x = 0; x < run.k / 2; x++)
        s += (int64_t)element_a(i, run.at[i][x]) * (int64_t)element_b(run.at[i][x], j);
    return behave_integer_sum(s, run.clamps);
}

static uint32_t sum_of(int i, int j)
{
    bool half = sums_half(run.t);
    if (run.t->kind_a >= BEHAVE_SIGNED)
        return integer_sum(i, j);
    float s = behave_sum(run.c[i][j], half);
    for (int x = 0; x < run.k / 2; x++)
        s = fmaf((float)element_a(i, run.at[i][x]), (float)element_b(run.at[i][x], j), s);
    return behave_sum_bits(s, half);
}

/* ---- registers ---- */

/* The stored elements of A have the fragments of a product of half the depth. */
static void put_lane(unsigned char *to, int lane)
{
    const struct type *t = run.t;
    int g = lane / 4, q = lane % 4, per = 32 / t->bits, sum = sums_half(t) ? 16 : 32;
    for (int e = 0; e < run.k / 4; e++) {
        int row = g + 8 * (e / per % 2), x = per * q + e % per + 4 * per * (e / per / 2);
        behave_put_bits(to, (size_t)(e * t->bits), t->bits, run.a[row][run.at[row][x]]);
    }
    for (int e = 0; e < run.k / 4; e++)
        behave_put_bits(to + AT_B, (size_t)(e * t->bits), t->bits, run.b[per * q + e % per + 4 * per * (e / per)][g]);
    for (int e = 0; e < 4; e++)
        behave_put_bits(to + AT_C, (size_t)(e * sum), sum, run.c[g + 8 * (e / 2)][2 * q + e % 2]);
}

/* ---- metadata ---- */

int behave_chunk_column(int bits, uint8_t nibble, int i)
{
    int wide = bits == 4 ? 2 : 1;        /* elements of a pair */
    if (bits == 32)
        return nibble >> 1 & 1;
    return (i < wide ? nibble & 3 : nibble >> 2) * wide + i % wide;
}

/* Digits of a lane's number in its group of four, with their distance in rows and chunks; how many chunks of a word
 * belong to one row, and the rows until the next. */
static const struct layout { struct { int radix, row, chunk; } lane[2]; int in_row, across; } by_rows =
    { { { 2, 8, 0 }, { 2, 0, 8 } }, 8, 0 }, in_halves = { { { 4, 0, 4 } }, 4, 8 };

uint32_t behave_metadata(int bits, int lane, int selector, int lanes, uint8_t (*nibble)[BEHAVE_CHUNKS], uint32_t other)
{
    const struct layout *l = bits <= 8 ? &by_rows : &in_halves;
    int number = lane % 4 - selector * lanes, row = lane % 32 / 4, chunk = 0;
    uint32_t word = 0;
    if (number < 0 || number >= lanes)
        return other;
    for (int i = 0; i < 2 && l->lane[i].radix; number /= l->lane[i].radix, i++) {
        row += number % l->lane[i].radix * l->lane[i].row;
        chunk += number % l->lane[i].radix * l->lane[i].chunk;
    }
    for (int i = 0; i < 8; i++)
        word |= (uint32_t)nibble[row + i / l->in_row * l->across][chunk + i % l->in_row] << 4 * i;
    return word;
}

static void pack(simtx_gpu *gpu, simtx_module *m, void *buffer, bool end)
{
    unsigned char *to = buffer;
    (void)gpu;
    (void)m;
    for (int lane = 0; lane < LANES && !end; lane++, to += RECORD) {
        put_lane(to, lane);
        behave_put_bits(to + AT_WORD, 0, 32,
                        behave_metadata(run.t->bits, lane, run.selector, run.lanes, run.nibble,
                                        pick(1 << 16) * 0x10001));
    }
}

static void check(const unsigned char *buffer, bool *ok)
{
    bool half = sums_half(run.t);
    for (int lane = 0; lane < LANES; lane++)
        for (int e = 0; e < 4; e++) {
            uint32_t word, want = sum_of(lane / 4 + 8 * (e / 2), lane % 4 * 2 + e % 2);
            memcpy(&word, buffer + AT_D + lane * 16 + (half ? e / 2 : e) * 4, 4);
            *ok &= (half ? word >> 16 * (e % 2) & 0xffff : word) == want;
        }
}

/* ---- the kernel ---- */

static void print_list(FILE *f, char letter, int first, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%%%c%d", i ? ", " : "{", letter, first + i);
    fputs("}, ", f);
}

static void print_moves(FILE *f, bool store, char letter, int first, int n, int at)
{
    const char *type = letter == 'f' ? "f32" : "b32";
    for (int i = 0; i < n; i++)
        if (store)
            fprintf(f, "  st.global.%s [%%d2+%d], %%%c%d;\n", type, at + 4 * i, letter, first + i);
        else
            fprintf(f, "  ld.global.%s %%%c%d, [%%d1+%d];\n", type, letter, first + i, at + 4 * i);
}

static void product_test(struct behave_ctx *x, int number, const struct type *t, int k, int selector, bool ordered)
{
    bool half = sums_half(t), integer = t->kind_a >= BEHAVE_SIGNED;
    int na = k / 4 * t->bits / 32, nb = na, nd = half ? 2 : 4;
    char body[4096], name[160], sum = half || integer ? 'r' : 'f';
    run = (struct run){ .t = t, .k = k, .selector = selector, .lanes = k / t->chunk / 4, .ordered = ordered };
    seed = (uint32_t)number * 7919 + 3;
    run.clamps = integer && pick(2);
    run.broken = pick(8) == 0;
    fill();
    FILE *f = fmemopen(body, sizeof body, "w");
    fprintf(f, "  mul.wide.u32 %%d1, %%t, %d;\n  add.u64 %%d1, %%d1, %%b;\n  mul.wide.u32 %%d2, %%t, 16;\n"
            "  add.u64 %%d2, %%d2, %%b;\n", RECORD);
    print_moves(f, false, 'r', 8, na, 0);
    print_moves(f, false, 'r', 16, nb, AT_B);
    print_moves(f, false, sum, 24, nd, AT_C);
    fprintf(f, "  ld.global.b32 %%r32, [%%d1+%d];\n  mma.sp%s.sync.aligned.m16n8k%d.row.col%s.%s.%s.%s.%s ", AT_WORD,
            ordered ? "::ordered_metadata" : "", k, run.clamps ? ".satfinite" : "", t->sum, t->a, t->b, t->sum);
    print_list(f, sum, 28, nd);
    print_list(f, 'r', 8, na);
    print_list(f, 'r', 16, nb);
    print_list(f, sum, 24, nd);
    fprintf(f, "%%r32, %d;\n", selector);
    print_moves(f, true, sum, 28, nd, AT_D);
    fclose(f);
    snprintf(name, sizeof name, "mma.sp%s m16n8k%d %s.%s.%s%s, selector %d%s", ordered ? " ordered" : "", k, t->sum,
             t->a, t->b, run.clamps ? " clamped" : "", selector, run.broken ? ", illegal metadata" : "");
    behave_one(x, &(struct behave_test){ .name = name, .body = body, .block = LANES, .prepare = pack,
                                         .check_buffer = check, .cluster = 1, .simulated = run.broken });
}

void behave_sparse(struct behave_ctx *x)
{
    int number = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int s = 0; s < 2 && types[i].shape[s]; s++) {
            int k = types[i].shape[s], selectors = 4 / (k / types[i].chunk / 4);
            for (int n = 0; n < 2 * selectors; n++)
                product_test(x, number++, &types[i], k, n / 2, n % 2);
        }
}
