/* Reads a statistics file: sums the launches of each kernel; prints it as a table. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/lib/stats_text.h"

/* "a.b": "b" in the object "a". */
static const json_t *find(const json_t *o, const char *name)
{
    const char *dot;
    for (; (dot = strchr(name, '.')); name = dot + 1) {
        char part[64];
        snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        o = json_object_get(o, part);
    }
    return json_object_get(o, name);
}

static struct stats_table table_new(size_t lines)
{
    struct stats_table t = { .n = 0 };
    t.line = mem_zero(lines, sizeof *t.line, "the table of statistics");
    t.counters = mem_zero(lines, sizeof *t.counters, "the table of statistics");
    return t;
}

void stats_table_free(struct stats_table *t)
{
    free(t->line);
    free(t->counters);
}

/* The line with this name; appends one when there is none. */
static size_t line_of(struct stats_table *t, const char *name)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->line[i].name, name))
        i++;
    if (i == t->n)
        t->line[t->n++] = (struct stats_line){ .name = name, .counters = &t->counters[i] };
    return i;
}

static void read_figures(const json_t *o, uint64_t *count)
{
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        const json_t *v = find(t->place & STAT_OF_HOST ? json_object_get(o, "host") : o, t->name);
        if (t->kind == STAT_KIND_COUNT)
            count[i] = (uint64_t)json_integer_value(v);
        else if (t->kind == STAT_KIND_TIME)
            count[i] = (uint64_t)(json_number_value(v) * 1e9 + 0.5);
        else if (t->kind == STAT_KIND_MILLI)
            count[i] = (uint64_t)(json_number_value(v) * 1e3 + 0.5);
    }
}

static void read_histograms(const json_t *o, struct hists *hists)
{
    for (int i = 0; i < HIST_COUNT; i++) {
        const json_t *h = find(o, hist_table[i].name), *buckets = json_object_get(h, "buckets");
        struct hist *to = &hists->h[i];
        to->n = (uint64_t)json_integer_value(json_object_get(h, "n"));
        to->max = (uint64_t)json_integer_value(json_object_get(h, "max"));
        to->sum = (uint64_t)((double)to->n * json_number_value(json_object_get(h, "mean")) + 0.5);
        for (size_t b = 0; b < HIST_BUCKETS && b < json_array_size(buckets); b++)
            to->bucket[b] = (uint64_t)json_integer_value(json_array_get(buckets, b));
    }
}

/* A launch or total without a sample takes its cycles. */
static struct stats_sample read_sample(const json_t *o)
{
    const json_t *s = json_object_get(o, "sample");
    double cycles = json_number_value(json_object_get(s ? s : o, "cycles"));
    double error = json_number_value(json_object_get(s, "error")) * cycles;
    return (struct stats_sample){ .launches = (uint64_t)json_integer_value(json_object_get(s, "launches")),
                                  .blocks = (uint64_t)json_integer_value(json_object_get(s, "blocks")),
                                  .of = (uint64_t)json_integer_value(json_object_get(s, "of")),
                                  .cycles = cycles, .variance = error * error };
}

/* Adds an object's figures to a line. */
static void add_line(struct stats_table *t, size_t line, const json_t *o, bool launch)
{
    struct counters c = { 0 };
    const json_t *h = json_object_get(o, "histograms");
    struct stats_sample sample = read_sample(o);
    read_figures(o, c.count);
    read_histograms(h, &c.hists);
    if (launch)
        c.count[STAT_LAUNCHES] = 1;
    counters_add(&t->counters[line], &c);
    t->line[line].timed |= h != NULL;
    stats_sample_add(&t->line[line].sample, &sample);
}

struct stats_table stats_table_of(const json_t *root)
{
    const json_t *kernels = json_object_get(root, "kernels"), *launch;
    struct stats_table t = table_new(json_array_size(kernels) + 1);
    size_t i;
    json_array_foreach(kernels, i, launch) {
        const char *name = json_string_value(json_object_get(launch, stat_table[STAT_NAME].name));
        add_line(&t, line_of(&t, name ? name : "?"), launch, true);
    }
    i = t.n++;
    t.line[i] = (struct stats_line){ .name = "total", .counters = &t.counters[i] };
    add_line(&t, i, json_object_get(root, "total"), false);
    return t;
}

unsigned stats_file_warp_size(const json_t *root)
{
    return (unsigned)json_integer_value(json_object_get(json_object_get(root, "config"), "gpu.warp_size"));
}

json_t *stats_file_load(const char *path, char *error, size_t size)
{
    json_error_t e;
    size_t bytes;
    char *text = file_read(path, &bytes);
    json_t *root = text ? json_loadb(text, bytes, 0, &e) : NULL;
    if (!text)
        snprintf(error, size, "%s: %s", path, strerror(errno));
    else if (!root)
        snprintf(error, size, "%s:%d:%d: not a statistics file of simtx: %s", path, e.line, e.column, e.text);
    else if (!json_is_object(json_object_get(root, "total")) || stats_file_warp_size(root) < 1) {
        snprintf(error, size, "%s: not a statistics file of simtx: \"total\" or \"config\" is missing", path);
        json_decref(root);
        root = NULL;
    }
    free(text);
    return root;
}

char *stats_file_text(const char *path, char *error, size_t size)
{
    json_t *root = stats_file_load(path, error, size);
    if (!root)
        return NULL;
    struct stats_table t = stats_table_of(root);
    char *text = stats_text(t.line, t.n, stats_file_warp_size(root),
                            json_string_value(json_object_get(root, "memory_hash")));
    stats_table_free(&t);
    json_decref(root);
    return text;
}
