/* Statistics: sums, ratios, and the JSON of real launches against figures counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/config/config.h"
#include "base/hist.h"
#include "base/stats.h"
#include "frontend/lib/simtx.h"
#include "regress/drop_host.h"

static void blocks_of_counters_are_summed(void **state)
{
    static struct counters total, one;
    one.count[STAT_BLOCKS] = 3;
    one.count[STAT_SECONDS] = 500000000;
    hist_add(&one.hists, HIST_LOAD_LATENCY, 7);
    counters_add(&total, &one);
    counters_add(&total, &one);
    assert_int_equal(total.count[STAT_BLOCKS], 6);
    assert_true(stats_value(total.count, STAT_SECONDS, 32) == 1.0);
    assert_int_equal(total.hists.h[HIST_LOAD_LATENCY].n, 2);
}

/* The classes of scheduler cycles, from the reasons of timing/stall.def. */
static void sums_have_their_parts(void **state)
{
    uint64_t count[STAT_END] = { 0 };
    count[STAT_ISSUED_SLOTS] = 5;
    count[STAT_STALL_ISSUE_WIDTH] = 20;
    count[STAT_STALL_BARRIER] = 100;
    count[STAT_STALL_SLEEP] = 1000;
    stats_sum_parts(count);
    assert_int_equal(count[STAT_CLASS_EXEC], 25);
    assert_int_equal(count[STAT_CLASS_IDLE], 1100);
    assert_int_equal(count[STAT_CLASS_STALL], 0);
}

static void ratios_of_nothing_are_zero(void **state)
{
    uint64_t count[STAT_END] = { 0 };
    assert_true(stats_value(count, STAT_LANE_UTILISATION, 32) == 0);
    assert_true(stats_value(count, STAT_THREAD_INST_PER_S, 32) == 0);
    count[STAT_WARP_INSTRUCTIONS] = 10;
    count[STAT_THREAD_INSTRUCTIONS] = 160;
    count[STAT_SECONDS] = 4000000000;
    assert_true(stats_value(count, STAT_LANE_UTILISATION, 32) == 0.5);
    assert_true(stats_value(count, STAT_THREAD_INST_PER_S, 32) == 40);
}

/* Energy in pJ and time in ps; shown: nJ, ns, W, J s. */
static void thousandths_and_products_have_units(void **state)
{
    uint64_t count[STAT_END] = { 0 };
    assert_true(stats_value(count, STAT_ENERGY_POWER, 32) == 0);
    count[STAT_ENERGY_L2] = 1500000;
    count[STAT_ENERGY_DRAM] = 500000;
    count[STAT_ENERGY_TIME] = 40000;
    stats_sum_parts(count);
    assert_true(stats_value(count, STAT_ENERGY_TOTAL, 32) == 2000);
    assert_true(stats_value(count, STAT_ENERGY_TIME, 32) == 40);
    assert_true(stats_value(count, STAT_ENERGY_POWER, 32) == 50);
    assert_true(stats_value(count, STAT_ENERGY_DELAY, 32) == 2000.0 * 40 * 1e-18);
}

/* Only lane 0 of a block passes the branch to the atomic addition; a branch counts for the lanes whose guard lets
 * them. */
static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry one(.param .u64 out)\n{\n"
    "  .reg .pred %p; .reg .b32 %r; .reg .b64 %d;\n"
    "  ld.param.u64 %d, [out];\n"
    "  mov.u32 %r, %tid.x;\n"
    "  setp.ne.u32 %p, %r, 0;\n"
    "  @%p bra END;\n"
    "  red.global.add.u32 [%d], %r;\n"
    "END:\n  ret;\n}\n"
    ".visible .entry trap_now()\n{\n  trap;\n}\n";

struct session { simtx_config *config; simtx_gpu *gpu; simtx_module *module; };

static void open_gpu_with(struct session *s, const char *setting, const char *other)
{
    char *message = NULL;
    s->config = simtx_config_new();
    assert_int_equal(simtx_config_set(s->config, setting, NULL), SIMTX_OK);
    assert_int_equal(simtx_config_set(s->config, other, NULL), SIMTX_OK);
    s->gpu = simtx_gpu_new(s->config, 0, &message);
    if (!s->gpu)
        fail_msg("%s", message);
    if (simtx_module_load(s->gpu, PTX, sizeof PTX - 1, "stats.ptx", &s->module))
        fail_msg("%s", simtx_last_message(s->gpu));
}

static void open_gpu(struct session *s, const char *setting)
{
    open_gpu_with(s, setting, setting);
}

static void close_gpu(struct session *s)
{
    simtx_gpu_free(s->gpu);
    simtx_config_free(s->config);
}

static simtx_status launch(struct session *s, const char *kernel, unsigned grid, unsigned block)
{
    void *out = NULL;
    const void *args[] = { &out };
    assert_int_equal(simtx_malloc(s->gpu, 4, SIMTX_MEM_DEVICE, &out), SIMTX_OK);
    simtx_launch_params p = { .grid = { grid, 1, 1 }, .block = { block, 1, 1 }, .args = args };
    return simtx_launch(simtx_module_kernel(s->module, kernel), &p, NULL, NULL);
}

static json_t *stats_of(struct session *s)
{
    char *text = simtx_stats_json(s->gpu);
    json_t *o = json_loads(text, 0, NULL);
    assert_non_null(o);
    free(text);
    return o;
}

static long long number(const json_t *o, const char *key)
{
    assert_true(json_is_integer(json_object_get(o, key)));
    return json_integer_value(json_object_get(o, key));
}

static const char *text(const json_t *o, const char *key)
{
    assert_true(json_is_string(json_object_get(o, key)));
    return json_string_value(json_object_get(o, key));
}

static void launches_are_counted(void **state)
{
    struct session s;
    open_gpu(&s, "gpu.sms=4");
    assert_int_equal(launch(&s, "one", 3, 64), SIMTX_OK);
    json_t *root = stats_of(&s), *k = json_array_get(json_object_get(root, "kernels"), 0);
    json_t *total = json_object_get(root, "total");
    assert_string_equal(text(k, "name"), "one");
    assert_int_equal(number(k, "blocks"), 3);
    assert_int_equal(number(k, "threads"), 192);
    /* 3 blocks of two warps; in the first warp 63 of 64 lanes branch and one adds, the second warp skips
     * the addition */
    assert_int_equal(number(k, "warp_instructions"), 3 * (2 * 5 + 1));
    assert_int_equal(number(k, "thread_instructions"), 3 * (64 * 3 + 63 + 1 + 64));
    assert_int_equal(number(total, "thread_instructions"), 3 * (64 * 3 + 63 + 1 + 64));
    assert_int_equal(number(total, "launches"), 1);
    assert_string_equal(text(k, "status"), "ok");
    assert_string_equal(text(k, "fault"), "none");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(k, "grid"), 0)), 3);
    assert_int_equal(number(json_object_get(root, "config"), "gpu.sms"), 4);
    json_decref(root);
    close_gpu(&s);
}

static void totals_count_launches_that_are_not_listed(void **state)
{
    struct session s;
    open_gpu(&s, "stats.launches=2");
    for (int i = 0; i < 5; i++)
        assert_int_equal(launch(&s, "one", 1, 32), SIMTX_OK);
    json_t *root = stats_of(&s);
    assert_int_equal(json_array_size(json_object_get(root, "kernels")), 2);
    assert_int_equal(number(json_object_get(root, "total"), "launches"), 5);
    assert_int_equal(number(json_object_get(root, "total"), "blocks"), 5);
    json_decref(root);
    close_gpu(&s);
}

static void faults_are_recorded(void **state)
{
    struct session s;
    open_gpu(&s, "gpu.sms=1");
    assert_int_equal(launch(&s, "trap_now", 1, 1), SIMTX_FAULT);
    json_t *root = stats_of(&s), *k = json_array_get(json_object_get(root, "kernels"), 0);
    assert_string_equal(text(k, "status"), "fault");
    assert_string_equal(text(k, "fault"), "trap");
    json_decref(root);
    close_gpu(&s);
}

/* "a.b" is b in the object a. */
static json_t *find(json_t *o, const char *name)
{
    const char *dot = strchr(name, '.');
    char part[64];
    if (!dot)
        return json_object_get(o, name);
    memcpy(part, name, (size_t)(dot - name));
    part[dot - name] = 0;
    return find(json_object_get(o, part), dot + 1);
}

/* Every figure of the table is in the JSON exactly where its place says. */
static void check_table(const char *setting, bool timing)
{
    struct session s;
    open_gpu(&s, setting);
    assert_int_equal(launch(&s, "one", 1, 32), SIMTX_OK);
    json_t *root = stats_of(&s), *k = json_array_get(json_object_get(root, "kernels"), 0);
    json_t *total = json_object_get(root, "total");
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        json_t *in_launch = t->place & STAT_OF_HOST ? json_object_get(k, "host") : k;
        json_t *in_total = t->place & STAT_OF_HOST ? json_object_get(total, "host") : total;
        assert_true(strlen(t->meaning) > 3);
        bool shown = !(t->place & STAT_OF_TIMING) || timing;
        assert_int_equal(find(in_launch, t->name) != NULL, shown && (t->place & STAT_IN_LAUNCH));
        assert_int_equal(find(in_total, t->name) != NULL, shown && (t->place & STAT_IN_TOTAL));
    }
    for (int i = 0; i < HIST_COUNT; i++)
        assert_int_equal(find(json_object_get(total, "histograms"), hist_table[i].name) != NULL, timing);
    assert_string_equal(text(root, "mode"), timing ? "timing" : "functional");
    for (int i = 0; i < KEY_COUNT; i++) {
        const char *group = config_keys[i].scope == CONFIG_HOST ? "host" : "config";
        assert_non_null(json_object_get(json_object_get(root, group), config_keys[i].name));
    }
    json_decref(root);
    close_gpu(&s);
}

static void json_holds_the_whole_table(void **state)
{
    check_table("gpu.sms=1", false);
    check_table("sim.mode=timing", true);
}

/* Without the "host" objects the statistics are the same for any number of host threads. */
static void only_host_objects_differ_between_runs(void **state)
{
    json_t *root[2];
    for (int i = 0; i < 2; i++) {
        struct session s;
        open_gpu_with(&s, i ? "functional.threads=2" : "functional.threads=1", "functional.threads_after=0");
        assert_int_equal(launch(&s, "one", 7, 96), SIMTX_OK);
        root[i] = stats_of(&s);
        drop_host(root[i]);
        close_gpu(&s);
    }
    assert_true(json_equal(root[0], root[1]));
    json_decref(root[0]);
    json_decref(root[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_counters_are_summed), cmocka_unit_test(sums_have_their_parts),
        cmocka_unit_test(ratios_of_nothing_are_zero), cmocka_unit_test(thousandths_and_products_have_units),
        cmocka_unit_test(launches_are_counted),
        cmocka_unit_test(totals_count_launches_that_are_not_listed),
        cmocka_unit_test(faults_are_recorded),
        cmocka_unit_test(json_holds_the_whole_table),
        cmocka_unit_test(only_host_objects_differ_between_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
