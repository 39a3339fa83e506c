/*
 * The oracle: random histories of a correct memory are accepted, whenever the serial steps are; each way to spoil one
 * is found; small histories with a known anomaly are called by its name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tm/oracle/oracle.h"

enum { CORES = 3, SLICES = 4, LINE = 128, WORDS_OF_LINE = 32 };

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* ---- histories: what is done to memory and noted, by cycle ---- */

enum kind { COMMIT, ABORT, PERFORM, PLAIN, ATOMIC };

struct action {
    enum kind kind;
    uint64_t cycle, key;
    struct tm_lane lane;             /* of a commit */
    uint32_t word, value;            /* of a write */
    unsigned bytes;
    bool dropped;                    /* noted, but memory keeps what it has */
};

struct history {
    uint32_t *memory, *start;
    uint32_t words, free_words;      /* of these, the first are touched by transactions only */
    uint64_t ahead;                  /* what is noted is of so many cycles later; outcomes up to twice that */
    struct action *a;
    uint32_t n, cap;
};

/* Which words: [0, free) transactions only, [free, 2 free) both, then plain stores only. */
static struct history *history_new(uint32_t free_words)
{
    struct history *h = calloc(1, sizeof *h);
    h->free_words = free_words;
    h->words = 3 * free_words;
    h->memory = aligned_alloc(LINE, h->words * 4);
    h->start = malloc(h->words * 4);
    for (uint32_t i = 0; i < h->words; i++)
        h->start[i] = rnd(1 << 30);
    return h;
}

static void history_free(struct history *h)
{
    for (uint32_t i = 0; i < h->n; i++) {
        free(h->a[i].lane.reads.w);
        free(h->a[i].lane.writes.w);
    }
    free(h->a);
    free(h->memory);
    free(h->start);
    free(h);
}

static struct action *act(struct history *h, enum kind kind, uint64_t cycle, uint64_t key)
{
    if (h->n == h->cap)
        h->a = realloc(h->a, (h->cap = h->cap ? 2 * h->cap : 64) * sizeof *h->a);
    h->a[h->n] = (struct action){ .kind = kind, .cycle = cycle, .key = key };
    return &h->a[h->n++];
}

static void put(struct tm_set *s, struct history *h, uint32_t word, uint32_t value, unsigned bytes)
{
    if (s->n == s->cap)
        s->w = realloc(s->w, (s->cap = s->cap ? 2 * s->cap : 4) * sizeof *s->w);
    s->w[s->n++] = (struct tm_word){ (uintptr_t)&h->memory[word], value, (uint8_t)bytes };
}

static uint32_t merged(uint32_t old, uint32_t value, unsigned bytes)
{
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1)
            old = (old & ~(0xffu << 8 * b)) | (value & 0xffu << 8 * b);
    return old;
}

/* A transaction of random reads and writes, on a memory where each commit takes an instant. */
static void add_commit(struct history *h, uint32_t *model, uint64_t key, uint32_t words)
{
    uint64_t cycle = 2 * key, performed = cycle + 50;
    struct tm_lane l = { 0 };
    for (uint32_t n = rnd(6); n; n--) {
        uint32_t w = rnd(words);
        put(&l.reads, h, w, model[w], 0);
    }
    for (uint32_t n = rnd(3) ? rnd(4) : 0; n; n--) {
        uint32_t w = rnd(words), value = rnd(1 << 30);
        unsigned bytes = rnd(4) ? 15 : 1 + rnd(15);
        model[w] = merged(model[w], value, bytes);
        put(&l.writes, h, w, value, bytes);
        struct action *p = act(h, PERFORM, performed, key);
        p->word = w;
        p->value = value;
        p->bytes = bytes;
    }
    act(h, COMMIT, cycle + (rnd(8) ? rnd(40) : rnd(300)), key)->lane = l;
}

static void add_plain(struct history *h, uint32_t *model, uint64_t cycle)
{
    uint32_t w = h->free_words + rnd(2 * h->free_words);
    struct action *p = act(h, rnd(3) ? PLAIN : ATOMIC, cycle, 0);
    p->word = w;
    p->value = rnd(1 << 30);
    p->bytes = p->kind == ATOMIC ? 15 : 1 + rnd(15);
    model[w] = merged(model[w], p->value, p->bytes);
}

static int by_cycle(const void *a, const void *b)
{
    const struct action *x = a, *y = b;
    return x->cycle != y->cycle ? (x->cycle < y->cycle ? -1 : 1) : x->kind != y->kind ? (int)x->kind - (int)y->kind
         : x->key < y->key ? -1 : x->key > y->key;
}

/* mixed: transactions also reach words that plain stores reach. */
static struct history *random_history(uint64_t s, uint32_t keys, uint32_t words, bool mixed)
{
    seed = s;
    struct history *h = history_new(words);
    uint32_t *model = malloc(h->words * 4);
    memcpy(model, h->start, h->words * 4);
    for (uint64_t key = 1; key <= keys; key++) {
        if (rnd(5))
            add_commit(h, model, key, mixed ? 2 * words : words);
        else
            act(h, ABORT, 2 * key + rnd(60), key);
        if (rnd(3) == 0)
            add_plain(h, model, 2 * key);
    }
    free(model);
    qsort(h->a, h->n, sizeof *h->a, by_cycle);
    return h;
}

/* ---- runs ---- */

struct outcome { bool good; uint64_t count[STAT_END]; char text[8192]; };

static void perform(struct oracle *o, struct history *h, const struct action *a)
{
    uint32_t line = a->word / WORDS_OF_LINE, image[WORDS_OF_LINE] = { 0 }, *m = &h->memory[a->word];
    struct oracle_events *n = oracle_slice(o, line % SLICES);
    uint64_t mask[2] = { 0, 0 };
    if (a->kind == PERFORM) {
        oracle_tx_write(n, (uintptr_t)m, *m, a->cycle + h->ahead);
    } else {
        mask[a->word / 16 % 2] = (uint64_t)a->bytes << a->word % 16 * 4;
        image[a->word % WORDS_OF_LINE] = a->value;
        const uint32_t *before = &h->memory[line * WORDS_OF_LINE];
        oracle_plain(n, (uintptr_t)before, mask, (const uint8_t *)before,
                     a->kind == PLAIN ? (const uint8_t *)image : NULL, a->cycle + h->ahead);
    }
    if (!a->dropped)
        *m = merged(*m, a->value, a->bytes);
}

static void play(struct oracle *o, struct history *h, const struct action *a)
{
    struct oracle_who who = { 1, 2, 3, 4, 5, a->cycle + a->key % 3 * h->ahead };
    if (a->kind == COMMIT)
        oracle_committed(oracle_core(o, (uint32_t)a->key % CORES), a->key, &a->lane, &who);
    else if (a->kind == ABORT)
        oracle_not_committed(oracle_core(o, (uint32_t)a->key % CORES), a->key, who.cycle);
    else
        perform(o, h, a);
}

/* A step every `step` cycles; 0 = none but that at the end. */
static struct outcome run_mode(struct history *h, enum oracle_mode mode, uint64_t step)
{
    struct outcome r = { .good = true };
    struct oracle *o = oracle_new(mode, CORES, SLICES);
    uint64_t now = step;
    memcpy(h->memory, h->start, h->words * 4);
    for (uint32_t i = 0; i < h->n; i++) {
        for (; step && h->a[i].cycle >= now; now += step)
            oracle_step(o, now);
        play(o, h, &h->a[i]);
    }
    r.good = oracle_finish(o, r.count, r.text, sizeof r.text);
    oracle_free(o);
    return r;
}

static struct outcome run(struct history *h)
{
    return run_mode(h, ORACLE_FULL, 10);
}

static void correct_histories(void **state)
{
    (void)state;
    for (uint64_t s = 1; s <= 40; s++) {
        struct history *h = random_history(s, 500, s % 4 ? 96 : 1024, false);
        struct outcome r = run_mode(h, s % 2 ? ORACLE_ON : ORACLE_FULL, s);
        if (!r.good)
            fail_msg("seed %d: %s", (int)s, r.text);
        assert_true(r.count[STAT_ORACLE_CHECKED] > 300);
        assert_true(r.count[STAT_ORACLE_READS] > 600);
        assert_true(r.count[STAT_ORACLE_WORDS] > 90);
        assert_int_equal(r.count[STAT_ORACLE_MIXED], 0);
        assert_int_equal(r.count[STAT_ORACLE_WEAK], 0);
        history_free(h);
    }
}

/* The counts are the same whenever the steps are, and mixed words never make a violation. */
static void steps_do_not_matter(void **state)
{
    (void)state;
    uint64_t weak = 0;
    for (uint64_t s = 1; s <= 20; s++) {
        struct history *h = random_history(s, 400, 96, true);
        struct outcome first = run_mode(h, ORACLE_ON, 1);
        assert_true(first.good);
        assert_true(first.count[STAT_ORACLE_MIXED] > 20);
        weak += first.count[STAT_ORACLE_WEAK];
        for (uint64_t step = 0; step < 600; step = 3 * step + 1) {
            struct outcome r = run_mode(h, step % 2 ? ORACLE_ON : ORACLE_FULL, step);
            assert_true(r.good);
            assert_memory_equal(r.count, first.count, sizeof r.count);
        }
        history_free(h);
    }
    assert_true(weak > 0);
}

/* Clocks are rounded up, outcomes known before their cycle: a step leaves what is not its time's. */
static void notes_ahead_of_time(void **state)
{
    (void)state;
    struct history *h = random_history(99, 12000, 96, true);
    for (h->ahead = 1; h->ahead < 2000; h->ahead *= 40) {
        struct outcome first = run_mode(h, ORACLE_ON, 0);
        assert_true(first.good && first.count[STAT_ORACLE_WEAK] > 0);
        for (uint64_t step = 1; step < 20; step = 2 * step + 1) {
            struct outcome r = run_mode(h, ORACLE_ON, step);
            assert_true(r.good);
            assert_memory_equal(r.count, first.count, sizeof r.count);
        }
    }
    history_free(h);
}

/* ---- spoilt histories ---- */

/* The i-th action of this kind behind the middle that fits. */
static struct action *pick(struct history *h, enum kind kind, bool reads, bool writes)
{
    for (uint32_t i = h->n / 2; i < h->n; i++) {
        struct action *a = &h->a[i];
        if (a->kind == kind && (kind != COMMIT || (a->lane.reads.n >= reads && a->lane.writes.n >= writes)))
            return a;
    }
    fail_msg("no such action");
    return NULL;
}

static void expect(struct history *h, const char *first, const char *second)
{
    for (uint64_t step = 1; step < 1000; step *= 10) {
        struct outcome r = run_mode(h, ORACLE_FULL, step), plain = run_mode(h, ORACLE_ON, step);
        assert_false(r.good);
        assert_false(plain.good);
        if (!strstr(r.text, first) || !strstr(r.text, second))
            fail_msg("expected '%s' and '%s': %s", first, second, r.text);
        assert_non_null(strstr(plain.text, first));
    }
    history_free(h);
}

static void read_value_flipped(void **state)
{
    (void)state;
    struct history *h = random_history(3, 500, 96, false);
    struct action *a = pick(h, COMMIT, true, false);
    char key[96];
    a->lane.reads.w[0].value ^= 0x40;
    snprintf(key, sizeof key, "transaction with key %d (SM 1, warp slot 2, lane 3; block 4, thread 5)", (int)a->key);
    expect(h, key, "anomaly: dirty read");
}

static void write_lost(void **state)
{
    (void)state;
    struct history *h = random_history(4, 500, 1024, false);
    struct action *last = NULL;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->a[i].kind == PERFORM && h->a[i].bytes == 15)
            last = &h->a[i];
    last->dropped = true;
    expect(h, "memory has", "anomaly: lost write");
}

/* A read of what the transaction before must not yet have written, when both keys change places. */
static void commits_swapped(void **state)
{
    (void)state;
    seed = 5;
    struct history *h = history_new(32);
    struct tm_lane l[2] = { 0 };
    put(&l[0].writes, h, 0, 7, 15);
    put(&l[1].reads, h, 0, 7, 0);
    put(&l[1].writes, h, 1, 8, 15);
    act(h, COMMIT, 10, 2)->lane = l[0];
    act(h, COMMIT, 10, 1)->lane = l[1];
    expect(h, "key 1 (SM", "anomaly: read from a later commit");
}

static void reported_twice(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        struct history *h = random_history(6, 500, 96, false);
        struct action again = *pick(h, COMMIT, true, true);
        act(h, ABORT, early ? again.cycle : 5000, again.key);
        qsort(h->a, h->n, sizeof *h->a, by_cycle);
        expect(h, "a duplicated commit", "it was reported before");
    }
}

static void key_missing(void **state)
{
    (void)state;
    struct history *h = random_history(7, 500, 96, false);
    struct action *a = pick(h, COMMIT, false, false);
    char text[64];
    snprintf(text, sizeof text, "key %d was never reported", (int)a->key);
    free(a->lane.reads.w);
    free(a->lane.writes.w);
    *a = h->a[--h->n];
    qsort(h->a, h->n, sizeof *h->a, by_cycle);
    expect(h, text, "(1 keys of 500 are missing)");
}

static void keys_that_are_none(void **state)
{
    (void)state;
    seed = 8;
    struct history *h = history_new(32);
    act(h, ABORT, 1, 0);
    expect(h, "key 0", "which is no key");
    h = history_new(32);
    act(h, ABORT, 1, UINT64_C(1) << 40);
    expect(h, "far ahead", "lost");
}

/* Each word's every older value is refused. */
static void stale_read(void **state)
{
    (void)state;
    unsigned found = 0;
    for (uint64_t s = 1; s < 30; s++) {
        struct history *h = random_history(s, 300, 32, false);
        struct action *a = pick(h, COMMIT, true, false);
        uint32_t w = (uint32_t)(((uintptr_t)a->lane.reads.w[0].address - (uintptr_t)h->memory) / 4);
        bool stale = a->lane.reads.w[0].value != h->start[w];
        a->lane.reads.w[0].value = h->start[w];
        struct outcome r = run(h);
        assert_int_equal(r.good, !stale);
        found += stale && !strstr(r.text, "dirty read");
        history_free(h);
    }
    assert_true(found > 15);
}

static void final_memory_changed(void **state)
{
    (void)state;
    struct history *h = random_history(9, 500, 96, false);
    uint64_t count[STAT_END] = { 0 };
    char text[4096] = "";
    struct oracle *o = oracle_new(ORACLE_FULL, CORES, SLICES);
    memcpy(h->memory, h->start, h->words * 4);
    for (uint32_t i = 0; i < h->n; i++)
        play(o, h, &h->a[i]);
    h->memory[5] ^= 1;
    assert_false(oracle_violated(o, text, sizeof text));
    assert_false(oracle_finish(o, count, text, sizeof text));
    assert_non_null(strstr(text, "anomaly: dirty write"));
    oracle_free(o);
    history_free(h);
}

/* An attempt that was aborted wrote all the same. */
static void aborted_write(void **state)
{
    (void)state;
    seed = 10;
    struct history *h = history_new(32);
    act(h, ABORT, 1, 1);
    struct action *p = act(h, PERFORM, 2, 1);
    p->word = 3;
    p->value = ~h->start[3];
    p->bytes = 15;
    expect(h, "memory has", "anomaly: dirty write");
}

/* ---- small histories with a name ---- */

struct step { uint64_t key; char what; uint32_t word, value; };

/* Steps of a key follow each other; all words are 0 at first. */
static struct history *told(const struct step *s)
{
    struct history *h = history_new(32);
    memset(h->start, 0, h->words * 4);
    while (s->key) {
        struct action *a = act(h, COMMIT, 5 * s->key, s->key);
        uint32_t at = h->n - 1;
        for (uint64_t key = s->key; s->key == key; s++) {
            put(s->what == 'r' ? &h->a[at].lane.reads : &h->a[at].lane.writes, h, s->word, s->value, 15);
            if (s->what == 'r')
                continue;
            a = act(h, PERFORM, 5 * key, key);
            *a = (struct action){ .kind = PERFORM, .cycle = 5 * key, .word = s->word, .value = s->value, .bytes = 15 };
        }
    }
    return h;
}

static void named(const struct step *s, const char *name, const char *cycle)
{
    char text[64];
    snprintf(text, sizeof text, "anomaly: %s", name);
    struct history *h = told(s);
    struct outcome r = run(h);
    assert_false(r.good);
    if (!strstr(r.text, text) || !strstr(r.text, cycle))
        fail_msg("expected '%s', '%s': %s", text, cycle, r.text);
    history_free(h);
}

static void anomalies(void **state)
{
    (void)state;
    named((const struct step[]){ { 1, 'r', 0, 0 }, { 1, 'w', 0, 1 }, { 2, 'r', 0, 0 }, { 2, 'w', 0, 2 }, { 0 } },
          "lost update\n", "cycle: key 2 -rw");
    named((const struct step[]){ { 1, 'r', 0, 0 }, { 1, 'r', 1, 0 }, { 1, 'w', 0, 1 }, { 2, 'r', 0, 0 },
                                 { 2, 'r', 1, 0 }, { 2, 'w', 1, 1 }, { 0 } }, "write skew\n", "cycle: key 2 -rw");
    named((const struct step[]){ { 1, 'w', 0, 1 }, { 1, 'w', 1, 1 }, { 2, 'r', 0, 1 }, { 2, 'r', 1, 0 }, { 0 } },
          "inconsistent snapshot\n", "-> key 1 -wr");
    named((const struct step[]){ { 1, 'w', 0, 1 }, { 2, 'r', 0, 0 }, { 2, 'r', 0, 1 }, { 0 } }, "non-repeatable read\n",
          "-> key 1 -wr");
    named((const struct step[]){ { 1, 'r', 0, 77 }, { 0 } }, "dirty read", "");
    named((const struct step[]){ { 1, 'w', 0, 1 }, { 2, 'r', 0, 0 }, { 0 } }, "stale read; the history is serialisable",
          "");
    named((const struct step[]){ { 1, 'w', 0, 1 }, { 2, 'r', 0, 1 }, { 2, 'r', 1, 0 }, { 3, 'w', 1, 1 },
                                 { 3, 'r', 0, 0 }, { 0 } }, "write skew of several transactions", "-> key 2 -rw");
    named((const struct step[]){ { 1, 'w', 0, 1 }, { 1, 'w', 1, 1 }, { 2, 'r', 0, 0 }, { 2, 'w', 1, 2 }, { 0 } },
          "stale read and a later write", "-> key 1 -ww");
}

/* ---- ---- */

/* A kernel behind another: keys go on, memory may have changed between them. */
static void next_kernel(void **state)
{
    (void)state;
    seed = 11;
    struct history *h = history_new(32);
    uint64_t count[STAT_END] = { 0 };
    char text[1024];
    struct oracle *o = oracle_new(ORACLE_FULL, CORES, SLICES);
    for (uint32_t key = 1; key < 4; key++) {
        h->memory[0] = 100 * key;
        struct tm_lane l = { 0 };
        put(&l.reads, h, 0, 100 * key, 0);
        oracle_committed(oracle_core(o, 0), key, &l, &(struct oracle_who){ .cycle = key });
        assert_true(oracle_finish(o, count, text, sizeof text));
        free(l.reads.w);
    }
    assert_int_equal(count[STAT_ORACLE_CHECKED], 3);
    oracle_free(o);
    history_free(h);
}

static void millions_of_words(void **state)
{
    (void)state;
    struct history *h = random_history(12, 400000, 1 << 20, false);
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    struct outcome r = run_mode(h, ORACLE_ON, 100);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    assert_true(r.good);
    double ns = (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
    printf("oracle: %.0f ns a transaction of %.1f reads over %llu words, noting and memory included\n",
           ns / (double)r.count[STAT_ORACLE_CHECKED],
           (double)r.count[STAT_ORACLE_READS] / (double)r.count[STAT_ORACLE_CHECKED],
           (unsigned long long)r.count[STAT_ORACLE_WORDS]);
    history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_histories), cmocka_unit_test(steps_do_not_matter),
        cmocka_unit_test(notes_ahead_of_time),
        cmocka_unit_test(read_value_flipped), cmocka_unit_test(write_lost), cmocka_unit_test(commits_swapped),
        cmocka_unit_test(reported_twice), cmocka_unit_test(key_missing), cmocka_unit_test(keys_that_are_none),
        cmocka_unit_test(stale_read), cmocka_unit_test(final_memory_changed), cmocka_unit_test(aborted_write),
        cmocka_unit_test(anomalies), cmocka_unit_test(next_kernel), cmocka_unit_test(millions_of_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
