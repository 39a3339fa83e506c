/*
 * gpu.instruction_order = scheduled: which instructions may change places, and how many registers the new order may
 * need. The random kernels test that results stay the same (regress/random).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/program/schedule.h"

static struct ptx_module *scheduled(const char *body, uint32_t free_registers, uint32_t *registers)
{
    static char text[1 << 16];
    int n = snprintf(text, sizeof text, ".version 7.0\n.target sm_70\n.address_size 64\n"
                     ".shared .align 4 .b8 s[64];\n.func (.param .b32 c) k(.param .u64 a)\n{\n.reg .pred %%p<9>;\n"
                     ".reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.reg .f32 %%f<400>;\n%s\nret;\n}\n", body);
    struct diag d = { .file = "test" };
    assert_true(n > 0 && (size_t)n < sizeof text);
    struct ptx_module *m = ptx_parse(text, (size_t)n, "test", &d);
    if (!m)
        fail_msg("%s", d.text);
    diag_free(&d);
    struct arena *arena = arena_new();
    schedule_function(ptx_find_func(m, "k"), free_registers);
    if (registers)
        *registers = flow_analyse(ptx_find_func(m, "k"), arena)->registers;
    arena_free(arena);
    return m;
}

/* Does line `b` of the body come before line `a` (both from 0)? */
static bool swapped(const char *body, int a, int b)
{
    enum { FIRST_LINE = 11 };
    struct ptx_module *m = scheduled(body, 32, NULL);
    const struct ptx_func *f = ptx_find_func(m, "k");
    int place_a = -1, place_b = -1;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        if (f->insts[i].loc.line == FIRST_LINE + a && place_a < 0)
            place_a = (int)i;
        if (f->insts[i].loc.line == FIRST_LINE + b)
            place_b = (int)i;
    }
    assert_true(place_a >= 0 && place_b >= 0);
    ptx_module_free(m);
    return place_b < place_a;
}

#define LOAD "ld.global.f32 %f1, [%rd1];\n"
#define SUM "add.f32 %f9, %f1, %f1;\n"               /* reads the result of LOAD */

static void loads_come_before_uses_of_others(void **state)
{
    (void)state;
    assert_true(swapped(LOAD SUM "ld.global.f32 %f2, [%rd2];", 1, 2));
    assert_true(swapped("ld.shared.f32 %f1, [s];\n" SUM "ld.shared.f32 %f2, [s+4];", 1, 2));
    assert_true(swapped(LOAD SUM "ld.param.u64 %rd2, [a];\nld.global.f32 %f2, [%rd2];", 1, 3));
    assert_false(swapped(LOAD SUM "add.f32 %f3, %f9, %f9;", 1, 2));
}

static void dependences_through_registers_stay(void **state)
{
    (void)state;
    assert_false(swapped(LOAD SUM "ld.global.f32 %f1, [%rd2];", 1, 2));              /* write after read */
    assert_false(swapped(LOAD SUM "ld.global.f32 %f9, [%rd2];", 1, 2));              /* write after write */
    assert_false(swapped(LOAD "@%p1 " SUM "ld.global.f32 %f9, [%rd2];", 1, 2));
    assert_false(swapped(LOAD "setp.gt.f32 %p1, %f1, %f1;\n@%p1 ld.global.f32 %f2, [%rd2];", 1, 2));
    assert_false(swapped("ld.global.u32 %r1, [%rd1];\nadd.cc.u32 %r2, %r1, %r1;\nadd.cc.u32 %r3, %r4, %r4;\n"
                         "addc.u32 %r5, %r4, %r4;", 1, 2));
}

static void accesses_that_may_overlap_stay_in_order(void **state)
{
    (void)state;
    assert_false(swapped(LOAD "st.global.f32 [%rd2], %f1;\nld.global.f32 %f2, [%rd3];", 1, 2));
    assert_false(swapped(LOAD "st.f32 [%rd2], %f1;\nld.shared.f32 %f2, [s];", 1, 2));
    assert_false(swapped(LOAD "st.local.f32 [%rd2], %f1;\nld.param.f32 %f2, [a];", 1, 2));
    assert_false(swapped(LOAD "st.param.f32 [c], %f1;\nld.local.f32 %f2, [%rd2];", 1, 2));
    assert_true(swapped(LOAD "st.global.f32 [%rd2], %f1;\nld.param.f32 %f2, [a];", 1, 2));
    assert_false(swapped(LOAD "st.global.f32 [%rd2], %f1;\nld.global.v2.f32 {%f2, %f3}, [%rd2+-4];", 1, 2));
    assert_false(swapped(LOAD "st.global.f32 [%rd2], %f1;\nadd.u64 %rd2, %rd2, 8;\n"
                         "ld.global.f32 %f2, [%rd2+4];", 1, 3));
    assert_false(swapped(LOAD "st.global.f32 [%rd2], %f1;\nst.global.f32 [%rd3], %f2;", 1, 2));
    assert_true(swapped(LOAD "st.global.f32 [%rd2], %f1;\nld.global.f32 %f2, [%rd2+4];", 1, 2));
    assert_true(swapped(LOAD "st.global.f32 [%rd2], %f1;\nld.shared.f32 %f2, [s];", 1, 2));
}

/* The guard makes the instruction wait for the first load; the second load comes before it unless it must not. */
static void synchronisation_stays_before_later_accesses(void **state)
{
    static const char *const syncs[] = { "bar.sync 0", "membar.gl", "fence.acq_rel.gpu",
                                         "red.global.add.f32 [%rd3], %f1",
                                         "ld.relaxed.gpu.global.f32 %f9, [%rd3]", "ld.volatile.global.f32 %f9, [%rd3]",
                                         "prefetch.global.L1 [%rd3]", "ld.global.f32 %f9, [%rd3]" };
    const size_t n = sizeof syncs / sizeof *syncs;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        char body[512];
        snprintf(body, sizeof body, "%ssetp.gt.f32 %%p2, %%f1, %%f1;\n@%%p2 %s;\nld.global.f32 %%f2, [%%rd2];",
                 LOAD, syncs[i]);
        assert_int_equal(swapped(body, 2, 3), i == n - 1);
    }
}

static void some_instructions_are_never_crossed(void **state)
{
    static const char *const fixed[] = { "mov.u64 %rd5, %clock64;", "mov.u64 %rd5, %globaltimer;", "bar.warp.sync -1;",
                                         "st.global.u32 [%rd1], %clock;", "mov.b64 %rd5, {%clock, %clock_hi};",
                                         "pmevent 1;", "nanosleep.u32 20;", "tx_begin;\ntx_commit;",
                                         "mov.u32 %r5, %laneid;" };
    const size_t n = sizeof fixed / sizeof *fixed;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        char body[512];
        snprintf(body, sizeof body, "%s%s%s\nmul.lo.u32 %%r2, %%r3, %%r3;", LOAD, SUM, fixed[i]);
        assert_int_equal(swapped(body, 1, strchr(fixed[i], '\n') ? 4 : 3), i == n - 1);
    }
}

/* Nothing crosses the start or the end of a lock loop. A product of bytes exchanges nothing between lanes. */
static void classes_of_instructions(void **state)
{
    (void)state;
    assert_false(swapped(LOAD SUM "// simtx: lock begin\nmul.lo.u32 %r2, %r3, %r3;\n// simtx: lock end", 1, 3));
    assert_true(swapped(LOAD SUM "// simtx: lock\nmul.lo.u32 %r2, %r3, %r3;", 1, 3));
    assert_false(swapped("shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;\nshfl.sync.idx.b32 %r4, %r1, %r3, 31, -1;\n"
                         "shfl.sync.idx.b32 %r5, %r6, %r3, 31, -1;", 1, 2));
    assert_true(swapped("dp4a.u32.u32 %r1, %r2, %r3, %r2;\ndp4a.u32.u32 %r4, %r1, %r3, %r2;\n"
                        "dp4a.u32.u32 %r5, %r6, %r3, %r2;", 1, 2));
}

static size_t append_loads(char *body, size_t n, size_t size, int first, int count)
{
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(body + n, size - n, "ld.global.f32 %%f%d, [%%rd1+%d];\n", first + i, 4 * i);
    return n;
}

static size_t append_sums(char *body, size_t n, size_t size, int first, int count)
{
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(body + n, size - n, "add.f32 %%f399, %%f399, %%f%d;\n", first + i);
    return n;
}

/* 40 values of a region come before 30 that live on after it: together they do not fit. */
static void registers_of_several_regions_are_limited(void **state)
{
    static char body[1 << 15];
    uint32_t registers;
    size_t n = 0;
    (void)state;
    n = append_loads(body, n, sizeof body, 0, 40);
    n = append_sums(body, n, sizeof body, 0, 40);
    n = append_loads(body, n, sizeof body, 100, 30);
    n += (size_t)snprintf(body + n, sizeof body - n, "bar.warp.sync -1;\n");
    n = append_sums(body, n, sizeof body, 100, 30);
    snprintf(body + n, sizeof body - n, "st.global.f32 [%%rd1], %%f399;");
    ptx_module_free(scheduled(body, 0, &registers));
    assert_in_range(registers, 43, 48);
    ptx_module_free(scheduled(body, 56, &registers));
    assert_in_range(registers, 49, 56);
}

/* Loads that come first would leave no register for the factor, without which none of them can be used. */
static void an_order_that_needs_too_many_registers_is_discarded(void **state)
{
    static char body[1 << 15];
    uint32_t registers;
    size_t n = 0;
    (void)state;
    for (int i = 300; i < 308; i++)
        n += (size_t)snprintf(body + n, sizeof body - n, "mov.f32 %%f%d, 0f3F800000;\n", i);
    for (int i = 300; i < 308; i++)                  /* the first of them reads %f310, which is 0 */
        n += (size_t)snprintf(body + n, sizeof body - n, "add.f32 %%f%d, %%f%d, %%f%d;\n", i + 11, i + 10, i);
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(body + n, sizeof body - n, "ld.global.f32 %%f%d, [%%rd1+%d];\n"
                              "fma.rn.f32 %%f399, %%f%d, %%f318, %%f399;\n", i, 4 * i, i);
    snprintf(body + n, sizeof body - n, "st.global.f32 [%%rd1], %%f399;");
    for (uint32_t most = 16; most <= 30; most++) {
        ptx_module_free(scheduled(body, most, &registers));
        assert_in_range(registers, most - 2, most);
    }
}

/* 100 loads, each added to a sum: as many values could be live. */
static void registers_are_limited(void **state)
{
    static char body[1 << 15];
    uint32_t few, more, text = 4;                    /* the address, the sum and one value */
    size_t n = 0;
    (void)state;
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(body + n, sizeof body - n,
                              "ld.global.f32 %%f%d, [%%rd1+%d];\nadd.f32 %%f199, %%f199, %%f%d;\n", i, 4 * i, i);
    snprintf(body + n, sizeof body - n, "st.global.f32 [%%rd1], %%f199;");
    ptx_module_free(scheduled(body, 0, &few));
    ptx_module_free(scheduled(body, 40, &more));
    assert_in_range(few, text + 1, 8);
    assert_in_range(more, 33, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_come_before_uses_of_others),
        cmocka_unit_test(dependences_through_registers_stay),
        cmocka_unit_test(accesses_that_may_overlap_stay_in_order),
        cmocka_unit_test(synchronisation_stays_before_later_accesses),
        cmocka_unit_test(some_instructions_are_never_crossed),
        cmocka_unit_test(classes_of_instructions),
        cmocka_unit_test(registers_of_several_regions_are_limited),
        cmocka_unit_test(an_order_that_needs_too_many_registers_is_discarded),
        cmocka_unit_test(registers_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
