/* See step_cases.h. */
#include "regress/unit/step_cases.h"

#define KERNEL                                                                                              \
    ".version 7.8\n.target sm_90\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum)\n"
/* Registers; %rd1 = in, %rd2 = this thread's 256 bytes of out, %rd3 = sum, %r1 = thread of the grid, %r2 = tid. */
#define BEGIN                                                                                               \
    "{ .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<16>; .reg .f64 %d<16>;\n"    \
    "  .reg .b128 %q<8>;\n"                                                                                 \
    "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [sum];\n"                      \
    "  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r1, %r3, %r4, %r2;\n"  \
    "  mul.wide.u32 %rd4, %r1, 256; add.u64 %rd2, %rd2, %rd4;\n"
#define END "  ret; }\n"

const struct step_case step_cases[] = {
    { .name = "plain stores and loads",
      .ptx = KERNEL ENTRY BEGIN
      "  mul.wide.u32 %rd5, %r2, 4; add.u64 %rd5, %rd1, %rd5; ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd2], %r5;\n" END },
};
const unsigned step_ncases = sizeof step_cases / sizeof *step_cases;
