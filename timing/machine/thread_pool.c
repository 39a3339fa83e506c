/*
 * The thread pool. The caller starts a step: it sets the count of taken items of each list to 0, tagged with the step
 * number, and then increments the step number, for which idle threads wait. A thread takes an item by incrementing the
 * count of its list. A thread that finds no more items adds the number of items it has done to `done`, for which the
 * caller waits. A step takes about a microsecond, so threads spin; if the host has fewer processors than threads, they
 * soon yield instead.
 */
#include "timing/machine/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { SPINS = 400, SPINS_CROWDED = 4, CACHE_LINE = 64, TAKEN_BITS = 20 };

/* taken: the step number, and in the low bits the number of attempts to take an item in it. */
struct list { _Alignas(CACHE_LINE) _Atomic uint64_t taken; uint32_t n; };

static inline uint32_t taken_items(uint64_t taken)
{
    return taken & ((1u << TAKEN_BITS) - 1);
}

struct thread { struct thread_pool *pool; pthread_t id; uint32_t index; };

struct thread_pool {
    thread_pool_work *work;
    void *ctx;
    uint32_t n, started;             /* threads; threads that the host could create */
    uint32_t phases;
    uint32_t all;                    /* items of the lists of the phase */
    uint32_t spins;                  /* spins before a thread yields */
    struct thread *thread;
    struct list *list;               /* [phase][thread] */
    _Alignas(CACHE_LINE) _Atomic uint64_t step;      /* written by the caller only */
    _Atomic uint32_t first;          /* list of the step's phase */
    _Atomic bool ending;
    _Alignas(CACHE_LINE) _Atomic uint32_t done;
};

static inline void pause_or_yield(const struct thread_pool *c, uint32_t *spins)
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
 * Takes items until none is left. A late thread may find a list that already belongs to a later step, and then takes
 * part in that step. This is safe: a step starts only after all items taken in the step before are counted as done.
 */
static void process_lists(struct thread_pool *c, uint32_t thread)
{
    uint32_t did = 0, first = atomic_load_explicit(&c->first, memory_order_relaxed);
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t at = first + (thread + k < c->n ? thread + k : thread + k - c->n);
        struct list *l = &c->list[at];
        while (taken_items(atomic_load_explicit(&l->taken, memory_order_relaxed)) < l->n) {
            uint64_t t = atomic_fetch_add_explicit(&l->taken, 1, memory_order_acq_rel);
            if (taken_items(t) >= l->n)
                break;
            c->work(c->ctx, t >> TAKEN_BITS, thread, at, taken_items(t));
            did++;
        }
    }
    if (did)
        atomic_fetch_add_explicit(&c->done, did, memory_order_release);
}

static void *run_thread(void *arg)
{
    struct thread *me = arg;
    struct thread_pool *c = me->pool;
    for (uint64_t seen = 0;;) {
        uint64_t step;
        for (uint32_t spins = 0; (step = atomic_load_explicit(&c->step, memory_order_acquire)) == seen;)
            pause_or_yield(c, &spins);
        seen = step;
        if (atomic_load_explicit(&c->ending, memory_order_relaxed))
            return NULL;
        process_lists(c, me->index);
    }
}

static uint32_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

struct thread_pool *thread_pool_new(uint32_t n, uint32_t phases, const uint32_t *items, thread_pool_work *work,
                                    void *ctx)
{
    struct thread_pool *c = mem_aligned(CACHE_LINE, sizeof *c, "a thread pool");
    struct thread *thread = mem_zero(n, sizeof *thread, "a thread pool");
    struct list *list = mem_aligned(CACHE_LINE, phases * n * sizeof *list, "a thread pool");
    *c = (struct thread_pool){ .work = work, .ctx = ctx, .n = n, .phases = phases, .thread = thread, .list = list,
                               .spins = n > processors() ? SPINS_CROWDED : SPINS };
    for (uint32_t i = 0; i < phases * n; i++)
        list[i] = (struct list){ .taken = items[i], .n = items[i] };
    for (c->started = 1; c->started < n; c->started++) {
        struct thread *t = &thread[c->started];
        *t = (struct thread){ .pool = c, .index = c->started };
        if (pthread_create(&t->id, NULL, run_thread, t))
            break;                       /* the other threads process its list */
    }
    return c;
}

void thread_pool_free(struct thread_pool *c)
{
    if (!c)
        return;
    atomic_store_explicit(&c->ending, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->step, 1, memory_order_release);
    for (uint32_t i = 1; i < c->started; i++)
        pthread_join(c->thread[i].id, NULL);
    free(c->thread);
    free(c->list);
    free(c);
}

uint64_t thread_pool_steps(const struct thread_pool *c)
{
    return atomic_load_explicit(&c->step, memory_order_relaxed);
}

static void step_alone(struct thread_pool *c, uint32_t first)
{
    uint64_t step = thread_pool_steps(c) + 1;
    atomic_store_explicit(&c->step, step, memory_order_relaxed);
    for (uint32_t at = first; at < first + c->n; at++)
        for (uint32_t i = 0; i < c->list[at].n; i++)
            c->work(c->ctx, step, 0, at, i);
}

void thread_pool_step(struct thread_pool *c, uint32_t phase)
{
    uint32_t first = phase * c->n;
    if (c->started == 1) {
        step_alone(c, first);
        return;
    }
    uint64_t step = thread_pool_steps(c) + 1;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    atomic_store_explicit(&c->first, first, memory_order_relaxed);
    c->all = 0;
    for (uint32_t i = first; i < first + c->n; i++) {
        c->all += c->list[i].n;
        atomic_store_explicit(&c->list[i].taken, step << TAKEN_BITS, memory_order_release);
    }
    atomic_store_explicit(&c->step, step, memory_order_release);
    process_lists(c, 0);
    for (uint32_t spins = 0; atomic_load_explicit(&c->done, memory_order_acquire) < c->all;)
        pause_or_yield(c, &spins);
}
