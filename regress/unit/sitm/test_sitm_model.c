/*
 * The rules of snapshot isolation in random runs: what the repaired rules guarantee, that every printed reading
 * breaks it, and which anomaly appears. With an argument: that many runs of each size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "regress/unit/sitm/sitm_model.h"

static uint64_t runs = 4000;
static struct sitm_result result;

/* Runs that count: something commits, aborts for each reason, edges, resets and exclusive attempts occur. */
static void all_right(void (*change)(struct sitm_rules *r), enum sitm_size size, enum sitm_check check)
{
    struct sitm_result sum = { 0 };
    for (uint64_t seed = 0; seed < runs; seed++) {
        struct sitm_setup s = sitm_setup_random(seed, size);
        s.check = check;
        if (change)
            change(&s.rules);
        assert_null(sitm_rules_check(&s.rules));
        sitm_model_run(&s, &result);
        if (result.error[0])
            fail_msg("size %d, seed %llu: %s", (int)size, (unsigned long long)seed, result.error);
        sum.commits += result.commits;
        sum.resets += result.resets;
        sum.exclusive += result.exclusive;
        sum.edges += result.edges;
        for (int i = 0; i < 4; i++)
            sum.aborts[i] += result.aborts[i];
    }
    assert_true(sum.commits > runs && sum.aborts[0] > runs && sum.resets > runs / 4 && sum.exclusive > runs / 100);
    assert_true(size != SITM_TINY || sum.aborts[1] > runs);
    assert_true(check == SITM_CHECK_SNAPSHOTS || (sum.aborts[2] > runs / 10 && sum.edges > runs));
}

static void few_threads_small_tables(void **state)
{
    all_right(NULL, SITM_TINY, SITM_CHECK_REPLAY);
}

static void few_threads_large_tables(void **state)
{
    all_right(NULL, SITM_ROOMY, SITM_CHECK_REPLAY);
}

static void more_threads(void **state)
{
    all_right(NULL, SITM_CROWD, SITM_CHECK_REPLAY);
}

/* Two version slots, tables of one entry, 8-bit stamps, 3-bit version numbers, one group of IDs. */
static void tiny(struct sitm_rules *r)
{
    r->slots = 2;
    r->writer_entries = r->reader_entries = r->groups = 1;
    r->stamp_bits = 8;
    r->version_bits = 3;
}

static void everything_tiny(void **state)
{
    for (uint64_t seed = 0; seed < runs; seed++) {
        struct sitm_setup s = sitm_setup_random(seed, SITM_TINY);
        tiny(&s.rules);
        sitm_model_run(&s, &result);
        assert_string_equal(result.error, "");
    }
}

static void batch_of_a_warp(struct sitm_rules *r)
{
    r->batch = SITM_BATCH_WARP;
}

static void prevts_cts(struct sitm_rules *r)
{
    r->prevts = SITM_PREVTS_CTS;
}

static void no_edges(struct sitm_rules *r)
{
    r->edges = false;
}

static void readings_that_are_right(void **state)
{
    all_right(batch_of_a_warp, SITM_TINY, SITM_CHECK_REPLAY);
    all_right(prevts_cts, SITM_TINY, SITM_CHECK_REPLAY);
}

static void precedence(struct sitm_rules *r)
{
    r->precedence_after = 1;
}

/* With precedence beside exclusive mode nothing changes that is guaranteed. */
static void precedence_before_exclusive_mode(void **state)
{
    all_right(precedence, SITM_TINY, SITM_CHECK_REPLAY);
    all_right(precedence, SITM_CROWD, SITM_CHECK_REPLAY);
}

/* Large tables: without exclusive mode every thread ends, whether other warps or lanes of its own abort it. */
static void without_exclusive_mode(void **state)
{
    for (uint64_t seed = 0; seed < runs; seed++) {
        struct sitm_setup s = sitm_setup_random(seed, SITM_CROWD);
        s.lanes = 1 + (uint32_t)seed % 2;
        s.warps = SITM_MOST_WARPS / s.lanes;
        s.rules.groups = SITM_MOST_GROUPS;
        s.rules.writer_entries = s.rules.reader_entries = 999;
        s.rules.precedence_after = 2;
        s.rules.exclusive_after = 0;
        sitm_model_run(&s, &result);
        assert_string_equal(result.error, "");
    }
}

/* One warp, large tables: its lanes abort only each other, and end without precedence and exclusive mode. */
static void lanes_of_one_warp(void **state)
{
    for (uint64_t seed = 0; seed < runs; seed++) {
        struct sitm_setup s = sitm_setup_random(seed, SITM_CROWD);
        s.lanes = SITM_MOST_LANES;
        s.warps = 1;
        s.rules.groups = SITM_MOST_GROUPS;
        s.rules.writer_entries = s.rules.reader_entries = 999;
        s.rules.precedence_after = UINT32_MAX;
        s.rules.exclusive_after = 0;
        sitm_model_run(&s, &result);
        assert_string_equal(result.error, "");
    }
}

static void snapshots_without_edges(void **state)
{
    all_right(no_edges, SITM_TINY, SITM_CHECK_SNAPSHOTS);
}

/* Some run among the first `most` of both sizes has an error that begins with `what`, and none another one, if
   `only`. */
static void breaks(void (*change)(struct sitm_rules *r), uint64_t most, const char *what, bool only)
{
    bool found = false;
    for (uint64_t i = 0; i < most && (!found || only); i++) {
        struct sitm_setup s = sitm_setup_random(i / 2, i & 1 ? SITM_ROOMY : SITM_TINY);
        s.check = SITM_CHECK_GRAPH;
        change(&s.rules);
        sitm_model_run(&s, &result);
        bool is = !strncmp(result.error, what, strlen(what));
        found = found || is;
        if (only && result.error[0] && !is)
            fail_msg("run %llu: %s", (unsigned long long)i, result.error);
    }
    if (!found)
        fail_msg("no %s in %llu runs", what, (unsigned long long)most);
}

/* ---- the graph of dependencies ---- */

static struct sitm_result exact(uint64_t seed, bool unpruned)
{
    struct sitm_setup s = sitm_setup_random(seed, seed & 1 ? SITM_ROOMY : SITM_CROWD);
    s.exact = true;
    s.unpruned = unpruned;
    s.rules.edges = false;
    sitm_model_run(&s, &result);
    return result;
}

/* Serialisable in the order in which transactions leave the graph; pruning changes nothing. */
static void exact_decision(void **state)
{
    uint64_t loops = 0, writes = 0;
    for (uint64_t seed = 0; seed < runs; seed++) {
        struct sitm_result r = exact(seed, false);
        if (r.error[0])
            fail_msg("seed %llu: %s", (unsigned long long)seed, r.error);
        loops += r.aborts[2];
        writes += r.aborts[0];
        assert_int_equal(r.aborts[1] + r.aborts[3], 0);
        if (seed % 8 < 2) {
            struct sitm_result all = exact(seed, true);
            assert_true(r.events == all.events && r.commits == all.commits && r.aborts[2] == all.aborts[2]);
        }
    }
    assert_true(loops > runs / 4 && writes > runs);
}

/* Plain snapshot isolation: a history with a cycle has loops, counted when they were closed. */
static void shadow_finds_every_cycle(void **state)
{
    uint64_t cycles = 0;
    for (uint64_t seed = 0; seed < runs; seed++) {
        struct sitm_setup s = sitm_setup_random(seed, SITM_ROOMY);
        s.check = SITM_CHECK_GRAPH;
        s.rules.edges = false;
        s.shadow = true;
        sitm_model_run(&s, &result);
        cycles += !strncmp(result.error, "cycle", 5);
        assert_true(!result.error[0] || (!strncmp(result.error, "cycle", 5) && result.loops));
    }
    assert_true(cycles > runs / 20);
}

/* About one loop abort for each loop: some loops end with an abort for another reason, some aborts are false alarms.
 * The shadow changes nothing. */
static void shadow_of_post_dating(void **state)
{
    uint64_t loops = 0, aborts = 0;
    for (uint64_t seed = 0; seed < runs / 4; seed++) {
        struct sitm_setup s = sitm_setup_random(seed, SITM_CROWD);
        s.shadow = true;
        sitm_model_run(&s, &result);
        assert_string_equal(result.error, "");
        uint64_t aborted = result.aborts[2], events = result.events;
        loops += result.loops;
        aborts += aborted;
        s.shadow = false;
        sitm_model_run(&s, &result);
        assert_true(result.events == events && result.aborts[2] == aborted && !result.loops);
    }
    assert_true(loops > runs / 4 && aborts > loops / 2 && aborts < 2 * loops);
}

/* ---- printed readings ---- */

static void retain_none(struct sitm_rules *r)
{
    r->retain = SITM_RETAIN_NONE;
}

static void fcw_uncommitted(struct sitm_rules *r)
{
    r->fcw = SITM_FCW_UNCOMMITTED;
}

static void postdating_printed(struct sitm_rules *r)
{
    r->postdating = SITM_POSTDATING_PRINTED;
}

static void postdating_unsigned(struct sitm_rules *r)
{
    r->postdating = SITM_POSTDATING_UNSIGNED;
}

static void floor_off(struct sitm_rules *r)
{
    r->floor = SITM_FLOOR_OFF;
}

static void unreference_commit(struct sitm_rules *r)
{
    r->unreference = SITM_UNREFERENCE_COMMIT;
}

static void never_exclusive(struct sitm_rules *r)
{
    r->exclusive_after = 0;
}

static void paper(struct sitm_rules *r)
{
    retain_none(r);
    fcw_uncommitted(r);
    postdating_printed(r);
    floor_off(r);
    prevts_cts(r);
}

static void printed_readings_break(void **state)
{
    breaks(no_edges, 1000, "cycle", true);
    breaks(retain_none, 400, "lost update", false);
    breaks(retain_none, 400, "cycle", false);
    breaks(fcw_uncommitted, 400, "lost update", false);
    breaks(postdating_printed, 1000, "cycle", true);
    breaks(postdating_unsigned, 1000, "cycle", true);
    breaks(floor_off, 1000, "cycle", true);
    breaks(unreference_commit, 1000, "deadlock", true);
    breaks(never_exclusive, 40, "livelock", true);
    breaks(paper, 100, "lost update", false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_threads_small_tables), cmocka_unit_test(few_threads_large_tables),
        cmocka_unit_test(more_threads), cmocka_unit_test(everything_tiny), cmocka_unit_test(readings_that_are_right),
        cmocka_unit_test(precedence_before_exclusive_mode),
        cmocka_unit_test(without_exclusive_mode), cmocka_unit_test(lanes_of_one_warp),
        cmocka_unit_test(snapshots_without_edges), cmocka_unit_test(printed_readings_break),
        cmocka_unit_test(exact_decision), cmocka_unit_test(shadow_finds_every_cycle),
        cmocka_unit_test(shadow_of_post_dating),
    };
    runs = argc > 1 ? strtoull(argv[1], NULL, 10) : runs;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
