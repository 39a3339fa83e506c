/*
 * Behaviour of accesses wider than a register and of what goes with them: atomic operations on 128 bits and
 * on vectors, loads and stores of 32 bytes, cache policies, where atom.add.f32 flushes subnormal numbers; and
 * elect.sync.
 */
#include "regress/conformance/behave/behave.h"

#include <string.h>

enum { THREADS = 64 };

/* Subnormal operands, a subnormal result of normal operands, and one that stays normal. */
static const struct { uint32_t cell, add, exact, flushed; } sums[4] = {
    { 0x00000001, 0x00000001, 0x00000002, 0x00000000 }, { 0x80000001, 0x80000001, 0x80000002, 0x80000000 },
    { 0x00800001, 0x80800000, 0x00000001, 0x00000000 }, { 0x3f800000, 0x00400000, 0x3f800000, 0x3f800000 },
};

/* space: 0 global, 1 shared, 2 and 3 the same through generic addresses. */
static void flush_test(struct behave_ctx *x, int space, bool red)
{
    static const char *const names[] = { ".global", ".shared", "", "" };
    char body[1024], name[64];
    FILE *f = fmemopen(body, sizeof body, "w");
    bool shared = space & 1;
    fprintf(f, "  mov.u64 %%d1, %s;\n", shared ? "near" : "far");
    if (space == 3)
        fputs("  cvta.shared.u64 %d1, %d1;\n", f);
    fprintf(f, "  mul.wide.u32 %%d2, %%t, 4;\n  add.u64 %%d1, %%d1, %%d2;\n  and.b32 %%r2, %%t, 3;\n"
               "  mov.u64 %%d3, operands;\n  mul.wide.u32 %%d2, %%r2, 8;\n  add.u64 %%d3, %%d3, %%d2;\n"
               "  ld.global.v2.b32 {%%r3, %%f1}, [%%d3];\n  st%s.b32 [%%d1], %%r3;\n  bar.sync 0;\n"
               "", names[space]);
    if (red)
        fprintf(f, "  red%s.add.f32 [%%d1], %%f1;\n  mov.u32 %%r4, 0;\n", names[space]);
    else
        fprintf(f, "  atom%s.add.f32 %%f2, [%%d1], %%f1;\n  mov.b32 %%r4, %%f2;\n", names[space]);
    fprintf(f, "  ld%s.b32 %%r5, [%%d1];\n  st.global.u32 [%%o], %%r4;\n  st.global.u32 [%%o+8], %%r5;\n"
               "", names[space]);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint32_t i = 0; i < THREADS; i++) {
        words[i * BEHAVE_WORDS] = red ? 0 : sums[i % 4].cell;
        words[i * BEHAVE_WORDS + 1] = shared ? sums[i % 4].exact : sums[i % 4].flushed;
    }
    snprintf(name, sizeof name, "%s.add.f32 and subnormal numbers, %s%s", red ? "red" : "atom",
             space > 1 ? "generic " : "", shared ? "shared" : "global");
    behave_table(x, name, ".shared .align 4 .b32 near[64];\n.global .align 4 .b32 far[64];\n"
                 ".global .align 8 .b32 operands[8] = {0x00000001, 0x00000001, 0x80000001, 0x80000001, "
                  "0x00800001, "
                 "0x80800000, 0x3f800000, 0x00400000};\n", body, THREADS, words, 3);
}

/* Each thread exchanges its own 16 bytes, then swaps them if they are what it expects: even threads are. */
static void wide_atomics(struct behave_ctx *x, bool shared, bool generic)
{
    char body[1536], name[64];
    const char *sp = generic ? "" : shared ? ".shared" : ".global";
    FILE *f = fmemopen(body, sizeof body, "w");
    fprintf(f, "  .reg .b128 %%q<9>;\n  mov.u64 %%d1, %s;\n", shared ? "near" : "far");
    if (shared && generic)
        fputs("  cvta.shared.u64 %d1, %d1;\n", f);
    fprintf(f, "  mul.wide.u32 %%d2, %%t, 16;\n  add.u64 %%d1, %%d1, %%d2;\n  cvt.u64.u32 %%d3, %%i;\n"
               "  add.u64 %%d4, %%d3, 1000;\n  mov.b128 %%q1, {%%d3, %%d4};\n  st%s.b128 [%%d1], %%q1;\n"
               "  mov.b128 %%q2, {%%d4, %%d3};\n  atom%s.exch.b128 %%q3, [%%d1], %%q2;\n"
               "  mov.b128 {%%d5, %%d6}, %%q3;\n  st.global.v2.u64 [%%o], {%%d5, %%d6};\n"
               "  and.b64 %%d7, %%d3, 1;\n  add.u64 %%d7, %%d7, %%d3;\n  mov.b128 %%q4, {%%d4, %%d7};\n"
               "  mov.u64 %%d8, 77;\n  mov.u64 %%d9, 88;\n  mov.b128 %%q5, {%%d8, %%d9};\n"
               "  atom%s.acq_rel.gpu.cas.b128 %%q6, [%%d1], %%q4, %%q5;\n"
               "  mov.b128 {%%d5, %%d6}, %%q6;\n  st.global.v2.u64 [%%o+16], {%%d5, %%d6};\n"
               "  ld%s.v2.u64 {%%d5, %%d6}, [%%d1];\n  st.global.v2.u64 [%%o+32], {%%d5, %%d6};\n"
               "", sp, sp, sp, sp);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 };
    for (uint64_t i = 0; i < THREADS; i++) {
        uint64_t w[] = { i, i + 1000, i + 1000, i, i % 2 ? i + 1000 : 77, i % 2 ? i : 88 };
        memcpy(&words[i * BEHAVE_WORDS], w, sizeof w);
    }
    snprintf(name, sizeof name, "atom.b128 %s%s", generic ? "generic " : "", shared ? "shared" : "global");
    behave_table(x, name, ".shared .align 16 .b64 near[128];\n.global .align 16 .b64 far[128];\n", body, THREADS,
                 words, 0x3f);
}

/* Threads add (i, 1, 2 i, -1) to one cell of four floats; the old values go elsewhere. */
static bool expect_sums(uint32_t i, uint32_t k, uint64_t *word)
{
    static const uint32_t total[] = { 0x44fc0000, 0x42800000, 0x457c0000, 0xc2800000 };  /* 2016, 64, 4032, -64 */
    (void)i;
    *word = k < 4 ? total[k] : 0;
    return true;
}

/* Each thread has eight halves of its own, 1 .. 8, adds 4.5 to them and then looks. */
static bool expect_halves(uint32_t i, uint32_t k, uint64_t *word)
{
    static const uint64_t words[] = {
        0x4400420040003c00, 0x4800470046004500,  /* the old values, 1 .. 8 */
        0x4840478046804580, 0x4a4049c0494048c0,  /* 5.5 .. 8.5, 9.5 .. 12.5 */
    };
    (void)i;
    *word = k < 4 ? words[k] : 0;
    return true;
}

/* min and max of 1 .. 8 with 4.5. */
static bool expect_min_max(uint32_t i, uint32_t k, uint64_t *word)
{
    static const uint64_t words[] = {
        0x4400420040003c00, 0x4480448044804480,  /* min(1 .. 4, 4.5), min(5 .. 8, 4.5) */
        0x4480448044804480, 0x4800470046004500,  /* max */
    };
    (void)i;
    *word = k < 4 ? words[k] : 0;
    return k < 4;
}

static bool expect_swapped(uint32_t i, uint32_t k, uint64_t *word)
{
    (void)i;
    /* 1, 2; 1 + 3, 2 + 2 */
    static const uint64_t words[] = { 0x3f800000, 0x40000000, 0x40800000, 0x40800000 };
    *word = k < 4 ? words[k] : 0;
    return true;
}

static bool expect_copy(uint32_t i, uint32_t k, uint64_t *word)
{
    unsigned char bytes[8];
    for (uint32_t b = 0; b < 8; b++)
        bytes[b] = behave_fill(64 * i + (8 * k + b));
    memcpy(word, bytes, 8);
    return true;
}

static bool expect_hint(uint32_t i, uint32_t k, uint64_t *word)
{
    const uint64_t words[] = { 5 + i, 5 + i, 12 + i, 12 + i, 100 };
    *word = k < 5 ? words[k] : 0;
    return true;
}

/* Odd lanes elect among themselves; then groups of eight do. */
static bool expect_leaders(uint32_t i, uint32_t k, uint64_t *word)
{
    uint32_t lane = i % 32;
    uint64_t words[] = { 0, lane == 0, lane % 2 ? 1 : 0, lane == 1, lane / 8 * 8, lane % 8 == 0 };
    *word = k < 6 ? words[k] : 0;
    return true;
}

#define CELLS ".global .align 32 .b8 cells[4096];\n"
#define OWN(bytes) "  mov.u64 %d1, cells;\n  mul.wide.u32 %d2, %i, " #bytes ";\n  add.u64 %d1, %d1, %d2;\n"
#define HALVES \
    "  mov.b16 %h1, 0x3c00;\n  mov.b16 %h2, 0x4000;\n  mov.b16 %h3, 0x4200;\n  mov.b16 %h4, 0x4400;\n" \
    "  mov.b16 %h5, 0x4500;\n  mov.b16 %h6, 0x4600;\n  mov.b16 %h7, 0x4700;\n  mov.b16 %h8, 0x4800;\n" \
    "  mov.b64 %d3, {%h1, %h2, %h3, %h4};\n  mov.b64 %d4, {%h5, %h6, %h7, %h8};\n  mov.b16 %h9, 0x4480;\n" \
    "  st.global.v2.b64 [%d1], {%d3, %d4};\n"

static const struct behave_test tests[] = {
    { .name = "atom.v4.f32 of all threads on one cell", .module = CELLS,
      .body = "  mov.u64 %d1, cells;\n  cvt.rn.f32.u32 %f1, %i;\n  add.f32 %f2, %f1, %f1;\n"
              "  mov.f32 %f3, 0f3f800000;\n"
              "  mov.f32 %f4, 0fbf800000;\n"
              "  atom.global.add.v4.f32 {%f5, _, %f6, %f7}, [%d1], {%f1, %f3, %f2, %f4};\n  bar.sync 0;\n"
              "  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n  st.global.u32 [%o], %r1;\n"
              "  st.global.u32 [%o+8], %r2;\n  st.global.u32 [%o+16], %r3;\n  st.global.u32 [%o+24], %r4;\n",
      .expect = expect_sums },
    { .name = "red.v2.f32, generic, of all threads on one cell", .module = CELLS,
      .body = "  mov.u64 %d1, cells;\n  cvta.global.u64 %d1, %d1;\n  cvt.rn.f32.u32 %f1, %i;\n"
              "  add.f32 %f2, %f1, %f1;\n"
              "  mov.f32 %f3, 0f3f800000;\n  mov.f32 %f4, 0fbf800000;\n  red.add.v2.f32 [%d1], {%f1, %f3};\n"
              "  red.relaxed.gpu.global.add.v2.f32 [%d1+8], {%f2, %f4};\n  bar.sync 0;\n"
              "  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n  st.global.u32 [%o], %r1;\n"
              "  st.global.u32 [%o+8], %r2;\n  st.global.u32 [%o+16], %r3;\n  st.global.u32 [%o+24], %r4;\n",
      .expect = expect_sums },
    { .name = "atom.v8.f16 returns the old halves", .module = CELLS,
      .body = OWN(16) HALVES
              "  atom.global.add.noftz.v8.f16 {%h11, %h12, %h13, %h14, %h15, %h16, %h17, %h18}, [%d1],"
              " {%h9, %h9, %h9, %h9, %h9, %h9, %h9, %h9};\n"
              "  mov.b64 %d5, {%h11, %h12, %h13, %h14};\n  mov.b64 %d6, {%h15, %h16, %h17, %h18};\n"
              "  st.global.v2.b64 [%o], {%d5, %d6};\n  ld.global.v2.b64 {%d5, %d6}, [%d1];\n"
              "  st.global.v2.b64 [%o+16], {%d5, %d6};\n",
      .expect = expect_halves },
    { .name = "atom and red .min .max of vectors of halves", .module = CELLS,
      .body = OWN(16) HALVES
              "  mov.b32 %r5, {%h9, %h9};\n"
              "  red.global.min.noftz.v4.f16x2 [%d1], {%r5, %r5, %r5, %r5};\n"
              "  ld.global.v2.b64 {%d5, %d6}, [%d1];\n  st.global.v2.b64 [%o], {%d5, %d6};\n"
              "  st.global.v2.b64 [%d1], {%d3, %d4};\n"
              "  atom.global.max.noftz.v2.f16x2 {%r6, %r7}, [%d1], {%r5, %r5};\n"
              "  red.global.max.noftz.v4.f16 [%d1+8], {%h9, %h9, %h9, %h9};\n"
              "  ld.global.v2.b64 {%d5, %d6}, [%d1];\n  st.global.v2.b64 [%o+16], {%d5, %d6};\n",
      .expect = expect_min_max },
    { .name = "a vector atomic whose results are its operands", .module = CELLS,
      .body = OWN(8)
              "  mov.f32 %f1, 0f40000000;\n  mov.f32 %f2, 0f40400000;\n  mov.b64 %d3, 0x400000003f800000;\n"
              "  st.global.b64 [%d1], %d3;\n  atom.global.add.v2.f32 {%f1, %f2}, [%d1], {%f2, %f1};\n"
              "  mov.b32 %r1, %f1;\n  mov.b32 %r2, %f2;\n  ld.global.v2.u32 {%r3, %r4}, [%d1];\n"
              "  st.global.u32 [%o], %r1;\n  st.global.u32 [%o+8], %r2;\n  st.global.u32 [%o+16], %r3;\n"
              "  st.global.u32 [%o+24], %r4;\n",
      .expect = expect_swapped },
    { .name = "a vector atomic needs the alignment of the vector", .module = CELLS,
      .body = "  mov.u64 %d1, cells;\n  mov.f32 %f1, 0f3f800000;\n"
              "  red.global.add.v2.f32 [%d1+4], {%f1, %f1};\n",
      .fault = SIMTX_FAULT_MISALIGNED },
    { .name = "a vector atomic is on global memory", .module = ".shared .align 8 .b8 near[64];\n",
      .body = "  mov.f32 %f1, 0f3f800000;\n  red.shared.add.v2.f32 [near], {%f1, %f1};\n",
      .refused = "on global memory" },
    { .name = "min of one half is no atomic operation", .module = CELLS,
      .body = "  mov.u64 %d1, cells;\n  red.global.min.noftz.f16 [%d1], %h1;\n",
      .refused = "not for this type" },
    { .name = "ld and st of 32 bytes",
      .body = "  mul.wide.u32 %d1, %i, 64;\n  add.u64 %d1, %d1, %b;\n"
              "  ld.global.L1::evict_last.L2::evict_first.v8.b32 "
              "{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%d1];\n"
              "  st.global.L1::no_allocate.v8.b32 [%o], {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9};\n"
              "  ld.global.L2::evict_last.L2::256B.v4.u64 {%d2, %d3, %d4, %d5}, [%d1+32];\n"
              "  st.global.L2::evict_normal.v4.b64 [%o+32], {%d2, %d3, %d4, %d5};\n",
      .expect = expect_copy },
    { .name = "32 bytes need 32-byte alignment",
      .body = "  ld.global.v4.u64 {%d2, %d3, %d4, %d5}, [%b+16];\n", .fault = SIMTX_FAULT_MISALIGNED },
    { .name = "cache policies are accepted", .module = CELLS,
      .body = OWN(4)
              "  mov.u64 %d9, 0x14f0000000000000;\n  add.u32 %r2, %i, 5;\n"
              "  st.global.L2::cache_hint.u32 [%d1], %r2, %d9;\n"
              "  ld.global.L2::cache_hint.u32 %r3, [%d1], %d9;\n"
              "  atom.global.add.L2::cache_hint.u32 %r4, [%d1], 3, %d9;\n"
              "  red.global.add.L2::cache_hint.u32 [%d1], 4, %d9;\n  ld.global.u32 %r5, [%d1];\n"
              "  atom.global.cas.L2::cache_hint.b32 %r6, [%d1], %r5, 100, %d9;\n  ld.global.u32 %r7, [%d1];\n"
              "  st.global.u32 [%o], %r3;\n  st.global.u32 [%o+8], %r4;\n  st.global.u32 [%o+16], %r5;\n"
              "  st.global.u32 [%o+24], %r6;\n  st.global.u32 [%o+32], %r7;\n",
      .expect = expect_hint },
    { .name = "a cache policy without its word", .module = CELLS,
      .body = "  mov.u64 %d1, cells;\n  red.global.add.u32 [%d1], 4, %d9;\n", .refused = "cache policy" },
    { .name = "elect.sync",
      .body = "  elect.sync %r2|%p1, 0xffffffff;\n  selp.u32 %r3, 1, 0, %p1;\n  st.global.u32 [%o], %r2;\n"
              "  st.global.u32 [%o+8], %r3;\n  and.b32 %r4, %t, 1;\n  setp.eq.u32 %p2, %r4, 0;\n"
              "  @%p2 bra TILES;\n"
              "  elect.sync %r2|%p1, 0xaaaaaaaa;\n  selp.u32 %r3, 1, 0, %p1;\n  st.global.u32 [%o+16], %r2;\n"
              "  st.global.u32 [%o+24], %r3;\nTILES:\n  bar.warp.sync 0xffffffff;\n  and.b32 %r5, %t, 24;\n"
              "  mov.u32 %r6, 255;\n  shl.b32 %r6, %r6, %r5;\n  elect.sync %r2|%p1, %r6;\n"
              "  selp.u32 %r3, 1, 0, %p1;\n  st.global.u32 [%o+32], %r2;\n  st.global.u32 [%o+40], %r3;\n",
      .expect = expect_leaders },
};

void behave_wide(struct behave_ctx *x)
{
    for (int space = 0; space < 4; space++) {
        flush_test(x, space, false);
        flush_test(x, space, true);
        wide_atomics(x, space & 1, space > 1);
    }
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
