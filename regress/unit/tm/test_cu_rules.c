/* The commit unit's rules, one by one: messages in, replies and accesses out, in the cycles that they must come in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tm/kilo/unit/commit_unit.h"

enum { CIDS = 400, WORDS = 64, MOST = 1000, DELAY = 10 };

struct spoken { enum kilo_kind kind; const struct kilo_batch *b; uint64_t lanes, at; };
struct pending { uint64_t at; uint32_t address, value, token; unsigned bytes; bool write; };

/* One unit, its memory, and what it said. Accesses take DELAY cycles, or wait while `held`. */
static struct bench {
    struct cu_cfg cfg;
    struct commit_unit *u;
    struct kilo_batch batch[CIDS];   /* of one lane each, by commit ID */
    uint32_t memory[WORDS];
    uint64_t now, count[STAT_END];
    struct hists hists;
    struct spoken said[MOST];
    struct pending access[MOST];
    unsigned replies, accesses, reads, writes, impossible;
    bool held, deaf;
} b;

static bool on_reply(void *ctx, enum kilo_kind kind, const struct kilo_batch *batch, uint64_t lanes, uint64_t now)
{
    if (b.deaf)
        return false;
    b.said[b.replies++] = (struct spoken){ kind, batch, lanes, now };
    return true;
}

static void on_access(void *ctx, bool write, uint32_t address, unsigned bytes, uint32_t value, uint32_t token,
                      uint64_t now)
{
    b.access[b.accesses++] = (struct pending){ now + DELAY, address, value, token, bytes, write };
    b.reads += !write;
    b.writes += write;
}

static uint32_t on_peek(void *ctx, uint32_t address)
{
    return b.memory[address / 4];
}

static void on_poke(void *ctx, uint32_t address, unsigned bytes, uint32_t value, uint64_t now)
{
    for (int i = 0; i < 4; i++)
        if (bytes >> i & 1)
            memcpy((char *)&b.memory[address / 4] + i, (char *)&value + i, 1);
}

static void on_impossible(void *ctx, const struct kilo_batch *batch, unsigned lane, const char *why)
{
    assert_non_null(strstr(why, "kilotm.write_buffer"));
    b.impossible++;
}

/* Makes the unit anew, with b.cfg. */
static void begin(void)
{
    struct cu_calls calls = { .reply = on_reply, .access = on_access, .peek = on_peek, .poke = on_poke,
                              .impossible = on_impossible };
    cu_free(b.u);
    b.u = cu_new(&b.cfg, &calls, b.count, &b.hists);
}

/* Every rule begins with a unit of this configuration. */
static int set_up(void **state)
{
    memset(&b, 0, sizeof b);
    b.cfg = (struct cu_cfg){ .lwh_sets = 16, .lwh_ways = 2, .lwh_buckets = 64, .lwh_arrays = 4, .granularity = 4,
                             .bf_bits = 512, .bf_functions = 4, .accounting = CU_BUFFERS_NEEDED, .resend = true,
                             .input = 64, .ideal_latency = 7, .seed = 1 };
    for (uint64_t cid = 0; cid < CIDS; cid++)
        b.batch[cid] = (struct kilo_batch){ .first_cid = cid, .lanes = 1 };
    begin();
    return 0;
}

static int tear_down(void **state)
{
    cu_free(b.u);
    return 0;
}

static void perform_due(void)
{
    for (unsigned i = 0; i < b.accesses && !b.held;) {
        struct pending a = b.access[i];
        if (a.at > b.now) {
            i++;
            continue;
        }
        memmove(&b.access[i], &b.access[i + 1], (--b.accesses - i) * sizeof a);
        uint32_t before = b.memory[a.address / 4];
        if (a.write)
            on_poke(NULL, a.address, a.bytes, a.value, 0);
        cu_performed(b.u, a.token, before, CU_FOUND_HIT, b.now);
    }
}

static void run(unsigned cycles)
{
    for (; cycles; cycles--) {
        perform_due();
        cu_run(b.u, b.now++);
    }
}

/* A message about the commit ID, with one entry. */
static bool tell_entry(enum kilo_kind kind, uint64_t cid, struct kilo_entry e)
{
    struct kilo_payload p = { .batch = &b.batch[cid], .lanes = 1, .entry = { e } };
    return cu_take(b.u, kind, &p, b.now);
}

static void tell(enum kilo_kind kind, uint64_t cid)
{
    assert_true(tell_entry(kind, cid, KILO_VOID_ENTRY));
}

static void reads(uint64_t cid, uint32_t word, uint32_t value)
{
    assert_true(tell_entry(KILO_READ_SET, cid, (struct kilo_entry){ 4 * word, value }));
}

static void writes(uint64_t cid, uint32_t word, uint32_t value)
{
    assert_true(tell_entry(KILO_WRITE_SET, cid, (struct kilo_entry){ 4 * word, value }));
}

/* The cycle in which the unit said this about the commit ID; 0 = it has not. */
static uint64_t said(enum kilo_kind kind, uint64_t cid)
{
    for (unsigned i = 0; i < b.replies; i++)
        if (b.said[i].kind == kind && b.said[i].b == &b.batch[cid])
            return b.said[i].at + 1;
    return 0;
}

static void at_rest(void)
{
    char error[200] = "";
    run(60);
    cu_settle(b.u, b.now);
    assert_true(cu_idle(b.u));
    assert_true(cu_consistent(b.u, error, sizeof error));
}

/* A message, and the cycles after it. */
static void tell_and_run(enum kilo_kind kind, uint64_t cid, unsigned cycles)
{
    tell(kind, cid);
    run(cycles);
}

/* A log ends with this access, or is no more than it; the cycles after that. */
static void read_log(uint64_t cid, uint32_t word, uint32_t value, unsigned cycles)
{
    reads(cid, word, value);
    tell_and_run(KILO_DONE_FILL, cid, cycles);
}

static void write_log(uint64_t cid, uint32_t word, uint32_t value, unsigned cycles)
{
    writes(cid, word, value);
    tell_and_run(KILO_DONE_FILL, cid, cycles);
}

/* The last message, after which nothing may be left. */
static void settle(enum kilo_kind kind, uint64_t cid)
{
    tell(kind, cid);
    at_rest();
}

/* ---- an entry's way ---- */

static void skip_retires_without_a_word(void **state)
{
    tell(KILO_SKIP, 1);
    assert_false(cu_idle(b.u));
    run(2);
    assert_true(cu_idle(b.u) && cu_oldest(b.u) == 2 && !b.replies);
    assert_int_equal(cu_run(b.u, b.now), UINT64_MAX);
    at_rest();
}

static void read_only_entry_in_time(void **state)
{
    read_log(1, 3, 0, 40);
    /* Entry in cycle 0, read issued in 1 and back in 1 + DELAY; that cycle passes it, the next one replies. */
    assert_int_equal(said(KILO_CU_PASS, 1), 1 + (1 + DELAY) + 1);
    tell_and_run(KILO_PASS, 1, 2);
    assert_int_equal(cu_oldest(b.u), 2);
    assert_int_equal(b.replies, 1);
    at_rest();
}

static void stale_read_fails_and_final_fail_is_ignored(void **state)
{
    b.memory[3] = 0x10000;
    reads(1, 3, 0);
    write_log(1, 3, 9, 40);
    assert_true(said(KILO_CU_FAIL, 1) && cu_oldest(b.u) == 2);
    settle(KILO_FAIL, 1);
    assert_int_equal(b.memory[3], 0x10000);
    assert_int_equal(b.writes, 0);
}

static void writes_wait_for_the_final_pass(void **state)
{
    write_log(1, 5, 77, 50);
    assert_true(said(KILO_CU_PASS, 1) && !b.writes);
    tell(KILO_PASS, 1);
    b.held = true;
    run(50);
    assert_true(b.writes == 1 && !said(KILO_CU_DONE_COMMIT, 1) && cu_oldest(b.u) == 1);
    b.held = false;
    run(3);
    assert_true(b.memory[5] == 77 && said(KILO_CU_DONE_COMMIT, 1));
    at_rest();
}

static void final_fail_drops_the_writes(void **state)
{
    write_log(1, 5, 77, 5);
    settle(KILO_FAIL, 1);
    assert_true(!b.writes && !b.memory[5]);
}

static void writes_to_one_word_in_log_order(void **state)
{
    b.memory[5] = 0xffffffff;
    writes(1, 5, 0);
    assert_true(tell_entry(KILO_WRITE_SET, 1, (struct kilo_entry){ 20 | KILO_BYTE, 0x312 }));
    assert_true(tell_entry(KILO_WRITE_SET, 1, (struct kilo_entry){ 20 | KILO_HALF, 0x3456 }));
    assert_true(tell_entry(KILO_WRITE_SET, 1, (struct kilo_entry){ 20 | KILO_BYTE, 0x078 }));
    tell_and_run(KILO_DONE_FILL, 1, 20);
    settle(KILO_PASS, 1);
    assert_int_equal(b.memory[5], 0x12003478);
}

static void outcomes_in_the_order_of_commit_ids(void **state)
{
    write_log(2, 1, 1, 50);
    assert_int_equal(b.replies, 0);
    assert_true(b.count[STAT_CU_STALL_FILL] > 40);
    read_log(1, 9, 0, 50);
    assert_true(said(KILO_CU_PASS, 1) < said(KILO_CU_PASS, 2));
    tell_and_run(KILO_PASS, 2, 30);
    assert_int_equal(b.writes, 0);
    settle(KILO_PASS, 1);
    assert_int_equal(b.memory[1], 1);
}

/* ---- hazards ---- */

/* Commit ID 1 writes word 4, commit ID 2 reads it before that is in memory; both logs are here. */
static void reader_after_writer(void)
{
    write_log(1, 4, 50, 0);
    read_log(2, 4, 0, 50);
    assert_true(said(KILO_CU_PASS, 1) && !said(KILO_CU_PASS, 2));
    assert_int_equal(b.reads, 1);
}

static void hazard_waits_and_fails_after_the_write(void **state)
{
    reader_after_writer();
    tell_and_run(KILO_PASS, 1, 60);
    assert_true(said(KILO_CU_FAIL, 2) > said(KILO_CU_DONE_COMMIT, 1));
    assert_int_equal(b.reads, 2);
    assert_int_equal(b.count[STAT_CU_HAZARDS], 1);
    assert_int_equal(b.count[STAT_CU_FALSE_HAZARDS], 0);
    assert_int_equal(b.count[STAT_CU_REVALIDATIONS], 1);
    assert_int_equal(b.hists.h[HIST_CU_REVALIDATION_DISTANCE].sum, 1);
    at_rest();
}

static void hazard_passes_when_the_writer_fails(void **state)
{
    reader_after_writer();
    tell_and_run(KILO_FAIL, 1, 60);
    assert_true(said(KILO_CU_PASS, 2));
    settle(KILO_PASS, 2);
}

static void no_hazard_from_writers_retired_before(void **state)
{
    write_log(1, 4, 50, 5);
    tell_and_run(KILO_PASS, 1, 40);
    read_log(2, 4, 50, 40);
    assert_true(said(KILO_CU_PASS, 2) && !b.count[STAT_CU_HAZARDS]);
    settle(KILO_PASS, 2);
}

/* The writer retires between the reader's first message and its hazard detection. */
static void first_message_counts(void **state)
{
    write_log(1, 4, 50, 5);
    reads(2, 4, 0);
    run(15);
    tell_and_run(KILO_PASS, 1, 40);
    tell_and_run(KILO_DONE_FILL, 2, 40);
    assert_true(said(KILO_CU_FAIL, 2));
    assert_int_equal(b.count[STAT_CU_HAZARDS], 1);
    at_rest();
}

static void own_write_is_no_hazard(void **state)
{
    reads(1, 4, 0);
    write_log(1, 4, 1, 40);
    assert_true(said(KILO_CU_PASS, 1) && !b.count[STAT_CU_HAZARDS]);
    settle(KILO_PASS, 1);
}

static void waits_for_the_youngest_writer(void **state)
{
    writes(1, 4, 50);
    writes(2, 5, 0);
    tell(KILO_DONE_FILL, 1);
    tell(KILO_DONE_FILL, 2);
    reads(3, 5, 0);
    read_log(3, 4, 0, 40);
    tell_and_run(KILO_FAIL, 1, 40);
    assert_true(!said(KILO_CU_PASS, 3) && cu_oldest(b.u) == 2);
    tell_and_run(KILO_PASS, 2, 60);
    assert_true(said(KILO_CU_PASS, 3));
    settle(KILO_PASS, 3);
}

/* The first validation fails although the value is right again later. */
static void failure_sticks(void **state)
{
    write_log(1, 4, 0, 0);
    b.memory[4] = 8;
    read_log(2, 4, 0, 30);
    b.memory[4] = 0;
    tell_and_run(KILO_PASS, 1, 80);
    assert_true(said(KILO_CU_FAIL, 2));
    at_rest();
}

static void hazard_may_fail_at_once(void **state)
{
    b.cfg.fail_at_hazard = true;
    begin();
    write_log(1, 4, 50, 0);
    read_log(2, 4, 0, 50);
    assert_true(said(KILO_CU_HAZARD, 2) && !said(KILO_CU_FAIL, 2));
    settle(KILO_FAIL, 1);
}

static void waiting_entries_hold_up_the_others(void **state)
{
    reader_after_writer();
    write_log(3, 9, 1, 50);
    assert_int_equal(said(KILO_CU_PASS, 3), 0);
    assert_true(b.count[STAT_CU_STALL_PASS] > 50);
    tell_and_run(KILO_FAIL, 1, 50);
    assert_true(said(KILO_CU_PASS, 2) && said(KILO_CU_PASS, 3));
    tell(KILO_PASS, 2);
    settle(KILO_PASS, 3);
}

static void waiting_entries_can_be_passed(void **state)
{
    b.cfg.pass_waiting = true;
    begin();
    reader_after_writer();
    write_log(3, 9, 1, 50);
    assert_true(said(KILO_CU_PASS, 3));
    tell_and_run(KILO_PASS, 3, 50);
    assert_int_equal(b.writes, 0);
    tell_and_run(KILO_PASS, 1, 80);
    assert_true(said(KILO_CU_FAIL, 2));
    at_rest();
    assert_int_equal(b.memory[9], 1);
}

static void signatures_meet_in_both_orders(void **state)
{
    b.cfg.hazards = CU_HAZARDS_BF_ARRAY;
    begin();
    read_log(2, 4, 0, 30);
    write_log(1, 4, 50, 30);
    assert_true(said(KILO_CU_PASS, 1) && !said(KILO_CU_PASS, 2));
    read_log(3, 4, 0, 0);
    tell_and_run(KILO_PASS, 1, 90);
    assert_true(said(KILO_CU_FAIL, 2) && said(KILO_CU_FAIL, 3));
    at_rest();
}

/* ---- overflow ---- */

static void answer_again(enum kilo_kind kind, uint64_t cid, uint32_t word, uint32_t value)
{
    for (uint32_t i = 0; i < 2; i++)
        assert_true(tell_entry(kind, cid, (struct kilo_entry){ 4 * (word + i), value }));
    tell(KILO_RESENT_DONE, cid);
    b.replies = 0;
    run(20);
}

static void sets_are_sent_again_at_each_step(void **state)
{
    b.cfg.read_buffer = b.cfg.write_buffer = 1;
    begin();
    write_log(1, 4, 50, 0);
    reads(2, 4, 0);
    reads(2, 5, 0);
    writes(2, 6, 7);
    write_log(2, 7, 7, 30);
    assert_true(said(KILO_CU_PASS, 1) && said(KILO_RESEND_READ, 2));
    answer_again(KILO_RESENT_READ, 2, 4, 0);
    assert_true(said(KILO_RESEND_WRITE, 2));
    answer_again(KILO_RESENT_WRITE, 2, 6, 7);
    assert_int_equal(b.replies, 0);
    tell_and_run(KILO_FAIL, 1, 20);
    assert_true(said(KILO_RESEND_READ, 2));
    answer_again(KILO_RESENT_READ, 2, 4, 0);
    assert_true(said(KILO_CU_PASS, 2));
    assert_int_equal(b.reads, 4);
    tell_and_run(KILO_PASS, 2, 20);
    assert_true(said(KILO_RESEND_WRITE, 2) && !b.writes);
    answer_again(KILO_RESENT_WRITE, 2, 6, 7);
    at_rest();
    assert_true(b.memory[6] == 7 && b.memory[7] == 7);
}

static void overflow_without_resending_is_said(void **state)
{
    b.cfg.write_buffer = 1;
    b.cfg.resend = false;
    begin();
    writes(1, 4, 50);
    write_log(1, 5, 50, 30);
    assert_true(b.impossible == 1 && said(KILO_CU_FAIL, 1));
    at_rest();
}

/* ---- the rest ---- */

static void places_are_allocated_within_the_ring(void **state)
{
    struct kilo_batch later = { .first_cid = 64, .lanes = 3 };
    struct kilo_payload p = { .batch = &later, .lanes = 3 };
    b.cfg.ring = 64;
    begin();
    assert_true(cu_take(b.u, KILO_CU_ALLOC, &p, b.now));
    run(3);
    assert_true(b.said[0].kind == KILO_ALLOC_FAIL && b.said[0].lanes == 3);
    tell_and_run(KILO_SKIP, 1, 3);
    assert_true(cu_take(b.u, KILO_CU_ALLOC, &p, b.now));
    run(3);
    assert_true(b.said[1].kind == KILO_ALLOC_PASS);
}

static void watchdog_compares_without_a_commit_id(void **state)
{
    b.memory[3] = 5;
    for (uint64_t cid = 1; cid <= 2; cid++) {
        assert_true(tell_entry(KILO_VALIDATE, cid, (struct kilo_entry){ 8, 0 }));
        assert_true(tell_entry(KILO_VALIDATE, cid, (struct kilo_entry){ 12, cid == 1 ? 5 : 4 }));
    }
    run(30);
    assert_int_equal(b.replies, 0);
    tell(KILO_VALIDATE, 1);
    tell_and_run(KILO_VALIDATE, 2, 5);
    assert_true(said(KILO_VALID, 1) && said(KILO_STALE, 2));
    at_rest();
    assert_int_equal(cu_oldest(b.u), 1);
}

static void ideal_accesses_need_no_slice(void **state)
{
    b.cfg.ideal_validation = b.cfg.ideal_commit = true;
    begin();
    reads(1, 3, 0);
    write_log(1, 4, 6, 20);
    assert_int_equal(said(KILO_CU_PASS, 1), 1 + (1 + 7) + 1);
    settle(KILO_PASS, 1);
    assert_true(!b.accesses && !b.reads && b.memory[4] == 6 && b.count[STAT_CU_WRITE_HITS] == 1);
}

static void input_queue_turns_away(void **state)
{
    b.cfg.input = 2;
    begin();
    reads(1, 1, 0);
    reads(1, 2, 0);
    assert_false(tell_entry(KILO_DONE_FILL, 1, KILO_VOID_ENTRY));
    assert_int_equal(b.count[STAT_CU_INPUT_FULL], 1);
    run(1);
    tell_and_run(KILO_DONE_FILL, 1, 30);
    settle(KILO_PASS, 1);
}

static void one_entry_of_a_packet_in_a_cycle(void **state)
{
    struct kilo_batch wide = { .first_cid = 1, .lanes = 0xf0 };
    struct kilo_payload p = { .batch = &wide, .lanes = 0xf0 };
    for (int i = 0; i < 8; i++)
        p.entry[i] = (struct kilo_entry){ 4 * (uint32_t)i, 0 };
    assert_true(cu_take(b.u, KILO_READ_SET, &p, b.now));
    assert_true(cu_take(b.u, KILO_DONE_FILL, &p, b.now));
    run(4);
    assert_int_equal(b.reads, 3);
    run(3);
    assert_int_equal(b.reads, 4);
    run(40);
    assert_int_equal(b.replies, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(b.said[i].lanes == UINT64_C(16) << i && b.said[i].kind == KILO_CU_PASS);
    assert_true(cu_take(b.u, KILO_PASS, &p, b.now));
    at_rest();
}

static void refused_replies_are_kept(void **state)
{
    b.deaf = true;
    write_log(1, 3, 1, 20);
    assert_int_equal(cu_run(b.u, b.now), b.now + 1);
    b.now++;
    b.deaf = false;
    run(1);
    assert_true(said(KILO_CU_PASS, 1));
    settle(KILO_PASS, 1);
}

static void ring_grows_around_its_entries(void **state)
{
    for (int h = CU_HAZARDS_LWH; h <= CU_HAZARDS_BF_ARRAY; h++) {
        b.cfg.hazards = (enum cu_hazards)h;
        begin();
        for (uint64_t cid = 399; cid > 200; cid--)
            tell_and_run(KILO_SKIP, cid, 1);
        write_log(1, 4, 50, 0);
        read_log(2, 4, 0, 0);
        for (uint64_t cid = 3; cid <= 200; cid++)
            tell_and_run(KILO_SKIP, cid, 1);
        tell_and_run(KILO_PASS, 1, 500);
        assert_true(said(KILO_CU_FAIL, 2) && cu_oldest(b.u) == 400);
        at_rest();
        tear_down(state);
        set_up(state);
    }
}

static void occupancy_is_counted(void **state)
{
    tell_and_run(KILO_SKIP, 2, 10);
    write_log(1, 3, 1, 20);
    cu_settle(b.u, b.now);
    /* Commit ID 2 is there from cycle 0 on, 1 from cycle 10 on. */
    assert_int_equal(b.count[STAT_CU_CYCLES], 30);
    assert_int_equal(b.count[STAT_CU_OCCUPANCY_ALL], 30 + 20);
    assert_int_equal(b.count[STAT_CU_OCCUPANCY_ACCESSED], 20);
    assert_int_equal(b.count[STAT_CU_OCCUPANCY_USED_WRITE], 20);
    assert_int_equal(b.count[STAT_CU_OCCUPANCY_NEEDED_WRITE], 20);
    assert_int_equal(b.count[STAT_CU_OCCUPANCY_USED_READ], 0);
    assert_int_equal(b.count[STAT_CU_STALL_FILL], 10 + 1);
    assert_int_equal(b.hists.h[HIST_CU_ENTRIES].n, 30);
    assert_int_equal(b.hists.h[HIST_CU_ENTRIES].max, 2);
    settle(KILO_PASS, 1);
}

static void collect(void *ctx, const char *text)
{
    strcat(strcat((char *)ctx, text), "\n");
}

/* A report of a hang names the pointers, and what the oldest entries wait for. */
static void dump_says_what_it_waits_for(void **state)
{
    static char text[4000];
    char error[200];
    text[0] = 0;
    reader_after_writer();
    cu_dump(b.u, collect, text);
    assert_non_null(strstr(text, "retire 1, commit 1, pass 2, hazard 3, head 3"));
    assert_non_null(strstr(text, "1: waits for the final outcome"));
    assert_non_null(strstr(text, "2: validation wait, lane 0, reads 1 (0 in flight)"));
    assert_non_null(strstr(text, "rcid 1, ycid 1, hazard"));
    assert_false(cu_consistent(b.u, error, sizeof error));
    assert_non_null(strstr(error, "entries are left"));
}

int main(void)
{
#define RULE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        RULE(skip_retires_without_a_word), RULE(read_only_entry_in_time),
        RULE(stale_read_fails_and_final_fail_is_ignored), RULE(writes_wait_for_the_final_pass),
        RULE(final_fail_drops_the_writes), RULE(writes_to_one_word_in_log_order),
        RULE(outcomes_in_the_order_of_commit_ids), RULE(hazard_waits_and_fails_after_the_write),
        RULE(hazard_passes_when_the_writer_fails), RULE(no_hazard_from_writers_retired_before),
        RULE(first_message_counts), RULE(own_write_is_no_hazard), RULE(waits_for_the_youngest_writer),
        RULE(failure_sticks), RULE(hazard_may_fail_at_once), RULE(waiting_entries_hold_up_the_others),
        RULE(waiting_entries_can_be_passed), RULE(signatures_meet_in_both_orders),
        RULE(sets_are_sent_again_at_each_step), RULE(overflow_without_resending_is_said),
        RULE(places_are_allocated_within_the_ring), RULE(watchdog_compares_without_a_commit_id),
        RULE(ideal_accesses_need_no_slice), RULE(input_queue_turns_away), RULE(one_entry_of_a_packet_in_a_cycle),
        RULE(refused_replies_are_kept), RULE(ring_grows_around_its_entries), RULE(occupancy_is_counted),
        RULE(dump_says_what_it_waits_for),
    };
#undef RULE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
