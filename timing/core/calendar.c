/* The pool of events, and the search for the next bucket with events. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timing/core/calendar.h"

void calendar_init(struct calendar *c)
{
    memset(c, 0, sizeof *c);
}

void calendar_end(struct calendar *c)
{
    free(c->event);
    memset(c, 0, sizeof *c);
}

void calendar_grow(struct calendar *c)
{
    uint32_t cap = c->cap ? c->cap * 2 : 256;
    c->event = mem_resize(c->event, cap, sizeof *c->event, "the events of an SM");
    for (uint32_t i = cap; i-- > (c->cap ? c->cap : 1);) {
        c->event[i].next = c->free;
        c->free = i;
    }
    c->cap = cap;
}

uint64_t calendar_far(const struct calendar *c, uint64_t now)
{
    if (!c->words)
        return NEVER;
    uint32_t from = (now + 1) % CALENDAR_BUCKETS, word = from / 64;
    uint32_t later = c->words >> word >> 1 ? c->words >> word >> 1 << word << 1 : c->words;
    word = (unsigned)__builtin_ctz(later);
    uint32_t bucket = word * 64 + (unsigned)__builtin_ctzll(c->held[word]);
    return now + 1 + (bucket - from + CALENDAR_BUCKETS) % CALENDAR_BUCKETS;
}
