/*
 * Behaviour of instructions that the run loop does not execute one by one: two as one step (ptx/lanes/pair.c), a 64-bit
 * sum after the instruction that computes one of its terms, with all lanes and with some; values that are the same in
 * every block (ptx/program/invariant.c); and the shapes in which they must stay what they are.
 */
#include "regress/conformance/behave/behave.h"

static int64_t multiplier(uint32_t i) { return (int32_t)(i * 2654435761u); }

static bool expect_products(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t r = (uint32_t)multiplier(i);
    switch (k) {
    case 0: *w = 1000 + (uint64_t)(multiplier(i) * -7); break;
    case 1: *w = 1000 + (uint64_t)r * 4294967289u; break;
    case 2: *w = (uint64_t)(multiplier(i) * (int64_t)(int32_t)i) + i; break;
    case 3: *w = (i & 1 ? 5 : 0) + (uint64_t)(multiplier(i) * 12); break;
    default: *w = i % 3 == 0 ? 77 + (uint64_t)r * 40 : 77;
    }
    return k < 5;
}

static bool expect_shifts(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t by = i + 32;
    uint64_t v = 0x9e3779b97f4a7c15u + i;
    *w = k == 0 ? 3 + (v << 2) : k == 1 ? 3 + (by < 64 ? v << by : 0) : i % 5 ? v : v + (v << 63);
    return k < 3;
}

static bool expect_two_steps(uint32_t i, uint32_t k, uint64_t *w)
{
    uint64_t term = (uint64_t)i * 4;
    switch (k) {
    case 0: *w = 10 + term + term * 3; break;        /* the term is read again */
    case 1: *w = term + term; break;
    case 2: *w = i & 2 ? 10 + term : 10; break;      /* a guarded sum */
    case 3: *w = i & 2 ? 10 + term : 10 + 7; break;  /* a guarded term */
    case 4: *w = (uint64_t)i * 4294967295u + UINT64_MAX; break;
    case 5: *w = i > 0; break;                       /* its carry */
    case 6: *w = 10 + term + 1000; break;            /* a branch to the sum with another term */
    default: *w = 10 + 3 * term;                     /* and with the same */
    }
    return true;
}

/* Eight blocks of 64 threads, one after the other in the same context. */
static bool expect_fixed(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t block = i / 64, tid = i % 64;
    switch (k) {
    case 0: *w = 16; break;                          /* of a parameter */
    case 1: *w = block + 5; break;                   /* of the block's number */
    case 2: *w = block & 1 ? 9 : 7; break;           /* two writes */
    case 3: *w = i & 1 ? 0xaaaaaaaa : 0x55555555; break;
    case 4: *w = (i > 0) + 2; break;                 /* carries */
    case 5: *w = 9; break;                           /* a branch to a constant */
    case 6: *w = 8 * i + 4 * tid; break;             /* a fixed term of a sum */
    default: *w = (uint64_t)block << 32 | (tid < 7); break;
    }
    return true;
}

static bool expect_unset(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? (i & 1 ? 3 : 0) : i / 64 & 1 ? 77 : 0;
    return k < 2;
}

/* A clock advances by the instructions of the warp. */
static bool expect_clocks(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = k == 0 ? 4 : k == 1 ? 5 : 16;
    return k < 3;
}

/* Elements i * 100 + 0 to 3, chosen by loaded indices; every third thread, and all. */
static bool expect_indexed(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t at = i & 3, back = 3 - at;
    uint64_t two = i * 100 + (at & 2), pair = (two + 1) << 32 | two;
    switch (k) {
    case 0: *w = i % 3 ? 0 : i * 100 + at; break;
    case 1: *w = i % 3 ? 0 : (uint64_t)(i * 100 + at) << 32 | (i * 100 + back); break;
    case 2: *w = i % 3 ? 0 : pair; break;
    default: *w = (uint64_t)(i * 100 + back) << 32 | (i * 100 + at); break;
    }
    return k < 4;
}

static const struct behave_test tests[] = {
    { .name = "loads with a loaded index",
      .body = "  and.b32 %r2, %i, 3;\n  xor.b32 %r3, %r2, 3;\n  mul.lo.u32 %r4, %i, 100;\n  add.u32 %r5, %r4, 1;\n"
              "  add.u32 %r6, %r4, 2;\n  add.u32 %r7, %r4, 3;\n  not.b32 %r8, %r2;\n  shr.u32 %r9, %r2, 1;\n"
              "  st.global.v4.u32 [%o+32], {%r4, %r5, %r6, %r7};\n"
              "  st.global.v4.u32 [%o+48], {%r2, %r3, %r8, %r9};\n"
              "  ld.global.u32 %r10, [%o+48];\n  mul.wide.s32 %d1, %r10, 4;\n  add.s64 %d2, %o, %d1;\n"
              "  ld.global.u32 %r11, [%d2+32];\n  st.global.u32 [%o+24], %r11;\n"
              "  ld.global.u32 %r12, [%o+52];\n  mul.wide.u32 %d3, %r12, 4;\n  add.s64 %d4, %o, %d3;\n"
              "  ld.global.u32 %r13, [%d4+32];\n  st.global.u32 [%o+28], %r13;\n"
              "  rem.u32 %r14, %i, 3;\n  setp.ne.u32 %p1, %r14, 0;\n  @%p1 bra END;\n"
              "  ld.global.u32 %r15, [%o+48];\n  mul.wide.s32 %d5, %r15, 4;\n  add.s64 %d6, %o, %d5;\n"
              "  ld.global.u32 %r16, [%d6+32];\n  st.global.u32 [%o], %r16;\n"
              "  ld.global.u32 %r17, [%o+56];\n  mul.wide.s32 %d7, %r17, 4;\n  add.s64 %d8, %o, %d7;\n"
              "  ld.global.u32 %r18, [%d8+48];\n  st.global.u32 [%o+8], %r18;\n"
              "  sub.u64 %d9, %o, 0x3fffffffc;\n  not.b32 %r19, %r3;\n  st.global.u32 [%o+56], %r19;\n"
              "  ld.global.u32 %r20, [%o+56];\n  mul.wide.u32 %d10, %r20, 4;\n  add.s64 %d11, %d9, %d10;\n"
              "  ld.global.u32 %r21, [%d11+44];\n  st.global.u32 [%o+12], %r21;\n"
              "  ld.global.u32 %r22, [%o+60];\n  mul.wide.u32 %d12, %r22, 8;\n  add.s64 %d13, %o, %d12;\n"
              "  ld.global.u64 %d14, [%d13+32];\n  st.global.u64 [%o+16], %d14;\nEND:\n",
      .expect = expect_indexed },
    { .name = "values that are the same in every block, and some that are not", .grid = 8,
      .body = "  ld.param.u64 %d11, [t_out];\n  add.u64 %d2, %d11, 16;\n  sub.u64 %d3, %d2, %d11;\n"
              "  st.global.u64 [%o], %d3;\n"
              "  mov.u32 %r31, %ctaid.x;\n  add.u32 %r32, %r31, 5;\n  cvt.u64.u32 %d4, %r32;\n"
              "  st.global.u64 [%o+8], %d4;\n"
              "  mov.u32 %r33, 7;\n  and.b32 %r34, %r31, 1;\n  setp.eq.u32 %p1, %r34, 0;\n  @%p1 bra EVEN;\n"
              "  mov.u32 %r33, 9;\nEVEN:\n  st.global.u32 [%o+16], %r33;\n"
              "  and.b32 %r35, %i, 1;\n  setp.eq.u32 %p2, %r35, 0;\n  @%p2 bra LEFT;\n"
              "  activemask.b32 %r36;\n  st.global.u32 [%o+24], %r36;\n  bra DONE;\nLEFT:\n"
              "  activemask.b32 %r37;\n  st.global.u32 [%o+24], %r37;\nDONE:\n"
              "  add.cc.u32 %r38, 0xffffffff, 1;\n  add.cc.u32 %r39, %i, 0xffffffff;\n  addc.u32 %r40, 0, 0;\n"
              "  add.cc.u32 %r41, %i, 0;\n  add.cc.u32 %r42, 0xffffffff, 1;\n  addc.u32 %r43, %r40, 1;\n"
              "  st.global.u32 [%o+32], %r43;\n"
              "  mov.u32 %r44, 0;\nLOOP:\n  mov.u32 %r45, 3;\n  add.u32 %r44, %r44, %r45;\n"
              "  setp.lt.u32 %p3, %r44, 9;\n  @%p3 bra LOOP;\n  st.global.u32 [%o+40], %r44;\n"
              "  mov.u32 %r46, %tid.x;\n  mul.wide.u32 %d5, %i, 8;\n  mul.wide.u32 %d6, %r46, 4;\n"
              "  add.u64 %d7, %d5, %d6;\n  st.global.u64 [%o+48], %d7;\n"
              "  setp.lt.u32 %p4, %r46, 7;\n  selp.u32 %r47, 1, 0, %p4;\n  st.global.u32 [%o+56], %r47;\n"
              "  st.global.u32 [%o+60], %r31;\n",
      .expect = expect_fixed },
    { .name = "clocks around values that are the same in every block", .grid = 2,
      .body = "  setp.gt.u32 %p1, %i, 1000;\n"
              "  mov.u32 %r31, %clock;\n  mov.u32 %r32, 5;\n  mov.u32 %r33, %tid.x;\n  add.u32 %r34, %r32, %r33;\n"
              "  mov.u32 %r35, %clock;\n  sub.u32 %r36, %r35, %r31;\n  st.global.u32 [%o], %r36;\n"
              "  mov.u32 %r37, %clock;\n  @%p1 bra END;\n  mov.u32 %r38, 6;\n  mov.u32 %r39, 7;\n"
              "  add.u32 %r40, %r38, %r39;\n  mov.u32 %r41, %clock;\n  sub.u32 %r42, %r41, %r37;\n"
              "  st.global.u32 [%o+8], %r42;\n"
              "  mov.u32 %r43, 0;\n  mov.u32 %r44, %clock;\nLOOP:\n  mov.u32 %r45, 1;\n  add.u32 %r43, %r43, %r45;\n"
              "  mov.u32 %r46, %clock;\n  setp.lt.u32 %p2, %r43, 3;\n  @%p2 bra LOOP;\n"
              "  mov.u32 %r47, %clock;\n  sub.u32 %r48, %r47, %r44;\n  st.global.u32 [%o+16], %r48;\nEND:\n",
      .expect = expect_clocks },
    { .name = "constants that some threads and some blocks do not set", .grid = 8,
      .body = "  and.b32 %r31, %i, 1;\n  setp.eq.u32 %p1, %r31, 0;\n  @%p1 bra EVEN;\n  mov.u32 %r32, 3;\nEVEN:\n"
              "  st.global.u32 [%o], %r32;\n"
              "  mov.u32 %r33, %ctaid.x;\n  and.b32 %r34, %r33, 1;\n  setp.eq.u32 %p2, %r34, 0;\n"
              "  @!%p2 mov.u32 %r35, 77;\n  st.global.u32 [%o+8], %r35;\n",
      .expect = expect_unset },
    { .name = "sums of products, as two instructions or one step",
      .body = "  mul.lo.u32 %r2, %i, 2654435761;\n  mov.u64 %d1, 1000;\n"
              "  mul.wide.s32 %d2, %r2, -7;\n  add.s64 %d3, %d1, %d2;\n  st.global.u64 [%o], %d3;\n"
              "  mul.wide.u32 %d4, %r2, 4294967289;\n  add.u64 %d5, %d4, %d1;\n  st.global.u64 [%o+8], %d5;\n"
              "  cvt.u64.u32 %d6, %i;\n  mul.wide.s32 %d7, %r2, %i;\n  add.s64 %d6, %d6, %d7;\n"
              "  st.global.u64 [%o+16], %d6;\n"
              "  and.b32 %r3, %i, 1;\n  setp.eq.u32 %p1, %r3, 0;\n  mov.u64 %d8, 0;\n  @%p1 bra EVEN;\n"
              "  mov.u64 %d8, 5;\nEVEN:\n"
              "  mul.wide.s32 %d9, %r2, 12;\n  add.s64 %d9, %d9, %d8;\n  st.global.u64 [%o+24], %d9;\n"
              "  rem.u32 %r4, %i, 3;\n  setp.ne.u32 %p2, %r4, 0;\n  mov.u64 %d10, 77;\n  @%p2 bra KEEP;\n"
              "  mul.wide.u32 %d11, %r2, 40;\n  add.s64 %d10, %d10, %d11;\nKEEP:\n"
              "  st.global.u64 [%o+32], %d10;\n",
      .expect = expect_products },
    { .name = "sums of shifts, as two instructions or one step",
      .body = "  cvt.u64.u32 %d1, %i;\n  add.u64 %d1, %d1, 0x9e3779b97f4a7c15;\n  add.u32 %r2, %i, 32;\n"
              "  mov.u64 %d2, 3;\n"
              "  shl.b64 %d3, %d1, 2;\n  add.s64 %d4, %d2, %d3;\n  st.global.u64 [%o], %d4;\n"
              "  shl.b64 %d5, %d1, %r2;\n  add.s64 %d5, %d5, %d2;\n  st.global.u64 [%o+8], %d5;\n"
              "  rem.u32 %r3, %i, 5;\n  setp.ne.u32 %p1, %r3, 0;\n  mov.u64 %d6, %d1;\n  @%p1 bra DONE;\n"
              "  shl.b64 %d7, %d1, 63;\n  add.u64 %d6, %d6, %d7;\nDONE:\n  st.global.u64 [%o+16], %d6;\n",
      .expect = expect_shifts },
    { .name = "a term and its sum that are not one step",
      .body = "  mov.u64 %d1, 10;\n"
              "  mul.wide.u32 %d2, %i, 4;\n  add.u64 %d3, %d1, %d2;\n  mad.lo.u64 %d3, %d2, 3, %d3;\n"
              "  st.global.u64 [%o], %d3;\n"
              "  mul.wide.u32 %d4, %i, 4;\n  add.u64 %d5, %d4, %d4;\n  st.global.u64 [%o+8], %d5;\n"
              "  and.b32 %r2, %i, 2;\n  setp.ne.u32 %p1, %r2, 0;\n  mov.u64 %d6, %d1;\n"
              "  mul.wide.u32 %d7, %i, 4;\n  @%p1 add.u64 %d6, %d6, %d7;\n  st.global.u64 [%o+16], %d6;\n"
              "  mov.u64 %d8, 7;\n  @%p1 mul.wide.u32 %d8, %i, 4;\n  add.u64 %d9, %d1, %d8;\n"
              "  st.global.u64 [%o+24], %d9;\n"
              "  mov.u64 %d10, 0xffffffffffffffff;\n  mul.wide.u32 %d11, %i, 4294967295;\n"
              "  add.cc.u64 %d12, %d11, %d10;\n  addc.u64 %d13, 0, 0;\n  st.global.u64 [%o+32], %d12;\n"
              "  st.global.u64 [%o+40], %d13;\n"
              "  mov.u32 %r3, 0;\n  mov.u64 %d14, %d1;\n  mul.wide.u32 %d15, %i, 4;\nSUM:\n"
              "  add.u64 %d14, %d14, %d15;\n  setp.ne.u32 %p2, %r3, 0;\n  @%p2 bra OUT;\n"
              "  mov.u32 %r3, 1;\n  mov.u64 %d15, 1000;\n  bra SUM;\nOUT:\n  st.global.u64 [%o+48], %d14;\n"
              "  mov.u32 %r4, 0;\n  mov.u64 %d16, %d1;\n  mul.wide.u32 %d17, %i, 4;\nAGAIN:\n"
              "  add.u64 %d16, %d16, %d17;\n  add.u32 %r4, %r4, 1;\n  setp.lt.u32 %p3, %r4, 3;\n"
              "  @%p3 bra AGAIN;\n  st.global.u64 [%o+56], %d16;\n",
      .expect = expect_two_steps },
};

void behave_pairs(struct behave_ctx *x)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
