/* A file of --stats as the table for people: the launches of a kernel are added up again. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
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

static void read_row(const json_t *o, struct stats_row *row)
{
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        const json_t *v = find(t->place & STAT_OF_HOST ? json_object_get(o, "host") : o, t->name);
        if (t->kind == STAT_KIND_COUNT)
            row->v[i].count = (uint64_t)json_integer_value(v);
        else if (t->kind == STAT_KIND_REAL)
            row->v[i].real = json_number_value(v);
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

static struct stats_line *read_line(const json_t *o, const char *name)
{
    struct stats_line *l = mem_zero(1, sizeof *l, "the table of statistics");
    const json_t *h = json_object_get(o, "histograms");
    l->name = name;
    l->timed = h != NULL;
    read_row(o, &l->row);
    read_histograms(h, &l->hists);
    return l;
}

/* The line of the launch's kernel, behind the others when it is new. */
static struct stats_line *line_of(struct stats_line *lines, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp(lines[i].name, name))
            return &lines[i];
    lines[*n].name = name;
    return &lines[(*n)++];
}

static char *text_of(const json_t *root, unsigned warp_size)
{
    const json_t *kernels = json_object_get(root, "kernels"), *launch;
    struct stats_line *lines = mem_zero(json_array_size(kernels) + 1, sizeof *lines, "the table of statistics");
    size_t n = 0, i;
    json_array_foreach(kernels, i, launch) {
        const char *name = json_string_value(json_object_get(launch, stat_table[STAT_NAME].name));
        struct stats_line *one = read_line(launch, name), *sum = line_of(lines, &n, name ? name : "?");
        one->row.v[STAT_LAUNCHES].count = 1;
        stats_add(&sum->row, &one->row);
        hists_merge(&sum->hists, &one->hists);
        sum->timed |= one->timed;
        free(one);
    }
    for (i = 0; i < n; i++)
        stats_ratios(&lines[i].row, warp_size);
    struct stats_line *total = read_line(json_object_get(root, "total"), "total");
    lines[n] = *total;
    free(total);
    char *text = stats_text(lines, n + 1, json_string_value(json_object_get(root, "memory_hash")));
    free(lines);
    return text;
}

char *stats_file_text(const char *path, char *error, size_t size)
{
    json_error_t e;
    json_t *root = json_load_file(path, 0, &e);
    const json_t *warp = json_object_get(json_object_get(root, "config"), "gpu.warp_size");
    char *text = NULL;
    if (!root && e.line < 1)
        snprintf(error, size, "%s: %s", path, strerror(errno));
    else if (!root)
        snprintf(error, size, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    else if (!json_is_object(json_object_get(root, "total")) || json_integer_value(warp) < 1)
        snprintf(error, size, "%s: no statistics of simtx: \"total\" or \"config\" is missing", path);
    else
        text = text_of(root, (unsigned)json_integer_value(warp));
    json_decref(root);
    return text;
}
