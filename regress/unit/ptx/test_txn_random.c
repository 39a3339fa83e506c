/*
 * Random programs with transactions (ptx/txn/txn.h), stepped while lanes are aborted at random places. An attempt reads
 * noise from memory that no lane may commit with, so attempts go other ways and leave other registers, calls and
 * private memory behind. At the end everything must be as in the same program without its transactions, run in
 * functional mode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/ptx/txn_rig.h"

enum { PROGRAMS = 150, TEXT_BYTES = 1 << 18, DEPTH = 3, QUIET_AFTER = 60 };

/* A program's text on the way; both texts of a program come from one seed. */
struct text {
    char *at, *end;
    uint64_t seed;
    bool transactions;               /* tx_begin and tx_commit are written */
    bool callee;
    unsigned labels;
};

static uint32_t draw(uint64_t *seed, uint32_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 33) % n;
}

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, (size_t)(t->end - t->at), fmt, ap);
    va_end(ap);
    assert_true(n < t->end - t->at);
    t->at += n;
}

static uint32_t reg(struct text *t)
{
    return 10 + draw(&t->seed, 6);
}

static void put_alu(struct text *t)
{
    uint32_t a = reg(t), b = reg(t), c = reg(t);
    switch (draw(&t->seed, 6)) {
    case 0: put(t, "mad.lo.u32 %%r%u, %%r%u, 1103515245, %%r%u;\n", a, b, c); break;
    case 1: put(t, "xor.b32 %%r%u, %%r%u, %%r%u; shf.l.wrap.b32 %%r%u, %%r%u, %%r%u, 7;\n", a, b, c, b, a, a); break;
    case 2: put(t, "mul.wide.u32 %%rd4, %%r%u, %%r%u; add.u64 %%rd3, %%rd3, %%rd4;\n", a, b); break;
    case 3: put(t, "cvt.u16.u32 %%h2, %%r%u; mad.lo.u16 %%h1, %%h1, 3, %%h2;\n", a); break;
    case 4:
        put(t, "setp.lt.xor.u32 %%p3, %%r%u, %%r%u, %%p3; selp.u32 %%r%u, %%r%u, %%r%u, %%p3;\n", a, b, c, a, b);
        break;
    default: put(t, "cvt.u32.u64 %%r%u, %%rd3; @%%p3 add.u32 %%r%u, %%r%u, 1;\n", a, b, c); break;
    }
}

static void put_local(struct text *t)
{
    put(t, "and.b32 %%r2, %%r%u, 15; mul.wide.u32 %%rd5, %%r2, 4; add.u64 %%rd5, %%rd6, %%rd5;\n", reg(t));
    switch (draw(&t->seed, 4)) {
    case 0: put(t, "ld.local.u32 %%r%u, [%%rd5];\n", reg(t)); break;
    case 1: put(t, "st.local.u8 [%%rd5+1], %%r%u;\n", reg(t)); break;
    case 2: put(t, "and.b64 %%rd5, %%rd5, -8; st.local.u64 [%%rd5], %%rd3;\n"); break;
    default: put(t, "st.local.u32 [%%rd5], %%r%u;\n", reg(t)); break;
    }
}

static void put_body(struct text *t, unsigned depth, bool inside);

static void put_commit(struct text *t)
{
    put(t, "%s", t->transactions ? "tx_commit;\n" : "");
}

static void put_branch(struct text *t, unsigned depth, bool inside, bool commits)
{
    unsigned n = t->labels++;
    put(t, "and.b32 %%r2, %%r%u, %u; setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra E%u;\n", reg(t), 1u << draw(&t->seed, 8), n);
    for (int side = 0; side < 2; side++) {
        if (commits) {
            put_body(t, depth + 1, true);
            put_commit(t);
        }
        put_body(t, depth + 1, inside && !commits);
        put(t, side ? "J%u:\n" : "bra J%u; E%u:\n", n, n);
    }
}

static void put_loop(struct text *t, unsigned depth, bool inside)
{
    unsigned n = t->labels++, counter = 20 + depth;
    put(t, "and.b32 %%r%u, %%r%u, 3; L%u:\n", counter, reg(t), n);
    put_body(t, depth + 1, inside);
    put(t, "sub.u32 %%r%u, %%r%u, 1; setp.gt.s32 %%p1, %%r%u, 0; @%%p1 bra L%u;\n", counter, counter, counter, n);
}

static void put_call(struct text *t)
{
    uint32_t a = reg(t), b = reg(t);
    put(t, "{ .param .b32 x; .param .b64 p; .param .b32 r; st.param.b32 [x], %%r%u; st.param.b64 [p], %%rd2;\n"
           "  call.uni (r), f, (x, p); ld.param.b32 %%r%u, [r]; }\n", a, b);
}

/* In the outermost one noise is read; tx_commit is behind it or on both sides of a branch. */
static void put_transaction(struct text *t, unsigned depth, bool inside)
{
    bool split = !inside && draw(&t->seed, 3) == 0;
    put(t, "%s", t->transactions ? "tx_begin;\n" : "");
    put(t, "ld.global.u32 %%r2, [%%rd2]; xor.b32 %%r%u, %%r%u, %%r2;\n", reg(t), reg(t));
    put_body(t, depth + 1, true);
    if (split)
        put_branch(t, depth + 1, false, true);
    else
        put_commit(t);
}

static void put_statement(struct text *t, unsigned depth, bool inside)
{
    uint32_t kind = draw(&t->seed, depth < DEPTH ? 12 : 6);
    if (kind < 4)
        put_alu(t);
    else if (kind < 6)
        put_local(t);
    else if (kind < 8)
        put_branch(t, depth, inside, false);
    else if (kind == 8)
        put_loop(t, depth, inside);
    else if (kind == 9 && !t->callee)
        put_call(t);
    else
        put_transaction(t, depth, inside);
}

static void put_body(struct text *t, unsigned depth, bool inside)
{
    for (uint32_t n = 1 + draw(&t->seed, depth ? 3 : 8); n; n--)
        put_statement(t, depth, inside);
}

#define REGISTERS ".reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<32>; .reg .b64 %%rd<8>;\n"           \
    ".local .align 8 .b8 l[64]; mov.u64 %%rd6, l;\n"

/* All registers depend on %r1; the local array is filled. */
static void put_start(struct text *t)
{
    for (unsigned k = 10; k < 16; k++)
        put(t, "mad.lo.u32 %%r%u, %%r1, %u, %u;\n", k, 0x9e3779b1u * k, k);
    put(t, "mul.wide.u32 %%rd3, %%r10, 7; cvt.u16.u32 %%h1, %%r11; setp.gt.u32 %%p3, %%r12, %%r13;\n");
    for (unsigned k = 0; k < 8; k++)
        put(t, "st.local.v2.u32 [l+%u], {%%r%u, %%r%u};\n", k * 8, 10 + k % 6, 10 + (k + 3) % 6);
}

static void put_function(struct text *t)
{
    t->callee = true;
    put(t, ".func (.param .b32 out) f(.param .b32 x, .param .b64 p)\n{ " REGISTERS);
    put(t, "ld.param.u32 %%r1, [x]; ld.param.u64 %%rd2, [p];\n");
    put_start(t);
    put_body(t, 1, false);
    put(t, "ld.local.u32 %%r11, [l+8]; xor.b32 %%r10, %%r10, %%r11; st.param.b32 [out], %%r10; ret; }\n");
    t->callee = false;
}

static void put_program(struct text *t)
{
    put(t, HEAD);
    put_function(t);
    put(t, ".visible .entry k(.param .u64 in)\n{ " REGISTERS);
    put(t, "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x;\n"
           "mul.wide.u32 %%rd2, %%r1, 256; add.u64 %%rd2, %%rd1, %%rd2;\n");
    put_start(t);
    put_body(t, 0, false);
    for (unsigned k = 0; k < 8; k++)
        put(t, "ld.local.u64 %%rd4, [l+%u]; st.global.u64 [%%rd2+%u], %%rd4;\n", k * 8, 128 + k * 8);
    for (unsigned k = 10; k < 16; k++)
        put(t, "st.global.u32 [%%rd2+%u], %%r%u;\n", 24 + k * 4, k);
    put(t, "st.global.u64 [%%rd2+96], %%rd3; st.global.u16 [%%rd2+104], %%h1;\n"
           "selp.u32 %%r2, 1, 0, %%p3; activemask.b32 %%r3; st.global.v2.u32 [%%rd2+112], {%%r2, %%r3}; ret; }\n");
}

static char *program(uint64_t seed, bool transactions)
{
    char *text = malloc(TEXT_BYTES);
    assert_non_null(text);
    struct text t = { .at = text, .end = text + TEXT_BYTES, .seed = seed * 0x9e3779b97f4a7c15u + 1,
                      .transactions = transactions };
    put_program(&t);
    return text;
}

/* ---- running ---- */

struct outcome { uint8_t memory[64 * 256]; uint64_t transactions, aborts; };

static void run_functional(const char *ptx, uint32_t threads, uint32_t warp_size, struct outcome *o)
{
    struct bench b;
    bench_open(&b, ptx, threads, warp_size);
    b.gpu.launch.timed = b.gpu.launch.tm = false;
    if (!grid_run(&b.gpu.launch))
        fail_msg("%s\n%s", b.gpu.launch.fault.text, ptx);
    memcpy(o->memory, b.in, sizeof o->memory);
    o->transactions = b.gpu.count[STAT_TRANSACTIONS];
    bench_close(&b);
}

static uint64_t some(uint64_t *seed, uint64_t lanes)
{
    uint64_t a = (uint64_t)draw(seed, UINT32_MAX) << 32 | draw(seed, UINT32_MAX);
    uint64_t b = (uint64_t)draw(seed, UINT32_MAX) << 32 | draw(seed, UINT32_MAX);
    return draw(seed, 4) ? lanes & a & b : lanes;
}

/* Noise for the lanes of a new attempt; later on there is none, so that the program ends. */
static uint64_t make_noise(struct bench *b, uint64_t *seed, uint64_t lanes)
{
    uint64_t noisy = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m), v = draw(seed, 2) ? draw(seed, UINT32_MAX) : 0;
        *word(b, i, 0) = txn_attempt(b->w) % QUIET_AFTER < QUIET_AFTER / 2 ? v : 0;
        noisy |= *word(b, i, 0) ? m & -m : 0;
    }
    return noisy;
}

static void decide(struct bench *b, uint64_t *seed, uint64_t noisy)
{
    uint64_t clean = txn_lanes(b->w) & ~noisy;
    bool quiet = txn_attempt(b->w) % QUIET_AFTER >= QUIET_AFTER / 2;
    if (draw(seed, 2) || !clean)
        txn_abort(b->w, quiet ? txn_lanes(b->w) & noisy : some(seed, txn_lanes(b->w)) | noisy);
    else
        txn_commit(b->w, some(seed, clean));
}

static void run_stepped(const char *ptx, uint32_t threads, uint32_t warp_size, uint64_t seed, struct outcome *o)
{
    struct bench b;
    uint32_t attempt = 0;
    uint64_t noisy = 0;
    bench_open(&b, ptx, threads, warp_size);
    b.gpu.launch.tm_serial = seed % 5 == 0;
    o->aborts = 0;
    for (long n = 0; b.w->state != WARP_DONE; n++) {
        uint64_t waited = txn_waiting(b.w);
        assert_true(n < 4000000);
        if (b.w->state == WARP_TX)
            decide(&b, &seed, noisy);
        else if (txn_lanes(b.w) && draw(&seed, 40) == 0 && txn_attempt(b.w) % QUIET_AFTER < QUIET_AFTER / 2)
            txn_abort(b.w, some(&seed, txn_lanes(b.w)));
        else if (bench_step(&b) == STEP_FAULT)
            fail_msg("%s\n%s", b.worker[0].fault->text, ptx);
        o->aborts += (uint64_t)__builtin_popcountll(txn_waiting(b.w) & ~waited);
        if (txn_attempt(b.w) != attempt)
            noisy = make_noise(&b, &seed, txn_lanes(b.w));
        attempt = txn_attempt(b.w);
        if (!txn_lanes(b.w))
            for (uint32_t i = 0; i < threads; i++)
                *word(&b, i, 0) = 0;
    }
    memcpy(o->memory, b.in, sizeof o->memory);
    o->transactions = b.worker[0].count[STAT_TRANSACTIONS];
    bench_close(&b);
}

static void test_random(void **state)
{
    static struct outcome want, counted, got;
    uint64_t aborts = 0, transactions = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        uint32_t warp_size = seed % 2 ? 32 : 64, threads = seed % 3 ? warp_size : warp_size - 5;
        char *plain = program(seed, false), *ptx = program(seed, true);
        run_functional(plain, threads, warp_size, &want);
        run_functional(ptx, threads, warp_size, &counted);
        run_stepped(ptx, threads, warp_size, seed, &got);
        for (unsigned i = 0; i < sizeof want.memory; i++)
            if (want.memory[i] != got.memory[i])
                fail_msg("program %u: thread %u, byte %u: %u, not %u\n%s", (unsigned)seed, i / 256, i % 256,
                         got.memory[i], want.memory[i], ptx);
        assert_int_equal(got.transactions, counted.transactions);
        aborts += got.aborts;
        transactions += got.transactions;
        free(plain);
        free(ptx);
    }
    assert_true(transactions > 10000);
    assert_true(aborts > transactions / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests_name("transactions of a warp: random programs", tests, NULL, NULL);
}
