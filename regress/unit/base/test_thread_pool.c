/* The thread pool: every item is processed once in every step and sees all writes of the step before, even if threads
 * are late. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timing/machine/thread_pool.h"

enum { THREADS_MAX = 6, LISTS_MAX = 12, ITEMS_MAX = 16, STEPS = 3000 };

struct job {
    struct thread_pool *pool;
    uint32_t threads, items[LISTS_MAX];
    uint64_t value[LISTS_MAX][ITEMS_MAX];      /* not atomic: only the order of the pool's steps protects it */
    uint64_t last_step[THREADS_MAX];
    bool wrong[THREADS_MAX], idle;
};

/* Each item adds what its neighbours had in the step before; the caller checks against the same sums made alone. */
static void work(void *ctx, uint64_t step, uint32_t thread, uint32_t list, uint32_t item)
{
    struct job *j = ctx;
    if (step < j->last_step[thread])
        j->wrong[thread] = true;
    j->last_step[thread] = step;
    j->value[list][item] = j->value[list][item] * 3 + step + list * 7 + item;
    if (j->idle && thread && step % 50 == thread)
        sched_yield();
}

static void run_phases(uint32_t threads, uint32_t phases, const uint32_t *items, bool idle)
{
    struct job j = { .threads = threads, .idle = idle }, alone = { 0 };
    memcpy(j.items, items, phases * threads * sizeof *items);
    j.pool = thread_pool_new(threads, phases, items, work, &j);
    for (uint64_t step = 1; step <= STEPS; step++) {
        uint32_t first = step % phases * threads;
        thread_pool_step(j.pool, step % phases);
        assert_int_equal(thread_pool_steps(j.pool), step);
        for (uint32_t l = first; l < first + threads; l++)
            for (uint32_t i = 0; i < items[l]; i++)
                work(&alone, step, 0, l, i);
        assert_memory_equal(j.value, alone.value, sizeof j.value);
    }
    for (uint32_t i = 0; i < threads; i++)
        assert_false(j.wrong[i]);
    thread_pool_free(j.pool);
}

static void run(uint32_t threads, const uint32_t *items, bool idle)
{
    run_phases(threads, 1, items, idle);
}

static void one_thread(void **state)
{
    run(1, (const uint32_t[]){ 9 }, false);
}

static void two_threads(void **state)
{
    run(2, (const uint32_t[]){ 8, 7 }, false);
}

static void more_threads_than_processors(void **state)
{
    run(6, (const uint32_t[]){ 3, 2, 3, 1, 2, 3 }, true);
}

/* Members with nothing of their own help the others. */
static void empty_lists(void **state)
{
    run(4, (const uint32_t[]){ 0, 16, 0, 1 }, true);
    run(2, (const uint32_t[]){ 0, 5 }, false);
}

/* A thread that is late in one phase finds the lists of another. */
static void phases(void **state)
{
    run_phases(1, 3, (const uint32_t[]){ 4, 0, 5 }, false);
    run_phases(2, 2, (const uint32_t[]){ 8, 7, 1, 1 }, false);
    run_phases(6, 2, (const uint32_t[]){ 3, 2, 3, 1, 2, 3, 0, 1, 0, 0, 1, 0 }, true);
}

static void crews_that_never_work(void **state)
{
    for (int i = 0; i < 50; i++)
        thread_pool_free(thread_pool_new(4, 1, (const uint32_t[]){ 1, 1, 1, 1 }, work, NULL));
    thread_pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(more_threads_than_processors),
        cmocka_unit_test(empty_lists),
        cmocka_unit_test(phases),
        cmocka_unit_test(crews_that_never_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
