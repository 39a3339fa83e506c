/*
 * The crew's barrier: the caller opens a step by counting it up, each member answers by counting itself in (a centralised
 * sense-reversing barrier: Mellor-Crummey and Scott, ACM TOCS 9, 1991; the count of steps is the sense). Steps take about a
 * microsecond, so members spin; where the host has fewer processors than members, that only delays, and they yield soon.
 */
#include "timing/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 400, SPINS_CROWDED = 4, CACHE_LINE = 64 };

struct member { struct crew *crew; pthread_t thread; uint32_t index; };

struct crew {
    crew_work *work;
    void *ctx;
    uint32_t n, spins;               /* members; looks before one yields */
    struct member *member;
    _Alignas(CACHE_LINE) _Atomic uint64_t step;      /* written by the caller only */
    _Atomic bool ending;
    _Alignas(CACHE_LINE) _Atomic uint32_t through;   /* members, the caller not among them */
};

static inline void pause_or_yield(const struct crew *c, uint32_t *spins)
{
    if (++*spins > c->spins)
        sched_yield();
    else
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void *run_member(void *arg)
{
    struct member *me = arg;
    struct crew *c = me->crew;
    for (uint64_t seen = 0;; seen++) {
        for (uint32_t spins = 0; atomic_load_explicit(&c->step, memory_order_acquire) == seen;)
            pause_or_yield(c, &spins);
        if (atomic_load_explicit(&c->ending, memory_order_relaxed))
            return NULL;
        c->work(c->ctx, me->index);
        atomic_fetch_add_explicit(&c->through, 1, memory_order_release);
    }
}

static uint32_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

struct crew *crew_new(uint32_t n, crew_work *work, void *ctx)
{
    struct crew *c = aligned_alloc(CACHE_LINE, (sizeof *c + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    struct member *member = calloc(n, sizeof *member);
    if (!c || !member)
        abort();
    *c = (struct crew){ .work = work, .ctx = ctx, .n = 1, .member = member,
                        .spins = n > processors() ? SPINS_CROWDED : SPINS };
    for (; c->n < n; c->n++) {
        c->member[c->n] = (struct member){ .crew = c, .index = c->n };
        if (pthread_create(&c->member[c->n].thread, NULL, run_member, &c->member[c->n]))
            break;
    }
    return c;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    atomic_store_explicit(&c->ending, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->step, 1, memory_order_release);
    for (uint32_t i = 1; i < c->n; i++)
        pthread_join(c->member[i].thread, NULL);
    free(c->member);
    free(c);
}

uint32_t crew_size(const struct crew *c)
{
    return c->n;
}

void crew_step(struct crew *c)
{
    if (c->n > 1)
        atomic_fetch_add_explicit(&c->step, 1, memory_order_release);
    c->work(c->ctx, 0);
    for (uint32_t spins = 0; atomic_load_explicit(&c->through, memory_order_acquire) < c->n - 1;)
        pause_or_yield(c, &spins);
    atomic_store_explicit(&c->through, 0, memory_order_relaxed);
}
