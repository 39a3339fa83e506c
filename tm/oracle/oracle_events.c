/*
 * The events that cores and slices report to the oracle, each in its own list: attempts with a key, with copies of
 * their sets, and accesses performed at memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/oracle_impl.h"

static struct oracle_txn *txn_new(struct oracle_events *n, uint32_t words)
{
    uint8_t c = 0;
    while (4u << c < words)
        c++;
    struct oracle_txn *t = n->pool[c];
    if (t)
        n->pool[c] = t->next;
    else
        t = mem_alloc(1, sizeof *t + (sizeof *t->w << (c + 2)), "the oracle's copy of a transaction");
    t->size_class = c;
    t->home = n;
    t->between = t->ordered = t->held = false;
    return t;
}

void oracle_txn_free(struct oracle_txn *t)
{
    struct oracle_txn **pool = &t->home->pool[t->size_class];
    t->next = *pool;
    *pool = t;
}

static void append(struct oracle_events *n, struct oracle_txn *t)
{
    t->next = NULL;
    if (n->last)
        n->last->next = t;
    else
        n->first = t;
    n->last = t;
}

static struct oracle_txn *commit_new(struct oracle_events *n, uint64_t key, const struct tm_lane *l,
                                     const struct oracle_who *who)
{
    struct oracle_txn *t = txn_new(n, l->reads.n + l->writes.n);
    t->key = key;
    t->who = *who;
    t->commits = true;
    t->reads = l->reads.n;
    t->writes = l->writes.n;
    if (t->reads)
        memcpy(t->w, l->reads.w, t->reads * sizeof *t->w);
    if (t->writes)
        memcpy(t->w + t->reads, l->writes.w, t->writes * sizeof *t->w);
    append(n, t);
    return t;
}

void oracle_committed(struct oracle_events *n, uint64_t key, const struct tm_lane *l, const struct oracle_who *who)
{
    commit_new(n, key, l, who);
}

void oracle_between(struct oracle_events *n, uint64_t newest, const struct tm_lane *l, const struct oracle_who *who)
{
    struct oracle_txn *t = commit_new(n, newest, l, who);
    t->between = true;
    t->start = l->start;
}

void oracle_ordered(struct oracle_events *n, const struct oracle_place *p, const struct tm_lane *l,
                    const struct oracle_who *who)
{
    struct oracle_txn *t = commit_new(n, 0, l, who);
    t->ordered = true;
    t->place = *p;
}

void oracle_not_committed(struct oracle_events *n, uint64_t key, uint64_t cycle)
{
    struct oracle_txn *t = txn_new(n, 0);
    t->key = key;
    t->who = (struct oracle_who){ .cycle = cycle };
    t->commits = false;
    t->reads = t->writes = 0;
    append(n, t);
}

static struct oracle_event *event_new(struct oracle_events *n, uint64_t address, uint64_t cycle)
{
    n->event = mem_grow(n->event, n->events, &n->events_cap, sizeof *n->event, "the oracle's lists of events");
    struct oracle_event *e = &n->event[n->events++];
    *e = (struct oracle_event){ .address = address, .cycle = cycle, .image = n->images };
    return e;
}

void oracle_tx_write(struct oracle_events *n, uint64_t address, uint32_t before, uint64_t cycle)
{
    event_new(n, address, cycle)->before = before;
}

void oracle_plain(struct oracle_events *n, uint64_t line, const uint64_t mask[2], const uint8_t *before,
                  const uint8_t *after, uint64_t cycle)
{
    if (!(mask[0] | mask[1]))
        return;
    struct oracle_event *e = event_new(n, line, cycle);
    n->image = mem_grow(n->image, n->images, &n->images_cap, sizeof *n->image, "the oracle's copies of memory");
    struct oracle_image *i = &n->image[n->images++];
    e->mask[0] = mask[0];
    e->mask[1] = mask[1];
    e->atomic = !after;
    e->memory = (const uint8_t *)(uintptr_t)line;
    memcpy(i->before, before, SHADOW_LINE);
    if (after)
        memcpy(i->after, after, SHADOW_LINE);
}

void oracle_atomic(struct oracle_events *n, uint64_t line, const uint64_t mask[2], const uint8_t *memory,
                   uint64_t cycle)
{
    oracle_plain(n, line, mask, memory, NULL, cycle);
    if (mask[0] | mask[1])
        n->event[n->events - 1].memory = memory;
}

void oracle_events_free(struct oracle_events *n)
{
    for (int c = 0; c < ORACLE_CLASSES; c++)
        for (struct oracle_txn *t = n->pool[c], *next; t; t = next) {
            next = t->next;
            free(t);
        }
    for (struct oracle_txn *t = n->first, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    free(n->event);
    free(n->image);
}
