/*
 * Transactions of a warp (ptx/txn/txn.h): programs are stepped by hand, and the test decides which lanes commit. The
 * entries of the stack are those of figure 3 of "Hardware Transactional Memory for GPU Architectures" (MICRO 2011): N
 * at the bottom, R and T above it while the warp is in a transaction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/ptx/txn_rig.h"

/* Entry i of the stack, counted from the bottom: its lanes, and the opcode behind which or at which it stands. */
static void expect_entry(struct bench *b, uint32_t i, uint64_t mask, enum ptx_op behind)
{
    assert_true(i < b->w->nentry);
    const struct simt_entry *e = &b->w->entry[i];
    const struct dinst *d = &b->w->frame[e->frame].code->insts[e->pc - 1];
    while (!d->counts)
        d--;
    assert_int_equal(e->mask, mask);
    assert_int_equal(d->in->op, behind);
}

static enum ptx_op next_op(struct bench *b)
{
    const struct code *c;
    const struct dinst *d = warp_peek(b->w, &c);
    return d && d->in ? (enum ptx_op)d->in->op : OP_RET;
}

/* ---- figure 3 ---- */

/* Lines A to G of the figure: 8 threads; thread 7 takes the branch of line D in its second attempt only. */
static const char figure[] = HEAD KERNEL
    "  ld.global.u32 %r2, [%rd2]; mov.u32 %r3, 0;\n"
    "  tx_begin;\n"
    "  ld.global.u32 %r4, [%rd2+4]; add.u32 %r3, %r3, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra F;\n"
    "  add.u32 %r3, %r3, 100;\n"
    "F: tx_commit;\n"
    "  st.global.u32 [%rd2+8], %r3;\n" END;

static void test_figure_3(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, figure, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    expect_lanes(&b, 0, 0, 0, 0);
    assert_int_equal(bench_step(&b), STEP_OK);
    assert_int_equal(b.w->nentry, 3);                    /* 1: N, R, T */
    expect_entry(&b, 0, 0xff, OP_TX_BEGIN);
    expect_entry(&b, 1, 0, OP_TX_BEGIN);
    expect_entry(&b, 2, 0xff, OP_TX_BEGIN);
    expect_lanes(&b, 0xff, 0, 0, 0);
    uint32_t attempt = txn_attempt(b.w);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(b.w->state, WARP_TX);
    assert_int_equal(b.w->nentry, 3);
    expect_entry(&b, 2, 0xff, OP_TX_COMMIT);
    expect_lanes(&b, 0xff, 0xff, 0, 0);
    txn_abort(b.w, 0xc0);                                /* 2: threads 6 and 7 fail validation */
    expect_entry(&b, 1, 0xc0, OP_TX_BEGIN);
    expect_entry(&b, 2, 0x3f, OP_TX_COMMIT);
    expect_lanes(&b, 0x3f, 0x3f, 0xc0, 0);
    assert_int_equal(txn_attempt(b.w), attempt);
    txn_commit(b.w, 0x0f);
    assert_int_equal(b.w->state, WARP_TX);
    expect_lanes(&b, 0x30, 0x30, 0xc0, 0x0f);
    *word(&b, 7, 4) = 1;
    txn_commit(b.w, 0x30);                               /* 3: R is cloned */
    assert_int_equal(b.w->state, WARP_READY);
    assert_int_equal(b.w->nentry, 3);
    expect_entry(&b, 1, 0, OP_TX_BEGIN);
    expect_entry(&b, 2, 0xc0, OP_TX_BEGIN);
    expect_lanes(&b, 0xc0, 0, 0, 0x3f);
    assert_int_equal(txn_attempt(b.w), attempt + 1);
    bench_go_to(&b, OP_BRA);
    assert_int_equal(bench_step(&b), STEP_OK);           /* 4: divergence inside pushes onto T */
    assert_true(b.step.diverged);
    assert_int_equal(b.w->nentry, 4);
    expect_entry(&b, 3, 0x80, OP_BRA);
    assert_int_equal(b.w->entry[2].mask, 0xc0);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(b.w->nentry, 3);
    txn_commit(b.w, 0xc0);                               /* 5: T and R go, N stands behind tx_commit */
    assert_int_equal(b.w->nentry, 1);
    expect_entry(&b, 0, 0xff, OP_TX_COMMIT);
    expect_lanes(&b, 0, 0, 0, 0);
    assert_int_equal(next_op(&b), OP_ST);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), i == 7 ? 101 : 1);
    assert_int_equal(b.worker[0].count[STAT_TRANSACTIONS], 8);
    bench_close(&b);
}

/* ---- the stack ---- */

/* Steps until the condition holds; the warp must go on until then. */
#define STEP_UNTIL(b, condition)                                                                            \
    for (int n_ = 0; !(condition); n_++) {                                                                  \
        assert_true(n_ < STEPS_MAX);                                                                        \
        assert_int_equal(bench_step(b), STEP_OK);                                                           \
    }

/* Even threads commit early, odd ones behind more work; both tails go on to one join. */
static const char two_places[] = HEAD KERNEL
    "  and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u32 %r3, 5;\n"
    "  tx_begin;\n"
    "  @%p1 bra ODD;\n"
    "  add.u32 %r3, %r3, 1; tx_commit; add.u32 %r3, %r3, 10; bra JOIN;\n"
    "ODD: add.u32 %r3, %r3, 2; xor.b32 %r4, %r3, 7; tx_commit; add.u32 %r3, %r3, 20;\n"
    "JOIN: activemask.b32 %r5; st.global.v2.u32 [%rd2+8], {%r3, %r5};\n" END;

static void test_two_places(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, two_places, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    STEP_UNTIL(&b, txn_arrived(b.w));
    uint64_t first = txn_arrived(b.w);
    assert_true(first == 0x55 || first == 0xaa);
    assert_int_equal(b.w->state, WARP_READY);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(txn_arrived(b.w), 0xff);
    txn_abort(b.w, 0x03);                                /* one from each place */
    txn_commit(b.w, 0xfc);
    assert_int_equal(txn_lanes(b.w), 0x03);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0x03);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(*word(&b, i, 8), i % 2 ? 27 : 16);
        assert_int_equal(*word(&b, i, 12), 0xff);        /* they are together again */
    }
    bench_close(&b);
}

/* Lanes are aborted while they run, some of them having arrived: the last one that runs makes the warp wait. */
static void test_abort_while_running(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, two_places, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    STEP_UNTIL(&b, txn_arrived(b.w));
    uint64_t first = txn_arrived(b.w), running = 0xff & ~first;
    txn_abort(b.w, running & 0x0f);
    assert_int_equal(b.w->state, WARP_READY);
    expect_lanes(&b, 0xff & ~(running & 0x0f), first, running & 0x0f, 0);
    txn_abort(b.w, first & 0x03);
    txn_abort(b.w, running & 0xf0);
    assert_int_equal(b.w->state, WARP_TX);
    assert_int_equal(b.w->nentry, 3);
    expect_lanes(&b, first & 0xfc, first & 0xfc, running | (first & 0x03), 0);
    txn_commit(b.w, first & 0xfc);
    expect_lanes(&b, running | (first & 0x03), 0, 0, first & 0xfc);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0xff);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), i % 2 ? 27 : 16);
    assert_int_equal(b.worker[0].count[STAT_TRANSACTIONS], 8);
    bench_close(&b);
}

static void test_all_abort(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, figure, 32, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    bench_step(&b);
    uint32_t attempt = txn_attempt(b.w);
    for (uint32_t n = 1; n < 6; n++) {
        uint64_t hash = warp_state(b.w);
        bench_step(&b);
        if (n % 2)
            assert_int_equal(bench_run(&b), STEP_WAITS);
        txn_abort(b.w, UINT32_MAX);                      /* at tx_commit, or in the middle */
        assert_int_equal(b.w->state, WARP_READY);
        assert_int_equal(txn_attempt(b.w), attempt + n);
        assert_int_equal(b.w->nentry, 3);
        expect_lanes(&b, UINT32_MAX, 0, 0, 0);
        assert_int_not_equal(warp_state(b.w), hash);     /* no loop that never changes */
    }
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, UINT32_MAX);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(*word(&b, i, 8), 1);
    assert_int_equal(b.worker[0].count[STAT_TRANSACTIONS], 32);
    bench_close(&b);
}

static void test_serial(void **state)
{
    struct bench b;
    uint32_t order[16], n = 0;
    (void)state;
    bench_open(&b, figure, 8, 32);
    b.gpu.launch.tm_serial = true;
    bench_go_to(&b, OP_TX_BEGIN);
    bench_step(&b);
    expect_lanes(&b, 0x01, 0, 0xfe, 0);
    expect_entry(&b, 1, 0xfe, OP_TX_BEGIN);
    expect_entry(&b, 2, 0x01, OP_TX_BEGIN);
    while (n < 16 && bench_run(&b) == STEP_WAITS) {
        uint64_t lane = txn_lanes(b.w);
        order[n++] = (uint32_t)__builtin_ctzll(lane);
        assert_int_equal(lane & (lane - 1), 0);
        if (n == 3)
            txn_abort(b.w, lane);                        /* thread 2 tries again at once: it is still the lowest */
        else
            txn_commit(b.w, lane);
    }
    static const uint32_t want[] = { 0, 1, 2, 2, 3, 4, 5, 6, 7 };
    assert_int_equal(n, sizeof want / sizeof *want);
    assert_memory_equal(order, want, sizeof want);
    assert_int_equal(b.w->state, WARP_DONE);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), 1);
    bench_close(&b);
}

/* Threads 0 to 3 nest twice more, the others once. */
static void test_nested(void **state)
{
    static const char ptx[] = HEAD KERNEL
        "  setp.lt.u32 %p1, %r1, 4; mov.u32 %r3, 0;\n"
        "  tx_begin; tx_begin; add.u32 %r3, %r3, 1;\n"
        "  @%p1 tx_begin; add.u32 %r3, %r3, 10; @%p1 tx_commit;\n"
        "  add.u32 %r3, %r3, 100; tx_commit;\n"
        "  add.u32 %r3, %r3, 1000; tx_commit; st.global.u32 [%rd2+8], %r3;\n" END;
    struct bench b;
    (void)state;
    bench_open(&b, ptx, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    for (int n = 0; n < 4; n++) {
        STEP_UNTIL(&b, next_op(&b) == OP_TX_COMMIT);
        if (n % 2)
            txn_abort(b.w, 0x11);
        assert_int_equal(bench_step(&b), STEP_OK);       /* the inner ones commit nothing */
        assert_int_equal(txn_arrived(b.w), 0);
        STEP_UNTIL(&b, next_op(&b) == OP_TX_COMMIT);
        assert_int_equal(bench_step(&b), STEP_OK);
        assert_int_equal(txn_arrived(b.w), 0);
        assert_int_equal(bench_run(&b), STEP_WAITS);
        txn_abort(b.w, n < 3 ? txn_lanes(b.w) & 0x33 : 0);
        txn_commit(b.w, txn_lanes(b.w));
    }
    assert_int_equal(bench_run(&b), STEP_WAITS);
    assert_int_equal(txn_lanes(b.w), 0x11);
    txn_commit(b.w, 0x11);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), 1111);
    bench_close(&b);
}

/* Guarded tx_begin and tx_commit: the others go round, on the other side of a branch so to speak. */
static void test_guarded(void **state)
{
    static const char ptx[] = HEAD KERNEL
        "  setp.lt.u32 %p1, %r1, 4; mov.u32 %r3, 0;\n"
        "  @%p1 tx_begin; add.u32 %r3, %r3, 1; @%p1 tx_commit;\n"
        "  st.global.u32 [%rd2+8], %r3;\n" END;
    struct bench b;
    (void)state;
    bench_open(&b, ptx, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    bench_step(&b);
    assert_int_equal(b.step.lanes, 0x0f);
    assert_int_equal(txn_lanes(b.w), 0x0f);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_abort(b.w, 0x02);
    txn_commit(b.w, 0x0d);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0x02);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), 1);
    assert_int_equal(b.worker[0].count[STAT_TRANSACTIONS], 4);
    bench_close(&b);
}

/* tx_commit is the last instruction before the lanes of the branch meet: N is popped with T and R. */
static void test_commit_before_join(void **state)
{
    static const char ptx[] = HEAD KERNEL
        "  and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u32 %r3, 5;\n"
        "  @%p1 bra JOIN;\n"
        "  tx_begin; add.u32 %r3, %r3, 1; tx_commit;\n"
        "JOIN: activemask.b32 %r5; st.global.v2.u32 [%rd2+8], {%r3, %r5};\n" END;
    struct bench b;
    (void)state;
    bench_open(&b, ptx, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    uint32_t entries = b.w->nentry;
    assert_int_equal(entries, 2);
    bench_step(&b);
    assert_int_equal(b.w->nentry, 4);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_abort(b.w, 0x04);
    txn_commit(b.w, 0x51);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0x04);
    assert_int_equal(next_op(&b), OP_ACTIVEMASK);
    assert_int_equal(b.w->nentry, 1);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(*word(&b, i, 8), i % 2 ? 5 : 6);
        assert_int_equal(*word(&b, i, 12), 0xff);
    }
    bench_close(&b);
}

/* Thread i makes i + 1 transactions. */
static void test_loop(void **state)
{
    static const char ptx[] = HEAD KERNEL
        "  mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
        "AGAIN: tx_begin; add.u32 %r3, %r3, 3; tx_commit;\n"
        "  add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra AGAIN;\n"
        "  activemask.b32 %r5; st.global.v2.u32 [%rd2+8], {%r3, %r5};\n" END;
    struct bench b;
    uint32_t n = 0;
    (void)state;
    bench_open(&b, ptx, 8, 32);
    for (; bench_run(&b) == STEP_WAITS; n++) {
        txn_abort(b.w, n % 3 == 0 ? txn_lanes(b.w) & 0xa5 : 0);
        txn_commit(b.w, txn_lanes(b.w));
        assert_true(n < 100);
    }
    assert_int_equal(b.w->state, WARP_DONE);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(*word(&b, i, 8), 3 * (i + 1));
        assert_int_equal(*word(&b, i, 12), 0xff);
    }
    assert_int_equal(b.worker[0].count[STAT_TRANSACTIONS], 36);
    bench_close(&b);
}

static void test_wavefront(void **state)
{
    struct bench b;
    const uint64_t late = 0xf00000010000f000;
    (void)state;
    bench_open(&b, two_places, 64, 64);
    bench_go_to(&b, OP_TX_BEGIN);
    bench_step(&b);
    expect_lanes(&b, UINT64_MAX, 0, 0, 0);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    expect_lanes(&b, UINT64_MAX, UINT64_MAX, 0, 0);
    txn_commit(b.w, ~late);
    expect_lanes(&b, late, late, 0, ~late);
    txn_abort(b.w, late);
    expect_lanes(&b, late, 0, 0, ~late);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, late);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(*word(&b, i, 8), i % 2 ? 27 : 16);
    assert_int_equal(b.worker[0].count[STAT_TRANSACTIONS], 64);
    bench_close(&b);
}

/* tx_commit stands before tx_begin, as compilers turn loops round. */
static const char turned[] = HEAD KERNEL
    "  mov.u32 %r3, 0; bra B;\n"
    "C: tx_commit; add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, 2; @%p2 bra D;\n"
    "B: tx_begin; ld.global.u32 %r4, [%rd2]; setp.eq.u32 %p1, %r4, 0; @%p1 bra E;\n"
    "  st.global.u32 [%rd2], %r3;\n"
    "E: bra C;\n"
    "D:\n" END;

static void test_way_to_commit(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, turned, 8, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    bench_step(&b);
    assert_int_equal(txn_steps_to_commit(b.w, NULL, NULL), 6);   /* ld, setp, bra, st, bra, tx_commit */
    bench_go_to(&b, OP_SETP);
    assert_int_equal(txn_steps_to_commit(b.w, NULL, NULL), 5);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_way_to_commit),
        cmocka_unit_test(test_figure_3),
        cmocka_unit_test(test_two_places),
        cmocka_unit_test(test_abort_while_running),
        cmocka_unit_test(test_all_abort),
        cmocka_unit_test(test_serial),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_guarded),
        cmocka_unit_test(test_commit_before_join),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_wavefront),
    };
    return cmocka_run_group_tests_name("transactions of a warp: the stack", tests, NULL, NULL);
}
