/* One point of a study: whether it is excluded, the command and the configuration of its run. */
#include "frontend/sweep/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/words.h"
#include "frontend/lib/config_load.h"

static const char *value_at(const struct study *s, const struct study_point *p, uint32_t axis)
{
    return s->axis[axis].value[p->at[axis]];
}

static bool condition_holds(const struct study *s, const struct study_point *p, const struct study_condition *c)
{
    uint32_t axis = (uint32_t)c->axis;
    for (uint32_t i = 0; i < c->n; i++)
        if (study_value_matches(&s->axis[axis], value_at(s, p, axis), c->value[i]))
            return true;
    return false;
}

bool study_point_is_excluded(const struct study *s, const struct study_point *p)
{
    for (uint32_t i = 0; i < s->nexclusions; i++) {
        const struct study_exclusion *e = &s->exclusion[i];
        uint32_t held = 0;
        while (held < e->n && condition_holds(s, p, &e->condition[held]))
            held++;
        if (held == e->n)
            return true;
    }
    return false;
}

/* A word of the program's arguments with each {name} replaced by its value. */
static char *filled(const struct study *s, const struct study_point *p, const char *word)
{
    char *text = mem_string("");
    for (const char *open; (open = strchr(word, '{')) != NULL; word = open + strcspn(open, "}") + 1) {
        size_t n = strcspn(open + 1, "}");
        const char *value = "";
        for (uint32_t a = 0; a < s->naxes; a++)
            if (strlen(s->axis[a].name) == n && !strncmp(s->axis[a].name, open + 1, n))
                value = value_at(s, p, a);
        mem_append(&text, "%.*s%s", (int)(open - word), word, value);
    }
    mem_append(&text, "%s", word);
    return text;
}

static void add_arguments(const struct study *s, const struct study_point *p, const char *text, struct words *w)
{
    char *copy = mem_string(text), *next = copy;
    strsep(&next, " ");
    while (next) {
        const char *word = strsep(&next, " ");
        if (*word)
            words_give(w, filled(s, p, word));
    }
    free(copy);
}

static char *config_names(const struct study *s, const struct study_point *p)
{
    char *names = NULL;
    for (uint32_t a = 0; a < s->naxes; a++) {
        enum study_axis_kind kind = s->axis[a].kind;
        const char *value = value_at(s, p, a);
        if ((kind == STUDY_CONFIG || kind == STUDY_OVERLAY) && *value)
            mem_append(&names, "%s%s", names ? "+" : "", value);
    }
    return names ? names : mem_string("default");
}

/* KEY=VALUE of the keys and the seed. */
static void add_assignments(const struct study *s, const struct study_point *p, struct words *w)
{
    for (uint32_t a = 0; a < s->naxes; a++)
        if (s->axis[a].kind == STUDY_KEY)
            words_format(w, "%s=%s", s->axis[a].name, value_at(s, p, a));
        else if (s->axis[a].kind == STUDY_SEED)
            words_format(w, "sim.seed=%s", value_at(s, p, a));
}

static bool has_key(const struct study *s, const char *name)
{
    for (uint32_t a = 0; a < s->naxes; a++)
        if (s->axis[a].kind == STUDY_KEY && !strcmp(s->axis[a].name, name))
            return true;
    return false;
}

static void add_option(struct words *w, const char *option, const char *value)
{
    words_add(w, option);
    words_add(w, value);
}

static void add_configuration(const struct study *s, const struct study_point *p, struct words *w)
{
    struct words set = { NULL, 0, 0 };
    char *names = config_names(s, p);
    add_option(w, "--config", names);
    add_assignments(s, p, &set);
    if (!has_key(s, "functional.threads"))
        words_add(&set, "functional.threads=1");
    for (uint32_t i = 0; i < set.n; i++)
        add_option(w, "--set", set.at[i]);
    words_free(&set);
    free(names);
}

char *study_point_state(const struct study *s, const struct study_point *p)
{
    return s->restore ? filled(s, p, s->restore) : NULL;
}

char **study_point_command(const struct study *s, const struct study_point *p, const char *program, int *first)
{
    struct words w = { NULL, 0, 0 };
    char *state = study_point_state(s, p);
    words_add(&w, "run");
    if (s->timing && !s->detail)
        words_add(&w, "--timing");
    if (s->timing && s->detail)
        add_option(&w, "--detail", s->detail);
    words_add(&w, "--quiet");
    words_add(&w, "--no-progress");
    add_configuration(s, p, &w);
    if (state)
        add_option(&w, "--restore", state);
    words_add(&w, "--");
    words_add(&w, program);
    *first = (int)w.n;
    add_arguments(s, p, value_at(s, p, 0), &w);
    free(state);
    return w.at;
}

simtx_config *study_point_config(const struct study *s, const struct study_point *p, char **message)
{
    struct words set = { NULL, 0, 0 };
    char *names = config_names(s, p), *text = mem_string(s->timing ? "sim.mode=timing" : "sim.mode=functional");
    simtx_config *c = simtx_config_new();
    if (s->timing && s->detail)
        mem_append(&text, "\nsim.detail=%s", s->detail);
    add_assignments(s, p, &set);
    for (uint32_t i = 0; i < set.n; i++)
        mem_append(&text, "\n%s", set.at[i]);
    if (simtx_config_build(c, names, text, "the study", message)) {
        simtx_config_free(c);
        c = NULL;
    }
    words_free(&set);
    free(names);
    free(text);
    return c;
}

void study_point_print(const struct study *s, const struct study_point *p, FILE *f)
{
    const char *separator = "";
    for (uint32_t a = 0; a < s->naxes; a++) {
        const struct study_axis *axis = &s->axis[a];
        bool named = axis->kind != STUDY_PROGRAM && axis->kind != STUDY_CONFIG;
        if (axis->kind != STUDY_PROGRAM && !axis->listed)
            continue;
        fprintf(f, "%s%s%s%s", separator, named ? axis->name : "", named ? "=" : "", value_at(s, p, a));
        separator = "  ";
    }
}
