/*
 * Which atomics are combined (gpu.combine_atomics): bodies of kernels, and what ptxas 13.0 made of them for sm_90, seen
 * in its machine code. S: VOTEU, POPC and one RED of a lane; R: REDUX and one RED; K: POPC, one ATOMG and SHFL; "-":
 * the atomic of every lane. Where simtx decides otherwise, ptxas's letter follows: simtx combines less.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timing/core/combine.h"

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 8 .b8 word[64];\n"
    ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.shared .align 8 .b8 s[256];\n.local .align 8 .b8 own[64];\n"
    ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n.reg .f32 %f<9>;\n"
    "ld.param.u64 %d1, [a];\nld.param.u32 %r9, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nmov.u32 %r3, 0;\n";

/* The one of the last atomic that is combined. */
static enum combine combine_in(const char *body)
{
    static char text[4000];
    snprintf(text, sizeof text, "%s%s\nst.volatile.global.u32 [%%d1+64], %%r1;\nret;\n}\n", head, body);
    struct diag d = { .file = "test" };
    struct ptx_module *m = ptx_parse(text, strlen(text), "test", &d);
    if (!m)
        fail_msg("%s\n%s", d.text, text);
    diag_free(&d);
    struct arena *arena = arena_new();
    const struct ptx_func *f = ptx_find_func(m, "k");
    struct tinst *t = calloc(f->ninsts + 1, sizeof *t);
    const struct sm_cfg c = {
        .warp_size = 32, .simd_width = 32,
        .slots = { [SEQ_ATOMIC_SUM] = 6, [SEQ_ATOMIC_REDUCE] = 7, [SEQ_ATOMIC_RANK] = 11 }
    };
    combine_set(t, f, flow_analyse(f, arena), &c);
    enum combine found = COMBINE_NONE;
    for (uint32_t i = 0; i < f->ninsts; i++)
        found = t[i].combine ? (enum combine)t[i].combine : found;
    free(t);
    arena_free(arena);
    ptx_module_free(m);
    return found;
}

static void same(const char *expected, const char *body)
{
    static const char letters[] = { [COMBINE_NONE] = '-', [COMBINE_SUM] = 'S', [COMBINE_REDUCE] = 'R',
                                    [COMBINE_RANK] = 'K' };
    char found = letters[combine_in(body)];
    if (found != *expected)
        fail_msg("%c in place of %c: %s", found, *expected, body);
}

#define USE " st.volatile.global.u32 [%d1+128], %r4;"
#define AT_X "mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; "

static void operations(void **state)
{
    (void)state;
    same("S", "red.global.add.u32 [%d1], 1;");
    same("S", "red.global.add.s32 [%d1], -1;");
    same("S", "red.global.add.u32 [%d1], %r9;");
    same("S", "red.add.u32 [%d1], 1;");
    same("S", "red.global.add.u64 [%d1], 1;");
    same("S", "atom.global.add.u32 %r4, [%d1], 1;");
    same("R", "red.global.add.u32 [%d1], %r1;");
    same("R", "atom.global.add.u32 _, [%d1], %r1;");
    same("R", "red.global.min.u32 [%d1], 1;");
    same("R", "red.global.max.s32 [%d1], %r1;");
    same("R", "red.global.and.b32 [%d1], %r1;");
    same("R", "red.global.or.b32 [%d1], 4;");
    same("R", "red.global.xor.b32 [%d1], %r1;");
    same("K", "atom.global.add.u32 %r4, [%d1], 1;" USE);
    same("K", "atom.add.u32 %r4, [%d1], %r9;" USE);
    same("K", "atom.global.add.u64 %d4, [%d1], 3; st.volatile.global.u64 [%d1+128], %d4;");
}

static void operations_that_stay_apart(void **state)
{
    (void)state;
    same("-", "red.global.inc.u32 [%d1], 100;");
    same("-", "red.global.dec.u32 [%d1], 100;");
    same("-", "atom.global.exch.b32 %r4, [%d1], 3;" USE);
    same("-", "atom.global.cas.b32 %r4, [%d1], 3, 4;" USE);
    same("-", "red.global.add.f32 [%d1], 0f3f800000;");
    same("-", "cvt.u64.u32 %d2, %r1; red.global.add.u64 [%d1], %d2;");
    same("-", "cvt.u64.u32 %d2, %r1; red.global.max.u64 [%d1], %d2;");
    same("-", "red.global.and.b64 [%d1], 7;");
    same("-", "atom.global.max.u32 %r4, [%d1], 7;" USE);
    same("-", "atom.global.inc.u32 %r4, [%d1], 100;" USE);
    same("-K", "atom.global.add.u32 %r4, [%d1], %r1;" USE);        /* ptxas: if all 32 lanes are active, by a scan */
}

static void shared_memory(void **state)
{
    (void)state;
    same("S", "red.shared.add.u32 [s], 5;");
    same("S", "red.shared.add.u32 [s], %r9;");
    same("R", "red.shared.add.u32 [s], %r1;");
    same("R", "red.shared.max.s32 [s], %r1;");
    same("R", "red.shared.or.b32 [s], 4;");
    same("K", "atom.shared.add.u32 %r4, [s], 1;" USE);
    same("-", "red.shared.add.u32 [s], 1;");                       /* ATOMS.POPC.INC */
    same("-", "mov.u32 %r4, 1; red.shared.add.u32 [s], %r4;");
    same("-", "red.shared.add.u64 [s], 1;");
}

static void semantics(void **state)
{
    (void)state;
    same("S", "red.relaxed.cta.global.add.u32 [%d1], 1;");
    same("S", "red.relaxed.sys.global.add.u32 [%d1], 1;");
    same("-S", "red.release.gpu.global.add.u32 [%d1], 1;");
    same("-K", "atom.acq_rel.gpu.global.add.u32 %r4, [%d1], 1;" USE);
    same("-", "tx_begin;\nred.global.add.u32 [%d1], 1;\ntx_commit;");
}

static void addresses(void **state)
{
    (void)state;
    same("S", "mov.u64 %d1, word; red.global.add.u32 [%d1], 1;");
    same("S", "red.global.add.u32 [word+4], 1;");
    same("S", "mov.u32 %r4, %ctaid.x; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; red.global.add.u32 [%d3], 1;");
    same("S", "ld.global.u64 %d2, [%d1]; red.global.add.u32 [%d2], 1;");
    same("S", "ld.volatile.global.u64 %d2, [%d1+8]; red.global.add.u32 [%d2], 1;");
    same("S", "ld.shared.u64 %d2, [s]; red.global.add.u32 [%d2], 1;");
    same("S", "setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r4, %p1, -1; cvt.u64.u32 %d2, %r4; "
              "add.u64 %d3, %d1, %d2; red.global.add.u32 [%d3], 1;");
    same("-", AT_X "red.global.add.u32 [%d3], 1;");
    same("-", "mov.u32 %r4, %tid.y; cvt.u64.u32 %d2, %r4; add.u64 %d3, %d1, %d2; red.global.add.u32 [%d3], 1;");
    same("-", "atom.global.exch.b32 %r4, [%d1], %r1; cvt.u64.u32 %d2, %r4; add.u64 %d3, %d1, %d2; "
              "red.global.add.u32 [%d3], 1;");
    same("-", AT_X "ld.global.u64 %d4, [%d3]; red.global.add.u32 [%d4], 1;");
    same("-", AT_X "st.local.u64 [own], %d3; ld.local.u64 %d2, [own]; red.global.add.u32 [%d2], 1;");
    same("-", AT_X "mov.u64 %d2, own; cvta.local.u64 %d2, %d2; st.u64 [%d2], %d3; ld.u64 %d3, [%d2]; "
              "red.global.add.u32 [%d3], 1;");
    same("R", AT_X "ld.global.u32 %r4, [%d3+8]; red.global.add.u32 [%d1], %r4;");
    same("S", "ld.global.u32 %r4, [%d1+8]; red.global.add.u32 [%d1], %r4;");
    same("-S", "shfl.sync.idx.b32 %r4, %r1, 0, 31, -1; cvt.u64.u32 %d2, %r4; add.u64 %d3, %d1, %d2; "
               "red.global.add.u32 [%d3], 1;");
}

static void branches(void **state)
{
    (void)state;
    same("-", "setp.lt.u32 %p1, %r1, 5; @%p1 bra L; add.u64 %d1, %d1, 64; L: red.global.add.u32 [%d1], 1;");
    same("S", "setp.lt.u32 %p1, %r9, 5; @%p1 bra L; add.u64 %d1, %d1, 64; L: red.global.add.u32 [%d1], 1;");
    same("-", "setp.lt.u32 %p1, %r1, 5; add.u64 %d2, %d1, 64; selp.b64 %d3, %d1, %d2, %p1; "
              "red.global.add.u32 [%d3], 1;");
    same("S", "setp.lt.u32 %p1, %r9, 5; add.u64 %d2, %d1, 64; selp.b64 %d3, %d1, %d2, %p1; "
              "red.global.add.u32 [%d3], 1;");
    same("S", "setp.lt.u32 %p1, %r1, 5; @%p1 bra L; add.u64 %d2, %d1, 8; red.global.add.u32 [%d2], 1; L:");
    same("S", "setp.lt.u32 %p1, %r1, 5; @%p1 red.global.add.u32 [%d1], 1;");
    same("S", "setp.lt.u32 %p1, %r9, 5; @%p1 red.global.add.u32 [%d1], 1;");
    same("S", "L: red.global.add.u32 [%d1], 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;");
    same("S", "L: mul.wide.u32 %d2, %r3, 4; add.u64 %d3, %d1, %d2; red.global.add.u32 [%d3], 1; add.u32 %r3, %r3, 1; "
              "setp.lt.u32 %p1, %r3, %r9; @%p1 bra L;");
    same("-", "L: mul.wide.u32 %d2, %r3, 4; add.u64 %d3, %d1, %d2; red.global.add.u32 [%d3], 1; add.u32 %r3, %r3, 1; "
              "setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;");
}

static void one_lane(void **state)
{
    (void)state;
#define GUARDED "@%p1 red.global.add.u32 [%d1], %r9;"
    same("-", "setp.eq.u32 %p1, %r1, 0; " GUARDED);
    same("-", "setp.eq.u32 %p1, %r2, 0; " GUARDED);
    same("-", "setp.eq.u32 %p1, %r1, %r9; " GUARDED);
    same("-", "add.u32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, %r9; " GUARDED);
    same("-", "mov.u32 %r5, %ctaid.x; mad.lo.u32 %r4, %r5, 128, %r1; setp.eq.u32 %p1, %r4, 0; " GUARDED);
    same("-", "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; red.global.add.u32 [%d1], %r9; L:");
    same("-S", "setp.eq.u32 %p1, %r1, 0; @%p1 bra L; bra M; L: red.global.add.u32 [%d1], %r9; M:");
    same("-", "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ld.volatile.global.u32 %r4, [%d1+8]; setp.eq.u32 %p2, %r4, 5; "
              "@%p2 bra L; red.global.add.u32 [%d1], %r9; L:");
    same("-", "setp.ne.u32 %p1, %r1, 0; @%p1 ret; red.global.add.u32 [%d1], %r9;");
    same("S", "setp.ne.u32 %p1, %r1, 0; " GUARDED);
    same("S", "setp.eq.u32 %p1, %r1, 0; @%p1 bra L; red.global.add.u32 [%d1], %r9; L:");
    same("S", "and.b32 %r4, %r1, 31; setp.eq.u32 %p1, %r4, 0; " GUARDED);
    same("S", "setp.lt.u32 %p1, %r1, 1; " GUARDED);
    same("S", "mov.u32 %r4, %tid.y; setp.eq.u32 %p1, %r4, 0; " GUARDED);
    same("S", "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.volatile.global.u32 [%d1+8], %r1; L: "
              "red.global.add.u32 [%d1], %r9;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(operations_that_stay_apart),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(semantics),
        cmocka_unit_test(addresses),
        cmocka_unit_test(branches),
        cmocka_unit_test(one_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
