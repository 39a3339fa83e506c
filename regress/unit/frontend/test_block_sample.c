/*
 * Sampling of blocks (sim.sample): the estimate against numbers worked out by hand, memory against that of the whole
 * launch, the estimate of a uniform kernel against the whole run, and launches that must not be sampled.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "frontend/lib/block_sample.h"

enum { WAVE = 16, GRID = 100 * WAVE + 5, LOOPS = 40 };   /* 8 blocks on each of 2 SMs */

/* ---- the estimate ---- */

static void by_hand(void **state)
{
    /* intervals 90, 110, 100, 100: s^2 = 200 / 3; of the mean, s^2 / 4 x (1 - 4/16) = 12.5; t(3) = 3.182 */
    static const uint64_t ends[] = { 150, 240, 350, 450, 550 };
    struct sample_estimate e = sample_estimate_of(ends, 4, 16, 7);
    assert_true(fabs(e.cycles - (150 + 16 * 100 + 7)) < 1e-9);
    assert_true(fabs(e.error - 3.182 * sqrt(12.5) * 16) < 1e-9);
    /* equal intervals, and a sample of all: no error */
    static const uint64_t equal[] = { 10, 20, 30, 40, 50 };
    assert_true(sample_estimate_of(equal, 4, 100, 0).error == 0);
    assert_true(sample_estimate_of(equal, 4, 100, 0).cycles == 1010);
    assert_true(sample_estimate_of(ends, 4, 4, 0).error == 0);
}

/* ---- launches ---- */

/* Each thread adds up `loops` numbers and writes the sum and its block's number. The blocks of `communicate` may wait
 * for each other: they have an atomic that returns a value. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry alone(.param .u64 out_param, .param .u32 loops)\n{\n"
    "    .reg .b64 %out, %a;\n    .reg .b32 %t, %b, %n, %i, %s;\n    .reg .pred %p;\n"
    "    ld.param.u64 %out, [out_param];\n    ld.param.u32 %n, [loops];\n"
    "    mov.u32 %t, %tid.x;\n    mov.u32 %b, %ctaid.x;\n    mov.u32 %s, 0;\n    mov.u32 %i, 0;\n"
    "L:  add.u32 %s, %s, %i;\n    add.u32 %i, %i, 1;\n    setp.lt.u32 %p, %i, %n;\n    @%p bra L;\n"
    "    mad.lo.u32 %s, %b, 1000, %s;\n    mov.u32 %i, %ntid.x;\n    mad.lo.u32 %t, %b, %i, %t;\n"
    "    mad.wide.u32 %a, %t, 4, %out;\n    st.global.u32 [%a], %s;\n    ret;\n}\n"
    ".visible .entry communicate(.param .u64 out_param, .param .u32 loops)\n{\n"
    "    .reg .b64 %out;\n    .reg .b32 %v;\n    .reg .pred %p;\n    ld.param.u64 %out, [out_param];\n"
    "    atom.global.add.u32 %v, [%out], 1;\n"
    "W:  ld.volatile.global.u32 %v, [%out];\n    setp.lt.u32 %p, %v, 1;\n    @%p bra W;\n    ret;\n}\n";

struct outcome { json_t *launch, *root; uint32_t *memory; };

static struct outcome run(const char *kernel, uint32_t grid, const char *setting)
{
    enum { THREADS = 64 };
    const char *settings[] = { "sim.mode=timing", setting };
    uint32_t loops = LOOPS, bytes = GRID * THREADS * 4;
    simtx_config *c = simtx_config_new();
    simtx_module *m;
    void *out;
    assert_int_equal(simtx_config_load(c, "gtx480", NULL), SIMTX_OK);
    assert_int_equal(simtx_config_set(c, "gpu.sms=2", NULL), SIMTX_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(simtx_config_set(c, settings[i], NULL), SIMTX_OK);
    simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
    assert_non_null(g);
    assert_int_equal(simtx_module_load(g, ptx, strlen(ptx), "k.ptx", &m), SIMTX_OK);
    assert_int_equal(simtx_malloc(g, bytes, SIMTX_MEM_DEVICE, &out), SIMTX_OK);
    memset(out, 0, bytes);
    const void *args[] = { &out, &loops };
    simtx_launch_params p = { .grid = { grid, 1, 1 }, .block = { THREADS, 1, 1 }, .args = args };
    assert_int_equal(simtx_launch(simtx_module_kernel(m, kernel), &p, NULL, NULL), SIMTX_OK);
    struct outcome r = { .memory = malloc(bytes) };
    memcpy(r.memory, out, bytes);
    char *text = simtx_stats_json(g);
    r.root = json_loads(text, 0, NULL);
    r.launch = json_array_get(json_object_get(r.root, "kernels"), 0);
    free(text);
    simtx_gpu_free(g);
    simtx_config_free(c);
    return r;
}

static void end(struct outcome *r)
{
    json_decref(r->root);
    free(r->memory);
}

static double figure(const json_t *o, const char *name)
{
    assert_non_null(json_object_get(o, name));
    return json_number_value(json_object_get(o, name));
}

static void memory_is_that_of_the_whole_launch(void **state)
{
    struct outcome r = run("alone", GRID, "sim.sample=10");
    for (uint32_t i = 0; i < GRID * 64; i++)
        assert_int_equal(r.memory[i], i / 64 * 1000 + LOOPS * (LOOPS - 1) / 2);
    assert_int_equal(figure(r.launch, "blocks"), GRID);
    end(&r);
}

static void the_sample_is_named_and_near_the_whole(void **state)
{
    struct outcome part = run("alone", GRID, "sim.sample=10"), whole = run("alone", GRID, "sim.sample=1");
    const json_t *sample = json_object_get(part.launch, "sample"), *total = json_object_get(part.root, "total");
    double cycles = figure(whole.launch, "cycles"), estimate = figure(sample, "cycles");
    assert_non_null(sample);
    assert_null(json_object_get(whole.launch, "sample"));
    assert_null(json_object_get(json_object_get(whole.root, "total"), "sample"));
    /* the first wave, 9 of the 98 in the middle, the last with the 5 blocks after it */
    assert_int_equal(figure(sample, "blocks"), 11 * WAVE + 5);
    assert_int_equal(figure(sample, "of"), GRID);
    assert_int_equal(figure(json_object_get(total, "sample"), "launches"), 1);
    assert_true(figure(json_object_get(total, "sample"), "cycles") == estimate);
    assert_string_equal(json_string_value(json_object_get(part.root, "mode")), "timing, sampled");
    assert_string_equal(json_string_value(json_object_get(whole.root, "mode")), "timing");
    if (fabs(estimate - cycles) > 0.03 * cycles)
        fail_msg("%.0f cycles estimated, %.0f in the whole run", estimate, cycles);
    assert_true(figure(part.launch, "cycles") < 0.15 * cycles);
    assert_true(figure(sample, "error") >= 0 && figure(sample, "error") < 0.1);
    end(&part);
    end(&whole);
}

static void some_launches_are_simulated_whole(void **state)
{
    static const struct { const char *kernel; uint32_t grid; bool sampled; } rows[] = {
        { "alone", 10 * WAVE, true },        /* 4 of the 8 waves in the middle */
        { "alone", 10 * WAVE - 1, false },   /* 7 in the middle: 4 are not half of them */
        { "alone", WAVE, false },
        { "alone", 1, false },
        { "communicate", GRID, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome r = run(rows[i].kernel, rows[i].grid, "sim.sample=10");
        assert_int_equal(json_object_get(r.launch, "sample") != NULL, rows[i].sampled);
        assert_int_equal(figure(r.launch, "blocks"), rows[i].grid);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(memory_is_that_of_the_whole_launch),
        cmocka_unit_test(the_sample_is_named_and_near_the_whole),
        cmocka_unit_test(some_launches_are_simulated_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
