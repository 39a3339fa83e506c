/*
 * Transactions under snapshot isolation in the oracle: the order in which they are settled, against a list that is
 * sorted; turns of tickets; values of snapshots and overlapping writers, against a list of all writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tm/oracle/oracle_impl.h"

enum { ROUNDS = 300, MOST = 60, WORDS = 3 };

static uint64_t seed = 2017;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

static struct oracle_snapshots *start(void)
{
    static struct oracle_snapshots s;
    s = (struct oracle_snapshots){ .on = true };
    fifo_init(&s.turns, sizeof(uint32_t), "a test");
    versions_clear(&s.versions, 0);
    return &s;
}

/* ---- settled by their places ---- */

static int by_place(const void *a, const void *b)
{
    const struct oracle_txn *x = a, *y = b;
    if (x->place.order != y->place.order)
        return x->place.order < y->place.order ? -1 : 1;
    if (x->place.commit != y->place.commit)
        return x->place.commit < y->place.commit ? -1 : 1;
    return x->who.lane < y->who.lane ? -1 : x->who.lane > y->who.lane;
}

/* Random places, reported in any order; all below a bound leave in ascending order, then all others. */
static void settled_in_the_order_of_places(void **state)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct oracle_snapshots *s = start();
        static struct oracle_txn txn[MOST], sorted[MOST];
        uint32_t n = 1 + below(MOST), at = 0;
        for (uint32_t i = 0; i < n; i++) {
            txn[i] = sorted[i] = (struct oracle_txn){ .who.lane = (uint8_t)i,
                                                      .place = { .order = below(9), .commit = below(9) } };
            oracle_snapshots_add(s, &txn[i]);
        }
        qsort(sorted, n, sizeof *sorted, by_place);
        assert_null(oracle_snapshots_next(s));
        for (s->settled = 1; s->settled <= 9; s->settled += 1 + below(4)) {
            for (struct oracle_txn *t; (t = oracle_snapshots_next(s)); at++)
                assert_int_equal(t->who.lane, sorted[at].who.lane);
            assert_true(at == n || sorted[at].place.order >= s->settled);
        }
        s->n = 0;
        oracle_snapshots_free(s);
    }
}

/* Tickets have their turns in any order, before or after they have been reported. */
static void tickets_in_the_order_of_turns(void **state)
{
    struct oracle_snapshots *s = start();
    static const uint32_t turns[] = { 40, 2, 3, 1 };
    struct oracle_txn txn[4];
    for (uint32_t i = 0; i < 4; i++) {
        txn[i] = (struct oracle_txn){ .place.ticket = turns[i] };
        *(uint32_t *)fifo_push(&s->turns) = turns[i];
    }
    oracle_snapshots_add(s, &txn[3]);
    oracle_snapshots_add(s, &txn[1]);
    assert_null(oracle_snapshots_next(s));
    oracle_snapshots_add(s, &txn[0]);
    assert_ptr_equal(oracle_snapshots_next(s), &txn[0]);
    assert_ptr_equal(oracle_snapshots_next(s), &txn[1]);
    assert_null(oracle_snapshots_next(s));
    assert_int_equal(s->waiting, 1);
    oracle_snapshots_add(s, &txn[2]);
    assert_ptr_equal(oracle_snapshots_next(s), &txn[2]);
    assert_ptr_equal(oracle_snapshots_next(s), &txn[3]);
    assert_null(oracle_snapshots_next(s));
    oracle_snapshots_free(s);
}

/* ---- versions of words ---- */

struct write { uint64_t commit; uint32_t word, value; };

/* The last write of the word whose version is at most `snapshot`; NULL = none. */
static const struct write *last_write(const struct write *w, uint32_t n, uint32_t word, uint64_t snapshot)
{
    const struct write *last = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (w[i].word == word && w[i].commit <= snapshot)
            last = &w[i];
    return last;
}

static void check_values(const struct oracle_snapshots *s, const struct write *w, uint32_t n)
{
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint64_t snapshot = 0; snapshot < MOST; snapshot++) {
            const struct write *last = last_write(w, n, word, snapshot);
            bool any = last_write(w, n, word, UINT64_MAX);
            uint32_t expected = last ? last->value : any ? 100 + word : 7;
            assert_int_equal(oracle_snapshot_value(s, snapshot, 5, word, 7), expected);
        }
}

/* A word has 100 + its number before the first version; versions of a word ascend. Cleared, it has none. */
static void values_of_snapshots(void **state)
{
    for (int round = 0; round < 20; round++) {
        struct oracle_snapshots *s = start();
        struct write w[MOST];
        uint32_t n = 0;
        for (uint64_t commit = 1; commit < MOST; commit += 1 + below(5)) {
            uint32_t word = below(WORDS), value = below(1000);
            const struct write *last = last_write(w, n, word, UINT64_MAX);
            uint64_t newest = oracle_snapshot_write(s, commit, 5, word, last ? last->value : 100 + word, value);
            assert_int_equal(newest, last ? last->commit : 0);
            w[n++] = (struct write){ commit, word, value };
        }
        check_values(s, w, n);
        oracle_snapshots_clear(s);
        check_values(s, w, 0);
        oracle_snapshots_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_in_the_order_of_places), cmocka_unit_test(tickets_in_the_order_of_turns),
        cmocka_unit_test(values_of_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
