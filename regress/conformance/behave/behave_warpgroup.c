/*
 * wgmma against a triple loop over matrices of random bits. The host program puts the elements into shared memory by
 * the text of the ISA ("Shared Memory Matrix Layout"), not by the simulator's formula of addresses: core matrices of
 * 8 lines of 16 bytes; atoms of 8 lines of 32, 64 or 128 bytes, whose chunks of 16 bytes are swizzled by the number
 * of the line. Sums are one fused multiply-add for each product, k ascending. Of sparse products A is what is stored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress/conformance/behave/behave.h"

enum { ROWS = 64, COLUMNS = 256, DEPTH = 256, CHUNK = 16, THREADS = 128,
       AT_B = 12 << 10, IMAGE = 46 << 10, AT_REGISTERS = IMAGE, AT_METADATA = IMAGE + (2 << 10),
       SLOW = 2 << 10, TESTS = 96, SPARSE_TESTS = 48 };

struct type { const char *d, *a, *b; enum behave_kind kind_a, kind_b; int bits; bool half, integer; };

static const struct type types[] = {
    { "f32", "f16", "f16", BEHAVE_HALF, BEHAVE_HALF, 16, false, false },
    { "f16", "f16", "f16", BEHAVE_HALF, BEHAVE_HALF, 16, true, false },
    { "f32", "bf16", "bf16", BEHAVE_BRAIN, BEHAVE_BRAIN, 16, false, false },
    { "f32", "tf32", "tf32", BEHAVE_TENSOR, BEHAVE_TENSOR, 32, false, false },
    { "f32", "e4m3", "e4m3", BEHAVE_E4M3, BEHAVE_E4M3, 8, false, false },
    { "f16", "e4m3", "e5m2", BEHAVE_E4M3, BEHAVE_E5M2, 8, true, false },
    { "f32", "e5m2", "e4m3", BEHAVE_E5M2, BEHAVE_E4M3, 8, false, false },
    { "f16", "e5m2", "e5m2", BEHAVE_E5M2, BEHAVE_E5M2, 8, true, false },
    { "s32", "s8", "s8", BEHAVE_SIGNED, BEHAVE_SIGNED, 8, false, true },
    { "s32", "u8", "u8", BEHAVE_UNSIGNED, BEHAVE_UNSIGNED, 8, false, true },
    { "s32", "s8", "u8", BEHAVE_SIGNED, BEHAVE_UNSIGNED, 8, false, true },
    { "s32", "u8", "s8", BEHAVE_UNSIGNED, BEHAVE_SIGNED, 8, false, true },
    { "s32", "b1", "b1", BEHAVE_BITS, BEHAVE_BITS, 1, false, true },
};

/* Where a matrix lies: from `at` on, the pattern of the swizzle begins `shift` times 128 bytes after a multiple of its
 * length; the first element is `skipped` chunks after the beginning of its atom's lines. Bytes. */
struct stored { uint32_t at, width, leading, stride, shift, skipped; bool across; };

static struct run {
    const struct type *t;
    int n, k, stored, group;         /* stored: of a row of A; group: of the block, whose earlier warps only copy */
    int selector, lanes;             /* of metadata */
    bool sparse, in_registers, clamps, twice;
    enum { ADDS, OVERWRITES, ADDS_NOT_P, ADDS_ONE, OVERWRITES_ZERO } adds;
    int sign_a, sign_b;
    struct stored a, b;
    unsigned char image[IMAGE];
    uint32_t va[ROWS][DEPTH], vb[COLUMNS][DEPTH];
    uint8_t nibble[ROWS][BEHAVE_CHUNKS];
    int at[ROWS][DEPTH];             /* the row of B of each stored element of A */
} run;

static uint32_t seed;

static uint32_t pick(uint32_t n)
{
    return behave_random(&seed, n);
}

/* ---- matrices in shared memory ---- */

/* The bit of element k of row or column `line`. */
static size_t bit_of(const struct stored *s, int line, int k, int bits)
{
    uint32_t per = 128 / (uint32_t)bits, w = s->width / CHUNK, x = (uint32_t)(s->across ? line : k),
             y = (uint32_t)(s->across ? k : line), chunk = x / per + s->skipped, row = y % 8, at = s->at;
    if (w == 1) {                        /* core matrices */
        at += row * CHUNK + x / per * (s->across ? s->stride : s->leading);
        at += y / 8 * (s->across ? s->leading : s->stride);
    } else {                             /* atoms: lines of w chunks, eight of them */
        uint32_t swizzled = w == 8 ? row : w == 4 ? row / 2 : row / 4;
        at += y / 8 * s->stride + chunk / w * s->leading + row * s->width + (chunk % w ^ swizzled) * CHUNK;
    }
    return (size_t)at * 8 + x % per * (size_t)bits;
}

/* Chooses a layout of n lines of k elements in `room` bytes. */
static struct stored choose(int n, int k, int bits, uint32_t room)
{
    static const uint32_t widths[] = { 16, 32, 64, 128 };
    struct stored s = { .width = widths[pick(4)], .across = bits == 16 && pick(2) };
    if (k * bits == 512 && !s.across && s.width == 32)
        s.width = 64;                    /* no stride leads to the second half of such a row */
    uint32_t w = s.width / CHUNK, along = (uint32_t)((s.across ? n : k) * bits / 128);
    uint32_t lines = (uint32_t)(s.across ? k : n), atom = 8 * s.width, across = (along + w - 1) / w;
    if (w > 1) {
        s.shift = pick(8) % (atom / 128);
        s.at = s.shift * 128;
        s.skipped = !s.across ? along * pick(w / along) : 0;
    }
    uint32_t pad = pick(2) * atom;
    for (;; pad = 0) {
        uint32_t outer = lines / 8, inner = w > 1 && !s.across ? 1 : across, one = atom + pad;
        bool inner_first = pick(2);
        uint32_t step_inner = inner_first ? one : one * outer, step_outer = inner_first ? one * inner : one;
        bool swapped = w == 1 && s.across;
        s.leading = swapped ? step_outer : step_inner;
        s.stride = swapped ? step_inner : step_outer;
        if (s.at + one * outer * inner <= room || !pad)
            return s;
    }
}

static void store(const struct stored *s, int n, int k, int bits, uint32_t (*v)[DEPTH])
{
    for (int i = 0; i < n; i++)
        for (int x = 0; x < k; x++)
            behave_put_bits(run.image, bit_of(s, i, x, bits), bits, v[i][x]);
}

/* Without the start address. */
static uint64_t descriptor(const struct stored *s)
{
    uint64_t mode = s->width == 16 ? 0 : s->width == 128 ? 1 : s->width == 64 ? 2 : 3;
    uint64_t leading = s->width > 16 && !s->across ? 1 : s->leading / CHUNK;
    return leading << 16 | (uint64_t)(s->stride / CHUNK) << 32 | (uint64_t)s->shift << 49 | mode << 62;
}

/* ---- elements ---- */

/* Word i of D of a thread before the product; the kernel computes the same. */
static uint32_t word_before(uint32_t thread, uint32_t i)
{
    uint32_t v = thread * 0x9e3779b1u + i * 0x85ebca6bu;
    if (run.t->integer)
        return (v & 0xfffff) | (i % 2 ? 0x80000000 : 0x7ff00000);
    return v & (run.t->half ? 0xbfffbfff : 0xbfffffff);
}

static int row_of(int thread, int i)
{
    return thread / 32 * 16 + thread % 32 / 4 + (i / 2 % 2) * 8;
}

static int column_of(int thread, int i)
{
    return i / 4 * 8 + thread % 4 * 2 + i % 2;
}

static bool adds(void)
{
    return run.adds == ADDS || run.adds == ADDS_NOT_P || run.adds == ADDS_ONE;
}

/* The row of B for stored element k of A. */
static int row_of_b(int row, int k)
{
    return run.sparse ? run.at[row][k] : k;
}

static double element_a(int row, int k)
{
    return run.sign_a * behave_element(run.t->kind_a, run.va[row][k], (uint32_t)run.t->bits);
}

static double element_b(int column, int k)
{
    return run.sign_b * behave_element(run.t->kind_b, run.vb[column][k], (uint32_t)run.t->bits);
}

static uint32_t integer_sum(int row, int column, uint32_t before, bool add)
{
    int64_t s = add ? (int32_t)before : 0;
    for (int k = 0; k < run.stored; k++)
        s += (int64_t)element_a(row, k) * (int64_t)element_b(column, row_of_b(row, k));
    return behave_integer_sum(s, run.clamps);
}

/* Bits of the sum; before: of an element of D. */
static uint32_t sum_of(int row, int column, uint32_t before, bool add)
{
    float s = add ? behave_sum(before, run.t->half) : 0;
    if (run.t->integer)
        return integer_sum(row, column, before, add);
    for (int k = 0; k < run.stored; k++)
        s = fmaf((float)element_a(row, k), (float)element_b(column, row_of_b(row, k)), s);
    return behave_sum_bits(s, run.t->half);
}

static void check(const unsigned char *buffer, bool *ok)
{
    const uint32_t *word = (const uint32_t *)(const void *)buffer;
    uint32_t per = run.t->half ? 2 : 1, words = (uint32_t)run.n / 2 / per;
    for (uint32_t thread = 0; thread < THREADS; thread++)
        for (uint32_t e = 0; e < (uint32_t)run.n / 2; e++) {
            int row = row_of((int)thread, (int)e), column = column_of((int)thread, (int)e);
            uint32_t mask = run.t->half ? 0xffff : UINT32_MAX, shift = e % per * 16;
            uint32_t want = sum_of(row, column, word_before(thread, e / per) >> shift & mask, adds());
            if (run.twice)
                want = sum_of(row, column, want, true);
            *ok &= (word[thread * words + e / per] >> shift & mask) == want;
        }
}

/* ---- the kernel ---- */

/* The registers of A: those of thread t are 16 bytes from AT_REGISTERS + 16 t on (ISA, "Register Fragments"). */
static void put_registers(unsigned char *to)
{
    int per = run.t->bits == 1 ? 32 : 32 / run.t->bits;
    for (int thread = 0; thread < THREADS; thread++)
        for (int e = 0; e < 4 * per; e++) {
            int row = thread / 32 * 16 + thread % 32 / 4 + (e / per % 2) * 8;
            int k = thread % 4 * per + e % per + e / (2 * per) * 4 * per;
            behave_put_bits(to + CHUNK * thread, (size_t)(e * run.t->bits), run.t->bits, run.va[row][k]);
        }
}

/* Two elements of each four are there, of tf32 one of two. */
static void choose_elements(void)
{
    static const uint8_t legal[] = { 0x4, 0x8, 0x9, 0xc, 0xd, 0xe }, tensor[] = { 0x4, 0xe };
    bool pairs = run.t->bits != 32;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < run.stored; k++) {
            uint8_t *both = &run.nibble[i][pairs ? k / 2 : k];
            if (!pairs || k % 2 == 0)
                *both = pairs ? legal[pick(6)] : tensor[pick(2)];
            run.at[i][k] = (pairs ? k / 2 * 4 : 2 * k) + behave_chunk_column(run.t->bits, *both, pairs ? k % 2 : 0);
        }
}

static void put_metadata(unsigned char *to)
{
    for (int thread = 0; thread < THREADS; thread++)
        behave_put_bits(to + CHUNK * thread, 0, 32,
                        behave_metadata(run.t->bits, thread, run.selector, run.lanes, &run.nibble[thread / 32 * 16],
                                        pick(1 << 16) * 0x10001));
}

static void prepare(simtx_gpu *gpu, simtx_module *m, void *buffer, bool end)
{
    (void)gpu;
    (void)m;
    if (end)
        return;
    memcpy(buffer, run.image, IMAGE);
    put_registers((unsigned char *)buffer + AT_REGISTERS);
    if (run.sparse)
        put_metadata((unsigned char *)buffer + AT_METADATA);
}

static void print_descriptor(FILE *f, const char *reg, const struct stored *s, uint32_t from)
{
    fprintf(f, "  add.u32 %%r6, %%r5, %u;\n  shr.u32 %%r6, %%r6, 4;\n  cvt.u64.u32 %s, %%r6;\n"
            "  or.b64 %s, %s, 0x%llx;\n", from + s->at + s->skipped * CHUNK, reg, reg, reg,
            (unsigned long long)descriptor(s));
}

static void print_sums(FILE *f, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        fprintf(f, "%s%s%u", i ? ", " : "{", run.t->half || run.t->integer ? "%q" : "%g", i);
    fputs("}", f);
}

static void print_product(FILE *f, uint32_t words, const char *predicate)
{
    fprintf(f, "  wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s ", run.sparse ? ".sp" : "", run.n, run.k,
            run.clamps ? ".satfinite" : "", run.t->d, run.t->a, run.t->b, run.t->bits == 1 ? ".and.popc" : "");
    print_sums(f, words);
    fprintf(f, ", %s, %%d8, ", run.in_registers ? "{%r20, %r21, %r22, %r23}" : "%d7");
    if (run.sparse)
        fprintf(f, "%%r24, %d, ", run.selector);
    fputs(predicate, f);
    if (!run.t->integer)
        fprintf(f, ", %d, %d", run.sign_a, run.sign_b);
    if (run.t->bits == 16 && !run.in_registers)
        fprintf(f, ", %d", run.a.across);
    if (run.t->bits == 16)
        fprintf(f, ", %d", run.b.across);
    fputs(";\n  wgmma.commit_group.sync.aligned;\n", f);
}

/* The beginning of A is stored once more, after stores that take long, because their lanes are in one bank. */
static void print_late_stores(FILE *f)
{
    fputs("  mul.lo.u32 %r6, %t, 16;\n  cvt.u64.u32 %d5, %r6;\n  add.u64 %d5, %d5, %b;\n  add.u32 %r7, %r5, %r6;\n"
          "  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%d5];\n  mov.u32 %r12, 0;\n"
          "  st.shared.v4.u32 [%r7], {%r12, %r12, %r12, %r12};\n  and.b32 %r13, %t, 15;\n"
          "  mad.lo.u32 %r13, %r13, 128, %r5;\n  add.u32 %r8, %r8, 0;\n  bar.sync 0;\n", f);
    for (int i = 0; i < 4; i++)
        fprintf(f, "  st.shared.u32 [%%r13+%d], %%r12;\n", IMAGE);
    fputs("  st.shared.v4.u32 [%r7], {%r8, %r9, %r10, %r11};\n", f);
}

static void print_kernel(FILE *f)
{
    static const char *const predicates[] = { "%p2", "%p3", "!%p3", "1", "0" };
    uint32_t words = (uint32_t)run.n / (run.t->half ? 4 : 2);
    fprintf(f, "  .reg .b32 %%q<128>, %%u; .reg .f32 %%g<128>;\n  mov.u32 %%r5, tile;\n"
            "  mul.lo.u32 %%r6, %%t, 16;\n  sub.u32 %%u, %%t, %d;\nCOPY:\n"
            "  cvt.u64.u32 %%d5, %%r6;\n  add.u64 %%d5, %%d5, %%b;\n  add.u32 %%r7, %%r5, %%r6;\n"
            "  ld.global.v4.u32 {%%r8, %%r9, %%r10, %%r11}, [%%d5];\n"
            "  st.shared.v4.u32 [%%r7], {%%r8, %%r9, %%r10, %%r11};\n"
            "  add.u32 %%r6, %%r6, %d;\n  setp.lt.u32 %%p1, %%r6, %d;\n  @%%p1 bra COPY;\n", run.group * THREADS,
            16 * THREADS * (run.group + 1), IMAGE);
    fprintf(f, "  and.b32 %%r6, %%t, 127;\n  mul.wide.u32 %%d5, %%r6, 16;\n  add.u64 %%d5, %%d5, %%b;\n"
            "  ld.global.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%d5+%d];\n  ld.global.u32 %%r24, [%%d5+%d];\n",
            AT_REGISTERS, AT_METADATA);
    for (uint32_t i = 0; i < words; i++) {
        uint32_t and = run.t->integer ? 0xfffff : run.t->half ? 0xbfffbfff : 0xbfffffff;
        fprintf(f, "  mad.lo.u32 %%q%u, %%u, 0x9e3779b1, 0x%x;\n", i, i * 0x85ebca6bu);
        fprintf(f, "  and.b32 %%q%u, %%q%u, 0x%x;\n", i, i, and);
        if (run.t->integer)
            fprintf(f, "  or.b32 %%q%u, %%q%u, 0x%x;\n", i, i, i % 2 ? 0x80000000 : 0x7ff00000);
        else if (!run.t->half)
            fprintf(f, "  mov.b32 %%g%u, %%q%u;\n", i, i);
    }
    print_descriptor(f, "%d7", &run.a, 0);
    print_descriptor(f, "%d8", &run.b, AT_B);
    fprintf(f, "  setp.lt.u32 %%p1, %%t, %d;\n", run.group * THREADS);
    print_late_stores(f);
    fputs("  fence.proxy.async;\n  bar.sync 0;\n  @%p1 bra LAST;\n", f);
    fputs("  setp.eq.u32 %p2, %r5, %r5;\n  setp.ne.u32 %p3, %r5, %r5;\n  wgmma.fence.sync.aligned;\n", f);
    print_product(f, words, predicates[run.adds]);
    if (run.twice)
        print_product(f, words, "%p2");
    fprintf(f, "%s  wgmma.wait_group.sync.aligned 0;\n", run.twice ? "  wgmma.wait_group.sync.aligned 1;\n" : "");
    /* The first warp to pass overwrites a part of B: the others have read it. */
    fprintf(f, "  setp.ge.u32 %%p4, %%u, 32;\n  @%%p4 bra LAST;\n  mad.lo.u32 %%r6, %%u, 16, %%r5;\n"
            "  st.shared.v4.u32 [%%r6+%u], {%%r5, %%r6, %%r5, %%r6};\n", AT_B + run.b.at);
    fputs("LAST:\n  bar.sync 0;\n  @%p1 ret;\n", f);
    fprintf(f, "  mul.wide.u32 %%d5, %%u, %u;\n  add.u64 %%d5, %%d5, %%b;\n", 4 * words);
    for (uint32_t i = 0; i < words; i++)
        fprintf(f, "  st.global.%s [%%d5+%u], %s%u;\n", run.t->half || run.t->integer ? "b32" : "f32", 4 * i,
                run.t->half || run.t->integer ? "%q" : "%g", i);
}

static void product_test(struct behave_ctx *x, int number)
{
    seed = (uint32_t)number * 977 + 1;
    memset(&run, 0, sizeof run);
    run.sparse = number >= TESTS;
    run.t = &types[number % (int)(sizeof types / sizeof *types - run.sparse)];     /* the last one, .b1, has no .sp */
    int bits = run.t->bits, steps = 1 + (int)pick(number % 4 ? 8 : 32);
    run.n = run.t->integer && steps > 4 ? (steps + 1) / 2 * 16 : steps * 8;
    run.stored = 256 / bits;
    run.k = run.sparse ? 2 * run.stored : run.stored;
    run.lanes = bits == 8 ? 4 : 2;
    run.selector = (int)pick(4 / (uint32_t)run.lanes);
    run.group = pick(4) == 0;
    run.in_registers = pick(3) == 0;
    run.clamps = run.t->integer && bits == 8 && pick(2);
    run.twice = pick(3) == 0;
    run.adds = pick(5);
    run.sign_a = run.t->integer || pick(2) ? 1 : -1;
    run.sign_b = run.t->integer || pick(2) ? 1 : -1;
    run.a = choose(ROWS, run.stored, bits, AT_B);
    run.b = choose(run.n, run.k, bits, IMAGE - AT_B);
    for (int k = 0; k < run.k; k++) {
        for (int i = 0; i < ROWS; i++)
            run.va[i][k] = behave_random_bits(&seed, bits, run.t->integer);
        for (int j = 0; j < run.n; j++)
            run.vb[j][k] = behave_random_bits(&seed, bits, run.t->integer);
    }
    if (run.sparse)
        choose_elements();
    store(&run.a, ROWS, run.stored, bits, run.va);
    struct stored b = run.b;
    b.at += AT_B;
    store(&b, run.n, run.k, bits, run.vb);
    char *body = NULL, name[160];
    size_t size = 0;
    FILE *f = open_memstream(&body, &size);
    print_kernel(f);
    fclose(f);
    snprintf(name, sizeof name, "wgmma%s %d: n %d %s.%s.%s, A %s of %u bytes%s, B of %u bytes%s, %d to D%s",
             run.sparse ? ".sp" : "", number,
             run.n, run.t->d, run.t->a, run.t->b, run.in_registers ? "in registers" : "in memory", run.a.width,
             run.a.across ? " across" : "", run.b.width, run.b.across ? " across" : "", run.adds,
             run.twice ? ", twice" : "");
    behave_one(x, &(struct behave_test){ .name = name, .body = body,
                                         .module = ".extern .shared .align 1024 .b8 tile[];",
                                         .block = (uint32_t)(run.group + 1) * THREADS, .prepare = prepare,
                                         .check_buffer = check, .dynamic_shared = IMAGE + SLOW, .cluster = 1 });
    free(body);
}

void behave_warpgroup(struct behave_ctx *x)
{
    for (int i = 0; i < TESTS + SPARSE_TESTS; i++)
        product_test(x, i);
}
