/*
 * The scalar instructions for the mask of active lanes: which conditions may lanes decide differently, and how many
 * instructions does that make? Each test parses a function and reads the counts of its instructions.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "timing/core/exec_mask.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n.visible .const .align 4 .b32 table[4];\n"
#define REGISTERS \
    ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<4>; .shared .align 4 .b32 sh[64]; .reg .b32 %h<4>;\n"

struct analysis {
    struct ptx_module *module;
    struct arena *arena;
    const struct ptx_func *func;
    const struct flow *flow;
    struct tinst *inst;
};

static void open_function(struct analysis *a, const char *text, const char *name)
{
    struct diag d = { 0 };
    a->module = ptx_parse(text, strlen(text), "test", &d);
    if (!a->module)
        fail_msg("%s\n%.2000s", d.text, text);
    diag_free(&d);
    a->func = ptx_find_func(a->module, name);
    a->arena = arena_new();
    a->flow = flow_analyse(a->func, a->arena);
    a->inst = calloc(a->func->ninsts + 1, sizeof *a->inst);
    assert_non_null(a->inst);
}

static void close_function(struct analysis *a)
{
    free(a->inst);
    arena_free(a->arena);
    ptx_module_free(a->module);
}

static uint64_t all_scalars(const struct analysis *a)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i <= a->func->ninsts; i++)
        n += a->inst[i].scalars;
    return n;
}

static uint64_t scalars_of(const char *text, const char *name)
{
    struct analysis a;
    open_function(&a, text, name);
    exec_mask_set(a.inst, a.func, a.flow);
    uint64_t n = all_scalars(&a);
    close_function(&a);
    return n;
}

/* The body of a kernel with a parameter of each width. */
static uint64_t in_kernel(const char *body)
{
    char text[4096];
    snprintf(text, sizeof text,
             HEADER ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %%x; ld.param.b32 %%x, [a]; "
                    "st.param.b32 [r], %%x; ret; }\n"
                    ".visible .entry k(.param .b64 out, .param .b32 n)\n{ %s %s ret; }\n", REGISTERS, body);
    return scalars_of(text, "k");
}

enum { IF = 3 };                     /* two before the branch, one at its end */
#define WHEN_R "setp.ne.u32 %p1, %r1, 7; "
#define IF_P "@%p1 bra J; add.u32 %r8, %r8, 1; J: "
#define UNIFORM(source) assert_int_equal(in_kernel(source WHEN_R IF_P), 0)
#define VARYING(source) assert_int_equal(in_kernel(source WHEN_R IF_P), IF)

static void special_registers_differ(void **state)
{
    (void)state;
    UNIFORM("mov.u32 %r1, %ctaid.x; ");
    UNIFORM("mov.u32 %r1, %ntid.y; ");
    UNIFORM("mov.u32 %r1, %warpid; ");
    VARYING("mov.u32 %r1, %tid.x; ");
    VARYING("mov.u32 %r1, %laneid; ");
    VARYING("mov.u32 %r1, %lanemask_lt; ");
    VARYING("mov.u32 %r1, %clock; ");
    VARYING("mov.u32 %r1, %clock_hi; ");
    VARYING("mov.u32 %r1, %globaltimer_lo; ");
    VARYING("mov.u32 %r1, %globaltimer_hi; ");
    VARYING("mov.u64 %d1, %globaltimer; cvt.u32.u64 %r1, %d1; ");
    VARYING("mov.u32 %r1, %pm0; ");
    UNIFORM("mov.b64 %d1, {%ctaid.x, 1}; cvt.u32.u64 %r1, %d1; ");
    VARYING("mov.b64 %d1, {%laneid, 1}; cvt.u32.u64 %r1, %d1; ");
}

static void memory_differs(void **state)
{
    (void)state;
    UNIFORM("ld.param.b32 %r1, [n]; ");
    UNIFORM("ld.const.b32 %r1, [table+4]; ");
    VARYING("mov.u32 %r2, %tid.x; cvt.u64.u32 %d1, %r2; mov.u64 %d2, table; add.u64 %d1, %d1, %d2; "
            "ld.const.b32 %r1, [%d1]; ");
    VARYING("ld.shared.b32 %r1, [sh]; ");
    VARYING("ld.param.b64 %d1, [out]; ld.global.b32 %r1, [%d1]; ");
    VARYING("{ .param .b32 q; .param .b32 s; mov.u32 %r2, %tid.x; st.param.b32 [q], %r2; call (s), f, (q); "
            "ld.param.b32 %r1, [s]; } ");
}

/* Arguments of a function are those of each lane, in parameter memory or in a register. */
static void arguments_differ(void **state)
{
    (void)state;
    assert_int_equal(scalars_of(HEADER ".func f(.param .b32 a) { " REGISTERS "ld.param.b32 %r1, [a]; " WHEN_R IF_P
                                "ret; }\n", "f"), IF);
    assert_int_equal(scalars_of(HEADER ".func f(.reg .b32 a) { " REGISTERS "add.u32 %r1, a, 1; " WHEN_R IF_P "ret; }\n",
                                "f"), IF);
    assert_int_equal(scalars_of(HEADER ".func f() { " REGISTERS "mov.u32 %r1, %ctaid.x; " WHEN_R IF_P "ret; }\n", "f"),
                     0);
}

#define DIVIDED "mov.u32 %r2, %tid.x; L: add.u32 %r2, %r2, 1; "
#define LOOP "setp.lt.u32 %p2, %r2, 99; @%p2 bra L; "
#define PART (2 + 1)                 /* of the loop itself */

static void values_of_all_lanes(void **state)
{
    (void)state;
    VARYING("mov.u32 %r2, 5; shfl.sync.idx.b32 %r1, %r2, 0, 31, -1; ");
    VARYING("elect.sync %r1|%p3, -1; selp.u32 %r1, 1, 2, %p3; ");
    UNIFORM("activemask.b32 %r1; ");
    UNIFORM("mov.u32 %r2, %tid.x; redux.sync.add.u32 %r1, %r2, -1; ");
    UNIFORM("mov.u32 %r2, %tid.x; setp.lt.u32 %p3, %r2, 4; vote.sync.ballot.b32 %r1, %p3, -1; ");
    VARYING("mov.u32 %r2, %tid.x; match.any.sync.b32 %r1, %r2, -1; ");
    UNIFORM("mov.u32 %r2, %tid.x; match.all.sync.b32 %r1, %r2, -1; ");
    assert_int_equal(in_kernel(DIVIDED "activemask.b32 %r1; " LOOP WHEN_R IF_P), PART + IF);
    assert_int_equal(in_kernel(DIVIDED "mov.u32 %r1, 3; " LOOP WHEN_R IF_P), PART);
}

static void carry_differs(void **state)
{
    (void)state;
    UNIFORM("mov.u32 %r2, %ctaid.x; add.cc.u32 %r3, %r2, -1; addc.u32 %r1, 0, 0; ");
    VARYING("mov.u32 %r2, %tid.x; add.cc.u32 %r3, %r2, -1; addc.u32 %r1, 0, 0; ");
}

static void paths_differ(void **state)
{
    (void)state;
    const char *by_branch = "mov.u32 %r1, 1; mov.u32 %r2, %tid.x; setp.lt.u32 %p3, %r2, 4; @%p3 bra K; "
                            "mov.u32 %r1, 2; K: " WHEN_R IF_P;
    const char *by_table = "mov.u32 %r1, 1; mov.u32 %r2, %tid.x; and.b32 %r2, %r2, 1; t: .branchtargets A, B; "
                           "brx.idx %r2, t; A: mov.u32 %r1, 2; B: " WHEN_R IF_P;
    const char *unset = DIVIDED "add.u32 %r1, %r1, 1; " LOOP WHEN_R IF_P;
    assert_int_equal(in_kernel(by_branch), 2 * IF);
    assert_int_equal(in_kernel(by_table), IF);
    assert_int_equal(in_kernel(unset), PART + IF);
    UNIFORM("mov.u32 %r1, 1; ld.param.b32 %r2, [n]; setp.lt.u32 %p3, %r2, 4; @%p3 bra K; mov.u32 %r1, 2; K: ");
}

/*
 * The outer branch differs only by what the loop around it computes last, when the inner one has been found already.
 * The value after the inner branch's end is written on a part of the paths.
 */
static void outer_branch_is_found_later(void **state)
{
    (void)state;
    assert_int_equal(in_kernel("mov.u32 %r1, 1; mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 4; mov.u32 %r4, 0; "
                               "ld.param.b32 %r6, [n]; mov.u32 %r3, 0; "
                               "TOP: setp.eq.u32 %p2, %r3, 3; @%p2 bra OUT; "
                               "@%p1 bra EL; add.u32 %r5, %r5, 1; bra IN; EL: add.u32 %r5, %r5, 2; "
                               "IN: add.u32 %r1, %r6, 2; OUT: add.u32 %r4, %r4, 1; "
                               "mov.u32 %r3, %r2; setp.ne.u32 %p3, %r4, 3; @%p3 bra TOP; "
                               "setp.eq.u32 %p0, %r1, 7; @%p0 bra J; add.u32 %r8, %r8, 1; J: "), 3 * IF + 1);
}

/* Branches that reconverge at one instruction, as of a switch: each adds to its count. */
static void many_branches_reconverge(void **state)
{
    (void)state;
    enum { BRANCHES = 70000, LINE = 80 };
    char *text = malloc((size_t)BRANCHES * LINE + 1000);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, HEADER ".visible .entry k()\n{ %s mov.u32 %%r1, %%tid.x;\n", REGISTERS);
    for (int i = 0; i < BRANCHES; i++)
        n += (size_t)sprintf(text + n, "setp.eq.u32 %%p1, %%r1, %d; @%%p1 bra END;\n", i);
    sprintf(text + n, "END: add.u32 %%r2, %%r2, 1; ret; }\n");
    struct analysis a;
    open_function(&a, text, "k");
    exec_mask_set(a.inst, a.func, a.flow);
    assert_int_equal(all_scalars(&a), IF * BRANCHES);
    assert_int_equal(a.inst[a.func->ninsts - 2].scalars, BRANCHES);
    close_function(&a);
    free(text);
}

static void *analyse(void *ctx)
{
    struct analysis *a = ctx;
    exec_mask_set(a->inst, a->func, a->flow);
    return NULL;
}

/* A long path through many blocks needs no deep stack of the host: this one has 64 KB for 20000 blocks. */
static void deep_paths_need_no_stack(void **state)
{
    (void)state;
    enum { BLOCKS = 20000, LINE = 60, STACK = 64 << 10 };
    char *text = malloc((size_t)BLOCKS * LINE + 1000);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, HEADER ".visible .entry k()\n{ %s mov.u32 %%r1, %%tid.x; "
                                            "setp.lt.u32 %%p1, %%r1, 4; setp.ne.u32 %%p2, %%r3, 0;\n@%%p1 bra END;\n",
                               REGISTERS);
    for (int i = 0; i < BLOCKS; i++)
        n += (size_t)sprintf(text + n, "@%%p2 bra L%d; L%d: add.u32 %%r2, %%r2, 1;\n", i, i);
    sprintf(text + n, "END: ret; }\n");
    struct analysis a;
    open_function(&a, text, "k");
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, analyse, &a), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_int_equal(all_scalars(&a), IF);
    close_function(&a);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_registers_differ),
        cmocka_unit_test(memory_differs),
        cmocka_unit_test(arguments_differ),
        cmocka_unit_test(values_of_all_lanes),
        cmocka_unit_test(carry_differs),
        cmocka_unit_test(paths_differ),
        cmocka_unit_test(outer_branch_is_found_later),
        cmocka_unit_test(many_branches_reconverge),
        cmocka_unit_test(deep_paths_need_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
