/* The crew of host threads: every item once in every step, with all of the step before in sight, whoever comes late. */
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

enum { MEMBERS_MAX = 6, ITEMS_MAX = 16, STEPS = 3000 };

struct job {
    struct crew *crew;
    uint32_t members, items[MEMBERS_MAX];
    uint64_t value[MEMBERS_MAX][ITEMS_MAX];      /* plain memory: only the crew's own order protects it */
    uint64_t last_step[MEMBERS_MAX];
    bool wrong[MEMBERS_MAX], idle;
};

/* Each item adds what its neighbours had in the step before; the caller checks against the same sums made alone. */
static void work(void *ctx, uint64_t step, uint32_t member, uint32_t list, uint32_t item)
{
    struct job *j = ctx;
    if (step < j->last_step[member])
        j->wrong[member] = true;
    j->last_step[member] = step;
    j->value[list][item] = j->value[list][item] * 3 + step + list * 7 + item;
    if (j->idle && member && step % 50 == member)
        sched_yield();
}

static void run(uint32_t members, const uint32_t *items, bool idle)
{
    struct job j = { .members = members, .idle = idle }, alone = { 0 };
    memcpy(j.items, items, members * sizeof *items);
    j.crew = crew_new(members, items, work, &j);
    for (uint64_t step = 1; step <= STEPS; step++) {
        crew_step(j.crew);
        assert_int_equal(crew_steps(j.crew), step);
        for (uint32_t l = 0; l < members; l++)
            for (uint32_t i = 0; i < items[l]; i++)
                work(&alone, step, 0, l, i);
        assert_memory_equal(j.value, alone.value, sizeof j.value);
    }
    for (uint32_t i = 0; i < members; i++)
        assert_false(j.wrong[i]);
    crew_free(j.crew);
}

static void one_member(void **state)
{
    run(1, (const uint32_t[]){ 9 }, false);
}

static void two_members(void **state)
{
    run(2, (const uint32_t[]){ 8, 7 }, false);
}

static void more_members_than_processors(void **state)
{
    run(6, (const uint32_t[]){ 3, 2, 3, 1, 2, 3 }, true);
}

/* Members with nothing of their own help the others. */
static void empty_lists(void **state)
{
    run(4, (const uint32_t[]){ 0, 16, 0, 1 }, true);
    run(2, (const uint32_t[]){ 0, 5 }, false);
}

static void crews_that_never_work(void **state)
{
    for (int i = 0; i < 50; i++)
        crew_free(crew_new(4, (const uint32_t[]){ 1, 1, 1, 1 }, work, NULL));
    crew_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_member),
        cmocka_unit_test(two_members),
        cmocka_unit_test(more_members_than_processors),
        cmocka_unit_test(empty_lists),
        cmocka_unit_test(crews_that_never_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
