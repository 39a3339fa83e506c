/*
 * The block of memory that a miss in L2 fetches (l2.fetch_bytes), as a program changes it (simtx_set_l2_fetch): a warp
 * reads one sector of each of 32 lines, so that every further sector of a block is 32 more fills.
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

enum { LINE = 128, LINES = 32, LAUNCHES = 8, SECTOR = 32 };

/* Lane i reads line i. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 data)\n{\n    .reg .b64 %at, %lane;\n    .reg .b32 %v, %t;\n"
    "    ld.param.u64 %at, [data];\n    mov.u32 %t, %laneid;\n    mul.wide.u32 %lane, %t, 128;\n"
    "    add.u64 %at, %at, %lane;\n    ld.global.u32 %v, [%at+36];\n    st.global.u32 [%at+36], %v;\n    ret;\n}\n";

struct machine { simtx_config *config; simtx_gpu *gpu; simtx_kernel *kernel; char *data; };

/* Lines of constants and of code are fetched whole, whatever the block is. */
static struct machine machine_new(const char *mode, const char *set)
{
    struct machine m = { .config = simtx_config_new() };
    const char *keys[] = { "gpu.sms=1", "const.line=128", mode, set };
    simtx_module *module;
    char *message = NULL;
    void *data;
    assert_int_equal(simtx_config_load(m.config, "v100", &message), SIMTX_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(simtx_config_set(m.config, keys[i], &message), SIMTX_OK);
    m.gpu = simtx_gpu_new(m.config, 0, NULL);
    assert_non_null(m.gpu);
    assert_int_equal(simtx_module_load(m.gpu, ptx, strlen(ptx), "k.ptx", &module), SIMTX_OK);
    assert_int_equal(simtx_malloc(m.gpu, LAUNCHES * LINES * LINE, SIMTX_MEM_DEVICE, &data), SIMTX_OK);
    m.data = data;
    m.kernel = simtx_module_kernel(module, "k");
    return m;
}

static void machine_free(struct machine *m)
{
    simtx_gpu_free(m->gpu);
    simtx_config_free(m->config);
}

/* The n-th launch reads lines of its own. */
static void launch(const struct machine *m, unsigned n)
{
    void *data = m->data + n * LINES * LINE;
    const void *args[] = { &data };
    simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { LINES, 1, 1 }, .args = args };
    assert_int_equal(simtx_launch_async(m->kernel, &p, NULL), SIMTX_OK);
}

static uint64_t fills(const struct machine *m, unsigned n)
{
    char *text = simtx_stats_json(m->gpu);
    json_t *stats = json_loads(text, 0, NULL), *of_launch = json_array_get(json_object_get(stats, "kernels"), n);
    json_t *figure = json_object_get(json_object_get(of_launch, "l2"), "fills");
    assert_true(json_is_integer(figure));
    uint64_t sum = (uint64_t)json_integer_value(figure);
    json_decref(stats);
    free(text);
    return sum;
}

static void later_launches_fetch_what_is_set(void **state)
{
    static const size_t asked[] = { 32, 64, 128, 0, 33, 65, 1000 }, block[] = { 32, 64, 128, 32, 64, 128, 128 };
    struct machine m = machine_new("sim.mode=timing", "l2.fetch_bytes=32");
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_int_equal(simtx_set_l2_fetch(m.gpu, asked[i]), SIMTX_OK);
        assert_int_equal(simtx_get_l2_fetch(m.gpu), block[i]);
        launch(&m, i);
        assert_int_equal(simtx_synchronize(m.gpu, NULL), SIMTX_OK);
        assert_int_equal(fills(&m, i), fills(&m, 0) + LINES * (block[i] / SECTOR - 1));
    }
    machine_free(&m);
}

/* Launches that wait in the queue run before the change, with the key's block. */
static void queued_launches_keep_their_block(void **state)
{
    struct machine m = machine_new("sim.mode=timing", "l2.fetch_bytes=64");
    assert_int_equal(simtx_get_l2_fetch(m.gpu), 64);
    launch(&m, 0);
    assert_int_equal(simtx_set_l2_fetch(m.gpu, 128), SIMTX_OK);
    launch(&m, 1);
    assert_int_equal(simtx_synchronize(m.gpu, NULL), SIMTX_OK);
    assert_int_equal(fills(&m, 1), fills(&m, 0) + 2 * LINES);
    machine_free(&m);
}

static size_t block_with(const char *mode, const char *set, size_t asked)
{
    struct machine m = machine_new(mode, set);
    assert_int_equal(simtx_set_l2_fetch(m.gpu, asked), SIMTX_OK);
    size_t block = simtx_get_l2_fetch(m.gpu);
    machine_free(&m);
    return block;
}

static void some_machines_have_one_block(void **state)
{
    assert_int_equal(block_with("sim.mode=functional", "l2.sectored=true", 64), 64);
    assert_int_equal(block_with("sim.mode=functional", "l2.sectored=false", 64), LINE);
    assert_int_equal(block_with("sim.mode=functional", "coherence.protocol=none", 64), 64);
    assert_int_equal(block_with("sim.mode=functional", "coherence.protocol=mesi", 64), LINE);
    assert_int_equal(block_with("sim.mode=functional", "coherence.protocol=write-through", 64), LINE);
    assert_int_equal(block_with("sim.mode=timing", "l2.slice_kb=0", 64), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_launches_fetch_what_is_set), cmocka_unit_test(queued_launches_keep_their_block),
        cmocka_unit_test(some_machines_have_one_block)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
