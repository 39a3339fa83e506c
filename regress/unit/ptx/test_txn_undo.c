/*
 * What transactions of a warp put back when lanes are aborted (ptx/txn/txn.h): calls, registers, private memory,
 * parameters; and which registers that needs (txn_registers).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/ptx/txn_rig.h"

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
    "  addc.cc.u32 %r6, %r1, 0; addc.u32 %r3, %r3, %r6; add.u16 %h1, %h1, 9; mul.lo.u64 %rd3, %rd3, 77;\n"
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

/* Stores of several widths to places that differ from thread to thread; a later one to a word that is kept already. */
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

/* ---- registers to be saved ---- */

static uint32_t saved_registers(const char *text)
{
    char ptx[2048];
    struct bench b;
    const struct code *c = NULL;
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD KERNEL "mov.u32 %r2, 1; mov.u32 %r3, 2; mov.u64 %rd3, 3;\n", text, END);
    bench_open(&b, ptx, 1, 32);
    bench_go_to(&b, OP_TX_BEGIN);
    const struct dinst *d = warp_peek(b.w, &c);
    uint32_t n = txn_registers(c, d);
    bench_close(&b);
    return n;
}

static void test_saved_registers(void **state)
{
    (void)state;
    /* read and not written; written and not read before; both, of one word and of two */
    assert_int_equal(saved_registers("tx_begin; add.u32 %r4, %r2, 1; tx_commit; st.global.u32 [%rd2], %r4;"), 0);
    assert_int_equal(saved_registers("tx_begin; add.u32 %r2, %r2, 1; tx_commit; st.global.u32 [%rd2], %r2;"), 1);
    assert_int_equal(saved_registers("tx_begin; add.u64 %rd3, %rd3, 1; tx_commit; st.global.u64 [%rd2], %rd3;"), 2);
    assert_int_equal(saved_registers("tx_begin; mov.u32 %r2, 7; tx_commit; st.global.u32 [%rd2], %r2;"), 0);
    /* written on one side only, read behind; a guarded write leaves the old value needed */
    assert_int_equal(saved_registers("setp.eq.u32 %p1, %r1, 0; tx_begin; @%p1 bra L; mov.u32 %r2, 7;\n"
                                     "L: tx_commit; st.global.u32 [%rd2], %r2;"), 1);
    assert_int_equal(saved_registers("setp.eq.u32 %p1, %r1, 0; tx_begin; @%p1 mov.u32 %r2, 7; tx_commit;\n"
                                     "st.global.u32 [%rd2], %r2;"), 1);
    /* written behind the inner tx_commit, and behind the outermost one */
    assert_int_equal(saved_registers("tx_begin; tx_begin; tx_commit; add.u32 %r2, %r2, 1; tx_commit;\n"
                                     "st.global.u32 [%rd2], %r2;"), 1);
    assert_int_equal(saved_registers("tx_begin; tx_commit; add.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2;"), 0);
    /* round a loop back to tx_begin: it is read there again */
    assert_int_equal(saved_registers("A: tx_begin; ld.global.u32 %r5, [%rd2]; add.u32 %r2, %r5, %r3; tx_commit;\n"
                                     "add.u32 %r3, %r2, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra A;"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_cached_local),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_saved_registers),
    };
    return cmocka_run_group_tests_name("transactions of a warp: what comes back", tests, NULL, NULL);
}
