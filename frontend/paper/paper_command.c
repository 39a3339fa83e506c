/* The command of a run: `simtx run` with the configuration, then the benchmark with version, seed and size. */
#include "frontend/paper/paper.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/words.h"

/* The words between separators, each after the word `before`; NULL = after none. */
static void add_split(struct words *w, const char *before, const char *text, const char *separator)
{
    char *copy = mem_string(text ? text : ""), *next = copy;
    while (next) {
        char *word = strsep(&next, separator);
        if (*word && before)
            words_add(w, before);
        if (*word)
            words_add(w, word);
    }
    free(copy);
}

static void add_program(const struct paper_grid *g, const struct paper_bench *b, const char *version, int seed,
                        struct words *w, int *program)
{
    words_format(w, "%s/%s", g->programs, b->program);
    *program = (int)w->n;
    add_split(w, NULL, b->options, " ");
    add_split(w, "--version", version, " ");
    if (seed) {
        words_add(w, "--seed");
        words_format(w, "%d", seed);
    }
    if (!b->quick)
        return;
    words_add(w, "--size");
    words_add(w, g->size == PAPER_SIZE_QUICK ? b->quick : "paper");
}

char **paper_command(const struct paper_grid *g, const struct paper_run *run, int *program)
{
    const struct paper_config *c = &g->paper->configs[run->config];
    struct words w = { NULL, 0, 0 };
    words_add(&w, "run");
    if (c->mode != PAPER_MODE_FUNCTIONAL)
        words_add(&w, "--timing");
    add_split(&w, NULL, "--quiet --no-progress --config", " ");
    words_add(&w, c->presets);
    add_split(&w, "--set", c->mode != PAPER_MODE_FUNCTIONAL ? g->paper->sets : NULL, ";");
    add_split(&w, "--set", c->sets, ";");
    words_add(&w, "--");
    add_program(g, &g->paper->benches[run->bench], c->version, run->seed, &w, program);
    return w.at;
}
