/*
 * The last writer history against an exact map: its answer is never older than the true last writer. Its parts by
 * themselves: hash functions, eviction, filter, exact map.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tm/kilo/unit/history/bf_array.h"
#include "tm/kilo/unit/history/exact_history.h"
#include "tm/kilo/unit/history/lwh.h"

enum { ADDRESSES = 4096, OPERATIONS = 1000000 };

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* Random writers and look-ups; returns how many answers were younger than the truth. */
static uint32_t never_too_old(uint32_t sets, uint32_t ways, uint32_t buckets, uint32_t arrays)
{
    static uint64_t truth[ADDRESSES];
    uint32_t younger = 0;
    uint64_t cid = 1;
    struct lwh l;
    lwh_init(&l, sets, ways, buckets, arrays, 1);
    memset(truth, 0, sizeof truth);
    seed = sets + buckets;
    for (int i = 0; i < OPERATIONS; i++) {
        uint32_t a = rnd(2) ? rnd(ADDRESSES) : rnd(16);
        bool in_table;
        cid += rnd(3) == 0;
        if (rnd(2)) {
            lwh_insert(&l, a, cid);
            truth[a] = cid;
            continue;
        }
        uint64_t answer = lwh_lookup(&l, a, &in_table);
        assert_true(answer >= truth[a]);
        assert_true(!in_table || answer == truth[a]);
        younger += answer > truth[a];
    }
    lwh_end(&l);
    return younger;
}

static void no_writer_is_missed(void **state)
{
    uint32_t paper = never_too_old(128, 4, 1024, 4), small = never_too_old(16, 4, 64, 4);
    assert_true(0 < paper && paper < small);
    assert_true(never_too_old(1, 1, 2, 2) > small);
    assert_int_equal(never_too_old(ADDRESSES, 64, 16, 1), 0);
}

/* A set evicts its smallest commit ID, not the one that came first. */
static void smallest_commit_id_is_evicted(void **state)
{
    bool in_table;
    struct lwh l;
    lwh_init(&l, 1, 2, 4, 1, 1);
    assert_false(lwh_insert(&l, 10, 1));
    assert_false(lwh_insert(&l, 20, 2));
    assert_false(lwh_insert(&l, 10, 3));
    assert_true(lwh_insert(&l, 30, 4));
    assert_true(lwh_lookup(&l, 10, &in_table) == 3 && in_table);
    assert_true(lwh_lookup(&l, 30, &in_table) == 4 && in_table);
    assert_true(lwh_lookup(&l, 20, &in_table) == 2 && !in_table);
    lwh_end(&l);
}

/* An older writer that is evicted later does not hide the younger one in its bucket. */
static void bucket_keeps_the_youngest(void **state)
{
    bool in_table;
    struct lwh l;
    lwh_init(&l, 2, 1, 1, 1, 1);
    uint32_t in_set[2][3], n[2] = { 0, 0 };
    for (uint32_t a = 1; n[0] < 3 || n[1] < 3; a++) {
        uint32_t s = h3(&l.set_hash, a);
        if (n[s] < 3)
            in_set[s][n[s]++] = a;
    }
    lwh_insert(&l, in_set[0][0], 1);
    lwh_insert(&l, in_set[1][0], 2);
    lwh_insert(&l, in_set[1][1], 3);                 /* evicts 2 */
    lwh_insert(&l, in_set[0][1], 4);                 /* evicts 1 */
    assert_int_equal(lwh_lookup(&l, in_set[1][0], &in_table), 2);
    lwh_end(&l);
}

static void sub_array_with_the_oldest_answers(void **state)
{
    bool in_table;
    struct lwh l;
    lwh_init(&l, 1, 1, 16, 2, 1);
    uint32_t a = 1, same = 2;
    const struct h3 *hash = l.filter.hash;
    while (h3(&hash[0], same) != h3(&hash[0], a) || h3(&hash[1], same) == h3(&hash[1], a))
        same++;
    lwh_insert(&l, a, 1);
    lwh_insert(&l, same, 2);
    lwh_insert(&l, 1000, 3);                         /* both are in the filter now */
    assert_true(lwh_lookup(&l, a, &in_table) == 1 && !in_table);
    assert_int_equal(lwh_lookup(&l, same, &in_table), 2);
    lwh_end(&l);
}

/* Linear over exclusive or, different by number, repeatable, and even. */
static void hash_functions(void **state)
{
    struct h3 f, g, again;
    uint32_t count[16] = { 0 }, equal = 0;
    h3_init(&f, 4, 7, 0);
    h3_init(&g, 4, 7, 1);
    h3_init(&again, 4, 7, 0);
    assert_memory_equal(&f, &again, sizeof f);
    seed = 5;
    for (int i = 0; i < 1000; i++) {
        uint32_t a = rnd(UINT32_MAX), c = rnd(UINT32_MAX);
        assert_int_equal(h3(&f, a) ^ h3(&f, c), h3(&f, a ^ c));
        equal += h3(&f, a) == h3(&g, a);
    }
    assert_true(equal < 150);
    for (uint32_t a = 0; a < 1 << 16; a++)
        count[h3(&f, a * 4)]++;
    for (int i = 0; i < 16; i++)
        assert_true(count[i] > 0);
    h3_init(&f, 0, 7, 0);
    assert_int_equal(h3(&f, 12345), 0);
}

static void exact_map_drops_only_the_old(void **state)
{
    static uint64_t truth[1 << 16];
    struct exact e;
    exact_init(&e);
    memset(truth, 0, sizeof truth);
    seed = 3;
    for (uint64_t cid = 1; cid < 200000; cid++) {
        uint32_t word = rnd(1 << 16);
        if (exact_full(&e))
            exact_rebuild(&e, cid > 500 ? cid - 500 : 0);
        exact_insert(&e, 4 * word, cid);
        truth[word] = cid;
        word = rnd(1 << 16);
        uint64_t answer = exact_lookup(&e, 4 * word);
        assert_true(answer == truth[word] || (answer == 0 && truth[word] + 500 <= cid));
    }
    assert_true(e.size <= 4096);
    exact_end(&e);
}

/* Signatures of entries: no entry is missed, none is found after it is cleared, and doubling keeps them. */
static void signatures(void **state)
{
    struct bf_array f;
    bf_init(&f, 512, 4, 64, 1);
    for (uint32_t slot = 0; slot < 64; slot += 3)
        bf_insert(&f, slot % 2 ? BF_WRITES : BF_READS, slot, 100 * slot);
    bf_clear(&f, 6);
    bf_double(&f);
    bf_clear(&f, 64 + 9);
    for (uint32_t slot = 0; slot < 64; slot += 3)
        for (int k = BF_READS; k <= BF_WRITES; k++) {
            bool there = slot != 6 && (slot % 2 ? BF_WRITES : BF_READS) == k;
            assert_int_equal(bf_match(&f, (enum bf_kind)k, 0, 100 * slot) >> slot & 1, there);
            assert_int_equal(bf_match(&f, (enum bf_kind)k, 1, 100 * slot) >> slot & 1, there && slot != 9);
        }
    bf_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_writer_is_missed), cmocka_unit_test(smallest_commit_id_is_evicted),
        cmocka_unit_test(bucket_keeps_the_youngest), cmocka_unit_test(sub_array_with_the_oldest_answers),
        cmocka_unit_test(hash_functions), cmocka_unit_test(exact_map_drops_only_the_old), cmocka_unit_test(signatures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
