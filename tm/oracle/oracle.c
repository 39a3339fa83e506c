/*
 * The oracle. A step enters the old values of all words written since the last step into the shadow. Then it replays
 * the transactions whose keys are complete; before each it enters the plain stores of earlier cycles. A word that was
 * not written during the kernel has its initial value in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/oracle_impl.h"

enum { FIRST_RING = 1 << 10, KEYS_AHEAD = 1 << 24, COMPACT = 64 };

typedef unsigned long long ull;

struct oracle *oracle_new(enum oracle_mode mode, uint32_t cores, uint32_t slices)
{
    if (mode == ORACLE_OFF)
        return NULL;
    struct oracle *o = mem_zero(1, sizeof *o, "the oracle");
    o->mode = mode;
    o->cores = cores;
    o->lists = cores + slices;
    o->list = mem_aligned(_Alignof(struct oracle_events), (o->lists + 1) * sizeof *o->list,
                          "the oracle's lists of events");
    o->ring = mem_zero(FIRST_RING, sizeof *o->ring, "the oracle's ring of transactions");
    memset(o->list, 0, (o->lists + 1) * sizeof *o->list);
    o->ring_mask = FIRST_RING - 1;
    o->next = 1;
    shadow_init(&o->shadow);
    version_graph_clear(&o->graph, o->next);
    return o;
}

void oracle_use_snapshots(struct oracle *o, bool serialisable)
{
    o->snapshots.on = true;
    o->snapshots.serialisable = serialisable;
    fifo_init(&o->snapshots.turns, sizeof(uint32_t), "the oracle's list of transactions");
    oracle_snapshots_clear(&o->snapshots);
}

void oracle_settled(struct oracle *o, uint64_t order)
{
    o->snapshots.settled = order;
}

void oracle_turn(struct oracle *o, uint32_t ticket)
{
    *(uint32_t *)fifo_push(&o->snapshots.turns) = ticket;
}

void oracle_keep_versions(struct oracle *o)
{
    o->versions = mem_zero(1, sizeof *o->versions, "the oracle's history");
    versions_clear(o->versions, o->next);
}

static void empty_ring(struct oracle *o)
{
    for (struct oracle_txn *t = o->between, *next; t; t = next) {
        next = t->next;
        oracle_txn_free(t);
    }
    o->between = NULL;
    oracle_snapshots_clear(&o->snapshots);
    for (uint64_t i = 0; i <= o->ring_mask; i++) {
        if (o->ring[i])
            oracle_txn_free(o->ring[i]);
        o->ring[i] = NULL;
    }
}

void oracle_free(struct oracle *o)
{
    if (!o)
        return;
    empty_ring(o);
    for (uint32_t i = 0; i < o->lists; i++)
        oracle_events_free(&o->list[i]);
    free(o->list);
    free(o->ring);
    free(o->atomic);
    free(o->deferred);
    shadow_free(&o->shadow);
    version_graph_free(&o->graph);
    if (o->versions)
        versions_free(o->versions);
    free(o->versions);
    oracle_snapshots_free(&o->snapshots);
    free(o);
}

struct oracle_events *oracle_core(struct oracle *o, uint32_t core)
{
    return &o->list[core];
}

struct oracle_events *oracle_slice(struct oracle *o, uint32_t slice)
{
    return &o->list[o->cores + slice];
}

/* ---- writes to memory ---- */

/* Words of a line with bytes in a mask. */
static uint32_t words_of(const uint64_t mask[2])
{
    uint32_t words = 0;
    for (int h = 0; h < 2; h++) {
        uint64_t m = mask[h] | mask[h] >> 1;
        m = (m | m >> 2) & UINT64_C(0x1111111111111111);
        for (; m; m &= m - 1)
            words |= UINT32_C(1) << (__builtin_ctzll(m) / 4 + 16 * h);
    }
    return words;
}

/* These words of the line had these values after the line's last atomic. */
static void atomic_known(struct oracle *o, struct shadow_line *l, uint32_t words, const uint32_t *line)
{
    struct oracle_atomic *a = &o->atomic[l->waiting - 1];
    uint32_t *after = a->list->image[a->list->event[a->event].image].after;
    for (uint32_t w = words & ~a->known; w; w &= w - 1)
        after[__builtin_ctz(w)] = line[__builtin_ctz(w)];
    a->known |= words;
}

static void initialise_tx_write(struct oracle *o, struct oracle_event *e)
{
    unsigned w = shadow_word(e->address);
    struct shadow_line *l = &o->shadow.line[e->line];
    if (l->waiting) {
        uint32_t old[SHADOW_WORDS];
        old[w] = e->before;
        atomic_known(o, l, UINT32_C(1) << w, old);
    }
    shadow_initialise(&o->shadow, e->line, w, e->before);
    l->tx |= UINT32_C(1) << w;
    l->performed = e->cycle;
}

static void initialise_plain(struct oracle *o, struct oracle_events *n, uint32_t event)
{
    struct oracle_event *e = &n->event[event];
    struct shadow_line *l = &o->shadow.line[e->line];
    const uint32_t *before = n->image[e->image].before;
    if (l->waiting)
        atomic_known(o, l, UINT32_MAX, before);
    for (uint32_t w = words_of(e->mask); w; w &= w - 1)
        shadow_initialise(&o->shadow, e->line, (unsigned)__builtin_ctz(w), before[__builtin_ctz(w)]);
    l->waiting = 0;
    if (!e->atomic)
        return;
    o->atomic = mem_grow(o->atomic, o->atomics, &o->atomics_cap, sizeof *o->atomic, "the oracle's list of atomics");
    o->atomic[o->atomics++] = (struct oracle_atomic){ .list = n, .event = event };
    l->waiting = o->atomics;
}

/* Enters the old values of words written since the last step, and finds the results of atomics. */
static void initialise_words(struct oracle *o)
{
    for (uint32_t i = 0; i < o->lists; i++) {
        struct oracle_events *n = &o->list[i];
        for (; n->initialised < n->events; n->initialised++) {
            struct oracle_event *e = &n->event[n->initialised];
            e->line = shadow_find(&o->shadow, e->address);
            if (e->mask[0] | e->mask[1])
                initialise_plain(o, n, n->initialised);
            else
                initialise_tx_write(o, e);
        }
    }
    for (uint32_t i = 0; i < o->atomics; i++) {
        struct oracle_atomic *a = &o->atomic[i];
        const struct oracle_event *e = &a->list->event[a->event];
        struct shadow_line *l = &o->shadow.line[e->line];
        if (l->waiting == i + 1) {
            atomic_known(o, l, UINT32_MAX, (const uint32_t *)(const void *)e->memory);
            l->waiting = 0;
        }
    }
    o->atomics = 0;
}

/* ---- plain stores after transactions that wait for their replay ---- */

/* Counts a transaction, or takes it out, in the lines of its words. */
static void hold_lines(struct oracle *o, struct oracle_txn *t, uint32_t by)
{
    for (uint32_t i = 0; i < t->reads + t->writes; i++)
        o->shadow.line[shadow_find(&o->shadow, t->w[i].address)].held += by;
    t->held = by == 1;
}

static bool accesses(const struct oracle_txn *t, uint64_t address)
{
    for (uint32_t i = 0; i < t->reads + t->writes; i++)
        if (t->w[i].address == address)
            return true;
    return false;
}

/* Was the outcome of a transaction that waits for its replay, and accesses the word, reported before this cycle? */
static bool word_held(const struct oracle *o, uint64_t address, uint64_t cycle)
{
    for (uint64_t key = o->next; key <= o->largest && key - o->next <= o->ring_mask; key++) {
        const struct oracle_txn *t = o->ring[key & o->ring_mask];
        if (t && t->held && t->who.cycle < cycle && accesses(t, address))
            return true;
    }
    return false;
}

static bool word_deferred(const struct oracle *o, uint64_t address)
{
    for (uint32_t i = 0; i < o->ndeferred; i++)
        if (o->deferred[i].address == address)
            return true;
    return false;
}

static void enter_word(struct oracle *o, uint32_t line, unsigned w, uint32_t value, unsigned bytes)
{
    o->shadow.value[line][w] = shadow_merge(o->shadow.value[line][w], value, bytes);
}

/* Enters the new values of a plain store or atomic, or defers them. */
static void enter(struct oracle *o, const struct oracle_events *n, const struct oracle_event *e)
{
    const uint32_t *after = n->image[e->image].after;
    struct shadow_line *l = &o->shadow.line[e->line];
    uint32_t words = words_of(e->mask);
    l->plain |= words;
    for (; words; words &= words - 1) {
        unsigned w = (unsigned)__builtin_ctz(words), bytes = (unsigned)(e->mask[w / 16] >> w % 16 * 4) & 15;
        uint64_t address = l->address + 4 * w;
        if (l->held && (word_deferred(o, address) || word_held(o, address, e->cycle))) {
            o->deferred = mem_grow(o->deferred, o->ndeferred, &o->deferred_cap, sizeof *o->deferred,
                                   "the oracle's list of plain stores");
            o->deferred[o->ndeferred++] = (struct oracle_deferred){ address, e->cycle, after[w], (uint8_t)bytes };
        } else {
            enter_word(o, e->line, w, after[w], bytes);
        }
    }
}

/* Enters those whose transactions have been replayed. */
static void enter_deferred(struct oracle *o)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->ndeferred; i++) {
        struct oracle_deferred d = o->deferred[i];
        bool earlier = false;
        for (uint32_t k = 0; k < kept && !earlier; k++)
            earlier = o->deferred[k].address == d.address;
        if (earlier || word_held(o, d.address, d.cycle))
            o->deferred[kept++] = d;
        else
            enter_word(o, shadow_find(&o->shadow, d.address), shadow_word(d.address), d.value, d.bytes);
    }
    o->ndeferred = kept;
}

/* Transactions that wait for their replay. */
static void hold_words(struct oracle *o)
{
    for (uint64_t key = o->next; key <= o->largest && key - o->next <= o->ring_mask; key++) {
        struct oracle_txn *t = o->ring[key & o->ring_mask];
        if (t && t->commits && !t->held)
            hold_lines(o, t, 1);
    }
}

/* Has a plain store not entered the shadow? */
static bool plain_pending(const struct oracle *o)
{
    for (uint32_t i = 0; i < o->lists; i++)
        for (uint32_t k = o->list[i].entered; k < o->list[i].events; k++)
            if (o->list[i].event[k].mask[0] | o->list[i].event[k].mask[1])
                return true;
    return o->ndeferred;
}

/* The transaction has been replayed, or did not commit. */
static void release(struct oracle *o, struct oracle_txn *t)
{
    o->ring[o->next & o->ring_mask] = NULL;
    if (t->held)
        hold_lines(o, t, UINT32_MAX);
    oracle_txn_free(t);
    if (o->ndeferred)
        enter_deferred(o);
}

/* ---- time ---- */

/* Plain stores before this cycle. */
static void enter_before(struct oracle *o, uint64_t cycle)
{
    o->soonest = UINT64_MAX;
    for (uint32_t i = 0; i < o->lists; i++) {
        struct oracle_events *n = &o->list[i];
        for (; n->entered < n->events && n->event[n->entered].cycle < cycle; n->entered++) {
            const struct oracle_event *e = &n->event[n->entered];
            if (e->mask[0] | e->mask[1])
                enter(o, n, e);
        }
        if (n->entered < n->events && n->event[n->entered].cycle < o->soonest)
            o->soonest = n->event[n->entered].cycle;
    }
}

/* Drops the events that have entered the shadow. */
static void compact(struct oracle_events *n)
{
    uint32_t rest = n->events - n->entered;
    if (rest && n->entered < COMPACT)
        return;
    if (rest) {
        uint32_t first = n->event[n->entered].image;
        memmove(n->event, n->event + n->entered, rest * sizeof *n->event);
        if (n->images > first)
            memmove(n->image, n->image + first, (n->images - first) * sizeof *n->image);
        for (uint32_t i = 0; i < rest; i++)
            n->event[i].image -= first;
        n->images -= first;
    } else {
        n->images = 0;
    }
    n->events = n->initialised = rest;
    n->entered = 0;
}

/* ---- replay ---- */

static uint32_t *word_of(struct oracle *o, uint64_t address, uint32_t *line)
{
    unsigned w = shadow_word(address);
    *line = shadow_find(&o->shadow, address);
    if (!(o->shadow.line[*line].known >> w & 1))
        shadow_initialise(&o->shadow, *line, w, *(const uint32_t *)(uintptr_t)address);
    o->shadow.line[*line].tx |= UINT32_C(1) << w;
    return &o->shadow.value[*line][w];
}

static void describe_writer(uint64_t writer, char *text, size_t size)
{
    snprintf(text, size, writer ? "last written by key %llu" : "its initial value", (ull)writer);
}

/* A read of a value that differs from the replay's. True: the first violation, which is explained further. */
static bool mismatch(struct oracle *o, const struct oracle_txn *t, const struct tm_word *r, uint32_t line)
{
    unsigned w = shadow_word(r->address);
    char writer[64];
    if (o->shadow.line[line].plain >> w & 1) {
        o->weak++;
        return false;
    }
    describe_writer(shadow_writer(&o->shadow, line, w), writer, sizeof writer);
    return findings_add(&o->found,
                        "the transaction with key %llu (SM %u, warp slot %u, lane %u; block %llu, thread %u), "
                        "committed in cycle %llu, read 0x%x at 0x%llx; the replay in commit order has 0x%x, %s",
                        (ull)t->key, t->who.sm, t->who.slot, t->who.lane, (ull)t->who.block, t->who.thread,
                        (ull)t->who.cycle, r->value,
                        (ull)r->address, o->shadow.value[line][w], writer);
}

/* Key of a transaction that has not been replayed yet and wrote this value; 0 = none. */
static uint64_t later_writer(const struct oracle *o, const struct tm_word *r)
{
    for (uint64_t key = o->next + 1; key <= o->largest && key - o->next <= o->ring_mask; key++) {
        const struct oracle_txn *t = o->ring[key & o->ring_mask];
        for (uint32_t i = 0; t && t->commits && i < t->writes; i++)
            if (t->w[t->reads + i].address == r->address && t->w[t->reads + i].value == r->value)
                return key;
    }
    return 0;
}

/* Compares the reads with the versions of the transaction's snapshot. */
static void check_snapshot(struct oracle *o, const struct oracle_txn *t)
{
    for (uint32_t i = 0; i < t->reads; i++) {
        const struct tm_word *r = &t->w[i];
        uint32_t line, current = *word_of(o, r->address, &line);
        unsigned w = shadow_word(r->address);
        uint32_t value = oracle_snapshot_value(&o->snapshots, t->place.snapshot, line, w, current);
        if (r->value == value)
            continue;
        if (o->shadow.line[line].plain >> w & 1)
            o->weak++;
        else
            findings_add(&o->found,
                         "the transaction with key %llu (SM %u, warp slot %u, lane %u; block %llu, thread %u), "
                         "committed in cycle %llu, read 0x%x at 0x%llx; its snapshot, version %llu, has 0x%x",
                         (ull)t->key, t->who.sm, t->who.slot, t->who.lane, (ull)t->who.block, t->who.thread,
                         (ull)t->who.cycle, r->value, (ull)r->address, (ull)t->place.snapshot, value);
    }
}

/* Enters a write into the versions: the first committer wins. */
static void check_writer(struct oracle *o, const struct oracle_txn *t, uint64_t address, uint32_t line, uint32_t before,
                         uint32_t value)
{
    uint64_t last = oracle_snapshot_write(&o->snapshots, t->place.commit, line, shadow_word(address), before, value);
    if (last > t->place.snapshot)
        findings_add(
            &o->found,
            "the transaction with key %llu (SM %u, warp slot %u, lane %u; block %llu, thread %u), committed in "
            "cycle %llu, wrote 0x%llx in version %llu from snapshot %llu, although version %llu has another "
            "write of it",
            (ull)t->key, t->who.sm, t->who.slot, t->who.lane, (ull)t->who.block, t->who.thread, (ull)t->who.cycle,
            (ull)address, (ull)t->place.commit, (ull)t->place.snapshot, (ull)last);
}

/* Compares the reads of a transaction. Returns the read of the first violation, NULL = none. */
static const struct tm_word *replay_reads(struct oracle *o, const struct oracle_txn *t)
{
    const struct tm_word *bad = NULL;
    for (uint32_t i = 0; i < t->reads; i++) {
        const struct tm_word *r = &t->w[i];
        uint32_t line, value = *word_of(o, r->address, &line);
        if (o->mode == ORACLE_FULL)
            version_graph_read(&o->graph, t->key, r->address, line, r->value, value);
        if (r->value != value && mismatch(o, t, r, line))
            bad = r;
    }
    return bad;
}

/* Is the i-th write of the transaction the last one of its word? */
static bool last_of_word(const struct oracle_txn *t, uint32_t i)
{
    const struct tm_word *w = t->w + t->reads;
    for (uint32_t n = i + 1; n < t->writes; n++)
        if (w[n].address == w[i].address)
            return false;
    return true;
}

static void replay_writes(struct oracle *o, const struct oracle_txn *t)
{
    for (uint32_t i = 0; i < t->writes; i++) {
        const struct tm_word *w = &t->w[t->reads + i];
        uint32_t line, *value = word_of(o, w->address, &line), before = *value;
        *value = shadow_merge(before, w->value, w->bytes);
        if (o->snapshots.on)         /* `before` of the last write of a word may be of the transaction itself */
            versions_first(&o->snapshots.versions, line, shadow_word(w->address), before);
        if (o->snapshots.on && last_of_word(t, i))
            check_writer(o, t, w->address, line, before, *value);
        shadow_set_writer(&o->shadow, line, shadow_word(w->address), t->key);
        if (o->versions)
            versions_write(o->versions, line, shadow_word(w->address), t->key, before, *value);
        if (o->mode == ORACLE_FULL)
            version_graph_write(&o->graph, t->key, w->address, line, *value, before);
    }
}

static void replay(struct oracle *o, const struct oracle_txn *t)
{
    if (o->mode == ORACLE_FULL)
        version_graph_txn(&o->graph, t->key);
    if (o->snapshots.on)
        check_snapshot(o, t);
    const struct tm_word *bad = o->snapshots.on && !o->snapshots.serialisable ? NULL : replay_reads(o, t);
    replay_writes(o, t);
    o->checked++;
    o->reads += t->reads;
    if (!bad || o->mode != ORACLE_FULL)
        return;
    char text[2048];
    version_graph_explain(&o->graph, t->key, bad->address, shadow_find(&o->shadow, bad->address), bad->value,
                          later_writer(o, bad), text, sizeof text);
    findings_explain(&o->found, text);
}

/* Replays the transactions that are next in the order of keys and were decided before cycle `now`. */
static void replay_ready(struct oracle *o, uint64_t now)
{
    for (struct oracle_txn *t; (t = o->ring[o->next & o->ring_mask]); o->next++) {
        if (t->who.cycle >= now)
            return;
        o->time = t->who.cycle > o->time ? t->who.cycle : o->time;
        if (o->soonest <= o->time)
            enter_before(o, o->time + 1);
        if (t->commits)
            replay(o, t);
        if (o->versions)
            versions_replayed(o->versions, o->time);
        release(o, t);
    }
}

/* ---- transactions between two commits ---- */

/* Are the reads those of one state? Words that plain stores or atomics have changed are not compared. */
static bool of_one_state(struct oracle *o, const struct oracle_txn *t)
{
    bool all = true;
    versions_check_begin(o->versions, t->start, t->key);
    for (uint32_t i = 0; i < t->reads; i++) {
        const struct tm_word *r = &t->w[i];
        uint32_t line, value = *word_of(o, r->address, &line);
        unsigned w = shadow_word(r->address);
        if (!(o->shadow.line[line].plain >> w & 1))
            all &= versions_check_read(o->versions, t->start, t->key, line, w, r->value, value);
    }
    return all;
}

static void check_between(struct oracle *o, const struct oracle_txn *t)
{
    o->checked++;
    o->reads += t->reads;
    if (!of_one_state(o, t))
        findings_add(
            &o->found,
            "a read-only transaction (SM %u, warp slot %u, lane %u; block %llu, thread %u), committed in cycle "
            "%llu without a key, has read %u words that differ from the replay in commit order, in the state "
            "after every key up to %llu",
            t->who.sm, t->who.slot, t->who.lane, (ull)t->who.block, t->who.thread, (ull)t->who.cycle, t->reads,
            (ull)t->key);
}

/* Those for which no key is missing. */
static void check_complete(struct oracle *o)
{
    struct oracle_txn **at = &o->between;
    while (*at) {
        struct oracle_txn *t = *at;
        if (t->key >= o->next) {
            at = &t->next;
            continue;
        }
        check_between(o, t);
        *at = t->next;
        oracle_txn_free(t);
    }
}

/* ---- keys ---- */

static void double_ring(struct oracle *o)
{
    uint64_t n = o->ring_mask + 1;
    struct oracle_txn **ring = mem_zero(2 * n, sizeof *ring, "the oracle's ring of transactions");
    for (uint64_t key = o->next; key < o->next + n; key++)
        ring[key & (2 * n - 1)] = o->ring[key & (n - 1)];
    free(o->ring);
    o->ring = ring;
    o->ring_mask = 2 * n - 1;
}

/* Keeps a reported attempt until it is replayed. */
static void store_outcome(struct oracle *o, struct oracle_txn *t)
{
    const char *what = t->commits ? "committed" : "aborted", *wrong = NULL;
    if (t->key && t->key >= o->next && t->key - o->next >= KEYS_AHEAD)
        wrong = "far ahead of the smallest key that is missing: a commit was lost";
    else if (t->key < o->next)
        wrong = t->key ? "but it was reported before: a duplicated commit" : "which is no key";
    while (!wrong && t->key - o->next > o->ring_mask)
        double_ring(o);
    if (!wrong && o->ring[t->key & o->ring_mask])
        wrong = "but it was reported before: a duplicated commit";
    if (wrong) {
        findings_add(&o->found,
                     "key %llu is reported as %s (SM %u, warp slot %u, lane %u; block %llu, thread %u; cycle %llu), %s",
                     (ull)t->key, what, t->who.sm, t->who.slot, t->who.lane, (ull)t->who.block, t->who.thread,
                     (ull)t->who.cycle, wrong);
        oracle_txn_free(t);
        return;
    }
    o->ring[t->key & o->ring_mask] = t;
    o->largest = t->key > o->largest ? t->key : o->largest;
}

static void process_outcomes(struct oracle *o)
{
    for (uint32_t i = 0; i < o->lists; i++) {
        struct oracle_events *n = &o->list[i];
        for (struct oracle_txn *t = n->first, *next; t; t = next) {
            next = t->next;
            if (t->ordered) {
                oracle_snapshots_add(&o->snapshots, t);
            } else if (t->between) {
                t->next = o->between;
                o->between = t;
            } else {
                store_outcome(o, t);
            }
        }
        n->first = n->last = NULL;
    }
}

/* Settled transactions get the next keys. */
static void give_keys(struct oracle *o)
{
    for (struct oracle_txn *t; (t = oracle_snapshots_next(&o->snapshots));) {
        t->key = o->largest + 1;
        store_outcome(o, t);
    }
}

/* Is there no new event, and none that waited for a later cycle? */
static bool quiet(const struct oracle *o)
{
    for (uint32_t i = 0; i < o->lists; i++)
        if (o->list[i].first || o->list[i].events)
            return false;
    return !o->ring[o->next & o->ring_mask] && !o->snapshots.n && !o->snapshots.turns.n;
}

void oracle_step(struct oracle *o, uint64_t now)
{
    if (quiet(o))
        return;
    initialise_words(o);
    process_outcomes(o);
    give_keys(o);
    o->soonest = 0;
    if (plain_pending(o))
        hold_words(o);
    replay_ready(o, now);
    check_complete(o);
    enter_before(o, now);
    for (uint32_t i = 0; i < o->lists; i++)
        compact(&o->list[i]);
}

/* ---- the end ---- */

static void wrong_memory(struct oracle *o, uint32_t line, unsigned word, uint32_t value)
{
    const struct shadow_line *l = &o->shadow.line[line];
    uint64_t address = l->address + 4 * word;
    char text[1024];
    describe_writer(shadow_writer(&o->shadow, line, word), text, sizeof text);
    bool first = findings_add(&o->found,
                              "memory has 0x%x at 0x%llx at the end of the kernel; the replay of all commits has 0x%x, "
                              "%s (last transactional write to its line in cycle %llu)", value, (ull)address,
                              o->shadow.value[line][word], text, (ull)l->performed);
    if (!first || o->mode != ORACLE_FULL)
        return;
    version_graph_explain_memory(&o->graph, address, line, value, text, sizeof text);
    findings_explain(&o->found, text);
}

static void compare_line(struct oracle *o, uint32_t line)
{
    const struct shadow_line *l = &o->shadow.line[line];
    const uint32_t *memory = (const uint32_t *)(uintptr_t)l->address;
    for (uint32_t m = l->tx; m; m &= m - 1) {
        unsigned w = (unsigned)__builtin_ctz(m);
        if (memory[w] == o->shadow.value[line][w])
            continue;
        if (l->plain >> w & 1)
            o->weak++;
        else
            wrong_memory(o, line, w, memory[w]);
    }
}

static void missing(struct oracle *o)
{
    uint64_t n = 0;
    for (uint64_t key = o->next; key <= o->largest; key++)
        n += !o->ring[key & o->ring_mask];
    findings_add(&o->found,
                 "key %llu was never reported as committed or aborted: a commit was lost (%llu keys of %llu are "
                 "missing)", (ull)o->next, (ull)n, (ull)o->largest);
}

static void add_counters(struct oracle *o, uint64_t *count)
{
    for (uint32_t i = 0; i < o->shadow.n; i++) {
        const struct shadow_line *l = &o->shadow.line[i];
        count[STAT_ORACLE_WORDS] += (unsigned)__builtin_popcount(l->tx);
        count[STAT_ORACLE_MIXED] += (unsigned)__builtin_popcount(l->tx & l->plain);
    }
    count[STAT_ORACLE_CHECKED] += o->checked;
    count[STAT_ORACLE_READS] += o->reads;
    count[STAT_ORACLE_WEAK] += o->weak;
}

static void reset(struct oracle *o)
{
    empty_ring(o);
    o->next = o->largest + 1;
    o->checked = o->reads = o->weak = o->found.n = 0;
    o->ndeferred = 0;
    shadow_clear(&o->shadow);
    version_graph_clear(&o->graph, o->next);
    if (o->versions)
        versions_clear(o->versions, o->next);
}

bool oracle_finish(struct oracle *o, uint64_t *count, char *text, size_t size)
{
    oracle_settled(o, UINT64_MAX);
    oracle_step(o, UINT64_MAX);
    if (o->next <= o->largest)
        missing(o);
    else if (o->snapshots.waiting || o->snapshots.turns.n)
        findings_add(&o->found, "%u commits have no turn in the serial order, and %u turns no commit",
                     o->snapshots.waiting, o->snapshots.turns.n);
    else if (o->between)
        findings_add(&o->found, "a transaction names key %llu, which was never reported: a commit was lost",
                     (ull)o->between->key);
    else
        for (uint32_t i = 0; i < o->shadow.n; i++)
            compare_line(o, i);
    add_counters(o, count);
    bool broken = o->mode != ORACLE_COUNT && oracle_violated(o, text, size);
    if (o->mode == ORACLE_COUNT)
        count[STAT_ORACLE_VIOLATIONS] += o->found.n;
    reset(o);
    return !broken;
}

bool oracle_violated(const struct oracle *o, char *text, size_t size)
{
    return findings_describe(&o->found, text, size);
}
