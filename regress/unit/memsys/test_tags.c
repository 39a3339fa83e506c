/* Tag arrays and miss-status registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memsys/mshr.h"
#include "memsys/tags.h"

static uint64_t rnd(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* A line as its owner puts it in: over the victim. */
static uint32_t put(struct tags *t, uint64_t line)
{
    uint32_t i = tags_victim(t, line);
    assert_int_not_equal(i, TAG_NONE);
    tags_allocate(t, i, line, 1);
    return i;
}

static void finds_what_was_placed(void **state)
{
    struct tags t;
    tags_init(&t, 4, 2, 128, TAGS_LRU, TAGS_LINEAR);
    assert_int_equal(tags_find(&t, 0), TAG_NONE);
    uint32_t a = put(&t, 0), b = put(&t, 4 * 128);
    assert_int_equal(tags_find(&t, 0), a);
    assert_int_equal(tags_find(&t, 4 * 128), b);
    assert_int_equal(tags_find(&t, 8 * 128), TAG_NONE);
    t.tag[a].state = 0;
    assert_int_equal(tags_find(&t, 0), TAG_NONE);
    assert_int_equal(tags_victim(&t, 8 * 128), a);
    tags_clear(&t);
    assert_int_equal(tags_find(&t, 4 * 128), TAG_NONE);
    tags_end(&t);
}

static void replaces_the_least_recently_used(void **state)
{
    static const enum tags_policy policy[] = { TAGS_LRU, TAGS_FIFO };
    for (int k = 0; k < 2; k++) {
        struct tags t;
        tags_init(&t, 2, 3, 64, policy[k], TAGS_LINEAR);
        uint32_t a = put(&t, 0), b = put(&t, 128), c = put(&t, 256);
        tags_touch(&t, a);
        assert_int_equal(tags_victim(&t, 384), policy[k] == TAGS_LRU ? b : a);
        t.tag[a].pinned = t.tag[b].pinned = true;
        assert_int_equal(tags_victim(&t, 384), c);
        t.tag[c].pinned = true;
        assert_int_equal(tags_victim(&t, 384), TAG_NONE);
        assert_int_not_equal(tags_victim(&t, 64), TAG_NONE);
        tags_end(&t);
    }
}

/* Any number of sets: contiguous lines fill all of them alike, to one line where the number is no power of two. */
static void contiguous_lines_spread_evenly(void **state)
{
    static const uint32_t sets[] = { 1, 2, 3, 48, 64, 96 };
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        for (int hash = 0; hash < 2; hash++) {
            uint32_t used[96] = { 0 };
            struct tags t;
            tags_init(&t, sets[k], 4, 128, TAGS_LRU, hash ? TAGS_XOR : TAGS_LINEAR);
            for (uint64_t line = 0; line < 192 * 4; line++)
                used[tags_set(&t, 0x40000000 + line * 128)]++;
            int mean = 192 * 4 / (int)sets[k], slack = hash && (sets[k] & (sets[k] - 1));
            for (uint32_t s = 0; s < sets[k]; s++)
                assert_in_range(used[s], mean - slack, mean + slack);
            tags_end(&t);
        }
}

/* A stride of as many lines as there are sets: one set without hashing, many with it. */
static void hashing_spreads_strides(void **state)
{
    for (int hash = 0; hash < 2; hash++) {
        uint64_t used = 0;
        struct tags t;
        tags_init(&t, 64, 4, 128, TAGS_LRU, hash ? TAGS_XOR : TAGS_LINEAR);
        for (uint64_t k = 0; k < 64; k++)
            used |= UINT64_C(1) << tags_set(&t, k * 64 * 128);
        assert_int_equal(__builtin_popcountll(used), hash ? 64 : 1);
        tags_end(&t);
    }
}

/* Fermi's function, bit by bit: set bit k is address bit 7 + k xor the other one; of 64 sets the sixth is bit 12. */
static void fermi_sets_follow_the_paper(void **state)
{
    static const unsigned other[] = { 13, 14, 15, 17, 19 };
    uint64_t x = 88172645463325252u;
    for (uint32_t sets = 32; sets <= 64; sets *= 2) {
        struct tags t;
        tags_init(&t, sets, 4, 128, TAGS_LRU, TAGS_FERMI);
        for (int n = 0; n < 20000; n++) {
            uint32_t want = 0;
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            uint64_t line = x >> 16 & ~UINT64_C(127);
            for (unsigned k = 0; k < 5; k++)
                want += (uint32_t)((line >> (7 + k) & 1) != (line >> other[k] & 1)) << k;
            want += sets == 64 && line >> 12 & 1 ? 32 : 0;
            assert_int_equal(tags_set(&t, line), want);
        }
        tags_end(&t);
    }
}

/* One block of 256 bytes in six, of it only where bits 12 and 10 are clear: still all sets alike. */
static void shared_bits_are_left_out(void **state)
{
    struct tags t;
    uint32_t used[16] = { 0 }, n = 0;
    tags_init(&t, 16, 4, 128, TAGS_LRU, TAGS_LINEAR);
    tags_share(&t, 0x1000000, 8, 6);
    tags_cut(&t, 12);
    tags_cut(&t, 10);
    for (uint64_t block = 0; block < 512; block++) {
        uint64_t inner = block * 256;
        if (inner & (1 << 12 | 1 << 10))
            continue;
        for (uint64_t half = 0; half < 256; half += 128, n++)
            used[tags_set(&t, 0x1000000 + (block * 6 + 5) * 256 + half)]++;
    }
    for (int s = 0; s < 16; s++)
        assert_int_equal(used[s], n / 16);
    tags_end(&t);
}

static void entries_and_merges_are_limited(void **state)
{
    struct mshr m;
    int x[3];
    mshr_init(&m, 2, 2);
    uint32_t a = mshr_new(&m, 128), b = mshr_new(&m, 256);
    assert_true(mshr_full(&m));
    assert_int_equal(mshr_new(&m, 384), MSHR_NONE);
    assert_int_equal(mshr_find(&m, 128), a);
    assert_int_equal(mshr_find(&m, 256), b);
    assert_int_equal(mshr_find(&m, 384), MSHR_NONE);
    assert_true(mshr_add(&m, a, &x[0]) && mshr_add(&m, a, &x[1]));
    assert_false(mshr_add(&m, a, &x[2]));
    assert_true(mshr_add(&m, b, &x[2]));
    assert_ptr_equal(mshr_first(&m, a), &x[0]);
    assert_ptr_equal(mshr_take(&m, a), &x[0]);
    assert_ptr_equal(mshr_take(&m, a), &x[1]);
    assert_null(mshr_take(&m, a));
    mshr_free(&m, a);
    assert_int_equal(mshr_find(&m, 128), MSHR_NONE);
    assert_int_equal(mshr_new(&m, 384), a);
    mshr_end(&m);
}

/* Against a table searched from end to end: same entries, targets first in first out. */
static void entries_behave_like_a_plain_table(void **state)
{
    enum { ENTRIES = 7, MERGES = 5, LINES = 20 };
    struct { uint64_t line; uintptr_t first, next; } plain[ENTRIES] = { 0 };
    struct mshr m;
    uint64_t seed = 88172645463325252u;
    uintptr_t serial = 1;
    mshr_init(&m, ENTRIES, MERGES);
    for (int step = 0; step < 20000; step++) {
        uint64_t line = (1 + rnd(&seed) % LINES) * 128;
        uint32_t k = 0, e = mshr_find(&m, line);
        while (k < ENTRIES && plain[k].line != line)
            k++;
        assert_int_equal(e == MSHR_NONE, k == ENTRIES);
        if (e == MSHR_NONE) {
            e = mshr_new(&m, line);
            if (e == MSHR_NONE)
                continue;
            assert_int_equal(plain[e].line, 0);
            plain[e].line = line;
            plain[e].first = plain[e].next = serial;
            serial += MERGES * 1000;
        } else {
            assert_int_equal(e, k);
        }
        if (rnd(&seed) % 2 == 0) {
            bool room = plain[e].next - plain[e].first < MERGES;
            assert_int_equal(mshr_add(&m, e, (void *)plain[e].next), room);
            plain[e].next += room;
        } else if (plain[e].first != plain[e].next) {
            assert_int_equal((uintptr_t)mshr_take(&m, e), plain[e].first++);
        } else {
            assert_null(mshr_take(&m, e));
            mshr_free(&m, e);
            plain[e].line = 0;
        }
    }
    mshr_end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_placed),
        cmocka_unit_test(replaces_the_least_recently_used),
        cmocka_unit_test(contiguous_lines_spread_evenly),
        cmocka_unit_test(hashing_spreads_strides),
        cmocka_unit_test(fermi_sets_follow_the_paper),
        cmocka_unit_test(shared_bits_are_left_out),
        cmocka_unit_test(entries_and_merges_are_limited),
        cmocka_unit_test(entries_behave_like_a_plain_table)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
