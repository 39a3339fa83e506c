/*
 * Rules of snapshot isolation one by one: post-dating on worked examples, as repaired and as Figure 7 prints it; the
 * tables of a slice against plain sets; the exact graph of dependencies; the SM's counters; version slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "tm/sitm/rules/attempt.h"
#include "tm/sitm/rules/dependency_graph.h"
#include "tm/sitm/rules/manager.h"
#include "tm/sitm/rules/slice_rules.h"

enum { T1 = 1, T2, T3, X };

static struct sitm_stamps stamps;
static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    return (uint32_t)(random_next(&seed) >> 33) % n;
}

/* ---- post-dating ---- */

/* All run from CTS = 1 on, as in Figure 8; delta 10. */
static void start(enum sitm_postdating postdating)
{
    struct sitm_rules r = sitm_rules_default();
    r.postdating = postdating;
    sitm_stamps_init(&stamps, &r);
    for (uint32_t id = T1; id <= X; id++)
        sitm_stamps_begin(&stamps, id, 1);
}

static void interval(uint32_t id, uint32_t cts, uint32_t pdts)
{
    assert_int_equal(stamps.of[id].cts, cts);
    assert_int_equal(stamps.of[id].pdts, pdts ? pdts : stamps.infinite);
}

static void edge(uint32_t before, uint32_t after)
{
    assert_int_equal(sitm_stamps_edge(&stamps, before, after), SITM_EDGE_OK);
}

static void loop(uint32_t before, uint32_t after)
{
    assert_int_equal(sitm_stamps_edge(&stamps, before, after), SITM_EDGE_LOOP);
}

static void figure_8_first_order(void **state)
{
    start(SITM_POSTDATING_REPAIRED);
    edge(T1, T2);
    interval(T1, 1, 11);
    interval(T2, 12, 0);
    edge(T2, T3);
    interval(T2, 12, 22);
    interval(T3, 23, 0);
    loop(T3, T1);
    start(SITM_POSTDATING_PRINTED);
    edge(T1, T2);
    edge(T2, T3);
    loop(T3, T1);
    interval(T3, 23, 33);
}

static void figure_8_second_order(void **state)
{
    start(SITM_POSTDATING_REPAIRED);
    edge(T1, T2);
    edge(T3, T1);
    interval(T3, 1, 6);
    interval(T1, 7, 11);
    loop(T2, T3);
    start(SITM_POSTDATING_PRINTED);
    edge(T1, T2);
    edge(T3, T1);
    interval(T3, 1, 0);
    interval(T1, 0, 11);
    edge(T2, T3);
    interval(T2, 12, 22);
    interval(T3, 23, 0);
}

static void assignment_forgets_an_edge(void **state)
{
    start(SITM_POSTDATING_REPAIRED);
    sitm_stamps_commit(&stamps, X, false);
    edge(T1, T2);
    edge(X, T2);
    interval(T2, 12, 0);
    loop(T2, T1);
    start(SITM_POSTDATING_UNSIGNED);
    sitm_stamps_commit(&stamps, X, false);
    edge(T1, T2);
    edge(X, T2);
    interval(T2, 2, 0);
    edge(T2, T1);
    interval(T2, 2, 6);
    interval(T1, 7, 11);
}

static void write_skew_with_a_committed_writer(void **state)
{
    start(SITM_POSTDATING_REPAIRED);
    assert_int_equal(sitm_stamps_commit(&stamps, T1, true), 11);
    edge(T2, T1);
    interval(T2, 1, 10);
    loop(T1, T2);
    start(SITM_POSTDATING_UNSIGNED);
    assert_int_equal(sitm_stamps_commit(&stamps, T1, false), 1);
    edge(T2, T1);
    interval(T2, 1, 11);
    edge(T1, T2);
    interval(T2, 2, 11);
}

/* T3 reads version 1, which contains T1: with the floor it starts after T1. */
static void read_only_anomaly(void **state)
{
    start(SITM_POSTDATING_REPAIRED);
    edge(T2, T1);
    interval(T2, 1, 11);
    interval(T1, 12, 0);
    uint32_t floor = sitm_stamps_commit(&stamps, T1, true);
    assert_int_equal(floor, 22);
    sitm_stamps_begin(&stamps, T3, floor + 2);
    sitm_stamps_commit_at(&stamps, T3, floor + 1);
    loop(T3, T2);
    sitm_stamps_commit_at(&stamps, T3, 1);
    edge(T3, T2);
    interval(T2, 2, 11);
}

static void edges_without_effect(void **state)
{
    start(SITM_POSTDATING_REPAIRED);
    sitm_stamps_free(&stamps, X);
    edge(X, T1);
    edge(T1, X);
    interval(T1, 1, 0);
    sitm_stamps_commit(&stamps, T2, true);
    sitm_stamps_commit(&stamps, T3, true);
    edge(T2, T3);
    edge(T3, T2);
}

static void stamps_that_leave_their_range(void **state)
{
    struct sitm_rules r = sitm_rules_default();
    r.stamp_bits = 6;
    sitm_stamps_init(&stamps, &r);
    for (uint32_t id = T1; id <= X; id++)
        sitm_stamps_begin(&stamps, id, 45 + 5 * (id - T1));
    edge(T1, T2);
    interval(T2, 56, 0);
    assert_int_equal(sitm_stamps_edge(&stamps, T2, T3), SITM_EDGE_OVERFLOW);
    assert_int_equal(sitm_stamps_commit(&stamps, X, true), 62);
}

/* ---- first committer wins ---- */

static struct sitm_access access_of(uint32_t lane, uint32_t word, uint32_t snapshot)
{
    struct sitm_access a = { .group = 0, .lanes = (uint32_t)1 << lane, .snapshot = snapshot };
    a.word[lane] = word;
    return a;
}

/* T1 reads and writes word 5 and commits; then T2, with the old snapshot, reads and writes it. */
static uint32_t second_writer(enum sitm_fcw fcw, uint32_t snapshot)
{
    struct sitm_rules r = sitm_rules_default();
    struct sitm_slice s;
    struct sitm_reply reply;
    struct sitm_message sent;
    r.fcw = fcw;
    sitm_slice_init(&s, &r);
    struct sitm_access first = access_of(T1, 5, 0), second = access_of(T2, 5, snapshot);
    sitm_slice_read(&s, &first, &reply, &sent);
    sitm_slice_write(&s, &first, &reply, &sent);
    assert_int_equal(sent.edges, 0);
    sitm_slice_read(&s, &second, &reply, &sent);
    assert_int_equal(sent.edges, 1);
    assert_true(sent.edge[0].before == T2 && sent.edge[0].after == T1 && !sent.edge[0].after_accesses);
    sitm_slice_write(&s, &second, &reply, &sent);
    assert_int_equal(reply.refused_write, 1u << T2);
    sitm_slice_pass(&s, &(struct sitm_message){ .lanes = 1u << T1, .version = 1 });
    sitm_slice_write(&s, &second, &reply, &sent);
    uint32_t refused = reply.refused_write;
    assert_int_equal(sent.edges, refused ? 0 : 1);
    sitm_slice_end(&s);
    return refused;
}

static void first_committer_wins(void **state)
{
    assert_int_equal(second_writer(SITM_FCW_TABLE, 0), 1u << T2);
    assert_int_equal(second_writer(SITM_FCW_TABLE, 1), 0);
    assert_int_equal(second_writer(SITM_FCW_UNCOMMITTED, 0), 0);
}

static void exclusive_attempts_register_nothing(void **state)
{
    struct sitm_rules r = sitm_rules_default();
    struct sitm_slice s;
    struct sitm_reply reply;
    struct sitm_message sent;
    r.reader_entries = 0;
    sitm_slice_init(&s, &r);
    struct sitm_access a = access_of(T1, 5, 0);
    sitm_slice_read(&s, &a, &reply, &sent);
    assert_int_equal(reply.refused_table, 1u << T1);
    a.exclusive = true;
    sitm_slice_read(&s, &a, &reply, &sent);
    assert_true(!reply.refused_table && sitm_slice_empty(&s));
    sitm_slice_end(&s);
}

/* ---- tables of a slice against plain sets ---- */

enum { WORDS = 12, IDS = 4 * SITM_LANES, MOST = 30 };

/* Readers of each word; a word with a root keeps it until it has no reader. */
static bool reads[WORDS][IDS], root[WORDS];

static uint32_t readers_of(uint32_t word)
{
    uint32_t n = 0;
    for (uint32_t id = 0; id < IDS; id++)
        n += reads[word][id];
    return n;
}

static uint32_t entries_of(uint32_t word)
{
    uint32_t groups = 0;
    for (uint32_t id = 0; id < IDS; id++)
        groups |= reads[word][id] ? 1u << id / SITM_LANES : 0;
    return root[word] ? 1 + (uint32_t)__builtin_popcount(groups) : groups != 0;
}

static uint32_t all_entries(void)
{
    uint32_t n = 0;
    for (uint32_t word = 0; word < WORDS; word++)
        n += entries_of(word);
    return n;
}

static void check_readers(const struct sitm_reader_list *t)
{
    assert_int_equal(t->n, all_entries());
    for (uint32_t word = 0; word < WORDS; word++) {
        uint32_t at = sitm_reader_list_next(t, word, 0);
        for (uint32_t id = 0; id < IDS; id++)
            if (reads[word][id]) {
                assert_int_equal(at, id);
                at = sitm_reader_list_next(t, word, id + 1);
            }
        assert_int_equal(at, SITM_NONE);
    }
}

static void add_reader(struct sitm_reader_list *t, uint32_t word, uint32_t id)
{
    bool had = reads[word][id], had_root = root[word];
    reads[word][id] = true;
    root[word] = root[word] || readers_of(word) > SITM_PLAIN_READERS;
    bool fits = all_entries() <= MOST;
    reads[word][id] = had || fits;
    root[word] = fits ? root[word] : had_root;
    assert_int_equal(sitm_reader_list_add(t, word, id), fits);
}

static void remove_readers(struct sitm_reader_list *t, uint32_t group, uint32_t lanes)
{
    uint32_t removed = 0, expected = 0;
    for (uint32_t word = 0; word < WORDS; word++) {
        uint32_t before = readers_of(word);
        for (uint32_t lane = 0; lane < SITM_LANES; lane++)
            if (lanes >> lane & 1)
                reads[word][sitm_id(group, lane)] = false;
        expected += readers_of(word) != before;
        root[word] = root[word] && readers_of(word);
    }
    while (sitm_reader_list_remove(t, group, lanes))
        removed++;
    assert_int_equal(removed, expected);
}

static void reader_list(void **state)
{
    struct sitm_reader_list t;
    uint32_t full = 0, roots = 0;
    sitm_reader_list_init(&t, MOST);
    memset(reads, 0, sizeof reads);
    memset(root, 0, sizeof root);
    for (uint32_t i = 0; i < 20000; i++) {
        if (rnd(8))
            add_reader(&t, rnd(WORDS), rnd(4) ? rnd(IDS) : rnd(8));
        else
            remove_readers(&t, rnd(4), (uint32_t)random_next(&seed) | (uint32_t)random_next(&seed));
        check_readers(&t);
        full += t.n == MOST;
        roots += root[0];
    }
    assert_true(full > 100 && roots > 1000);
    sitm_reader_list_end(&t);
}

static uint32_t writer[WORDS][IDS];      /* version + 2; 1 = not committed; 0 = none */

static void check_writers(const struct sitm_writer_table *t)
{
    uint32_t n = 0;
    for (uint32_t word = 0; word < WORDS; word++) {
        uint32_t e = sitm_writer_table_first(t, word);
        for (uint32_t id = 0; id < IDS; id++)
            if (writer[word][id]) {
                assert_true(e != SITM_NONE && t->entry[e].id == id && t->entry[e].version + 2 == writer[word][id]);
                e = t->entry[e].next;
                n++;
            }
        assert_int_equal(e, SITM_NONE);
    }
    assert_int_equal(t->n, n);
}

static void commit_writer(struct sitm_writer_table *t, uint32_t id, uint32_t version)
{
    for (uint32_t word = 0; word < WORDS; word++)
        if (writer[word][id])
            writer[word][id] = version + 2;
    sitm_writer_table_commit(t, id, version);
}

static void remove_writer(struct sitm_writer_table *t, uint32_t id)
{
    for (uint32_t word = 0; word < WORDS; word++)
        if (writer[word][id]) {
            writer[word][id] = 0;
            assert_true(sitm_writer_table_remove(t, id));
        }
    assert_false(sitm_writer_table_remove(t, id));
}

static void writer_table(void **state)
{
    struct sitm_writer_table t;
    uint32_t full = 0;
    sitm_writer_table_init(&t, MOST);
    memset(writer, 0, sizeof writer);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t word = rnd(WORDS), id = rnd(IDS), what = rnd(8);
        if (what == 0)
            commit_writer(&t, id, rnd(100));
        else if (what < 4)
            remove_writer(&t, id);
        else if (!writer[word][id]) {
            bool fits = t.n < MOST;
            full += !fits;
            assert_int_equal(sitm_writer_table_add(&t, word, id), fits);
            writer[word][id] = fits;
        }
        check_writers(&t);
    }
    assert_true(full > 10);
    sitm_writer_table_end(&t);
}

/* Thousands of words whose numbers share their low bits: insertion, growth, removal. */
static void word_map(void **state)
{
    enum { N = 4096 };
    struct sitm_word_map m;
    static uint32_t value[N];
    sitm_word_map_init(&m);
    for (uint32_t i = 0; i < N; i++)
        value[i] = SITM_NONE;
    for (uint32_t i = 0; i < 60000; i++) {
        uint32_t k = rnd(N);
        value[k] = rnd(3) ? i : SITM_NONE;
        sitm_word_map_set(&m, k << 12, value[k]);
        k = rnd(N);
        assert_int_equal(sitm_word_map_get(&m, k << 12), value[k]);
    }
    for (uint32_t k = 0; k < N; k++)
        assert_int_equal(sitm_word_map_get(&m, k << 12), value[k]);
    sitm_word_map_end(&m);
}

/* ---- the graph of dependencies ---- */

/* Write skew: both read both words, one writes each. */
static void write_skew_is_a_loop(void **state)
{
    struct sitm_graph g;
    sitm_graph_init(&g);
    uint32_t t1 = sitm_graph_begin(&g, 0), t2 = sitm_graph_begin(&g, 0);
    for (uint32_t word = 0; word < 2; word++) {
        assert_false(sitm_graph_read(&g, t1, word));
        assert_false(sitm_graph_read(&g, t2, word));
    }
    assert_false(sitm_graph_write(&g, t1, 0));
    sitm_graph_commit(&g, t1, 1);
    assert_true(sitm_graph_write(&g, t2, 1));
    assert_int_equal(g.loops, 1);
    sitm_graph_abort(&g, t2);
    sitm_graph_prune(&g, 0);
    assert_true(sitm_graph_overwritten(&g, 0, 0) && !sitm_graph_overwritten(&g, 0, 1));
    sitm_graph_prune(&g, 1);
    assert_false(sitm_graph_overwritten(&g, 0, 0));
    sitm_graph_end(&g);
}

static void exact_verdicts(void **state)
{
    static const uint32_t X_AND_Y[] = { 7, 8 };
    struct sitm_sets x = { X_AND_Y, X_AND_Y, 2, 1 }, y = { X_AND_Y, X_AND_Y + 1, 2, 1 };
    struct sitm_sets reader = { X_AND_Y, NULL, 2, 0 }, blind = { NULL, X_AND_Y, 0, 1 };
    struct sitm_graph g;
    uint32_t node;
    sitm_graph_init(&g);
    assert_int_equal(sitm_graph_decide(&g, 0, 1, &x, &node), SITM_VERDICT_COMMIT);
    assert_int_equal(sitm_graph_decide(&g, 0, 1, &blind, &node), SITM_VERDICT_WRITE);
    assert_int_equal(sitm_graph_decide(&g, 0, 1, &x, &node), SITM_VERDICT_LOOP);
    assert_int_equal(sitm_graph_decide(&g, 0, 1, &y, &node), SITM_VERDICT_LOOP);
    assert_int_equal(sitm_graph_decide(&g, 0, 0, &reader, &node), SITM_VERDICT_COMMIT);
    assert_int_equal(sitm_graph_decide(&g, 1, 2, &y, &node), SITM_VERDICT_COMMIT);
    assert_int_equal(sitm_graph_decide(&g, 1, 2, &x, &node), SITM_VERDICT_LOOP);
    sitm_graph_prune(&g, SITM_GRAPH_ALL);
    assert_int_equal(sitm_graph_decide(&g, 0, 2, &x, &node), SITM_VERDICT_COMMIT);
    sitm_graph_end(&g);
}

/* ---- the SM's accounting ---- */

static void acknowledgement_before_announcement(void **state)
{
    struct sitm_attempt a = { .warp = 7 };
    struct sitm_message m = { .kind = SITM_SNAPSHOT, .group = 3, .lanes = 3, .version = 9 };
    struct sitm_reply data = { .lanes = 1, .edges = { 2 } };
    sitm_attempt_begin(&a, &m);
    assert_true(sitm_attempt_may_commit(&a, 3));
    assert_false(sitm_attempt_may_commit(&a, 1));
    sitm_attempt_send(&a, 1);
    assert_false(sitm_attempt_may_commit(&a, 3));
    sitm_attempt_edges(&a, &(struct sitm_message){ .lanes = 1, .done = { 1 } });
    assert_false(sitm_attempt_may_commit(&a, 3));
    sitm_attempt_reply(&a, &data);
    assert_false(sitm_attempt_may_commit(&a, 3));
    sitm_attempt_edges(&a, &(struct sitm_message){ .lanes = 1, .done = { 1 }, .loops = 1 });
    assert_false(sitm_attempt_may_commit(&a, 3));
    assert_true(sitm_attempt_aborted(&a, &m));
    assert_true(m.kind == SITM_ABORTED && m.lanes == 1 && m.reason == SITM_LOOP && m.group == 3);
    assert_false(sitm_attempt_aborted(&a, &m));
    assert_true(sitm_attempt_may_commit(&a, 2));
    sitm_attempt_commit(&a, 3, &m);
    assert_true(m.kind == SITM_COMMIT_REQ && m.lanes == 2 && m.writers == 2);
}

/* BEGIN of lanes 0 and 1. */
static void next_begin(const struct sitm_attempt *a, uint32_t precedence, uint32_t exclusive, struct sitm_message *m)
{
    struct sitm_rules r = sitm_rules_default();
    r.precedence_after = precedence;
    r.exclusive_after = exclusive;
    sitm_attempt_next(a, 3, &r, m);
}

static void lanes_abort_when_nothing_is_outstanding(void **state)
{
    struct sitm_attempt a = { .warp = 7 };
    struct sitm_message m = { .kind = SITM_SNAPSHOT, .lanes = 1 };
    sitm_attempt_begin(&a, &m);
    sitm_attempt_send(&a, 1);
    sitm_attempt_send(&a, 1);
    sitm_attempt_reply(&a, &(struct sitm_reply){ .lanes = 1, .refused_table = 1, .edges = { 1 } });
    assert_true(a.doomed == 1 && !sitm_attempt_aborted(&a, &m));
    sitm_attempt_reply(&a, &(struct sitm_reply){ .lanes = 1, .refused_write = 1 });
    assert_false(sitm_attempt_aborted(&a, &m));
    sitm_attempt_edges(&a, &(struct sitm_message){ .lanes = 1, .done = { 1 } });
    assert_true(sitm_attempt_aborted(&a, &m));
    assert_int_equal(m.reason, SITM_TABLE);
    assert_false(sitm_attempt_may_commit(&a, 0));
    next_begin(&a, 2, 2, &m);
    assert_true(m.kind == SITM_BEGIN && m.lanes == 3 && m.group == 0 && !m.exclusive && !m.starving);
    next_begin(&a, 1, 2, &m);
    assert_true(m.lanes == 3 && !m.exclusive && m.starving == 1);
    next_begin(&a, 1, 1, &m);
    assert_true(m.lanes == 1 && m.exclusive && !m.starving);
    next_begin(&a, 0, 0, &m);
    assert_true(m.lanes == 3 && !m.exclusive && !m.starving);
    sitm_attempt_committed(&a, 1);
    next_begin(&a, 1, 1, &m);
    assert_true(!m.exclusive && !m.starving && m.group == SITM_NO_GROUP);
}

/* The attempt of lanes 0 and 1 aborts; then the next one begins, and the GPU's commits are so many. */
static void fail_and_begin(struct sitm_attempt *a, uint32_t lanes, uint8_t commits)
{
    sitm_attempt_refused(a, lanes);
    sitm_attempt_begin(a, &(struct sitm_message){ .kind = SITM_SNAPSHOT, .lanes = 3, .commits = commits });
}

/* No lane has committed, and lane 0 aborted because of a conflict: it is to begin first. */
static void the_lane_that_begins_first(void **state)
{
    struct sitm_attempt a = { .warp = 7 };
    struct sitm_message m = { .kind = SITM_SNAPSHOT, .lanes = 3 };
    sitm_attempt_begin(&a, &m);
    sitm_attempt_doom(&a, 1, SITM_WRITE);
    assert_true(sitm_attempt_aborted(&a, &m));
    next_begin(&a, 16, 9, &m);
    assert_true(m.lanes == 3 && m.first == 1 && !m.starving && !m.exclusive);
    next_begin(&a, 0, 9, &m);
    assert_true(m.lanes == 3 && !m.first);
    next_begin(&a, 16, 1, &m);
    assert_true(m.lanes == 1 && m.exclusive && !m.first);
    sitm_attempt_doom(&a, 2, SITM_TABLE);
    assert_true(sitm_attempt_aborted(&a, &m));
    next_begin(&a, 1, 9, &m);
    assert_true(m.lanes == 3 && m.first == 1 && m.starving == 1);
    sitm_attempt_begin(&a, &(struct sitm_message){ .kind = SITM_SNAPSHOT, .lanes = 3 });
    sitm_attempt_doom(&a, 1, SITM_TABLE);
    sitm_attempt_doom(&a, 2, SITM_LOOP);
    while (sitm_attempt_aborted(&a, &m))
        ;
    next_begin(&a, 16, 9, &m);
    assert_true(m.lanes == 3 && !m.first);
    sitm_attempt_begin(&a, &(struct sitm_message){ .kind = SITM_SNAPSHOT, .lanes = 3 });
    sitm_attempt_doom(&a, 1, SITM_LOOP);
    assert_true(sitm_attempt_aborted(&a, &m));
    next_begin(&a, 16, 9, &m);
    assert_int_equal(m.first, 1);
    sitm_attempt_committed(&a, 2);
    next_begin(&a, 16, 9, &m);
    assert_true(m.lanes == 3 && !m.first && m.group == 0);
}

/* A commit of another warp begins the count for precedence again, one of the own warp does not; the count of aborts in
 * a row, for exclusive mode, goes on. The counter of commits wraps. */
static void commits_of_other_warps_are_progress(void **state)
{
    struct sitm_attempt a = { .warp = 7 };
    struct sitm_message m = { .kind = SITM_SNAPSHOT, .lanes = 3, .commits = 255 };
    sitm_attempt_begin(&a, &m);
    fail_and_begin(&a, 3, 255);
    sitm_attempt_refused(&a, 3);
    next_begin(&a, 2, 9, &m);
    assert_int_equal(m.starving, 1);
    sitm_attempt_begin(&a, &(struct sitm_message){ .kind = SITM_SNAPSHOT, .lanes = 3, .commits = 0 });
    sitm_attempt_refused(&a, 3);
    next_begin(&a, 2, 9, &m);
    assert_int_equal(m.starving, 0);
    next_begin(&a, 1, 3, &m);
    assert_true(m.exclusive && m.lanes == 1);
    sitm_attempt_committed(&a, 1);
    fail_and_begin(&a, 2, 1);
    sitm_attempt_refused(&a, 2);
    next_begin(&a, 2, 9, &m);
    assert_int_equal(m.starving, 2);
    sitm_attempt_committed(&a, 1);
    fail_and_begin(&a, 2, 3);
    sitm_attempt_refused(&a, 2);
    next_begin(&a, 2, 99, &m);
    assert_int_equal(m.starving, 0);
}

/* ---- version slots, sizes, bytes ---- */

static void life_of_slots(void **state)
{
    struct sitm_slots t;
    sitm_slots_init(&t, 2);
    sitm_slots_reference(&t, 0);
    assert_int_equal(sitm_slots_copy(&t), 1);
    assert_true(t.slot[1].state == SITM_SLOT_COPYING && t.slot[1].version == 1);
    sitm_slots_copied(&t);
    t.slot[1].floor = 30;
    sitm_slots_publish(&t);
    assert_int_equal(t.newest, 1);
    assert_int_equal(sitm_slots_copy(&t), SITM_NO_SLOT);
    sitm_slots_unreference(&t, 0);
    assert_int_equal(t.slot[0].state, SITM_SLOT_FREE);
    assert_int_equal(sitm_slots_copy(&t), 0);
    assert_true(t.slot[0].version == 2 && t.slot[0].floor == 30);
    sitm_slots_copied(&t);
    sitm_slots_reset(&t);
    assert_true(t.slot[1].version == 0 && t.slot[0].version == 1 && !t.slot[0].floor && t.open == 0);
}

static void sizes(void **state)
{
    struct sitm_rules r = sitm_rules_default();
    assert_null(sitm_rules_check(&r));
    assert_true(r.writer_entries * 6 == 3000 && r.reader_entries * 6 / 4 == 87852 / 4);
    r.stamp_bits = 5;
    assert_non_null(sitm_rules_check(&r));
    r.stamp_bits = 6;
    assert_null(sitm_rules_check(&r));
    r.slots = 1;
    assert_non_null(sitm_rules_check(&r));
    r = sitm_rules_default();
    r.groups = 33;
    assert_non_null(sitm_rules_check(&r));
}

static void bytes(void **state)
{
    assert_int_equal(sitm_message_bytes(SITM_BEGIN, 0), 16);
    assert_int_equal(sitm_message_bytes(SITM_TX_WRITE, 32), 8 + 4 + 2 + 32);
    assert_int_equal(sitm_message_bytes(SITM_EDGE_ACK, 3), 8 + 12);
    assert_int_equal(sitm_message_bytes(SITM_COMMIT_OK, 0), 20);
    assert_int_equal(sitm_message_bytes(SITM_CU_DONE, 0), 8);
}

/* ---- the manager ---- */

static struct sitm_manager manager;

static void receive(struct sitm_message message)
{
    sitm_manager_receive(&manager, &message);
}

static struct sitm_message sent(enum sitm_kind kind)
{
    struct sitm_message m;
    assert_true(sitm_manager_send(&manager, &m));
    assert_int_equal(m.kind, kind);
    return m;
}

static void nothing_sent(void)
{
    struct sitm_message m;
    assert_false(sitm_manager_send(&manager, &m));
}

/* A warp with a reader and a writer: each message in turn, one slice. */
static void course_of_a_warp(void **state)
{
    struct sitm_rules r = sitm_rules_default();
    char text[400] = "";
    r.slices = 1;
    sitm_manager_init(&manager, &r);
    nothing_sent();
    receive((struct sitm_message){ .kind = SITM_BEGIN, .warp = 40, .group = SITM_NO_GROUP, .lanes = 3 });
    struct sitm_message m = sent(SITM_SNAPSHOT);
    assert_true(m.warp == 40 && m.group == 0 && m.lanes == 3 && m.version == 0 && m.slot == 0);
    m = sent(SITM_COPY);
    assert_true(m.version == 1 && m.from == 0 && m.slot == 1);
    nothing_sent();
    receive((struct sitm_message){ .kind = SITM_COMMIT_REQ, .warp = 40, .group = 0, .lanes = 3, .writers = 2 });
    m = sent(SITM_RELEASE);
    assert_int_equal(m.lanes, 1);
    nothing_sent();
    sitm_manager_describe(&manager, text, sizeof text);
    assert_non_null(strstr(text, "next version is copied or published, 0 warps joined"));
    assert_non_null(strstr(text, "1 commits wait, 1 acks outstanding"));
    receive((struct sitm_message){ .kind = SITM_COPIED });
    m = sent(SITM_COMMIT_OK);
    assert_true(m.lanes == 3 && m.writers == 2 && m.version == 1 && m.slot == 1);
    assert_true(m.stamp[0] == 1 && m.stamp[1] == 12);
    receive((struct sitm_message){ .kind = SITM_WRITTEN, .group = 0 });
    assert_int_equal(sent(SITM_PUBLISH).version, 1);
    nothing_sent();
    receive((struct sitm_message){ .kind = SITM_PUBLISHED });
    assert_int_equal(sent(SITM_COMMITTED).warp, 40);
    assert_int_equal(sent(SITM_RELEASE).lanes, 2);
    m = sent(SITM_COPY);
    assert_true(m.version == 2 && m.from == 1 && m.slot == 0);
    assert_false(sitm_manager_quiet(&manager));
    receive((struct sitm_message){ .kind = SITM_RELEASED, .lanes = 1 });
    receive((struct sitm_message){ .kind = SITM_RELEASED, .lanes = 2 });
    receive((struct sitm_message){ .kind = SITM_COPIED });
    assert_true(sitm_manager_quiet(&manager));
    nothing_sent();
    sitm_manager_end(&manager);
}

static void begin_of(uint32_t warp, uint32_t group, uint32_t starving)
{
    receive((struct sitm_message){ .kind = SITM_BEGIN, .warp = warp, .group = group, .lanes = 3,
                                   .starving = starving });
}

static void commit_of(uint32_t group, uint32_t warp, uint32_t lanes)
{
    receive((struct sitm_message){ .kind = SITM_COMMIT_REQ, .warp = warp, .group = group, .lanes = lanes });
}

/* Begins of others wait until the lane with precedence requests its commit; then the next starving lane has it. */
static void precedence(void **state)
{
    struct sitm_rules r = sitm_rules_default();
    r.slices = 1;
    sitm_manager_init(&manager, &r);
    begin_of(5, SITM_NO_GROUP, 2);
    assert_int_equal(sent(SITM_SNAPSHOT).warp, 5);
    sent(SITM_COPY);
    begin_of(6, SITM_NO_GROUP, 0);
    begin_of(7, SITM_NO_GROUP, 1);
    nothing_sent();
    commit_of(0, 5, 1);                              /* not the starving lane */
    sent(SITM_COMMIT_OK);
    sent(SITM_RELEASE);
    nothing_sent();
    commit_of(0, 5, 2);
    sent(SITM_COMMIT_OK);
    sent(SITM_RELEASE);
    assert_int_equal(sent(SITM_SNAPSHOT).warp, 7);
    nothing_sent();
    commit_of(1, 7, 3);
    sent(SITM_COMMIT_OK);
    sent(SITM_RELEASE);
    assert_int_equal(sent(SITM_SNAPSHOT).warp, 6);
    assert_int_equal(manager.counts.precedences, 2);
    assert_int_equal(manager.counts.precedence_waits, 2);
    sitm_manager_end(&manager);
}

static void released(uint32_t group, uint32_t lanes)
{
    receive((struct sitm_message){ .kind = SITM_RELEASED, .group = group, .lanes = lanes });
}

static void abort_of(uint32_t group, uint32_t lanes)
{
    receive((struct sitm_message){ .kind = SITM_ABORTED, .group = group, .lanes = lanes });
    assert_int_equal(sent(SITM_RELEASE).lanes, lanes);
}

/* Lanes 0 and 1 of warp 5 abort, their entries are released, and they begin again: lane 0 first if its warp ran
 * alone. Returns the lanes that begin. */
static uint32_t repeat(void)
{
    abort_of(0, 3);
    released(0, 3);
    receive((struct sitm_message){ .kind = SITM_BEGIN, .warp = 5, .group = 0, .lanes = 3, .first = 1 });
    struct sitm_message m = sent(SITM_SNAPSHOT);
    assert_true(m.warp == 5 && m.group == 0);
    return m.lanes;
}

static void warp_5_begins(struct sitm_rules *r)
{
    *r = sitm_rules_default();
    r->slices = 1;
    sitm_manager_init(&manager, r);
    begin_of(5, SITM_NO_GROUP, 0);
    assert_int_equal(sent(SITM_SNAPSHOT).lanes, 3);
    sent(SITM_COPY);
}

/* The lane that is to begin first does so without the others when the entries of all of them have been released. */
static void lanes_of_a_warp_that_runs_alone(void **state)
{
    struct sitm_rules r;
    warp_5_begins(&r);
    abort_of(0, 3);
    receive((struct sitm_message){ .kind = SITM_BEGIN, .warp = 5, .group = 0, .lanes = 3, .first = 1 });
    released(0, 1);
    nothing_sent();
    released(0, 2);
    assert_int_equal(sent(SITM_SNAPSHOT).lanes, 1);
    commit_of(0, 5, 1);
    sent(SITM_COMMIT_OK);
    sent(SITM_RELEASE);
    released(0, 1);
    receive((struct sitm_message){ .kind = SITM_BEGIN, .warp = 5, .group = 0, .lanes = 2 });
    assert_int_equal(sent(SITM_SNAPSHOT).lanes, 2);
    assert_int_equal(manager.counts.serialised, 1);
    sitm_manager_end(&manager);
}

/* All lanes begin if another warp began meanwhile (first), still ran at the last begin (second), had entries in the
 * tables then (third), or has begun since, in the group of the last attempt (fourth). */
static void other_warps_ran_meanwhile(void **state)
{
    struct sitm_rules r;
    warp_5_begins(&r);
    begin_of(6, SITM_NO_GROUP, 0);
    assert_int_equal(sent(SITM_SNAPSHOT).group, 1);
    assert_int_equal(repeat(), 3);
    abort_of(1, 3);
    assert_int_equal(repeat(), 3);
    released(1, 3);
    assert_int_equal(repeat(), 3);
    abort_of(0, 3);
    released(0, 3);
    begin_of(6, SITM_NO_GROUP, 0);
    assert_int_equal(sent(SITM_SNAPSHOT).group, 0);
    receive((struct sitm_message){ .kind = SITM_BEGIN, .warp = 5, .group = 0, .lanes = 3, .first = 1 });
    assert_int_equal(sent(SITM_SNAPSHOT).lanes, 3);
    assert_int_equal(manager.counts.serialised, 0);
    sitm_manager_end(&manager);
}

/* A warp that does not begin gives up its precedence, and the request for one of a begin that still waits. */
static void a_warp_yields_precedence(void **state)
{
    const struct sitm_message yield_5 = { .kind = SITM_YIELD, .warp = 5 }, yield_7 = { .kind = SITM_YIELD, .warp = 7 };
    struct sitm_rules r = sitm_rules_default();
    r.slices = 1;
    sitm_manager_init(&manager, &r);
    begin_of(5, SITM_NO_GROUP, 1);
    assert_int_equal(sent(SITM_SNAPSHOT).warp, 5);
    sent(SITM_COPY);
    begin_of(7, SITM_NO_GROUP, 1);
    begin_of(6, SITM_NO_GROUP, 0);
    receive(yield_7);
    nothing_sent();
    receive(yield_5);
    assert_int_equal(sent(SITM_SNAPSHOT).warp, 7);
    assert_int_equal(sent(SITM_SNAPSHOT).warp, 6);
    assert_int_equal(manager.counts.precedences, 1);
    sitm_manager_end(&manager);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_8_first_order), cmocka_unit_test(figure_8_second_order),
        cmocka_unit_test(assignment_forgets_an_edge), cmocka_unit_test(write_skew_with_a_committed_writer),
        cmocka_unit_test(read_only_anomaly), cmocka_unit_test(edges_without_effect),
        cmocka_unit_test(stamps_that_leave_their_range), cmocka_unit_test(first_committer_wins),
        cmocka_unit_test(exclusive_attempts_register_nothing), cmocka_unit_test(reader_list),
        cmocka_unit_test(writer_table), cmocka_unit_test(word_map),
        cmocka_unit_test(write_skew_is_a_loop), cmocka_unit_test(exact_verdicts),
        cmocka_unit_test(acknowledgement_before_announcement),
        cmocka_unit_test(lanes_abort_when_nothing_is_outstanding),
        cmocka_unit_test(the_lane_that_begins_first),
        cmocka_unit_test(commits_of_other_warps_are_progress), cmocka_unit_test(life_of_slots),
        cmocka_unit_test(sizes), cmocka_unit_test(bytes), cmocka_unit_test(course_of_a_warp),
        cmocka_unit_test(precedence), cmocka_unit_test(lanes_of_a_warp_that_runs_alone),
        cmocka_unit_test(other_warps_ran_meanwhile), cmocka_unit_test(a_warp_yields_precedence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
