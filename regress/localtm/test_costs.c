/*
 * What GPU-LocalTM costs on the machine (GPU-LocalTM, section 4.2), for programs whose accesses are worked out by hand
 * (costs.ptx): by counters, and by the cycles that a run takes longer when a cost is higher. Costs of 100 and 200
 * cycles are compared, so that nothing is hidden behind other instructions.
 */
#include "regress/localtm/rig.h"

/* Cycles of a wavefront in an integer pipeline of 16 lanes: what a scalar instruction takes. */
enum { BASE = 4 };

struct costs { uint64_t runs, begin, commit, bloom, shadow, restore, broadcast; };

static struct costs costs_of(const struct rig *r)
{
    return (struct costs){
        .runs = rig_count(r, STAT_LOCALTM_RUNS), .begin = rig_count(r, STAT_LOCALTM_BEGIN_CYCLES),
        .commit = rig_count(r, STAT_LOCALTM_COMMIT_CYCLES), .bloom = rig_count(r, STAT_LOCALTM_BLOOM_CYCLES),
        .shadow = rig_count(r, STAT_LOCALTM_SHADOW_CYCLES), .restore = rig_count(r, STAT_LOCALTM_RESTORE_CYCLES),
        .broadcast = rig_count(r, STAT_LOCALTM_BROADCAST_CYCLES)
    };
}

/* The scheduler issues whenever it can: a cost of one cycle delays the warp by one cycle. */
static uint64_t run(const char *presets, const char *const *settings, const char *kernel, uint32_t threads,
                    struct costs *c)
{
    const char *all[8] = { "core.issue_in_turn=false" };
    struct rig r;
    for (int i = 0; settings && settings[i]; i++)
        all[i + 1] = settings[i];
    rig_open(&r, presets, all, "costs.ptx", NULL);
    rig_run(&r, kernel, 1, threads);
    *c = costs_of(&r);
    rig_close(&r);
    return r.cycles;
}

/* ---- counters ---- */

static void expect(const char *presets, const char *kernel, uint32_t threads, struct costs expected)
{
    struct costs c;
    run(presets, NULL, kernel, threads, &c);
    print_message("%s, %s\n", presets, kernel);
    assert_int_equal(c.runs, expected.runs);
    assert_int_equal(c.begin, expected.begin);
    assert_int_equal(c.commit, expected.commit);
    assert_int_equal(c.bloom, expected.bloom);
    assert_int_equal(c.shadow, expected.shadow);
    assert_int_equal(c.restore, expected.restore);
    assert_int_equal(c.broadcast, expected.broadcast);
}

/* An entry of the slowest bank is cleared a cycle; new accesses take 2, own ones 1, wrong filters 2. */
static void costs_are_the_paper_s(void **state)
{
    enum { BEGIN = BASE + 1, COMMIT = BASE + 1, NEW = 2, OWN = 1 };
    expect("localtm", "nothing", 64, (struct costs){ .runs = 1, .begin = BEGIN, .commit = COMMIT });
    expect("localtm", "words", 1, (struct costs){ 1, BEGIN, COMMIT + 3, 4, 4 * NEW, 0, 0 });
    expect("localtm", "again", 1, (struct costs){ 1, BEGIN, COMMIT + 1, 2, NEW + OWN, 0, 0 });
    expect("localtm", "alias", 1, (struct costs){ 1, BEGIN, COMMIT + 2, 2, 2 * NEW, 0, 0 });
    expect("localtm", "wide", 1, (struct costs){ 1, BEGIN, COMMIT + 1, 1, NEW, 0, 0 });
    expect("localtm", "slowest", 9, (struct costs){ 1, BEGIN, COMMIT + 8, 1, 8 * NEW, 0, 0 });
    expect("localtm", "loses", 2, (struct costs){ 2, 2 * BEGIN, 2 * COMMIT + 1 + 3, 15, 14 * NEW, 2, 3 });
}

/* The earlier form: an entry takes the two cycles of a bank, own accesses nothing, begin and commit no more than a
 * scalar instruction. */
static void costs_of_the_earlier_form(void **state)
{
    enum { ENTRY = 2 };
    static const char *const preset = "localtm+localtm-es";
    expect(preset, "nothing", 64, (struct costs){ .runs = 1, .begin = BASE, .commit = BASE });
    expect(preset, "words", 1, (struct costs){ 1, BASE, BASE + 3 * ENTRY, 4, 4 * ENTRY, 0, 0 });
    expect(preset, "again", 1, (struct costs){ 1, BASE, BASE + ENTRY, 2, ENTRY, 0, 0 });
    expect(preset, "alias", 1, (struct costs){ 1, BASE, BASE + 2 * ENTRY, 2, 2 * ENTRY, 0, 0 });
    expect(preset, "slowest", 9, (struct costs){ 1, BASE, BASE + 8 * ENTRY, 1, 8 * ENTRY, 0, 0 });
    expect(preset, "loses", 2, (struct costs){ 2, 2 * BASE, 2 * BASE + 4 * ENTRY, 15, 14 * ENTRY, 2 * ENTRY,
                                              3 * ENTRY });
}

static void perfect_costs_nothing(void **state)
{
    static const char *const preset = "localtm+localtm-perfect";
    expect(preset, "words", 1, (struct costs){ .runs = 1, .begin = BASE, .commit = BASE });
    expect(preset, "loses", 2, (struct costs){ .runs = 2, .begin = 2 * BASE, .commit = 2 * BASE });
}

/*
 * Work-group serialisation: thread 0 loses three times, with all lanes, again, and as the only one; then it runs alone.
 * The other warp is put back: its five entries, of which three are in one bank, are cleared at the tx_begin.
 */
static void a_warp_alone_clears_the_others(void **state)
{
    static const struct { const char *presets; unsigned begin, entry; } forms[] = {
        { "localtm", BASE + 1, 1 }, { "localtm+localtm-es", BASE, 2 }, { "localtm+localtm-perfect", BASE, 0 }
    };
    for (int i = 0; i < 3; i++) {
        struct rig r;
        rig_open(&r, forms[i].presets, NULL, "costs.ptx", NULL);
        rig_run(&r, "group", 1, 128);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_RUNS), 4 + 2);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_SERIAL), 1);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_GROUP), 1);
        assert_int_equal(rig_count(&r, STAT_TX_ABORT_CONFLICT), 3);
        assert_int_equal(rig_count(&r, STAT_TX_ABORT_SERIALISED), 1);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_RESTORED), 5);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_BEGIN_CYCLES), 6 * forms[i].begin + 3 * forms[i].entry);
        rig_close(&r);
    }
}

/* With localtm.group_after the lane runs by itself so many times before it asks to run alone. */
static void the_way_to_a_warp_alone_is_a_setting(void **state)
{
    for (unsigned after = 1; after <= 5; after += 2) {
        char text[40];
        const char *const settings[] = { text, NULL };
        struct rig r;
        snprintf(text, sizeof text, "localtm.group_after=%u", after);
        rig_open(&r, "localtm", settings, "costs.ptx", NULL);
        rig_run(&r, "group", 1, 128);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_SERIAL), after);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_GROUP), 1);
        assert_int_equal(rig_count(&r, STAT_LOCALTM_RUNS), 3 + after + 2);
        rig_close(&r);
    }
}

/* ---- cycles ---- */

static uint64_t cycles_with(const char *key, int value, const char *kernel, uint32_t threads)
{
    char text[60];
    const char *const settings[] = { text, NULL };
    struct costs c;
    snprintf(text, sizeof text, "localtm.%s=%d", key, value);
    return run("localtm", settings, kernel, threads, &c);
}

/* With the cost higher by 100 cycles the run takes so many times 100 cycles more. */
static void lengthens(const char *kernel, uint32_t threads, const char *key, unsigned times)
{
    uint64_t a = cycles_with(key, 100, kernel, threads), b = cycles_with(key, 200, kernel, threads);
    if (b - a != 100 * times)
        fail_msg("%s: %s is on the way %g times, expected %u", kernel, key, (double)(int64_t)(b - a) / 100, times);
}

static void a_run_takes_what_is_counted(void **state)
{
    lengthens("nothing", 64, "begin_cycles", 1);
    lengthens("nothing", 64, "commit_cycles", 1);
    lengthens("nothing", 64, "base_cycles", 2);
    lengthens("nothing", 64, "entry_cycles", 0);
    lengthens("words", 1, "filter_cycles", 4);
    lengthens("words", 1, "new_cycles", 4);
    lengthens("words", 1, "entry_cycles", 3);
    lengthens("again", 1, "owner_cycles", 1);
    lengthens("again", 1, "new_cycles", 1);
    lengthens("alias", 1, "owner_cycles", 0);
    lengthens("alias", 1, "new_cycles", 2);
    lengthens("wide", 1, "filter_cycles", 1);
    lengthens("wide", 1, "new_cycles", 1);
    lengthens("slowest", 9, "filter_cycles", 1);
    lengthens("slowest", 9, "new_cycles", 8);
    lengthens("slowest", 9, "entry_cycles", 8);
    lengthens("loses", 2, "begin_cycles", 2);
    lengthens("loses", 2, "commit_cycles", 2);
    lengthens("loses", 2, "base_cycles", 4);
    lengthens("loses", 2, "filter_cycles", 15);
    lengthens("loses", 2, "new_cycles", 14);
    lengthens("loses", 2, "entry_cycles", 2 + 3 + 1 + 3);
}

/* The ownership stage: without it an own access takes no cycle of the shadow memory. */
static void the_ownership_stage_is_a_switch(void **state)
{
    static const char *const off[] = { "localtm.ownership_stage=false", "localtm.owner_cycles=200", NULL };
    static const char *const on[] = { "localtm.ownership_stage=true", "localtm.owner_cycles=200", NULL };
    struct costs a, b;
    uint64_t without = run("localtm", off, "again", 1, &a), with = run("localtm", on, "again", 1, &b);
    assert_int_equal(a.shadow, 2);
    assert_int_equal(b.shadow, 2 + 200);
    assert_true(with - without > 190 && with - without <= 200);
}

static uint64_t total(const struct costs *c)
{
    return c->begin + c->commit + c->bloom + c->shadow + c->restore + c->broadcast;
}

/* With loads one behind the other nothing overlaps: what a machine without costs saves is what is counted. */
static void perfect_saves_what_is_counted(void **state)
{
    struct costs real, perfect;
    uint64_t a = run("localtm", NULL, "chain_inside", 1, &real);
    uint64_t b = run("localtm+localtm-perfect", NULL, "chain_inside", 1, &perfect);
    assert_int_equal(real.shadow, 2 + 4 * 1);
    assert_int_equal(real.bloom, 5);
    assert_int_equal(a - b, total(&real) - total(&perfect));
}

/* ---- the banks themselves ---- */

static uint64_t latency_of(const char *kernel, const char *latency)
{
    const char *const settings[] = { latency, NULL };
    struct costs c;
    return run("localtm", settings, kernel, 1, &c);
}

static void latency_is_2_cycles_inside_and_outside(void **state)
{
    static const char *const kernels[] = { "chain", "chain_inside" };
    for (int i = 0; i < 2; i++) {
        uint64_t two = latency_of(kernels[i], "shared.latency=2"), preset = latency_of(kernels[i], NULL);
        assert_int_equal(preset, two);
        assert_int_equal(latency_of(kernels[i], "shared.latency=12") - two, 5 * 10);
    }
}

struct passes { uint64_t passes, runs, commits, conflicts, false_conflicts; };

static void expect_passes(const char *kernel, struct passes expected)
{
    struct rig r;
    rig_open(&r, "localtm", NULL, "costs.ptx", NULL);
    rig_run(&r, kernel, 1, 64);
    print_message("%s\n", kernel);
    assert_int_equal(rig_count(&r, STAT_SHARED_PASSES), expected.passes);
    assert_int_equal(rig_count(&r, STAT_LOCALTM_RUNS), expected.runs);
    assert_int_equal(rig_count(&r, STAT_TX_COMMITS), expected.commits);
    assert_int_equal(rig_count(&r, STAT_LOCALTM_CONFLICTS), expected.conflicts);
    assert_int_equal(rig_count(&r, STAT_LOCALTM_FALSE), expected.false_conflicts);
    rig_close(&r);
}

/*
 * 32 banks for 64 lanes: two passes at the least. One word is broadcast outside transactions only; inside every lane
 * is looked at for itself, and one wins a run. Of lanes in one bank those win that have different bits of the filters:
 * the conflicts of the others are false.
 */
static void lanes_take_passes_of_32_banks(void **state)
{
    expect_passes("row", (struct passes){ .passes = 2 });
    expect_passes("same", (struct passes){ .passes = 2 });
    expect_passes("stride", (struct passes){ .passes = 64 });
    expect_passes("row_inside", (struct passes){ 2, 1, 64, 0, 0 });
    expect_passes("same_inside", (struct passes){ 64 * 65 / 2, 64, 64, 63 * 64 / 2, 0 });
    expect_passes("stride_inside", (struct passes){ 8 * (8 * 9 / 2), 8, 64, 8 * (7 * 8 / 2), 8 * (7 * 8 / 2) });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_the_paper_s),
        cmocka_unit_test(costs_of_the_earlier_form),
        cmocka_unit_test(perfect_costs_nothing),
        cmocka_unit_test(a_warp_alone_clears_the_others),
        cmocka_unit_test(the_way_to_a_warp_alone_is_a_setting),
        cmocka_unit_test(a_run_takes_what_is_counted),
        cmocka_unit_test(the_ownership_stage_is_a_switch),
        cmocka_unit_test(perfect_saves_what_is_counted),
        cmocka_unit_test(latency_is_2_cycles_inside_and_outside),
        cmocka_unit_test(lanes_take_passes_of_32_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
