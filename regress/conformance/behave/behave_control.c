/*
 * Behaviour of control flow and barriers: divergence, loops, indexed branches, calls of every kind,
 * recursion, guarded ret and exit, named barriers and their reductions, transactions, traps.
 */
#include "regress/conformance/behave/behave.h"

static bool only_first(uint32_t k) { return k == 0; }

static uint32_t collatz(uint32_t n)
{
    uint32_t steps = 0;
    for (; n > 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static bool expect_collatz(uint32_t i, uint32_t k, uint64_t *w) { *w = collatz(i + 1); return only_first(k); }

static bool expect_nested(uint32_t i, uint32_t k, uint64_t *w)
{
    uint64_t v = 0;
    for (uint32_t a = 0; a < i % 4; a++) {
        if ((i + a) % 3 == 0) {
            v += 100;
            if (i & 8)
                v *= 2;
            else
                continue;
        } else if ((i ^ a) & 1) {
            v += 1;
            for (uint32_t b = 0; b < (i >> 2) % 5; b++)
                v = v * 3 + b;
        }
        v ^= a + 5;
    }
    *w = v & 0xffffffff;
    return only_first(k);
}

static bool expect_switch(uint32_t i, uint32_t k, uint64_t *w)
{
    static const uint64_t by_case[] = { 10, 120, 30, 40 };
    *w = by_case[i % 4] + (i % 4 == 0 ? 100 : 0) + i;
    return only_first(k);
}

static uint32_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static bool expect_fib(uint32_t i, uint32_t k, uint64_t *w) { *w = fib(i % 11); return only_first(k); }

static bool expect_indirect(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? (i % 3 == 0 ? i + 1 : i % 3 == 1 ? i * 2 : i - 3) & 0xffffffff : i * 2 + 1;
    return k < 2;
}

static bool expect_returns(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? (i % 3 == 0 ? 7 : i % 3 == 1 ? 8 : 9) : i & 1 ? 0 : 55;
    return k < 2;
}

static bool expect_struct(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? i + 5 : k == 1 ? (uint64_t)i * i : 0x77;
    return k < 3;
}

static bool expect_predicated(uint32_t i, uint32_t k, uint64_t *w)
{
    bool p = i & 1, q = i % 3 == 0;
    uint64_t v = 1;
    if (p)
        v += 10;
    if (!q)
        v *= 3;
    if (p)
        v -= 2;
    *w = k == 0 ? v : p ? v + i : 0;
    return k < 2;
}

static bool expect_reduction(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    static const uint64_t words[] = { 22, 0, 1, 1, 42, 0, 1, 0 };   /* 22 of 64 are multiples of 3 */
    *w = words[k];
    return true;
}

static bool expect_exchange(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = (127 - i) * 11;
    return only_first(k);
}

/*
 * Producers (warp 1) write and arrive, consumers (warp 0) wait: through barrier 1 and back through barrier 2.
 */
static bool expect_producer(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = i < 64 ? (i + 64) * 7 + (i + 64) : 0;
    return only_first(k);
}

static bool expect_ticket(uint32_t i, uint32_t k, uint64_t *w) { *w = i; return only_first(k); }

/*
 * 16 accounts of 100; 64 threads move 3 units five times each, from account (7 i + round) mod 16 to i mod 8.
 * Each account gives 60, the first eight get 120; a lost update would show.
 */
static void check_accounts(const unsigned char *buf, bool *ok)
{
    const uint32_t *account = (const uint32_t *)(const void *)(buf + 4096);
    for (int i = 0; i < 16; i++)
        *ok = *ok && account[i] == (i < 8 ? 160 : 40);
}

static const struct behave_test tests[] = {
    { .name = "a loop whose trip count differs by lane",
      .body = "  add.u32 %r2, %i, 1;\n  mov.u32 %r3, 0;\nLOOP:\n  setp.le.u32 %p1, %r2, 1;\n"
              "  @%p1 bra DONE;\n  and.b32 %r4, %r2, 1;\n  setp.eq.u32 %p2, %r4, 0;\n  @%p2 bra EVEN;\n"
              "  mad.lo.u32 %r2, %r2, 3, 1;\n  bra.uni NEXT;\nEVEN:\n  shr.u32 %r2, %r2, 1;\nNEXT:\n"
              "  add.u32 %r3, %r3, 1;\n  bra LOOP;\nDONE:\n  st.global.u32 [%o], %r3;\n",
      .expect = expect_collatz,
      .block = 96,
      .grid = 3 },
    { .name = "nested divergence with a continue",
      .body =
          "  mov.u32 %r2, 0;\n  and.b32 %r3, %i, 3;\n  mov.u32 %r4, 0;\nA:\n  setp.ge.u32 %p1, %r4, %r3;\n"
          "  @%p1 bra END;\n  add.u32 %r5, %i, %r4;\n  rem.u32 %r5, %r5, 3;\n  setp.ne.u32 %p2, %r5, 0;\n"
          "  @%p2 bra ELSE;\n  add.u32 %r2, %r2, 100;\n  and.b32 %r6, %i, 8;\n  setp.eq.u32 %p3, %r6, 0;\n"
          "  @%p3 bra CONT;\n  shl.b32 %r2, %r2, 1;\n  bra JOIN;\nELSE:\n  xor.b32 %r6, %i, %r4;\n"
          "  and.b32 %r6, %r6, 1;\n  setp.eq.u32 %p3, %r6, 0;\n  @%p3 bra JOIN;\n  add.u32 %r2, %r2, 1;\n"
          "  shr.u32 %r7, %i, 2;\n  rem.u32 %r7, %r7, 5;\n  mov.u32 %r8, 0;\nB:\n"
          "  setp.ge.u32 %p4, %r8, %r7;\n  @%p4 bra JOIN;\n  mad.lo.u32 %r2, %r2, 3, %r8;\n"
          "  add.u32 %r8, %r8, 1;\n  bra B;\nJOIN:\n  add.u32 %r9, %r4, 5;\n  xor.b32 %r2, %r2, %r9;\n"
          "CONT:\n  add.u32 %r4, %r4, 1;\n  bra A;\nEND:\n  st.global.u32 [%o], %r2;\n",
      .expect = expect_nested,
      .block = 100,
      .grid = 2 },
    { .name = "brx.idx",
      .body = "  and.b32 %r2, %i, 3;\n  mov.u32 %r3, %i;\nTAB: .branchtargets L0, L1, L2, L3;\n"
              "  brx.idx %r2, TAB;\nL0:\n  add.u32 %r3, %r3, 10;\n  add.u32 %r3, %r3, 100;\n  bra END;\n"
              "L1:\n  add.u32 %r3, %r3, 100;\nL9:\n  add.u32 %r3, %r3, 20;\n  bra END;\nL2:\n"
              "  add.u32 %r3, %r3, 30;\n  bra END;\nL3:\n  add.u32 %r3, %r3, 40;\nEND:\n"
              "  st.global.u32 [%o], %r3;\n",
      .expect = expect_switch },
    { .name = "recursion to a depth that differs by lane",
      .module = ".func (.param .b32 r) fib(.param .b32 n)\n{\n  .reg .b32 %r<8>; .reg .pred %p;\n"
                "  ld.param.u32 %r1, [n];\n  setp.lt.u32 %p, %r1, 2;\n  @%p st.param.b32 [r], %r1;\n"
                "  @%p ret;\n  sub.u32 %r2, %r1, 1;\n  sub.u32 %r3, %r1, 2;\n  {\n  .param .b32 a, b;\n"
                "  st.param.b32 [a], %r2;\n  call (b), fib, (a);\n  ld.param.b32 %r4, [b];\n  }\n  {\n"
                "  .param .b32 a, b;\n  st.param.b32 [a], %r3;\n  call (b), fib, (a);\n"
                "  ld.param.b32 %r5, [b];\n  }\n  add.u32 %r4, %r4, %r5;\n  st.param.b32 [r], %r4;\n  ret;\n"
                "}\n",
      .body = "  rem.u32 %r2, %i, 11;\n  {\n  .param .b32 a, b;\n  st.param.b32 [a], %r2;\n"
              "  call (b), fib, (a);\n  ld.param.b32 %r3, [b];\n  }\n  st.global.u32 [%o], %r3;\n",
      .expect = expect_fib },
    { .name = "calls through registers that differ by lane",
      .module = ".func (.reg .b32 r) inc(.reg .b32 x) { add.u32 r, x, 1; ret; }\n"
                ".func (.reg .b32 r) dbl(.reg .b32 x) { shl.b32 r, x, 1; ret; }\n"
                ".func (.reg .b32 r) dec(.reg .b32 x) { sub.u32 r, x, 3; ret; }\n"
                ".global .u64 table[3] = { inc, dbl, dec };\n",
      .body = "  rem.u32 %r2, %i, 3;\n  mul.wide.u32 %d1, %r2, 8;\n  mov.u64 %d2, table;\n"
              "  add.u64 %d2, %d2, %d1;\n  ld.global.u64 %d3, [%d2];\n"
              "  proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n  call (%r3), %d3, (%i), proto;\n"
              "  st.global.u32 [%o], %r3;\n  call.uni (%r4), dbl, (%i);\n  call (%r4), inc, (%r4);\n"
              "  st.global.u32 [%o+8], %r4;\n",
      .expect = expect_indirect },
    { .name = "guarded ret in a function, guarded exit in the kernel",
      .module = ".func (.reg .b32 r) f(.reg .b32 x)\n{\n  .reg .pred %p<3>; .reg .b32 %q;\n"
                "  rem.u32 %q, x, 3;\n  mov.u32 r, 7;\n  setp.eq.u32 %p1, %q, 0;\n  @%p1 ret;\n"
                "  mov.u32 r, 8;\n  setp.eq.u32 %p2, %q, 1;\n  @%p2 ret.uni;\n  mov.u32 r, 9;\n  ret;\n}\n",
      .body = "  call (%r2), f, (%i);\n  st.global.u32 [%o], %r2;\n  and.b32 %r3, %i, 1;\n"
              "  setp.ne.u32 %p1, %r3, 0;\n  @%p1 exit;\n  bar.sync 0;\n  st.global.u32 [%o+8], 55;\n",
      .expect = expect_returns },
    { .name = "a struct goes in and comes back",
      .module =
          ".func (.param .align 8 .b8 r[24]) mk(.param .align 8 .b8 s[16])\n{\n"
          "  .reg .b64 %d<4>; .reg .b32 %r<4>;\n  ld.param.u32 %r1, [s];\n  ld.param.u64 %d1, [s+8];\n"
          "  add.u32 %r1, %r1, 5;\n  mul.lo.u64 %d1, %d1, %d1;\n  st.param.b32 [r], %r1;\n"
          "  st.param.b64 [r+8], %d1;\n  st.param.b8 [r+16], 0x77;\n  ret;\n}\n",
      .body = "  cvt.u64.u32 %d1, %i;\n  {\n  .param .align 8 .b8 a[16];\n  .param .align 8 .b8 b[24];\n"
              "  st.param.b32 [a], %i;\n  st.param.b64 [a+8], %d1;\n  call (b), mk, (a);\n"
              "  ld.param.u32 %d2, [b];\n  ld.param.u64 %d3, [b+8];\n  ld.param.u8 %d4, [b+16];\n  }\n"
              "  st.global.u64 [%o], %d2;\n  st.global.u64 [%o+8], %d3;\n  st.global.u64 [%o+16], %d4;\n",
      .expect = expect_struct },
    { .name = "guards on everything",
      .body = "  and.b32 %r2, %i, 1;\n  setp.ne.u32 %p1, %r2, 0;\n  rem.u32 %r3, %i, 3;\n"
              "  setp.eq.u32 %p2, %r3, 0;\n  mov.u64 %d1, 1;\n  @%p1 add.u64 %d1, %d1, 10;\n"
              "  @!%p2 mul.lo.u64 %d1, %d1, 3;\n  @%p1 sub.u64 %d1, %d1, 2;\n  st.global.u64 [%o], %d1;\n"
              "  cvt.u64.u32 %d2, %i;\n  @%p1 add.u64 %d1, %d1, %d2;\n  @%p1 st.global.u64 [%o+8], %d1;\n",
      .expect = expect_predicated },
    { .name = "barrier reductions",
      .body =
          "  rem.u32 %r2, %t, 3;\n  setp.eq.u32 %p1, %r2, 0;\n  setp.lt.u32 %p2, %t, 1000;\n"
          "  bar.red.popc.u32 %r3, 0, %p1;\n  st.global.u32 [%o], %r3;\n  bar.red.and.pred %p3, 1, %p1;\n"
          "  selp.u64 %d1, 1, 0, %p3;\n  st.global.u64 [%o+8], %d1;\n"
          "  bar.cta.red.or.pred %p3, 1, 64, %p1;\n  selp.u64 %d1, 1, 0, %p3;\n"
          "  st.global.u64 [%o+16], %d1;\n  barrier.red.and.pred %p3, 2, %p2;\n  selp.u64 %d1, 1, 0, %p3;\n"
          "  st.global.u64 [%o+24], %d1;\n  barrier.red.popc.aligned.u32 %r3, 3, 64, !%p1;\n"
          "  st.global.u32 [%o+32], %r3;\n  barrier.cta.red.or.pred %p3, 0, !%p2;\n"
          "  selp.u64 %d1, 1, 0, %p3;\n  st.global.u64 [%o+40], %d1;\n"
          "  barrier.cta.red.or.aligned.pred %p3, 0, %p2;\n  selp.u64 %d1, 1, 0, %p3;\n"
          "  st.global.u64 [%o+48], %d1;\n",
      .expect = expect_reduction },
    { .name = "shared memory exchanged across a barrier",
      .module = ".shared .align 4 .b32 cell[128];\n",
      .body = "  mov.u32 %r2, cell;\n  mad.lo.u32 %r3, %t, 4, %r2;\n  mul.lo.u32 %r4, %t, 11;\n"
              "  st.shared.u32 [%r3], %r4;\n  bar.sync 0;\n  sub.u32 %r5, 127, %t;\n"
              "  mad.lo.u32 %r3, %r5, 4, %r2;\n  ld.shared.u32 %r6, [%r3];\n  st.global.u32 [%o], %r6;\n"
              "  bar.cta.sync 3;\n  barrier.sync 4, 128;\n  barrier.sync.aligned 5;\n  barrier.cta.sync 6;\n",
      .expect = expect_exchange,
      .block = 128 },
    { .name = "producers arrive, consumers wait, at named barriers",
      .module = ".shared .align 4 .b32 cell[128];\n",
      .body = "  mov.u32 %r2, cell;\n  mad.lo.u32 %r3, %t, 4, %r2;\n  setp.ge.u32 %p1, %t, 64;\n"
              "  @%p1 bra PRODUCE;\n  bar.sync 1, 128;\n  ld.shared.u32 %r4, [%r3+256];\n"
              "  mul.lo.u32 %r5, %r4, 7;\n  st.shared.u32 [%r3+256], %r5;\n  barrier.cta.arrive 2, 128;\n"
              "  bar.sync 3, 128;\n  ld.shared.u32 %r4, [%r3+256];\n  st.global.u32 [%o], %r4;\n  bra END;\n"
              "PRODUCE:\n  st.shared.u32 [%r3], %t;\n  bar.arrive 1, 128;\n  barrier.sync 2, 128;\n"
              "  ld.shared.u32 %r4, [%r3];\n  add.u32 %r4, %r4, %t;\n  st.shared.u32 [%r3], %r4;\n"
              "  bar.cta.arrive 3, 128;\nEND:\n",
      .expect = expect_producer,
      .block = 128 },
    { .name = "transactions keep the total",
      .body = "  setp.ge.u32 %p1, %i, 16;\n  mul.wide.u32 %d1, %i, 4;\n  add.u64 %d1, %d1, %b;\n"
              "  @!%p1 st.global.u32 [%d1+4096], 100;\n  bar.sync 0;\n  mov.u32 %r9, 0;\nAGAIN:\n"
              "  mul.lo.u32 %r2, %i, 7;\n  add.u32 %r2, %r2, %r9;\n  and.b32 %r2, %r2, 15;\n"
              "  and.b32 %r3, %i, 7;\n  mul.wide.u32 %d2, %r2, 4;\n  add.u64 %d2, %d2, %b;\n"
              "  mul.wide.u32 %d3, %r3, 4;\n  add.u64 %d3, %d3, %b;\n  tx_begin;\n"
              "  ld.global.u32 %r4, [%d2+4096];\n  setp.lt.u32 %p2, %r4, 3;\n  @%p2 bra POOR;\n"
              "  sub.u32 %r4, %r4, 3;\n  st.global.u32 [%d2+4096], %r4;\n  ld.global.u32 %r5, [%d3+4096];\n"
              "  add.u32 %r5, %r5, 3;\n  st.global.u32 [%d3+4096], %r5;\nPOOR:\n  tx_commit;\n"
              "  add.u32 %r9, %r9, 1;\n  setp.lt.u32 %p3, %r9, 5;\n  @%p3 bra AGAIN;\n"
              "  st.global.u32 [%o], %i;\n",
      .expect = expect_ticket,
      .check_buffer = check_accounts },
    { .name = "trap", .body = "  setp.eq.u32 %p1, %i, 40;\n  @%p1 trap;\n", .fault = SIMTX_FAULT_TRAP },
    { .name = "brkpt", .body = "  setp.eq.u32 %p1, %i, 3;\n  @%p1 brkpt;\n", .fault = SIMTX_FAULT_TRAP },
    { .name = "a load outside of every allocation",
      .body = "  mov.u64 %d1, 64;\n  ld.global.u32 %r2, [%d1];\n  st.global.u32 [%o], %r2;\n",
      .fault = SIMTX_FAULT_OUT_OF_BOUNDS },
    { .name = "a misaligned store",
      .body = "  st.global.u32 [%o+2], %i;\n",
      .fault = SIMTX_FAULT_MISALIGNED },
    { .name = "a barrier that half of the block never reaches",
      .body = "  setp.lt.u32 %p1, %t, 32;\n  @%p1 bra W;\n  bar.sync 1, 64;\n  bra E;\nW:\n"
              "  bar.sync 2, 64;\nE:\n",
      .fault = SIMTX_FAULT_BARRIER },
};

void behave_control(struct behave_ctx *x)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
