/*
 * Random accesses, commits and aborts of GPU-LocalTM against a plain reading of the paper (sections 3.2, 3.3 and 4.2):
 * a filter of its own for every thread and bank, undo logs, and in each pass a walk bank by bank. Lanes with a
 * conflict, memory, cycles and counters must be the same.
 */
#include <stdio.h>

#include "regress/unit/tm/localtm_rig.h"

enum { BANKS_MAX = 64, STEPS = 4000, NOBODY = -1 };

struct model {
    struct rig *r;
    uint32_t banks, bits, words;
    bool tells_reads, passes;
    uint64_t filter[RIG_THREADS][BANKS_MAX][2];      /* of reads, of writes */
    uint32_t memory[RIG_MAX_WORDS], old[RIG_MAX_WORDS];
    int owner[RIG_MAX_WORDS];
    bool read[RIG_MAX_WORDS][RIG_THREADS];           /* exactly */
    uint64_t conflicts, falses, fresh, again, alias, reads;
};

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* Returns the entries. */
static uint32_t forget(struct model *m, uint32_t thread, uint32_t bank, bool restore)
{
    uint32_t entries = 0;
    for (uint32_t w = bank; w < m->words; w += m->banks)
        if (m->owner[w] == (int)thread) {
            m->memory[w] = restore ? m->old[w] : m->memory[w];
            m->owner[w] = NOBODY;
            entries++;
        }
    m->filter[thread][bank][0] = m->filter[thread][bank][1] = 0;
    return entries;
}

static void end(struct model *m, uint32_t thread, bool commits)
{
    for (uint32_t b = 0; b < m->banks; b++)
        forget(m, thread, b, !commits);
    for (uint32_t w = 0; w < m->words; w++)
        m->read[w][thread] = false;
}

static bool conflicts(struct model *m, uint32_t thread, uint32_t word, bool reads)
{
    uint32_t bank = word % m->banks, bit = word / m->banks % m->bits;
    bool false_one = m->owner[word] == NOBODY || m->owner[word] == (int)thread, found = false;
    for (uint32_t t = 0; t < RIG_THREADS; t++) {
        if (t == thread)
            continue;
        uint64_t known = m->filter[t][bank][1] | (reads ? 0 : m->filter[t][bank][0]);
        found |= known >> bit & 1;
        false_one &= reads || !m->read[word][t] || !(m->filter[t][bank][0] >> bit & 1);    /* or has aborted already */
    }
    m->conflicts += found;
    m->falses += found && false_one;
    return found;
}

/* One access of a lane without a conflict in this bank; returns the bank's cycles after its filters. */
static uint32_t look_up(struct model *m, uint32_t thread, uint32_t word, bool reads, bool *found)
{
    uint32_t bank = word % m->banks;
    uint64_t bit = UINT64_C(1) << word / m->banks % m->bits;
    if ((*found = conflicts(m, thread, word, reads)))
        return forget(m, thread, bank, true);
    if (reads) {
        m->filter[thread][bank][0] |= bit;
        m->reads++;
        return 0;
    }
    if (m->owner[word] == (int)thread) {
        m->again++;
        return 1;
    }
    *(m->filter[thread][bank][1] & bit ? &m->alias : &m->fresh) += 1;
    m->filter[thread][bank][1] |= bit;
    m->owner[word] = (int)thread;
    m->old[word] = m->memory[word];
    return 2;
}

static bool share_a_bank(const struct model *m, uint32_t a, uint32_t b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        for (uint32_t k = 0; k < words; k++)
            if ((a + i) % m->banks == (b + k) % m->banks)
                return true;
    return false;
}

/* The lanes of the lowest half that is left of which no earlier one needs the same bank. */
static uint64_t first_pass(const struct model *m, uint64_t left, const uint32_t *word, uint32_t words)
{
    uint32_t from = (uint32_t)__builtin_ctzll(left) / 32 * 32;
    uint64_t pass = 0;
    for (uint32_t l = from; l < from + 32 && l < RIG_LANES; l++) {
        bool shared = false;
        for (uint32_t k = from; k < l; k++)
            shared |= (left >> k & 1) && share_a_bank(m, word[k], word[l], words);
        pass |= (left & UINT64_C(1) << l) && !shared ? UINT64_C(1) << l : 0;
    }
    return pass;
}

/* Adds each bank's cycles; returns the lanes with a conflict. */
static uint64_t model_pass(struct model *m, uint32_t warp, bool reads, uint64_t lanes, const uint32_t *word,
                           uint32_t words, uint32_t *cycles)
{
    uint64_t aborted = 0;
    for (uint32_t bank = 0; bank < m->banks; bank++)
        for (uint32_t l = 0; l < RIG_LANES; l++) {
            bool conflict = false;
            for (uint32_t i = 0; lanes >> l & 1 && i < words; i++)
                if ((word[l] + i) % m->banks == bank && !conflict)
                    cycles[bank] += look_up(m, warp * RIG_LANES + l, word[l] + i, reads, &conflict);
            aborted |= (uint64_t)conflict << l;
        }
    return aborted;
}

/* Returns the cycles of the slowest bank. */
static uint32_t model_broadcast(struct model *m, uint32_t warp, uint64_t aborted)
{
    uint32_t slowest = 0;
    for (uint32_t bank = 0; bank < m->banks; bank++) {
        uint32_t entries = 0;
        for (uint32_t l = 0; l < RIG_LANES; l++)
            entries += aborted >> l & 1 ? forget(m, warp * RIG_LANES + l, bank, true) : 0;
        slowest = entries > slowest ? entries : slowest;
    }
    return slowest;
}

static struct tm_access_result model_access(struct model *m, uint32_t warp, bool reads, uint64_t lanes,
                                        const uint32_t *word, uint32_t words)
{
    struct tm_access_result r = { .cycles = lanes != 0 };
    uint32_t cycles[BANKS_MAX] = { 0 }, slowest = 0;
    for (uint64_t left = lanes, pass; left; left &= ~pass) {
        pass = m->passes ? first_pass(m, left, word, words) : left;
        uint64_t aborted = model_pass(m, warp, reads, pass, word, words, cycles);
        r.cycles += model_broadcast(m, warp, aborted);
        r.conflicts |= aborted;
    }
    for (uint32_t bank = 0; bank < m->banks; bank++)
        slowest = cycles[bank] > slowest ? cycles[bank] : slowest;
    r.cycles += slowest;
    return r;
}

/* ---- steps ---- */

static void store(struct model *m, uint64_t lanes, const uint32_t *word, uint32_t words)
{
    for (; lanes; lanes &= lanes - 1)
        for (uint32_t i = 0; i < words; i++) {
            uint32_t w = word[__builtin_ctzll(lanes)] + i, value = rnd(1u << 30);
            m->memory[w] = value;
            *rig_word(m->r, w) = value;
        }
}

static void load(struct model *m, uint32_t warp, uint64_t lanes, const uint32_t *word, uint32_t words)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        struct tm_set *s = &m->r->c.lane[rig_slot(warp * RIG_LANES)][lane].shared_reads;
        for (uint32_t i = 0; i < words; i++) {
            uint32_t w = word[lane] + i;
            if (m->owner[w] == (int)(warp * RIG_LANES + lane))
                continue;
            m->read[w][warp * RIG_LANES + lane] = true;
            assert_true(s->n < s->cap);
            s->w[s->n++].address = 4 * (uint64_t)w;
        }
    }
}

static void attempt_ends(struct model *m, uint32_t thread, bool commits)
{
    end(m, thread, commits);
    m->r->c.lane[rig_slot(thread)][thread % RIG_LANES].shared_reads.n = 0;
    if (commits)
        rig_commit(m->r, thread);
    else
        rig_abort(m->r, thread);
    m->r->k->warp[rig_slot(thread)].rolled_back &= ~(UINT64_C(1) << thread % RIG_LANES);
}

static void access_some(struct model *m)
{
    uint32_t warp = rnd(RIG_WARPS), words = 1u << rnd(3), word[RIG_LANES];
    uint64_t lanes = 0, each = rnd(8);
    enum mem_op_kind kind = rnd(2) ? MOP_LOAD : rnd(4) ? MOP_STORE : MOP_ATOM;
    for (uint32_t l = 0; l < RIG_LANES; l++) {
        word[l] = rnd(m->words / words) * words;
        lanes |= (uint64_t)(rnd(8) <= each) << l;
    }
    struct tm_access_result want = model_access(m, warp, m->tells_reads && kind == MOP_LOAD, lanes, word, words);
    struct tm_access_result is = rig_access_lanes(m->r, rig_slot(warp * RIG_LANES), kind, lanes, word, words);
    assert_int_equal(is.conflicts, want.conflicts);
    assert_int_equal(is.cycles, want.cycles);
    if (kind == MOP_LOAD)
        load(m, warp, lanes & ~is.conflicts, word, words);
    else
        store(m, lanes & ~is.conflicts, word, words);
    for (uint64_t l = is.conflicts; l; l &= l - 1)
        attempt_ends(m, warp * RIG_LANES + (uint32_t)__builtin_ctzll(l), false);
}

static void check(const struct model *m)
{
    const uint64_t *n = m->r->c.count;
    assert_memory_equal(m->r->shared, m->memory, m->words * 4);
    assert_int_equal(n[STAT_LOCALTM_CONFLICTS], m->conflicts);
    assert_int_equal(n[STAT_LOCALTM_FALSE], m->falses);
    assert_int_equal(n[STAT_LOCALTM_NEW], m->fresh);
    assert_int_equal(n[STAT_LOCALTM_AGAIN], m->again);
    assert_int_equal(n[STAT_LOCALTM_ALIAS], m->alias);
    assert_int_equal(n[STAT_LOCALTM_READS], m->reads);
}

static void play(struct model *m, uint32_t words, const char *const *settings)
{
    enum { READS = 4096 };
    memset(m, 0, sizeof *m);
    m->r = rig_new(4 * words, settings);
    m->banks = m->r->k->cfg.banks;
    m->bits = m->r->k->cfg.filter_bits;
    m->words = words;
    m->tells_reads = m->r->k->cfg.read_write_filters;
    m->passes = m->r->k->cfg.broadcast_passes;
    memcpy(m->memory, m->r->shared, words * 4);
    memset(m->owner, NOBODY, sizeof m->owner);
    for (uint32_t t = 0; t < RIG_THREADS; t++) {
        struct tm_set *s = &m->r->c.lane[t / RIG_LANES][t % RIG_LANES].shared_reads;
        *s = (struct tm_set){ .w = calloc(READS, sizeof *s->w), .cap = READS };
        assert_non_null(s->w);
    }
    rig_begin(m->r);
    for (uint32_t i = 0; i < STEPS; i++) {
        if (rnd(3))
            access_some(m);
        for (uint32_t n = rnd(20); n; n--)
            attempt_ends(m, rnd(RIG_THREADS), rnd(4));
        check(m);
    }
    assert_true(m->conflicts > m->falses && m->falses && m->fresh && m->again);
    for (uint32_t t = 0; t < RIG_THREADS; t++)
        free(m->r->c.lane[t / RIG_LANES][t % RIG_LANES].shared_reads.w);
    rig_free(m->r);
}

static struct model model;

static void as_published(void **state)
{
    const char *settings[] = { NULL };
    seed = 1;
    play(&model, 512, settings);
    assert_true(model.alias);
}

static void one_broadcast_an_instruction(void **state)
{
    const char *settings[] = { "localtm.broadcast_passes=false", NULL };
    seed = 5;
    play(&model, 512, settings);
}

static void few_banks_and_bits(void **state)
{
    const char *settings[] = { "shared.banks=3", "localtm.filter_bits=2", NULL };
    seed = 2;
    play(&model, 384, settings);
}

static void many_banks_and_bits(void **state)
{
    const char *settings[] = { "shared.banks=64", "localtm.filter_bits=4", NULL };
    seed = 3;
    play(&model, 1024, settings);
}

static void reads_and_writes_apart(void **state)
{
    const char *settings[] = { "localtm.read_write_filters=true", NULL };
    seed = 4;
    play(&model, 512, settings);
    assert_true(model.reads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_published),
        cmocka_unit_test(one_broadcast_an_instruction),
        cmocka_unit_test(few_banks_and_bits),
        cmocka_unit_test(many_banks_and_bits),
        cmocka_unit_test(reads_and_writes_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
