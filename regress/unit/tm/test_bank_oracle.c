/*
 * The oracle of transactions on shared memory: random histories of a small eager memory are accepted, and found wrong
 * when that memory forgets a part of what makes it transactional; small histories show every kind of violation, the
 * names of anomalies, weak isolation, the order of global keys, and blocks behind each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tm/oracle/bank_oracle.h"

enum { THREADS = 8, MOST_WORDS = 4096, MOST_SET = 256 };

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

static uint32_t merged(uint32_t old, uint32_t value, unsigned bytes)
{
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1)
            old = (old & ~(0xffu << 8 * b)) | (value & 0xffu << 8 * b);
    return old;
}

static void put(struct tm_set *s, uint64_t word, uint32_t value, unsigned bytes)
{
    assert_true(s->n < s->cap);
    s->w[s->n++] = (struct tm_word){ 4 * word, value, (uint8_t)bytes };
}

/* A plain store or atomic of these lanes, side by side from `offset` on, has been performed. */
static void tell_plain(struct bank_oracle *o, uint32_t offset, unsigned width, unsigned lanes, const uint32_t *memory)
{
    static struct mem_op op;
    op.width = (uint8_t)width;
    for (unsigned lane = 0; lane < lanes; lane++)
        op.address[lane + 1] = offset + lane * width;
    bank_oracle_plain(o, &op, ((UINT64_C(1) << lanes) - 1) << 1, (const uint8_t *)memory);
}

/* ---- an eager memory: words have owners until their outcome, old values are kept ---- */

enum broken { SOUND, NO_CONFLICTS, NO_RESTORE, LOST_WRITE, READS_NOT_OWNED, FAULTS };

struct attempt {
    bool runs;
    struct tm_word read[MOST_SET], written[MOST_SET];
    struct tm_set reads, writes;
    uint8_t own[MOST_WORDS];         /* bytes that it has written */
};

struct eager {
    struct bank_oracle *o;
    enum broken fault;
    uint32_t words, plain_from;      /* plain stores reach words from here on while attempts run */
    uint32_t memory[MOST_WORDS], old[MOST_WORDS];
    uint8_t owner[MOST_WORDS];       /* thread + 1 */
    struct attempt a[THREADS];
    uint32_t running;
    uint64_t key, cycle, commits, keyed, reads;
    uint64_t count[STAT_END];
    char text[4200];
};

static struct eager *eager_new(enum oracle_mode mode, uint32_t words, uint32_t plain_from, enum broken fault)
{
    struct eager *e = calloc(1, sizeof *e);
    e->o = bank_oracle_new(mode);
    e->words = words;
    e->plain_from = plain_from;
    e->fault = fault;
    return e;
}

static bool eager_free(struct eager *e)
{
    bool broken = bank_oracle_violated(e->o, e->text, sizeof e->text);
    bank_oracle_free(e->o);
    return broken;
}

static void let_go(struct eager *e, unsigned t)
{
    for (uint32_t w = 0; w < e->words; w++)
        if (e->owner[w] == t + 1)
            e->owner[w] = 0;
    e->a[t].runs = false;
    if (!--e->running)
        bank_oracle_running(e->o, false, (const uint8_t *)e->memory);
}

static void abort_attempt(struct eager *e, unsigned t)
{
    for (uint32_t w = 0; w < e->words && e->fault != NO_RESTORE; w++)
        if (e->owner[w] == t + 1)
            e->memory[w] = e->old[w];
    let_go(e, t);
}

static void commit_attempt(struct eager *e, unsigned t)
{
    struct attempt *a = &e->a[t];
    struct oracle_who who = { 1, t / 4, (uint8_t)(t % 4), 7, t, e->cycle };
    uint64_t key = rnd(3) ? 0 : (e->key += 1 + rnd(5));
    if (e->fault == LOST_WRITE && a->writes.n && rnd(2))
        e->memory[a->writes.w[0].address / 4] = e->old[a->writes.w[0].address / 4];
    bank_oracle_commit(e->o, &a->reads, &a->writes, key, NULL, &who);
    e->commits++;
    e->keyed += key != 0;
    e->reads += a->reads.n;
    let_go(e, t);
}

static void begin_attempt(struct eager *e, unsigned t)
{
    struct attempt *a = &e->a[t];
    a->reads = (struct tm_set){ .w = a->read, .cap = MOST_SET };
    a->writes = (struct tm_set){ .w = a->written, .cap = MOST_SET };
    memset(a->own, 0, sizeof a->own);
    a->runs = true;
    e->running++;
    bank_oracle_running(e->o, true, (const uint8_t *)e->memory);
}

/* False: the attempt has lost. */
static bool access_word(struct eager *e, unsigned t, uint32_t w, bool write, unsigned bytes)
{
    struct attempt *a = &e->a[t];
    if (e->owner[w] && e->owner[w] != t + 1 && e->fault != NO_CONFLICTS) {
        abort_attempt(e, t);
        return false;
    }
    if (e->owner[w] != t + 1 && (write || e->fault != READS_NOT_OWNED)) {
        e->owner[w] = (uint8_t)(t + 1);
        e->old[w] = e->memory[w];
    }
    if (write) {
        uint32_t value = rnd(1 << 30);
        e->memory[w] = merged(e->memory[w], value, bytes);
        put(&a->writes, w, value, bytes);
        a->own[w] |= (uint8_t)bytes;
    } else if (a->own[w] != 15) {
        put(&a->reads, w, e->memory[w], 15u & ~a->own[w]);
    }
    return true;
}

/* One, two or four words, or a part of one. */
static void access_memory(struct eager *e, unsigned t)
{
    uint32_t n = 1u << (rnd(4) ? 0 : rnd(3)), w = rnd(e->words / n) * n;
    unsigned bytes = n > 1 || rnd(3) ? 15 : rnd(2) ? 3u << 2 * rnd(2) : 1u << rnd(4);
    bool write = rnd(2);
    for (uint32_t i = 0; i < n; i++)
        if (!access_word(e, t, w + i, write, bytes))
            return;
}

static void plain_store(struct eager *e, uint32_t from)
{
    unsigned width = 1u << rnd(5), lanes = 1 + rnd(4);
    uint32_t units = 4 * (e->words - from) / width;
    if (units <= lanes)
        return;
    uint32_t offset = 4 * from + rnd(units - lanes) * width;
    for (unsigned i = 0; i < width * lanes; i++)
        ((uint8_t *)e->memory)[offset + i] = (uint8_t)rnd(256);
    tell_plain(e->o, offset, width, lanes, e->memory);
}

static void one_step(struct eager *e)
{
    unsigned t = rnd(THREADS);
    struct attempt *a = &e->a[t];
    e->cycle++;
    if (rnd(6) == 0 && e->plain_from < e->words)
        plain_store(e, e->plain_from);
    if (!a->runs)
        begin_attempt(e, t);
    else if (a->reads.n > MOST_SET - 8 || a->writes.n > MOST_SET - 8 || rnd(5) == 0)
        rnd(6) ? commit_attempt(e, t) : abort_attempt(e, t);
    else
        access_memory(e, t);
}

/* Phases between barriers: plain stores anywhere, then transactions. */
static void run_block(struct eager *e, uint32_t steps)
{
    memset(e->memory, 0, sizeof e->memory);
    bank_oracle_start(e->o, 4 * e->words);
    bank_oracle_running(e->o, false, (const uint8_t *)e->memory);
    for (int phase = 0; phase < 4; phase++) {
        for (uint32_t i = 0; i < e->words / 4; i++)
            plain_store(e, 0);
        for (uint32_t i = 0; i < steps; i++)
            one_step(e);
        for (unsigned t = 0; t < THREADS; t++)
            if (e->a[t].runs)
                rnd(4) ? commit_attempt(e, t) : abort_attempt(e, t);
    }
    bank_oracle_end(e->o, (const uint8_t *)e->memory, e->count);
}

static void sound_histories(void **state)
{
    (void)state;
    for (uint64_t s = 1; s <= 24; s++) {
        seed = s;
        struct eager *e = eager_new(s % 2 ? ORACLE_ON : ORACLE_FULL, s % 3 ? 48 : 600, UINT32_MAX, SOUND);
        for (int block = 0; block < 3; block++)
            run_block(e, 400);
        assert_true(e->commits > 300 && e->keyed > 50);
        assert_int_equal(e->count[STAT_ORACLE_CHECKED], e->commits - e->keyed);
        assert_int_equal(e->count[STAT_ORACLE_READS], e->reads);
        assert_true(e->count[STAT_ORACLE_WORDS] > 100 && e->count[STAT_ORACLE_WORDS] <= 3 * e->words);
        assert_true(e->count[STAT_ORACLE_MIXED] > 50);
        assert_int_equal(e->count[STAT_ORACLE_WEAK], 0);
        if (eager_free(e))
            fail_msg("seed %d: %s", (int)s, e->text);
        free(e);
    }
}

/* Plain stores and atomics among running attempts change what they have read, and aborts undo them. */
static void mixed_histories(void **state)
{
    (void)state;
    uint64_t weak = 0;
    for (uint64_t s = 1; s <= 24; s++) {
        seed = s;
        struct eager *e = eager_new(s % 2 ? ORACLE_ON : ORACLE_FULL, 64, 32, SOUND);
        for (int block = 0; block < 3; block++)
            run_block(e, 400);
        weak += e->count[STAT_ORACLE_WEAK];
        if (eager_free(e))
            fail_msg("seed %d: %s", (int)s, e->text);
        free(e);
    }
    assert_true(weak > 100);
}

static void broken_memories(void **state)
{
    (void)state;
    for (int fault = SOUND + 1; fault < FAULTS; fault++) {
        unsigned found = 0, named = 0;
        for (uint64_t s = 1; s <= 20; s++) {
            seed = s;
            enum oracle_mode mode = s % 2 ? ORACLE_ON : ORACLE_FULL;
            struct eager *e = eager_new(mode, 48, s % 4 ? UINT32_MAX : 24, (enum broken)fault);
            run_block(e, 400);
            found += eager_free(e);
            named += strstr(e->text, "anomaly: ") != NULL;
            free(e);
        }
        if (found != 20 || named != 10)
            fail_msg("fault %d: found %u times of 20, named %u of 10", fault, found, named);
    }
}

/* ---- small histories ---- */

/* key: of the block's own numbering; steps of a key follow each other. */
struct step { uint32_t key; char what; uint32_t word, value; };

#define PART(word, bytes) ((word) | (15u ^ (bytes)) << 16)       /* these bytes of it only */

static void commit_step(struct bank_oracle *o, const struct step **s, uint64_t global, const struct oracle_place *place)
{
    struct tm_word read[16], written[16];
    struct tm_set reads = { .w = read, .cap = 16 }, writes = { .w = written, .cap = 16 };
    uint32_t key = (*s)->key;
    struct oracle_who who = { 1, 2, 3, 4, 100 + key, 1000 + key };
    for (; (*s)->key == key; (*s)++)
        put((*s)->what == 'r' ? &reads : &writes, (*s)->word & 0xffff, (*s)->value, 15 ^ (*s)->word >> 16);
    bank_oracle_commit(o, &reads, &writes, global, place, &who);
}

/* globals: keys in global memory by commit; NULL = none. */
static void commit_all(struct bank_oracle *o, const struct step *s, const uint64_t *globals)
{
    for (uint32_t i = 0; s->key; i++)
        commit_step(o, &s, globals ? globals[i] : 0, NULL);
}

#define STEPS(...) ((const struct step[]){ __VA_ARGS__, { 0 } })
#define KEYS(...) ((const uint64_t[]){ __VA_ARGS__ })

static struct bank_oracle *started(enum oracle_mode mode, uint32_t bytes)
{
    static const uint8_t none[1];
    struct bank_oracle *o = bank_oracle_new(mode);
    bank_oracle_start(o, bytes);
    bank_oracle_running(o, false, none);
    return o;
}

/* Ends the oracle: must be violated with these texts, NULL = must not be. */
static void ends(struct bank_oracle *o, const char *first, const char *second)
{
    char text[4200] = "";
    bool broken = bank_oracle_violated(o, text, sizeof text);
    bank_oracle_free(o);
    if (broken != (first != NULL) || (first && (!strstr(text, first) || !strstr(text, second))))
        fail_msg("expected '%s', '%s': '%s'", first ? first : "", second ? second : "", text);
}

static void who_read_what(void **state)
{
    (void)state;
    struct bank_oracle *o = started(ORACLE_ON, 256);
    commit_all(o, STEPS({ 1, 'w', 3, 0x11 }, { 2, 'r', 3, 0x11 }, { 2, 'r', 5, 0x77 }, { 3, 'r', 3, 0x12 }),
               KEYS(0, 0, 9));
    char text[4200];
    assert_true(bank_oracle_violated(o, text, sizeof text));
    assert_string_equal(text, "the transaction with key 2 of its block (SM 1, warp slot 2, lane 3; block 4, thread "
                        "102), committed in cycle 1002, read 0x77 at offset 0x14 of shared memory; the replay in "
                        "commit order has 0x0, its initial value\n2 violations in all");
    bank_oracle_clear_findings(o);
    assert_false(bank_oracle_violated(o, text, sizeof text));
    commit_all(o, STEPS({ 4, 'r', 3, 0x12 }), KEYS(9));
    ends(o, "thread 104), committed in cycle 1004 with key 9 in global memory, read 0x12 at offset 0xc",
         "has 0x11, last written by key 1 (thread 101, cycle 1001)\n1 violations in all");
}

static void named(const struct step *s, const char *name, const char *cycle)
{
    char text[64];
    snprintf(text, sizeof text, "anomaly: %s", name);
    struct bank_oracle *o = started(ORACLE_FULL, 1024);
    commit_all(o, s, NULL);
    ends(o, text, cycle);
}

static void anomalies(void **state)
{
    (void)state;
    named(STEPS({ 1, 'r', 40, 0 }, { 1, 'w', 40, 1 }, { 2, 'r', 40, 0 }, { 2, 'w', 40, 2 }), "lost update\n",
          "cycle: key 2 -rw 0xa0-> key 1 -ww 0xa0-> key 2");
    named(STEPS({ 1, 'r', 0, 0 }, { 1, 'r', 1, 0 }, { 1, 'w', 0, 1 }, { 2, 'r', 0, 0 }, { 2, 'r', 1, 0 },
                { 2, 'w', 1, 1 }), "write skew\n", "cycle: key 2 -rw");
    named(STEPS({ 1, 'w', 0, 1 }, { 1, 'w', 100, 1 }, { 2, 'r', 0, 1 }, { 2, 'r', 100, 0 }), "inconsistent snapshot\n",
          "-> key 1 -wr");
    named(STEPS({ 1, 'w', 0, 1 }, { 2, 'r', 0, 0 }, { 2, 'r', 0, 1 }), "non-repeatable read\n", "-> key 1 -wr");
    named(STEPS({ 1, 'r', 0, 77 }), "dirty read", "");
    named(STEPS({ 1, 'w', 0, 1 }, { 2, 'r', 0, 0 }), "stale read; the history is serialisable", "");
    named(STEPS({ 1, 'w', 0, 1 }, { 2, 'r', 0, 1 }, { 2, 'r', 1, 0 }, { 3, 'w', 1, 1 }, { 3, 'r', 0, 0 }),
          "write skew of several transactions", "-> key 2 -rw");
    named(STEPS({ 1, 'w', 0, 1 }, { 1, 'w', 1, 1 }, { 2, 'r', 0, 0 }, { 2, 'w', 1, 2 }),
          "stale read and a later write", "-> key 1 -ww");
}

/* Only bytes that came from memory count; old versions are found by them. */
static void parts_of_words(void **state)
{
    (void)state;
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    commit_all(o, STEPS({ 1, 'w', PART(2, 6), 0xaabbccdd }, { 2, 'r', PART(2, 6), 0x11bbcc22 },
                        { 2, 'r', PART(2, 12), 0x00bb0000 }, { 3, 'r', 2, 0x00bbcc00 }, { 3, 'w', PART(2, 1), 0x99 },
                        { 3, 'r', PART(2, 14), 0x00bbcc99 }), NULL);
    ends(o, NULL, NULL);
    named(STEPS({ 1, 'w', 2, 0x12345678 }, { 2, 'w', PART(2, 3), 0xeeff }, { 3, 'w', PART(2, 1), 1 },
                { 3, 'r', PART(2, 14), 0x12345601 }), "lost update", "cycle: key 3 -rw 0x8-> key 2 -ww 0x8-> key 3");
    o = started(ORACLE_ON, 64);
    commit_all(o, STEPS({ 1, 'w', 2, 0x12345678 }, { 2, 'r', PART(2, 2), 0xffff0278 }), NULL);
    ends(o, "read 0x200 at offset 0x8 of shared memory (in the bytes of mask 0x2)",
         "has 0x5600, last written by key 1");
}

static void memory_at_the_end(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    uint32_t memory[8] = { 0 };
    struct bank_oracle *o = started(ORACLE_FULL, 26);            /* the last word is short */
    commit_all(o, STEPS({ 1, 'w', 1, 5 }, { 2, 'w', 1, 6 }, { 2, 'w', PART(6, 1), 7 }), NULL);
    memory[1] = 6;
    memory[6] = 0xdead0007;
    memory[7] = 0xdead;
    bank_oracle_end(o, (const uint8_t *)memory, count);
    ends(o, NULL, NULL);
    assert_int_equal(count[STAT_ORACLE_WORDS], 2);
    static const struct { uint32_t word, value; const char *first, *second; } wrong[] = {
        { 1, 5, "shared memory of block 4 has 0x5 at offset 0x4 at its end; the replay of all commits has 0x6, last "
          "written by key 2 (thread 102, cycle 1002)", "anomaly: lost write: memory has the version of key 1" },
        { 1, 8, "has 0x8 at offset 0x4", "wrote this value\n1 violations in all" },
        { 6, 0xdead0107, "has 0x107 at offset 0x18", "anomaly: dirty write" },
        { 3, 1, "has 0x1 at offset 0xc at its end; the replay of all commits has 0x0, its initial", "dirty write" },
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint32_t other[8] = { [1] = 6, [6] = 0xdead0007 };
        o = started(ORACLE_FULL, 26);
        commit_all(o, STEPS({ 1, 'w', 1, 5 }, { 2, 'w', 1, 6 }, { 2, 'w', PART(6, 1), 7 }), NULL);
        other[wrong[i].word] = wrong[i].value;
        bank_oracle_end(o, (const uint8_t *)other, count);
        ends(o, wrong[i].first, wrong[i].second);
    }
}

static void no_commits(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    struct bank_oracle *o = started(ORACLE_ON, 4);
    bank_oracle_end(o, (const uint8_t *)&(uint32_t){ 3 }, count);
    ends(o, "a block without commits has 0x3 at offset 0x0", "1 violations");
    o = started(ORACLE_ON, 0);
    bank_oracle_end(o, (const uint8_t *)"", count);
    ends(o, NULL, NULL);
    assert_null(bank_oracle_new(ORACLE_OFF));
    bank_oracle_free(NULL);
}

static void behind_the_block(void **state)
{
    (void)state;
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    commit_all(o, STEPS({ 1, 'w', 1, 5 }, { 1, 'r', 16, 0 }, { 2, 'r', 1, 0 }), NULL);
    ends(o, "accessed offset 0x40 of shared memory, of which the block has 64 bytes", "1 violations");
    o = started(ORACLE_ON, 64);
    commit_all(o, STEPS({ 1, 'w', 17, 5 }), NULL);
    ends(o, "accessed offset 0x44", "1 violations");
}

/* ---- plain stores and atomics ---- */

/* While no attempt runs they are as good as commits. */
static void initialised_words(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    uint32_t memory[16] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    tell_plain(o, 0, 16, 2, memory);
    bank_oracle_running(o, true, (const uint8_t *)memory);
    commit_all(o, STEPS({ 1, 'r', 0, 1 }, { 1, 'r', 7, 8 }, { 1, 'w', 2, 9 }), NULL);
    memory[2] = 9;
    bank_oracle_end(o, (const uint8_t *)memory, count);
    assert_int_equal(count[STAT_ORACLE_WORDS], 3);
    assert_int_equal(count[STAT_ORACLE_MIXED], 3);
    assert_int_equal(count[STAT_ORACLE_WEAK], 0);
    commit_all(o, STEPS({ 2, 'r', 0, 0 }), NULL);
    memory[3] = 0;
    bank_oracle_end(o, (const uint8_t *)memory, count);
    ends(o, "the replay in commit order has 0x1, last written by a plain store or atomic", "2 violations");
    o = started(ORACLE_ON, 64);
    tell_plain(o, 0, 16, 2, memory);
    commit_all(o, STEPS({ 1, 'w', 2, 9 }, { 2, 'r', 2, 3 }), NULL);
    ends(o, "the replay in commit order has 0x9, last written by key 1", "1 violations");
}

/* A store among attempts that run makes its word's mismatches weak isolation, until they have ended. */
static void weak_isolation(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        uint64_t count[STAT_END] = { 0 };
        uint32_t memory[4] = { 0, 9, 0, 0 };
        struct bank_oracle *o = bank_oracle_new(ORACLE_FULL);
        bank_oracle_start(o, 16);
        if (told)
            bank_oracle_running(o, true, (const uint8_t *)memory);
        tell_plain(o, 4, 4, 1, memory);
        commit_all(o, STEPS({ 1, 'r', 1, 0 }, { 1, 'r', 2, 0 }), NULL);
        memory[1] = 4;                           /* put back by an attempt that was aborted */
        if (told)
            bank_oracle_running(o, false, (const uint8_t *)memory);
        commit_all(o, STEPS({ 2, 'r', 1, 4 }), NULL);
        bank_oracle_end(o, (const uint8_t *)memory, count);
        assert_int_equal(count[STAT_ORACLE_WEAK], told ? 2 : 3);
        assert_int_equal(count[STAT_ORACLE_MIXED], 1);
        commit_all(o, STEPS({ 3, 'r', 1, 9 + told }), NULL);
        ends(o, told ? "has 0x4, last written by a plain" : NULL, "");
    }
}

/* An attempt that was aborted put back what a store has replaced, and nothing has committed. */
static void undone_store(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        uint64_t count[STAT_END] = { 0 };
        uint32_t memory[4] = { 0, 9, 0, 0 };
        struct bank_oracle *o = bank_oracle_new(ORACLE_ON);
        bank_oracle_start(o, 16);
        tell_plain(o, 4, 4, 2, memory);
        memory[1] = 0;
        if (told)
            bank_oracle_running(o, false, (const uint8_t *)memory);
        bank_oracle_end(o, (const uint8_t *)memory, count);
        assert_int_equal(count[STAT_ORACLE_WEAK], 1);
        assert_int_equal(count[STAT_ORACLE_WORDS], 1);
        assert_int_equal(count[STAT_ORACLE_MIXED], 1);
        ends(o, NULL, NULL);
    }
}

/* Other words stay strict, and so do other bytes of memory behind the block. */
static void store_beside(void **state)
{
    (void)state;
    uint32_t memory[8] = { [3] = 7, [4] = 7 };
    struct bank_oracle *o = started(ORACLE_ON, 16);
    bank_oracle_running(o, true, (const uint8_t *)memory);
    tell_plain(o, 12, 8, 1, memory);
    commit_all(o, STEPS({ 1, 'r', 2, 5 }), NULL);
    ends(o, "read 0x5 at offset 0x8", "has 0x0");
}

/* Bytes of a word: those beside are a transaction's, which has not committed. */
static void narrow_store(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    uint32_t memory[2] = { 0xaaaa1234, 0xcc000000 };
    struct bank_oracle *o = started(ORACLE_ON, 8);
    tell_plain(o, 0, 2, 1, memory);
    tell_plain(o, 7, 1, 1, memory);
    commit_all(o, STEPS({ 1, 'r', 0, 0x1234 }, { 1, 'w', PART(0, 12), 0xaaaa0000 }, { 2, 'r', 0, 0xaaaa1234 },
                        { 2, 'r', 1, 0xcc000000 }), NULL);
    bank_oracle_end(o, (const uint8_t *)memory, count);
    ends(o, NULL, NULL);
}

/* ---- keys of global memory ---- */

static void keys(const struct step *s, const uint64_t *globals, const char *first, const char *second)
{
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    commit_all(o, s, globals);
    ends(o, first, second);
}

static void order_of_keys(void **state)
{
    (void)state;
    const char *what = "key 3 in global memory, follows a commit at key 5 in global memory or after it: offset 0x4 of "
                       "shared memory was";
    const char *written = "written before by key 1 (thread 101, cycle 1001)";
    keys(STEPS({ 1, 'w', 1, 1 }, { 2, 'w', 1, 2 }), KEYS(5, 3), what, written);
    keys(STEPS({ 1, 'w', 1, 1 }, { 2, 'r', 1, 1 }), KEYS(5, 3), what, written);
    keys(STEPS({ 1, 'r', 1, 0 }, { 2, 'w', 1, 2 }), KEYS(5, 3), what, "was read before; the keys are no order");
    keys(STEPS({ 1, 'w', 1, 1 }, { 2, 'w', 1, 2 }), KEYS(5, 5), "key 5 in global memory, follows", written);
    keys(STEPS({ 1, 'r', 1, 0 }, { 2, 'r', 1, 0 }, { 3, 'w', 1, 1 }), KEYS(5, 2, 4), "key 4 in global memory, follows",
         "was read before");
    keys(STEPS({ 1, 'w', 1, 1 }, { 2, 'w', 1, 2 }, { 3, 'w', 1, 3 }), KEYS(5, 3, 4), "with key 3", "2 violations");
    keys(STEPS({ 1, 'r', 1, 0 }, { 2, 'r', 1, 0 }), KEYS(5, 3), NULL, NULL);
    keys(STEPS({ 1, 'w', 1, 1 }, { 1, 'r', 2, 0 }, { 2, 'w', 3, 2 }), KEYS(5, 3), NULL, NULL);
    keys(STEPS({ 1, 'w', 1, 1 }, { 2, 'r', 1, 1 }, { 2, 'w', 1, 2 }, { 3, 'w', 1, 3 }), KEYS(3, 4, 9), NULL, NULL);
}

/* A commit without a key hands on what it must follow. */
static void keys_across_others(void **state)
{
    (void)state;
    const struct step *s = STEPS({ 1, 'w', 1, 1 }, { 2, 'r', 1, 1 }, { 2, 'w', 2, 1 }, { 3, 'r', 2, 1 });
    keys(s, KEYS(5, 0, 6), NULL, NULL);
    keys(s, KEYS(0, 5, 0), NULL, NULL);
    keys(s, KEYS(5, 0, 3), "follows a commit at key 5 in global memory or after it: offset 0x8 of",
         "written before by key 2");
    s = STEPS({ 1, 'r', 1, 0 }, { 2, 'w', 1, 1 }, { 2, 'r', 3, 0 }, { 3, 'w', 3, 1 });
    keys(s, KEYS(5, 0, 6), NULL, NULL);
    keys(s, KEYS(5, 0, 3), "offset 0xc of shared memory was read before", "1 violations");
}

/* ---- snapshots of global memory ---- */

#define PLACES(...) ((const struct oracle_place[]){ __VA_ARGS__ })
#define SNAPSHOT(number) { .commit = number, .snapshot = number }      /* of a transaction without writes there */

static void places(const struct step *s, const struct oracle_place *place, const char *first, const char *second)
{
    struct bank_oracle *o = started(ORACLE_ON, 64);
    for (uint32_t i = 0; s->key; i++)
        commit_step(o, &s, 0, &place[i]);
    ends(o, first, second);
}

/* A snapshot must contain the commits that the transaction follows in shared memory. */
static void order_of_snapshots(void **state)
{
    (void)state;
    const char *what = "with snapshot 4 of global memory follows a commit of number 5: offset 0x4 of shared memory was";
    const struct step *ww = STEPS({ 1, 'w', 1, 1 }, { 2, 'w', 1, 2 }), *wr = STEPS({ 1, 'w', 1, 1 }, { 2, 'r', 1, 1 });
    const struct step *rw = STEPS({ 1, 'r', 1, 0 }, { 2, 'w', 1, 2 }), *rr = STEPS({ 1, 'r', 1, 0 }, { 2, 'r', 1, 0 });
    const struct oracle_place *late = PLACES({ .commit = 5, .snapshot = 4 }, { .commit = 6, .snapshot = 4 });
    const struct oracle_place *fresh = PLACES({ .commit = 5, .snapshot = 4 }, SNAPSHOT(5));
    places(ww, late, what, "written before by key 1 (thread 101, cycle 1001)");
    places(wr, late, what, "written before by key 1");
    places(rw, late, what, "was read before");
    places(rr, late, NULL, NULL);
    places(ww, fresh, NULL, NULL);
    places(wr, fresh, NULL, NULL);
    places(rw, fresh, NULL, NULL);
    places(ww, PLACES(SNAPSHOT(5), { .commit = 6, .snapshot = 4 }), what, "written before by key 1");
    places(ww, PLACES(SNAPSHOT(4), { .commit = 6, .snapshot = 4 }), NULL, NULL);
}

/* ---- several blocks and runs ---- */

static void blocks_in_turn(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    uint32_t memory[256] = { 0 };
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    for (uint32_t block = 1; block < 5; block++) {
        bank_oracle_start(o, 256 * block / (block == 4 ? 2 : 1));
        memset(memory, 0, sizeof memory);
        memory[7 * block] = block;
        commit_all(o, STEPS({ 1, 'r', 7 * block, 0 }, { 1, 'w', 7 * block, block }, { 2, 'r', 7 * block, block },
                            { 2, 'r', 1, 0 }), KEYS(100 - 2 * block, 101 - 2 * block));
        bank_oracle_end(o, (const uint8_t *)memory, count);
    }
    assert_int_equal(count[STAT_ORACLE_CHECKED], 0);             /* all have keys */
    assert_int_equal(count[STAT_ORACLE_READS], 12);
    assert_int_equal(count[STAT_ORACLE_WORDS], 8);
    ends(o, NULL, NULL);
}

/* Nothing of a block is known of the next one: versions, numbers of commits, mixed words. */
static void blocks_are_strangers(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    uint32_t memory[16] = { 1 };
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    commit_all(o, STEPS({ 1, 'w', 0, 1 }, { 2, 'w', 0, 2 }, { 3, 'w', 0, 3 }), NULL);
    bank_oracle_start(o, 64);
    commit_all(o, STEPS({ 1, 'r', 0, 2 }), NULL);
    ends(o, "the transaction with key 1 of its block", "anomaly: dirty read");
    o = started(ORACLE_ON, 64);
    for (int block = 0; block < 2; block++) {
        bank_oracle_start(o, 64);
        bank_oracle_running(o, true, (const uint8_t *)memory);
        if (block == 0)
            tell_plain(o, 0, 4, 1, memory);
        else
            commit_all(o, STEPS({ 1, 'w', 0, 5 }), NULL);
        if (block == 1)
            bank_oracle_running(o, false, (const uint8_t *)memory);
        bank_oracle_end(o, (const uint8_t *)memory, count);
    }
    ends(o, "has 0x1 at offset 0x0 at its end; the replay of all commits has 0x5", "1 violations");
}

/* A violation is kept until it is forgotten, whatever blocks come. */
static void violations_are_kept(void **state)
{
    (void)state;
    uint64_t count[STAT_END] = { 0 };
    uint32_t memory[16] = { 0 };
    char text[4200];
    struct bank_oracle *o = started(ORACLE_FULL, 64);
    for (uint32_t run = 1; run < 3; run++) {
        for (uint32_t block = 0; block < 3; block++) {
            bank_oracle_start(o, 64);
            commit_all(o, STEPS({ 1, 'r', 1, 16 * run + block }), NULL);
            bank_oracle_end(o, (const uint8_t *)memory, count);
        }
        bank_oracle_start(o, 64);
        bank_oracle_end(o, (const uint8_t *)memory, count);
        assert_true(bank_oracle_violated(o, text, sizeof text));
        assert_non_null(strstr(text, run == 1 ? "read 0x10 at" : "read 0x20 at"));
        assert_non_null(strstr(text, "3 violations in all"));
        bank_oracle_clear_findings(o);
    }
    ends(o, NULL, NULL);
}

/* ---- speed ---- */

static void millions_of_commits(void **state)
{
    (void)state;
    enum { COMMITS = 1000000, WORDS = 12288 };
    struct bank_oracle *o = started(ORACLE_ON, 4 * WORDS);
    static uint32_t memory[WORDS];
    uint64_t count[STAT_END] = { 0 };
    struct tm_word read[2], written[2];
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (uint32_t i = 1; i <= COMMITS; i++) {
        struct tm_set reads = { read, 0, 2 }, writes = { written, 0, 2 };
        for (uint32_t n = 0; n < 2; n++) {
            uint32_t w = (i * 2654435761u + n * 7919) % WORDS;
            put(&reads, w, memory[w], 15);
            put(&writes, w, i, 15);
            memory[w] = i;
        }
        bank_oracle_commit(o, &reads, &writes, i, NULL, &(struct oracle_who){ .cycle = i });
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    bank_oracle_end(o, (const uint8_t *)memory, count);
    printf("bank oracle: %.1f ns a commit of 2 reads and 2 writes over %d words, keys compared\n",
           ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / COMMITS, WORDS);
    ends(o, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_histories), cmocka_unit_test(mixed_histories), cmocka_unit_test(broken_memories),
        cmocka_unit_test(who_read_what), cmocka_unit_test(anomalies), cmocka_unit_test(parts_of_words),
        cmocka_unit_test(memory_at_the_end), cmocka_unit_test(no_commits), cmocka_unit_test(behind_the_block),
        cmocka_unit_test(initialised_words), cmocka_unit_test(weak_isolation), cmocka_unit_test(undone_store),
        cmocka_unit_test(store_beside), cmocka_unit_test(narrow_store), cmocka_unit_test(order_of_keys),
        cmocka_unit_test(keys_across_others), cmocka_unit_test(order_of_snapshots), cmocka_unit_test(blocks_in_turn),
        cmocka_unit_test(blocks_are_strangers), cmocka_unit_test(violations_are_kept),
        cmocka_unit_test(millions_of_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
