/*
 * The SM core on its bench. What an instruction costs is the difference between a kernel with twenty of them and one
 * with ten, so start and end drop out and the number is exact.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/unit/timing/sm_rig.h"

enum { MEMORY = 100, STEPS = 10, TEXT_MAX = 1 << 16 };

static const struct rig_lsu memory = { .latency = MEMORY, .room = 64 };

/* Keys of a machine whose figures are easy to tell apart, then what a test changes. */
static const char *const plain_keys[] = {
    "core.schedulers", "1", "core.issue_interval", "1", "core.simd_width", "32", "core.sfu_width", "32", "core.sp", "1",
    "core.int", "1", "core.sfu", "1", "core.dp", "0", "core.perfect_fetch", "true", "latency.int_add", "7",
    "latency.logic", "7", "latency.fp_add", "9", "latency.int_mul", "11", "latency.ctrl", "5", "latency.sfu", "20", NULL
};

static void set_keys(struct sm_rig *r, const char *const *keys)
{
    for (size_t i = 0; keys && keys[i]; i += 2)
        sm_rig_set(r, keys[i], keys[i + 1]);
}

static void make_text(char *text, const char *body, int times)
{
    int n = sprintf(
        text,
        ".version 7.8\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{ .reg .b32 %%r<20>; .reg .f32 %%f<20>; .reg .b64 %%rd<9>; .reg .pred %%p<4>; .shared .b32 sh[32];\n"
        "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, 1; mov.u32 %%r2, 2; mov.f32 %%f1, 0f3f800000; mov.u32 %%r3, 0;\n"
        "cvt.u64.u32 %%rd2, %%r3; st.global.u64 [%%rd1+8], %%rd2; membar.gl; bar.sync 0;\n");
    for (int i = 0; i < times; i++)
        n += sprintf(text + n, "%s\n", body);
    sprintf(
        text + n,
        "membar.gl; bar.sync 0; add.u64 %%rd1, %%rd1, %%rd2; add.u32 %%r1, %%r1, %%r2; st.global.u32 [%%rd1], %%r1;\n"
        "add.f32 %%f1, %%f1, %%f2; st.global.f32 [%%rd1+4], %%f1; ret; }\n");
}

static void open_body(struct sm_rig *r, const char *body, int times, uint32_t threads, const char *const *keys,
                      const struct rig_lsu *lsu)
{
    char *text = malloc(TEXT_MAX);
    assert_non_null(text);
    make_text(text, body, times);
    sm_rig_open(r, text, &(struct step_shape){ .grid = 1, .block = threads, .warp_size = 32 });
    free(text);
    uint64_t out = (uint64_t)(uintptr_t)step_gpu_alloc(&r->gpu, 4096);
    memcpy(r->gpu.param, &out, sizeof out);
    set_keys(r, plain_keys);
    set_keys(r, keys);
    sm_rig_build(r, lsu);
}

static uint64_t cycles_of(const char *body, int times, uint32_t threads, const char *const *keys,
                          const struct rig_lsu *lsu)
{
    struct sm_rig r;
    open_body(&r, body, times, threads, keys, lsu);
    uint64_t n = sm_rig_run(&r, 1000000);
    assert_int_equal(r.grid.done, 1);
    sm_rig_close(&r);
    return n;
}

/* Core cycles of ten repetitions of the body by a block of this many threads. */
static uint64_t cost(const char *body, uint32_t threads, const char *const *keys, const struct rig_lsu *lsu)
{
    return cycles_of(body, 2 * STEPS, threads, keys, lsu) - cycles_of(body, STEPS, threads, keys, lsu);
}

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define COST(body, threads, ...) cost(body, threads, KEYS(__VA_ARGS__), &memory)
#define NONE "core.issue", "1"

/* Independent ones: twelve on INT, ten on SP. */
#define IADDS                                                                                                 \
    "add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2; add.u32 %r6, %r1, %r2; add.u32 %r7, %r1, %r2;"             \
    "add.u32 %r8, %r1, %r2; add.u32 %r9, %r1, %r2; add.u32 %r10, %r1, %r2; add.u32 %r11, %r1, %r2;"           \
    "add.u32 %r12, %r1, %r2; add.u32 %r13, %r1, %r2; add.u32 %r14, %r1, %r2; add.u32 %r15, %r1, %r2;"
#define FADDS                                                                                                 \
    "add.f32 %f4, %f1, %f1; add.f32 %f5, %f1, %f1; add.f32 %f6, %f1, %f1; add.f32 %f7, %f1, %f1;"             \
    "add.f32 %f8, %f1, %f1; add.f32 %f9, %f1, %f1; add.f32 %f10, %f1, %f1; add.f32 %f11, %f1, %f1;"           \
    "add.f32 %f12, %f1, %f1; add.f32 %f13, %f1, %f1;"

/* ---- latency, interval, width ---- */

static void test_latency(void **state)
{
    (void)state;
    assert_int_equal(COST("add.u32 %r1, %r1, %r2;", 32, NONE), STEPS * 7);
    assert_int_equal(COST("add.f32 %f1, %f1, %f1;", 32, NONE), STEPS * 9);
    assert_int_equal(COST("mul.lo.u32 %r1, %r1, %r2;", 32, NONE), STEPS * 11);
    assert_int_equal(COST("sin.approx.f32 %f1, %f1;", 32, NONE), STEPS * 20);
    assert_int_equal(COST("setp.eq.u32 %p1, %r1, 0; @%p1 add.u32 %r1, %r1, 1;", 32, NONE), STEPS * 14);
    assert_int_equal(COST("add.cc.u32 %r4, %r2, %r2; addc.u32 %r5, %r2, %r2;", 32, NONE), STEPS * (7 + 1));
}

/* A result may not overtake an earlier one of the same register. */
static void test_write_after_write(void **state)
{
    (void)state;
    assert_int_equal(COST("mul.lo.u32 %r4, %r2, %r2; add.u32 %r4, %r2, %r2;", 32, NONE), STEPS * (11 + 7));
    assert_int_equal(COST("add.u32 %r4, %r5, %r2; mov.u32 %r5, 3;", 32, NONE), STEPS * (1 + 7));
}

static void test_width(void **state)
{
    (void)state;
    assert_int_equal(COST("add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2; add.u32 %r6, %r1, %r2; add.u32 %r7, %r1, %r2;"
                          "add.u32 %r8, %r1, %r2; add.u32 %r9, %r1, %r2; add.u32 %r10, %r1, %r2;",
                          32, NONE),
                     STEPS * 7);
    assert_int_equal(COST("add.u32 %r1, %r1, %r2;", 32, "core.simd_width", "8"), STEPS * (7 + 3));
    assert_int_equal(
        COST("add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2; add.u32 %r6, %r1, %r2;", 32, "core.simd_width", "8"),
        STEPS * 3 * 4);
    assert_int_equal(COST("mul.lo.u32 %r4, %r1, %r2; mul.lo.u32 %r5, %r1, %r2;", 256, "interval.int_mul", "3",
                          "core.simd_width", "16"),
                     STEPS * 2 * 8 * 6);
    assert_int_equal(COST("sin.approx.f32 %f4, %f1; sin.approx.f32 %f5, %f1;", 128, "core.sfu_width", "4"),
                     STEPS * 2 * 4 * 8);
}

/* One scheduler and 8 lanes: a warp instruction every 4 cycles, of any kind, never more and with independent ones
 * never less. */
static void test_peak(void **state)
{
    (void)state;
    const char *const keys[] = { "core.simd_width", "8", "core.issue_interval", "0", "core.int", "0", NULL };
    assert_int_equal(cost("add.u32 %r4, %r1, %r2; add.f32 %f4, %f1, %f1;", 256, keys, &memory), STEPS * 2 * 8 * 4);
    assert_int_equal(
        cost("sin.approx.f32 %f4, %f1; add.u32 %r4, %r1, %r2; st.shared.u32 [sh], %r1;", 256, keys, &memory),
        STEPS * 3 * 8 * 4);
    struct sm_rig r;
    open_body(&r, "add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2;", 500, 512, keys, &memory);
    uint64_t n = sm_rig_run(&r, 1000000), lanes = r.gpu.count[STAT_THREAD_INSTRUCTIONS];
    assert_true(lanes <= 8 * n && lanes * 100 > 8 * n * 99);
    uint64_t width = r.count[STAT_STALL_ISSUE_WIDTH], most = 3 * r.count[STAT_ISSUED_SLOTS];
    assert_true(width <= most && width + 3 >= most);
    sm_rig_close(&r);
}

/* ---- guards ---- */

#define GUARD "core.guard_latency", "8"

/* Guards and branches read a predicate 8 cycles later than selp and setp do; of two writes the later one counts. */
static void test_guard_latency(void **state)
{
    (void)state;
    assert_int_equal(COST("setp.eq.u32 %p1, %r1, 0; @%p1 add.u32 %r1, %r1, 1;", 32, GUARD), STEPS * (7 + 8 + 7));
    assert_int_equal(COST("setp.eq.u32 %p1, %r1, 0; @!%p1 mov.u32 %r4, 1; add.u32 %r1, %r4, 1;", 32, GUARD),
                     STEPS * (7 + 8 + 7 + 7));
    assert_int_equal(COST("{ setp.eq.u32 %p1, %r1, 0; @%p1 bra L; L: add.u32 %r1, %r1, 1; }", 32, GUARD),
                     STEPS * (7 + 8 + 5 + 7));
    assert_int_equal(COST("setp.eq.u32 %p1, %r1, 0; selp.u32 %r1, %r1, %r2, %p1;", 32, GUARD), STEPS * (7 + 7));
    assert_int_equal(COST("setp.eq.and.u32 %p1, %r1, 0, %p2; and.pred %p2, %p1, %p1;", 32, GUARD), STEPS * (7 + 7));
    assert_int_equal(COST("setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p1, %r2, 0; @%p1 add.u32 %r1, %r1, 1;", 32, GUARD),
                     STEPS * (7 + 7 + 8 + 7));
    assert_int_equal(COST("setp.eq.u32 %p1|%p2, %r1, 0; @%p2 add.u32 %r1, %r1, 1;", 32, GUARD), STEPS * (7 + 8 + 7));
    assert_int_equal(COST("setp.eq.u32 %p1, %r1, 0; @%p3 add.u32 %r4, %r2, 1; mov.u32 %r1, 0;", 32, GUARD),
                     STEPS * (1 + 1 + 7));
}

/* ---- units, schedulers, dual issue ---- */

static void test_units(void **state)
{
    (void)state;
    assert_int_equal(COST(FADDS, 64, "core.schedulers", "2"), STEPS * 20);
    assert_int_equal(COST(FADDS, 64, "core.schedulers", "2", "core.sp", "2"), STEPS * 10);
    assert_int_equal(COST(FADDS, 32, "core.schedulers", "2", "core.sp", "2", "core.simd_width", "16"), STEPS * 10);
    assert_int_equal(
        COST(FADDS, 32, "core.schedulers", "2", "core.sp", "2", "core.simd_width", "16", "core.pinned", "true"),
        STEPS * 20);
}

static void test_dual_issue(void **state)
{
    (void)state;
    const char *mixed =
        "add.f32 %f4, %f1, %f1; add.u32 %r4, %r1, %r2; add.f32 %f5, %f1, %f1; add.u32 %r5, %r1, %r2;"
        "add.f32 %f6, %f1, %f1; add.u32 %r6, %r1, %r2; add.f32 %f7, %f1, %f1; add.u32 %r7, %r1, %r2;"
        "add.f32 %f8, %f1, %f1; add.u32 %r8, %r1, %r2; add.f32 %f9, %f1, %f1; add.u32 %r9, %r1, %r2;"
        "add.f32 %f10, %f1, %f1; add.u32 %r10, %r1, %r2; add.f32 %f11, %f1, %f1; add.u32 %r11, %r1, %r2;"
        "add.f32 %f12, %f1, %f1; add.u32 %r12, %r1, %r2;";
    assert_int_equal(COST(mixed, 32, NONE), STEPS * 18);
    assert_int_equal(COST(mixed, 32, "core.issue", "2"), STEPS * 9);
    assert_int_equal(COST(IADDS IADDS, 32, "core.issue", "2", "core.int", "2"), STEPS * 24);
    assert_int_equal(COST(IADDS IADDS, 32, "core.issue", "2", "core.int", "2", "core.dual_different", "false"),
                     STEPS * 14);
    assert_int_equal(COST("add.u32 %r1, %r1, %r2; add.f32 %f1, %f1, %f1;", 32, "core.issue", "2"), STEPS * 9);
}

/* Two schedulers compete for one pipeline: they get it alternately. */
/* ---- sequences of machine instructions ---- */

#define DIV "div.rn.f32 %f3, %f3, %f2;"
#define DIVS "latency.fp_div", "40", "interval.fp_div", "1", "slots.fp_div", "10"

/* Ten slots, four cycles apart. The result comes after the latency; a scheduler issues one division every ten cycles;
 * what else it issues has the other slots. */
static void test_sequence(void **state)
{
    (void)state;
    assert_int_equal(COST(DIV, 32, DIVS), STEPS * 40);
    assert_int_equal(COST(DIV, 128, DIVS), STEPS * 40);
    assert_int_equal(COST(DIV, 256, DIVS), STEPS * 8 * 10);
    assert_int_equal(COST(DIV, 256, DIVS, "core.schedulers", "2", "core.sfu", "2"), STEPS * 4 * 10);
    assert_int_equal(COST(DIV, 256, DIVS, "core.issue_interval", "2"), STEPS * 8 * 20);
    assert_int_equal(COST(DIV IADDS, 32, DIVS), STEPS * 40);
    assert_int_equal(COST(DIV IADDS IADDS FADDS, 32, DIVS), STEPS * (1 + 12 + 12 + 10 + 9));
    assert_int_equal(COST(DIV IADDS IADDS FADDS, 256, DIVS), STEPS * 8 * (1 + 12 + 12 + 10 + 9));
    assert_int_equal(COST(DIV, 32, DIVS, "slots.fp_div", "60"), STEPS * 60);
    assert_int_equal(COST(DIV, 256, DIVS, "slots.fp_div", "1"), STEPS * 40);
    assert_int_equal(COST(DIV, 32, DIVS, "core.stages", "6", "slots.fp_div", "46"), STEPS * 46);
}

/* Each kind by its key, and what is no sequence. A slot more than any latency makes the key visible. */
static void test_sequence_kinds(void **state)
{
    static const struct { const char *key, *body; uint32_t cycles; } kinds[] = {
        { "slots.int_div", "div.s32 %r4, %r5, %r2;", 200 },       { "slots.int_div", "rem.u32 %r4, %r5, %r2;", 200 },
        { "slots.int_div", "div.u64 %rd4, %rd4, %rd5;", 145 },
        { "slots.long_div", "div.u64 %rd4, %rd4, %rd5;", 200 },
        { "slots.long_div", "rem.s64 %rd4, %rd4, %rd5;", 200 },   { "slots.long_div", "div.u32 %r4, %r4, %r2;", 145 },
        { "slots.long_mul", "mul.lo.s64 %rd4, %rd4, %rd5;", 200 },
        { "slots.long_mul", "mad.lo.u64 %rd4, %rd4, %rd5, %rd6;", 200 },
        { "slots.long_mul", "mul.wide.u32 %rd4, %r4, %r5; cvt.u32.u64 %r4, %rd4;", 18 },
        { "slots.long_mul", "mul.hi.u64 %rd4, %rd4, %rd5;", 11 }, { "slots.long_mul", "mul.lo.u32 %r4, %r4, %r5;", 11 },
        { "slots.long_mul_hi", "mul.hi.u64 %rd4, %rd4, %rd5;", 200 },
        { "slots.fp_div", "div.rn.ftz.f32 %f4, %f4, %f2;", 200 }, { "slots.fp_div", "div.full.f32 %f4, %f4, %f2;", 20 },
        { "slots.fp_rcp", "rcp.rz.f32 %f4, %f4;", 200 },          { "slots.fp_rcp", "rcp.approx.f32 %f4, %f4;", 20 },
        { "slots.fp_sqrt", "sqrt.rn.f32 %f4, %f4;", 200 },        { "slots.fp_sqrt", "sqrt.approx.f32 %f4, %f4;", 20 },
        { "slots.full_div", "div.full.f32 %f4, %f4, %f2;", 200 },
        { "slots.approx_div", "div.approx.f32 %f4, %f4, %f2;", 200 },
        { "slots.approx_div", "div.approx.ftz.f32 %f4, %f4, %f2;", 20 },
        { "slots.approx_rcp", "rcp.approx.f32 %f4, %f4;", 200 },
        { "slots.approx_rcp", "rcp.approx.ftz.f32 %f4, %f4;", 20 },
        { "slots.approx", "sqrt.approx.f32 %f4, %f4;", 200 },     { "slots.approx", "rsqrt.approx.f32 %f4, %f4;", 200 },
        { "slots.approx", "ex2.approx.f32 %f4, %f4;", 200 },      { "slots.approx", "lg2.approx.f32 %f4, %f4;", 200 },
        { "slots.approx", "ex2.approx.ftz.f32 %f4, %f4;", 20 },   { "slots.approx", "sin.approx.f32 %f4, %f4;", 20 },
        { "slots.scaled", "sin.approx.f32 %f4, %f4;", 200 },
        { "slots.scaled", "cos.approx.ftz.f32 %f4, %f4;", 200 },
        { "slots.scaled", "div.approx.ftz.f32 %f4, %f4, %f2;", 200 },
        { "slots.dp_div", "div.rn.f64 %rd4, %rd4, %rd5;", 200 },  { "slots.dp_div", "rcp.rn.f64 %rd4, %rd4;", 130 },
        { "slots.dp_rcp", "rcp.rn.f64 %rd4, %rd4;", 200 },        { "slots.dp_rcp", "sqrt.rn.f64 %rd4, %rd4;", 130 },
        { "slots.dp_rcp", "rcp.approx.ftz.f64 %rd4, %rd4;", 130 },
        { "slots.dp_sqrt", "sqrt.rn.f64 %rd4, %rd4;", 200 },      { "slots.fp_sqrt", "sqrt.rn.f64 %rd4, %rd4;", 130 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t cycles = COST(kinds[i].body, 32, kinds[i].key, "200", "interval.dp_div", "1", "interval.int_div", "1");
        if (cycles != STEPS * kinds[i].cycles)
            fail_msg("%s with %s: %llu cycles", kinds[i].body, kinds[i].key, (unsigned long long)cycles);
    }
}

/* The result of a sequence comes after its chain, where the key is set; otherwise after the latency of its class. */
static void test_chain(void **state)
{
    (void)state;
    assert_int_equal(COST("sin.approx.f32 %f1, %f1;", 32, "chain.scaled", "33"), STEPS * 33);
    assert_int_equal(COST("sin.approx.f32 %f1, %f1;", 32, "chain.scaled", "33", "core.sfu_width", "8"),
                     STEPS * (33 + 3));
    assert_int_equal(COST("sin.approx.f32 %f1, %f1;", 32, "chain.approx", "33"), STEPS * 20);
    assert_int_equal(COST("rsqrt.approx.f32 %f1, %f1;", 32, "chain.approx", "33"), STEPS * 33);
    assert_int_equal(COST("rsqrt.approx.ftz.f32 %f1, %f1;", 32, "chain.approx", "33"), STEPS * 20);
    assert_int_equal(COST(DIV, 32, DIVS, "chain.fp_div", "60"), STEPS * 60);
}

/* Counters and cycles are those of a run that visits every cycle. */
static void test_sequence_walk(void **state)
{
    static uint64_t count[STAT_END];
    struct sm_rig r;
    (void)state;
    for (int walk = 0; walk < 2; walk++) {
        open_body(&r, DIV "ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r5, 1;" IADDS DIV FADDS, STEPS, 256,
                  KEYS(DIVS, "core.issue_interval", "2"), &memory);
        r.walk = walk;
        sm_rig_run(&r, 1000000);
        if (walk)
            assert_memory_equal(count, r.count, sizeof count);
        memcpy(count, r.count, sizeof count);
        sm_rig_close(&r);
    }
}

static void test_fair(void **state)
{
    (void)state;
    struct sm_rig r;
    open_body(&r, "sin.approx.f32 %f4, %f1; sin.approx.f32 %f5, %f1; sin.approx.f32 %f6, %f1; sin.approx.f32 %f7, %f1;",
              200, 64, KEYS("core.schedulers", "2", "core.sfu_width", "16"), &memory);
    sm_rig_run(&r, 700);
    assert_true(sm_warp(r.sm, 0) && sm_warp(r.sm, 1));
    uint64_t a = sm_warp(r.sm, 0)->executed, b = sm_warp(r.sm, 1)->executed;
    assert_true(a > 100 && (a > b ? a - b : b - a) <= 2);
    sm_rig_close(&r);
}

/* ---- memory and order ---- */

static void test_memory(void **state)
{
    (void)state;
    const char *chase = "ld.global.u32 %r3, [%rd1]; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;";
    const char *many =
        "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1]; ld.global.u32 %r6, [%rd1]; ld.global.u32 %r7, [%rd1];";
    assert_int_equal(COST(chase, 32, NONE), STEPS * (MEMORY + 7 + 7));
    assert_int_equal(COST(many, 32, NONE), STEPS * MEMORY);
    assert_int_equal(cost(many, 32, NULL, &(struct rig_lsu){ .latency = MEMORY, .room = 1 }), STEPS * 4 * MEMORY);
    assert_int_equal(COST("@%p1 ld.global.u32 %r4, [%rd1];", 32, NONE), STEPS);
    assert_int_equal(COST("ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1]; add.u32 %r8, %r7, %r7;", 32, NONE),
                     STEPS * (MEMORY + 1));
    assert_int_equal(COST("atom.global.add.u32 %r4, [%rd1], %r2; add.u32 %r8, %r4, %r4;", 32, NONE),
                     STEPS * (MEMORY + 1));
    assert_int_equal(COST("red.global.add.u32 [%rd1], %r2;", 32, NONE), STEPS);
    assert_int_equal(COST("ld.shared.u32 %r4, [sh]; add.u32 %r1, %r4, %r1;", 32, NONE), STEPS * (MEMORY + 1));
}

/* Stages are added to the latency of what has a result: of memory instructions and of arithmetic apart. */
static void test_stages(void **state)
{
    (void)state;
    const char *chase = "ld.global.u32 %r3, [%rd1]; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;";
    assert_int_equal(COST(chase, 32, "core.stages", "3"), STEPS * (MEMORY + 3 + 2 * (7 + 3)));
    assert_int_equal(COST(chase, 32, "core.stages", "3", "core.mem_stages", "1"), STEPS * (MEMORY + 1 + 2 * (7 + 3)));
    assert_int_equal(COST(chase, 32, "core.stages", "0", "core.mem_stages", "4"), STEPS * (MEMORY + 4 + 2 * 7));
}

static void test_atomic_stops(void **state)
{
    (void)state;
#define STOPS "core.atomic_stops", "true"
    const char *free = "atom.global.add.u32 %r4, [%rd1], %r2; add.u32 %r8, %r2, %r2;";
    assert_int_equal(COST(free, 32, STOPS), STEPS * (MEMORY + 1));
    assert_int_equal(COST(free, 32, NONE), STEPS * MEMORY);
    assert_int_equal(COST("red.global.add.u32 [%rd1], %r2;", 32, STOPS), STEPS);
    assert_int_equal(COST(free, 64, STOPS), STEPS * (MEMORY + 1));           /* each warp waits for its own */
}

/* One instruction of a warp in the front end: independent ones follow each other after core.refetch cycles. */
static void test_refetch(void **state)
{
    (void)state;
#define REFETCH "core.refetch", "8", "core.refetch_shared", "9"
    const char *adds = "add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2;";
    assert_int_equal(COST(adds, 32, NONE), STEPS * 7);               /* the next ones write the same registers */
    assert_int_equal(COST(adds, 32, REFETCH), STEPS * 2 * 8);
    assert_int_equal(COST("mul.lo.u32 %r1, %r1, %r2;", 32, REFETCH), STEPS * 11);    /* its result takes longer */
    assert_int_equal(COST("st.global.u32 [%rd1], %r1;", 32, REFETCH), STEPS * 8);
    assert_int_equal(COST("ld.shared.u32 %r4, [sh];", 32, NONE), STEPS * MEMORY);
    assert_int_equal(COST("ld.shared.u32 %r4, [sh]; add.u32 %r5, %r1, %r2;", 32, REFETCH), STEPS * (MEMORY + 9 + 8));
    assert_int_equal(COST("{ bra L; L: }", 32, REFETCH), STEPS * 5);
}

/* Two warps, of which one needs an arithmetic and the other a memory pipeline, issue in one cycle. */
static void test_issue_kinds(void **state)
{
    (void)state;
#define SLOW "core.issue_interval", "4"
    const char *both = "add.u32 %r4, %r1, %r2; st.global.u32 [%rd1], %r1;";
    assert_int_equal(COST(both, 64, SLOW), STEPS * 2 * 2 * 4);
    assert_int_equal(COST(both, 64, SLOW, "core.issue_kinds", "true"), STEPS * 2 * 4);
    assert_int_equal(COST(both, 32, SLOW, "core.issue_kinds", "true"), STEPS * 2 * 4);       /* one warp: one a cycle */
    assert_int_equal(COST("add.u32 %r4, %r1, %r2; add.f32 %f4, %f1, %f1;", 64, SLOW, "core.issue_kinds", "true"),
                     STEPS * 2 * 2 * 4);                                                     /* both are arithmetic */
}

/* What scalar instructions for the mask add to a body. */
static uint64_t mask_adds(const char *body)
{
    return COST(body, 32, "core.exec_mask", "true", "core.refetch", "7") - COST(body, 32, "core.refetch", "7");
}

/* More branches with one point of reconvergence than a byte counts. */
static uint64_t many_branches_add(int n)
{
    char body[8192];
    int k = sprintf(body, "{ mov.u32 %%r4, %%tid.x; setp.eq.u32 %%p1, %%r4, 99; ");
    for (int i = 0; i < n; i++)
        k += sprintf(body + k, "@%%p1 bra J;");
    sprintf(body + k, "add.u32 %%r5, %%r1, %%r2; J: }");
    return mask_adds(body);
}

static void test_exec_mask(void **state)
{
    (void)state;
#define CTRL 5
#define VARYING "mov.u32 %r4, %tid.x; "
#define SIDES "; @!%p1 bra E; add.u32 %r5, %r1, %r2; bra J; E: add.u32 %r5, %r2, %r2; J: }"
    const char *loop = "{ " VARYING "L: add.u32 %r4, %r4, 32; setp.lt.u32 %p1, %r4, 64; @%p1 bra L; }";
    assert_int_equal(mask_adds("{ setp.lt.u32 %p1, %r1, 32; @!%p1 bra J; add.u32 %r5, %r1, %r2; J: }"), 0);
    assert_int_equal(mask_adds("{ " VARYING "setp.lt.u32 %p1, %r4, 32; @!%p1 bra J; add.u32 %r5, %r1, %r2; J: }"),
                     STEPS * (2 + 1) * CTRL);
    assert_int_equal(mask_adds("{ ld.shared.u32 %r4, [sh]; setp.ne.u32 %p1, %r4, 99; @!%p1 bra J; "
                               "add.u32 %r5, %r1, %r2; J: }"), STEPS * (2 + 1) * CTRL);
    assert_int_equal(mask_adds("{ " VARYING "setp.lt.u32 %p1, %r4, 16" SIDES), STEPS * (2 + 1 + 1) * CTRL);
    assert_int_equal(mask_adds("{ " VARYING "setp.lt.u32 %p1, %r4, 32" SIDES), STEPS * (2 + 1) * CTRL); /* one side */
    assert_int_equal(mask_adds(loop), STEPS * (2 * 2 + 1) * CTRL);       /* two iterations */
    assert_int_equal(many_branches_add(260), STEPS * 260 * (2 + 1) * CTRL);
}

static void test_order(void **state)
{
    (void)state;
    assert_int_equal(COST("st.global.u32 [%rd1], %r1;", 32, NONE), STEPS);
    assert_int_equal(COST("st.global.u32 [%rd1], %r1; membar.gl;", 32, NONE), STEPS * (MEMORY + 1));
    assert_int_equal(COST("st.global.u32 [%rd1], %r1; membar.cta;", 32, NONE), STEPS * (MEMORY + 1));
    assert_int_equal(COST("ld.global.u32 %r4, [%rd1]; fence.acq_rel.gpu;", 32, NONE), STEPS * (MEMORY + 1));
    assert_int_equal(COST("st.shared.u32 [sh], %r1; membar.gl;", 32, NONE), STEPS * 2);
    assert_int_equal(COST("st.release.gpu.global.u32 [%rd1], %r1;", 32, NONE), STEPS * MEMORY);
    assert_int_equal(
        COST("ld.acquire.gpu.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r2, %r2;", 32, NONE),
        STEPS * (MEMORY + 2));
    assert_int_equal(COST("red.release.gpu.global.add.u32 [%rd1], %r1;", 32, NONE), STEPS * MEMORY);
    assert_int_equal(COST("st.global.u32 [%rd1], %r1; bar.sync 0;", 32, NONE), STEPS * (MEMORY + 5));
    assert_int_equal(COST("st.global.u32 [%rd1], %r1; bar.sync 0;", 32, "order.policy", "rmo-no-drain"),
                     STEPS * (1 + 5));
}

/* ---- control ---- */

static void test_control(void **state)
{
    (void)state;
    const char *const fetch[] = { "core.perfect_fetch", "false", "core.fetch_latency", "3", NULL };
    assert_int_equal(COST("{ bra L; L: }", 32, NONE), STEPS * 5);
    assert_int_equal(COST("{ bra L; add.u32 %r4, %r2, %r2; L: }", 32, NONE), STEPS * 5);
    assert_int_equal(cost("{ bra L; " IADDS
                          " add.u32 %r4, %r2, %r2; add.u32 %r4, %r2, %r2; add.u32 %r4, %r2, %r2; L: }",
                          32, fetch, &memory),
                     STEPS * (5 + 3));
    assert_int_equal(COST("bar.sync 0;", 32, NONE), STEPS * 5);
    assert_int_equal(COST("bar.sync 0;", 64, NONE), STEPS * (1 + 5));
    assert_int_equal(COST("bar.sync 0;", 256, "core.schedulers", "2"), STEPS * (3 + 5));
    assert_int_equal(COST("bar.warp.sync -1;", 32, NONE), STEPS);
    assert_int_equal(COST("nanosleep.u32 1000;", 32, "gpu.core_mhz", "1500"), STEPS * 1501);
}

static void test_fetch(void **state)
{
    (void)state;
    const char *body = "add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2; add.u32 %r6, %r1, %r2; add.u32 %r7, %r1, %r2;"
                       "add.u32 %r8, %r1, %r2; add.u32 %r9, %r1, %r2; add.u32 %r10, %r1, %r2; add.u32 %r11, %r1, %r2;";
#define FETCH "core.perfect_fetch", "false", "core.fetch_latency"
    assert_int_equal(COST(body, 32, FETCH, "1", "core.fetch_width", "1", "core.ibuffer", "1"), STEPS * 8);
    assert_int_equal(COST(body, 32, FETCH, "3", "core.fetch_width", "1", "core.ibuffer", "1"), STEPS * 8 * 3);
    assert_int_equal(COST(body, 32, FETCH, "3", "core.fetch_width", "2", "core.ibuffer", "2"), STEPS * 8 / 2 * 4);
    assert_int_equal(COST(body, 32, FETCH, "3", "core.fetch_width", "2", "core.ibuffer", "8"), STEPS * 8);
    assert_int_equal(COST(body, 128, FETCH, "1", "core.fetch_width", "1", "core.ibuffer", "2", "core.schedulers", "4",
                          "core.int", "4", "core.fetches", "2"),
                     STEPS * 8 * 2);
    /* sixteen instructions of 8 bytes a line */
    const struct rig_lsu cold = { .latency = MEMORY, .room = 64, .line_miss = 200 };
    assert_int_equal(cost(body, 32, KEYS("core.perfect_fetch", "false", "core.ibuffer", "2"), &cold),
                     STEPS * 8 / 16 * (200 + 16));
}

/* A jump over instructions: their fetch begins before the scheduler sees that they are wrong. */
static void test_fetch_past_branch(void **state)
{
    (void)state;
#define PAST "core.fetch_past_branch", "true", "core.perfect_fetch", "false", "core.ibuffer", "2", "core.fetch_latency"
#define WAIT "core.fetch_past_branch", "false", "core.perfect_fetch", "false", "core.ibuffer", "2", "core.fetch_latency"
#define STORE "st.global.u32 [%rd1], %r1; "
    const char *jump = "{ bra L; " STORE STORE STORE "L: " STORE "}", *straight = STORE STORE STORE;
    assert_int_equal(COST(straight, 32, PAST, "2"), COST(straight, 32, WAIT, "2"));
    for (unsigned latency = 1; latency <= 4; latency++) {
        char text[2] = { (char)('0' + latency) };
        uint64_t past = COST(jump, 32, PAST, text, "latency.ctrl", "1");
        uint64_t wait = COST(jump, 32, WAIT, text, "latency.ctrl", "1");
        assert_in_range(past, wait + (latency > 1), wait + STEPS * latency);
    }
    struct sm_rig r;
    open_body(&r, jump, 50, 256, KEYS(PAST, "2", "core.schedulers", "2", "core.fetches", "1"), &memory);
    sm_rig_run(&r, 100000);
    assert_int_equal(r.grid.done, 1);
    sm_rig_close(&r);
    open_body(&r, jump, 50, 256, KEYS(PAST, "2", "core.policy", "ready_first", "core.schedulers", "2"), &memory);
    sm_rig_run(&r, 100000);
    assert_int_equal(r.grid.done, 1);
    sm_rig_close(&r);
}

static void test_collector(void **state)
{
    (void)state;
#define COLLECTOR "core.collector", "true", "core.register_banks"
    assert_int_equal(COST(IADDS, 32, COLLECTOR, "16"), STEPS * 12);
    assert_int_equal(COST(IADDS, 32, COLLECTOR, "1"), STEPS * 24);
    assert_int_equal(COST(IADDS, 32, COLLECTOR, "16", "core.collectors", "1"), STEPS * 12);
    assert_int_equal(COST("add.u32 %r1, %r1, %r2;", 32, COLLECTOR, "16"), STEPS * (7 + 1));
    assert_int_equal(COST("st.global.u32 [%rd1], %r1; membar.gl;", 32, COLLECTOR, "16"), STEPS * (MEMORY + 2));
    struct sm_rig r;
    open_body(&r, IADDS, 10, 32, KEYS(COLLECTOR, "1", "core.collectors", "4"), &memory);
    sm_rig_run(&r, 100000);
    assert_true(r.count[STAT_BANK_CONFLICTS] > 120 && r.count[STAT_STALL_COLLECTOR] > 50);
    sm_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency), cmocka_unit_test(test_write_after_write),
        cmocka_unit_test(test_width),   cmocka_unit_test(test_peak),
        cmocka_unit_test(test_units),   cmocka_unit_test(test_dual_issue),
        cmocka_unit_test(test_fair),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_sequence), cmocka_unit_test(test_sequence_kinds),
        cmocka_unit_test(test_guard_latency), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_sequence_walk),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_control),
        cmocka_unit_test(test_fetch),   cmocka_unit_test(test_collector),
        cmocka_unit_test(test_stages),  cmocka_unit_test(test_atomic_stops),
        cmocka_unit_test(test_fetch_past_branch),
        cmocka_unit_test(test_refetch), cmocka_unit_test(test_issue_kinds),
        cmocka_unit_test(test_exec_mask),
    };
    return _cmocka_run_group_tests("sm", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
