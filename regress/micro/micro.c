/*
 * What the machine's parts cost, against what the configuration promises: latency of every class, issue and pipeline rates, pointer chases
 * through L1, L2 and DRAM, bank conflicts, atomics, barriers, divergence, and streaming bandwidth. One function a figure; a figure is
 * the difference of two runs that differ only in the number of repetitions.
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

static double cycles(struct text *t, struct shape s, uint64_t bytes, void (*fill)(char *, uint64_t), const char *const *settings)
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
static double each(maker *make, const char *arg, unsigned few, unsigned many, struct shape s, const char *const *settings)
{
    double a = cycles(make(few, arg), s, 1 << 20, NULL, settings), b = cycles(make(many, arg), s, 1 << 20, NULL, settings);
    return (b - a) / (many - few);
}

/* ---- latency: a chain in which every instruction needs the one before ---- */

static struct text *chain(unsigned n, const char *instruction)
{
    struct text *t = text_new();
    text_add(t, "    mov.u32 %%r0, %%tid;\n    mov.u32 %%r1, 3;\n    mov.f32 %%f0, 0f3f800000;\n    mov.f32 %%f1, 0f3f800001;\n"
                "    mov.f64 %%d0, 0d3ff0000000000000;\n    mov.f64 %%d1, 0d3ff0000000000001;\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    %s\n", instruction);
    text_add(t, "    cvt.rn.f32.f64 %%f2, %%d0;\n    add.f32 %%f0, %%f0, %%f2;\n    st.global.f32 [%%out], %%f0;\n"
                "    st.global.u32 [%%out+4], %%r0;\n");
    return t;
}

static void test_latencies(void)
{
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", NULL };
    static const struct { const char *instruction, *key; } rows[] = {
        { "add.s32 %r0, %r0, %r1;", "latency.int_add" },   { "xor.b32 %r0, %r0, %r1;", "latency.int_add" },
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
    (void)settings;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double want = config_value(wide, rows[i].key) * (strstr(rows[i].instruction, "; c") ? 2 : 1);
        check(rows[i].instruction, each(chain, rows[i].instruction, 50, 150, (struct shape){ 1, 32 }, wide), want, want);
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
    double sfu = config_value(fermi, "core.sfu"), width = config_value(fermi, "core.sfu_width"), ii = config_value(fermi, "interval.sfu");
    double warps = 16, want = warps * ceil(32 / width) * ii / sfu;
    check("SFU: cycles for 16 warps' instruction each",
          each(independent, "    sin.approx.f32 %%f%u, %%f%u;\n", 100, 300, (struct shape){ 1, 512 }, fermi), want, want);
    double schedulers = config_value(fermi, "core.schedulers"), sp = config_value(fermi, "core.sp"), simd = config_value(fermi, "core.simd_width");
    double rate = fmin(schedulers, sp * simd / 32);
    check("SP: cycles for 16 warps' instruction each",
          each(independent, "    add.f32 %%f%u, %%f%u, %%f0;\n", 100, 300, (struct shape){ 1, 512 }, fermi), 16 / rate, 16 / rate);
}

static struct text *pairs(unsigned n, const char *unused)
{
    struct text *t = text_new();
    (void)unused;
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    add.f32 %%f%u, %%f%u, %%f0;\n    xor.b32 %%r%u, %%r%u, %%r1;\n", i % 32 + 16, i % 8, i % 32 + 16, i % 8);
    return t;
}

static void test_dual_issue(void)
{
    static const char *const one[] = { "+gtx480", "core.perfect_fetch=true", "core.simd_width=32", "core.sp=2", "core.int=2",
                                       "core.issue=1", NULL };
    static const char *const two[] = { "+gtx480", "core.perfect_fetch=true", "core.simd_width=32", "core.sp=2", "core.int=2",
                                       "core.issue=2", NULL };
    check("pairs on SP and INT, single issue: cycles a pair of 16 warps", each(pairs, NULL, 100, 300, (struct shape){ 1, 512 }, one), 16, 16);
    check("the same, dual issue", each(pairs, NULL, 100, 300, (struct shape){ 1, 512 }, two), 8, 8);
}

/* ---- shared memory ---- */

static struct text *bank_stride(unsigned n, const char *stride)
{
    struct text *t = text_new();
    text_add(t, "    mul.lo.u32 %%r0, %%t2, %s;\n    and.b32 %%r0, %%r0, 16383;\n    mov.u32 %%r1, mem;\n    add.u32 %%r0, %%r0, %%r1;\n", stride);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    ld.shared.u32 %%r%u, [%%r0];\n", i % 32 + 16);
    return t;
}

static void test_banks(void)
{
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", NULL };
    static const char *const wide[] = { "+southern-islands", "core.perfect_fetch=true", NULL };
    static const struct { const char *stride; double ways; } rows[] = {
        { "4", 1 }, { "8", 2 }, { "12", 1 }, { "16", 4 }, { "32", 8 }, { "64", 16 }, { "128", 32 }, { "0", 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char what[80];
        snprintf(what, sizeof what, "shared loads, stride %s bytes: cycles each", rows[i].stride);
        check(what, each(bank_stride, rows[i].stride, 100, 300, (struct shape){ 1, 32 }, settings), rows[i].ways, rows[i].ways);
        if (rows[i].ways <= 32 && strcmp(rows[i].stride, "0"))
            continue;
    }
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
    text_add(t, "    setp.lt.u32 %%p0, %%tid, %s;\n    @%%p0 bra left;\n", lanes);
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
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", "core.simd_width=32", NULL };
    double add = config_value(settings, "latency.int_add"), ctrl = config_value(settings, "latency.ctrl");
    double schedulers = config_value(settings, "core.schedulers");
    check("barrier of one warp: cycles each", each(barriers, NULL, 50, 150, (struct shape){ 1, 32 }, settings), ctrl, ctrl);
    double warps = 16, issue = warps / schedulers;
    check("barrier of 16 warps: cycles each", each(barriers, NULL, 50, 150, (struct shape){ 1, 512 }, settings),
          fmax(ctrl, issue), ctrl + issue);
    check("all lanes one way: cycles of a chained add", each(diverge, "32", 50, 150, (struct shape){ 1, 32 }, settings), add, add);
    check("lanes both ways: cycles of a chained add on each", each(diverge, "16", 50, 150, (struct shape){ 1, 32 }, settings), 2 * add,
          2 * add);
}

/* ---- atomics ---- */

static struct text *atomics(unsigned n, const char *stride)
{
    struct text *t = text_new();
    text_add(t, "    mul.wide.u32 %%a0, %%tid, %s;\n    add.u64 %%a0, %%a0, %%data;\n", stride);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    red.global.add.u32 [%%a0], 1;\n");
    return t;
}

static void test_atomics(void)
{
    static const char *const settings[] = { "+gtx480", "core.perfect_fetch=true", NULL };
    double core = config_value(settings, "gpu.core_mhz") / config_value(settings, "l2.mhz");
    double add = config_value(settings, "l2.atomic_add");
    check("32 lanes on one word: core cycles an instruction", each(atomics, "0", 100, 300, (struct shape){ 1, 32 }, settings),
          32 * add * core, 32 * add * core * 1.02);
}

/* ---- pointer chases ---- */

static uint64_t chase_lines, chase_stride;

static void fill_chase(char *data, uint64_t bytes)
{
    for (uint64_t i = 0; i < chase_lines; i++)
        *(uint64_t *)(void *)(data + i * chase_stride) = (uint64_t)(uintptr_t)(data + (i + 1) % chase_lines * chase_stride);
    (void)bytes;
}

static struct text *chase(unsigned n, const char *load)
{
    struct text *t = text_new();
    text_add(t, "    mov.u64 %%a0, %%data;\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    %s.u64 %%a0, [%%a0];\n", load);
    text_add(t, "    st.global.u64 [%%out], %%a0;\n");
    return t;
}

static double chase_latency(const char *load, uint64_t lines, uint64_t stride, unsigned few, unsigned many, const char *const *settings)
{
    const struct shape one = { 1, 1 };
    chase_lines = lines;
    chase_stride = stride;
    double a = cycles(chase(few, load), one, lines * stride, fill_chase, settings);
    double b = cycles(chase(many, load), one, lines * stride, fill_chase, settings);
    return (b - a) / (many - few);
}

static void test_chase(void)
{
    static const char *const l1[] = { "+gtx480", "+l1on", "core.perfect_fetch=true", NULL };
    double want = config_value(l1, "l1.latency");
    check("chase in L1: cycles a load", chase_latency("ld.global", 8, 128, 108, 308, l1), want, want);
}

/* ---- bandwidth ---- */

static struct text *stream(unsigned loads, const char *total)
{
    struct text *t = text_new();
    text_add(t, "    shl.b64 %%wide, %%wide, 4;\n    add.u64 %%a0, %%data, %%wide;\n");
    for (unsigned i = 0; i < loads; i++)
        text_add(t, "    ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a0];\n    add.u64 %%a0, %%a0, %s;\n", i % 8 * 4, i % 8 * 4 + 1,
                 i % 8 * 4 + 2, i % 8 * 4 + 3, total);
    return t;
}

static void test_bandwidth(void)
{
    static const char *const presets[] = { "+gtx480", "+quadro-fx5800", "+v100", "+gtx480-sc" };
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const char *const settings[] = { presets[i], NULL };
        double sms = config_value(settings, "gpu.sms");
        unsigned threads = 256, blocks = (unsigned)sms * 4, loads = 32;
        char total[32], what[80];
        uint64_t stride = (uint64_t)blocks * threads * 16;
        snprintf(total, sizeof total, "%llu", (unsigned long long)stride);
        struct run r = run_kernel(stream(loads, total), (struct shape){ blocks, threads }, stride * loads, NULL, settings);
        double peak = config_value(settings, "dram.channels") * config_value(settings, "dram.burst_bytes") /
                      config_value(settings, "dram.burst_cycles") * config_value(settings, "dram.mhz");
        double got = (double)stride * loads / (r.cycles / config_value(settings, "gpu.core_mhz"));
        snprintf(what, sizeof what, "read-only stream on %s: share of DRAM's %.0f GB/s", presets[i] + 1, peak * 1e-3);
        check(r.message ? r.message : what, got / peak, 0.85, 1);
        run_end(&r);
    }
}

int main(int argc, char **argv)
{
    verbose = argc > 1 && !strcmp(argv[1], "-v");
    test_latencies();
    test_rates();
    test_dual_issue();
    test_banks();
    test_control();
    test_atomics();
    test_chase();
    test_bandwidth();
    printf("micro: %d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
