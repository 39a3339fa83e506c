/*
 * Pairs of transactions by conflict, against all pairs of a plain list whose sets are bits; and the four kinds by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/stats.h"
#include "tm/core/pairs.h"

enum { CORES = 3, TRANSACTIONS = 200, WORDS = 24 };

/* reads, writes: a bit for each word. */
struct plain { uint32_t core; uint64_t from, to; uint32_t reads, writes; };

static uint64_t seed = 2017;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* An element for each bit, the lowest twice, from the greatest address down. */
static void fill(struct tm_set *s, struct tm_word *w, uint32_t bits)
{
    s->w = w;
    s->n = 0;
    for (int i = WORDS - 1; i >= 0; i--)
        if (bits >> i & 1)
            w[s->n++] = (struct tm_word){ .address = UINT64_C(0x100000000) + 4 * (uint64_t)i, .bytes = 15 };
    if (s->n) {
        w[s->n] = w[s->n - 1];
        s->n++;
    }
}

static void commit(struct pairs *p, const struct plain *t)
{
    struct tm_word reads[WORDS + 1], writes[WORDS + 1];
    struct tm_lane l = { .first = t->from, .start = t->from };
    fill(&l.reads, reads, t->reads);
    fill(&l.writes, writes, t->writes);
    pairs_committed(p, t->core, &l, t->to);
}

static void expect(const uint64_t *count, uint64_t overlapping, uint64_t conflicts, uint64_t read_write,
                   uint64_t write_write)
{
    assert_int_equal(count[STAT_TX_PAIRS], overlapping);
    assert_int_equal(count[STAT_TX_PAIRS_CONFLICT], conflicts);
    assert_int_equal(count[STAT_TX_PAIRS_READ_WRITE], read_write);
    assert_int_equal(count[STAT_TX_PAIRS_WRITE_WRITE], write_write);
}

static void test_kinds(void **state)
{
    static const struct { struct plain a, b; int overlaps, conflicts, read_write, write_write; } rows[] = {
        { { 0, 10, 20, 1, 0 }, { 1, 15, 30, 0, 1 }, 1, 1, 1, 0 },        /* one reads what the other writes */
        { { 0, 10, 20, 0, 1 }, { 1, 15, 30, 1, 0 }, 1, 1, 1, 0 },
        { { 0, 10, 20, 2, 1 }, { 1, 15, 30, 4, 1 }, 1, 1, 0, 1 },        /* both write the word, neither reads it */
        { { 0, 10, 20, 1, 1 }, { 0, 15, 30, 0, 1 }, 1, 1, 0, 0 },        /* both kinds */
        { { 0, 10, 20, 3, 4 }, { 1, 15, 30, 3, 8 }, 1, 0, 0, 0 },        /* both only read the words */
        { { 0, 10, 20, 1, 1 }, { 1, 20, 30, 1, 1 }, 0, 0, 0, 0 },        /* one begins when the other has committed */
        { { 2, 15, 16, 1, 0 }, { 1, 10, 30, 0, 1 }, 1, 1, 1, 0 },        /* one within the other */
    };
    struct pairs *p = pairs_new(CORES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t count[STAT_END] = { 0 };
        commit(p, &rows[i].a);
        commit(p, &rows[i].b);
        pairs_finish(p, count);
        expect(count, (uint64_t)rows[i].overlaps, (uint64_t)rows[i].conflicts, (uint64_t)rows[i].read_write,
               (uint64_t)rows[i].write_write);
    }
    pairs_free(p);
}

static void test_random(void **state)
{
    static struct plain t[TRANSACTIONS];
    uint64_t count[STAT_END] = { 0 }, n[4] = { 0 };
    struct pairs *p = pairs_new(CORES);
    for (int i = 0; i < TRANSACTIONS; i++) {
        t[i] = (struct plain){ .core = below(CORES), .from = below(1000), .writes = below(3) ? 1u << below(WORDS) : 0,
                               .reads = 1u << below(WORDS) | 1u << below(WORDS) };
        t[i].to = t[i].from + 1 + below(300);
        commit(p, &t[i]);
    }
    for (int i = 0; i < TRANSACTIONS; i++)
        for (int k = 0; k < i; k++)
            if (t[i].from < t[k].to && t[k].from < t[i].to) {
                bool rw = (t[i].reads & t[k].writes) || (t[i].writes & t[k].reads), ww = t[i].writes & t[k].writes;
                n[0]++;
                n[1] += rw || ww;
                n[2] += rw && !ww;
                n[3] += ww && !rw;
            }
    pairs_finish(p, count);
    assert_true(n[2] > 50 && n[3] > 20);
    expect(count, n[0], n[1], n[2], n[3]);
    pairs_finish(p, count);          /* the kernel's transactions are gone */
    expect(count, n[0], n[1], n[2], n[3]);
    pairs_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_kinds), cmocka_unit_test(test_random) };
    return cmocka_run_group_tests_name("pairs of transactions", tests, NULL, NULL);
}
