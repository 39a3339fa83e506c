/* Finder of faults of coherence protocols: the random tester (regress/coherence/tester.h), run after run. */
#include <stdio.h>
#include <string.h>

#include "regress/coherence/tester.h"
#include "regress/mutants/finder.h"

enum { MOST_SEEDS = 40, SECONDS = 30 };

struct search { unsigned protocol; uint64_t seed; };

static void run(void *ctx, struct finding *found)
{
    static struct tester t;
    const struct search *s = ctx;
    tester_open(&t, s->protocol);
    snprintf(found->where, FINDING_TEXT, "%s", t.name);
    for (unsigned size = 0; size < RIG_SIZES; size++) {
        uint64_t runs = s->seed * RIG_SIZES - RIG_SIZES + size + 1;
        snprintf(found->count, FINDING_TEXT, "%llu run%s", (unsigned long long)runs, runs > 1 ? "s" : "");
        tester_run_one(&t, size, s->seed);
    }
}

/* A violation ends the child process with status 1, after cmocka's message. */
static void name_check(struct finding *found)
{
    if (!strcmp(found->check, "exit of the process"))
        snprintf(found->check, FINDING_TEXT, "invariants");
}

int main(void)
{
    struct finding found;
    for (uint64_t seed = 1; seed <= MOST_SEEDS; seed++)
        for (unsigned n = 0; n < TESTER_PROTOCOLS; n++) {
            struct search s = { n, seed };
            if (finder_try(run, &s, SECONDS, &found)) {
                name_check(&found);
                return finder_tells(&found);
            }
        }
    return finder_tells(&found);
}
