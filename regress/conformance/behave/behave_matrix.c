/*
 * Behaviour of matrix instructions and asynchronous copies. The registers of mma hold bytes of the buffer, so that the
 * numbers include NaN, infinities and subnormal ones; the layouts are those that the PTX ISA gives for elements a_i,
 * b_i and c_i; sums are made of one fused multiply-add for each product, k ascending.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress/conformance/behave/behave.h"

enum { THREADS = 64, AT_A = 0, AT_B = 32, AT_C = 64, STRIDE = 128 };

static uint64_t bits_of(uint32_t thread, uint32_t at, uint32_t bit, uint32_t n)
{
    uint64_t v = 0;
    uint32_t byte = thread * STRIDE + at + bit / 8;
    for (uint32_t i = 0; i < (n + 7) / 8; i++)
        v |= (uint64_t)behave_fill(byte + i) << 8 * i;
    return n < 8 ? v >> bit % 8 & ((1u << n) - 1) : v;
}

static double half_value(uint32_t v)
{
    int e = v >> 10 & 31, f = v & 1023;
    double m = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return v >> 15 ? -m : m;
}

static float float_value(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* The formats of the OCP 8-bit Floating Point Specification (OFP8). */
static double small_value(uint32_t v, int fraction_bits, int bias)
{
    int e = (int)(v >> fraction_bits) & ((128 >> fraction_bits) - 1), f = (int)v & ((1 << fraction_bits) - 1);
    double m = e ? ldexp((1 << fraction_bits) + f, e - bias - fraction_bits) : ldexp(f, 1 - bias - fraction_bits);
    if (fraction_bits == 3 ? (v & 127) == 127 : e == 31)
        m = fraction_bits == 3 || f ? NAN : INFINITY;
    return v >> 7 ? -m : m;
}

double behave_element(enum behave_kind k, uint64_t v, uint32_t bits)
{
    double d;
    switch (k) {
    case BEHAVE_HALF: return half_value((uint32_t)v);
    case BEHAVE_BRAIN: return float_value((uint32_t)v << 16);
    case BEHAVE_TENSOR: return float_value((uint32_t)v & ~0x1fffu);
    case BEHAVE_E4M3: return small_value((uint32_t)v, 3, 7);
    case BEHAVE_E5M2: return small_value((uint32_t)v, 2, 15);
    case BEHAVE_DOUBLE: memcpy(&d, &v, 8); return d;
    case BEHAVE_SIGNED: return (double)((int64_t)(v << (64 - bits)) >> (64 - bits));
    default: return (double)v;
    }
}

struct product {
    const char *text;                /* after mma.sync.aligned. */
    enum behave_kind a, b;
    int m, k, bits;
    bool half_sum, clamps, xors;
};

/* Element (i, k) of A: a_e of some lane of the warp. */
static double element_a(const struct product *p, uint32_t warp, int row, int k)
{
    int per = p->bits == 64 ? 1 : 32 / p->bits, lane = row % 8 * 4 + k % (4 * per) / per;
    int e = k % per + (row >= 8 ? per : 0) + (k >= 4 * per ? p->m / 8 * per : 0);
    return behave_element(p->a, bits_of(warp * 32 + (uint32_t)lane, AT_A, (uint32_t)(e * p->bits), (uint32_t)p->bits),
                    (uint32_t)p->bits);
}

static double element_b(const struct product *p, uint32_t warp, int k, int column)
{
    int per = p->bits == 64 ? 1 : 32 / p->bits, lane = column * 4 + k % (4 * per) / per;
    int e = k % per + k / (4 * per) * per;
    return behave_element(p->b, bits_of(warp * 32 + (uint32_t)lane, AT_B, (uint32_t)(e * p->bits), (uint32_t)p->bits),
                    (uint32_t)p->bits);
}

uint32_t behave_half(float f)
{
    uint32_t sign = signbit(f) ? 0x8000 : 0;
    double a = fabs((double)f), unit;
    if (f != f)
        return 0x7fff;
    if (a >= 65520)
        return sign | 0x7c00;
    int e;
    frexp(a, &e);
    e = a == 0 || e < -13 ? -13 : e;
    unit = ldexp(1, e - 11);
    double n = nearbyint(a / unit);
    return sign | (uint32_t)(n + (e + 13) * 1024);
}

float behave_sum(uint32_t bits, bool half)
{
    return half ? (float)half_value(bits) : float_value(bits);
}

uint32_t behave_sum_bits(float s, bool half)
{
    uint32_t bits;
    memcpy(&bits, &s, 4);
    return half ? behave_half(s) : s != s ? 0x7fffffff : bits;
}

uint32_t behave_integer_sum(int64_t s, bool clamps)
{
    return (uint32_t)(clamps && s > INT32_MAX ? INT32_MAX : clamps && s < INT32_MIN ? INT32_MIN : s);
}

void behave_put_bits(unsigned char *to, size_t at, int bits, uint64_t v)
{
    for (int i = 0; i < bits; i++, at++)
        to[at / 8] = (unsigned char)((to[at / 8] & ~(1u << at % 8)) | (v >> i & 1) << at % 8);
}

uint32_t behave_random(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % n;
}

uint32_t behave_random_bits(uint32_t *seed, int bits, bool integer)
{
    uint32_t high = behave_random(seed, 1 << 16) << 16, v = high ^ behave_random(seed, 1 << 16);
    uint32_t top = bits == 8 ? 0x40 : bits == 16 ? 0x4000 : 0x40000000;
    if (!integer && behave_random(seed, 64))
        v &= ~top;
    return bits == 32 ? v : v & ((1u << bits) - 1);
}

static uint64_t sum_of(const struct product *p, uint32_t thread, int i)
{
    uint32_t warp = thread / 32, lane = thread % 32;
    int row = (int)lane / 4 + (i >= 2 ? 8 : 0), column = (int)lane % 4 * 2 + i % 2, depth = p->k;
    uint64_t c = bits_of(thread, AT_C, (uint32_t)i * (p->half_sum ? 16 : p->bits == 64 ? 64 : 32),
                         p->half_sum ? 16 : p->bits == 64 ? 64 : 32), word;
    if (p->a >= BEHAVE_SIGNED) {
        int64_t s = (int32_t)c;
        for (int k = 0; k < depth; k++) {
            int64_t a = (int64_t)element_a(p, warp, row, k), b = (int64_t)element_b(p, warp, k, column);
            s += p->xors ? a ^ b : a * b;
        }
        return behave_integer_sum(s, p->clamps);
    }
    if (p->a == BEHAVE_DOUBLE) {
        double s = behave_element(BEHAVE_DOUBLE, c, 64);
        for (int k = 0; k < depth; k++)
            s = fma(element_a(p, warp, row, k), element_b(p, warp, k, column), s);
        memcpy(&word, &s, 8);
        return s != s ? 0x7fffffffffffffff : word;
    }
    float s = behave_sum((uint32_t)c, p->half_sum);
    for (int k = 0; k < depth; k++)
        s = fmaf((float)element_a(p, warp, row, k), (float)element_b(p, warp, k, column), s);
    return behave_sum_bits(s, p->half_sum);
}

static void list(FILE *f, const char *reg, int first, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%%%s%d", i ? ", " : "{", reg, first + i);
    fputs("}", f);
}

static void product_test(struct behave_ctx *x, const struct product *p)
{
    bool wide = p->a == BEHAVE_DOUBLE;
    int size = wide ? 8 : 4, per = wide ? 64 : 32;
    int na = p->m * p->k * p->bits / 32 / per, nb = 8 * p->k * p->bits / 32 / per;
    int sums = p->m / 4, nc = p->half_sum ? sums / 2 : sums;
    const char *reg = wide ? "d" : "r", *type = wide ? "u64" : "u32";
    char body[4096];
    FILE *f = fmemopen(body, sizeof body, "w");
    fprintf(f, "  mul.wide.u32 %%d20, %%i, %d;\n  add.u64 %%d21, %%b, %%d20;\n", STRIDE);
    for (int i = 0; i < na; i++)
        fprintf(f, "  ld.global.%s %%%s%d, [%%d21+%d];\n", type, reg, 30 + i, AT_A + i * size);
    for (int i = 0; i < nb; i++)
        fprintf(f, "  ld.global.%s %%%s%d, [%%d21+%d];\n", type, reg, 40 + i, AT_B + i * size);
    for (int i = 0; i < nc; i++)
        fprintf(f, "  ld.global.%s %%%s%d, [%%d21+%d];\n", type, reg, 50 + i, AT_C + i * size);
    if (wide) {
        for (int i = 0; i < 10; i++)
            for (int k = 3; k < 6; k++)
                if (i < (k == 3 ? na : k == 4 ? nb : nc))
                    fprintf(f, "  mov.b64 %%e%d, %%d%d;\n", 10 * k + i, 10 * k + i);
        reg = "e";
    }
    fprintf(f, "  mma.sync.aligned.%s ", p->text);
    if (!wide && !p->half_sum && p->a < BEHAVE_SIGNED) {
        for (int i = 0; i < nc; i++)
            fprintf(f, "%s%%f%d", i ? ", " : "{", 50 + i);
        fputs("}, ", f);
    } else {
        list(f, reg, 50, nc);
        fputs(", ", f);
    }
    list(f, reg, 30, na);
    fputs(", ", f);
    list(f, reg, 40, nb);
    fputs(", ", f);
    list(f, reg, 50, nc);
    fputs(";\n", f);
    for (int i = 0; i < nc; i++)
        if (!wide && !p->half_sum && p->a < BEHAVE_SIGNED)
            fprintf(f, "  mov.b32 %%r%d, %%f%d;\n", 50 + i, 50 + i);
    for (int i = 0; i < nc; i++)
        fprintf(f, wide ? "  st.global.f64 [%%o+%d], %%%s%d;\n" : "  st.global.u32 [%%o+%d], %%%s%d;\n", 8 * i, reg,
                50 + i);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        for (int i = 0; i < sums; i++)
            if (p->half_sum)
                words[t * BEHAVE_WORDS + (uint32_t)i / 2] |= sum_of(p, t, i) << 16 * (i % 2);
            else
                words[t * BEHAVE_WORDS + (uint32_t)i] = sum_of(p, t, i);
    behave_table(x, p->text, NULL, body, THREADS, words, (1u << nc) - 1);
}

static const struct product products[] = {
    { "m16n8k8.row.col.f16.f16.f16.f16", BEHAVE_HALF, BEHAVE_HALF, 16, 8, 16, true, false, false },
    { "m16n8k16.row.col.f16.f16.f16.f16", BEHAVE_HALF, BEHAVE_HALF, 16, 16, 16, true, false, false },
    { "m16n8k8.row.col.f32.f16.f16.f32", BEHAVE_HALF, BEHAVE_HALF, 16, 8, 16, false, false, false },
    { "m16n8k16.row.col.f32.f16.f16.f32", BEHAVE_HALF, BEHAVE_HALF, 16, 16, 16, false, false, false },
    { "m16n8k8.row.col.f32.bf16.bf16.f32", BEHAVE_BRAIN, BEHAVE_BRAIN, 16, 8, 16, false, false, false },
    { "m16n8k16.row.col.f32.bf16.bf16.f32", BEHAVE_BRAIN, BEHAVE_BRAIN, 16, 16, 16, false, false, false },
    { "m16n8k4.row.col.f32.tf32.tf32.f32", BEHAVE_TENSOR, BEHAVE_TENSOR, 16, 4, 32, false, false, false },
    { "m16n8k8.row.col.f32.tf32.tf32.f32", BEHAVE_TENSOR, BEHAVE_TENSOR, 16, 8, 32, false, false, false },
    { "m16n8k16.row.col.f32.e4m3.e4m3.f32", BEHAVE_E4M3, BEHAVE_E4M3, 16, 16, 8, false, false, false },
    { "m16n8k32.row.col.f32.e4m3.e5m2.f32", BEHAVE_E4M3, BEHAVE_E5M2, 16, 32, 8, false, false, false },
    { "m16n8k32.row.col.f32.e5m2.e5m2.f32", BEHAVE_E5M2, BEHAVE_E5M2, 16, 32, 8, false, false, false },
    { "m16n8k32.row.col.f16.e4m3.e4m3.f16", BEHAVE_E4M3, BEHAVE_E4M3, 16, 32, 8, true, false, false },
    { "m16n8k16.row.col.f16.e5m2.e4m3.f16", BEHAVE_E5M2, BEHAVE_E4M3, 16, 16, 8, true, false, false },
    { "m8n8k4.row.col.f64.f64.f64.f64", BEHAVE_DOUBLE, BEHAVE_DOUBLE, 8, 4, 64, false, false, false },
    { "m16n8k4.row.col.f64.f64.f64.f64", BEHAVE_DOUBLE, BEHAVE_DOUBLE, 16, 4, 64, false, false, false },
    { "m16n8k8.row.col.f64.f64.f64.f64", BEHAVE_DOUBLE, BEHAVE_DOUBLE, 16, 8, 64, false, false, false },
    { "m8n8k16.row.col.s32.s8.s8.s32", BEHAVE_SIGNED, BEHAVE_SIGNED, 8, 16, 8, false, false, false },
    { "m16n8k16.row.col.satfinite.s32.s8.u8.s32", BEHAVE_SIGNED, BEHAVE_UNSIGNED, 16, 16, 8, false, true, false },
    { "m16n8k32.row.col.s32.u8.s8.s32", BEHAVE_UNSIGNED, BEHAVE_SIGNED, 16, 32, 8, false, false, false },
    { "m16n8k32.row.col.satfinite.s32.u8.u8.s32", BEHAVE_UNSIGNED, BEHAVE_UNSIGNED, 16, 32, 8, false, true, false },
    { "m8n8k32.row.col.s32.s4.s4.s32", BEHAVE_SIGNED, BEHAVE_SIGNED, 8, 32, 4, false, false, false },
    { "m16n8k32.row.col.s32.u4.s4.s32", BEHAVE_UNSIGNED, BEHAVE_SIGNED, 16, 32, 4, false, false, false },
    { "m16n8k64.row.col.satfinite.s32.s4.u4.s32", BEHAVE_SIGNED, BEHAVE_UNSIGNED, 16, 64, 4, false, true, false },
    { "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", BEHAVE_BITS, BEHAVE_BITS, 8, 128, 1, false, false, true },
    { "m16n8k128.row.col.s32.b1.b1.s32.and.popc", BEHAVE_BITS, BEHAVE_BITS, 16, 128, 1, false, false, false },
    { "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", BEHAVE_BITS, BEHAVE_BITS, 16, 256, 1, false, false, true },
};

/* ---- matrices in shared memory ---- */

#define SHARED_TILE ".shared .align 16 .b8 tile[4096];\n"
/* %r9: the address of the warp's tile; each thread writes 16 bytes whose halves are 8 x its number and on. */
#define FILL_TILE                                                                                                   \
    "  mov.u32 %r9, tile;\n  shr.u32 %r8, %t, 5;\n  shl.b32 %r8, %r8, 9;\n  add.u32 %r9, %r9, %r8;\n"                \
    "  and.b32 %r7, %t, 31;\n  shl.b32 %r6, %r7, 4;\n  add.u32 %r10, %r9, %r6;\n  shl.b32 %r5, %r7, 3;\n"            \
    "  mul.lo.u32 %r5, %r5, 0x10001;\n  add.u32 %r5, %r5, 0x10000;\n  st.shared.u32 [%r10], %r5;\n"                  \
    "  add.u32 %r5, %r5, 0x20002;\n  st.shared.u32 [%r10+4], %r5;\n  add.u32 %r5, %r5, 0x20002;\n"                   \
    "  st.shared.u32 [%r10+8], %r5;\n  add.u32 %r5, %r5, 0x20002;\n  st.shared.u32 [%r10+12], %r5;\n  bar.sync 0;\n"

/* The halves of matrix m at lane i: element (row, column) is 64 m + 8 row + column. */
static uint64_t matrix_word(uint32_t m, uint32_t i, bool transposed)
{
    uint32_t line = i / 4, at = i % 4 * 2, base = 64 * m;
    return transposed ? (base + 8 * at + line) | (base + 8 * (at + 1) + line) << 16
                      : (base + 8 * line + at) | (base + 8 * line + at + 1) << 16;
}

static void load_test(struct behave_ctx *x, uint32_t n, bool transposed, bool generic)
{
    char body[2048], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    fputs(FILL_TILE, f);
    if (generic)
        fputs("  cvt.u64.u32 %d10, %r10;\n  cvta.shared.u64 %d10, %d10;\n", f);
    fprintf(f, "  ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 ", n, transposed ? ".trans" : "", generic ? "" : ".shared");
    list(f, "r", 20, (int)n);
    fputs(generic ? ", [%d10];\n" : ", [%r10];\n", f);
    for (uint32_t m = 0; m < n; m++)
        fprintf(f, "  st.global.u32 [%%o+%u], %%r%u;\n", 8 * m, 20 + m);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t m = 0; m < n; m++)
            words[t * BEHAVE_WORDS + m] = matrix_word(m, t % 32, transposed);
    snprintf(name, sizeof name, "ldmatrix.x%u%s%s", n, transposed ? ".trans" : "",
             generic ? " of generic addresses" : "");
    behave_table(x, name, SHARED_TILE, body, THREADS, words, (1u << n) - 1);
}

static void store_test(struct behave_ctx *x, uint32_t n, bool transposed)
{
    char body[2048], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    fputs(FILL_TILE, f);
    fputs("  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r10];\n  bar.sync 0;\n", f);
    fprintf(f, "  stmatrix.sync.aligned.m8n8.x%u%s.shared::cta.b16 [%%r10+1024], ", n, transposed ? ".trans" : "");
    list(f, "r", 20, (int)n);
    fputs(";\n  bar.sync 0;\n  mad.lo.u32 %r11, %r7, -12, %r10;\n", f);
    for (uint32_t m = 0; m < n; m++)
        fprintf(f, "  ld.shared.u32 %%r12, [%%r11+%u];\n  st.global.u32 [%%o+%u], %%r12;\n", 1024 + 128 * m, 8 * m);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t m = 0; m < n; m++)
            words[t * BEHAVE_WORDS + m] = matrix_word(m, t % 32, transposed);
    snprintf(name, sizeof name, "stmatrix.x%u%s", n, transposed ? ".trans" : "");
    behave_table(x, name, SHARED_TILE, body, THREADS, words, (1u << n) - 1);
}

/* Lanes that come from the sides of a branch meet at ldmatrix, also if they are independent. */
static void met_test(struct behave_ctx *x)
{
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        words[t * BEHAVE_WORDS] = matrix_word(0, t % 32, false) + (t & 4 ? 0x70007u : 0);
    behave_table(x, "ldmatrix after a branch", SHARED_TILE, FILL_TILE
                 "  and.b32 %r1, %t, 1;\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n  nanosleep.u32 50;\n"
                 "  ld.shared.u32 %r2, [%r10];\n  add.u32 %r2, %r2, 0x70007;\n  st.shared.u32 [%r10], %r2;\n"
                 "  ld.shared.u32 %r2, [%r10+4];\n  add.u32 %r2, %r2, 0x70007;\n  st.shared.u32 [%r10+4], %r2;\n"
                 "  ld.shared.u32 %r2, [%r10+8];\n  add.u32 %r2, %r2, 0x70007;\n  st.shared.u32 [%r10+8], %r2;\n"
                 "  ld.shared.u32 %r2, [%r10+12];\n  add.u32 %r2, %r2, 0x70007;\n  st.shared.u32 [%r10+12], %r2;\n"
                 "L:\n  ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r3, [%r10];\n  st.global.u32 [%o], %r3;\n",
                 THREADS, words, 1);
}

/* Warps whose guard is false keep their registers. */
static void guard_test(struct behave_ctx *x)
{
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        words[t * BEHAVE_WORDS] = t < 32 ? matrix_word(0, t % 32, false) : 7;
    behave_table(x, "ldmatrix with a guard", SHARED_TILE, FILL_TILE
                 "  setp.lt.u32 %p1, %t, 32;\n  mov.u32 %r3, 7;\n"
                 "  @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r3, [%r10];\n  st.global.u32 [%o], %r3;\n",
                 THREADS, words, 1);
}

static void move_test(struct behave_ctx *x)
{
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        words[t * BEHAVE_WORDS] = matrix_word(0, t % 32, true);
    behave_table(x, "movmatrix", NULL,
                 "  and.b32 %r1, %t, 31;\n  shl.b32 %r1, %r1, 1;\n  mul.lo.u32 %r1, %r1, 0x10001;\n"
                 "  add.u32 %r1, %r1, 0x10000;\n  movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
                 "  st.global.u32 [%o], %r2;\n", THREADS, words, 1);
}

/* ---- asynchronous copies ---- */

static uint64_t buffer_word(uint32_t at, uint32_t n)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; i++)
        v |= (uint64_t)behave_fill(at + i) << 8 * i;
    return v;
}

/* The words 0 .. 4: 4, 8, 16 bytes, 5 of 8, none (a predicate). */
static bool copied(uint32_t i, uint32_t k, uint64_t *word)
{
    uint32_t at = 16 * i;
    *word = k == 0 ? buffer_word(at, 4) : k == 1 ? buffer_word(at, 8) : k == 2 ? buffer_word(at + 8, 8)
            : k == 3 ? buffer_word(at, 5) : i & 1 ? buffer_word(at, 8) : 0;
    return k < 5;
}

/* The tests of the sequence below, from bit 0 on, and the arrivals that were pending before its second one. */
static bool barrier_object(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = k == 0 ? 1 << 1 | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7 | 1 << 8 : 2;
    return k < 2;
}

#define TEST(BIT, INSTRUCTION) \
    "  " INSTRUCTION "\n  selp.u32 %r3, 1, 0, %p1;\n  bfi.b32 %r4, %r3, %r4, " #BIT ", 1;\n"

/* Every thread has an object of its own. */
static void barrier_object_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "mbarrier", .module = ".shared .align 8 .b8 objects[8192];\n", .expect = barrier_object, .body =
          "  mov.u32 %r1, objects;\n  mad.lo.u32 %r1, %t, 8, %r1;\n  mov.u32 %r4, 0;\n"
          "  mbarrier.init.shared.b64 [%r1], 3;\n  mbarrier.arrive.shared.b64 %d1, [%r1];\n"
          "  mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d2, [%r1], 1;\n"
          "  mbarrier.pending_count.b64 %r2, %d2;\n  st.global.u32 [%o+8], %r2;\n"
          TEST(0, "mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;")
          "  mbarrier.arrive.relaxed.cta.shared.b64 _, [%r1];\n"
          TEST(1, "mbarrier.test_wait.acquire.cta.shared.b64 %p1, [%r1], %d1;")
          TEST(2, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;")
          TEST(3, "mbarrier.try_wait.shared.b64 %p1, [%r1], %d1, 50;")
          TEST(4, "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1;")
          "  mbarrier.arrive_drop.shared.b64 %d1, [%r1];\n  mbarrier.arrive_drop.noComplete.shared.b64 %d1, [%r1], 1;\n"
          "  mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 16;\n"
          TEST(5, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;")
          "  mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 16;\n"
          TEST(6, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;")
          "  mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 8;\n  mbarrier.complete_tx.shared.b64 [%r1], 8;\n"
          "  mbarrier.arrive_drop.expect_tx.shared.b64 %d1, [%r1], 4;\n  mbarrier.complete_tx.shared.b64 [%r1], 4;\n"
          TEST(7, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;")
          "  mbarrier.init.shared.b64 [%r1], 2;\n  cp.async.mbarrier.arrive.shared.b64 [%r1];\n"
          "  cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n  mbarrier.arrive.shared.b64 _, [%r1];\n"
          TEST(8, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;")
          "  mbarrier.inval.shared.b64 [%r1];\n  st.global.u32 [%o], %r4;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

static void copy_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "cp.async", .module = ".shared .align 16 .b8 tile[8192];\n", .expect = copied, .body =
          "  mul.wide.u32 %d1, %i, 16;\n  add.u64 %d2, %b, %d1;\n  mov.u32 %r1, tile;\n  mad.lo.u32 %r1, %t, 16, %r1;\n"
          "  mov.u32 %r2, 5;\n  and.b32 %r3, %t, 1;\n  setp.eq.u32 %p1, %r3, 0;\n"
          "  createpolicy.cvt.L2.b64 %d9, 0x10F0000000000000;\n"
          "  createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d9, 0.5;\n"
          "  cp.async.ca.shared.global [%r1], [%d2], 4;\n"
          "  cp.async.ca.shared::cta.global.L2::cache_hint.L2::64B [%r1+1024], [%d2], 8, %d9;\n"
          "  cp.async.commit_group;\n"
          "  cp.async.cg.shared.global.L2::256B [%r1+2048], [%d2], 16;\n"
          "  cp.async.ca.shared.global [%r1+3072], [%d2], 8, %r2;\n  cp.async.wait_group 1;\n"
          "  ld.shared.u32 %r4, [%r1];\n  st.global.u32 [%o], %r4;\n"
          "  ld.shared.u64 %d3, [%r1+1024];\n  st.global.u64 [%o+8], %d3;\n"
          "  cp.async.ca.shared.global [%r1+4096], [%d2], 8, %p1;\n  cp.async.wait_all;\n"
          "  ld.shared.u64 %d3, [%r1+2056];\n  st.global.u64 [%o+16], %d3;\n"
          "  ld.shared.u64 %d3, [%r1+3072];\n  st.global.u64 [%o+24], %d3;\n"
          "  ld.shared.u64 %d3, [%r1+4096];\n  st.global.u64 [%o+32], %d3;\n" },
        { .name = "cp.async to a misaligned address", .module = ".shared .align 16 .b8 tile[2048];\n",
          .fault = SIMTX_FAULT_MISALIGNED, .body =
          "  mov.u32 %r1, tile;\n  cp.async.ca.shared.global [%r1+4], [%b], 8;\n  cp.async.wait_all;\n" },
        { .name = "cp.async from a misaligned address", .module = ".shared .align 16 .b8 tile[2048];\n",
          .fault = SIMTX_FAULT_MISALIGNED, .body =
          "  mov.u32 %r1, tile;\n  cp.async.cg.shared.global [%r1], [%b+8], 16;\n  cp.async.wait_all;\n" },
        { .name = "cp.async past shared memory", .module = ".shared .align 16 .b8 tile[64];\n",
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          "  mov.u32 %r1, tile;\n  cp.async.cg.shared.global [%r1+65536], [%b], 16;\n  cp.async.wait_all;\n" },
        { .name = "cp.async from address 0", .module = ".shared .align 16 .b8 tile[64];\n",
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          "  mov.u32 %r1, tile;\n  mov.u64 %d1, 0;\n  cp.async.cg.shared.global [%r1], [%d1], 16;\n" },
        { .name = "ldmatrix of a misaligned row", .module = SHARED_TILE, .fault = SIMTX_FAULT_MISALIGNED, .body =
          "  mov.u32 %r1, tile;\n  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+8];\n" },
        { .name = "hints for caches", .body =
          "  createpolicy.range.global.L2::evict_first.L2::evict_unchanged.b64 %d9, [%b], 128, 256;\n"
          "  ld.global.L2::cache_hint.u32 %r1, [%b], %d9;\n  st.global.L2::cache_hint.u32 [%o], %r1, %d9;\n"
          "  discard.global.L2 [%b], 128;\n  applypriority.global.L2::evict_normal [%b], 128;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

void behave_matrix(struct behave_ctx *x)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        product_test(x, &products[i]);
    for (uint32_t n = 1; n <= 4; n *= 2)
        for (int transposed = 0; transposed < 2; transposed++) {
            load_test(x, n, transposed, false);
            load_test(x, n, transposed, true);
            store_test(x, n, transposed);
        }
    met_test(x);
    guard_test(x);
    move_test(x);
    copy_tests(x);
    barrier_object_tests(x);
}
