/*
 * Marked lock loops and transactions in PTX text: the instructions on the paths between their ends are flagged,
 * wherever their blocks stand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/program/program.h"

#define BEGIN "  // begin inline asm\n\t// simtx: lock begin\n  // end inline asm\n"
#define END "  // begin inline asm\n\t// simtx: lock end\n  // end inline asm\n"

enum { MARK = 11 };                  /* instructions with this immediate are in the region */

static struct ptx_module *parse(const char *body, struct diag *d)
{
    static char text[8192];
    int n = snprintf(text, sizeof text, ".version 7.0\n.target sm_70\n.address_size 64\n"
                     ".visible .entry k(.param .u64 a)\n{\n.reg .pred %%p<4>;\n"
                     ".reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n%s}\n", body);
    assert_true(n > 0 && (size_t)n < sizeof text);
    *d = (struct diag){ .file = "test" };
    struct ptx_module *m = ptx_parse(text, (size_t)n, "test", d);
    if (!m)
        fail_msg("%s", d->text);
    return m;
}

/* The flag of each instruction is what its operands say: `add x, y, 11` is inside, `add x, y, 0` outside. */
static void check(const char *body, bool locks)
{
    struct diag d;
    struct ptx_module *m = parse(body, &d);
    const struct ptx_func *f = ptx_find_func(m, "k");
    int adds = 0;
    assert_int_equal(d.warnings, 0);
    for (uint32_t i = 0; i < f->ninsts; i++) {
        const struct ptx_inst *in = &f->insts[i];
        assert_false(locks ? in->tx : in->lock);
        if (in->op != OP_ADD)
            continue;
        adds++;
        if ((locks ? in->lock : in->tx) != (in->opd[2].imm == MARK))
            fail_msg("line %d of\n%s", in->loc.line - 8, body);
    }
    assert_true(adds > 1);
    ptx_module_free(m);
    diag_free(&d);
}

static void loop_in_a_row(void **state)
{
    (void)state;
    check("  add.u32 %r1, %r2, 0;\n" BEGIN "L1:\n  atom.global.cas.b32 %r3, [%rd1], 0, 1;\n"
          "  setp.ne.s32 %p1, %r3, 0;\n  @%p1 bra L1;\n  add.u32 %r4, %r4, 11;\n" END "  add.u32 %r1, %r2, 0;\n", true);
}

/* As clang lays out two locks inside a loop: the end of the region stands before its beginning. */
static void blocks_moved(void **state)
{
    (void)state;
    check("  add.u32 %r1, %r2, 0;\n  bra.uni L2;\n"
          "L8:\n" END "  add.u32 %r5, %r5, 0;\n  setp.lt.s32 %p2, %r5, %r6;\n  @%p2 bra L2;\n  bra.uni L9;\n"
          "L2:\n  add.u32 %r1, %r2, 0;\n" BEGIN "  add.u32 %r7, %r7, 11;\n  bra.uni L3;\n"
          "L6:\n  add.u32 %r7, %r7, 11;\n  atom.global.exch.b32 %r3, [%rd1], 0;\n"
          "L7:\n  setp.eq.s32 %p1, %r7, 0;\n  @%p1 bra L3;\n  bra.uni L8;\n"
          "L3:\n  atom.global.cas.b32 %r3, [%rd1], 0, 1;\n  setp.ne.s32 %p1, %r3, 0;\n  @%p1 bra L7;\n"
          "  add.u32 %r4, %r4, 11;\n  bra.uni L6;\n"
          "L9:\n  add.u32 %r1, %r2, 0;\n  ret;\n", true);
}

static void loops_behind_each_other(void **state)
{
    (void)state;
    check(BEGIN "L1:\n  add.u32 %r1, %r2, 11;\n  @%p1 bra L1;\n" END BEGIN "L2:\n  add.u32 %r1, %r2, 11;\n"
          "  @%p1 bra L2;\n" END "  add.u32 %r1, %r2, 0;\n" BEGIN END "  add.u32 %r1, %r2, 0;\n", true);
}

/* A compiler may write the end once for each way out. */
static void two_ends(void **state)
{
    (void)state;
    check(BEGIN "L1:\n  add.u32 %r1, %r2, 11;\n  @%p1 bra L2;\n  @%p2 bra L1;\n" END "  add.u32 %r1, %r2, 0;\n"
          "  bra.uni L3;\nL2:\n  add.u32 %r1, %r2, 11;\n" END "  add.u32 %r1, %r2, 0;\nL3:\n  add.u32 %r1, %r2, 0;\n",
          true);
}

static void transactions(void **state)
{
    (void)state;
    check("  add.u32 %r1, %r2, 0;\n  @%p1 bra L2;\n  tx_begin;\n  add.u32 %r1, %r2, 11;\n  @%p2 bra L3;\nL1:\n"
          "  add.u32 %r1, %r2, 11;\n  tx_commit;\nL2:\n  add.u32 %r1, %r2, 0;\n  ret;\nL3:\n  add.u32 %r1, %r2, 11;\n"
          "  bra.uni L1;\n", false);
}

static void ignored(const char *body, const char *why)
{
    struct diag d;
    struct ptx_module *m = parse(body, &d);
    const struct ptx_func *f = ptx_find_func(m, "k");
    assert_int_equal(d.warnings, 1);
    if (!strstr(d.text, why) || !strstr(d.text, "'k'"))
        fail_msg("expected '%s': %s", why, d.text);
    for (uint32_t i = 0; i < f->ninsts; i++)
        assert_false(f->insts[i].lock);
    ptx_module_free(m);
    diag_free(&d);
}

static void unbalanced(void **state)
{
    (void)state;
    ignored("  add.u32 %r1, %r2, 0;\n" BEGIN "  add.u32 %r1, %r2, 0;\n", "leaves the function without simtx_lock_end");
    ignored(BEGIN "  @%p1 bra L1;\n  add.u32 %r1, %r2, 0;\n" END "  add.u32 %r1, %r2, 0;\nL1:\n  ret;\n",
            "leaves the function");
    ignored("  add.u32 %r1, %r2, 0;\n" END "  add.u32 %r1, %r2, 0;\n" END, "on no path from a simtx_lock_begin");
}

/* Markers of one function are not those of the next, and other comments are none. */
static void functions_apart(void **state)
{
    (void)state;
    struct diag d;
    struct ptx_module *m = parse(BEGIN "L1:\n  add.u32 %r1, %r2, 11;\n  @%p1 bra L1;\n" END "  ret;\n}\n"
                                 ".visible .entry l()\n{\n  .reg .b32 %r<4>;\n  // simtx: lock beginning\n"
                                 "  // not simtx: lock begin\n  /* simtx: lock end */\n  add.u32 %r1, %r2, 0;\n", &d);
    const struct ptx_func *k = ptx_find_func(m, "k"), *l = ptx_find_func(m, "l");
    assert_int_equal(d.warnings, 0);
    assert_true(k->insts[0].lock);
    for (uint32_t i = 0; i < l->ninsts; i++)
        assert_false(l->insts[i].lock);
    ptx_module_free(m);
    diag_free(&d);
}

#define FUNCTION ".func f()\n{\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  atom.global.inc.u32 %r1, [%rd1], 7;\n}\n"

enum { GLOBAL = 1, SHARED = 2 };

/* The last function of the text is the kernel; memory: what transactions are for. */
static void undone(int memory, const char *body, const char *said)
{
    struct diag d;
    char text[400] = "";
    struct ptx_module *m = parse(body, &d);
    struct program_options o = { .isa = lanes_best_isa(), .warp_size = LANES, .const_max = 65536 };
    struct program *p = program_load(ptx_link(&m, 1, &d), NULL, &o, &d);
    assert_non_null(p);
    const struct ptx_func *last = p->module->funcs;
    while (last->next)
        last = last->next;
    assert_int_equal(program_irrevocable(p, last, memory & GLOBAL, memory & SHARED, text, sizeof text),
                     said != NULL);
    if (said && !strstr(text, said))
        fail_msg("expected '%s': %s", said, text);
    program_free(p, NULL);
    diag_free(&d);
}

/* Atomics and stores to shared memory inside transactions are found, in called functions too. */
static void cannot_be_undone(void **state)
{
    (void)state;
    undone(GLOBAL, "  red.global.add.u32 [%rd1], 1;\n  tx_begin;\n  st.global.u32 [%rd1], %r1;\n  tx_commit;\n"
           "  st.shared.u32 [%r1], %r1;\n", NULL);
    undone(GLOBAL, "  tx_begin;\n  st.global.u32 [%rd1], %r1;\n  red.global.add.u32 [%rd1], 1;\n  tx_commit;\n",
           "test:11:3: red.global.add.u32");
    undone(GLOBAL, "  tx_begin;\n  @%p1 st.shared.u32 [%r1], %r1;\n  tx_commit;\n", "test:10:8: @%p1 st.shared.u32");
    undone(GLOBAL, "  ret;\n}\n" FUNCTION ".visible .entry l()\n{\n  tx_begin;\n  call f;\n  tx_commit;\n",
           "test:15:3: atom.global.inc.u32");
    undone(GLOBAL, "  ret;\n}\n" FUNCTION ".visible .entry l()\n{\n  call f;\n  tx_begin;\n  tx_commit;\n", NULL);
}

#define STORES "  st.shared.u32 [%r1], %r1;\n  red.shared.add.u32 [%r1], 1;\n"

/* On shared memory transactions undo stores and atomics; what may be global memory they then do not. */
static void undone_by_memory(void **state)
{
    (void)state;
    undone(SHARED,
           "  tx_begin;\n" STORES "  st.local.u32 [%r1], %r1;\n  tx_commit;\n  st.global.u32 [%rd1], %r1;\n", NULL);
    undone(SHARED | GLOBAL,
           "  tx_begin;\n" STORES "  st.u32 [%rd1], %r1;\n  st.global.u32 [%rd1], %r1;\n  tx_commit;\n",
           NULL);
    undone(GLOBAL, "  tx_begin;\n  st.u32 [%rd1], %r1;\n" STORES "  tx_commit;\n", "test:11:3: st.shared.u32");
    undone(SHARED, "  tx_begin;\n" STORES "  st.global.u32 [%rd1], %r1;\n  tx_commit;\n", "test:12:3: st.global.u32");
    undone(SHARED, "  tx_begin;\n" STORES "  st.u32 [%rd1], %r1;\n  tx_commit;\n", "test:12:3: st.u32");
    undone(SHARED, "  tx_begin;\n" STORES "  red.global.add.u32 [%rd1], 1;\n  tx_commit;\n", "test:12:3: red.global");
    undone(SHARED | GLOBAL, "  tx_begin;\n" STORES "  red.global.add.u32 [%rd1], 1;\n  tx_commit;\n",
           "test:12:3: red.global");
    undone(SHARED | GLOBAL, "  tx_begin;\n" STORES "  red.add.u32 [%rd1], 1;\n  tx_commit;\n", "test:12:3: red.add");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_in_a_row), cmocka_unit_test(blocks_moved), cmocka_unit_test(loops_behind_each_other),
        cmocka_unit_test(two_ends), cmocka_unit_test(transactions), cmocka_unit_test(unbalanced),
        cmocka_unit_test(functions_apart), cmocka_unit_test(cannot_be_undone),
        cmocka_unit_test(undone_by_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
