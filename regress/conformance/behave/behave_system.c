/*
 * Behaviour of special registers, extended-precision chains and the functions that the system provides:
 * vprintf, malloc, free, __assertfail.
 */
#include "regress/conformance/behave/behave.h"

#include "regress/conformance/ref/ref.h"

static bool expect_registers(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t t = i % 64, lane = t % 32;
    switch (k) {
    case 0: *w = (uint64_t)t | (uint64_t)(i / 64) << 32; return true;         /* tid.x, ctaid.x */
    case 1: *w = 64 | (uint64_t)3 << 32; return true;                         /* ntid.x, nctaid.x */
    case 2: *w = lane | (uint64_t)(t / 32) << 32; return true;                /* laneid, warpid */
    case 3:
        *w = (1ull << lane) | (uint64_t)(0xffffffffu >> (31 - lane)) << 32;
        return true; /* lanemask eq, le */
    case 4: *w = ((1ull << lane) - 1) | (uint64_t)(0xffffffffu << lane) << 32; return true;    /* lt, ge */
    case 5: *w = (uint32_t)(0xfffffffeull << lane); return true;              /* gt */
    case 6: *w = 1 | (uint64_t)1 << 32; return true;                          /* ntid.y, nctaid.z */
    default: *w = 0; return true; /* tid.y + tid.z + ctaid.y + ctaid.z */
    }
}

static bool expect_clocks(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = 1;
    return k < 5;
}

/* 128-bit sums, differences and a 64 x 64 bit product by 32-bit pieces, by thread number. */
static u128 big(uint32_t i, uint64_t m) { return (u128)(i * m) << 64 | (i * 0x9e3779b97f4a7c15u + m); }

static bool expect_chain(uint32_t i, uint32_t k, uint64_t *w)
{
    u128 a = big(i, 0xfedcba9876543210), b = big(i + 1, 0x8123456789abcdef),
         v[] = { a + b, a - b, (u128)(uint64_t)a * (uint64_t)b };
    if (k >= 6)
        return false;
    *w = (uint64_t)(k & 1 ? v[k / 2] >> 64 : v[k / 2]);
    return true;
}

static bool expect_heap(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? (uint64_t)i * 17 : 1;
    return k < 3;
}

static bool expect_smem(uint32_t i, uint32_t k, uint64_t *w)
{
    (void)i;
    *w = k == 0 ? 512 : 1;
    return k < 2;
}

static const struct behave_test tests[] = {
    { .name = "special registers",
      .body = "  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %ctaid.x;\n  st.global.v2.u32 [%o], {%r2,%r3};\n"
              "  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %nctaid.x;\n  st.global.v2.u32 [%o+8], {%r2,%r3};\n"
              "  mov.u32 %r2, %laneid;\n  mov.u32 %r3, %warpid;\n  st.global.v2.u32 [%o+16], {%r2,%r3};\n"
              "  mov.u32 %r2, %lanemask_eq;\n  mov.u32 %r3, %lanemask_le;\n"
              "  st.global.v2.u32 [%o+24], {%r2,%r3};\n  mov.u32 %r2, %lanemask_lt;\n"
              "  mov.u32 %r3, %lanemask_ge;\n  st.global.v2.u32 [%o+32], {%r2,%r3};\n"
              "  mov.u32 %r2, %lanemask_gt;\n  st.global.u32 [%o+40], %r2;\n  mov.u32 %r2, %ntid.y;\n"
              "  mov.u32 %r3, %nctaid.z;\n  st.global.v2.u32 [%o+48], {%r2,%r3};\n  mov.u32 %r2, %tid.y;\n"
              "  add.u32 %r2, %r2, %tid.z;\n  add.u32 %r2, %r2, %ctaid.y;\n  add.u32 %r2, %r2, %ctaid.z;\n"
              "  st.global.u32 [%o+56], %r2;\n",
      .expect = expect_registers,
      .grid = 3 },
    { .name = "clocks go forward, the SM exists",
      .body = "  mov.u64 %d2, %clock64;\n  mov.u64 %d3, %globaltimer;\n  mov.u32 %r2, %clock;\n"
              "  nanosleep.u32 1;\n  mov.u32 %r3, %clock;\n  mov.u64 %d4, %clock64;\n"
              "  mov.u64 %d5, %globaltimer;\n  setp.gt.u64 %p1, %d4, %d2;\n  selp.u64 %d6, 1, 0, %p1;\n"
              "  st.global.u64 [%o], %d6;\n  setp.ge.u64 %p1, %d5, %d3;\n  selp.u64 %d6, 1, 0, %p1;\n"
              "  st.global.u64 [%o+8], %d6;\n  setp.ne.u32 %p1, %r2, %r3;\n  selp.u64 %d6, 1, 0, %p1;\n"
              "  st.global.u64 [%o+16], %d6;\n  mov.u32 %r4, %smid;\n  mov.u32 %r5, %nsmid;\n"
              "  setp.lt.u32 %p1, %r4, %r5;\n  selp.u64 %d6, 1, 0, %p1;\n  st.global.u64 [%o+24], %d6;\n"
              "  mov.u32 %r4, %warpid;\n  mov.u32 %r5, %nwarpid;\n  setp.lt.u32 %p1, %r4, %r5;\n"
              "  selp.u64 %d6, 1, 0, %p1;\n  st.global.u64 [%o+32], %d6;\n",
      .expect = expect_clocks,
      .grid = 5 },
    { .name = "sizes of shared memory",
      .module = ".shared .align 4 .b32 fixed[32];\n.extern .shared .align 16 .b8 dynamic[];\n",
      .body =
          "  mov.u32 %r2, %dynamic_smem_size;\n  st.global.u32 [%o], %r2;\n"
          "  mov.u32 %r3, %total_smem_size;\n  setp.ge.u32 %p1, %r3, 640;\n  selp.u64 %d6, 1, 0, %p1;\n"
          "  st.global.u64 [%o+8], %d6;\n  mov.u32 %r4, dynamic;\n  mov.u32 %r5, fixed;\n"
          "  st.shared.u32 [%r4+508], %r2;\n  st.shared.u32 [%r5+124], %r2;\n",
      .expect = expect_smem,
      .dynamic_shared = 512 },
    { .name = "carry chains of 128 bits",
      .body = "  cvt.u64.u32 %d1, %i;\n  mul.lo.u64 %d2, %d1, 0xfedcba9876543210;\n"
              "  mul.lo.u64 %d3, %d1, 0x9e3779b97f4a7c15;\n  add.u64 %d3, %d3, 0xfedcba9876543210;\n"
              "  add.u64 %d1, %d1, 1;\n  mul.lo.u64 %d4, %d1, 0x8123456789abcdef;\n"
              "  mul.lo.u64 %d5, %d1, 0x9e3779b97f4a7c15;\n  add.u64 %d5, %d5, 0x8123456789abcdef;\n"
              "  add.cc.u64 %d6, %d3, %d5;\n  addc.u64 %d7, %d2, %d4;\n  st.global.v2.u64 [%o], {%d6,%d7};\n"
              "  mov.b64 {%r2,%r3}, %d3;\n  mov.b64 {%r4,%r5}, %d2;\n  mov.b64 {%r6,%r7}, %d5;\n"
              "  mov.b64 {%r8,%r9}, %d4;\n  sub.cc.u32 %r10, %r2, %r6;\n  subc.cc.u32 %r11, %r3, %r7;\n"
              "  subc.cc.u32 %r12, %r4, %r8;\n  subc.u32 %r13, %r5, %r9;\n"
              "  st.global.v4.u32 [%o+16], {%r10,%r11,%r12,%r13};\n  mul.lo.u32 %r10, %r2, %r6;\n"
              "  mul.hi.u32 %r11, %r2, %r6;\n  mad.lo.cc.u32 %r11, %r2, %r7, %r11;\n"
              "  madc.hi.u32 %r12, %r2, %r7, 0;\n  mad.lo.cc.u32 %r11, %r3, %r6, %r11;\n"
              "  madc.hi.cc.u32 %r12, %r3, %r6, %r12;\n  addc.u32 %r13, 0, 0;\n"
              "  mad.lo.cc.u32 %r12, %r3, %r7, %r12;\n  madc.hi.u32 %r13, %r3, %r7, %r13;\n"
              "  st.global.v4.u32 [%o+32], {%r10,%r11,%r12,%r13};\n",
      .expect = expect_chain },
    { .name = "vprintf",
      .module = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                /* "%d %5u|%-4x|%c %s %.3f %lld %%\n" and "str" */
                ".global .align 1 .b8 fmt[] = {37,100,32,37,53,117,124,37,45,52,120,124,"
                "37,99,32,37,115,32,37,46,51,102,32,37,108,108,100,32,37,37,10,0};\n"
                ".global .align 1 .b8 str[] = {115,116,114,0};\n",
      .body =
          "  .local .align 8 .b8 args[56];\n  setp.ne.u32 %p1, %t, 5;\n  @%p1 exit;\n  sub.u32 %r2, 0, %i;\n"
          "  st.local.u32 [args], %r2;\n  st.local.u32 [args+4], 42;\n  st.local.u32 [args+8], 255;\n"
          "  st.local.u32 [args+12], 65;\n  mov.u64 %d1, str;\n  cvta.global.u64 %d1, %d1;\n"
          "  st.local.u64 [args+16], %d1;\n  mov.f64 %e1, 0d400921FB54442D18;\n"
          "  st.local.f64 [args+24], %e1;\n  st.local.u64 [args+32], -1234567890123;\n  mov.u64 %d2, fmt;\n"
          "  cvta.global.u64 %d2, %d2;\n  mov.u64 %d3, args;\n  cvta.local.u64 %d3, %d3;\n  {\n"
          "  .param .b64 a, b;\n  .param .b32 r;\n  st.param.b64 [a], %d2;\n  st.param.b64 [b], %d3;\n"
          "  call (r), vprintf, (a, b);\n  ld.param.b32 %r3, [r];\n  }\n",
      .printed = "-5    42|ff  |A str 3.142 -1234567890123 %\n" },
    { .name = "malloc and free in a kernel",
      .module = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n",
      .body = "  {\n  .param .b64 n, r;\n  st.param.b64 [n], 100;\n  call (r), malloc, (n);\n"
              "  ld.param.b64 %d1, [r];\n  }\n  setp.ne.u64 %p1, %d1, 0;\n  selp.u64 %d2, 1, 0, %p1;\n"
              "  st.global.u64 [%o+8], %d2;\n  and.b64 %d3, %d1, 15;\n  setp.eq.u64 %p1, %d3, 0;\n"
              "  selp.u64 %d2, 1, 0, %p1;\n  st.global.u64 [%o+16], %d2;\n  mul.lo.u32 %r2, %i, 17;\n"
              "  st.u32 [%d1+96], %r2;\n  bar.sync 0;\n  ld.u32 %r3, [%d1+96];\n  st.global.u32 [%o], %r3;\n"
              "  {\n  .param .b64 p;\n  st.param.b64 [p], %d1;\n  call free, (p);\n  }\n",
      .expect = expect_heap },
    { .name = "a failed assertion",
      .module = ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, "
                ".param .b64 s);\n"
                ".global .align 1 .b8 text[] = {120,0};\n",
      .body = "  setp.ne.u32 %p1, %i, 9;\n  @%p1 bra OK;\n  mov.u64 %d1, text;\n"
              "  cvta.global.u64 %d1, %d1;\n  {\n  .param .b64 a, b, d, e;\n  .param .b32 c;\n"
              "  st.param.b64 [a], %d1;\n  st.param.b64 [b], %d1;\n  st.param.b32 [c], 12;\n"
              "  st.param.b64 [d], %d1;\n  st.param.b64 [e], 1;\n  call __assertfail, (a, b, c, d, e);\n"
              "  }\nOK:\n",
      .fault = SIMTX_FAULT_ASSERT },
};

void behave_system(struct behave_ctx *x)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
