/* Checks of a history of committed transactions against plain definitions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/unit/sitm/sitm_history.h"

/* ---- versions of a word ---- */

/* Index of the last write of the word in the transaction, or -1. */
static int write_of(const struct sitm_txn *t, uint32_t word)
{
    for (int i = (int)t->n - 1; i >= 0; i--)
        if (t->access[i].write && t->access[i].word == word)
            return i;
    return -1;
}

/* The writer of the word with the greatest commit version up to `version`, or -1. */
static int writer_at(const struct sitm_history *h, uint32_t word, uint64_t version)
{
    int best = -1;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->txn[i].commit <= version && write_of(&h->txn[i], word) >= 0 &&
            (best < 0 || h->txn[i].commit > h->txn[best].commit))
            best = (int)i;
    return best;
}

/* The writer of the word with the least commit version above `version`, or -1. */
static int writer_after(const struct sitm_history *h, uint32_t word, uint64_t version)
{
    int best = -1;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->txn[i].commit > version && write_of(&h->txn[i], word) >= 0 &&
            (best < 0 || h->txn[i].commit < h->txn[best].commit))
            best = (int)i;
    return best;
}

static uint32_t value_of(const struct sitm_history *h, int writer, uint32_t word)
{
    return writer < 0 ? 0 : h->txn[writer].access[write_of(&h->txn[writer], word)].value;
}

uint32_t sitm_history_last(const struct sitm_history *h, uint32_t word)
{
    return value_of(h, writer_at(h, word, UINT64_MAX), word);
}

/* The access is a read of a word that the transaction has not written before. */
static bool reads_memory(const struct sitm_txn *t, uint32_t access)
{
    if (t->access[access].write)
        return false;
    for (uint32_t i = 0; i < access; i++)
        if (t->access[i].write && t->access[i].word == t->access[access].word)
            return false;
    return true;
}

/* ---- (a), (b), (f) ---- */

static bool reads_right(const struct sitm_history *h, const struct sitm_txn *t, char *error)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t word = t->access[i].word, is = t->access[i].value;
        if (!reads_memory(t, i))
            continue;
        uint32_t must = value_of(h, writer_at(h, word, t->snapshot), word);
        if (is != must) {
            snprintf(error, SITM_ERROR, "snapshot: a read of word %u gave %x, not %x", word, is, must);
            return false;
        }
    }
    return true;
}

static bool overlap(const struct sitm_txn *t, const struct sitm_txn *u)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->access[i].write && write_of(u, t->access[i].word) >= 0)
            return t->commit > u->snapshot && u->commit > t->snapshot;
    return false;
}

static bool pair_right(const struct sitm_txn *t, const struct sitm_txn *u, char *error)
{
    if (overlap(t, u))
        snprintf(error, SITM_ERROR, "lost update: two writers of a word have overlapped");
    else if (t->thread == u->thread && u->snapshot < t->commit)
        snprintf(error, SITM_ERROR, "own commit not seen: thread %u", t->thread);
    else
        return true;
    return false;
}

/* ---- (c) ---- */

static void add_edges(const struct sitm_history *h, uint32_t t, uint64_t edge[SITM_MOST_TXNS])
{
    const struct sitm_txn *txn = &h->txn[t];
    for (uint32_t i = 0; i < txn->n; i++) {
        uint32_t word = txn->access[i].word;
        bool write = txn->access[i].write;
        int before = writer_at(h, word, write ? txn->commit - 1 : txn->snapshot);
        int after = writer_after(h, word, write ? txn->commit : txn->snapshot);
        if (before >= 0 && before != (int)t)
            edge[before] |= UINT64_C(1) << t;
        if (after >= 0 && after != (int)t)
            edge[t] |= UINT64_C(1) << after;
    }
}

/* Removes transactions without a predecessor until none is left, or all that are left have one. */
static bool acyclic_right(const struct sitm_history *h, char *error)
{
    uint64_t edge[SITM_MOST_TXNS] = { 0 }, left = h->n == 64 ? UINT64_MAX : (UINT64_C(1) << h->n) - 1;
    for (uint32_t t = 0; t < h->n; t++)
        add_edges(h, t, edge);
    for (uint64_t before = 0; left != before;) {
        uint64_t followed = 0;
        before = left;
        for (uint32_t t = 0; t < h->n; t++)
            if (left >> t & 1)
                followed |= edge[t];
        left &= followed;
    }
    if (left)
        snprintf(error, SITM_ERROR, "cycle: of dependencies");
    return !left;
}

static int by_order(const void *a, const void *b)
{
    const struct sitm_txn *const *t = a, *const *u = b;
    if ((*t)->epoch != (*u)->epoch)
        return (*t)->epoch < (*u)->epoch ? -1 : 1;
    if ((*t)->stamp != (*u)->stamp)
        return (*t)->stamp < (*u)->stamp ? -1 : 1;
    return (*t)->commit < (*u)->commit ? -1 : (*t)->commit > (*u)->commit;
}

static bool replays(const struct sitm_txn *t, uint32_t memory[SITM_MOST_WORDS])
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->access[i].write)
            memory[t->access[i].word] = t->access[i].value;
        else if (memory[t->access[i].word] != t->access[i].value)
            return false;
    return true;
}

static bool replay_right(const struct sitm_history *h, char *error)
{
    const struct sitm_txn *order[SITM_MOST_TXNS];
    uint32_t memory[SITM_MOST_WORDS] = { 0 };
    for (uint32_t i = 0; i < h->n; i++)
        order[i] = &h->txn[i];
    qsort(order, h->n, sizeof *order, by_order);
    for (uint32_t i = 0; i < h->n; i++)
        if (!replays(order[i], memory)) {
            snprintf(error, SITM_ERROR, "replay: PrevTS %u gives another value", order[i]->stamp);
            return false;
        }
    return true;
}

void sitm_history_check(const struct sitm_history *h, enum sitm_check check, char error[SITM_ERROR])
{
    error[0] = 0;
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = i + 1; j < h->n; j++)
            if (!pair_right(&h->txn[i], &h->txn[j], error))
                return;
    for (uint32_t i = 0; i < h->n; i++)
        if (!reads_right(h, &h->txn[i], error))
            return;
    if (check != SITM_CHECK_SNAPSHOTS && acyclic_right(h, error) && check == SITM_CHECK_REPLAY)
        replay_right(h, error);
}
