/*
 * GPU-LocalTM (section numbers are those of the paper): filters by bank and place, the three outcomes and their costs,
 * shadow memory in the block's own bytes, conflict broadcast, filters that tell reads from writes, two-level
 * serialisation with the masks of table 1, and what a block takes.
 */
#include "regress/unit/tm/localtm_rig.h"

enum { WORDS = 1024, BYTES = 4 * WORDS, BASE = 10 };

static struct rig *new_rig(const char *setting)
{
    const char *settings[] = { setting, NULL };
    struct rig *r = rig_new(BYTES, settings);
    rig_begin(r);
    return r;
}

static bool conflicts(struct rig *r, uint32_t thread, uint32_t word)
{
    return rig_access(r, thread, MOP_STORE, word, 1, 50 + thread).conflicts != 0;
}

/* ---- 3.3: detection ---- */

/* Word 35 is at place 1 of bank 3, bit 1. */
static void filters_are_of_bank_and_place(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(conflicts(r, 3, 35));
    assert_int_equal(localtm_cell(r->k, r->k->blocks, 3, 3)->filter[LOCALTM_FILTER_WRITE], 1 << 1);
    assert_false(conflicts(r, 200, 36));                 /* bank 4 */
    assert_false(conflicts(r, 201, 35 + 32));            /* bit 2 */
    assert_int_equal(r->c.count[STAT_LOCALTM_CONFLICTS], 0);
    assert_true(conflicts(r, 202, 35));
    assert_int_equal(r->c.count[STAT_LOCALTM_FALSE], 0);
    assert_true(conflicts(r, 203, 35 + 8 * 32));         /* place 9, bit 1 */
    assert_int_equal(r->c.count[STAT_LOCALTM_FALSE], 1);
    rig_free(r);
}

static void outcomes_cost_their_cycles(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_int_equal(rig_access(r, 0, MOP_LOAD, 5, 1, 0).cycles, 1 + 2);             /* new */
    assert_int_equal(rig_access(r, 0, MOP_STORE, 5, 1, 1).cycles, 1 + 1);            /* own */
    assert_int_equal(rig_access(r, 0, MOP_LOAD, 5 + 256, 1, 0).cycles, 1 + 2);       /* alias */
    assert_int_equal(rig_access(r, 0, MOP_STORE, 6, 1, 1).cycles, 1 + 2);
    assert_int_equal(r->c.count[STAT_LOCALTM_NEW], 2);
    assert_int_equal(r->c.count[STAT_LOCALTM_AGAIN], 1);
    assert_int_equal(r->c.count[STAT_LOCALTM_ALIAS], 1);
    /* conflicts with thread 70's word: two entries of bank 5 are cleared there, one of bank 6 by the broadcast */
    assert_false(conflicts(r, 70, 5 + 32));
    assert_int_equal(rig_access(r, 0, MOP_STORE, 5 + 32, 1, 1).cycles, 1 + 2 + 1);
    assert_int_equal(r->c.count[STAT_LOCALTM_RESTORE_CYCLES], 2);
    assert_int_equal(r->c.count[STAT_LOCALTM_BROADCAST_CYCLES], 1);
    assert_int_equal(r->c.count[STAT_LOCALTM_BLOOM_CYCLES], 6);
    assert_int_equal(r->c.count[STAT_LOCALTM_SHADOW_CYCLES], 2 + 1 + 2 + 2 + 2);
    assert_int_equal(r->c.count[STAT_LOCALTM_RESTORED], 3);
    rig_free(r);
}

static void slowest_bank_counts(void **state)
{
    struct rig *r = new_rig(NULL);
    /* bank 0: three new words; bank 1: one; bank 2: two */
    const uint32_t word[] = { 0, 1, 32, 64, 2, 34 };
    assert_int_equal(rig_access_lanes(r, 0, MOP_LOAD, 0x3f, word, 1).cycles, 1 + 3 * 2);
    assert_int_equal(r->c.count[STAT_LOCALTM_BLOOM_CYCLES], 1);
    assert_int_equal(r->c.count[STAT_LOCALTM_SHADOW_CYCLES], 6);
    assert_int_equal(r->c.count[STAT_LOCALTM_ACCESSES], 6);
    rig_free(r);
}

static void without_a_stage_own_words_are_free(void **state)
{
    struct rig *r = new_rig("localtm.ownership_stage=false");
    assert_int_equal(rig_access(r, 0, MOP_LOAD, 5, 1, 0).cycles, 3);
    assert_int_equal(rig_access(r, 0, MOP_STORE, 5, 1, 1).cycles, 1);
    assert_int_equal(rig_access(r, 0, MOP_STORE, 5 + 256, 1, 1).cycles, 3);
    rig_free(r);
}

static void perfect_costs_nothing_and_finds_the_same(void **state)
{
    struct rig *r = new_rig("localtm.perfect=true");
    assert_int_equal(rig_access(r, 0, MOP_STORE, 5, 1, 1).cycles, 0);
    assert_int_equal(rig_access(r, 9, MOP_STORE, 5 + 256, 1, 1).cycles, 0);
    assert_int_equal(r->c.count[STAT_LOCALTM_FALSE], 1);
    assert_int_equal(tm_localtm.commit(r->k, 2, 1, 0), BASE);
    assert_int_equal(tm_localtm.attempt(r->k, 3, 1, true, 0), BASE);
    rig_free(r);
}

static void lowest_lane_comes_first(void **state)
{
    struct rig *r = new_rig(NULL);
    const uint32_t word[] = { 9, 7, 7, 9, 7 };
    assert_int_equal(rig_access_lanes(r, 1, MOP_LOAD, 0x1f, word, 1).conflicts, 0x1c);
    rig_free(r);
}

/* Lanes 1 to 3 take words 0 and 1, 1 and 2, 2 and 3. Lane 2 aborts by a conflict with lane 1 in bank 1. Lane 3
 * conflicts with lane 2 in bank 2, unless it comes after the broadcast. */
static uint64_t aborted_lanes_of_a_row(struct rig *r)
{
    const uint32_t wide[] = { 0, 0, 1, 2 };
    rig_begin(r);
    return rig_access_lanes(r, 0, MOP_LOAD, 0xe, wide, 2).conflicts;
}

static void lanes_that_conflict_in_two_banks_both_abort(void **state)
{
    struct rig *r = new_rig(NULL);
    const uint32_t first[] = { 64, 65 }, second[] = { 65, 64 };
    assert_int_equal(rig_access_lanes(r, 1, MOP_STORE, 3, first, 1).conflicts, 0);
    assert_int_equal(rig_access_lanes(r, 1, MOP_STORE, 3, second, 1).conflicts, 3);
    assert_int_equal(r->c.count[STAT_LOCALTM_CONFLICTS], 2);
    assert_int_equal(aborted_lanes_of_a_row(r), 0x4);
    rig_free(r);
    r = new_rig("localtm.broadcast_passes=false");
    assert_int_equal(aborted_lanes_of_a_row(r), 0xc);
    rig_free(r);
}

/* Lanes 0 to 2 own words 64, 65 and 66 of three banks. Then lanes 0 and 1 take each other's words in one pass; lane 2
 * takes word 65 in the next, in which it has no owner. Lanes of the other half come later, too. */
static void words_of_aborted_lanes_are_free_in_the_next_pass(void **state)
{
    const uint32_t first[] = { 64, 65, 66 }, second[] = { 65, 64, 65 };
    const char *settings[] = { NULL, "localtm.broadcast_passes=false" };
    for (int i = 0; i < 2; i++) {
        struct rig *r = new_rig(settings[i]);
        assert_int_equal(rig_access_lanes(r, 1, MOP_STORE, 7, first, 1).conflicts, 0);
        assert_int_equal(rig_access_lanes(r, 1, MOP_STORE, 7, second, 1).conflicts, i ? 7 : 3);
        rig_free(r);
    }
    uint32_t own[64] = { [0] = 64, [40] = 65 }, other[64] = { [0] = 65, [40] = 64 };
    struct rig *r = new_rig(NULL);
    uint64_t lanes = 1 | UINT64_C(1) << 40;
    assert_int_equal(rig_access_lanes(r, 1, MOP_STORE, lanes, own, 1).conflicts, 0);
    assert_int_equal(rig_access_lanes(r, 1, MOP_STORE, lanes, other, 1).conflicts, 1);
    rig_free(r);
}

static void wide_accesses_conflict_by_any_word(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(conflicts(r, 100, 43));
    assert_int_equal(rig_access(r, 7, MOP_LOAD, 40, 4, 0).conflicts, 1 << 7);
    assert_false(conflicts(r, 101, 40));
    assert_false(conflicts(r, 102, 42));
    rig_free(r);
}

static void words_of_bytes_are_whole(void **state)
{
    struct rig *r = new_rig(NULL);
    r->op.kind = MOP_STORE;
    r->op.width = 1;
    r->op.address[3] = 41;
    r->op.address[4] = 42;
    assert_int_equal(tm_localtm.access(r->k, 0, &r->op, 1 << 3, 0).conflicts, 0);
    assert_int_equal(tm_localtm.access(r->k, 0, &r->op, 1 << 4, 0).conflicts, 1 << 4);
    assert_int_equal(r->c.count[STAT_LOCALTM_ACCESSES], 2);
    rig_free(r);
}

/* ---- 3.2: version management ---- */

static void shadow_memory_is_behind_the_words(void **state)
{
    const char *none[] = { NULL };
    struct rig *r = rig_new(4 * 1000, none);         /* 1024 words, in whole rows */
    rig_begin(r);
    assert_int_equal(r->words, 1024);
    assert_false(conflicts(r, 201, 77));
    assert_int_equal(*rig_word(r, 77), 251);
    assert_int_equal(*rig_word(r, 77 + 1024), 1077);
    assert_int_equal(r->shared[8 * 1024 + 77], 201);
    assert_false(conflicts(r, 201, 77));                 /* the old value stays */
    assert_int_equal(*rig_word(r, 77 + 1024), 1077);
    rig_abort(r, 201);
    assert_int_equal(*rig_word(r, 77), 1077);
    rig_free(r);
}

/* Its number is what memory of zeros says, and what a byte says that nobody has cleared. */
static void thread_0_does_not_own_what_has_no_owner(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(conflicts(r, 0, 8));
    assert_int_equal(rig_access(r, 0, MOP_STORE, 8 + 256, 1, 1).cycles, 3);
    rig_commit(r, 0);
    assert_int_equal(rig_access(r, 0, MOP_STORE, 8, 1, 2).cycles, 3);
    assert_int_equal(rig_access(r, 0, MOP_STORE, 8 + 256, 1, 2).cycles, 3);
    rig_abort(r, 0);
    assert_int_equal(*rig_word(r, 8 + 256), 1);
    rig_free(r);
}

static void aborted_lanes_are_restored_everywhere(void **state)
{
    struct rig *r = new_rig(NULL);
    for (uint32_t w = 0; w < 64; w += 9)
        assert_false(conflicts(r, 12, w));
    assert_false(conflicts(r, 13, 64));
    assert_true(conflicts(r, 12, 64));
    for (uint32_t w = 0; w < 64; w += 9) {
        assert_int_equal(*rig_word(r, w), 1000 + w);
        assert_false(conflicts(r, 14, w));
    }
    rig_abort(r, 12);                                /* nothing is left to put back */
    for (uint32_t w = 0; w < 64; w += 9)
        assert_int_equal(*rig_word(r, w), 64);
    assert_int_equal(r->c.count[STAT_LOCALTM_RESTORED], 8);
    rig_free(r);
}

/* Its abort may wait for what the warp has under way. */
static void aborted_lanes_conflict_until_their_next_attempt(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(conflicts(r, 13, 64));
    assert_true(conflicts(r, 12, 64));
    assert_true(conflicts(r, 12, 500));
    rig_abort(r, 12);
    tm_localtm.attempt(r->k, rig_slot(12), ~UINT64_C(0), false, 0);
    assert_false(conflicts(r, 12, 500));
    rig_free(r);
}

static void commits_let_go_of_words(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(conflicts(r, 1, 3));
    assert_false(conflicts(r, 1, 35));
    assert_false(conflicts(r, 1, 4));
    assert_false(conflicts(r, 2, 67));
    assert_int_equal(tm_localtm.commit(r->k, rig_slot(1), 3 << 1, 0), BASE + 1 + 3);
    assert_true(conflicts(r, 100, 3));
    rig_commit(r, 1);
    assert_int_equal(*rig_word(r, 3), 51);
    assert_false(conflicts(r, 102, 35));
    rig_abort(r, 1);
    assert_int_equal(*rig_word(r, 3), 51);
    assert_false(conflicts(r, 101, 3));
    rig_free(r);
}

static void plain_accesses_to_owned_words_are_counted(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(conflicts(r, 1, 3));
    r->op.width = 8;
    r->op.address[0] = 8;
    r->op.address[1] = 16;
    tm_localtm.plain(r->k, 3, &r->op, 3, 0);
    assert_int_equal(r->c.count[STAT_LOCALTM_PLAIN], 1);
    rig_free(r);
}

/* ---- an extension: reads and writes ---- */

static void reads_share_words(void **state)
{
    struct rig *r = new_rig("localtm.read_write_filters=true");
    assert_int_equal(rig_access(r, 1, MOP_LOAD, 40, 1, 0).cycles, 1);
    assert_int_equal(rig_access(r, 100, MOP_LOAD, 40, 1, 0).conflicts, 0);
    assert_int_equal(r->c.count[STAT_LOCALTM_READS], 2);
    struct tm_word read = { .address = 160 };
    r->c.lane[rig_slot(100)][100 % RIG_LANES].shared_reads = (struct tm_set){ &read, 1, 1 };
    assert_true(conflicts(r, 1, 40));
    assert_int_equal(r->c.count[STAT_LOCALTM_FALSE], 0);
    assert_true(conflicts(r, 2, 40 + 256));              /* thread 100 has not read this one */
    assert_int_equal(r->c.count[STAT_LOCALTM_FALSE], 1);
    assert_false(conflicts(r, 100, 40));                 /* it reads alone now */
    assert_int_equal(rig_access(r, 3, MOP_LOAD, 40, 1, 0).conflicts, 1 << 3);
    assert_int_equal(r->c.count[STAT_LOCALTM_FALSE], 1);
    rig_free(r);
}

/* ---- 3.1: serialisation ---- */

static bool alone(struct rig *r, uint32_t slot, uint64_t lanes, uint64_t aborted, uint64_t now)
{
    bool one = tm_localtm.serialise(r->k, slot, lanes, aborted, now);
    r->c.in[slot] = one ? lanes & -lanes : lanes;
    r->c.committing[slot] = false;
    tm_localtm.attempt(r->k, slot, r->c.in[slot], false, now);
    return one;
}

/* Table 1: work-items 2 and 3 conflict twice, the third attempt is work-item 2 alone, the fourth the other. */
static void masks_of_table_1(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(alone(r, 0, 0xc, 0xc, 10));
    assert_true(alone(r, 0, 0xc, 0xc, 20));
    assert_false(alone(r, 0, 0x8, 0, 30));
    tm_localtm.ended(r->k, 0, 40);
    assert_int_equal(r->c.count[STAT_LOCALTM_RUNS], 4);
    assert_int_equal(r->c.count[STAT_LOCALTM_SERIAL], 1);
    assert_int_equal(r->c.count[STAT_LOCALTM_GROUP], 0);
    tm_localtm.attempt(r->k, 0, 0xc, true, 50);      /* a new transaction has no mask before */
    assert_false(alone(r, 0, 0xc, 0xc, 60));
    rig_free(r);
}

/* A lane that the protocol for global memory has aborted does not need the block for itself. */
static void aborts_elsewhere_do_not_stop_the_block(void **state)
{
    struct rig *r = new_rig(NULL);
    assert_false(alone(r, 0, 6, 6, 1));
    assert_true(alone(r, 0, 6, 0, 2));
    assert_true(alone(r, 0, 6, 0, 3));
    assert_int_equal(r->c.run_at, NEVER);
    assert_true(tm_localtm.may_run(r->k, 0));
    assert_true(alone(r, 0, 6, 2, 4));
    assert_int_equal(r->c.run_at, 5);
    assert_false(tm_localtm.may_run(r->k, 0));
    assert_int_equal(r->c.count[STAT_LOCALTM_SERIAL], 2);
    rig_free(r);
}

/* Slot 3 is the block's third warp, slot 1 its fourth. */
static void want(struct rig *r, uint32_t slot, uint64_t now)
{
    alone(r, slot, 6, 6, now - 2);
    alone(r, slot, 6, 6, now - 1);
    assert_true(alone(r, slot, 6, 6, now));
}

static void one_warp_runs_alone(void **state)
{
    struct rig *r = new_rig(NULL);
    for (uint32_t w = 0; w < 3; w++)
        assert_false(conflicts(r, 0, 32 * w));           /* slot 2: three entries in bank 0 */
    assert_false(conflicts(r, 64, 96));                  /* slot 0: one more */
    r->c.in[1] = 0;                                  /* outside */
    want(r, 3, 100);
    assert_int_equal(tm_localtm.run(r->k, 101), 101 + BASE + 1 + 4);
    assert_int_equal(*rig_word(r, 0), 1000);
    assert_int_equal(r->c.aborted[2], ~UINT64_C(0));
    assert_int_equal(r->c.aborted[0], ~UINT64_C(0));
    assert_int_equal(r->c.aborted[1] | r->c.aborted[3], 0);
    assert_false(tm_localtm.may_begin(r->k, 1));
    assert_true(conflicts(r, 0, 900));
    assert_false(alone(r, 2, ~UINT64_C(0), 1, 102));
    assert_false(tm_localtm.may_run(r->k, 2));
    assert_int_equal(tm_localtm.run(r->k, 102), 116);
    assert_false(tm_localtm.may_run(r->k, 3));
    assert_int_equal(tm_localtm.run(r->k, 116), NEVER);
    assert_true(tm_localtm.may_run(r->k, 3));
    assert_int_equal(r->c.nresumed, 1);
    assert_false(alone(r, 3, 4, 0, 130));
    assert_int_equal(r->c.count[STAT_LOCALTM_GROUP], 1);
    /* one after the other: first the warp inside a transaction, then the one at its first tx_begin */
    const uint32_t resumed[] = { 3, 2, 1 };
    assert_int_equal(r->c.nresumed, 2);
    assert_true(tm_localtm.may_run(r->k, 2) && !tm_localtm.may_begin(r->k, 1));
    tm_localtm.ended(r->k, 2, 140);
    assert_int_equal(r->c.nresumed, 3);
    assert_memory_equal(r->c.resumed, resumed, sizeof resumed);
    assert_true(tm_localtm.may_begin(r->k, 1));
    rig_free(r);
}

static void turns_go_by_cycle_and_warp(void **state)
{
    struct rig *r = new_rig(NULL);
    want(r, 1, 100);
    want(r, 3, 100);
    want(r, 0, 99);
    r->c.in[2] = 0;
    tm_localtm.run(r->k, 101);
    assert_int_equal(r->k->blocks->runner, 0);
    assert_int_equal(r->c.aborted[1] | r->c.aborted[3], 0);  /* they stand at tx_begin */
    tm_localtm.ended(r->k, 0, 110);
    assert_int_equal(r->k->blocks->runner, 3);       /* the third warp, before the fourth */
    r->c.in[0] = 0;
    alone(r, 3, 4, 0, 120);
    assert_int_equal(r->k->blocks->runner, 1);
    assert_int_equal(r->c.aborted[3], 0);            /* its attempt is over, and the next one has not begun */
    assert_false(tm_localtm.may_run(r->k, 3));
    tm_localtm.ended(r->k, 1, 130);
    assert_int_equal(r->k->blocks->runner, LOCALTM_NO_SLOT);
    assert_true(tm_localtm.may_run(r->k, 3));
    rig_free(r);
}

static void commits_come_before_a_warp_alone(void **state)
{
    struct rig *r = new_rig(NULL);
    char text[200] = "";
    r->c.committing[2] = true;
    want(r, 3, 100);
    assert_int_equal(tm_localtm.run(r->k, 101), NEVER);
    assert_true(tm_localtm.may_begin(r->k, 0));
    tm_localtm.describe(r->k, 3, text, sizeof text);
    assert_string_equal(text, ": it will run alone in its block after the commit of warp slot 2");
    r->c.committing[2] = false;
    r->c.in[2] = 0;
    r->c.run_at = NEVER;
    tm_localtm.ended(r->k, 2, 150);
    assert_int_equal(r->c.run_at, 151);
    tm_localtm.run(r->k, 151);
    assert_int_equal(r->k->blocks->runner, 3);
    *text = 0;
    tm_localtm.describe(r->k, 0, text, sizeof text);
    assert_string_equal(text, ": warp slot 3 runs alone in its block");
    rig_free(r);
}

static void lanes_may_step_on(void **state)
{
    struct rig *r = new_rig("localtm.step_on=true");
    r->c.to_commit = 20;
    tm_localtm.serialise(r->k, 0, 6, 6, 1);
    assert_int_equal(tm_localtm.attempt(r->k, 0, 6, false, 1), 20 + BASE + 1);
    assert_int_equal(r->c.count[STAT_LOCALTM_STEP_CYCLES], 20);
    tm_localtm.commit(r->k, 0, 4, 2);
    tm_localtm.serialise(r->k, 0, 2, 2, 3);              /* a lane came to tx_commit */
    assert_int_equal(tm_localtm.attempt(r->k, 0, 2, false, 3), BASE + 1);
    rig_free(r);
}

/* ---- 4.3: resources ---- */

static void blocks_need_filters_shadows_and_masks(void **state)
{
    const char *lds[] = { "gpu.shared_per_sm=65536", NULL };
    struct rig *r = rig_new(BYTES, lds);
    struct tm_block_resources n;
    tm_localtm.resources(r->c.config, 29056, 4, &n);
    assert_int_equal(n.shared, 29056 * 2 + 29056 / 4);
    assert_int_equal(n.shared_most, 29056);
    assert_int_equal(n.registers, 8192);
    assert_int_equal(n.register_copies, 2);
    assert_int_equal(n.blocks, 512);
    assert_int_equal(n.threads, 256);
    tm_localtm.resources(r->c.config, 29057, 4, &n);
    assert_int_equal(n.shared, 0);
    tm_localtm.resources(r->c.config, 4, 1, &n);
    assert_int_equal(n.shared, 128 + 128 + 32);
    rig_free(r);
    const char *half[] = { "gpu.shared_per_sm=65536", "localtm.group_bytes=32768", "localtm.filter_bits=64", NULL };
    r = rig_new(BYTES, half);
    tm_localtm.resources(r->c.config, 1, 4, &n);
    assert_int_equal(n.shared_most, 14464);
    assert_int_equal(n.registers, 16384);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_of_bank_and_place),
        cmocka_unit_test(outcomes_cost_their_cycles),
        cmocka_unit_test(slowest_bank_counts),
        cmocka_unit_test(without_a_stage_own_words_are_free),
        cmocka_unit_test(perfect_costs_nothing_and_finds_the_same),
        cmocka_unit_test(lowest_lane_comes_first),
        cmocka_unit_test(lanes_that_conflict_in_two_banks_both_abort),
        cmocka_unit_test(words_of_aborted_lanes_are_free_in_the_next_pass),
        cmocka_unit_test(wide_accesses_conflict_by_any_word),
        cmocka_unit_test(words_of_bytes_are_whole),
        cmocka_unit_test(shadow_memory_is_behind_the_words),
        cmocka_unit_test(thread_0_does_not_own_what_has_no_owner),
        cmocka_unit_test(aborted_lanes_are_restored_everywhere),
        cmocka_unit_test(aborted_lanes_conflict_until_their_next_attempt),
        cmocka_unit_test(commits_let_go_of_words),
        cmocka_unit_test(plain_accesses_to_owned_words_are_counted),
        cmocka_unit_test(reads_share_words),
        cmocka_unit_test(masks_of_table_1),
        cmocka_unit_test(aborts_elsewhere_do_not_stop_the_block),
        cmocka_unit_test(one_warp_runs_alone),
        cmocka_unit_test(turns_go_by_cycle_and_warp),
        cmocka_unit_test(commits_come_before_a_warp_alone),
        cmocka_unit_test(lanes_may_step_on),
        cmocka_unit_test(blocks_need_filters_shadows_and_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
