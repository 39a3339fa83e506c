/*
 * Shared memory, filters and turns of GPU-LocalTM as they are in a run: looked at when a warp has come to tx_commit,
 * and when an attempt begins, by a protocol for global memory that does what none does.
 */
#include "regress/localtm/rig.h"
#include "tm/core/tm_impl.h"
#include "tm/localtm/localtm.h"

enum { N = 256, MAX_VIEWS = 64 };

/* What is seen at an attempt's beginning or its commit. */
struct view {
    bool commit;
    uint64_t lanes;
    uint32_t word[2 * N];            /* of the kernel, then the old ones */
    uint8_t owner[N];
    bool owned[N];
    uint64_t filter3[2];             /* in bank 3: of thread 3, of thread 5 */
    unsigned bits;                   /* set in filters of all threads */
};

static struct tm_protocol spy;
static struct tm_core *core;
static struct view view[MAX_VIEWS];
static int views;
typedef void look_fn(uint32_t slot, uint64_t lanes, bool commit);
static look_fn *look;

static void *spy_new_core(struct tm_core *c, void *shared)
{
    core = c;
    return tm_plain.new_core(c, shared);
}

static void spy_attempt(void *p, uint32_t slot, uint64_t lanes, uint64_t now)
{
    look(slot, lanes, false);
    tm_plain.attempt(p, slot, lanes, now);
}

static void spy_commit(void *p, uint32_t slot, uint64_t lanes, uint64_t now)
{
    look(slot, lanes, true);
    tm_plain.commit(p, slot, lanes, now);
}

/* Runs a kernel of memory.ptx in one block with the spy. */
static void spied(struct rig *r, const char *setting, const char *kernel, uint32_t threads, look_fn *how)
{
    spy = tm_plain;
    spy.new_core = spy_new_core;
    spy.attempt = spy_attempt;
    spy.commit = spy_commit;
    look = how;
    views = 0;
    const char *const settings[] = { setting, NULL };
    rig_open(r, "localtm", settings, "memory.ptx", &spy);
    rig_run(r, kernel, 1, threads);
}

static struct localtm_block *block_of(uint32_t slot)
{
    return ((const struct localtm_core *)core->shared_protocol)->warp[slot].block;
}

/* ---- what is where ---- */

static unsigned bits_of(const struct localtm_block *b)
{
    unsigned n = 0;
    for (unsigned bank = 0; bank < 32; bank++)
        for (unsigned bit = 0; bit < 8; bit++)
            n += b->threads_with[LOCALTM_FILTER_WRITE][bank][bit];
    return n;
}

static void take_view(uint32_t slot, uint64_t lanes, bool commit)
{
    const struct localtm_block *b = block_of(slot);
    const uint8_t *shared = b->shared;
    struct view *v = &view[views++];
    assert_true(views < MAX_VIEWS);
    v->commit = commit;
    v->lanes = lanes;
    memcpy(v->word, shared, sizeof v->word);
    memcpy(v->owner, shared + sizeof v->word, N);
    for (uint32_t w = 0; w < N; w++)
        v->owned[w] = localtm_is_owned(b, w);
    v->filter3[0] = localtm_cell(core->shared_protocol, b, 3, 3)->filter[LOCALTM_FILTER_WRITE];
    v->filter3[1] = localtm_cell(core->shared_protocol, b, 5, 3)->filter[LOCALTM_FILTER_WRITE];
    v->bits = bits_of(b);
}

static void expect_word(const struct view *v, uint32_t word, uint32_t value, uint32_t old, int owner)
{
    assert_int_equal(v->word[word], value);
    assert_int_equal(v->owned[word], owner >= 0);
    if (owner < 0)
        return;
    assert_int_equal(v->word[word + N], old);
    assert_int_equal(v->owner[word], owner);
}

static unsigned owned(const struct view *v)
{
    unsigned n = 0;
    for (int w = 0; w < N; w++)
        n += v->owned[w];
    return n;
}

/* The old value of word k is word k + N, its owner is k bytes behind those (section 3.2). Word 35 is in bank 3 at place
 * 1: bit 1 of the filters (section 3.3). */
static void shadow_memory_is_behind_the_words(void **state)
{
    struct rig r;
    spied(&r, NULL, "layout", N, take_view);
    assert_int_equal(views, 4);
    assert_true(!view[0].commit && view[1].commit && !view[2].commit && view[3].commit);
    assert_int_equal(owned(&view[0]), 0);
    assert_int_equal(view[0].bits, 0);

    expect_word(&view[1], 35, 7777, 1035, 3);
    expect_word(&view[1], 64, 1064, 1064, 5);
    expect_word(&view[1], 100, (1100 & ~0xff00) | 0xff00, 1100, 7);
    expect_word(&view[1], 200, 9, 1200, 9);
    expect_word(&view[1], 201, 1009, 1201, 9);
    expect_word(&view[1], 36, 1036, 0, -1);
    assert_int_equal(owned(&view[1]), 5);
    assert_int_equal(view[1].filter3[0], 1 << 1);
    assert_int_equal(view[1].filter3[1], 0);
    assert_int_equal(view[1].bits, 5);

    assert_int_equal(owned(&view[2]), 0);
    assert_int_equal(view[2].bits, 0);
    expect_word(&view[2], 35, 7777, 0, -1);
    expect_word(&view[3], 67, 8888, 1067, 3);
    assert_int_equal(view[3].filter3[0], 1 << 2);
    assert_int_equal(owned(&view[3]), 1);
    rig_close(&r);
}

/* A conflict at one word of a wide access puts back all that the lane has, in all banks. */
static void a_conflict_puts_everything_back(void **state)
{
    struct rig r;
    spied(&r, NULL, "wide", N, take_view);
    assert_int_equal(views, 4);
    assert_true(view[1].commit && !view[2].commit && view[3].commit);
    assert_int_equal(view[1].lanes, ~UINT64_C(2));
    assert_int_equal(view[2].lanes, 2);
    expect_word(&view[1], 9, 1, 1009, 0);
    assert_int_equal(owned(&view[1]), 1);
    for (uint32_t w = 8; w < 12; w++)
        expect_word(&view[2], w, w == 9 ? 1 : 1000 + w, 0, -1);
    expect_word(&view[2], 64, 1064, 0, -1);
    expect_word(&view[2], 97, 1097, 0, -1);
    expect_word(&view[3], 64, 2, 1064, 1);
    expect_word(&view[3], 97, 3, 1097, 1);
    expect_word(&view[3], 9, 5, 1, 1);
    assert_int_equal(owned(&view[3]), 6);
    rig_close(&r);
}

/* ---- work-group serialisation ---- */

static unsigned alone, turns;
static uint32_t counted, next;

static void everything_is(const struct localtm_block *b, uint32_t thread)
{
    for (uint32_t w = 0; w < b->words; w++)
        if (localtm_is_owned(b, w))
            assert_int_equal(localtm_owner(b, w), thread);
}

/* The warp with the oldest request to run alone; of equals the lower one; LOCALTM_NO_SLOT = none. */
static uint32_t first_in_turn(const struct localtm_core *k, const struct tm_block *b)
{
    uint32_t first = LOCALTM_NO_SLOT;
    for (uint32_t i = 0; i < b->warps; i++)
        if (k->warp[b->slot[i]].requested &&
            (first == LOCALTM_NO_SLOT || k->warp[b->slot[i]].requested_at < k->warp[first].requested_at))
            first = b->slot[i];
    return first;
}

/* A warp that runs alone has one lane and all owned words, and had the oldest request. */
static void look_who_runs_alone(uint32_t slot, uint64_t lanes, bool commit)
{
    const struct localtm_block *b = block_of(slot);
    const struct localtm_core *k = core->shared_protocol;
    uint32_t count;
    if (!commit || b->runner == LOCALTM_NO_SLOT)
        return;
    assert_int_equal(b->runner, slot);
    assert_int_equal(__builtin_popcountll(lanes), 1);
    everything_is(b, k->warp[slot].first + (uint32_t)__builtin_ctzll(lanes));
    if (next != LOCALTM_NO_SLOT) {
        assert_int_equal(slot, next);
        turns++;
    }
    next = first_in_turn(k, b->b);
    memcpy(&count, b->shared + 8, sizeof count);
    assert_true(count > counted);
    counted = count;
    alone++;
}

/* During a long commit several warps have conflicts and request to run alone. */
static void one_runs_alone_and_others_go_on(void **state)
{
    struct rig r;
    alone = turns = counted = 0;
    next = LOCALTM_NO_SLOT;
    spied(&r, "localtm.commit_cycles=1000", "beside", N, look_who_runs_alone);
    print_message("%u ran alone, %u of them behind another, %u counted beside\n", alone, turns, counted);
    assert_true(alone > 10 && turns > 0);
    assert_int_equal(rig_count(&r, STAT_LOCALTM_GROUP), alone);
    assert_int_equal(rig_count(&r, STAT_TX_COMMITS), N - 64);
    assert_true(rig_count(&r, STAT_TX_ABORT_SERIALISED) > 0);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shadow_memory_is_behind_the_words),
        cmocka_unit_test(a_conflict_puts_everything_back),
        cmocka_unit_test(one_runs_alone_and_others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
