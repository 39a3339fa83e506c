/* See step_cases.h. */
#include "regress/unit/ptx/step_cases.h"

#define MODULE ".version 8.3\n.target sm_90\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum)\n"
/*
 * %rd1 = in, %rd2 = this thread's 256 bytes of out, %rd3 = sum, %r1 = thread of the grid, %r2 = tid, %r3 = block,
 * %rd4 = 8 bytes of in of its own, %r5 its first word.
 */
#define BEGIN                                                                                               \
    "{ .reg .pred %p<8>; .reg .b16 %h<32>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .b128 %q<8>;\n"        \
    "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [sum];\n"                      \
    "  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r1, %r3, %r4, %r2;\n"  \
    "  mul.wide.u32 %rd4, %r1, 256; add.u64 %rd2, %rd2, %rd4;\n"                                            \
    "  mul.wide.u32 %rd4, %r1, 8; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r5, [%rd4];\n"
#define END "  ret; }\n"
#define PUT(at, reg) "  st.global.u32 [%rd2+" #at "], " reg ";\n"
#define PUT64(at, reg) "  st.global.u64 [%rd2+" #at "], " reg ";\n"
#define PUT4(at, regs) "  st.global.v4.u32 [%rd2+" #at "], {" regs "};\n"
#define PUT2(at, regs) "  st.global.v2.u64 [%rd2+" #at "], {" regs "};\n"

/* Loads of elements whose index is loaded from [%rd2+192] on: 0 to 31, the negative, the complement. */
#define INDICES                                                                                             \
    "  and.b32 %r10, %r1, 31; neg.s32 %r11, %r10; not.b32 %r12, %r10; add.u64 %rd10, %rd1, 256;\n"          \
    "  sub.u64 %rd18, %rd10, 0x3fffffffc; sub.u64 %rd19, %rd10, 0x7fffffff8; and.b32 %r13, %r10, 4;\n"     \
    "  st.global.v2.u32 [%rd2+192], {%r10, %r11}; st.global.u32 [%rd2+200], %r12;\n"
#define INDEXED_LOADS                                                                                       \
    "  ld.global.u32 %r14, [%rd2+192]; mul.wide.s32 %rd11, %r14, 4; add.s64 %rd12, %rd1, %rd11;"             \
    " ld.global.u32 %r15, [%rd12+4]; ld.global.u32 %r16, [%rd2+196]; mul.wide.s32 %rd13, %r16, 8;"          \
    " add.s64 %rd14, %rd13, %rd10; ld.global.u64 %rd15, [%rd14];\n"                                         \
    "  ld.global.u32 %r17, [%rd2+200]; mul.wide.u32 %rd16, %r17, 4; add.s64 %rd17, %rd18, %rd16;"           \
    " ld.global.f32 %r18, [%rd17]; ld.global.u32 %r19, [%rd2+200]; mul.wide.u32 %rd20, %r19, 8;"            \
    " add.s64 %rd21, %rd19, %rd20; ld.global.b64 %rd22, [%rd21]; add.u64 %rd23, %rd2, 192;\n"               \
    "  ld.global.u32 %r20, [%rd23]; mul.wide.s32 %rd24, %r20, 4; add.s64 %rd23, %rd1, %rd24;"               \
    " ld.global.u32 %r21, [%rd23]; ld.global.u32 %r22, [%rd2+192]; mul.wide.s32 %rd25, %r22, %r13;"         \
    " add.s64 %rd26, %rd1, %rd25; ld.global.u32 %r23, [%rd26];\n"                                           \
    PUT4(0, "%r15, %r18, %r21, %r23") PUT2(16, "%rd15, %rd22") PUT2(32, "%rd12, %rd17")                     \
    "  ld.global.u32 %r24, [%rd2+192]; mul.wide.s32 %rd27, %r24, 4; add.s64 %rd28, %rd1, %rd27;"            \
    " ld.global.u32 %r25, [%rd28]; ld.global.u32 %r26, [%rd2+192]; mul.wide.s32 %rd29, %r26, 4;"            \
    " add.s64 %rd30, %rd29, %rd29; add.s64 %rd31, %rd30, %rd1; ld.global.u32 %r27, [%rd31];\n"              \
    "  ld.global.u32 %r28, [%rd2+192]; shl.b64 %rd32, %rd1, 0; mul.wide.s32 %rd33, %r28, 4;"                \
    " add.s64 %rd34, %rd32, %rd33; ld.global.u16 %r29, [%rd34];\n"                                          \
    PUT4(48, "%r24, %r25, %r27, %r29")                                                                      \
    "  ld.global.u32 %r30, [%rd2+192]; mul.wide.s32 %rd35, %r11, -4; add.s64 %rd36, %rd1, %rd35;"           \
    " ld.global.u32 %r31, [%rd36]; ld.global.u32 %r32, [%rd2+192]; mul.wide.s32 %rd37, %r32, 4;"            \
    " add.s64 %rd38, %rd1, %rd37; ld.global.u32 %r33, [%rd10];\n"                                           \
    "  ld.global.u32 %r34, [%rd2+192]; mul.wide.s32 %rd39, %r34, 8; add.s64 %rd40, %rd1, %rd39;"            \
    " ld.global.v2.u32 {%r35, %r36}, [%rd40]; ld.global.u32 %r37, [%rd2+192]; mul.wide.s32 %rd41, %r37, 4;" \
    " add.s64 %rd42, %rd1, %rd41; ld.global.u32 %rd43, [%rd42];\n"                                          \
    PUT4(64, "%r30, %r31, %r33, %r35") PUT2(80, "%rd38, %rd43") PUT(96, "%r36")                             \
    "  cvt.u64.u32 %rd44, %r10; st.global.u64 [%rd2+208], %rd44; setp.eq.u32 %p4, %r13, 0;"                 \
    " ld.global.u64 %rd45, [%rd2+208]; shl.b64 %rd46, %rd45, 4; add.s64 %rd47, %rd1, %rd46;"                \
    " ld.global.u32 %r38, [%rd47]; ld.global.u32 %r39, [%rd2+192]; mul.wide.s32 %rd48, %r39, 4;"            \
    " add.s64 %rd49, %rd1, %rd48; ld.global.u16 %h1, [%rd49]; mov.u32 %r40, 1; mov.u32 %r42, 2;\n"          \
    "  @%p4 ld.global.u32 %r40, [%rd2+192]; mul.wide.s32 %rd50, %r40, 4; add.s64 %rd51, %rd1, %rd50;"       \
    " ld.global.u32 %r41, [%rd51]; ld.global.u32 %r43, [%rd2+192]; mul.wide.s32 %rd52, %r43, 4;"            \
    " add.s64 %rd53, %rd1, %rd52; @%p4 ld.global.u32 %r42, [%rd53]; cvt.u32.u16 %r44, %h1;\n"               \
    PUT4(112, "%r38, %r44, %r41, %r42")

/* 80 registers %x, each with one write. */
#define SET_X(n) "  mov.u32 %x" #n ", 1" #n ";\n"
#define ADD_X(n) "  add.u32 %s0, %s0, %x" #n "; add.u32 %s0, %s0, %r3;\n"
#define TEN(F, t) F(t##0) F(t##1) F(t##2) F(t##3) F(t##4) F(t##5) F(t##6) F(t##7) F(t##8) F(t##9)
#define EIGHTY(F) TEN(F, ) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7)

/* Every width and extension from one space at [%rd10]. */
#define LOADS(space)                                                                                        \
    "  ld." space ".u8 %h1, [%rd10+1]; ld." space ".s8 %h2, [%rd10+2]; ld." space ".u8 %r10, [%rd10+3];\n"  \
    "  ld." space ".s8 %r11, [%rd10+5]; ld." space ".u8 %rd11, [%rd10+6];\n"                                \
    "  ld." space ".s8 %rd12, [%rd10+7]; ld." space ".u16 %h3, [%rd10+2];\n"                                \
    "  ld." space ".u16 %r12, [%rd10+4]; ld." space ".s16 %r13, [%rd10+6];\n"                               \
    "  ld." space ".u16 %rd13, [%rd10]; ld." space ".s16 %rd14, [%rd10+2];\n"                               \
    "  ld." space ".u32 %r14, [%rd10+4]; ld." space ".u32 %rd15, [%rd10];\n"                                \
    "  ld." space ".s32 %rd16, [%rd10+4]; ld." space ".b64 %rd17, [%rd10];\n"                               \
    "  cvt.u32.u16 %r15, %h1; cvt.s32.s16 %r16, %h2; cvt.u32.u16 %r17, %h3;\n"                              \
    PUT4(0, "%r10, %r11, %r12, %r13") PUT4(16, "%r14, %r15, %r16, %r17") PUT2(32, "%rd11, %rd12")           \
    PUT2(48, "%rd13, %rd14") PUT2(64, "%rd15, %rd16") PUT64(80, "%rd17")
/* Vectors at [%rd10], 16-byte aligned. */
#define VECTOR_LOADS(space)                                                                                 \
    "  ld." space ".v2.u8 {%h4, %h5}, [%rd10+2]; ld." space ".v4.u8 {%r20, %r21, %r22, %r23}, [%rd10+4];\n" \
    "  ld." space ".v2.u16 {%h6, %h7}, [%rd10+4];\n"                                                        \
    "  ld." space ".v4.s16 {%r24, %r25, %r26, %r27}, [%rd10+8];\n"                                          \
    "  ld." space ".v2.u32 {%r28, %r29}, [%rd10+8]; ld." space ".v4.u32 {%r30, %r31, _, %r33}, [%rd10];\n"  \
    "  ld." space ".v2.u64 {%rd20, %rd21}, [%rd10]; ld." space ".v2.s32 {%rd22, %rd23}, [%rd10+8];\n"       \
    "  ld." space ".b128 %q1, [%rd10]; mov.b128 {%rd24, %rd25}, %q1;\n"                                     \
    "  mov.b32 %r34, {%h4, %h5}; mov.b32 %r35, {%h6, %h7};\n"                                               \
    PUT4(96, "%r20, %r21, %r22, %r23") PUT4(112, "%r24, %r25, %r26, %r27")                                  \
    PUT4(128, "%r28, %r29, %r30, %r31") PUT4(144, "%r33, %r34, %r35, %r35")                                 \
    PUT2(160, "%rd20, %rd21") PUT2(176, "%rd22, %rd23") PUT2(192, "%rd24, %rd25")
/* Stores of every width over 32 bytes at [%rd10], 16-byte aligned, from %rd30 and %rd31. */
#define STORES(space)                                                                                       \
    "  cvt.u32.u64 %r40, %rd30; cvt.u32.u64 %r41, %rd31; cvt.u16.u32 %h10, %r40; cvt.u16.u32 %h11, %r41;\n" \
    "  st." space ".u8 [%rd10], %h10; st." space ".u8 [%rd10+1], %r41; st." space ".u8 [%rd10+2], %rd31;\n" \
    "  st." space ".u8 [%rd10+3], 77; st." space ".u16 [%rd10+4], %h11; st." space ".u16 [%rd10+6], %r40;\n" \
    "  st." space ".b32 [%rd10+8], %r41; st." space ".b32 [%rd10+12], %rd30;\n"                             \
    "  st." space ".b64 [%rd10+16], %rd31; st." space ".v2.u8 [%rd10+30], {%h11, %h10};\n"                  \
    "  st." space ".v2.u16 [%rd10+24], {%r41, %r40};\n"
#define VECTOR_STORES(space)                                                                                \
    "  st." space ".v4.u8 [%rd10+4], {%r40, %r41, 5, %r40};\n"                                              \
    "  st." space ".v4.u16 [%rd10+8], {%h10, %h11, %h10, %h11};\n"                                          \
    "  st." space ".v2.b32 [%rd10+16], {%r41, %r40}; st." space ".v2.b64 [%rd10], {%rd31, %rd30};\n"        \
    "  st." space ".v4.b32 [%rd10+16], {%r40, 9, %r41, %r40};\n"
#define VALUES "  ld.global.b64 %rd30, [%rd4]; ld.global.b64 %rd31, [%rd4+8];\n"

/* Atomics of all kinds on the 64 bytes at [%rd10], which 32 threads share; what they return goes to out. */
#define ATOMS(space)                                                                                        \
    "  atom." space ".add.u32 %r10, [%rd10], %r5; atom." space ".add.s32 %r11, [%rd10+4], %r2;\n"           \
    "  atom." space ".add.u64 %rd20, [%rd10+8], %rd30; atom." space ".inc.u32 %r12, [%rd10+4], 7;\n"        \
    "  atom." space ".dec.u32 %r13, [%rd10+4], 9; atom." space ".and.b32 %r14, [%rd10+16], %r5;\n"          \
    "  atom." space ".or.b64 %rd21, [%rd10+24], %rd30; atom." space ".xor.b32 %r15, [%rd10+16], %r2;\n"     \
    "  atom." space ".min.s32 %r16, [%rd10], %r5; atom." space ".max.u64 %rd22, [%rd10+24], %rd31;\n"       \
    "  atom." space ".exch.b32 %r17, [%rd10+20], %r2; atom." space ".cas.b32 %r18, [%rd10+20], 3, %r5;\n"   \
    "  atom." space ".cas.b64 %rd23, [%rd10+24], %rd30, %rd31;\n"                                           \
    "  atom." space ".add.f32 %r19, [%rd10+40], 0f3FC00000;\n"                                              \
    "  atom." space ".add.f64 %rd24, [%rd10+32], 0d3FF8000000000000; cvt.u16.u32 %h1, %r2;\n"               \
    "  mov.b32 %r22, 0x3c003c00; atom." space ".add.noftz.f16x2 %r20, [%rd10+44], %r22;\n"                  \
    "  atom." space ".cas.b16 %h2, [%rd10+44], 0, %h1; cvt.u32.u16 %r21, %h2;\n"                            \
    "  atom." space ".exch.b128 %q2, [%rd10+48], %q1; atom." space ".cas.b128 %q3, [%rd10+48], %q1, %q2;\n" \
    "  mov.b128 {%rd25, %rd26}, %q2; mov.b128 {%rd27, %rd28}, %q3;\n"                                       \
    PUT4(0, "%r10, %r11, %r12, %r13") PUT4(16, "%r14, %r15, %r16, %r17") PUT4(32, "%r18, %r19, %r20, %r21") \
    PUT2(48, "%rd20, %rd21") PUT2(64, "%rd22, %rd23") PUT2(80, "%rd24, %rd25") PUT2(96, "%rd26, %rd27")     \
    PUT64(112, "%rd28")
/* Where %rd10 points for these: cells of 64 bytes behind everybody's results. */
#define GLOBAL_CELLS                                                                                        \
    "  shr.u32 %r50, %r1, 5; mul.wide.u32 %rd10, %r50, 64; ld.param.u64 %rd11, [out];\n"                    \
    "  add.u64 %rd10, %rd10, %rd11; add.u64 %rd10, %rd10, 262144;\n"
#define SHARED_CELLS                                                                                        \
    "  shr.u32 %r50, %r2, 5; mul.wide.u32 %rd10, %r50, 64; mov.u64 %rd11, cells;\n"                         \
    "  add.u64 %rd10, %rd10, %rd11;\n"
#define WIDE_VALUES VALUES "  mov.b128 %q1, {%rd30, %rd31};\n"

#define FUNCTIONS                                                                                           \
    ".func (.param .b64 r) sum3(.param .align 8 .b8 s[24], .param .u32 n)\n"                                \
    "{ .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                                                 \
    "  ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+8]; ld.param.u32 %r1, [s+16]; ld.param.u32 %r2, [n];\n" \
    "  ld.param.u8 %r3, [s+20]; mov.u64 %rd5, s; and.b32 %r4, %r2, 1; mul.wide.u32 %rd6, %r4, 8;"           \
    " add.u64 %rd5, %rd5, %rd6;\n"                                                                          \
    "  ld.param.u64 %rd4, [%rd5]; add.u64 %rd3, %rd1, %rd2; add.u64 %rd3, %rd3, %rd4;\n"                    \
    "  cvt.u64.u32 %rd4, %r1; add.u64 %rd3, %rd3, %rd4; cvt.u64.u32 %rd4, %r3; add.u64 %rd3, %rd3, %rd4;\n" \
    "  st.param.b64 [r], %rd3; ret; }\n"                                                                    \
    ".func (.param .b32 r) depth(.param .b32 n)\n"                                                          \
    "{ .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>; .local .align 8 .b8 own[40];\n"                    \
    "  ld.param.b32 %r1, [n]; and.b32 %r2, %r1, 7; mul.wide.u32 %rd1, %r2, 4; mov.u64 %rd2, own;"           \
    " add.u64 %rd1, %rd1, %rd2;\n"                                                                          \
    "  st.local.u32 [%rd1], %r1; st.local.u32 [own+32], %r2; setp.eq.u32 %p, %r1, 0; mov.u32 %r3, 1; @%p bra D;\n" \
    "  sub.u32 %r4, %r1, 1;\n"                                                                              \
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), depth, (a); ld.param.b32 %r3, [b]; }\n" \
    "D: ld.local.u32 %r5, [%rd1]; ld.local.u32 %r6, [own+32]; mad.lo.u32 %r3, %r3, 3, %r5; add.u32 %r3, %r3, %r6;\n" \
    "  st.param.b32 [r], %r3; ret; }\n"                                                                     \
    ".func (.reg .b32 r) twice(.reg .b32 a) { add.u32 r, a, a; ret; }\n"                                    \
    ".func (.reg .b32 r) less(.reg .b32 a)\n"                                                               \
    "{ .reg .pred %p; setp.gt.u32 %p, a, 40; mov.u32 r, 5; @%p ret; sub.u32 r, a, 1; ret; }\n"

const struct step_case step_cases[] = {
    { .name = "widths of loads: global", .ptx = MODULE ENTRY BEGIN
      "  mov.u64 %rd10, %rd4;\n" LOADS("global") "  mul.wide.u32 %rd10, %r2, 16; add.u64 %rd10, %rd10, %rd1;\n"
      VECTOR_LOADS("global") END },
    { .name = "widths of loads: scattered", .ptx = MODULE ENTRY BEGIN
      "  and.b32 %r6, %r5, 0xff0; cvt.u64.u32 %rd10, %r6; add.u64 %rd10, %rd10, %rd1; and.b64 %rd10, %rd10, -16;\n"
      LOADS("global") VECTOR_LOADS("global") END },
    { .name = "loads of 32 bytes", .ptx = MODULE ENTRY BEGIN
      "  mul.wide.u32 %rd10, %r2, 32; add.u64 %rd10, %rd10, %rd1;\n"
      "  ld.global.v8.b32 {%r10, %r11, %r12, _, %r14, %r15, %r16, %r17}, [%rd10];"
      " ld.global.v4.b64 {%rd11, %rd12, %rd13, %rd14}, [%rd10];\n"
      "  st.global.v8.b32 [%rd2], {%r17, %r16, %r15, %r14, 3, %r12, %r11, %r10};"
      " st.global.v4.b64 [%rd2+32], {%rd14, %rd13, %rd12, %rd11};\n"
      END },
    { .name = "widths: shared", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 16 .b8 s[4096]; mul.wide.u32 %rd10, %r2, 32; mov.u64 %rd11, s;"
      " add.u64 %rd10, %rd10, %rd11;\n" VALUES
      STORES("shared") LOADS("shared") VECTOR_STORES("shared") VECTOR_LOADS("shared") END },
    { .name = "widths: local, one index", .ptx = MODULE ENTRY BEGIN
      "  .local .align 16 .b8 pad[48]; .local .align 16 .b8 l[64]; mov.u64 %rd10, l;\n"
      VALUES STORES("local") LOADS("local")
      VECTOR_STORES("local") VECTOR_LOADS("local") END },
    { .name = "widths: local, own index", .ptx = MODULE ENTRY BEGIN
      "  .local .align 16 .b8 l[256]; and.b32 %r6, %r5, 0x70; cvt.u64.u32 %rd10, %r6; mov.u64 %rd11, l;"
      " add.u64 %rd10, %rd10, %rd11;\n"
      VALUES STORES("local") LOADS("local") VECTOR_STORES("local") VECTOR_LOADS("local") END },
    { .name = "widths: local, generic", .ptx = MODULE ENTRY BEGIN
      "  .local .align 16 .b8 l[256]; and.b32 %r6, %r5, 0x70; cvt.u64.u32 %rd10, %r6; mov.u64 %rd11, l;"
      " add.u64 %rd11, %rd10, %rd11;\n"
      "  cvta.local.u64 %rd10, %rd11;\n" VALUES
      "  st.v2.b64 [%rd10], {%rd30, %rd31}; st.v2.b64 [%rd10+16], {%rd31, %rd30};"
      " ld.v4.b32 {%r10, %r11, %r12, %r13}, [%rd10];\n"
      "  ld.u8 %r14, [%rd10+19]; st.v2.u16 [%rd10+4], {%r11, %r10}; ld.b64 %rd12, [%rd10];\n"
      PUT(0, "%r10") PUT(4, "%r11") PUT(8, "%r12") PUT(12, "%r13") PUT(16, "%r14") PUT64(24, "%rd12") END },
    { .name = "stores: global, strided and to one place", .ptx = MODULE ENTRY BEGIN
      "  mov.u64 %rd10, %rd2;\n" VALUES STORES("global") "  add.u64 %rd10, %rd2, 64;\n"
      STORES("global") VECTOR_STORES("global")
      "  st.global.b128 [%rd2+128], %q1; and.b32 %r6, %r1, -32; mul.wide.u32 %rd10, %r6, 8;"
      " ld.param.u64 %rd11, [out];\n"
      "  add.u64 %rd10, %rd10, %rd11; add.u64 %rd10, %rd10, 262144; st.global.u32 [%rd10], %r2;"
      " st.global.u8 [%rd10+5], %r2;\n" END },
    { .name = "32-bit addresses", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 16 .b8 s[2048]; .local .align 8 .b8 l[32]; mov.u32 %r6, s; shl.b32 %r7, %r2, 3;"
      " add.u32 %r6, %r6, %r7;\n"
      "  st.shared.u32 [%r6], %r5; mov.u32 %r8, l; and.b32 %r9, %r2, 4; add.u32 %r8, %r8, %r9;"
      " st.local.u32 [%r8+8], %r1;\n"
      "  ld.shared.u32 %r10, [%r6]; ld.local.u32 %r11, [%r8+8]; atom.shared.add.u32 %r12, [%r6+4], %r2;"
      " ld.shared.u32 %r13, [%r6+4];\n"
      PUT(0, "%r10") PUT(4, "%r11") PUT(8, "%r12") PUT(12, "%r13") END },
    { .name = "guards", .ptx = MODULE ENTRY BEGIN
      "  setp.lt.u32 %p1, %r2, 20; setp.gt.s32 %p2, %r5, 0; setp.lt.u32 %p3, %r2, 0; mov.u32 %r10, 1;"
      " mov.u32 %r11, 2;\n"
      "  .local .align 4 .b8 l[16]; .shared .align 4 .b8 s[1024]; mul.wide.u32 %rd10, %r2, 4; mov.u64 %rd11, s;"
      " add.u64 %rd10, %rd10, %rd11;\n"
      "  @%p1 ld.global.u32 %r10, [%rd4+4]; @!%p2 ld.global.u32 %r11, [%rd4]; @%p3 ld.global.u32 %r12, [%rd4];\n"
      "  @%p2 st.local.u32 [l+4], %r5; @!%p2 st.local.u32 [l+4], %r1; @%p1 st.shared.u32 [%rd10], %r5;"
      " @!%p1 st.shared.u32 [%rd10], 5;\n"
      "  @%p2 ld.local.u32 %r13, [l+4]; @!%p2 ld.local.u32 %r13, [l+4]; ld.shared.u32 %r14, [%rd10];\n"
      "  @%p1 atom.shared.add.u32 %r15, [%rd10], 9; @%p2 red.global.add.u32 [%rd3], 1;"
      " @%p3 st.global.u32 [%rd1], 0; @%p1 prefetch.global.L1 [%rd4];\n"
      "  @%p1 membar.gl; @%p2 nanosleep.u32 10;\n"
      "  @%p1 st.global.u32 [%rd2], %r10; @!%p1 st.global.u32 [%rd2+4], %r11;\n"
      PUT(8, "%r13") PUT(12, "%r14") PUT(16, "%r15") END },
    { .name = "constants and parameters", .ptx = MODULE
      ".const .align 8 .b32 c[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n"
      ENTRY BEGIN
      "  and.b32 %r6, %r5, 12; cvt.u64.u32 %rd10, %r6; mov.u64 %rd11, c; add.u64 %rd11, %rd11, %rd10;"
      " ld.const.u32 %r10, [%rd11];\n"
      "  ld.const.v2.u32 {%r11, %r12}, [c+8]; ld.const.u8 %r13, [c+4]; cvta.const.u64 %rd12, %rd11;"
      " ld.u32 %r14, [%rd12+16];\n"
      "  mov.u64 %rd13, in; and.b32 %r7, %r2, 1; mul.wide.u32 %rd14, %r7, 8; add.u64 %rd13, %rd13, %rd14;"
      " ld.param.u64 %rd15, [%rd13];\n"
      "  sub.u64 %rd15, %rd15, %rd1; mov.u64 %rd16, out; cvta.param.u64 %rd17, %rd16; ld.u64 %rd18, [%rd17];"
      " sub.u64 %rd18, %rd18, %rd1;\n"
      "  ld.param.u32 %r15, [in+4]; cvta.to.global.u64 %rd19, %rd1; ld.global.nc.u32 %r16, [%rd19+16];"
      " ldu.global.u32 %r17, [%rd19+20];\n"
      PUT(0, "%r10") PUT(4, "%r11") PUT(8, "%r12") PUT(12, "%r13") PUT(16, "%r14") PUT64(24, "%rd15")
      PUT64(32, "%rd18") PUT(40, "%r15")
      PUT(44, "%r16") PUT(48, "%r17") END },
    { .name = "generic addresses of three spaces", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 8 .b8 s[512]; .local .align 8 .b8 l[16]; mul.wide.u32 %rd10, %r2, 8; mov.u64 %rd11, s;"
      " add.u64 %rd11, %rd11, %rd10;\n"
      "  cvta.shared.u64 %rd11, %rd11; mov.u64 %rd12, l; cvta.local.u64 %rd12, %rd12; rem.u32 %r6, %r2, 3;"
      " setp.eq.u32 %p1, %r6, 1;\n"
      "  setp.eq.u32 %p2, %r6, 2; selp.u64 %rd13, %rd11, %rd2, %p1; selp.u64 %rd13, %rd12, %rd13, %p2;"
      " setp.ne.u32 %p3, %r2, 9;\n"
      "  st.u32 [%rd13], %r5; @%p3 st.u8 [%rd13+1], %r2; st.u16 [%rd13+4], %r1; ld.v2.u32 {%r10, %r11}, [%rd13];\n"
      "  @%p3 ld.s8 %r12, [%rd13+1]; setp.eq.u32 %p2, %r6, 2; @!%p2 atom.add.u32 %r13, [%rd13], 5;"
      " ld.volatile.u32 %r14, [%rd13];\n"
      PUT(16, "%r10") PUT(20, "%r11") PUT(24, "%r12") PUT(28, "%r13") PUT(32, "%r14") END },
    { .name = "atomics: global", .ptx = MODULE ENTRY BEGIN WIDE_VALUES GLOBAL_CELLS ATOMS("global") END },
    { .name = "atomics: shared", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 16 .b8 cells[1024];\n" WIDE_VALUES SHARED_CELLS ATOMS("shared")
      "  ld.shared.b64 %rd12, [%rd10+8]; ld.shared.b64 %rd13, [%rd10+24];"
      PUT64(120, "%rd12") PUT64(128, "%rd13") END },
    { .name = "atomics: one cell a lane, red, order words", .ptx = MODULE ENTRY BEGIN VALUES
      "  add.u64 %rd10, %rd2, 64; st.global.b64 [%rd10], %rd30; atom.global.acq_rel.gpu.add.u32 %r10, [%rd10], %r5;\n"
      "  red.global.max.s32 [%rd10+4], %r2; red.relaxed.gpu.global.add.f32 [%rd10+8], 0f40000000;"
      " red.global.xor.b64 [%rd10+16], %rd31;\n"
      "  mov.b32 %r11, 0x3f803f80; red.global.add.noftz.bf16x2 [%rd10+24], %r11;"
      " red.global.inc.u32 [%rd3+4], 1000; red.global.add.u64 [%rd3+8], %rd30;\n"
      "  red.global.min.u32 [%rd3+16], %r5; red.global.and.b32 [%rd3+20], %r5;\n" PUT(0, "%r10") END },
    { .name = "atomics: vectors", .ptx = MODULE ENTRY BEGIN GLOBAL_CELLS
      "  mov.b32 %r30, 0f3F800000; cvt.rn.f32.u32 %r31, %r2; cvt.u16.u32 %h1, %r2;\n"
      "  atom.global.v2.f32.add {%r10, %r11}, [%rd10], {%r30, %r31};"
      " atom.global.v4.f32.add {%r12, %r13, %r14, _}, [%rd10], {%r31, %r30, %r31, %r30};\n"
      "  atom.global.v4.f16.add.noftz {%h2, %h3, %h4, %h5}, [%rd10+16], {%h1, %h1, %h1, %h1};\n"
      "  red.global.v8.bf16.add.noftz [%rd10+32], {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1};\n"
      "  red.global.v2.f16x2.min.noftz [%rd10+16], {%r31, %r30}; add.u64 %rd12, %rd2, 128;"
      " atom.v2.f32.add {%r15, %r16}, [%rd12], {%r30, %r31};\n"
      PUT(0, "%r10") PUT(4, "%r11") PUT(8, "%r12") PUT(12, "%r13") PUT(16, "%r14") PUT(20, "%r15") PUT(24, "%r16")
      "  st.global.v4.u16 [%rd2+32], {%h2, %h3, %h4, %h5};\n" END },
    { .name = "calls with structs, registers and recursion", .ptx = MODULE FUNCTIONS ENTRY BEGIN VALUES
      "  .local .align 8 .b8 mine[32]; st.local.u64 [mine+8], %rd30;\n"
      "  { .param .align 8 .b8 a[24]; .param .u32 n; .param .b64 r;\n"
      "  st.param.v2.u64 [a], {%rd30, %rd31}; st.param.u32 [a+16], %r5; st.param.u32 [a+20], %r2;"
      " st.param.u8 [a+21], 3; st.param.u32 [n], %r1;\n"
      "  call (r), sum3, (a, n); ld.param.b64 %rd10, [r]; }\n"
      "  and.b32 %r6, %r1, 15; { .param .b32 n; .param .b32 r; st.param.b32 [n], %r6; call (r), depth, (n);"
      " ld.param.b32 %r10, [r]; }\n"
      "  call (%r11), twice, (%r5); setp.lt.u32 %p1, %r2, 11; @%p1 call (%r12), less, (%r2);"
      " @!%p1 call (%r12), twice, (%r2);\n"
      "  ld.local.u64 %rd12, [mine+8];\n"
      PUT64(0, "%rd10") PUT(8, "%r10") PUT(12, "%r11") PUT(16, "%r12") PUT64(24, "%rd12") END },
    { .name = "repeated calls without side effects are no waiting loop", .ptx = MODULE
      ".func rounds()\n{ .reg .pred %p; .reg .b32 %r; mov.u32 %r, 0;\n"
      "L: add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 2; @%p bra L; ret; }\n"
      ENTRY BEGIN
      "  mov.u32 %r10, 0; P: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 300; @%p1 bra P;\n"
      "  setp.gt.u32 %p1, %r2, 9; mov.u32 %r10, 1; @%p1 bra E;\n"
      "  call rounds; call rounds; call rounds; call rounds; call rounds; call rounds; call rounds; call rounds;\n"
      "  call rounds; call rounds; call rounds; call rounds; call rounds; call rounds; mov.u32 %r10, 2;\n"
      "E: call rounds; add.u32 %r10, %r10, 1;\n" PUT(0, "%r10") END },
    { .name = "parameters nobody wrote are zero", .ptx = MODULE
      ".func (.param .b32 r) none(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [r]; ld.param.b32 %r2, [a];"
      " add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }\n"
      ENTRY BEGIN
      "  mov.u32 %r6, 0;\n"
      "L: { .param .b32 a; .param .b32 r; st.param.b32 [a], %r5; call (r), none, (a); ld.param.b32 %r10, [r]; }\n"
      "  { .param .b32 b; ld.param.b32 %r11, [b]; add.u32 %r12, %r12, %r11; add.u32 %r13, %r13, %r10;"
      " st.param.b32 [b], %r6; }\n"
      "  add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3; @%p1 bra L;\n" PUT(0, "%r12") PUT(4, "%r13") END },
    { .name = "divergent and indirect calls, table branches", .ptx = MODULE FUNCTIONS ENTRY BEGIN
      "  and.b32 %r6, %r5, 3; setp.eq.u32 %p1, %r6, 0; mov.u64 %rd10, twice; mov.u64 %rd11, less;"
      " selp.u64 %rd12, %rd10, %rd11, %p1;\n"
      "  P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r10), %rd12, (%r2), P;\n"
      "  T: .branchtargets T0, T1, T2, T3; brx.idx %r6, T;\n"
      "T0: add.u32 %r10, %r10, 100; bra TE;\n"
      "T1: setp.gt.u32 %p2, %r2, 9; @%p2 bra T3; add.u32 %r10, %r10, 7; ld.global.u32 %r11, [%rd4+4]; bra TE;\n"
      "T2: call (%r10), twice, (%r10); bra TE;\n"
      "T3: mov.u32 %r10, 1;\n"
      "TE: mov.u32 %r12, 0;\n"
      "L: add.u32 %r12, %r12, 1; { .param .b32 n; .param .b32 r; st.param.b32 [n], %r12; call (r), depth, (n);"
      " ld.param.b32 %r13, [r]; }\n"
      "  add.u32 %r10, %r10, %r13; setp.lt.u32 %p3, %r12, %r6; @%p3 bra L; setp.eq.u32 %p4, %r6, 1; @%p4 exit;\n"
      PUT(0, "%r10") PUT(4, "%r11") END },
    { .name = "barriers in loops, reductions, early exits", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 4 .b8 s[256]; setp.ge.u32 %p1, %r2, 50; @%p1 bra OUT; mul.wide.u32 %rd10, %r2, 4;"
      " mov.u64 %rd11, s; add.u64 %rd10, %rd10, %rd11;\n"
      "  mov.u32 %r10, 0; st.shared.u32 [%rd10], %r5;\n"
      "L: bar.sync 0; add.u32 %r6, %r2, %r10; rem.u32 %r6, %r6, 50; mul.wide.u32 %rd12, %r6, 4;"
      " add.u64 %rd12, %rd12, %rd11; ld.shared.u32 %r7, [%rd12];\n"
      "  bar.sync 1; ld.shared.u32 %r8, [%rd10]; add.u32 %r8, %r8, %r7; st.shared.u32 [%rd10], %r8;"
      " setp.gt.s32 %p2, %r8, 0;\n"
      "  bar.red.popc.u32 %r9, 2, %p2; add.u32 %r11, %r11, %r9; bar.red.and.pred %p3, 0, %p2;"
      " selp.u32 %r9, 1, 0, %p3; add.u32 %r11, %r11, %r9;\n"
      "  add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 5; @%p4 bra L;\n" PUT(0, "%r8") PUT(4, "%r11") "  ret;\n"
      "OUT: st.global.u32 [%rd2+8], 1;\n" END },
    { .name = "named barriers: producer and consumer", .block = 128, .ptx = MODULE ENTRY BEGIN
      "  .shared .align 4 .b8 s[512]; mul.wide.u32 %rd10, %r2, 4; mov.u64 %rd11, s; add.u64 %rd10, %rd10, %rd11;"
      " setp.lt.u32 %p1, %r2, 64; @!%p1 bra C;\n"
      "  st.shared.u32 [%rd10], %r5; bar.arrive 3, 128; bra E;\n"
      "C: bar.sync 3, 128; ld.shared.u32 %r10, [%rd10-256];\n" PUT(0, "%r10") "E:\n" END },
    { .name = "loops of different length", .ptx = MODULE ENTRY BEGIN
      "  and.b32 %r6, %r5, 31; mov.u32 %r7, 0;\n"
      "L: add.u32 %r7, %r7, 1; and.b32 %r8, %r7, 3; setp.eq.u32 %p1, %r8, 0; @%p1 bra M;"
      " ld.global.u32 %r9, [%rd4]; add.u32 %r10, %r10, %r9; bra N;\n"
      "M: st.global.u32 [%rd2+4], %r7; setp.gt.u32 %p3, %r7, 20; @%p3 bra X;\n"
      "N: setp.lt.u32 %p2, %r7, %r6; @%p2 bra L; add.u32 %r10, %r10, 1;\n"
      "X: shfl.sync.bfly.b32 %r12, %r10, 3, 31, -1; activemask.b32 %r13;\n" PUT(0, "%r10") PUT(8, "%r12") END },
    { .name = "printf: arguments in local memory", .prints = "thread 3 of 1: 77 tail 2.5", .ptx = MODULE
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".global .align 1 .b8 fmt[] = {116,104,114,101,97,100,32,37,100,32,111,102,32,37,100,58,32,37,108,108,100,32,37,"
      "115,32,37,46,49,102,10,0};\n"
      ENTRY BEGIN
      "  setp.ne.u32 %p1, %r2, 3; @%p1 bra E; .local .align 8 .b8 depot[32]; .local .align 4 .b8 word[8];"
      " mov.u64 %rd10, word; cvta.local.u64 %rd10, %rd10;\n"
      "  mov.u64 %rd13, depot; cvta.local.u64 %rd12, %rd13; st.local.u32 [%rd13], %r2; st.u32 [%rd12+4], %r3;"
      " st.u64 [%rd12+8], 77; st.u64 [%rd12+16], %rd10;\n"
      "  st.local.f64 [depot+24], 0d4004000000000000; st.local.u32 [word], 0x6c696174; st.local.u8 [word+4], 0;\n"
      "  { .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd11, fmt; cvta.global.u64 %rd11, %rd11;"
      " st.param.b64 [f], %rd11; st.param.b64 [a], %rd12;\n"
      "  call (r), vprintf, (f, a); ld.param.b32 %r10, [r]; }\n" PUT(0, "%r10") "E:\n" END },
    { .name = "heap", .ptx = MODULE
      ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);\n" ENTRY BEGIN
      "  { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 %rd10, [r]; }\n"
      "  st.u32 [%rd10], %r5; st.u32 [%rd10+60], %r1; ld.u32 %r10, [%rd10]; ld.global.u32 %r11, [%rd10+60];\n"
      "  { .param .b64 p; st.param.b64 [p], %rd10; call free, (p); }\n" PUT(0, "%r10") PUT(4, "%r11") END },
    { .name = "transposed through shared memory", .block = 256, .ptx = MODULE ENTRY BEGIN
      "  .shared .align 4 .b8 s[1088]; and.b32 %r6, %r2, 15; shr.u32 %r7, %r2, 4; mad.lo.u32 %r8, %r6, 17, %r7;"
      " mul.wide.u32 %rd10, %r8, 4; mov.u64 %rd11, s;\n"
      "  add.u64 %rd10, %rd10, %rd11; st.shared.u32 [%rd10], %r1; bar.sync 0; mad.lo.u32 %r8, %r7, 17, %r6;"
      " mul.wide.u32 %rd10, %r8, 4; add.u64 %rd10, %rd10, %rd11;\n"
      "  ld.shared.u32 %r9, [%rd10];\n" PUT(0, "%r9") END },

    { .name = "an acquire is the last instruction", .ptx = MODULE ENTRY BEGIN
      PUT(0, "%r5") "  ld.acquire.gpu.global.u32 %r10, [%rd4];\n" END },
    { .name = "results that nobody wants come while other functions run", .ptx = MODULE
      ".func forget(.param .b64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; atom.global.add.u64 _, [%rd1], 1;"
      " ld.global.v2.u64 {_, _}, [%rd1]; ret; }\n"
      ".func (.param .b32 r) remember(.param .b32 a) { .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<8>;\n"
      "  ld.param.u32 %r1, [a]; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, %rd1, 2; add.u64 %rd3, %rd1, 3;"
      " add.u64 %rd4, %rd1, 4; add.u64 %rd5, %rd1, 5; add.u64 %rd6, %rd1, 6; mov.u32 %r2, 500;\n"
      "L: sub.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra L;\n"
      "  xor.b64 %rd7, %rd1, %rd2; mad.lo.u64 %rd7, %rd7, 3, %rd3; mad.lo.u64 %rd7, %rd7, 3, %rd4;"
      " mad.lo.u64 %rd7, %rd7, 3, %rd5; mad.lo.u64 %rd7, %rd7, 3, %rd6; cvt.u32.u64 %r2, %rd7;"
      " st.param.b32 [r], %r2; ret; }\n"
      ENTRY BEGIN
      "  { .param .b64 p; st.param.b64 [p], %rd3; call.uni forget, (p); }\n"
      "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), remember, (a);"
      " ld.param.b32 %r10, [b]; }\n" PUT(0, "%r10") END },

    { .name = "fault: global, one lane", .fault = "at 0x400", .ptx = MODULE ENTRY BEGIN
      "  setp.eq.u32 %p1, %r2, 37; selp.u64 %rd10, 1024, %rd4, %p1; ld.global.u32 %r10, [%rd10];\n"
      PUT(0, "%r10") END },
    { .name = "fault: null, all lanes", .fault = "null pointer", .ptx = MODULE ENTRY BEGIN
      "  mov.u64 %rd10, 8; st.global.u64 [%rd10], %rd10;\n" END },
    { .name = "fault: end of an allocation", .fault = "outside", .ptx = MODULE ENTRY BEGIN
      "  mul.wide.u32 %rd10, %r2, 16; add.u64 %rd10, %rd10, %rd1;"
      " ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd10+3104];\n" END },
    { .name = "fault: misaligned", .fault = "multiple of 8", .ptx = MODULE ENTRY BEGIN
      "  setp.gt.u32 %p1, %r2, 40; selp.u64 %rd10, 4, 0, %p1; add.u64 %rd10, %rd10, %rd4;"
      " ld.global.v2.u32 {%r10, %r11}, [%rd10];\n" END },
    { .name = "fault: shared", .block = 32, .fault = "of shared memory", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 4 .b8 s[128]; mul.wide.u32 %rd10, %r2, 4; mov.u64 %rd11, s; add.u64 %rd10, %rd10, %rd11;"
      " st.shared.u32 [%rd10], %r2; st.shared.u32 [%rd10+64], %r2;\n" END },
    { .name = "fault: local", .fault = "of local memory", .ptx = MODULE ENTRY BEGIN
      "  .local .align 4 .b8 l[16]; and.b32 %r6, %r5, 1023; mul.wide.u32 %rd10, %r6, 4;"
      " ld.local.u32 %r10, [%rd10];\n" END },
    { .name = "fault: generic, of local memory", .fault = "of local memory", .ptx = MODULE ENTRY BEGIN
      "  .local .align 4 .b8 l[16]; mov.u64 %rd10, l; cvta.local.u64 %rd10, %rd10; st.u32 [%rd10+1048576], %r2;\n"
      END },
    { .name = "fault: shared address as global", .fault = "as global memory", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 4 .b8 s[128]; mov.u64 %rd10, s; cvta.shared.u64 %rd10, %rd10;"
      " ld.global.u32 %r10, [%rd10];\n" END },
    { .name = "fault: constant memory is read-only", .fault = "read-only",
      .ptx = MODULE ".const .b32 c[4];\n" ENTRY BEGIN
      "  mov.u64 %rd10, c; cvta.const.u64 %rd10, %rd10; ld.u32 %r10, [%rd10]; st.u32 [%rd10], %r10;\n" END },
    { .name = "fault: atomic on local memory", .fault = "fault", .ptx = MODULE ENTRY BEGIN
      "  .local .align 4 .b8 l[16]; mov.u64 %rd10, l; cvta.local.u64 %rd10, %rd10; setp.gt.u32 %p1, %r2, 4;"
      " selp.u64 %rd10, %rd10, %rd2, %p1; atom.add.u32 %r10, [%rd10], 1;\n" END },
    { .name = "fault: atomic, shared end", .block = 64, .fault = "of shared memory", .ptx = MODULE ENTRY BEGIN
      "  .shared .align 4 .b8 s[128]; mov.u64 %rd10, s; mul.wide.u32 %rd11, %r2, 4; add.u64 %rd10, %rd10, %rd11;"
      " red.shared.add.u32 [%rd10+4], 1;\n" END },
    { .name = "fault: vector of atomics, second element", .fault = "at 0x",
      .ptx = MODULE ".global .align 16 .b8 odd[20];\n" ENTRY BEGIN
      "  mov.b32 %r10, 0f3F800000; mov.u64 %rd10, odd;"
      " red.global.v4.f32.add [%rd10+16], {%r10, %r10, %r10, %r10};\n" END },
    { .name = "fault: some lanes, behind the end", .fault = "outside", .ptx = MODULE ENTRY BEGIN
      "  and.b32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 1; mul.wide.u32 %rd10, %r2, 80; add.u64 %rd10, %rd10, %rd1;"
      " @%p1 ld.global.u32 %r10, [%rd10];\n" END },
    { .name = "fault: some lanes, before the start", .fault = "outside", .ptx = MODULE ENTRY BEGIN
      "  and.b32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 1; mul.wide.u32 %rd10, %r2, 40; sub.u64 %rd10, %rd1, %rd10;"
      " @%p1 st.global.u32 [%rd10+2000], %r10;\n" END },
    { .name = "fault: table", .fault = "brx.idx with index", .ptx = MODULE ENTRY BEGIN
      "  T: .branchtargets A, B; brx.idx %r2, T;\nA: mov.u32 %r10, 1;\nB:\n" END },
    { .name = "fault: stack", .fault = "stack overflow", .ptx = MODULE
      ".func deep(.param .b32 n) { .reg .b32 %r<3>; .local .b8 l[64]; ld.param.b32 %r1, [n];"
      " st.local.u32 [l], %r1; add.u32 %r2, %r1, 1;\n"
      "  { .param .b32 a; st.param.b32 [a], %r2; call deep, (a); } ret; }\n"
      ENTRY BEGIN "  { .param .b32 a; st.param.b32 [a], %r1; call deep, (a); }\n" END },
    /* launch-invariant values (ptx/program/invariant.c) */
    { .name = "fixed values after branches and at joins", .ptx = MODULE ENTRY BEGIN
      "  setp.gt.u32 %p1, %r2, 1000; @%p1 bra E; mov.u32 %r10, 5; add.u32 %r11, %r10, 2; mov.u32 %r12, %tid.x;\n"
      "  st.global.u32 [%rd2], %r11; @%p1 bra E; mov.u32 %r13, 9;\n" PUT4(16, "%r11, %r12, %r13, %r10")
      "  bar.sync 0; mov.u32 %r15, 3; and.b32 %r6, %r2, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra F; mov.u32 %r16, 11;\n"
      PUT(32, "%r16") "F: mov.u32 %r17, 12; mov.u32 %r18, 0;\nL: mov.u32 %r19, 2;\n"
      "  add.u32 %r18, %r18, %r19; setp.lt.u32 %p3, %r18, %r2; @%p3 bra L; mov.u32 %r21, 8; bra G;\n"
      "E: mov.u32 %r22, 6;\n" PUT(48, "%r22") "G: mov.u32 %r23, 4; exit;\n" PUT(52, "%r23") END },
    { .name = "fixed values of every class", .ptx = MODULE ".const .u32 c[4] = {1, 2, 3, 4};\n" ENTRY BEGIN
      "  ld.param.u32 %rd10, [in]; ld.param.s8 %h1, [in+1]; ld.param.u8 %r10, [in+2]; ld.param.u16 %rd11, [in+2];\n"
      "  ld.param.v2.u32 {%r11, %r12}, [out]; mov.u16 %h2, 300; cvt.s32.s8 %r13, %h2; cvt.u64.u32 %rd12, %tid.x;\n"
      "  mov.u64 %rd13, c; ld.const.u32 %r14, [%rd13+4]; setp.lt.u32 %p1|%p2, %r2, 17; selp.u32 %r15, 1, 2, %p1;\n"
      "  selp.u32 %r16, 3, 4, %p2; not.pred %p3, %p1; selp.u32 %r17, 5, 6, %p3; mov.b64 %rd14, {%r2, %r15};\n"
      "  mov.b128 %q1, {%rd14, %rd13}; mov.b128 {%rd15, %rd16}, %q1; div.u32 %r18, 7, 0; cvt.u32.s16 %r19, %h1;\n"
      "  mov.b64 {%r20, %r21}, %rd14; mul.wide.u32 %rd17, %r2, 40; mov.u32 %r22, %ntid.x; mov.u32 %r23, %ctaid.x;\n"
      PUT4(0, "%r10, %r13, %r14, %r15") PUT4(16, "%r16, %r17, %r18, %r19") PUT4(32, "%r20, %r21, %r22, %r23")
      PUT2(48, "%rd15, %rd12") PUT2(64, "%rd17, %rd11") PUT2(80, "%rd14, %rd14")
      "  st.global.v2.u32 [%rd2+96], {%r2, %r23}; st.global.u8 [%rd2+104], %r2;\n"
      "  st.global.u16 [%rd2+106], %r22;\n" END },
    { .name = "fixed operands of what lanes do together", .ptx = MODULE ENTRY BEGIN
      "  mov.u32 %r10, %laneid; and.b32 %r11, %r10, 3; setp.eq.u32 %p1, %r11, 1; and.b32 %r6, %r5, 1;\n"
      "  setp.eq.u32 %p2, %r6, 0; @%p2 bra E;\n"
      "  activemask.b32 %r12; shfl.sync.idx.b32 %r13, %r10, 0, 31, %r12; vote.sync.ballot.b32 %r14, %p1, %r12;\n"
      "  redux.sync.add.u32 %r15, %r11, %r12; match.any.sync.b32 %r16, %r11, %r12; vote.ballot.b32 %r17, %p1;\n"
      PUT4(0, "%r12, %r13, %r14, %r15") PUT2(16, "%rd1, %rd3") PUT(32, "%r16") PUT(36, "%r17")
      "  shfl.down.b32 %r18, %r11, 1, 31; vote.all.pred %p3, %p1; selp.u32 %r19, 1, 2, %p3;\n"
      PUT(40, "%r19") PUT(44, "%r18")
      "E: atom.global.add.u32 %r20, [%rd3], %r10; red.global.add.u32 [%rd3+4], 3;\n" END },
    { .name = "fixed operands of a warp with few lanes", .block = 40, .ptx = MODULE ".const .u32 c = 5;\n" ENTRY BEGIN
      "  mov.u32 %r10, %laneid; and.b32 %r11, %r10, 3; mov.pred %p1, 1;\n"
      "  vote.ballot.b32 %r12, %p1; redux.sync.add.u32 %r13, %r11, 0xffffffff; activemask.b32 %r14;\n"
      "  match.any.sync.b32 %r15, %r11, 0xffffffff; shfl.down.b32 %r16, %r11, 1, 31; mov.u32 %r17, %smid;\n"
      "  add.u32 %r18, %r17, 1; ld.const.u32 %r19, [c];\n"
      PUT4(0, "%r12, %r13, %r14, %r15") PUT4(16, "%r16, %r17, %r18, %r19") END },
    { .name = "a misaligned load of a parameter that is not executed", .ptx = MODULE ENTRY BEGIN
      "  setp.lt.u32 %p1, %r2, 1000; @%p1 bra E; ld.param.u32 %r10, [in+2];\n" PUT(0, "%r10") "E:\n" END },
    { .name = "loads of misaligned parameters that are not executed", .ptx = MODULE
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum, .param .align 1 .b8 x,"
      " .param .align 1 .b8 s[12])\n" BEGIN
      "  setp.lt.u32 %p1, %r2, 1000; @%p1 bra E; ld.param.u32 %r10, [s]; ld.param.u16 %r11, [s+4];\n"
      PUT(0, "%r10") PUT(4, "%r11") "E:\n" END },
    { .name = "fault: a load of a misaligned parameter, in its place", .fault = "ld.param.u32 %r10, [s]", .ptx = MODULE
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum, .param .align 1 .b8 x,"
      " .param .align 1 .b8 s[12])\n" BEGIN PUT(0, "%r2") "  ld.param.u32 %r10, [s];\n" PUT(4, "%r10") END },
    { .name = "parameters by value", .ptx = MODULE
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum, .param .align 8 .b8 s[24],"
      " .param .align 2 .b8 h[6])\n" BEGIN
      "  ld.param.u64 %rd10, [s]; ld.param.u32 %r10, [s+12]; ld.param.s16 %r11, [s+18]; ld.param.u8 %r12, [s+23];\n"
      "  ld.param.u16 %r13, [h+4]; ld.param.v2.u32 {%r14, %r15}, [s+16]; ld.param.v4.u16 {%h1, %h2, %h3, %h4}, [s];\n"
      "  mov.u64 %rd12, s; cvta.param.u64 %rd13, %rd12; ld.u32 %r16, [%rd13+12]; sub.u32 %r17, %r16, %r10;\n"
      PUT64(0, "%rd10") PUT4(16, "%r10, %r11, %r12, %r13") PUT4(32, "%r14, %r15, %r16, %r17") END },
    { .name = "fixed operands of matrices and policies", .ptx = MODULE ".shared .align 16 .b8 m[512];\n" ENTRY BEGIN
      "  mov.u32 %r10, m; mov.u32 %r11, 0x3c003c00; mov.u32 %r12, %laneid; shl.b32 %r13, %r12, 4;\n"
      "  add.u32 %r14, %r10, %r13;\n"
      "  st.shared.v4.u32 [%r14], {%r11, %r12, %r12, %r11}; bar.sync 0;\n"
      "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r15}, [%r14]; movmatrix.sync.aligned.m8n8.trans.b16 %r16, %r12;\n"
      "  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r20, %r21, %r22, %r23}, {%r11, %r11}, {%r11},"
      " {%r12, %r12, %r12, %r12};\n"
      "  createpolicy.fractional.L2::evict_first.b64 %rd10, 1.0; ld.global.L2::cache_hint.u32 %r17, [%rd4], %rd10;\n"
      "  mov.u64 %rd11, m; cvta.shared.u64 %rd12, %rd11; isspacep.shared %p1, %rd12; selp.u32 %r18, 1, 2, %p1;\n"
      PUT4(0, "%r15, %r16, %r17, %r18") PUT4(16, "%r20, %r21, %r22, %r23") END },
    { .name = "a part of a parameter at a place that is computed", .ptx = MODULE
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum, .param .align 8 .b8 s[64])\n" BEGIN
      "  and.b32 %r10, %r1, 7; shl.b32 %r11, %r10, 2; ld.param.u32 %r12, [s+%r11]; ld.param.u32 %r13, [s];\n"
      "  ld.u32 %r14, [s+4]; mov.u32 %r15, %tid.x; shl.b32 %r15, %r15, 2; ld.param.u8 %r16, [in+%r10];\n"
      PUT4(0, "%r12, %r13, %r14, %r16") END },
    { .name = "special registers of 16 bits and as operands", .ptx = MODULE ENTRY BEGIN
      "  mov.u16 %h1, %tid.x; mov.u16 %h2, %ctaid.x; add.u16 %h3, %h1, %h2; cvt.u32.u16 %r10, %h1;\n"
      "  cvt.u32.u16 %r11, %h2; cvt.u32.u16 %r12, %h3; not.b32 %r13, %tid.x; neg.s32 %r14, %ctaid.x;\n"
      "  add.u32 %r15, %tid.x, %ntid.x; cvt.u32.u16 %r16, %tid.x; popc.b32 %r17, %tid.x;\n"
      PUT4(0, "%r10, %r11, %r12, %r13") PUT4(16, "%r14, %r15, %r16, %r17") END },
    { .name = "a loop that begins with a fixed term of a sum", .ptx = MODULE ENTRY BEGIN
      "  mov.u32 %r10, 0; mov.u64 %rd10, 0;\nL: mul.wide.u32 %rd11, %r2, 8; add.u64 %rd10, %rd10, %rd11;\n"
      "  add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra L;\n" PUT64(0, "%rd10") END },
    { .name = "loads with a loaded index", .ptx = MODULE ENTRY BEGIN INDICES INDEXED_LOADS END },
    { .name = "loads with a loaded index, few lanes", .ptx = MODULE ENTRY BEGIN INDICES
      "  rem.u32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; @%p1 bra E;\n" INDEXED_LOADS "E:\n" END },
    { .name = "a loop that begins after the load of an index", .ptx = MODULE ENTRY BEGIN INDICES
      "  rem.u32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; mov.u32 %r15, 0; mov.u32 %r16, 0; mov.u64 %rd12, %rd1;\n"
      "  @%p1 bra E; ld.global.u32 %r14, [%rd2+192];\nL: mul.wide.s32 %rd11, %r14, 4; add.s64 %rd12, %rd12, %rd11;\n"
      "  ld.global.u32 %r17, [%rd12]; add.u32 %r15, %r15, %r17; add.u32 %r16, %r16, 1; setp.lt.u32 %p2, %r16, 3;\n"
      "  @%p2 bra L;\nE:\n" PUT(0, "%r15") END },
    { .name = "branches into loads with a loaded index", .ptx = MODULE ENTRY BEGIN INDICES
      "  rem.u32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; mov.u32 %r14, 2; mov.u64 %rd12, %rd10; @%p1 bra L;\n"
      "  ld.global.u32 %r14, [%rd2+192];\nL: mul.wide.s32 %rd11, %r14, 4; add.s64 %rd12, %rd1, %rd11;\n"
      "  ld.global.u32 %r15, [%rd12];\n" PUT(0, "%r15") "  mov.u64 %rd14, %rd10; @%p1 bra M;\n"
      "  ld.global.u32 %r16, [%rd2+192]; mul.wide.s32 %rd13, %r16, 4; add.s64 %rd14, %rd1, %rd13;\n"
      "M: ld.global.u32 %r17, [%rd14];\n" PUT(4, "%r17") END },
    /* warp 1 faults: warp 0 has executed the step before, so the allocation is known */
    { .name = "fault: the address of a loaded index", .fault = "ld.global.u32 %r14, [%rd13+192]", .ptx = MODULE
      ENTRY BEGIN INDICES "  rem.u32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; @%p1 bra E; mov.u64 %rd13, %rd2;\n"
      "  setp.eq.u32 %p2, %r2, 42; @%p2 add.u64 %rd13, %rd13, 2;\n"
      "  ld.global.u32 %r14, [%rd13+192]; mul.wide.s32 %rd11, %r14, 0; add.s64 %rd12, %rd1, %rd11;\n"
      "  ld.global.u32 %r15, [%rd12];\n" PUT(0, "%r15") "E:\n" END },
    { .name = "fault: the address of a loaded index after a wrong element", .fault = "ld.global.u32 %r14, [%rd13+192]",
      .ptx = MODULE ENTRY BEGIN INDICES
      "  rem.u32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; @%p1 bra E; mov.u64 %rd13, %rd2;\n"
      "  setp.eq.u32 %p2, %r2, 42; @%p2 add.u64 %rd13, %rd13, 2; setp.eq.u32 %p3, %r2, 36;\n"
      "  @%p3 st.global.u32 [%rd2+192], 0x7fffffff;\n"
      "  ld.global.u32 %r14, [%rd13+192]; mul.wide.s32 %rd11, %r14, 4; add.s64 %rd12, %rd1, %rd11;\n"
      "  ld.global.u32 %r15, [%rd12];\n" PUT(0, "%r15") "E:\n" END },
    { .name = "fault: the address of an element", .fault = "ld.global.u32 %r15, [%rd12]", .ptx = MODULE
      ENTRY BEGIN INDICES "  rem.u32 %r6, %r2, 3; setp.ne.u32 %p1, %r6, 0; @%p1 bra E;\n"
      "  mov.u64 %rd13, %rd1; setp.eq.u32 %p3, %r2, 36; @%p3 add.u64 %rd13, %rd13, 2;\n"
      "  ld.global.u32 %r14, [%rd2+192]; mul.wide.s32 %rd11, %r14, 4; add.s64 %rd12, %rd13, %rd11;\n"
      "  ld.global.u32 %r15, [%rd12];\n" PUT(0, "%r15") "E:\n" END },
    { .name = "uses through back edges", .ptx = MODULE ENTRY BEGIN
      "  mov.u32 %r10, 0; mov.u32 %r12, 0; setp.eq.u32 %p1, %r10, 1;\nL: @%p1 add.u32 %r12, %r12, %r11;\n"
      "  mov.u32 %r11, 5; add.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; setp.lt.u32 %p2, %r10, 3; @%p2 bra L;\n"
      PUT(0, "%r12") END },
    { .name = "registers of the module", .ptx = ".version 2.3\n.target sm_20\n.address_size 64\n"
      ".reg .b32 %g1; .reg .b32 %g2;\n.func f { add.u32 %g2, %g1, 1; add.u32 %g1, %g1, 9; ret; }\n" ENTRY
      "{ .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8;\n"
      "  add.u64 %rd2, %rd2, %rd1; mov.u32 %g1, 5; call f;\n" PUT(0, "%g1") PUT(4, "%g2") END },
    { .name = "callees that read registers before they write them", .ptx = MODULE
      ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x<4>; .reg .pred %p; ld.param.b32 %x1, [a];"
      " setp.eq.u32 %p, %x1, 3; @%p mov.u32 %x2, 7; mov.u32 %x3, 4; add.u32 %x2, %x2, %x3; st.param.b32 [r], %x2;"
      " ret; }\n" ENTRY BEGIN
      "  mov.u32 %r10, 3; { .param .b32 a; .param .b32 r; st.param.b32 [a], %r2; call (r), f, (a);"
      " ld.param.b32 %r11, [r]; }\n" PUT(0, "%r11") PUT(4, "%r10") END },
    { .name = "fixed terms and carries", .ptx = MODULE ENTRY BEGIN
      "  add.cc.u32 %r10, 0xffffffff, 1; add.cc.u32 %r11, %r5, 0xffffffff; addc.u32 %r12, 0, 0;\n"
      "  sub.cc.u32 %r13, 1, 2;\n"
      "  add.cc.u32 %r14, %r5, 0; sub.cc.u32 %r15, 1, 2; subc.u32 %r16, 5, 1; mad.lo.cc.u32 %r17, 3, 4, 0xffffffff;\n"
      "  add.cc.u32 %r18, 0, 0; mad.lo.cc.u32 %r19, 3, 4, 0xffffffff; madc.lo.u32 %r20, 2, 2, 2;\n"
      PUT4(0, "%r12, %r16, %r20, %r14") PUT4(16, "%r10, %r13, %r15, %r17") END },
    { .name = "registers with one write that some do not reach", .ptx = MODULE ENTRY BEGIN
      "  and.b32 %r6, %r5, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra E; mov.u32 %r10, 3;\nE:\n" PUT(0, "%r10")
      "  @%p1 mov.u32 %r11, 77;\n" PUT(4, "%r11") "  mov.u32 %r12, %r13; mov.u32 %r13, 5;\n" PUT(8, "%r12") END },
    { .name = "instructions of fixed values with a guard", .ptx = MODULE ENTRY BEGIN
      "  and.b32 %r6, %r5, 1; setp.eq.u32 %p1, %r6, 0; @%p1 mov.u32 %r10, 77; @!%p1 add.u32 %r11, %r2, 1;\n"
      "  mov.u32 %r12, 7; @%p1 mov.u32 %r12, 8;\n" PUT(0, "%r12") END },
    { .name = "values of blocks and loops", .ptx = MODULE ENTRY BEGIN
      "  mov.u32 %r10, 7; setp.ne.u32 %p1, %r3, 0; @%p1 bra E; mov.u32 %r10, 9;\nE: add.u32 %r11, %r3, 5;\n"
      "  mov.u32 %r12, 0; mov.u32 %r13, 0;\nL: add.u32 %r14, %r12, 3; add.u32 %r13, %r13, %r14;\n"
      "  add.u32 %r12, %r12, 1; mov.u32 %r15, %r12; setp.lt.u32 %p2, %r12, 5; @%p2 bra L;\n"
      "  mov.u32 %r16, %nctaid.x; add.u32 %r17, %r16, %r3;\n"
      "  mov.u32 %r18, %ctaid.y; mov.u32 %r19, %smid; add.u32 %r20, %r19, 1;\n"
      PUT4(0, "%r10, %r11, %r13, %r15") PUT4(16, "%r17, %r18, %r19, %r20") END },
    { .name = "fixed values and calls", .ptx = MODULE
      ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { .reg .b32 %r<6>; ld.param.b32 %r1, [a];"
      " ld.param.b32 %r2, [b]; mov.u32 %r4, 10; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r2, %r4, %r1;"
      " add.u32 %r3, %r3, %r5; st.param.b32 [r], %r3; ret; }\n"
      ".func (.reg .b32 %o) g(.reg .b32 %a) { add.u32 %o, %a, 1; ret; }\n" ENTRY BEGIN
      "  mov.u32 %r10, 3; mov.u64 %rd10, f;\n"
      "  { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %r2; st.param.b32 [b], %r10;"
      " call (r), f, (a, b); ld.param.b32 %r11, [r]; }\n"
      "  { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %r5; st.param.b32 [b], %r3;"
      " P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _); call (r), %rd10, (a, b), P;"
      " ld.param.b32 %r12, [r]; }\n"
      "  call (%r13), g, (%r2); call (%r14), g, (%r10);\n" PUT4(0, "%r11, %r12, %r13, %r14")
      "  T: .branchtargets A, B; mov.u32 %r15, 1; brx.idx %r15, T;\nA: mov.u32 %r16, 1;\n" PUT(16, "%r16")
      "B: mov.u32 %r17, 2;\n" PUT(20, "%r17") END },
    { .name = "more fixed values than registers of their own", .ptx = MODULE ENTRY BEGIN
      "  .reg .b32 %x<80>; .reg .b32 %s<2>; mov.u32 %s0, 0;\n" EIGHTY(SET_X) EIGHTY(ADD_X) PUT(0, "%s0") END },
    { .name = "fault: after fixed values", .fault = "outside", .ptx = MODULE ENTRY BEGIN
      "  setp.gt.u32 %p1, %r2, 1000; @%p1 bra E; mov.u32 %r10, 5; mul.wide.u32 %rd11, %r10, 0x40;\n"
      "  mov.u32 %r11, 6; ld.global.u32 %r12, [%rd11]; mov.u32 %r13, 7;\nE:\n" END },
    { .name = "fault: trap", .fault = "trap", .ptx = MODULE ENTRY BEGIN "  setp.eq.u32 %p1, %r2, 40; @%p1 trap;\n"
    END },
    { .name = "fault: not all come to the barrier", .fault = "bar.sync 0, 128;\n  warp 0", .ptx = MODULE ENTRY BEGIN
      "  setp.lt.u32 %p1, %r2, 32; @!%p1 bra E; bar.sync 0, 128;\nE:\n" END },
};
const unsigned step_ncases = sizeof step_cases / sizeof *step_cases;
