/*
 * Transactions of a warp (ptx/txn.h): programs are stepped by hand, and the test decides which lanes commit. The entries
 * of the stack are those of figure 3 of "Hardware Transactional Memory for GPU Architectures" (MICRO 2011): N at the
 * bottom, R and T above it while the warp is in a transaction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/txn.h"
#include "regress/unit/step_driver.h"

enum { IN_BYTES = 65536, LOCAL_BYTES = 1 << 20, STEPS_MAX = 100000 };

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"
/* %rd1 = in, %r1 = thread, %rd2 = its 256 bytes of in. */
#define KERNEL                                                                                              \
    ".visible .entry k(.param .u64 in)\n"                                                                   \
    "{ .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b128 %q<2>;\n"         \
    "  .local .align 8 .b8 l[64];\n"                                                                        \
    "  ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 256; add.u64 %rd2, %rd1, %rd2;\n"
#define END "  ret; }\n"

/* One warp that a test steps by hand; in: the memory behind the parameter. */
struct bench {
    struct step_gpu gpu;
    struct worker worker[2];
    struct block *block;
    struct warp *w;
    uint32_t *in;
    char *local;
    struct mem_op op;
    struct step step;
};

static void bench_open(struct bench *b, const char *ptx, uint32_t threads, uint32_t warp_size)
{
    const struct step_shape s = { .grid = 1, .block = threads, .warp_size = warp_size };
    char *why;
    memset(b, 0, sizeof *b);
    if (!step_gpu_open(&b->gpu, ptx, "k", &s, &why))
        fail_msg("%s", why);
    b->in = step_gpu_alloc(&b->gpu, IN_BYTES);
    b->local = step_gpu_alloc(&b->gpu, LOCAL_BYTES);
    memset(b->in, 0, IN_BYTES);
    memset(b->local, 0, LOCAL_BYTES);
    memcpy(b->gpu.param, &b->in, sizeof b->in);
    b->gpu.launch.timed = b->gpu.launch.tm = true;
    b->gpu.launch.clock_khz = 1500000;
    b->worker[0].launch = b->worker[1].launch = &b->gpu.launch;
    b->block = block_new(b->worker);
    b->w = b->block->warps;
    for (uint32_t i = 0; i < MAX_HALVES; i++)
        b->w->half[i].local_device = (uint64_t)(uintptr_t)b->local + i * (LOCAL_BYTES / 2);
    block_start(b->block, 0, 0);
}

static void bench_close(struct bench *b)
{
    block_free(b->block);
    step_gpu_close(&b->gpu);
}

static enum step_result bench_step(struct bench *b)
{
    b->op.lanes = 0;
    enum step_result r = warp_step(b->w, &b->step, &b->op);
    if (b->op.lanes)
        step_perform(&b->worker[1], &b->op);
    return r;
}

/* Runs until the warp waits, ends or faults. */
static enum step_result bench_run(struct bench *b)
{
    enum step_result r = STEP_OK;
    for (int n = 0; r == STEP_OK; n++) {
        assert_true(n < STEPS_MAX);
        r = bench_step(b);
    }
    return r;
}

static void bench_go_to(struct bench *b, enum ptx_op op)
{
    const struct code *c;
    const struct dinst *d;
    while ((d = warp_peek(b->w, &c)) && !(d->in && d->in->op == op))
        assert_int_not_equal(bench_step(b), STEP_FAULT);
    assert_non_null(d);
}

/* The word at byte `at` of a thread's part of in. */
static uint32_t *word(struct bench *b, uint32_t thread, uint32_t at)
{
    return b->in + thread * 64 + at / 4;
}

/* Entry i of the stack, counted from the bottom: its lanes, and the opcode behind which or at which it stands. */
static void expect_entry(struct bench *b, uint32_t i, uint64_t mask, enum ptx_op behind)
{
    assert_true(i < b->w->nentry);
    const struct entry *e = &b->w->entry[i];
    const struct dinst *d = &b->w->frame[e->frame].code->insts[e->pc - 1];
    while (!d->counts)
        d--;
    assert_int_equal(e->mask, mask);
    assert_int_equal(d->in->op, behind);
}

/* The state that the txn_ functions show. */
static void expect_lanes(struct bench *b, uint64_t open, uint64_t arrived, uint64_t waiting, uint64_t passed)
{
    assert_int_equal(txn_lanes(b->w), open);
    assert_int_equal(txn_arrived(b->w), arrived);
    assert_int_equal(txn_waiting(b->w), waiting);
    assert_int_equal(txn_passed(b->w), passed);
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
    assert_int_equal(b.worker[0].counts.transactions, 8);
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
    assert_int_equal(b.worker[0].counts.transactions, 8);
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
    assert_int_equal(b.worker[0].counts.transactions, 32);
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
    assert_int_equal(b.worker[0].counts.transactions, 4);
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
    assert_int_equal(b.worker[0].counts.transactions, 36);
    bench_close(&b);
}

/* ---- what comes back ---- */

static const char callee[] =
    ".func (.param .b32 out) g(.param .b32 x)\n"
    "{ .reg .b32 %r<4>; ld.param.u32 %r1, [x]; mul.lo.u32 %r1, %r1, 3; st.param.b32 [out], %r1; ret; }\n"
    ".func (.param .b32 out) f(.param .b32 x)\n"
    "{ .reg .pred %p<2>; .reg .b32 %r<8>; .local .align 4 .b8 m[16];\n"
    "  ld.param.u32 %r1, [x]; st.local.u32 [m+4], %r1; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;\n"
    "  @%p1 bra ODD;\n"
    "  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), g, (a); ld.param.b32 %r3, [r]; }\n"
    "  bra JOIN;\n"
    "ODD: ld.local.u32 %r3, [m+4]; add.u32 %r3, %r3, 7;\n"
    "JOIN: st.param.b32 [out], %r3; ret; }\n";

/* Lanes are aborted at every instruction of the call in turn: some of them, then all that are left. */
static void test_call(void **state)
{
    char ptx[4096];
    (void)state;
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD, callee, KERNEL
        "  mov.u32 %r3, %r1;\n"
        "  tx_begin;\n"
        "  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r3; call.uni (r), f, (a); ld.param.b32 %r3, [r]; }\n"
        "  add.u32 %r3, %r3, 1;\n"
        "  tx_commit; st.global.u32 [%rd2+8], %r3;\n" END);
    for (int at = 0; at < 30; at++) {
        struct bench b;
        bench_open(&b, ptx, 8, 32);
        bench_go_to(&b, OP_TX_BEGIN);
        for (int k = 0; k <= at && b.w->state == WARP_READY; k++)
            bench_step(&b);
        txn_abort(b.w, 0x36);
        uint64_t left = txn_lanes(b.w), gone = 0x36;
        for (int k = 0; k < at / 2 && b.w->state == WARP_READY; k++)
            bench_step(&b);
        if (at % 3 == 0) {
            txn_abort(b.w, left);
            gone |= left;
            assert_int_equal(txn_lanes(b.w), 0xff);
            assert_int_equal(b.w->nframe, 1);
            assert_int_equal(b.w->nentry, 3);
            assert_ptr_equal(b.w->half[0].l.base[0], b.w->half[0].regs);
        } else {
            while (b.w->state == WARP_READY)
                bench_step(&b);
            txn_commit(b.w, left);
        }
        assert_int_equal(bench_run(&b), STEP_WAITS);
        assert_int_equal(txn_lanes(b.w), gone);
        txn_commit(b.w, gone);
        assert_int_equal(bench_run(&b), STEP_ENDED);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(*word(&b, i, 8), i % 2 ? i + 8 : i * 3 + 1);
        bench_close(&b);
    }
}

/* Every width is changed in each attempt; 128 bytes a thread of out are those of one attempt only. */
static const char registers[] = HEAD KERNEL
    "  cvt.u16.u32 %h1, %r1; mov.u32 %r3, 5; mul.wide.u32 %rd3, %r1, 0x10001; setp.lt.u32 %p1, %r1, 20;\n"
    "  setp.gt.u32 %p2, %r1, 40; mov.b128 %q1, {%rd3, %rd2}; add.cc.u32 %r4, %r1, 0xfffffff0;\n"
    "  tx_begin;\n"
    "  addc.cc.u32 %r6, %r1, 0xffffffff; addc.u32 %r3, %r3, %r1; add.u16 %h1, %h1, 9; mul.lo.u64 %rd3, %rd3, 77;\n"
    "  not.pred %p1, %p1; xor.pred %p2, %p1, %p2; mov.b128 {%rd4, %rd5}, %q1; add.u64 %rd5, %rd5, 3;\n"
    "  xor.b64 %rd4, %rd4, %rd3; mov.b128 %q1, {%rd5, %rd4};\n"
    "  tx_commit;\n"
    "  selp.u32 %r7, 1, 0, %p1; selp.u32 %r8, 1, 0, %p2; cvt.u32.u16 %r9, %h1; mov.b128 {%rd4, %rd5}, %q1;\n"
    "  sub.u64 %rd4, %rd4, %rd1;\n"
    "  st.global.v4.u32 [%rd2+16], {%r3, %r7, %r8, %r9}; st.global.v2.u64 [%rd2+32], {%rd3, %rd5};\n"
    "  st.global.u64 [%rd2+48], %rd4;\n" END;

static void run_registers(uint32_t lanes, uint64_t abort, uint8_t *out)
{
    struct bench b;
    bench_open(&b, registers, lanes, lanes);
    bench_go_to(&b, OP_TX_BEGIN);
    for (int n = 0; abort && n < 3; n++) {
        if (n == 1)
            for (int k = 0; k < 8; k++)
                assert_int_equal(bench_step(&b), STEP_OK);
        else
            assert_int_equal(bench_run(&b), STEP_WAITS);
        txn_abort(b.w, abort);
        if (n != 1)
            txn_commit(b.w, txn_lanes(b.w) & ~abort);
    }
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, txn_lanes(b.w));
    if (b.w->state == WARP_READY && txn_lanes(b.w)) {
        assert_int_equal(bench_run(&b), STEP_WAITS);
        txn_commit(b.w, txn_lanes(b.w));
    }
    assert_int_equal(bench_run(&b), STEP_ENDED);
    memcpy(out, b.in, lanes * 256);
    bench_close(&b);
}

static void test_registers(void **state)
{
    static uint8_t once[16384], again[16384];
    (void)state;
    for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
        run_registers(lanes, 0, once);
        assert_int_not_equal(once[32], once[256 + 32]);
        for (int n = 0; n < 4; n++) {
            static const uint64_t abort[] = { 0xffffffffffffffff, 0x1, 0x8000000100ff5a00, 0x00f0000080000000 };
            memset(again, 0xee, sizeof again);
            run_registers(lanes, abort[n], again);
            assert_memory_equal(once, again, lanes * 256);
        }
    }
}

/* Stores of several widths to places that differ from thread to thread; a later store to a word that is kept already. */
static const char local[] = HEAD KERNEL
    "  .reg .b64 %rl, %rg; mov.u64 %rl, l; cvta.local.u64 %rg, %rl; mov.u32 %r2, 0; mov.u64 %rd9, %rl;\n"
    "FILL: add.u32 %r3, %r2, 0x1000; st.local.u32 [%rd9], %r3; add.u64 %rd9, %rd9, 4; add.u32 %r2, %r2, 1;\n"
    "  setp.lt.u32 %p1, %r2, 16; @%p1 bra FILL;\n"
    "  and.b32 %r4, %r1, 3; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rl, %rd3; add.u64 %rd5, %rg, %rd3;\n"
    "  tx_begin;\n"
    "  ld.local.u32 %r5, [%rd4]; add.u32 %r5, %r5, 1; st.local.u32 [%rd4], %r5; st.local.u8 [%rd4+2], %r5;\n"
    "  ld.u32 %r6, [%rd5+16]; add.u32 %r6, %r6, %r5; st.u32 [%rd5+16], %r6; st.local.u32 [%rd4], %r6;\n"
    "  ld.local.u64 %rd6, [l+32]; add.u64 %rd6, %rd6, %rd3; st.local.u64 [l+32], %rd6;\n"
    "  st.local.v4.u32 [l+48], {%r6, %r5, %r4, %r1};\n"
    "  tx_commit;\n"
    "  mov.u32 %r2, 0; mov.u64 %rd9, %rl; add.u64 %rd10, %rd2, 64;\n"
    "COPY: ld.local.u32 %r3, [%rd9]; st.global.u32 [%rd10], %r3; add.u64 %rd9, %rd9, 4; add.u64 %rd10, %rd10, 4;\n"
    "  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 16; @%p1 bra COPY;\n" END;

static void run_local(uint32_t lanes, int aborts, uint8_t *out)
{
    struct bench b;
    bench_open(&b, local, lanes, lanes);
    for (int n = 0; bench_run(&b) == STEP_WAITS; n++) {
        if (n < aborts)
            txn_abort(b.w, n == 0 ? 0x0f0f00ff12345678 : n == 1 ? UINT64_MAX : 0x5555);
        txn_commit(b.w, txn_arrived(b.w));
        assert_true(n < 20);
    }
    assert_int_equal(b.w->state, WARP_DONE);
    memcpy(out, b.in, lanes * 256);
    bench_close(&b);
}

static void test_local(void **state)
{
    static uint8_t once[16384], again[16384];
    (void)state;
    for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
        run_local(lanes, 0, once);
        for (int aborts = 1; aborts < 5; aborts++) {
            run_local(lanes, aborts, again);
            assert_memory_equal(once, again, lanes * 256);
        }
    }
}

/* A cache that has the words of l[0..3] of all threads, and not what device memory has. */
struct cached { struct bench *b; uint8_t line[128]; uint64_t address; unsigned writes; };

static const uint8_t *cached_line(void *ctx, uint64_t line)
{
    struct cached *c = ctx;
    return line == c->address ? c->line : NULL;
}

static void cached_write(void *ctx, uint64_t address, const void *bytes, unsigned n)
{
    struct cached *c = ctx;
    c->writes++;
    assert_true(address >= c->address && address + n <= c->address + 128);
    memcpy(c->line + (address - c->address), bytes, n);
}

static void test_cached_local(void **state)
{
    static const char ptx[] = HEAD KERNEL "  tx_begin; st.local.u32 [l], %r1; st.local.u32 [l], 5; tx_commit;\n" END;
    struct bench b;
    struct cached c = { .b = &b };
    (void)state;
    bench_open(&b, ptx, 32, 32);
    b.worker[0].private_line = cached_line;
    b.worker[0].private_write = cached_write;
    b.worker[0].private_ctx = &c;
    bench_go_to(&b, OP_ST);
    c.address = b.w->half[0].local_device;
    for (unsigned i = 0; i < 32; i++)
        memcpy(c.line + 4 * i, (uint32_t[]){ 700 + i }, 4);
    bench_step(&b);
    assert_int_equal(b.op.served_by[SERVE_LOCAL], UINT32_MAX);
    memset(c.line, 0, sizeof c.line);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_abort(b.w, 0x0000ff0f);
    assert_int_equal(c.writes, 2);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t got, want = 0xff0f >> i & 1 ? 700 + i : 0;
        memcpy(&got, c.line + 4 * i, 4);
        assert_int_equal(got, want);
    }
    bench_close(&b);
}

/* A function whose result is written inside its transaction in the first attempt only. */
static void test_parameters(void **state)
{
    static const char ptx[] = HEAD
        ".func (.param .b32 out) f(.param .b32 x, .param .b64 at)\n"
        "{ .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
        "  ld.param.u32 %r1, [x]; ld.param.u64 %rd1, [at]; add.u32 %r2, %r1, 50; st.param.b32 [out], %r2;\n"
        "  tx_begin; ld.global.u32 %r3, [%rd1]; setp.ne.u32 %p1, %r3, 0; @!%p1 bra DONE;\n"
        "  st.param.b32 [out], %r3;\n"
        "DONE: tx_commit; ret; }\n" KERNEL
        "  { .param .b32 a; .param .b64 p; .param .b32 r; st.param.b32 [a], %r1; st.param.b64 [p], %rd2;\n"
        "    call.uni (r), f, (a, p); ld.param.b32 %r3, [r]; }\n"
        "  st.global.u32 [%rd2+8], %r3;\n" END;
    struct bench b;
    (void)state;
    bench_open(&b, ptx, 8, 32);
    for (uint32_t i = 0; i < 8; i++)
        *word(&b, i, 0) = 99;
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_abort(b.w, 0x3c);
    for (uint32_t i = 0; i < 8; i++)
        *word(&b, i, 0) = 0;
    txn_commit(b.w, 0xc3);
    assert_int_equal(bench_run(&b), STEP_WAITS);
    txn_commit(b.w, 0x3c);
    assert_int_equal(bench_run(&b), STEP_ENDED);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(*word(&b, i, 8), 0x3c >> i & 1 ? i + 50 : 99);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_3),
        cmocka_unit_test(test_two_places),
        cmocka_unit_test(test_abort_while_running),
        cmocka_unit_test(test_all_abort),
        cmocka_unit_test(test_serial),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_guarded),
        cmocka_unit_test(test_commit_before_join),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_cached_local),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests_name("transactions of a warp", tests, NULL, NULL);
}
