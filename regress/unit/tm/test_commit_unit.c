/*
 * Commit units in a random machine: whatever the hazard mechanism, the ring, the queues and the buffers, what commits
 * is a serial execution in the order of commit IDs, and nothing is lost, done twice or stuck.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/config/config.h"
#include "regress/unit/tm/cu_rig.h"

static struct cu_rig_result result;

static const struct cu_rig_result *serialisable(struct cu_rig_setup s)
{
    cu_rig_run(&s, &result);
    assert_string_equal(result.error, "");
    assert_int_equal(result.commits + result.aborts, result.begun);
    assert_true(result.begun >= s.transactions && result.commits > result.begun / 20);
    assert_true(result.count[STAT_CU_ENTRIES] == result.begun * s.units);
    return &result;
}

/* Several seeds, and each hazard mechanism. */
static void all_serialisable(struct cu_rig_setup s)
{
    for (int h = CU_HAZARDS_LWH; h <= CU_HAZARDS_BF_ARRAY; h++)
        for (s.seed = 1; s.seed <= 3; s.seed++) {
            s.cfg.hazards = (enum cu_hazards)h;
            serialisable(s);
        }
}

static struct cu_rig_setup tiny_history(struct cu_rig_setup s)
{
    s.cfg.lwh_sets = s.cfg.lwh_ways = 1;
    s.cfg.lwh_buckets = s.cfg.lwh_arrays = 2;
    s.cfg.bf_bits = 8;
    return s;
}

static void plain(void **state)
{
    all_serialisable(cu_rig_default());
}

static void every_address_is_an_alias(void **state)
{
    struct cu_rig_setup s = tiny_history(cu_rig_default());
    all_serialisable(s);
    assert_true(result.count[STAT_CU_FALSE_HAZARDS] > 0);
    s.cfg.hazards = CU_HAZARDS_LWH;
    serialisable(s);
    assert_true(result.count[STAT_CU_LWH_EVICTIONS] > 0 && result.count[STAT_CU_LWH_FALSE] > 0);
    s.cfg.granularity = 64;
    all_serialisable(s);
}

static void few_words_many_conflicts(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.words = 6;
    all_serialisable(s);
    assert_true(result.aborts > result.commits / 2);
}

static void many_words_few_conflicts(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.words = 1 << 16;
    all_serialisable(s);
    assert_true(result.aborts < result.commits / 20);
}

static void input_queue_of_one(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.input = 1;
    s.delay = 2;
    all_serialisable(s);
    assert_true(result.count[STAT_CU_INPUT_FULL] > 0);
}

static void finite_ring_with_credits(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.ring = 5;
    all_serialisable(s);
}

static void finite_ring_with_handshake(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.ring = 5;
    s.allocate = true;
    all_serialisable(s);
}

static void ring_that_grows(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cores = 16;
    s.batches = 16;
    s.lanes = 16;
    s.words = 4096;
    s.transactions = 8000;
    all_serialisable(s);
    assert_true(result.hists.h[HIST_CU_ENTRIES].max > 1000);
}

static void sets_sent_again(void **state)
{
    for (int a = CU_BUFFERS_ALL; a <= CU_BUFFERS_NEEDED; a++) {
        struct cu_rig_setup s = cu_rig_default();
        s.cfg.accounting = (enum cu_buffers)a;
        s.cfg.read_buffer = s.cfg.write_buffer = 1;
        s.cfg.buffers = 5;
        s.reads = s.writes = 12;
        s.words = 256;
        all_serialisable(s);
        assert_true(result.count[STAT_CU_READ_OVERFLOWS] > 0 && result.count[STAT_CU_WRITE_OVERFLOWS] > 0);
    }
}

static void sets_of_several_chunks(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.reads = s.writes = 30;
    s.units = 1;
    s.words = 1024;
    s.transactions = 500;
    all_serialisable(s);
    assert_true(result.hists.h[HIST_CU_READ_BUFFER].max > 24);
}

static void overflow_without_resending_fails(void **state)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.write_buffer = 1;
    s.cfg.resend = false;
    all_serialisable(s);
    assert_true(result.count[STAT_CU_WRITE_OVERFLOWS] > 0);
}

static void variants(void **state)
{
    for (unsigned i = 1; i < 32; i++) {
        struct cu_rig_setup s = tiny_history(cu_rig_default());
        s.cfg.pass_waiting = i & 1;
        s.cfg.fail_at_hazard = i >> 1 & 1;
        s.cfg.ideal_validation = i >> 2 & 1;
        s.cfg.ideal_commit = i >> 3 & 1;
        s.cfg.latency = i >> 4 & 1 ? 25 : 0;
        s.cfg.read_buffer = i % 3;
        s.transactions = 500;
        all_serialisable(s);
    }
}

/* Sleeping until the next cycle asked for changes nothing: not an outcome, not a statistic. */
static void skipped_cycles_count(void **state)
{
    static struct cu_rig_result every;
    struct cu_rig_setup s = tiny_history(cu_rig_default());
    s.cfg.latency = 7;
    s.cfg.pass_waiting = true;
    s.cfg.ideal_commit = true;
    s.delay = 200;
    s.every_cycle = true;
    every = *serialisable(s);
    s.every_cycle = false;
    serialisable(s);
    assert_true(result.runs * 2 < every.runs);
    assert_int_equal(result.cycles, every.cycles);
    assert_memory_equal(result.count, every.count, sizeof every.count);
    assert_memory_equal(&result.hists, &every.hists, sizeof every.hists);
}

/* ---- configuration ---- */

static void defaults_are_the_papers(void **state)
{
    struct simtx_config *config = config_new();
    struct cu_cfg c;
    struct diag d = { 0 };
    cu_configure(&c, config);
    assert_true(config_check(config, &d));
    assert_true(c.hazards == CU_HAZARDS_LWH && c.lwh_sets * c.lwh_ways == 512);
    assert_true(c.lwh_buckets == 1024 && c.lwh_arrays == 4);
    assert_true(c.bf_bits == 512 && c.bf_functions == 4 && c.resend && !c.ring && c.input == 64 && !c.limit);
    config_free(config);
}

/* The key is set to the value in a default configuration; the rules name it, its value and its place, or accept. */
static void expect(const char *key, const char *value, bool accepted)
{
    struct simtx_config *config = config_new();
    struct diag d = { 0 };
    char setting[100];
    snprintf(setting, sizeof setting, "%s = %s (test)", key, value);
    assert_true(config_set(config, key, value, "test", NULL, &d, 0));
    assert_int_equal(config_check(config, &d), accepted);
    assert_true(accepted || strstr(d.text, setting));
    diag_free(&d);
    config_free(config);
}

static void impossible_configurations_are_named(void **state)
{
    expect("kilotm.lwh_sets", "100", false);
    expect("kilotm.lwh_sets", "1", true);
    expect("kilotm.lwh_buckets", "1000", false);
    expect("kilotm.lwh_arrays", "3", false);
    expect("kilotm.lwh_arrays", "1", true);
    expect("kilotm.granularity", "12", false);
    expect("kilotm.granularity", "32", true);
    expect("kilotm.bf_bits", "500", false);
    expect("kilotm.ring", "63", false);
    expect("kilotm.ring", "64", true);
    expect("kilotm.buffers", "1", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain), cmocka_unit_test(every_address_is_an_alias),
        cmocka_unit_test(few_words_many_conflicts), cmocka_unit_test(many_words_few_conflicts),
        cmocka_unit_test(input_queue_of_one),
        cmocka_unit_test(finite_ring_with_credits), cmocka_unit_test(finite_ring_with_handshake),
        cmocka_unit_test(ring_that_grows), cmocka_unit_test(sets_sent_again), cmocka_unit_test(sets_of_several_chunks),
        cmocka_unit_test(overflow_without_resending_fails), cmocka_unit_test(variants),
        cmocka_unit_test(skipped_cycles_count), cmocka_unit_test(defaults_are_the_papers),
        cmocka_unit_test(impossible_configurations_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
