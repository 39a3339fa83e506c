/*
 * The harness for real GPUs. What brings threads of an instance together and disturbs them differs from the
 * simulator's harness, since clocks of SMs differ and nanosleep is coarse. The methods are those of Alglave et al. (GPU
 * Concurrency: Weak Behaviours and Programming Assumptions, ASPLOS 2015) and of Sorensen and Donaldson (Exposing Errors
 * Related to Weak Memory in GPU Applications, PLDI 2016): threads that wait for each other, delays, other
 * threads that keep the memory busy.
 *   - Arrival: the warps that hold the same instances add to a counter and poll it until all have arrived, or until
 *     the number of polls is used up: they need not be resident together. The counter is relaxed, and only accesses
 *     before the test's own come before it in program order, so it orders nothing of the test.
 *   - Delay: a loop of as many cycles as the table says.
 * Whatever has no effect is removed by NVIDIA's compiler: loops that only read the clock, loads whose result is not
 * used.
 */
#include "regress/gpu/litmus_harness.h"

static void wait_for_others(FILE *f, int thread)
{
    fprintf(f,
            "    ld.param.u32 %%t1, [polls];\n    setp.eq.u32 %%p, %%t1, 0;\n    @%%p bra ARRIVED%d;\n"
            "    red.relaxed.gpu.global.add.u32 [%%counter], 1;\n"
            "POLL%d:\n    ld.relaxed.gpu.global.u32 %%t0, [%%counter];\n    setp.ge.u32 %%p, %%t0, %%expected;\n"
            "    @%%p bra ARRIVED%d;\n    sub.u32 %%t1, %%t1, 1;\n    setp.ne.u32 %%p, %%t1, 0;\n    @%%p bra POLL%d;\n"
            "ARRIVED%d:\n    mov.u32 %%t0, %%clock;\n"
            "DELAY%d:\n    mov.u32 %%t1, %%clock;\n    sub.u32 %%t1, %%t1, %%t0;\n"
            "    setp.lt.u32 %%p, %%t1, %%delay;\n    @%%p bra DELAY%d;\n",
            thread, thread, thread, thread, thread, thread, thread);
}

/* The lines of the lanes are `step` apart. */
static void noise(FILE *f, int role)
{
    fprintf(f,
            "R%d:\n    ld.param.u64 %%a, [noise];\n    ld.param.u32 %%t2, [step];\n"
            "    mad.lo.u32 %%t2, %%t2, %%lane, %%instance;\n    shr.u32 %%t1, %%warm, 16;\n"
            "    and.b32 %%warm, %%warm, 65535;\n"
            "NEXT:\n    setp.eq.u32 %%p, %%warm, 0;\n    @%%p bra END;\n"
            "    and.b32 %%t2, %%t2, %d;\n    mad.wide.u32 %%tw0, %%t2, 128, %%a;\n",
            role, GPU_NOISE_LINES - 1);
    static const struct { enum gpu_noise bit; const char *access; } accesses[] = {
        { GPU_NOISE_STORE, "st.relaxed.gpu.global.u32 [%tw0], %warm" },
        { GPU_NOISE_LOAD, "ld.relaxed.gpu.global.u32 %t0, [%tw0];\n    @%never st.global.u32 [%a], %t0" },
        { GPU_NOISE_ATOMIC, "red.relaxed.gpu.global.add.u32 [%tw0], %warm" },
        { GPU_NOISE_WEAK_STORE, "st.global.u32 [%tw0], %warm" },
    };
    for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++)
        fprintf(f, "    and.b32 %%t3, %%t1, %d;\n    setp.ne.u32 %%p, %%t3, 0;\n    @%%p %s;\n", accesses[i].bit,
                accesses[i].access);
    fputs("    add.u32 %t2, %t2, %delay;\n    sub.u32 %warm, %warm, 1;\n    bra NEXT;\n"
          "UNFINISHED:\n    ld.param.u64 %a, [unfinished];\n    mad.wide.u32 %a, %instance, 4, %a;\n"
          "    st.global.u32 [%a], 1;\n    bra END;\n", f);
}

/* unfinished: a word for each instance. unit_shift: log2 of the instances that a warp holds. expected: arrivals. */
const struct litmus_harness gpu_harness = {
    .parameters = ",\n    .param .u64 counters, .param .u64 unfinished, .param .u32 unit_shift, .param .u32 expected, "
                  ".param .u32 polls, .param .u32 zero, .param .u32 fuel",
    .registers = "    .reg .pred %q, %never;\n    .reg .b32 %zero32, %fuel, %expected;\n"
                 "    .reg .b64 %zero64, %counter;\n",
    .head = "    ld.param.u32 %zero32, [zero];\n    cvt.u64.u32 %zero64, %zero32;\n    "
            "setp.ne.u32 %never, %zero32, 0;\n    ld.param.u32 %fuel, [fuel];\n"
            "    ld.param.u32 %expected, [expected];\n"
            "    ld.param.u32 %t0, [unit_shift];\n    shr.u32 %t0, %instance, %t0;\n"
            "    ld.param.u64 %counter, [counters];\n    mad.wide.u32 %counter, %t0, 32, %counter;\n",
    .start = "",
    .wait = wait_for_others,
    .noise = noise,
    .optimized = true,
};

/* The address as in emit_addresses (litmus_emit.c). */
#define MEMORY_KERNEL(name, access)                                                                             \
    ".visible .entry " name "(\n"                                                                               \
    "    .param .u64 memory, .param .u64 array, .param .u32 instances, .param .u32 shift, .param .u32 slot,\n"   \
    "    .param .u32 stride, .param .u32 size, .param .u64 value)\n{\n"                                          \
    "    .reg .pred %p;\n    .reg .b32 %instance, %n, %t<4>;\n    .reg .b64 %a, %at, %value;\n"                  \
    "    mov.u32 %t0, %ctaid.x;\n    mov.u32 %t1, %ntid.x;\n    mov.u32 %t2, %tid.x;\n"                          \
    "    mad.lo.u32 %instance, %t0, %t1, %t2;\n    ld.param.u32 %n, [instances];\n"                              \
    "    setp.ge.u32 %p, %instance, %n;\n    @%p bra END;\n"                                                     \
    "    ld.param.u32 %t0, [shift];\n    shr.u32 %t1, %instance, %t0;\n    shl.b32 %t2, %t1, %t0;\n"             \
    "    sub.u32 %t2, %instance, %t2;\n    ld.param.u32 %t3, [stride];\n    ld.param.u64 %at, [memory];\n"       \
    "    mad.wide.u32 %at, %t1, %t3, %at;\n    ld.param.u32 %t3, [slot];\n    mad.wide.u32 %at, %t2, %t3, %at;\n" \
    "    ld.param.u32 %t3, [size];\n    setp.eq.u32 %p, %t3, 8;\n" access "END:\n    ret;\n}\n"

const char gpu_memory_kernels[] = LITMUS_PTX_HEADER
    MEMORY_KERNEL("set", "    ld.param.u64 %value, [value];\n    cvt.u32.u64 %n, %value;\n"
                         "    @%p st.global.b64 [%at], %value;\n    @!%p st.global.b32 [%at], %n;\n")
    MEMORY_KERNEL("get", "    ld.param.u64 %a, [array];\n    mad.wide.u32 %a, %instance, 8, %a;\n"
                         "    @%p ld.global.b64 %value, [%at];\n    @!%p ld.global.s32 %value, [%at];\n"
                         "    st.global.b64 [%a], %value;\n");
