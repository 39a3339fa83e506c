/*
 * What is to happen to the warps of an SM, by cycle: a timing wheel of lists (Varghese and Lauck, SOSP 1987). An event
 * beyond the wheel's reach waits in its last slot and is filed anew from there.
 */
#ifndef TIMING_CALENDAR_H
#define TIMING_CALENDAR_H

#include "memsys/clock.h"

enum event_kind {
    EV_ALU, EV_MEM,                  /* an arithmetic or memory instruction's results are there: inst */
    EV_WAKE,                         /* what held the warp is over */
    EV_FETCHED,                      /* n instructions reach the buffer, if the warp's fetch is still that of `epoch` */
    EV_LINE,                         /* an instruction line is there: address */
    EV_LOAD, EV_STORE,               /* an access of the warp has performed */
    EV_ACQUIRE,                      /* an acquire has: inst */
    EV_TX                            /* a memory access of transactional memory is over: address of its op */
};

struct tinst;

struct event {
    uint64_t at;
    union {
        const struct tinst *inst;
        uint64_t address;
        struct { uint32_t epoch, n; };
    };
    uint32_t next;                   /* index of the next one in the slot */
    uint16_t warp;                   /* slot of the warp */
    uint8_t kind;
};

enum { CALENDAR_SLOTS = 1024, CALENDAR_WORDS = CALENDAR_SLOTS / 64 };

struct calendar {
    uint64_t held[CALENDAR_WORDS];   /* slots that hold an event */
    uint32_t words;                  /* words of `held` that are not 0 */
    uint32_t slot[CALENDAR_SLOTS];   /* first event + 1, 0 = none */
    struct event *event;             /* pool; [0] is not used */
    uint32_t cap, free;
};

void calendar_init(struct calendar *c);
void calendar_end(struct calendar *c);
void calendar_grow(struct calendar *c);

/* Files an event for e->at > now. Aborts when the host is out of memory. */
static inline void calendar_add(struct calendar *c, uint64_t now, const struct event *e)
{
    if (!c->free)
        calendar_grow(c);
    uint32_t i = c->free, slot = (e->at - now < CALENDAR_SLOTS ? e->at : now + CALENDAR_SLOTS - 1) % CALENDAR_SLOTS;
    c->free = c->event[i].next;
    c->event[i] = *e;
    c->event[i].next = c->slot[slot];
    c->slot[slot] = i;
    c->held[slot / 64] |= UINT64_C(1) << slot % 64;
    c->words |= 1u << slot / 64;
}

/* Takes the events of cycle `now` out: the first, to be read with calendar_read; 0 = none. */
static inline uint32_t calendar_take(struct calendar *c, uint64_t now)
{
    uint32_t slot = now % CALENDAR_SLOTS, first = c->slot[slot];
    if (!first)
        return 0;
    c->slot[slot] = 0;
    c->held[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    if (!c->held[slot / 64])
        c->words &= ~(1u << slot / 64);
    return first;
}

/* Copies event i out, frees it and returns the one behind it. */
static inline uint32_t calendar_read(struct calendar *c, uint32_t i, struct event *e)
{
    *e = c->event[i];
    c->event[i].next = c->free;
    c->free = i;
    return e->next;
}

/* The first cycle after `now` with an event (or with one that is on its way), NEVER = none. */
uint64_t calendar_next(const struct calendar *c, uint64_t now);

#endif
