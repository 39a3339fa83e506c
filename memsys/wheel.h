/*
 * A timing wheel (Varghese and Lauck, SOSP 1987): timers, each set for a cycle or not set. A slot is a cycle and has
 * a bit per timer; one word says which slots hold any, so the next cycle with a timer is a rotation and a count of
 * zeros. A timer beyond the wheel's reach waits in its last slot and is set again from there.
 */
#ifndef MEMSYS_WHEEL_H
#define MEMSYS_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/clock.h"

enum { WHEEL_SLOTS = 64 };

struct wheel {
    uint64_t now;                    /* no timer is set for a cycle before */
    uint64_t held;                   /* slots that hold a timer */
    uint32_t words;                  /* of a slot */
    uint64_t *slot;                  /* [WHEEL_SLOTS][words] */
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
    uint64_t near = at - w->now < WHEEL_SLOTS ? at : w->now + WHEEL_SLOTS - 1;
    uint32_t slot = near % WHEEL_SLOTS;
    w->at[timer] = at;
    w->slot[slot * w->words + timer / 64] |= UINT64_C(1) << timer % 64;
    w->held |= UINT64_C(1) << slot;
}

/* The first cycle that needs a visit, NEVER when no timer is set. For far timers it is a cycle on the way there. */
static inline uint64_t wheel_next(const struct wheel *w)
{
    if (!w->held)
        return NEVER;
    unsigned from = w->now % WHEEL_SLOTS;
    uint64_t turned = w->held >> from | w->held << (-from % WHEEL_SLOTS);
    return w->now + (unsigned)__builtin_ctzll(turned);
}

/* Goes on to a cycle that is not beyond wheel_next. True when it has timers: all words are then to be taken. */
static inline bool wheel_advance(struct wheel *w, uint64_t now)
{
    uint64_t bit = UINT64_C(1) << now % WHEEL_SLOTS;
    w->now = now;
    if (!(w->held & bit))
        return false;
    w->held &= ~bit;
    return true;
}

/* Unsets the timers of a word that are due now and returns them, one bit each. */
static inline uint64_t wheel_take(struct wheel *w, uint32_t word)
{
    uint64_t *slot = &w->slot[w->now % WHEEL_SLOTS * w->words + word], due = *slot;
    *slot = 0;
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
