/*
 * The division of an SM's memory between L1 and shared memory (gpu.shared_carveouts). A warp reads an array twice, one
 * line after the other: with LRU, all lines of the second pass hit if the array fits in L1, and none if it is larger by
 * a line in each set. So the hits tell the size of L1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "frontend/lib/simtx.h"

enum { LINE = 128, SETS = 4, KB = 1024 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 data, .param .u32 bytes, .param .u32 add)\n{\n"
    "    .extern .shared .align 4 .b8 dynamic[];\n"
    "    .reg .b64 %start, %at, %lane, %end;\n    .reg .b32 %v, %t, %pass, %n, %add;\n    .reg .pred %p, %changes;\n"
    "    ld.param.u32 %add, [add];\n    setp.ne.u32 %changes, %add, 0;\n"
    "    ld.param.u64 %start, [data];\n    ld.param.u32 %n, [bytes];\n    cvt.u64.u32 %end, %n;\n"
    "    mov.u32 %t, %laneid;\n    mul.wide.u32 %lane, %t, 4;\n    add.u64 %start, %start, %lane;\n"
    "    add.u64 %end, %end, %start;\n    mov.u32 %pass, 2;\n"
    "PASS:\n    setp.eq.u32 %p, %pass, 0;\n    @%p bra END;\n    sub.u32 %pass, %pass, 1;\n    mov.u64 %at, %start;\n"
    "LINE:\n    setp.ge.u64 %p, %at, %end;\n    @%p bra PASS;\n    ld.global.u32 %v, [%at];\n"
    "    @%changes add.u32 %v, %v, %add;\n    @%changes st.global.u32 [%at], %v;\n"
    "    add.u64 %at, %at, 128;\n    bra LINE;\n"
    "END:\n    ret;\n}\n";

struct machine { simtx_config *config; simtx_gpu *gpu; simtx_kernel *kernel; void *data; };

static struct machine machine_new(const char *set)
{
    struct machine m = { .config = simtx_config_new() };
    simtx_module *module;
    char keys[300], *message = NULL, *save = NULL;
    assert_int_equal(simtx_config_load(m.config, "v100", &message), SIMTX_OK);
    snprintf(keys, sizeof keys, "gpu.sms=1,sim.mode=timing,%s", set);
    for (char *t = strtok_r(keys, ",", &save); t; t = strtok_r(NULL, ",", &save))
        assert_int_equal(simtx_config_set(m.config, t, &message), SIMTX_OK);
    m.gpu = simtx_gpu_new(m.config, 0, NULL);
    assert_non_null(m.gpu);
    assert_int_equal(simtx_module_load(m.gpu, ptx, strlen(ptx), "k.ptx", &module), SIMTX_OK);
    assert_int_equal(simtx_malloc(m.gpu, 256 * KB, SIMTX_MEM_DEVICE, &m.data), SIMTX_OK);
    m.kernel = simtx_module_kernel(module, "k");
    return m;
}

static void machine_free(struct machine *m)
{
    simtx_gpu_free(m->gpu);
    simtx_config_free(m->config);
}

/* The figure in the last launch; its groups are separated by dots. */
static uint64_t last(const struct machine *m, const char *figure)
{
    char *text = simtx_stats_json(m->gpu), name[100], *save = NULL;
    json_t *stats = json_loads(text, 0, NULL), *launches = json_object_get(stats, "kernels");
    const json_t *at = json_array_get(launches, json_array_size(launches) - 1);
    snprintf(name, sizeof name, "%s", figure);
    for (char *t = strtok_r(name, ".", &save); t; t = strtok_r(NULL, ".", &save))
        at = json_object_get(at, t);
    assert_true(json_is_integer(at));
    uint64_t n = (uint64_t)json_integer_value(at);
    json_decref(stats);
    free(text);
    return n;
}

/* One block that reads so many bytes twice, and adds a number to its values each time. */
static void launch(const struct machine *m, uint32_t bytes, uint32_t threads, uint32_t shared, uint64_t stream,
                   uint32_t add)
{
    const void *args[] = { &m->data, &bytes, &add };
    simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { threads, 1, 1 }, .dynamic_shared = shared, .args = args,
                              .stream = stream };
    assert_int_equal(simtx_launch_async(m->kernel, &p, NULL), SIMTX_OK);
}

/* Is this the size of L1 in a launch with such blocks, and the rest of 128 KB shared memory? */
static void check_l1(const struct machine *m, uint32_t l1_kb, uint32_t shared)
{
    uint32_t most = l1_kb * KB, more = most + SETS * LINE;
    launch(m, most, 32, shared, 0, 0);
    assert_int_equal(last(m, "l1.global_load.hits"), most / LINE);
    assert_int_equal(last(m, "shared_carveout"), 128 * KB - most);
    launch(m, more, 32, shared, 0, 0);
    assert_int_equal(last(m, "l1.global_load.hits"), 0);
}

/* 32 blocks of one warp are resident. */
static void as_much_as_resident_blocks_need(void **state)
{
    struct machine m = machine_new("");
    check_l1(&m, 128, 0);
    check_l1(&m, 120, 256);                  /* 32 x 256 bytes are 8 KB */
    check_l1(&m, 112, 257);                  /* 32 x 512 */
    check_l1(&m, 96, 1 * KB);
    check_l1(&m, 64, 2 * KB);
    check_l1(&m, 32, 2 * KB + 1);
    check_l1(&m, 32, 33 * KB);              /* two blocks: 66 KB, more than 64 */
    check_l1(&m, 128, 0);                    /* it grows again */
    machine_free(&m);
}

static void as_the_program_prefers(void **state)
{
    static const struct { int percent; uint32_t shared, l1_kb, blocks; } rows[] = {
        { 0, 0, 128, 32 }, { 1, 0, 120, 32 }, { 50, 0, 64, 32 }, { 67, 0, 32, 32 }, { 100, 0, 32, 32 },
        { 0, 10 * KB, 112, 1 },              /* 16 KB: one block fits */
        { 50, 10 * KB, 64, 6 }, { 100, 10 * KB, 32, 9 }, { SIMTX_CARVEOUT_AUTO, 10 * KB, 32, 9 },
        { 0, 1 * KB, 120, 8 },
    };
    struct machine m = machine_new("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(simtx_kernel_set_carveout(m.kernel, rows[i].percent), SIMTX_OK);
        assert_int_equal(simtx_occupancy(m.kernel, 32, rows[i].shared, NULL), rows[i].blocks);
        check_l1(&m, rows[i].l1_kb, rows[i].shared);
        assert_int_equal(last(&m, "resident_blocks"), rows[i].blocks);
    }
    assert_int_equal(simtx_kernel_set_carveout(m.kernel, 101), SIMTX_INVALID_ARGUMENT);
    machine_free(&m);
}

/* Two blocks of 1024 threads are resident: each kernel needs 16 KB alone, both 32 KB. */
static void concurrent_kernels_share(void **state)
{
    struct machine m = machine_new("");
    launch(&m, LINE, 1024, 8 * KB, 1, 0);
    simtx_synchronize(m.gpu, NULL);
    assert_int_equal(last(&m, "shared_carveout"), 16 * KB);
    launch(&m, LINE, 1024, 8 * KB, 1, 0);
    launch(&m, LINE, 1024, 8 * KB, 2, 0);
    simtx_synchronize(m.gpu, NULL);
    assert_int_equal(last(&m, "shared_carveout"), 32 * KB);
    machine_free(&m);
}

/* Without carveouts a preference has no effect. */
static void fixed_sizes(void **state)
{
    struct machine m = machine_new("gpu.shared_carveouts=,l1.kb=32,l1.ways=64");
    assert_int_equal(simtx_kernel_set_carveout(m.kernel, 0), SIMTX_OK);
    assert_int_equal(simtx_occupancy(m.kernel, 32, 10 * KB, NULL), 9);
    check_l1(&m, 32, 0);
    machine_free(&m);
}

/* Lines that are dirty when a kernel ends are written back, wherever they are in the L1 of that kernel. */
static void with_write_back_caches(void **state)
{
    struct machine m = machine_new("coherence.protocol=mesi,xbar.vns=5");
    uint32_t *data = m.data;
    memset(data, 0, 256 * KB);
    launch(&m, 128 * KB, 32, 0, 0, 1);
    launch(&m, 32 * KB, 32, 3 * KB, 0, 1);
    launch(&m, 128 * KB, 32, 0, 0, 1);
    for (uint32_t i = 0; i < 256 * KB / sizeof *data; i++)
        assert_int_equal(data[i], i < 32 * KB / sizeof *data ? 6 : i < 128 * KB / sizeof *data ? 4 : 0);
    check_l1(&m, 32, 3 * KB);
    check_l1(&m, 128, 0);
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_as_resident_blocks_need), cmocka_unit_test(as_the_program_prefers),
        cmocka_unit_test(concurrent_kernels_share), cmocka_unit_test(fixed_sizes),
        cmocka_unit_test(with_write_back_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
