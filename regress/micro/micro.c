/*
 * What the machine's parts cost, against what the configuration promises: latency of every class, issue and pipeline
 * rates, pointer chases through L1, L2 and DRAM, bank conflicts, atomics, barriers, divergence, and streaming
 * bandwidth. One function a figure; a figure is the difference of two runs that differ only in the number of
 * repetitions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/micro/harness.h"

static int passed, failed;
static bool verbose;

static void check(const char *what, double got, double low, double high)
{
    bool ok = got >= low - 1e-9 && got <= high + 1e-9;
    passed += ok;
    failed += !ok;
    if (!ok || verbose) {
        printf("%s  %-58s %10.3f", ok ? "ok    " : "FAILED", what, got);
        printf(low == high ? "  expected %.3f\n" : "  expected %.3f to %.3f\n", low, high);
    }
}

static double cycles(struct text *t, struct shape s, uint64_t bytes, void (*fill)(char *, uint64_t),
                     const char *const *settings)
{
    struct run r = run_kernel(t, s, bytes, fill, settings);
    if (r.message) {
        printf("FAILED  %s\n", r.message);
        failed++;
    }
    double c = r.cycles;
    run_end(&r);
    return c;
}

typedef struct text *maker(unsigned repeats, const char *arg);

/* Cycles that one more repetition costs. */
static double each(maker *make, const char *arg, unsigned few, unsigned many, struct shape s,
                   const char *const *settings)
{
    double a = cycles(make(few, arg), s, 1 << 20, NULL, settings),
           b = cycles(make(many, arg), s, 1 << 20, NULL, settings);
    return (b - a) / (many - few);
}

/* ---- latency: a chain in which every instruction needs the one before ---- */

static struct text *chain(unsigned n, const char *instruction)
{
    struct text *t = text_new();
    text_add(
        t,
        "    mov.u32 %%r0, %%me;\n    mov.u32 %%r1, 3;\n    mov.f32 %%f0, 0f3f800000;\n    mov.f32 %%f1, 0f3f800001;\n"
        "    mov.f64 %%d0, 0d3ff0000000000000;\n    mov.f64 %%d1, 0d3ff0000000000001;\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    %s\n", instruction);
    text_add(t, "    cvt.rn.f32.f64 %%f2, %%d0;\n    add.f32 %%f0, %%f0, %%f2;\n    st.global.f32 [%%out], %%f0;\n"
                "    st.global.u32 [%%out+4], %%r0;\n");
    return t;
}

static void test_latencies(void)
{
    static const struct { const char *instruction, *key; } rows[] = {
        { "add.s32 %r0, %r0, %r1;", "latency.int_add" },   { "xor.b32 %r0, %r0, %r1;", "latency.logic" },
        { "min.s32 %r0, %r0, %r1;", "latency.int_max" },   { "mul.lo.s32 %r0, %r0, %r1;", "latency.int_mul" },
        { "mad.lo.s32 %r0, %r0, %r1, %r1;", "latency.int_mad" }, { "div.s32 %r0, %r0, %r1;", "latency.int_div" },
        { "add.f32 %f0, %f0, %f1;", "latency.fp_add" },    { "max.f32 %f0, %f0, %f1;", "latency.fp_max" },
        { "mul.f32 %f0, %f0, %f1;", "latency.fp_mul" },    { "fma.rn.f32 %f0, %f0, %f1, %f1;", "latency.fp_mad" },
        { "div.rn.f32 %f0, %f0, %f1;", "latency.fp_div" }, { "add.f64 %d0, %d0, %d1;", "latency.dp_add" },
        { "mul.f64 %d0, %d0, %d1;", "latency.dp_mul" },    { "fma.rn.f64 %d0, %d0, %d1, %d1;", "latency.dp_mad" },
        { "div.rn.f64 %d0, %d0, %d1;", "latency.dp_div" }, { "sin.approx.f32 %f0, %f0;", "latency.sfu" },
        { "cvt.rn.f32.s32 %f0, %r0; cvt.rzi.s32.f32 %r0, %f0;", "latency.cvt" },
    };
    static const char *const wide[] = { "+gtx480", "core.perfect_fetch=true", "core.simd_width=32", "core.sfu_width=32",
                                        "core.dp_width=32", NULL };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double want = config_value(wide, rows[i].key) * (strstr(rows[i].instruction, "; c") ? 2 : 1);
        check(rows[i].instruction, each(chain, rows[i].instruction, 50, 150, (struct shape){ 1, 32 }, wide), want,
              want);
    }
}

/* ---- rates: independent instructions of many warps ---- */

static struct text *independent(unsigned n, const char *instruction)
{
    struct text *t = text_new();
    for (unsigned i = 0; i < n; i++)
        text_add(t, instruction, i % 32 + 16, i % 8);
    return t;
}

static void test_rates(void)
{
    static const char *const kilo[] = { "+quadro-fx5800", "core.perfect_fetch=true", NULL };
    static const char *const fermi[] = { "+gtx480", "core.perfect_fetch=true", NULL };
    const struct shape full = { 30, 512 };
    struct text *t = text_new();
    for (int i = 0; i < 4000; i++)
        text_add(t, "    add.s32 %%r%d, %%r%d, 1;\n", i % 32 + 16, i % 8);
    struct run r = run_kernel(t, full, 1 << 20, NULL, kilo);
    double ipc = run_stat(&r, "thread_instructions") / r.cycles;
    check("peak IPC of quadro-fx5800 (KILO TM paper, Table 1)", ipc, 0.97 * 240, 240);
    run_end(&r);
    double sfu = config_value(fermi, "core.sfu"), width = config_value(fermi, "core.sfu_width"),
           ii = config_value(fermi, "interval.sfu");
    double warps = 16, want = warps * ceil(32 / width) * ii / sfu;
    check("SFU: cycles for 16 warps' instruction each",
          each(independent, "    sin.approx.f32 %%f%u, %%f%u;\n", 100, 300, (struct shape){ 1, 512 }, fermi), want,
          want);
    double schedulers = config_value(fermi, "core.schedulers"), sp = config_value(fermi, "core.sp"),
           simd = config_value(fermi, "core.simd_width");
    double rate = fmin(schedulers, sp * simd / 32);
    check("SP: cycles for 16 warps' instruction each",
          each(independent, "    add.f32 %%f%u, %%f%u, %%f0;\n", 100, 300, (struct shape){ 1, 512 }, fermi), 16 / rate,
          16 / rate);
}

/* Four warps: on four SIMD units, or with core.block_on_one_scheduler on one for each block. */
static void test_block_on_one_scheduler(void)
{
    static const char *const spread[] = { "+southern-islands", "core.perfect_fetch=true", "core.issue_in_turn=false",
                                          "gpu.sms=1", NULL };
    static const char *const one[] = { "+southern-islands", "core.perfect_fetch=true", "core.issue_in_turn=false",
                                       "gpu.sms=1", "core.block_on_one_scheduler=true", NULL };
    static const char *add = "    add.f32 %%f%u, %%f%u, %%f0;\n";
    double pass = config_value(one, "gpu.warp_size") / config_value(one, "core.simd_width");
    check("a block of four warps, four SIMD units: cycles for an instruction of each",
          each(independent, add, 100, 300, (struct shape){ 1, 256 }, spread), pass, pass);
    check("the same, all warps on one SIMD unit", each(independent, add, 100, 300, (struct shape){ 1, 256 }, one),
          4 * pass, 4 * pass);
    check("four blocks of four warps, each block on its SIMD unit",
          each(independent, add, 100, 300, (struct shape){ 4, 256 }, one), 4 * pass, 4 * pass);
    check("five blocks of four warps, two of them on one SIMD unit",
          each(independent, add, 100, 300, (struct shape){ 5, 256 }, one), 8 * pass, 8 * pass);
}

static struct text *pairs(unsigned n, const char *unused)
{
    struct text *t = text_new();
    (void)unused;
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    add.f32 %%f%u, %%f%u, %%f0;\n    xor.b32 %%r%u, %%r%u, %%r1;\n", i % 32 + 16, i % 8,
                 i % 32 + 16, i % 8);
    return t;
}

static void test_dual_issue(void)
{
    static const char *const one[] = { "+gtx480",    "core.perfect_fetch=true", "core.simd_width=32", "core.sp=2",
                                       "core.int=2", "core.issue_interval=1",   "core.issue=1",       NULL };
    static const char *const two[] = { "+gtx480",    "core.perfect_fetch=true", "core.simd_width=32", "core.sp=2",
                                       "core.int=2", "core.issue_interval=1",   "core.issue=2",       NULL };
    check("pairs on SP and INT, single issue: cycles a pair of 16 warps",
          each(pairs, NULL, 100, 300, (struct shape){ 1, 512 }, one), 16, 16);
    check("the same, dual issue", each(pairs, NULL, 100, 300, (struct shape){ 1, 512 }, two), 8, 8);
}

/* ---- shared memory ---- */

static struct text *bank_stride(unsigned n, const char *stride)
{
    struct text *t = text_new();
    text_add(t,
             "    mul.lo.u32 %%r0, %%t2, %s;\n    and.b32 %%r0, %%r0, 16383;\n    mov.u32 %%r1, mem;\n    add.u32 "
             "%%r0, %%r0, %%r1;\n",
             stride);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    ld.shared.u32 %%r%u, [%%r0];\n", i % 48 + 16);
    return t;
}

/* Each load's value is its own address. */
static struct text *bank_chain(unsigned n, const char *stride)
{
    struct text *t = text_new();
    text_add(t, "    mul.lo.u32 %%r0, %%t2, %s;\n    mov.u32 %%r1, mem;\n    add.u32 %%r0, %%r0, %%r1;\n"
                "    st.shared.u32 [%%r0], %%r0;\n", stride);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    ld.shared.u32 %%r0, [%%r0];\n");
    text_add(t, "    st.global.u32 [%%out], %%r0;\n");
    return t;
}

/* Loads of 16 bytes by all lanes from one address. */
static struct text *one_address(unsigned n, const char *unused)
{
    struct text *t = text_new();
    (void)unused;
    text_add(t, "    mov.u32 %%r0, mem;\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    ld.shared.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%r0];\n", i % 12 * 4 + 16, i % 12 * 4 + 17,
                 i % 12 * 4 + 18, i % 12 * 4 + 19);
    return t;
}

/* The passes of shared.merge, of which the banks serve one a cycle. */
static void test_merges(void)
{
    enum { WARPS = 16 };
    static const struct { const char *merge; double passes; } rows[] = {
        { "shared.merge=none", 4 }, { "shared.merge=pairs", 2 }, { "shared.merge=uniform", 1 }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", "core.ldst_width=32",
                                         "core.issue_interval=1", rows[i].merge, NULL };
        char what[80];
        snprintf(what, sizeof what, "16 bytes at one address, %s: cycles for 16 warps", rows[i].merge);
        double passes = WARPS * rows[i].passes;
        check(what, each(one_address, NULL, 100, 300, (struct shape){ 1, 32 * WARPS }, settings), passes - 0.1,
              passes);
    }
}

static void test_banks(void)
{
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", "core.ldst_width=32",
                                            "core.issue_interval=1", NULL };
    static const char *const wide[] = { "+southern-islands",     "core.perfect_fetch=true",  "core.ldst_width=64",
                                        "core.issue_interval=1", "core.issue_in_turn=false", NULL };
    static const struct { const char *stride; double ways; } rows[] = {
        { "4", 1 }, { "8", 2 }, { "12", 1 }, { "16", 4 }, { "32", 8 }, { "64", 16 }, { "128", 32 }, { "0", 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char what[80];
        snprintf(what, sizeof what, "shared loads, stride %s bytes: cycles each", rows[i].stride);
        check(what, each(bank_stride, rows[i].stride, 100, 300, (struct shape){ 1, 32 }, settings), rows[i].ways,
              rows[i].ways);
    }
    static const char *const late[] = { "+gtx480", "core.perfect_fetch=true", "core.ldst_width=32",
                                        "core.issue_interval=1", "shared.pass_latency=5", NULL };
    check("stride 32 bytes, passes 5 cycles apart: cycles each",
          each(bank_stride, "32", 100, 300, (struct shape){ 1, 32 }, late), 8, 8);
    double idle = config_value(late, "shared.latency") + config_value(late, "core.stages");
    check("a chain of them: cycles each", each(bank_chain, "32", 100, 300, (struct shape){ 1, 32 }, late), idle + 7 * 5,
          idle + 7 * 5);
    check("64 lanes, stride 4: cycles each", each(bank_stride, "4", 100, 300, (struct shape){ 1, 64 }, wide), 2, 2);
    check("64 lanes, stride 8: cycles each", each(bank_stride, "8", 100, 300, (struct shape){ 1, 64 }, wide), 4, 4);
    check("64 lanes, one word: cycles each", each(bank_stride, "0", 100, 300, (struct shape){ 1, 64 }, wide), 2, 2);
}

/* ---- barriers and divergence ---- */

static struct text *barriers(unsigned n, const char *unused)
{
    struct text *t = text_new();
    (void)unused;
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    bar.sync 0;\n");
    return t;
}

static struct text *diverge(unsigned n, const char *lanes)
{
    struct text *t = text_new();
    text_add(t, "    setp.lt.u32 %%p0, %%me, %s;\n    @%%p0 bra left;\n", lanes);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    add.s32 %%r0, %%r0, 1;\n");
    text_add(t, "    bra meet;\nleft:\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    add.s32 %%r1, %%r1, 2;\n");
    text_add(t, "meet:\n");
    return t;
}

static void test_control(void)
{
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", "core.simd_width=32",
                                            "core.issue_interval=1", NULL };
    double add = config_value(settings, "latency.int_add"), ctrl = config_value(settings, "latency.ctrl");
    double schedulers = config_value(settings, "core.schedulers");
    check("barrier of one warp: cycles each", each(barriers, NULL, 50, 150, (struct shape){ 1, 32 }, settings), ctrl,
          ctrl);
    double warps = 16, issue = warps / schedulers;
    check("barrier of 16 warps: cycles each", each(barriers, NULL, 50, 150, (struct shape){ 1, 512 }, settings),
          fmax(ctrl, issue), ctrl + issue);
    static const char *const unit[] = { "+gtx480", "core.perfect_fetch=true", "core.barrier_latency=30",
                                        "core.barrier_interval=5", NULL };
    check("barrier unit, one warp: cycles each", each(barriers, NULL, 50, 150, (struct shape){ 1, 32 }, unit), 35, 35);
    check("barrier unit, 16 warps: cycles each", each(barriers, NULL, 50, 150, (struct shape){ 1, 512 }, unit),
          16 * 5 + 30, 16 * 5 + 30);
    check("all lanes one way: cycles of a chained add", each(diverge, "32", 50, 150, (struct shape){ 1, 32 }, settings),
          add, add);
    check("lanes both ways: cycles of a chained add on each",
          each(diverge, "16", 50, 150, (struct shape){ 1, 32 }, settings), 2 * add, 2 * add);
}

/* ---- atomics ---- */

static struct text *atomics(unsigned n, const char *stride)
{
    struct text *t = text_new();
    text_add(t, "    mul.wide.u32 %%a0, %%me, %s;\n    add.u64 %%a0, %%a0, %%data;\n", stride);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    red.global.add.u32 [%%a0], 1;\n");
    return t;
}

static void test_atomics(void)
{
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", NULL };
    double core = config_value(settings, "gpu.core_mhz") / config_value(settings, "l2.mhz");
    double add = config_value(settings, "l2.atomic_add");
    check("32 lanes on one word: core cycles an instruction",
          each(atomics, "0", 100, 300, (struct shape){ 1, 32 }, settings), 32 * add * core, 32 * add * core * 1.02);
}

/* ---- copies of a line in L2 ---- */

/* DRAM reads of a second pass over an array of three quarters of L2's size. */
static double read_again(const char *const *settings)
{
    enum { BYTES = 72 << 10, LINE = 128 };
    double reads[2];
    for (unsigned pass = 0; pass < 2; pass++) {
        struct text *t = text_new();
        for (unsigned i = 0; i < (pass + 1) * BYTES / LINE; i++)
            text_add(t, "    ld.global.cg.u32 %%r%u, [%%data+%u];\n", i % 48 + 16, i % (BYTES / LINE) * LINE);
        struct run r = run_kernel(t, (struct shape){ 1, 1 }, BYTES, NULL, settings);
        reads[pass] = run_stat(&r, "dram.reads");
        run_end(&r);
    }
    return reads[1] - reads[0];
}

static void test_copies(void)
{
    static const char *const one[] = { "+gtx480", "core.perfect_fetch=true", "gpu.sms=1", "dram.channels=6",
                                       "l2.slice_kb=16", "l2.hash=false", NULL };
    static const char *const two[] = { "+gtx480", "core.perfect_fetch=true", "gpu.sms=1", "dram.channels=6",
                                       "l2.slice_kb=16", "l2.hash=false", "l2.replicas=2", NULL };
    check("one partition of L2: three quarters of its size are read once", read_again(one), 0, 0);
    double bursts = 72 * 1024 / config_value(two, "dram.burst_bytes");
    check("two copies: all lines are read again", read_again(two), bursts, bursts);
}

/* ---- pointer chases: what a load takes when nothing else moves, clock crossings included ---- */

enum { CHASE_LINES = 8, CHASE_LOADS = 300 };

static void fill_chase(char *data, uint64_t bytes)
{
    uint64_t stride = bytes / CHASE_LINES;
    for (uint64_t i = 0; i < CHASE_LINES; i++)
        *(uint64_t *)(void *)(data + i * stride) = (uint64_t)(uintptr_t)(data + (i + 1) % CHASE_LINES * stride);
}

/* After a round that brings the lines in: the clock, a chain of loads, an instruction that needs the last, the
 * clock. */
static struct text *chase(const char *load, unsigned loads)
{
    struct text *t = text_new();
    text_add(t, "    mov.u64 %%a0, %%data;\n");
    for (unsigned i = 0; i < CHASE_LINES; i++)
        text_add(t, "    %s.u64 %%a0, [%%a0];\n", load);
    text_add(t, "    add.u64 %%a5, %%a0, 0;\n    mov.u64 %%a1, %%clock64;\n");
    for (unsigned i = 0; i < loads; i++)
        text_add(t, "    %s.u64 %%a0, [%%a0];\n", load);
    text_add(
        t,
        "    add.u64 %%a3, %%a0, 0;\n    mov.u64 %%a2, %%clock64;\n"
        "    st.global.u64 [%%out], %%a1;\n    st.global.u64 [%%out+8], %%a2;\n    st.global.u64 [%%out+16], %%a3;\n");
    return t;
}

struct way { double core, xbar, l2; double in, out, request_flits, reply_flits, latency, before, after; };

/* The first edge of a clock of frequency `to` at or after edge n of one of frequency `from`. */
static double cross(double n, double from, double to)
{
    return ceil(n * to / from - 1e-9);
}

/* A load that hits in L2: issued at core cycle t, its result is there at the returned one. */
static double through_l2(const struct way *w, double t)
{
    double x = cross(t + w->before, w->core, w->xbar) + w->in + w->request_flits - 1 + w->out;
    double l = cross(x, w->xbar, w->l2) + w->latency;
    x = cross(l, w->l2, w->xbar) + w->in + w->reply_flits - 1 + w->out;
    return cross(x, w->xbar, w->core) + w->after;
}

static struct way way_of(const char *const *settings)
{
    double flit = config_value(settings, "xbar.flit"), latency = config_value(settings, "xbar.latency");
    double reply = 8 + fmax(32, config_value(settings, "coalescer.segment")),
           stages = config_value(settings, "core.mem_stages");
    return (struct way){
        .core = config_value(settings, "gpu.core_mhz"),
        .xbar = config_value(settings, "xbar.mhz"),
        .l2 = config_value(settings, "l2.mhz"),
        .in = floor(latency / 2),
        .out = ceil(latency / 2),
        .request_flits = ceil(8 / flit),
        .reply_flits = ceil(reply / flit),
        .latency = config_value(settings, "l2.latency"),
        .before = 1 + config_value(settings, "core.collector") + config_value(settings, "l1.miss_cycles"),
        .after = 1 + config_value(settings, stages < 0 ? "core.stages" : "core.mem_stages"),
    };
}

/* Cycles between two instructions of a warp that do not need each other and go to different pipelines. */
static double issue_gap(const char *const *settings)
{
    double interval = config_value(settings, "core.issue_interval");
    return interval                                        ? interval
           : config_value(settings, "core.schedulers") > 1 ? 1
                                                           : 32 / config_value(settings, "core.simd_width");
}

static void chase_l2(const char *name, const char *const *settings)
{
    struct run none = run_kernel(chase("ld.global.cg", 0), (struct shape){ 1, 1 }, CHASE_LINES * 128, fill_chase,
                                 settings);
    struct run r = run_kernel(chase("ld.global.cg", CHASE_LOADS), (struct shape){ 1, 1 }, CHASE_LINES * 128, fill_chase,
                              settings);
    double rest = (double)(none.out[1] - none.out[0]) / 2, start = (double)r.out[0] + issue_gap(settings), t = start,
           mean;
    struct way w = way_of(settings);
    char what[120];
    for (unsigned i = 0; i < CHASE_LOADS; i++)
        t = through_l2(&w, t);
    mean = (t - start) / CHASE_LOADS;
    snprintf(what, sizeof what, "chase in L2, %s: %.1f core cycles a load, in all", name, mean);
    check(r.message ? r.message : what, (double)(r.out[1] - r.out[0]), t - (double)r.out[0] + rest,
          t - (double)r.out[0] + rest);
    run_end(&none);
    run_end(&r);
}

/* ---- and through DRAM: a second sector of lines whose rows are open ---- */

/* SECOND: its offset, beyond the block that a miss of the first sector fetches (l2.fetch_bytes). */
enum { ROW_LINES = 64, SECOND = 64 };

static void fill_sectors(char *data, uint64_t bytes)
{
    for (uint64_t pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < ROW_LINES; i++) {
            char *next = i + 1 < ROW_LINES ? data + (i + 1) * 128 + pass * SECOND : data + SECOND;
            *(uint64_t *)(void *)(data + i * 128 + pass * SECOND) = (uint64_t)(uintptr_t)next;
        }
    (void)bytes;
}

static struct text *chase_rows(unsigned loads)
{
    struct text *t = text_new();
    text_add(t, "    mov.u64 %%a0, %%data;\n");
    for (unsigned i = 0; i < ROW_LINES; i++)
        text_add(t, "    ld.global.cg.u64 %%a0, [%%a0];\n");
    text_add(t, "    add.u64 %%a5, %%a0, 0;\n    mov.u64 %%a1, %%clock64;\n");
    for (unsigned i = 0; i < loads; i++)
        text_add(t, "    ld.global.cg.u64 %%a0, [%%a0];\n");
    text_add(t, "    add.u64 %%a3, %%a0, 0;\n    mov.u64 %%a2, %%clock64;\n    st.global.u64 [%%out], %%a1;\n"
                "    st.global.u64 [%%out+8], %%a2;\n    st.global.u64 [%%out+16], %%a3;\n");
    return t;
}

static double through_dram(const struct way *w, double t, const char *const *settings)
{
    double mem = config_value(settings, "dram.mhz"),
           array = config_value(settings, "dram.tCL") + config_value(settings, "dram.burst_cycles");
    double x = cross(t + w->before, w->core, w->xbar) + w->in + w->request_flits - 1 + w->out;
    double l = cross(x, w->xbar, w->l2) + w->latency + config_value(settings, "dram.latency");
    l = cross(cross(l, w->l2, mem) + array, mem, w->l2);
    x = cross(l, w->l2, w->xbar) + w->in + w->reply_flits - 1 + w->out;
    return cross(x, w->xbar, w->core) + w->after;
}

static void chase_dram(const char *name, const char *const *settings)
{
    const struct shape one = { 1, 1 };
    struct run none = run_kernel(chase_rows(0), one, ROW_LINES * 128, fill_sectors, settings);
    struct run r = run_kernel(chase_rows(ROW_LINES), one, ROW_LINES * 128, fill_sectors, settings);
    struct way w = way_of(settings);
    double rest = (double)(none.out[1] - none.out[0]) / 2, start = (double)r.out[0] + issue_gap(settings), t = start;
    char what[120];
    for (unsigned i = 0; i < ROW_LINES; i++)
        t = through_dram(&w, t, settings);
    snprintf(what, sizeof what, "chase in open rows, %s: %.1f core cycles a load, in all", name,
             (t - start) / ROW_LINES);
    check(r.message ? r.message : what, (double)(r.out[1] - r.out[0]), t - (double)r.out[0] + rest,
          t - (double)r.out[0] + rest);
    run_end(&none);
    run_end(&r);
}

static double chase_l1(const char *const *settings)
{
    struct run none = run_kernel(chase("ld.global.ca", 0), (struct shape){ 1, 1 }, CHASE_LINES * 128, fill_chase,
                                 settings);
    struct run r = run_kernel(chase("ld.global.ca", CHASE_LOADS), (struct shape){ 1, 1 }, CHASE_LINES * 128, fill_chase,
                              settings);
    double each_load = ((double)(r.out[1] - r.out[0]) - (double)(none.out[1] - none.out[0])) / CHASE_LOADS;
    run_end(&none);
    run_end(&r);
    return each_load;
}

static void test_chase(void)
{
    static const char *const presets[] = { "+gtx480",           "+quadro-fx5800", "+gtx480-sc",
                                           "+southern-islands", "+v100",          "+a100", "+h100",
                                           "+gtx480-reference" };
    static const char *const clocks[][3] = {
        { "gpu.core_mhz=1300", "xbar.mhz=650", "l2.mhz=800" }, { "gpu.core_mhz=700", "xbar.mhz=1101", "l2.mhz=333" },
        { "gpu.core_mhz=1000", "xbar.mhz=999", "l2.mhz=1001" },
    };
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const char *const settings[] = { presets[i], "core.perfect_fetch=true", "l2.sectored=true",
                                         "core.issue_in_turn=false", NULL };
        chase_l2(presets[i] + 1, settings);
        chase_dram(presets[i] + 1, settings);
    }
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        const char *const settings[] = {
            "+gtx480", "core.perfect_fetch=true", "l2.sectored=true", clocks[i][0], clocks[i][1], clocks[i][2], NULL
        };
        chase_l2(clocks[i][1], settings);
        chase_dram(clocks[i][1], settings);
    }
    static const char *const l1[] = { "+gtx480", "+l1on", "core.perfect_fetch=true", NULL };
    static const char *const staged[] = { "+gtx480", "+l1on", "core.perfect_fetch=true", "core.stages=5", NULL };
    double want = config_value(l1, "l1.latency");
    check("chase in L1: cycles a load", chase_l1(l1), want, want);
    check("the same with core.stages = 5", chase_l1(staged), want + 5, want + 5);
    static const struct { const char *preset; double cycles; } papers[] = {
        { "+quadro-fx5800", 460 },       /* KILO TM paper, Table 3 */
        { "+gtx480-sc", 340 },           /* memory-ordering paper, Table 2 */
    };
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        const char *const settings[] = { papers[i].preset, "core.perfect_fetch=true", NULL };
        struct way w = way_of(settings);
        double least = INFINITY;
        for (double t = 0; t < 100; t++)                 /* over all phases of the clocks */
            least = fmin(least, through_l2(&w, t) - t);
        check("minimum L2 latency of the paper, core cycles", least, papers[i].cycles, papers[i].cycles);
    }
}

/* ---- address translation: a chain of loads over as many pages as CHASE_LINES, which hit in L2 ---- */

static double chase_pages(const char *const *settings)
{
    const struct shape one = { 1, 1 };
    uint64_t bytes = CHASE_LINES * (uint64_t)config_value(settings, "tlb.l1.page_kb") * 1024;
    struct run none = run_kernel(chase("ld.global.cg", 0), one, bytes, fill_chase, settings);
    struct run r = run_kernel(chase("ld.global.cg", CHASE_LOADS), one, bytes, fill_chase, settings);
    double all = (double)(r.out[1] - r.out[0]) - (double)(none.out[1] - none.out[0]);
    if (r.message)
        check(r.message, 1, 0, 0);
    run_end(&none);
    run_end(&r);
    return all / CHASE_LOADS;
}

/* The pages fit into the SM's TLB; into the shared one; into neither. Two of them are one of the shared TLB, so every
 * second load starts a walk. */
static void test_translation(void)
{
    static const struct { const char *what, *sm, *shared; double looked_up, walked; } rows[] = {
        { "pages in the SM's TLB: cycles a load", "tlb.l1.entries=8", "tlb.l2.entries=4", 0, 0 },
        { "pages in the shared TLB: more cycles a load", "tlb.l1.entries=7", "tlb.l2.entries=4", 1, 0 },
        { "pages in no TLB: more cycles a load", "tlb.l1.entries=7", "tlb.l2.entries=3", 1, 0.5 },
        { "no shared TLB: more cycles a load", "tlb.l1.entries=7", "tlb.l2.entries=0", 1, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const settings[] = { "+v100", "core.perfect_fetch=true", rows[i].sm, rows[i].shared,
                                         "tlb.l1.page_kb=4", "tlb.l2.page_kb=8", "tlb.l2.latency=50",
                                         "tlb.walk_latency=400", NULL };
        const char *const plain[] = { "+v100", "core.perfect_fetch=true", "tlb.l1.page_kb=4", NULL };
        double want = 50 * rows[i].looked_up + 400 * rows[i].walked, got = chase_pages(settings) - chase_pages(plain);
        check(rows[i].what, got, want, want);
    }
}

/* ---- idle latencies of the incumbent simulator on its GTX 480 settings ---- */

static struct text *self_chain(unsigned n, const char *instruction)
{
    struct text *t = text_new();
    text_add(t, "    st.global.u64 [%%data], %%data;\n    membar.gl;\n    mov.u64 %%a0, %%data;\n"
                "    mov.u32 %%r5, mem;\n    st.shared.u32 [%%r5], %%r5;\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    %s\n", instruction);
    text_add(
        t,
        "    st.global.u64 [%%out], %%a0;\n    st.global.u32 [%%out+8], %%r0;\n    st.global.u32 [%%out+12], %%r5;\n");
    return t;
}

static void test_idle(void)
{
    static const char *const settings[] = { "+gtx480-reference", "core.perfect_fetch=true", NULL };
    static const struct { const char *what, *instruction; double cycles; } rows[] = {
        { "load that hits in L2", "ld.global.cg.u64 %a0, [%a0];", 145 },
        { "atomic in L2", "atom.global.add.u32 %r0, [%data+64], %r0;", 137 },
        { "load that hits in L1", "ld.global.ca.u64 %a0, [%a0];", 40 },
        { "load from shared memory: 26 and the 5 of L1", "ld.shared.u32 %r5, [%r5];", 31 },
        /* What depends on a result issues 6 cycles after its latency. */
        { "dependent add.s32", "add.s32 %r0, %r0, 1;", 4 + 6 },
        { "dependent max.s32", "max.s32 %r0, %r0, %r1;", 13 + 6 },
        { "dependent mul.lo.s32", "mul.lo.s32 %r0, %r0, %r1;", 4 + 6 },
        { "dependent mad.lo.s32", "mad.lo.s32 %r0, %r0, %r1, %r1;", 5 + 6 },
        { "dependent div.s32", "div.s32 %r0, %r0, 3;", 145 + 6 },
        { "dependent and.b32", "and.b32 %r0, %r0, 7;", 1 + 6 },
        { "dependent shfl", "shfl.sync.bfly.b32 %r0, %r0, 1, 31, 1;", 32 + 6 },
        { "dependent add.f32", "add.f32 %f0, %f0, %f1;", 4 + 6 },
        { "dependent max.f32", "max.f32 %f0, %f0, %f1;", 13 + 6 },
        { "dependent mul.f32", "mul.f32 %f0, %f0, %f1;", 4 + 6 },
        { "dependent fma.rn.f32", "fma.rn.f32 %f0, %f0, %f1, %f1;", 5 + 6 },
        { "dependent div.rn.f32", "div.rn.f32 %f0, %f0, %f1;", 39 + 6 },
        { "dependent add.f64", "add.f64 %d0, %d0, %d1;", 8 + 6 },
        { "dependent max.f64", "max.f64 %d0, %d0, %d1;", 19 + 6 },
        { "dependent mul.f64", "mul.f64 %d0, %d0, %d1;", 8 + 6 },
        { "dependent fma.rn.f64", "fma.rn.f64 %d0, %d0, %d1, %d1;", 8 + 6 },
        { "dependent div.rn.f64", "div.rn.f64 %d0, %d0, %d1;", 330 + 6 },
        { "ld.param", "ld.param.u64 %a1, [data_param];", 4 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = each(self_chain, rows[i].instruction, 50, 150, (struct shape){ 1, 1 }, settings);
        check(rows[i].what, got, rows[i].cycles - 2, rows[i].cycles + 2);
    }
}

/* ---- bandwidth ---- */

static struct text *stream(const char *cache, unsigned loads, uint64_t stride)
{
    struct text *t = text_new();
    text_add(t, "    shl.b64 %%wide, %%wide, 4;\n    add.u64 %%a0, %%data, %%wide;\n");
    for (unsigned i = 0; i < loads; i++) {
        unsigned r = i % 8 * 4;
        text_add(t, "    ld.global.%s.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a0];\n    add.u64 %%a0, %%a0, %llu;\n",
                 cache, r, r + 1, r + 2, r + 3, (unsigned long long)stride);
    }
    return t;
}

/* Bytes a microsecond that the reply crossbar can carry: lines of 128 bytes in whole flits, at the ports of the slices
 * or of the SMs. */
static double crossbar_limit(const char *const *settings)
{
    double flit = config_value(settings, "xbar.flit"), line = 128, flits = ceil((line + 8) / flit);
    double slices = config_value(settings, "dram.channels") * config_value(settings, "l2.slices");
    double ports = ceil(config_value(settings, "gpu.sms") / config_value(settings, "xbar.cluster"));
    return fmin(slices, ports) * line / flits * config_value(settings, "xbar.mhz");
}

static double dram_limit(const char *const *settings)
{
    return config_value(settings, "dram.channels") * config_value(settings, "dram.burst_bytes") /
           config_value(settings, "dram.burst_cycles") * config_value(settings, "dram.mhz");
}

static void test_dram_bandwidth(void)
{
    static const struct { const char *preset, *cache; } rows[] = {
        { "+gtx480", "cg" }, { "+quadro-fx5800", "cg" }, { "+v100", "ca" }, { "+v100", "cg" }, { "+gtx480-sc", "cg" },
        { "+southern-islands", "cg" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const settings[] = { rows[i].preset, NULL };
        unsigned threads = 256, blocks = (unsigned)config_value(settings, "gpu.sms") * 4, loads = 32;
        uint64_t stride = (uint64_t)blocks * threads * 16;
        struct run r = run_kernel(stream(rows[i].cache, loads, stride), (struct shape){ blocks, threads },
                                  stride * loads, NULL, settings);
        double dram = dram_limit(settings), limit = fmin(dram, crossbar_limit(settings)), got;
        char what[120];
        got = (double)stride * loads / (r.cycles / config_value(settings, "gpu.core_mhz"));
        snprintf(what, sizeof what, "ld.%s stream on %s: share of %s's %.0f GB/s", rows[i].cache, rows[i].preset + 1,
                 limit < dram ? "the crossbar" : "DRAM", limit * 1e-3);
        check(r.message ? r.message : what, got / limit, 0.85, 1);
        run_end(&r);
    }
}

/* The same few lines over and over: they hit in L2, so the crossbar is the limit. */
static struct text *same_lines(unsigned rounds, const char *unused)
{
    struct text *t = text_new();
    (void)unused;
    text_add(
        t, "    shl.b64 %%wide, %%wide, 4;\n    and.b64 %%wide, %%wide, 262143;\n    add.u64 %%a0, %%data, %%wide;\n");
    for (unsigned i = 0; i < rounds; i++) {
        unsigned r = i % 8 * 4;
        text_add(t, "    ld.global.cg.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a0];\n", r, r + 1, r + 2, r + 3);
    }
    return t;
}

static void test_crossbar_bandwidth(void)
{
    static const char *const presets[] = { "+gtx480", "+quadro-fx5800", "+gtx480-sc" };
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const char *const settings[] = { presets[i], "l2.bytes_per_cycle=128", NULL };
        unsigned threads = 256, blocks = (unsigned)config_value(settings, "gpu.sms") * 4;
        enum { ROUNDS = 192 };
        double all = cycles(same_lines(ROUNDS, NULL), (struct shape){ blocks, threads }, 1 << 20, NULL, settings);
        double bytes = (double)blocks * threads * 16 * ROUNDS, limit = crossbar_limit(settings);
        double got = bytes / (all / config_value(settings, "gpu.core_mhz"));
        char what[120];
        snprintf(what, sizeof what, "hits in L2 on %s: share of the crossbar's %.0f GB/s", presets[i] + 1,
                 limit * 1e-3);
        check(what, got / limit, 0.85, 1);
    }
}

int main(int argc, char **argv)
{
    verbose = argc > 1 && !strcmp(argv[1], "-v");
    test_latencies();
    test_rates();
    test_block_on_one_scheduler();
    test_dual_issue();
    test_banks();
    test_merges();
    test_control();
    test_atomics();
    test_copies();
    test_chase();
    test_translation();
    test_idle();
    test_dram_bandwidth();
    test_crossbar_bandwidth();
    printf("micro: %d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
