/*
 * The statistics of one run (runs/KEY.json) and what its program printed (runs/KEY.log), by name:
 *   printed.WORD      the number, or size, before that word in what the program printed;
 *   observed.WORD     the same, of something that the program's threads measured or saw;
 *   h.NAME.MEMBER     n, mean or max of a histogram, or belowN: the share of values below N, a power of two;
 *   NAME              a statistic of the run's total, or else the largest of any of its launches (of a size, the
 *                     product of its numbers).
 */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "frontend/cli/cmd.h"

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
    char *text = cmd_read_file(path, &size), *at = text;
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

double paper_stat(const struct paper_grid *g, const struct paper_run *run, const char *name)
{
    const json_t *total = json_object_get(run->stats, "total");
    if (!strncmp(name, "h.", 2))
        return histogram(total, name + 2);
    if (!strncmp(name, "printed.", 8))
        return printed(g, run, name + 8);
    if (!strncmp(name, "observed.", 9))
        return printed(g, run, name + 9);
    double v = number(nested(total, name));
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

enum paper_source paper_stat_source(const char *name)
{
    return !strncmp(name, "printed.", 8) || is_of_launch(name) ? PAPER_SOURCE_PROGRAM : PAPER_SOURCE_RUN;
}
