/*
 * Rules of WarpTM without timing, each against a plain reference: which lanes of a warp abort, what the last-written
 * table knows, when reads are of one state, and the oracle's history that checks the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tm/core/recency.h"
#include "tm/oracle/versions.h"
#include "tm/warptm/resolution.h"
#include "tm/warptm/temporal.h"

enum { WORDS_MOST = 6, BASE = 1 << 20 };          /* warps of LANES, 32 */

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* ---- resolution ---- */

static struct tm_word read_word[LANES][WORDS_MOST], write_word[LANES][WORDS_MOST];
static struct tm_lane lane_of[LANES], *lane[TM_LANES];

static uint64_t random_warp(uint32_t words)
{
    for (unsigned i = 0; i < LANES; i++) {
        struct tm_lane *l = lane[i] = &lane_of[i];
        *l = (struct tm_lane){ .reads = { .w = read_word[i], .n = rnd(WORDS_MOST) },
                               .writes = { .w = write_word[i], .n = rnd(3) } };
        for (uint32_t k = 0; k < l->reads.n; k++)
            l->reads.w[k].address = BASE + 4 * rnd(words);
        for (uint32_t k = 0; k < l->writes.n; k++)
            l->writes.w[k].address = BASE + 4 * rnd(words);
    }
    return (uint64_t)rnd(UINT32_MAX) | UINT64_C(1) << rnd(LANES);
}

static bool has(const struct tm_set *s, uint64_t address)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->w[i].address == address)
            return true;
    return false;
}

/* The lanes that the rule of the exact table aborts: a lower lane of the warp writes a word that this one accesses. */
static uint64_t expected_exact(uint64_t lanes)
{
    uint64_t aborts = 0;
    for (unsigned b = 0; b < LANES; b++)
        for (unsigned a = 0; a < b; a++)
            for (uint32_t i = 0; lanes >> a & lanes >> b & 1 && i < lane[a]->writes.n; i++)
                if (has(&lane[b]->reads, lane[a]->writes.w[i].address) ||
                    has(&lane[b]->writes, lane[a]->writes.w[i].address))
                    aborts |= UINT64_C(1) << b;
    return aborts;
}

static bool same_entry(uint64_t a, uint64_t b, uint32_t entries, unsigned factor)
{
    unsigned __int128 x = a - BASE, y = b - BASE;
    return (x % entries + x / entries * factor) % entries == (y % entries + y / entries * factor) % entries;
}

/* Does a lower lane write a word in the same entry? bloom: in the same entry of both halves, for any two lower
 * lanes. */
static bool entry_taken(uint64_t lanes, unsigned b, uint64_t address, uint32_t entries, unsigned factor)
{
    for (unsigned a = 0; a < b; a++)
        for (uint32_t i = 0; lanes >> a & 1 && i < lane[a]->writes.n; i++)
            if (same_entry(lane[a]->writes.w[i].address, address, entries, factor))
                return true;
    return false;
}

static uint64_t expected_hashed(uint64_t lanes, uint32_t entries, bool bloom)
{
    uint64_t aborts = 0;
    for (unsigned b = 0; b < LANES; b++)
        for (uint32_t i = 0; lanes >> b & 1 && i < lane[b]->reads.n + lane[b]->writes.n; i++) {
            uint64_t at = i < lane[b]->reads.n ? lane[b]->reads.w[i].address
                                               : lane[b]->writes.w[i - lane[b]->reads.n].address;
            if (bloom ? entry_taken(lanes, b, at, entries / 2, 17) && entry_taken(lanes, b, at, entries / 2, 27)
                      : entry_taken(lanes, b, at, entries, 17))
                aborts |= UINT64_C(1) << b;
        }
    return aborts;
}

static void lower_lanes_own_what_they_write(void **state)
{
    uint64_t found = 0, extra = 0;
    struct ownership exact, table;
    ownership_init(&exact, 0);
    ownership_init(&table, 64);
    seed = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t lanes = random_warp(i % 2 ? 4000 : 60), by_rule = expected_exact(lanes);
        uint64_t hashed = resolution_by_table(&table, true, false, lane, lanes, BASE);
        uint64_t bloom = resolution_by_table(&table, true, true, lane, lanes, BASE);
        assert_int_equal(resolution_by_table(&exact, true, false, lane, lanes, BASE), by_rule);
        assert_int_equal(hashed, expected_hashed(lanes, 64, false));
        assert_int_equal(bloom, expected_hashed(lanes, 64, true));
        assert_int_equal(by_rule & ~hashed, 0);
        assert_int_equal(by_rule & ~bloom, 0);
        assert_int_equal(hashed & lanes & -lanes, 0);
        found += by_rule != 0;
        extra += hashed != by_rule;
    }
    assert_true(found > 5000 && extra > 5000);
    ownership_end(&exact);
    ownership_end(&table);
}

/* Lanes that stay neither read nor write a word that another one of them writes; at least one lane stays. */
static void marks_without_priority_leave_no_conflict(void **state)
{
    struct ownership table;
    ownership_init(&table, 256);
    seed = 2;
    for (int i = 0; i < 20000; i++) {
        uint64_t lanes = random_warp(i % 2 ? 300 : 5);
        uint64_t stay = lanes & ~resolution_by_table(&table, false, i % 3 == 0, lane, lanes, BASE);
        assert_true(stay);
        if (stay & (stay - 1))
            assert_int_equal(resolution_true(lane, stay), 0);
    }
    ownership_end(&table);
}

/* From the lowest lane on, one stays if it shares no word, read by one and written by the other, with those that
 * stay. */
static void pairs_are_exact(void **state)
{
    uint64_t aborts = 0;
    seed = 3;
    for (int i = 0; i < 20000; i++) {
        uint64_t lanes = random_warp(200), stay = 0;
        for (unsigned b = 0; b < LANES; b++) {
            bool conflict = !(lanes >> b & 1);
            for (unsigned a = 0; a < b && !conflict; a++)
                for (uint32_t k = 0; stay >> a & 1 && k < WORDS_MOST && !conflict; k++)
                    conflict = (k < lane[a]->reads.n && has(&lane[b]->writes, lane[a]->reads.w[k].address)) ||
                               (k < lane[a]->writes.n && has(&lane[b]->reads, lane[a]->writes.w[k].address));
            stay |= conflict ? 0 : UINT64_C(1) << b;
        }
        assert_int_equal(resolution_perfect(lane, lanes), lanes & ~stay);
        aborts += (lanes & ~stay) != 0;
    }
    assert_true(aborts > 1000);
}

static void hash_is_the_published_one(void **state)
{
    assert_int_equal(ownership_hash(8192 + 12, 4096, 17), 12 + 34);
    assert_int_equal(ownership_hash(4095 + 4096, 4096, 17), (4095 + 17) % 4096);
    assert_int_equal(ownership_hash(UINT64_C(4) << 30, 4096, 27), (UINT64_C(27) << 20) % 4096);
}

/* ---- the last-written table ---- */

enum { CHUNKS = 512 };

/* Random writes with ascending or disordered stamps; returns how many results are younger than the truth. */
static uint32_t never_too_old(uint32_t arrays, uint32_t buckets)
{
    static uint64_t truth[CHUNKS];
    uint32_t younger = 0;
    struct recency t;
    recency_init(&t, arrays, buckets, 24, 1, 0, "a test");
    memset(truth, 0, sizeof truth);
    for (uint32_t i = 1; i < 100000; i++) {
        uint32_t c = rnd(CHUNKS);
        uint64_t stamp = i + rnd(50);
        if (i % 4) {
            assert_true(recency_last(&t, c) >= truth[c]);
            younger += recency_last(&t, c) > truth[c];
        } else {
            recency_write(&t, c, stamp);
            truth[c] = stamp > truth[c] ? stamp : truth[c];
        }
    }
    recency_clear(&t);
    assert_int_equal(recency_last(&t, 5), 0);
    recency_end(&t);
    return younger;
}

static void no_write_is_missed(void **state)
{
    seed = 4;
    uint32_t large = never_too_old(4, 4096), odd = never_too_old(4, 85), one = never_too_old(1, 85);
    assert_true(large * 10 < odd && odd < one && never_too_old(2, 1) > one);
}

/* ---- reads of one state: slices that perform commits in the order of commit IDs, each at its own pace ---- */

enum { SLICES = 3, MEMORY = 12, COMMITS = 60 };

/* value[c][w]: of word w after commit c. */
static uint32_t value[COMMITS + 1][MEMORY];
static bool writes[COMMITS + 1][MEMORY];

static void random_commits(void)
{
    for (uint32_t c = 1; c <= COMMITS; c++)
        for (uint32_t w = 0; w < MEMORY; w++) {
            writes[c][w] = !rnd(4);
            value[c][w] = writes[c][w] ? rnd(3) : value[c - 1][w];
        }
}

static bool some_state_has(uint32_t oldest, uint32_t newest, const uint32_t *word, const uint32_t *read, uint32_t n)
{
    for (uint32_t c = oldest; c <= newest; c++) {
        uint32_t i = 0;
        while (i < n && value[c][word[i]] == read[i])
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* A word's own writes within a slice may be performed before those of older commits to other words. */
static void clean_reads_are_of_one_state(void **state)
{
    uint32_t clean = 0, inconsistent = 0;
    seed = 5;
    for (int run = 0; run < 20000; run++) {
        uint32_t first = rnd(COMMITS / 2), retired[SLICES] = { first, first + rnd(4), first + rnd(4) };
        uint32_t word[4], got[4], n = 2 + rnd(3);
        struct temporal_reads r = temporal_none();
        random_commits();
        for (uint32_t i = 0; i < n; i++) {
            uint32_t w = word[i] = rnd(MEMORY), s = w % SLICES, last = 0;
            for (uint32_t k = 0; k < SLICES; k++)
                retired[k] += rnd(3);
            uint32_t performed = retired[s] + (rnd(3) ? 0 : rnd(5));
            for (uint32_t c = 1; c <= performed; c++)
                last = writes[c][w] ? c : last;
            got[i] = value[performed][w];
            temporal_read(&r, last + (rnd(8) ? 0 : rnd(3)), retired[s]);
        }
        bool consistent = some_state_has(0, COMMITS, word, got, n);
        inconsistent += !consistent;
        clean += !temporal_conflict(&r);
        assert_true(consistent || temporal_conflict(&r));
    }
    assert_true(clean > 4000 && inconsistent > 1000);
}

/* The first conflict is a write after the first read, in the same cycle as it is none. */
static void writes_after_the_first_read_conflict(void **state)
{
    struct temporal_reads r = temporal_none();
    assert_false(temporal_conflict(&r));
    temporal_read(&r, 0, 100);
    temporal_read(&r, 100, UINT64_MAX);
    assert_false(temporal_conflict(&r));
    temporal_read(&r, 0, 120);
    temporal_read(&r, 101, UINT64_MAX);
    assert_true(temporal_conflict(&r));
}

/* ---- the oracle's history ---- */

static void history_finds_the_state(void **state)
{
    struct versions v = { 0 };
    uint32_t found = 0, missing = 0;
    seed = 6;
    for (int run = 0; run < 3000; run++) {
        random_commits();
        versions_clear(&v, 1);
        for (uint32_t c = 1; c <= COMMITS; c++) {
            for (uint32_t w = 0; w < MEMORY; w++)
                if (writes[c][w])
                    versions_write(&v, w / 8, w % 8, c, value[c - 1][w], value[c][w]);
            versions_replayed(&v, 10 * (c / 3));
        }
        for (int check = 0; check < 8; check++) {
            uint32_t word[4], read[4], n = 1 + rnd(4), newest = rnd(COMMITS + 1), start = rnd(200), known = 0;
            while (known < COMMITS && 10 * ((known + 1) / 3) < start)
                known++;
            newest = newest > known ? newest : known;
            bool all = true;
            versions_check_begin(&v, start, newest);
            for (uint32_t i = 0; i < n; i++) {
                word[i] = rnd(MEMORY);
                read[i] = rnd(6) ? value[known + rnd(newest - known + 1)][word[i]] : rnd(3);
                all = versions_check_read(&v, start, newest, word[i] / 8, word[i] % 8, read[i],
                                          value[COMMITS][word[i]]);
            }
            assert_int_equal(all, some_state_has(known, newest, word, read, n));
            found += all;
            missing += !all;
        }
    }
    assert_true(found > 2000 && missing > 2000);
    versions_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_lanes_own_what_they_write),
        cmocka_unit_test(marks_without_priority_leave_no_conflict),
        cmocka_unit_test(pairs_are_exact),
        cmocka_unit_test(hash_is_the_published_one),
        cmocka_unit_test(no_write_is_missed),
        cmocka_unit_test(clean_reads_are_of_one_state),
        cmocka_unit_test(writes_after_the_first_read_conflict),
        cmocka_unit_test(history_finds_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
