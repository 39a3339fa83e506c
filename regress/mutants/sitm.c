/*
 * Finder of faults of the rules of snapshot isolation: random runs (regress/unit/sitm/sitm_model.h) of three sizes in
 * turn, until 20 of them have an error. Arguments: `replay`, to replay the histories, too; `exact`, with the exact
 * decision; the number of runs, for rare faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/mutants/finder.h"
#include "regress/unit/sitm/sitm_model.h"

enum { RUNS = 20000, ENOUGH = 20, SECONDS = 300 };

static const char *const KINDS[][2] = {
    { "lost update", "lost update" }, { "cycle", "cycle" }, { "snapshot", "snapshot" }, { "own commit", "own commit" },
    { "memory", "memory" }, { "deadlock", "deadlock" }, { "livelock", "livelock" }, { "end", "state at the end" },
    { "", "replay" }
};
static const char *const SIZE[SITM_SIZES] = { "small tables", "large tables", "more threads" };

struct search { uint32_t runs; enum sitm_check check; bool exact; };

static void run(void *ctx, struct finding *found)
{
    static struct sitm_result result;
    const struct search *search = ctx;
    uint32_t errors = 0, first = 0;
    for (uint32_t i = 0; i < search->runs && errors < ENOUGH; i++) {
        struct sitm_setup s = sitm_setup_random(i / SITM_SIZES, (enum sitm_size)(i % SITM_SIZES));
        s.check = search->check;
        s.exact = search->exact;
        s.rules.edges = !search->exact;
        if (!errors) {
            first = i + 1;
            snprintf(found->where, FINDING_TEXT, "%s", SIZE[i % SITM_SIZES]);
            snprintf(found->count, FINDING_TEXT, "%u run%s", first, first == 1 ? "" : "s");
        }
        sitm_model_run(&s, &result);
        bool wrong = result.error[0];
        if (wrong && !errors)
            snprintf(found->check, FINDING_TEXT, "%s", finder_check(KINDS, result.error));
        errors += wrong;
        if (errors)
            snprintf(found->count, FINDING_TEXT, "%u run%s, %u in %u", first, first == 1 ? "" : "s", errors, i + 1);
    }
}

int main(int argc, char **argv)
{
    struct finding found;
    struct search search = { RUNS, SITM_CHECK_GRAPH, false };
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "replay"))
            search.check = SITM_CHECK_REPLAY;
        else if (!strcmp(argv[i], "exact"))
            search.exact = true;
        else
            search.runs = (uint32_t)strtoul(argv[i], NULL, 10);
    finder_try(run, &search, SECONDS, &found);
    return finder_tells(&found);
}
