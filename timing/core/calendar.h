/*
 * The future events of an SM, by cycle: a timing wheel with lists of events (Varghese and Lauck, SOSP 1987). An event
 * beyond the range of the wheel is put into the last bucket and inserted again when that is due.
 */
#ifndef TIMING_CALENDAR_H
#define TIMING_CALENDAR_H

#include "memsys/clock.h"

enum event_kind {
    EVENT_ALU, EVENT_MEM,            /* the results of an arithmetic or memory instruction are available: inst */
    EVENT_GUARDS,                    /* guards may read the predicates that an arithmetic instruction wrote */
    EVENT_WAKE,                      /* the hold of a warp ends */
    EVENT_FETCHED,                   /* n instructions reach the buffer; ignored if the warp has another epoch */
    EVENT_LINE,                      /* an instruction line has been filled: address */
    EVENT_LOAD, EVENT_STORE,         /* an access of the warp has performed */
    EVENT_ACQUIRE,                   /* an acquire has performed: inst */
    EVENT_COPY,                      /* an asynchronous copy has completed: address, its group */
    EVENT_PRODUCT,                   /* a product of a warpgroup has completed: address, its group */
    EVENT_BULK,                      /* the engine of bulk copies sends its next part */
    EVENT_BULK_PART,                 /* a part of a bulk copy has arrived: address of its mem_op */
    EVENT_TX                         /* an access of transactional memory has completed: address of its mem_op */
};

struct tinst;

struct event {
    uint64_t at;
    union {
        const struct tinst *inst;
        uint64_t address;
        struct { uint32_t epoch, n; };
    };
    uint32_t next;                   /* index of the next event in the bucket */
    uint16_t warp;                   /* warp slot */
    uint8_t kind;
};

enum { CALENDAR_BUCKETS = 1024, CALENDAR_WORDS = CALENDAR_BUCKETS / 64 };

struct calendar {
    uint64_t held[CALENDAR_WORDS];   /* bit set of the buckets with events */
    uint32_t words;                  /* bit set of the words of `held` that are not 0 */
    uint32_t bucket[CALENDAR_BUCKETS];           /* index of the first event, 0 = none */
    struct event *event;             /* pool; [0] is not used */
    uint32_t cap, free;
};

void calendar_init(struct calendar *c);
void calendar_end(struct calendar *c);
void calendar_grow(struct calendar *c);

/* Inserts an event for e->at > now. */
static inline void calendar_add(struct calendar *c, uint64_t now, const struct event *e)
{
    if (!c->free)
        calendar_grow(c);
    uint64_t at = e->at - now < CALENDAR_BUCKETS ? e->at : now + CALENDAR_BUCKETS - 1;
    uint32_t i = c->free, bucket = at % CALENDAR_BUCKETS;
    c->free = c->event[i].next;
    c->event[i] = *e;
    c->event[i].next = c->bucket[bucket];
    c->bucket[bucket] = i;
    c->held[bucket / 64] |= UINT64_C(1) << bucket % 64;
    c->words |= 1u << bucket / 64;
}

/* Removes the events of cycle `now`; returns the first for calendar_read, 0 = none. */
static inline uint32_t calendar_take(struct calendar *c, uint64_t now)
{
    uint32_t bucket = now % CALENDAR_BUCKETS, first = c->bucket[bucket];
    if (!first)
        return 0;
    c->bucket[bucket] = 0;
    c->held[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
    if (!c->held[bucket / 64])
        c->words &= ~(1u << bucket / 64);
    return first;
}

/* Copies event i to *e and frees it; returns the next one. */
static inline uint32_t calendar_read(struct calendar *c, uint32_t i, struct event *e)
{
    *e = c->event[i];
    c->event[i].next = c->free;
    c->free = i;
    return e->next;
}

/* calendar_next, when the first word has none of them. */
uint64_t calendar_far(const struct calendar *c, uint64_t now);

/* The first cycle after `now` with events to process (or to insert again), NEVER = none. */
static inline uint64_t calendar_next(const struct calendar *c, uint64_t now)
{
    uint32_t from = (now + 1) % CALENDAR_BUCKETS;
    uint64_t here = c->held[from / 64] >> from % 64;
    return here ? now + 1 + (unsigned)__builtin_ctzll(here) : calendar_far(c, now);
}

#endif
