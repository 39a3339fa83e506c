/*
 * Faults inside transactions of a warp (ptx/txn/txn.h): those of a lane that are held until somebody has decided
 * whether its transaction is doomed, and those of the transaction itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/ptx/txn_rig.h"

/* The thread's word of in says where it reads: 0 is in, everything else is not there. */
static const char wild[] = HEAD KERNEL
    "  mov.u32 %r3, 1;\n"
    "  tx_begin;\n"
    "  ld.global.u64 %rd3, [%rd2]; add.u64 %rd3, %rd3, %rd1; add.u32 %r3, %r3, 1; ld.global.u32 %r4, [%rd3];\n"
    "  tx_commit; st.global.u32 [%rd2+8], %r3;\n" END;

static void go_wild(struct bench *b)
{
    bench_open(b, wild, 8, 32);
    *word(b, 3, 4) = *word(b, 5, 4) = 0x10000;
    assert_int_equal(bench_run(b), STEP_FAULT);
}

/* Stale: the lane is aborted, the others execute the same instruction again, and so on. */
static void test_stale_fault(void **state)
{
    struct bench b;
    const struct code *c;
    (void)state;
    go_wild(&b);
    assert_int_equal(txn_hold_fault(b.w), 3);
    assert_null(b.worker[0].fault);
    assert_int_equal(b.w->state, WARP_READY);
    const struct dinst *d = warp_peek(b.w, &c);
    txn_abort(b.w, 1u << 3);
    assert_ptr_equal(warp_peek(b.w, &c), d);
    assert_int_equal(bench_step(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), 5);
    txn_abort(b.w, 1u << 5);
    txn_fault_again(b.w);                                /* forgotten */
    assert_int_equal(b.w->state, WARP_READY);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    expect_lanes(&b, 0xd7, 0xd7, 0x28, 0);
    *word(&b, 3, 4) = *word(&b, 5, 4) = 0;
    txn_commit(b.w, 0xd7);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0x28);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), 2);
    bench_close(&b);
}

static void test_current_fault(void **state)
{
    struct bench b;
    (void)state;
    go_wild(&b);
    struct fault f = *b.worker[0].fault;
    assert_int_equal(txn_hold_fault(b.w), 3);
    memset(&b.worker[0].fault_store, 0, sizeof f);
    txn_abort(b.w, 0x01);                                /* another lane */
    txn_fault_again(b.w);
    assert_int_equal(b.w->state, WARP_FAULT);
    assert_non_null(b.worker[0].fault);
    assert_int_equal(b.worker[0].fault->kind, FAULT_BOUNDS);
    assert_string_equal(b.worker[0].fault->text, f.text);
    assert_int_equal(bench_step(&b), STEP_FAULT);
    bench_close(&b);
}

/* Outside transactions nothing is held. */
static void test_fault_outside(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  tx_begin; tx_commit; trap;\n" END, 8, 32);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0xff);
    assert_int_equal(bench_run(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), -1);
    assert_non_null(b.worker[0].fault);
    bench_close(&b);
}

/* Threads 2 and up trap, one after another; at last the first of them does so in a state that is current. */
static void test_trap(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  setp.ge.u32 %p1, %r1, 2; tx_begin; @%p1 trap; tx_commit;\n" END, 6, 32);
    for (int lane = 2; lane < 6; lane++) {
        assert_int_equal(bench_run(&b), STEP_FAULT);
        assert_int_equal(txn_hold_fault(b.w), lane);
        txn_abort(b.w, 1ull << lane);
    }
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0x03);
    assert_int_equal(txn_lanes(b.w), 0x3c);
    assert_int_equal(bench_run(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), 2);
    txn_fault_again(b.w);
    assert_int_equal(b.worker[0].fault->kind, FAULT_TRAPPED);
    bench_close(&b);
}

/* Even threads call f, odd ones g, which has more private memory than there is: f has been entered when g faults. */
static void test_fault_in_call(void **state)
{
    static const char ptx[] = HEAD
        ".func (.param .b32 out) f(.param .b32 x)\n"
        "{ .reg .b32 %r<4>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, 3; st.param.b32 [out], %r1; ret; }\n"
        ".func (.param .b32 out) g(.param .b32 x)\n"
        "{ .reg .b32 %r<4>; .local .align 4 .b8 big[65536];\n"
        "  ld.param.u32 %r1, [x]; st.local.u32 [big], %r1; st.param.b32 [out], %r1; ret; }\n" KERNEL
        "  .reg .b64 %rf, %rg; mov.u64 %rf, f; mov.u64 %rg, g; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;\n"
        "  tx_begin; ld.global.u32 %r4, [%rd2]; setp.ne.or.u32 %p1, %r4, 0, %p1;\n"
        "  selp.b64 %rd3, %rg, %rf, %p1;\n"
        "  P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), %rd3, (a), P; ld.param.b32 %r3, [r]; }\n"
        "  tx_commit; st.global.u32 [%rd2+8], %r3;\n" END;
    struct bench b;
    (void)state;
    bench_open(&b, ptx, 4, 32);
    for (int lane = 1; lane < 4; lane += 2) {
        assert_int_equal(bench_run(&b), STEP_FAULT);
        assert_int_equal(b.worker[0].fault->kind, FAULT_STACK);
        assert_int_equal(txn_hold_fault(b.w), lane);
        assert_int_equal(b.w->nentry, 3);
        assert_int_equal(b.w->nframe, 1);
        txn_abort(b.w, 1ull << lane);
    }
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(txn_arrived(b.w), 0x05);
    txn_commit(b.w, 0x05);
    assert_int_equal(bench_run(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), 1);
    bench_close(&b);
}

static unsigned frees;

static bool count_free(void *owner, void *p)
{
    (void)owner;
    frees++;
    return ((uintptr_t)p & 255) == 0;
}

static const char frees_one[] = HEAD ".extern .func free(.param .b64 p);\n" KERNEL
    "  tx_begin; ld.global.u64 %rd3, [%rd2]; add.u64 %rd3, %rd3, %rd2;\n"
    "  { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }\n"
    "  tx_commit;\n" END;

/* What the host did for lanes before the one that faulted is not done again. */
static void test_fault_in_host(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, frees_one, 8, 32);
    b.gpu.launch.heap_free = count_free;
    frees = 0;
    *word(&b, 3, 0) = *word(&b, 6, 0) = 8;
    assert_int_equal(bench_run(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), 3);
    assert_int_equal(frees, 4);
    txn_abort(b.w, 0x0a);
    assert_int_equal(bench_run(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), 6);
    assert_int_equal(frees, 7);
    txn_abort(b.w, 0x40);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(frees, 8);
    *word(&b, 3, 0) = *word(&b, 6, 0) = 0;
    txn_commit(b.w, txn_lanes(b.w));
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(frees, 11);
    txn_commit(b.w, 0x4a);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    bench_close(&b);
}

/* The same when all lanes are aborted there: each of them does it again. */
static void test_host_again(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, frees_one, 8, 32);
    b.gpu.launch.heap_free = count_free;
    frees = 0;
    *word(&b, 3, 0) = 8;
    assert_int_equal(bench_run(&b), STEP_FAULT);
    assert_int_equal(txn_hold_fault(b.w), 3);
    txn_abort(b.w, 0xff);
    *word(&b, 3, 0) = 0;
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(frees, 4 + 8);
    bench_close(&b);
}

/* Misuse: the same words as in functional mode, and never held. */
static void test_misuse(void **state)
{
    static const struct { const char *functions, *text, *says; } cases[] = {
        { "", "tx_begin; bar.sync 0; tx_commit;", "barrier inside a transaction" },
        { "", "tx_begin; exit; tx_commit;", "exits inside a transaction" },
        { "", "tx_begin; ret; tx_commit;", "tx_commit is missing" },
        { "", "add.u32 %r1, %r1, 1; tx_commit;", "tx_commit without tx_begin" },
        { ".func f() { tx_commit; ret; }\n", "tx_begin; call.uni f, ();", "in another function" },
        { "", "setp.lt.u32 %p1, %r1, 4; @%p1 bra J; tx_begin; add.u32 %r1, %r1, 1; J: add.u32 %r1, %r1, 1; tx_commit;",
          "continues after it" },
        { "", "tx_begin; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; setp.eq.u32 %p1, %r1, 1; @%p1 bra B;\n"
              "setp.eq.u32 %p1, %r1, 2; @%p1 bra C; setp.eq.u32 %p1, %r1, 3; @%p1 bra D; tx_commit; bra E;\n"
              "A: tx_commit; bra E; B: tx_commit; bra E; C: tx_commit; bra E; D: tx_commit; E: add.u32 %r1, %r1, 1;",
          "more than 4 places" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char ptx[2048];
        struct bench b;
        snprintf(ptx, sizeof ptx, "%s%s%s%s%s", HEAD, cases[i].functions, KERNEL, cases[i].text, END);
        bench_open(&b, ptx, 8, 32);
        assert_int_equal(bench_run(&b), STEP_FAULT);
        assert_int_equal(txn_hold_fault(b.w), -1);
        struct fault f = *b.worker[0].fault;
        assert_int_equal(f.kind, FAULT_TX);
        if (!strstr(f.text, cases[i].says))
            fail_msg("%s: %s", cases[i].says, f.text);
        bench_close(&b);
        bench_open(&b, ptx, 8, 32);
        b.gpu.launch.timed = b.gpu.launch.tm = false;
        assert_false(grid_run(&b.gpu.launch));
        assert_string_equal(strstr(f.text, "fault:"), strstr(b.gpu.launch.fault.text, "fault:"));
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale_fault),
        cmocka_unit_test(test_current_fault),
        cmocka_unit_test(test_fault_outside),
        cmocka_unit_test(test_trap),
        cmocka_unit_test(test_fault_in_call),
        cmocka_unit_test(test_fault_in_host),
        cmocka_unit_test(test_host_again),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests_name("transactions of a warp: faults", tests, NULL, NULL);
}
