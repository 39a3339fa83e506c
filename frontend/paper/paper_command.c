/* The command of a run: `simtx run` with the configuration, then the benchmark with version and size. */
#include "frontend/paper/paper.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct words { char **at; uint32_t n, cap; };

/* Takes over the string. */
static void add_own(struct words *w, char *word)
{
    w->at = mem_grow(w->at, w->n, &w->cap, sizeof *w->at, "the command of a run");
    w->at[w->n++] = word;
}

static void add(struct words *w, const char *word)
{
    add_own(w, mem_string(word));
}

/* The words between separators, each after the word `before`; NULL = after none. */
static void add_split(struct words *w, const char *before, const char *text, const char *separator)
{
    char *copy = mem_string(text ? text : ""), *next = copy;
    while (next) {
        char *word = strsep(&next, separator);
        if (*word && before)
            add(w, before);
        if (*word)
            add(w, word);
    }
    free(copy);
}

static void add_program(const struct paper_grid *g, const struct paper_bench *b, const char *version, struct words *w,
                        int *program)
{
    add_own(w, mem_format("%s/%s", g->programs, b->program));
    *program = (int)w->n;
    add_split(w, NULL, b->options, " ");
    add_split(w, "--version", version, " ");
    if (!b->quick)
        return;
    add(w, "--size");
    add(w, g->size == PAPER_SIZE_QUICK ? b->quick : "paper");
}

char **paper_command(const struct paper_grid *g, const struct paper_run *run, int *program)
{
    const struct paper_config *c = &g->paper->configs[run->config];
    struct words w = { NULL, 0, 0 };
    add(&w, "run");
    if (c->timing)
        add(&w, "--timing");
    add_split(&w, NULL, "--quiet --no-progress --config", " ");
    add(&w, c->presets);
    add_split(&w, "--set", c->timing ? g->paper->sets : NULL, ";");
    add_split(&w, "--set", c->sets, ";");
    add(&w, "--");
    add_program(g, &g->paper->benches[run->bench], c->version, &w, program);
    add_own(&w, NULL);
    return w.at;
}
