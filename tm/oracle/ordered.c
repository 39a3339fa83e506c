/*
 * Transactions under snapshot isolation, until their place in the order of commits is settled; and the versions of
 * words by version number. A transaction is settled after all those whose writes its snapshot has: these have smaller
 * places.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/oracle_impl.h"

void oracle_snapshots_clear(struct oracle_snapshots *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        oracle_txn_free(s->heap[i]);
    for (uint32_t i = 0; i < s->tickets_cap; i++) {
        if (s->ticketed[i])
            oracle_txn_free(s->ticketed[i]);
        s->ticketed[i] = NULL;
    }
    s->n = s->waiting = 0;
    s->settled = 0;
    while (s->turns.n)
        fifo_pop(&s->turns);
    versions_clear(&s->versions, 0);
}

void oracle_snapshots_free(struct oracle_snapshots *s)
{
    free(s->heap);
    free(s->ticketed);
    if (s->on)
        fifo_end(&s->turns);
    versions_free(&s->versions);
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Transactions with the same place are independent; they have an order so that results do not depend on that of their
 * reports. */
static bool before(const struct oracle_txn *a, const struct oracle_txn *b)
{
    int c = compare(a->place.order, b->place.order);
    c = c ? c : compare(a->place.commit, b->place.commit);
    c = c ? c : compare(a->who.sm, b->who.sm);
    c = c ? c : compare(a->who.slot, b->who.slot);
    c = c ? c : compare(a->who.cycle, b->who.cycle);
    return c ? c < 0 : a->who.lane < b->who.lane;
}

/* It waits for its turn. */
static void add_ticketed(struct oracle_snapshots *s, struct oracle_txn *t)
{
    uint32_t ticket = t->place.ticket;
    while (ticket >= s->tickets_cap) {
        uint32_t from = s->tickets_cap;
        s->ticketed = mem_grow(s->ticketed, from, &s->tickets_cap, sizeof *s->ticketed,
                               "the oracle's list of transactions");
        memset(s->ticketed + from, 0, (s->tickets_cap - from) * sizeof *s->ticketed);
    }
    s->ticketed[ticket] = t;
    s->waiting++;
}

void oracle_snapshots_add(struct oracle_snapshots *s, struct oracle_txn *t)
{
    if (t->place.ticket) {
        add_ticketed(s, t);
        return;
    }
    s->heap = mem_grow(s->heap, s->n, &s->cap, sizeof *s->heap, "the oracle's list of transactions");
    uint32_t i = s->n++;
    for (; i && before(t, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = t;
}

/* Removes the first one. */
static struct oracle_txn *take_first(struct oracle_snapshots *s)
{
    struct oracle_txn *first = s->heap[0], *t = s->heap[--s->n];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < s->n; i = child) {
        child += child + 1 < s->n && before(s->heap[child + 1], s->heap[child]);
        if (!before(s->heap[child], t))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = t;
    return first;
}

/* The one whose turn it is, if it has been reported. */
static struct oracle_txn *take_turn(struct oracle_snapshots *s)
{
    uint32_t ticket = *(const uint32_t *)fifo_front(&s->turns);
    struct oracle_txn *t = ticket < s->tickets_cap ? s->ticketed[ticket] : NULL;
    if (!t)
        return NULL;
    s->ticketed[ticket] = NULL;
    s->waiting--;
    fifo_pop(&s->turns);
    return t;
}

struct oracle_txn *oracle_snapshots_next(struct oracle_snapshots *s)
{
    if (s->turns.n)
        return take_turn(s);
    return s->n && s->heap[0]->place.order < s->settled ? take_first(s) : NULL;
}

uint32_t oracle_snapshot_value(const struct oracle_snapshots *s, uint64_t snapshot, uint32_t line, unsigned word,
                               uint32_t current)
{
    const struct version *x = versions_at(&s->versions, line, word, snapshot);
    return x ? x->value : current;
}

uint64_t oracle_snapshot_write(struct oracle_snapshots *s, uint64_t commit, uint32_t line, unsigned word,
                               uint32_t before, uint32_t value)
{
    const struct version *x = versions_at(&s->versions, line, word, UINT64_MAX);
    uint64_t last = x ? x->key : 0;
    versions_write(&s->versions, line, word, commit, before, value);
    return last;
}
