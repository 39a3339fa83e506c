/* Figures of a run by name, from its statistics and from what its program printed. */
#include "frontend/sweep/batch.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/hist.h"
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
    for (size_t i = 0; i < json_array_size(buckets) && i < 63 && (INT64_C(1) << i) <= limit; i++)
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

/* Where the number that ends before `end` begins; `end`: there is none. */
static const char *number_before(const char *text, const char *end)
{
    const char *at = end;
    while (at > text && (isdigit((unsigned char)at[-1]) || at[-1] == '.'))
        at--;
    bool negative = at < end && at > text && at[-1] == '-' && (at - 1 == text || isspace((unsigned char)at[-2]));
    return negative ? at - 1 : at;
}

/* The same for a size, "200 x 150". */
static const char *size_before(const char *text, const char *end)
{
    const char *at = number_before(text, end), *first = at;
    while (at < end && first - text > 3 && !strncmp(first - 3, " x ", 3) &&
           (first = number_before(text, first - 3)) < at - 3)
        at = first;
    return at;
}

/* The number, or size, before `word` in the file. */
static double printed(const char *log, const char *word)
{
    size_t size;
    char *text = file_read(log, &size), *at = text;
    double value = NAN;
    while (at && isnan(value) && (at = strstr(at, word))) {
        const char *end = at > text && at[-1] == ' ' ? at - 1 : text, *begin = size_before(text, end);
        if (begin < end)
            value = product_of(begin);
        at += strlen(word);
    }
    free(text);
    return value;
}

double batch_value(const json_t *stats, const char *log, const char *name)
{
    const json_t *total = json_object_get(stats, "total");
    if (!strncmp(name, "h.", 2))
        return histogram(total, name + 2);
    if (!strncmp(name, "printed.", 8))
        return printed(log, name + 8);
    if (!strncmp(name, "observed.", 9))
        return printed(log, name + 9);
    double v = number(nested(total, name));
    return isnan(v) ? largest_of_launches(json_object_get(stats, "kernels"), name) : v;
}

static bool is_power_of_two(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && n > 0 && !(n & (n - 1));
}

static bool histogram_known(const char *name)
{
    const char *last = strrchr(name, '.');
    if (!last || (strcmp(last, ".n") && strcmp(last, ".mean") && strcmp(last, ".max") &&
                  (strncmp(last, ".below", 6) || !is_power_of_two(last + 6))))
        return false;
    size_t n = (size_t)(last - name);
    for (int i = 0; i < HIST_COUNT; i++)
        if (strlen(hist_table[i].name) == n && !strncmp(hist_table[i].name, name, n))
            return true;
    return false;
}

bool batch_value_known(const char *name)
{
    if (!strncmp(name, "h.", 2))
        return histogram_known(name + 2);
    if (!strncmp(name, "printed.", 8) || !strncmp(name, "observed.", 9))
        return name[strcspn(name, ".") + 1];
    if (!strncmp(name, "host.", 5))
        name += 5;
    for (int i = 0; i < STAT_END; i++)
        if (!strcmp(stat_table[i].name, name))
            return true;
    return false;
}

const char *batch_value_nearest(const char *name)
{
    const char *names[STAT_END];
    for (int i = 0; i < STAT_END; i++)
        names[i] = stat_table[i].name;
    return diag_nearest(name, names, STAT_END);
}
