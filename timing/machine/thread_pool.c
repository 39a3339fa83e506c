/*
 * The crew. The caller opens a step by setting each list's count of taken items to 0, under the number of the step,
 * and then counting the steps up, for which members that have nothing to do wait. Who takes an item adds one to its
 * list's count; who finds no more adds what it did to the count of items done, for which the caller waits. A step
 * takes about a microsecond, so members spin; where the host has fewer processors than members, that only delays, and
 * they yield soon.
 */
#include "timing/machine/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { SPINS = 400, SPINS_CROWDED = 4, CACHE_LINE = 64, TAKEN_BITS = 20 };

/* taken: number of the step, and in the low bits how many items were taken in it, or tried to. */
struct list { _Alignas(CACHE_LINE) _Atomic uint64_t taken; uint32_t n; };

static inline uint32_t count_of(uint64_t taken)
{
    return taken & ((1u << TAKEN_BITS) - 1);
}

struct member { struct crew *crew; pthread_t thread; uint32_t index; };

struct crew {
    crew_work *work;
    void *ctx;
    uint32_t n, all, started;        /* members; items of all lists; members that the host gave a thread */
    uint32_t spins;                  /* looks before one yields */
    struct member *member;
    struct list *list;
    _Alignas(CACHE_LINE) _Atomic uint64_t step;      /* written by the caller only */
    _Atomic bool ending;
    _Alignas(CACHE_LINE) _Atomic uint32_t done;
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

/*
 * Takes items until there are none. A member that comes late may find a list already set for a later step: it takes
 * part in that one then, since nobody can open a step before all items taken in the one before are counted as done.
 */
static void work_off(struct crew *c, uint32_t member)
{
    uint32_t did = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t at = member + k < c->n ? member + k : member + k - c->n;
        struct list *l = &c->list[at];
        while (count_of(atomic_load_explicit(&l->taken, memory_order_relaxed)) < l->n) {
            uint64_t t = atomic_fetch_add_explicit(&l->taken, 1, memory_order_acq_rel);
            if (count_of(t) >= l->n)
                break;
            c->work(c->ctx, t >> TAKEN_BITS, member, at, count_of(t));
            did++;
        }
    }
    if (did)
        atomic_fetch_add_explicit(&c->done, did, memory_order_release);
}

static void *run_member(void *arg)
{
    struct member *me = arg;
    struct crew *c = me->crew;
    for (uint64_t seen = 0;;) {
        uint64_t step;
        for (uint32_t spins = 0; (step = atomic_load_explicit(&c->step, memory_order_acquire)) == seen;)
            pause_or_yield(c, &spins);
        seen = step;
        if (atomic_load_explicit(&c->ending, memory_order_relaxed))
            return NULL;
        work_off(c, me->index);
    }
}

static uint32_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

struct crew *crew_new(uint32_t n, const uint32_t *items, crew_work *work, void *ctx)
{
    struct crew *c = mem_aligned(CACHE_LINE, sizeof *c, "a thread pool");
    struct member *member = mem_zero(n, sizeof *member, "a thread pool");
    struct list *list = mem_aligned(CACHE_LINE, n * sizeof *list, "a thread pool");
    *c = (struct crew){ .work = work, .ctx = ctx, .n = n, .member = member, .list = list,
                        .spins = n > processors() ? SPINS_CROWDED : SPINS };
    for (uint32_t i = 0; i < n; i++) {
        list[i] = (struct list){ .taken = items[i], .n = items[i] };
        c->all += items[i];
    }
    for (c->started = 1; c->started < n; c->started++) {
        struct member *m = &member[c->started];
        *m = (struct member){ .crew = c, .index = c->started };
        if (pthread_create(&m->thread, NULL, run_member, m))
            break;                       /* the others do its list */
    }
    return c;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    atomic_store_explicit(&c->ending, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->step, 1, memory_order_release);
    for (uint32_t i = 1; i < c->started; i++)
        pthread_join(c->member[i].thread, NULL);
    free(c->member);
    free(c->list);
    free(c);
}

uint64_t crew_steps(const struct crew *c)
{
    return atomic_load_explicit(&c->step, memory_order_relaxed);
}

static void step_alone(struct crew *c)
{
    uint64_t step = crew_steps(c) + 1;
    atomic_store_explicit(&c->step, step, memory_order_relaxed);
    for (uint32_t at = 0; at < c->n; at++)
        for (uint32_t i = 0; i < c->list[at].n; i++)
            c->work(c->ctx, step, 0, at, i);
}

void crew_step(struct crew *c)
{
    if (c->started == 1) {
        step_alone(c);
        return;
    }
    uint64_t step = crew_steps(c) + 1;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < c->n; i++)
        atomic_store_explicit(&c->list[i].taken, step << TAKEN_BITS, memory_order_release);
    atomic_store_explicit(&c->step, step, memory_order_release);
    work_off(c, 0);
    for (uint32_t spins = 0; atomic_load_explicit(&c->done, memory_order_acquire) < c->all;)
        pause_or_yield(c, &spins);
}
