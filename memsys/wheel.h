/*
 * A timing wheel (Varghese and Lauck, SOSP 1987): timers, each set for a cycle or not set. A bucket is a cycle and has
 * a bit per timer. One word records which buckets hold a timer, so the next cycle with one is found by a rotation and a
 * count of zeros. A timer beyond the wheel's range is put into the last bucket, and set again when that expires.
 */
#ifndef MEMSYS_WHEEL_H
#define MEMSYS_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/clock.h"

enum { WHEEL_BUCKETS = 64 };

struct wheel {
    uint64_t now;                    /* no timer is set for an earlier cycle */
    uint64_t held;                   /* buckets that hold a timer */
    uint32_t words;                  /* of a bucket */
    uint64_t *bucket;                /* [WHEEL_BUCKETS][words] */
    uint64_t *at;                    /* [timer] cycle, NEVER when it is not set */
};

/* 64 timers a word. Aborts when the host is out of memory. */
void wheel_init(struct wheel *w, uint32_t words);
void wheel_end(struct wheel *w);

static inline bool wheel_is_set(const struct wheel *w, uint32_t timer)
{
    return w->at[timer] != NEVER;
}

/* Sets a timer that is not set; at >= now. */
static inline void wheel_set(struct wheel *w, uint32_t timer, uint64_t at)
{
    uint64_t near = at - w->now < WHEEL_BUCKETS ? at : w->now + WHEEL_BUCKETS - 1;
    uint32_t bucket = near % WHEEL_BUCKETS;
    w->at[timer] = at;
    w->bucket[bucket * w->words + timer / 64] |= UINT64_C(1) << timer % 64;
    w->held |= UINT64_C(1) << bucket;
}

/* The first cycle to visit, NEVER when no timer is set. For a timer beyond the range it is an earlier cycle. */
static inline uint64_t wheel_next(const struct wheel *w)
{
    if (!w->held)
        return NEVER;
    unsigned from = w->now % WHEEL_BUCKETS;
    uint64_t turned = w->held >> from | w->held << (-from % WHEEL_BUCKETS);
    return w->now + (unsigned)__builtin_ctzll(turned);
}

/* Advances to a cycle not after wheel_next. True when it may have timers: wheel_expired must be called for all
 * words. */
static inline bool wheel_advance(struct wheel *w, uint64_t now)
{
    uint64_t bit = UINT64_C(1) << now % WHEEL_BUCKETS;
    w->now = now;
    if (!(w->held & bit))
        return false;
    w->held &= ~bit;
    return true;
}

/* The timers of a word that expire now, a bit each; they are no longer set. */
static inline uint64_t wheel_expired(struct wheel *w, uint32_t word)
{
    uint64_t *bucket = &w->bucket[w->now % WHEEL_BUCKETS * w->words + word], due = *bucket;
    *bucket = 0;
    for (uint64_t m = due; m; m &= m - 1) {
        uint32_t timer = word * 64 + (unsigned)__builtin_ctzll(m);
        uint64_t at = w->at[timer];
        if (at > w->now) {
            due &= ~(m & -m);
            wheel_set(w, timer, at);
        } else {
            w->at[timer] = NEVER;
        }
    }
    return due;
}

#endif
