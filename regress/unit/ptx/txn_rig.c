/* See txn_rig.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/ptx/txn_rig.h"

void bench_open(struct bench *b, const char *ptx, uint32_t threads, uint32_t warp_size)
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

void bench_close(struct bench *b)
{
    block_free(b->block);
    step_gpu_close(&b->gpu);
}

enum step_result bench_step(struct bench *b)
{
    b->op.lanes = 0;
    enum step_result r = warp_step(b->w, &b->step, &b->op);
    if (b->op.lanes)
        step_perform(&b->worker[1], &b->op);
    return r;
}

enum step_result bench_run(struct bench *b)
{
    enum step_result r = STEP_OK;
    for (int n = 0; r == STEP_OK; n++) {
        assert_true(n < STEPS_MAX);
        r = bench_step(b);
    }
    return r;
}

void bench_go_to(struct bench *b, enum ptx_op op)
{
    const struct code *c;
    const struct dinst *d;
    while ((d = warp_peek(b->w, &c)) && !(d->in && d->in->op == op))
        assert_int_not_equal(bench_step(b), STEP_FAULT);
    assert_non_null(d);
}

void expect_lanes(struct bench *b, uint64_t open, uint64_t arrived, uint64_t waiting, uint64_t passed)
{
    assert_int_equal(txn_lanes(b->w), open);
    assert_int_equal(txn_arrived(b->w), arrived);
    assert_int_equal(txn_waiting(b->w), waiting);
    assert_int_equal(txn_passed(b->w), passed);
}
