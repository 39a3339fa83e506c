/*
 * Values of expressions over the statistics of a grid's runs. A name is one of these, in this order:
 *   a derived figure of the paper;
 *   cost.NAME         bytes of a structure in the current configuration (frontend/cli/cost.h);
 *   option.NAME       the number after --NAME among the benchmark's options;
 *   printed.WORD      the number, or size, before that word in what the program printed;
 *   h.NAME.MEMBER     n, mean or max of a histogram, or belowN: the share of values below N, a power of two;
 *   a figure of the run's total, or else the largest of any of its launches (of a size, the product of its numbers).
 * Reading a value adds its source to the `sources` of struct paper_values: PAPER_SOURCE_RUN for statistics that a run
 * counts or times; PAPER_SOURCE_PROGRAM for a launch's shape and resources, and for what the program prints.
 */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "frontend/cli/cmd.h"
#include "frontend/cli/cost.h"

/* ---- figures of one run ---- */

/* "a.b" is "b" in the object "a". */
static const json_t *nested(const json_t *o, const char *name)
{
    const char *dot;
    char part[64];
    while (o && (dot = strchr(name, '.'))) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        o = json_object_get(o, part);
        name = dot + 1;
    }
    return o ? json_object_get(o, name) : NULL;
}

static double number(const json_t *v)
{
    double product = 1;
    if (!json_is_array(v))
        return json_is_number(v) ? json_number_value(v) : NAN;
    for (size_t i = 0; i < json_array_size(v); i++)
        product *= json_number_value(json_array_get(v, i));
    return product;
}

static double histogram(const json_t *total, const char *name)
{
    char path[96] = "histograms.";
    const char *last = strrchr(name, '.');
    if (!last)
        return NAN;
    snprintf(path + strlen(path), sizeof path - strlen(path), "%.*s", (int)(last - name), name);
    const json_t *h = nested(total, path), *buckets = json_object_get(h, "buckets");
    double n = number(json_object_get(h, "n")), below = 0;
    if (strncmp(last, ".below", 6))
        return number(json_object_get(h, last + 1));
    long limit = strtol(last + 6, NULL, 10);
    for (size_t i = 0; i < json_array_size(buckets) && (1L << i) <= limit; i++)
        below += number(json_array_get(buckets, i));
    return n > 0 ? below / n : NAN;
}

static double largest_of_launches(const json_t *kernels, const char *name)
{
    double most = NAN;
    for (size_t i = 0; i < json_array_size(kernels); i++)
        most = fmax(most, number(nested(json_array_get(kernels, i), name)));
    return most;
}

/* "200 x 150 " is 30000. */
static double product_of(const char *text)
{
    char *end;
    double product = strtod(text, &end);
    while (!strncmp(end, " x ", 3))
        product *= strtod(end + 3, &end);
    return product;
}

/* The number, or size, before `word` in the run's log. */
static double printed(const struct paper_grid *g, const struct paper_run *run, const char *word)
{
    char path[PATH_MAX];
    size_t size;
    snprintf(path, sizeof path, "%s/runs/%s.log", g->out, run->key);
    char *text = read_whole_file(path, &size), *at = text;
    double value = NAN;
    while (at && isnan(value) && (at = strstr(at, word))) {
        char *digit = at;
        while (digit > text && strchr(" x0123456789", digit[-1]))
            digit--;
        digit += strspn(digit, " x");
        if (digit < at - 1 && at[-1] == ' ')
            value = product_of(digit);
        at += strlen(word);
    }
    free(text);
    return value;
}

static double of_run(const struct paper_grid *g, const struct paper_run *run, const char *name)
{
    if (!strncmp(name, "h.", 2))
        return histogram(json_object_get(run->stats, "total"), name + 2);
    if (!strncmp(name, "printed.", 8))
        return printed(g, run, name + 8);
    double v = number(nested(json_object_get(run->stats, "total"), name));
    return isnan(v) ? largest_of_launches(json_object_get(run->stats, "kernels"), name) : v;
}

/* A launch's shape and resources are known before it runs. */
static bool is_of_launch(const char *name)
{
    for (int i = 0; i < STAT_END; i++)
        if (!strcmp(stat_table[i].name, name))
            return !(stat_table[i].place & (STAT_IN_TOTAL | STAT_OF_TIMING));
    return false;
}

static enum paper_source source_of(const char *name)
{
    return !strncmp(name, "printed.", 8) || is_of_launch(name) ? PAPER_SOURCE_PROGRAM : PAPER_SOURCE_RUN;
}

/* ---- the environment of expressions ---- */

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

static double of_current_run(struct paper_values *v, const struct expr_env *e, const char *name)
{
    const struct paper *p = v->grid->paper;
    v->sources |= source_of(name);
    if (e->bench < 0 || e->config < 0)
        return missing(v, "%s: of which run?", name);
    struct paper_run *run = paper_grid_find(v->grid, e->bench, e->config);
    if (run && v->want)
        run->wanted = true;
    if (!run)
        return missing(v, "not run at this size: %s with %s", p->benches[e->bench].name, label_of(p, e->config));
    if (!run->stats)
        return missing(v, "%s: %s with %s", run->state == PAPER_RUN_FAILED ? "failed" : "not run",
                       p->benches[e->bench].name, label_of(p, e->config));
    double value = of_run(v->grid, run, name);
    return isnan(value) ? missing(v, "%s has no %s", run->key, name) : value;
}

static const simtx_config *current_config(struct paper_values *v, const struct expr_env *e)
{
    const simtx_config *c = e->config >= 0 ? v->grid->resolved[e->config] : NULL;
    v->sources |= PAPER_SOURCE_CONFIG;
    if (!c)
        missing(v, "%s cannot be configured", label_of(v->grid->paper, e->config));
    return c;
}

static double cost_of(struct paper_values *v, const struct expr_env *e, const char *structure)
{
    const simtx_config *c = current_config(v, e);
    double bytes = c ? cost_bytes(c, structure) : NAN;
    return c && isnan(bytes) ? missing(v, "%s: %s has no bounded size", label_of(v->grid->paper, e->config), structure)
                             : bytes;
}

static double option_of(struct paper_values *v, const struct expr_env *e, const char *option)
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
    const char *text = paper_text_find(p->derived, p->nderived, name);
    if (!strncmp(name, "cost.", 5))
        return cost_of(v, e, name + 5);
    if (!strncmp(name, "option.", 7))
        return option_of(v, e, name + 7);
    if (!text)
        return of_current_run(v, e, name);
    double value = expr_value(e, text);
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
                          .member = list_member, .select = select_config };
    double value = expr_value(&e, expr);
    snprintf(text, sizeof text, "%s", e.error);
    *error = text[0] ? text : NULL;
    if (isnan(value))
        missing(v, "%s", text[0] ? text : "nothing to divide by");
    return value;
}
