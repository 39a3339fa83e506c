/*
 * Functions of CUDA's device runtime (libcudadevrt) that are written in PTX: the barrier of all blocks of a cooperative
 * launch, as cooperative_groups.h of CUDA 9 and 10 and Numba call it (cuda_device_runtime_api.h). A program that
 * declares one of them, and has no definition, is linked with this module.
 */
#include "ptx/text/device_runtime.h"

#include <string.h>

/* The counter has the name that names_grid_barrier() of program.c looks for. A handle is the scope: 1 = the grid, 2 =
 * the grids of several devices, here one grid. */
#define ARRIVED "_ZN18cooperative_groups8simtx_cgL12grid_arrivedE"

static const char text[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".global .u32 " ARRIVED ";\n.global .u32 generation;\n"
    ".weak .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)\n{\n"
    "    .reg .b64 %rd;\n"
    "    ld.param.u32 %rd, [scope];\n    st.param.b64 [result], %rd;\n    ret;\n}\n"
    ".func arrive()\n{\n"
    "    .reg .b32 %r<9>; .reg .pred %p<3>;\n"
    "    ld.volatile.global.u32 %r1, [generation];\n"
    "    membar.gl;\n"
    "    mov.u32 %r2, %nctaid.x;\n    mov.u32 %r3, %nctaid.y;\n    mul.lo.u32 %r2, %r2, %r3;\n"
    "    mov.u32 %r3, %nctaid.z;\n    mul.lo.u32 %r2, %r2, %r3;\n    sub.u32 %r2, %r2, 1;\n"
    "    atom.global.add.u32 %r4, [" ARRIVED "], 1;\n"
    "    setp.ne.u32 %p1, %r4, %r2;\n    @%p1 bra WAIT;\n"
    "    mov.u32 %r5, 0;\n    st.volatile.global.u32 [" ARRIVED "], %r5;\n"
    "    membar.gl;\n    red.global.add.u32 [generation], 1;\n    bra DONE;\n"
    "WAIT:\n    ld.volatile.global.u32 %r6, [generation];\n"
    "    setp.eq.u32 %p2, %r6, %r1;\n    @%p2 bra WAIT;\n"
    "DONE:\n    membar.gl;\n    ret;\n}\n"
    ".weak .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n{\n"
    "    .reg .b32 %r<5>; .reg .pred %p;\n"
    "    bar.sync 0;\n"
    "    mov.u32 %r1, %tid.x;\n    mov.u32 %r2, %tid.y;\n    or.b32 %r1, %r1, %r2;\n"
    "    mov.u32 %r2, %tid.z;\n    or.b32 %r1, %r1, %r2;\n"
    "    setp.ne.u32 %p, %r1, 0;\n    @%p bra WAIT;\n    call arrive, ();\n"
    "WAIT:\n    bar.sync 0;\n"
    "    mov.u32 %r3, 0;\n    st.param.b32 [result], %r3;\n    ret;\n}\n"
    ".weak .func (.param .b32 result) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)\n{\n"
    "    .reg .b64 %rd; .reg .b32 %r<3>;\n"
    "    ld.param.b64 %rd, [handle];\n    ld.param.b32 %r1, [flags];\n"
    "    { .param .b64 a; .param .b32 b; .param .b32 c;\n"
    "    st.param.b64 [a], %rd;\n    st.param.b32 [b], %r1;\n    call (c), cudaCGSynchronize, (a, b);\n"
    "    ld.param.b32 %r2, [c]; }\n"
    "    st.param.b32 [result], %r2;\n    ret;\n}\n"
    ".weak .func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)\n{\n"
    "    .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p;\n"
    "    mov.u32 %r1, %ntid.x;\n    mov.u32 %r2, %ntid.y;\n    mul.lo.u32 %r1, %r1, %r2;\n"
    "    mov.u32 %r2, %ntid.z;\n    mul.lo.u32 %r1, %r1, %r2;\n"
    "    mov.u32 %r2, %nctaid.x;\n    mul.lo.u32 %r1, %r1, %r2;\n    mov.u32 %r2, %nctaid.y;\n"
    "    mul.lo.u32 %r1, %r1, %r2;\n    mov.u32 %r2, %nctaid.z;\n    mul.lo.u32 %r1, %r1, %r2;\n"
    "    ld.param.b64 %rd1, [threads];\n    ld.param.b64 %rd2, [grids];\n"
    "    setp.ne.u64 %p, %rd1, 0;\n    @%p st.u32 [%rd1], %r1;\n"
    "    mov.u32 %r3, 1;\n    setp.ne.u64 %p, %rd2, 0;\n    @%p st.u32 [%rd2], %r3;\n"
    "    mov.u32 %r3, 0;\n    st.param.b32 [result], %r3;\n    ret;\n}\n"
    ".weak .func (.param .b32 result) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)\n{\n"
    "    .reg .b64 %rd<3>; .reg .b32 %r<8>; .reg .pred %p;\n"
    "    mov.u32 %r1, %ctaid.z;\n    mov.u32 %r2, %nctaid.y;\n    mov.u32 %r3, %ctaid.y;\n"
    "    mad.lo.u32 %r1, %r1, %r2, %r3;\n    mov.u32 %r2, %nctaid.x;\n    mov.u32 %r3, %ctaid.x;\n"
    "    mad.lo.u32 %r1, %r1, %r2, %r3;\n    mov.u32 %r2, %ntid.z;\n    mov.u32 %r3, %tid.z;\n"
    "    mad.lo.u32 %r1, %r1, %r2, %r3;\n    mov.u32 %r2, %ntid.y;\n    mov.u32 %r3, %tid.y;\n"
    "    mad.lo.u32 %r1, %r1, %r2, %r3;\n    mov.u32 %r2, %ntid.x;\n    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "    ld.param.b64 %rd1, [thread];\n    ld.param.b64 %rd2, [grid];\n"
    "    setp.ne.u64 %p, %rd1, 0;\n    @%p st.u32 [%rd1], %r1;\n"
    "    mov.u32 %r3, 0;\n    setp.ne.u64 %p, %rd2, 0;\n    @%p st.u32 [%rd2], %r3;\n"
    "    st.param.b32 [result], %r3;\n    ret;\n}\n";

static bool is_declared(struct ptx_module *const *m, int n)
{
    for (int i = 0; i < n; i++)
        for (const struct ptx_func *f = m[i]->funcs; f; f = f->next)
            if (f->linkage == LINK_EXTERN && !strncmp(f->name, "cudaCG", 6))
                return true;
    return false;
}

struct ptx_module *device_runtime_for(struct ptx_module *const *m, int n, struct diag *d)
{
    return is_declared(m, n) ? ptx_parse(text, sizeof text - 1, "the device runtime", d) : NULL;
}
