/*
 * The oracle for transactions on shared memory. The shadow of a block is flat arrays by word: values and flags, which
 * are cleared when a block starts and compared when it ends, and the writer and readers of each word, which are cleared
 * when a transaction first accesses the word.
 *
 * Positions in the order of global keys: the position of a commit with a key is the key. A commit without a key gets
 * the greatest position of the commits that it must follow, and passes it on through the words that it accesses. So
 * keys are also compared across chains of commits without keys. Under snapshot isolation positions are commit numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/bank_oracle.h"
#include "tm/oracle/findings.h"
#include "tm/oracle/version_graph.h"

enum {
    WORD_TX = 1,                     /* accessed by transactions */
    WORD_PLAIN = 2,                  /* accessed by plain stores or atomics */
    WORD_WEAK = 4,                   /* mixed: the same, while attempts ran that have not all ended */
    WORD_PLAIN_LAST = 8              /* and not written by a commit since then */
};

enum { ALL_BYTES = 15 };

typedef unsigned long long ull;

/* Who accessed a word; valid with WORD_TX. */
struct accessed {
    uint32_t writer, thread;         /* the last commit that wrote it: number in the block, 0 = none; its thread */
    uint64_t cycle;                  /* of that commit */
    uint64_t written, read;          /* greatest positions of writers and of readers in the order of global keys */
};

struct bank_oracle {
    enum oracle_mode mode;
    bool running;                    /* attempts of the block may run */
    bool keyed;                      /* a commit of the block had a global key */
    uint32_t bytes, words, cap;
    uint32_t *value;
    uint8_t *flags;
    struct accessed *by;
    uint32_t *weak_word, weak_words; /* words with WORD_WEAK */
    uint32_t commits;                /* of the block; the number of the last one is its key in texts and in the graph */
    uint64_t block;                  /* of the last commit */
    uint64_t checked, reads, weak;   /* of the block */
    struct findings found;           /* in the run */
    struct version_graph graph;
};

struct commit {
    const struct tm_set *reads, *writes;
    uint64_t key;
    const struct oracle_place *place;
    const struct oracle_who *who;
};

struct bank_oracle *bank_oracle_new(enum oracle_mode mode)
{
    if (mode == ORACLE_OFF)
        return NULL;
    struct bank_oracle *o = mem_zero(1, sizeof *o, "the oracle of a block");
    o->mode = mode;
    return o;
}

static void free_words(struct bank_oracle *o)
{
    free(o->value);
    free(o->flags);
    free(o->by);
    free(o->weak_word);
}

void bank_oracle_free(struct bank_oracle *o)
{
    if (!o)
        return;
    free_words(o);
    version_graph_free(&o->graph);
    free(o);
}

static void make_room(struct bank_oracle *o)
{
    if (o->words <= o->cap)
        return;
    free_words(o);
    o->cap = o->words;
    o->value = mem_alloc(o->cap, sizeof *o->value, "the oracle's copy of shared memory");
    o->flags = mem_alloc(o->cap, 1, "the oracle's copy of shared memory");
    o->by = mem_alloc(o->cap, sizeof *o->by, "the oracle's copy of shared memory");
    o->weak_word = mem_alloc(o->cap, sizeof *o->weak_word, "the oracle's copy of shared memory");
}

void bank_oracle_start(struct bank_oracle *o, uint32_t bytes)
{
    o->bytes = bytes;
    o->words = bytes / 4 + (bytes % 4 != 0);
    make_room(o);
    if (o->words) {
        memset(o->value, 0, o->words * sizeof *o->value);
        memset(o->flags, 0, o->words);
    }
    o->running = true;
    o->keyed = false;
    o->weak_words = o->commits = 0;
    o->checked = o->reads = o->weak = 0;
    version_graph_clear(&o->graph, 1);
}

void bank_oracle_clear_findings(struct bank_oracle *o)
{
    o->found.n = 0;
}

static void describe_commit(const struct bank_oracle *o, const struct commit *c, char *text, size_t size)
{
    const struct oracle_who *w = c->who;
    int n = snprintf(text, size, "the transaction with key %u of its block (SM %u, warp slot %u, lane %u; block %llu, "
                     "thread %u), committed in cycle %llu", o->commits, w->sm, w->slot, w->lane, (ull)w->block,
                     w->thread, (ull)w->cycle);
    if (c->key)
        snprintf(text + n, size - (size_t)n, " with key %llu in global memory,", (ull)c->key);
    else
        snprintf(text + n, size - (size_t)n, ",");
}

static void describe_writer(const struct bank_oracle *o, uint32_t w, char *text, size_t size)
{
    const struct accessed *a = &o->by[w];
    if (o->flags[w] & WORD_PLAIN_LAST)
        snprintf(text, size, "last written by a plain store or atomic");
    else if (o->flags[w] & WORD_TX && a->writer)
        snprintf(text, size, "last written by key %u (thread %u, cycle %llu)", a->writer, a->thread, (ull)a->cycle);
    else
        snprintf(text, size, "its initial value");
}

/* ---- words ---- */

/* A word of the block's memory; its last word may have fewer than 4 bytes. */
static uint32_t memory_word(const struct bank_oracle *o, const uint8_t *memory, uint32_t w)
{
    uint32_t value = 0, left = o->bytes - 4 * w;
    if (left >= 4)
        memcpy(&value, memory + 4 * (size_t)w, 4);
    else
        memcpy(&value, memory + 4 * (size_t)w, left);
    return value;
}

static uint32_t word_of(uint64_t offset)
{
    return (uint32_t)(offset / 4);
}

static uint32_t line_of(uint64_t offset)
{
    return word_of(offset) / SHADOW_WORDS;
}

/* Marks the word as accessed by a transaction. */
static struct accessed *touch(struct bank_oracle *o, uint32_t w)
{
    if (!(o->flags[w] & WORD_TX))
        o->by[w] = (struct accessed){ 0 };
    o->flags[w] |= WORD_TX;
    return &o->by[w];
}

/* ---- plain stores and atomics ---- */

static void enter(struct bank_oracle *o, uint32_t w, unsigned bytes, const uint8_t *memory)
{
    o->value[w] = shadow_merge(o->value[w], memory_word(o, memory, w), bytes);
    o->flags[w] |= WORD_PLAIN | WORD_PLAIN_LAST;
    if (!o->running || o->flags[w] & WORD_WEAK)
        return;
    o->flags[w] |= WORD_WEAK;
    o->weak_word[o->weak_words++] = w;
}

/* Bytes of the word at `address` that are in [from, end). */
static unsigned bytes_in(uint64_t address, uint64_t from, uint64_t end)
{
    unsigned low = from > address ? (unsigned)(from - address) : 0;
    unsigned high = end < address + 4 ? (unsigned)(address + 4 - end) : 0;
    return (unsigned)ALL_BYTES >> high & (unsigned)ALL_BYTES << low;
}

void bank_oracle_plain(struct bank_oracle *o, const struct mem_op *op, uint64_t lanes, const uint8_t *memory)
{
    for (; lanes; lanes &= lanes - 1) {
        uint64_t from = op->address[__builtin_ctzll(lanes)], end = from + op->width;
        if (end > o->bytes)
            end = o->bytes;
        for (uint64_t a = from & ~UINT64_C(3); a < end; a += 4)
            enter(o, word_of(a), bytes_in(a, from, end), memory);
    }
}

/* No attempt holds an old value of this word any more: takes its value from memory. */
static void settle(struct bank_oracle *o, uint32_t w, const uint8_t *memory)
{
    uint32_t value = memory_word(o, memory, w);
    o->flags[w] &= (uint8_t)~WORD_WEAK;
    if (o->value[w] == value)
        return;
    o->value[w] = value;
    touch(o, w);
    o->weak++;
}

void bank_oracle_running(struct bank_oracle *o, bool any, const uint8_t *memory)
{
    o->running = any;
    if (any)
        return;
    for (uint32_t i = 0; i < o->weak_words; i++)
        settle(o, o->weak_word[i], memory);
    o->weak_words = 0;
}

/* ---- replay ---- */

static bool set_fits(const struct bank_oracle *o, const struct tm_set *s, uint64_t *outside)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->w[i].address >= o->bytes) {
            *outside = s->w[i].address;
            return false;
        }
    }
    return true;
}

static bool fits(struct bank_oracle *o, const struct commit *c)
{
    uint64_t outside;
    if (set_fits(o, c->reads, &outside) && set_fits(o, c->writes, &outside))
        return true;
    char who[256];
    describe_commit(o, c, who, sizeof who);
    findings_add(&o->found,
                 "%s accessed offset 0x%llx of shared memory, of which the block has %u bytes", who, (ull)outside,
                 o->bytes);
    return false;
}

/* The graph has values of whole words: returns that of the newest version with the bytes that were read. */
static uint32_t version_value(const struct bank_oracle *o, const struct tm_word *r)
{
    const struct version_graph *g = &o->graph;
    uint32_t line = line_of(r->address), bits = shadow_bits(r->bytes), current = o->value[word_of(r->address)];
    uint32_t v = line < g->lines ? g->current[line][shadow_word(r->address)] : 0;
    if ((current ^ r->value) & bits)
        for (; v; v = g->version[v].older)
            if (!((g->version[v].value ^ r->value) & bits))
                return g->version[v].value;
    return shadow_merge(current, r->value, r->bytes);
}

/* A read of a value that differs from the replay's. True: the first violation, which is explained further. */
static bool mismatch(struct bank_oracle *o, const struct commit *c, const struct tm_word *r)
{
    uint32_t w = word_of(r->address), bits = shadow_bits(r->bytes);
    char who[256], writer[96], part[48] = "";
    if (o->flags[w] & WORD_WEAK) {
        o->weak++;
        return false;
    }
    describe_commit(o, c, who, sizeof who);
    describe_writer(o, w, writer, sizeof writer);
    if (bits != UINT32_MAX)
        snprintf(part, sizeof part, " (in the bytes of mask 0x%x)", r->bytes);
    return findings_add(&o->found,
                        "%s read 0x%x at offset 0x%llx of shared memory%s; the replay in commit order has 0x%x, %s",
                        who, r->value & bits, (ull)r->address, part, o->value[w] & bits, writer);
}

/* Compares the reads of a commit. Returns the read of the first violation, NULL = none. */
static const struct tm_word *replay_reads(struct bank_oracle *o, const struct commit *c)
{
    const struct tm_word *bad = NULL;
    for (uint32_t i = 0; i < c->reads->n; i++) {
        const struct tm_word *r = &c->reads->w[i];
        uint32_t value = o->value[word_of(r->address)];
        touch(o, word_of(r->address));
        if (o->mode == ORACLE_FULL)
            version_graph_read(&o->graph, o->commits, r->address, line_of(r->address), version_value(o, r), value);
        if ((r->value ^ value) & shadow_bits(r->bytes) && mismatch(o, c, r))
            bad = r;
    }
    return bad;
}

static void replay_writes(struct bank_oracle *o, const struct commit *c)
{
    for (uint32_t i = 0; i < c->writes->n; i++) {
        const struct tm_word *x = &c->writes->w[i];
        uint32_t w = word_of(x->address), before = o->value[w];
        struct accessed *by = touch(o, w);
        by->writer = o->commits;
        by->thread = c->who->thread;
        by->cycle = c->who->cycle;
        o->flags[w] &= (uint8_t)~WORD_PLAIN_LAST;
        o->value[w] = shadow_merge(before, x->value, x->bytes);
        if (o->mode == ORACLE_FULL)
            version_graph_write(&o->graph, o->commits, x->address, line_of(x->address), o->value[w], before);
    }
}

static void explain_read(struct bank_oracle *o, const struct tm_word *r, uint32_t value)
{
    char text[2048];
    version_graph_explain(&o->graph, o->commits, r->address, line_of(r->address), value, 0, text, sizeof text);
    findings_explain(&o->found, text);
}

/* ---- the order of global keys ---- */

/* The greatest position of the commits that a commit must follow, and the word by which it must follow it. */
struct predecessor { uint64_t position, address; bool wrote; };

static void must_follow(struct predecessor *b, uint64_t position, const struct tm_word *w, bool wrote)
{
    if (position > b->position)
        *b = (struct predecessor){ position, w->address, wrote };
}

static struct predecessor find_predecessor(struct bank_oracle *o, const struct commit *c)
{
    struct predecessor b = { 0 };
    for (uint32_t i = 0; i < c->reads->n; i++)
        must_follow(&b, touch(o, word_of(c->reads->w[i].address))->written, &c->reads->w[i], true);
    for (uint32_t i = 0; i < c->writes->n; i++) {
        const struct tm_word *w = &c->writes->w[i];
        const struct accessed *by = touch(o, word_of(w->address));
        must_follow(&b, by->written, w, true);
        must_follow(&b, by->read, w, false);
    }
    return b;
}

static void wrong_order(struct bank_oracle *o, const struct commit *c, const struct predecessor *b)
{
    const struct accessed *by = &o->by[word_of(b->address)];
    char who[256], writer[96] = "";
    describe_commit(o, c, who, sizeof who);
    if (b->wrote)
        snprintf(writer, sizeof writer, " by key %u (thread %u, cycle %llu)", by->writer, by->thread, (ull)by->cycle);
    if (c->place)
        findings_add(&o->found,
                     "%s with snapshot %llu of global memory follows a commit of number %llu: offset 0x%llx of shared "
                     "memory was %s before%s", who, (ull)c->place->snapshot, (ull)b->position, (ull)b->address,
                     b->wrote ? "written" : "read", writer);
    else
        findings_add(&o->found,
                     "%s follows a commit at key %llu in global memory or after it: offset 0x%llx of shared memory was "
                     "%s before%s; the keys are no order of the block's commits", who, (ull)b->position,
                     (ull)b->address, b->wrote ? "written" : "read", writer);
}

static bool may_follow(const struct commit *c, uint64_t position)
{
    return c->place ? position <= c->place->snapshot : !c->key || position < c->key;
}

static void order_keys(struct bank_oracle *o, const struct commit *c)
{
    struct predecessor b = find_predecessor(o, c);
    if (!may_follow(c, b.position))
        wrong_order(o, c, &b);
    uint64_t position = c->place ? c->place->commit : c->key;
    position = position > b.position ? position : b.position;
    for (uint32_t i = 0; i < c->reads->n; i++) {
        struct accessed *by = &o->by[word_of(c->reads->w[i].address)];
        by->read = position > by->read ? position : by->read;
    }
    for (uint32_t i = 0; i < c->writes->n; i++)
        o->by[word_of(c->writes->w[i].address)].written = position;
    o->keyed = true;
}

void bank_oracle_commit(struct bank_oracle *o, const struct tm_set *reads, const struct tm_set *writes, uint64_t key,
                        const struct oracle_place *place, const struct oracle_who *who)
{
    const struct commit c = { reads, writes, key, place, who };
    uint32_t value = 0;
    o->commits++;
    o->block = who->block;
    o->checked += !key && !place;
    o->reads += reads->n;
    if (!fits(o, &c))
        return;
    if (o->mode == ORACLE_FULL)
        version_graph_txn(&o->graph, o->commits);
    const struct tm_word *bad = replay_reads(o, &c);
    if (bad)
        value = version_value(o, bad);
    if (key || place || o->keyed)
        order_keys(o, &c);
    replay_writes(o, &c);
    if (bad && o->mode == ORACLE_FULL)
        explain_read(o, bad, value);
}

/* ---- the end of a block ---- */

static void wrong_memory(struct bank_oracle *o, uint32_t w, uint32_t value)
{
    uint32_t offset = 4 * w;
    char writer[96], block[48] = "a block without commits", text[1024];
    describe_writer(o, w, writer, sizeof writer);
    if (o->commits)
        snprintf(block, sizeof block, "block %llu", (ull)o->block);
    bool first = findings_add(&o->found,
                              "shared memory of %s has 0x%x at offset 0x%x at its end; the replay of all commits has "
                              "0x%x, %s", block, value, offset, o->value[w], writer);
    if (!first || o->mode != ORACLE_FULL)
        return;
    version_graph_explain_memory(&o->graph, offset, line_of(offset), value, text, sizeof text);
    findings_explain(&o->found, text);
}

static void compare_words(struct bank_oracle *o, const uint8_t *memory)
{
    for (uint32_t w = 0; w < o->words; w++) {
        uint32_t value = memory_word(o, memory, w);
        if (o->value[w] == value)
            continue;
        if (!(o->flags[w] & WORD_WEAK)) {
            wrong_memory(o, w, value);
            continue;
        }
        touch(o, w);
        o->weak++;
    }
}

void bank_oracle_end(struct bank_oracle *o, const uint8_t *memory, uint64_t *count)
{
    uint32_t words = 0, mixed = 0;
    if (o->words && memcmp(o->value, memory, o->bytes))
        compare_words(o, memory);
    for (uint32_t w = 0; w < o->words; w++) {
        words += o->flags[w] & WORD_TX;
        mixed += o->flags[w] & o->flags[w] / WORD_PLAIN & WORD_TX;
    }
    count[STAT_ORACLE_WORDS] += words;
    count[STAT_ORACLE_MIXED] += mixed;
    count[STAT_ORACLE_CHECKED] += o->checked;
    count[STAT_ORACLE_READS] += o->reads;
    count[STAT_ORACLE_WEAK] += o->weak;
}

bool bank_oracle_violated(const struct bank_oracle *o, char *text, size_t size)
{
    return findings_describe(&o->found, text, size);
}
