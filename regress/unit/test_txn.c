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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_3),
    };
    return cmocka_run_group_tests_name("transactions of a warp", tests, NULL, NULL);
}
