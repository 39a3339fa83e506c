/*
 * Values of expressions over the statistics of a grid's runs. A name is, in this order,
 *   cost.NAME         bytes of a structure in the current configuration (frontend/cli/cost.h);
 *   option.NAME       the number after --NAME among the benchmark's options;
 *   a DERIVED row of the paper;
 *   a statistic       of the run of the current benchmark on the current configuration (paper_stats.c).
 */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cli/cost.h"

__attribute__((format(printf, 2, 3))) static double missing(struct paper_values *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!v->missing[0])
        vsnprintf(v->missing, sizeof v->missing, fmt, ap);
    va_end(ap);
    return NAN;
}

static const char *label_of(const struct paper *p, int config)
{
    return config >= 0 ? p->configs[config].id : "no configuration";
}

/* The current configuration, or that which the reading takes in its place; -1: none. */
static int current(const struct paper_values *v, const struct expr_env *e)
{
    const struct paper *p = v->grid->paper;
    const char *id = e->config >= 0 ? p->configs[e->config].id : NULL;
    for (const char *at = id ? v->instead : NULL; at && *at; at += *at == ';') {
        size_t n = strcspn(at, "="), end = strcspn(at, ";");
        if (n == strlen(id) && !strncmp(at, id, n)) {
            char other[40];
            snprintf(other, sizeof other, "%.*s", (int)(end - n - 1), at + n + 1);
            return paper_config_find(p, other);
        }
        at += end;
    }
    return e->config;
}

/* The first run of a benchmark and configuration that has no statistics; NULL: all have. */
static const struct paper_run *without_stats(const struct paper_grid *g, const struct paper_run *first)
{
    for (int i = 0; i < paper_grid_repeats(g); i++)
        if (!first[i].stats)
            return &first[i];
    return NULL;
}

static double missing_run(struct paper_values *v, const struct paper_run *run)
{
    const struct paper *p = v->grid->paper;
    char seed[24] = "";
    if (run->seed)
        snprintf(seed, sizeof seed, ", seed %d", run->seed);
    return missing(v, "%s: %s with %s%s", run->process->state == BATCH_FAILED ? "failed" : "not run",
                   p->benches[run->bench].name, label_of(p, run->config), seed);
}

static double run_value(struct paper_values *v, const struct expr_env *e, const char *name)
{
    const struct paper *p = v->grid->paper;
    int config = current(v, e);
    v->sources |= paper_stat_source(name);
    if (e->bench < 0 || config < 0)
        return missing(v, "%s: of which run?", name);
    struct paper_run *run = paper_grid_find(v->grid, e->bench, config);
    if (!run)
        return missing(v, "not run at this size: %s with %s", p->benches[e->bench].name, label_of(p, config));
    for (int i = 0; i < paper_grid_repeats(v->grid); i++)
        run[i].process->wanted |= v->want;
    const struct paper_run *none = without_stats(v->grid, run);
    if (none)
        return missing_run(v, none);
    double value = paper_stat(v->grid, run, name);
    return isnan(value) ? missing(v, "%s has no %s", run->process->name, name) : value;
}

static const simtx_config *current_config(struct paper_values *v, const struct expr_env *e)
{
    int config = current(v, e);
    const simtx_config *c = config >= 0 ? v->grid->resolved[config] : NULL;
    v->sources |= PAPER_SOURCE_CONFIG;
    if (!c)
        missing(v, "%s cannot be configured", label_of(v->grid->paper, config));
    return c;
}

static double cost_value(struct paper_values *v, const struct expr_env *e, const char *structure)
{
    const simtx_config *c = current_config(v, e);
    double bytes = c ? cost_bytes(c, structure) : NAN;
    return c && isnan(bytes) ? missing(v, "%s: %s has no bounded size", label_of(v->grid->paper, e->config), structure)
                             : bytes;
}

static double option_value(struct paper_values *v, const struct expr_env *e, const char *option)
{
    char word[64];
    snprintf(word, sizeof word, "--%s ", option);
    const char *at = e->bench >= 0 ? strstr(v->grid->paper->benches[e->bench].options, word) : NULL;
    v->sources |= PAPER_SOURCE_CONFIG;
    return at ? strtod(at + strlen(word), NULL) : missing(v, "no benchmark with the option --%s", option);
}

static double name_value(struct expr_env *e, const char *name)
{
    struct paper_values *v = e->ctx;
    const struct paper *p = v->grid->paper;
    if (!strncmp(name, "cost.", 5))
        return cost_value(v, e, name + 5);
    if (!strncmp(name, "option.", 7))
        return option_value(v, e, name + 7);
    const char *text = paper_text_find(p->derived, p->nderived, name);
    if (!text)
        return run_value(v, e, name);
    char *relations = e->relations;
    e->relations = NULL;
    double value = expr_value(e, text);
    e->relations = relations;
    return isnan(value) ? missing(v, "%s: no such events", name) : value;
}

static const char *key_text(struct expr_env *e, const char *key)
{
    struct paper_values *v = e->ctx;
    const simtx_config *c = current_config(v, e);
    const char *text = c ? simtx_config_get(c, key) : NULL;
    if (c && !text)
        missing(v, "there is no key %s", key);
    return text;
}

static int list_member(struct expr_env *e, const char *list, int i)
{
    const struct paper_values *v = e->ctx;
    return paper_member(v->grid->paper, list, i, &e->bench, &e->config);
}

static bool select_config(struct expr_env *e, const char *config)
{
    const struct paper_values *v = e->ctx;
    e->config = paper_config_find(v->grid->paper, config);
    return e->config >= 0;
}

double paper_value(struct paper_values *v, const char *expr, int bench, int config, const char **error)
{
    static _Thread_local char text[160];
    struct expr_env e = { .ctx = v, .bench = bench, .config = config, .name = name_value, .key = key_text,
                          .member = list_member, .select = select_config, .relations = v->relations,
                          .relations_size = sizeof v->relations };
    v->relations[0] = 0;
    double value = expr_value(&e, expr);
    snprintf(text, sizeof text, "%s", e.error);
    *error = text[0] ? text : NULL;
    if (isnan(value))
        missing(v, "%s", text[0] ? text : "nothing to divide by");
    return value;
}
