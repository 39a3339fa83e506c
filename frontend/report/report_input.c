/* Reads the statistics files of a report, one by one or from a folder. */
#include "frontend/report/report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/config/config.h"

char *report_json_text(const json_t *v)
{
    char *text = json_is_string(v) ? mem_string(json_string_value(v)) : v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
    return text ? text : mem_string("");
}

/* The file's name without folder and ending. */
static char *name_of(const char *path)
{
    const char *base = strrchr(path, '/'), *dot;
    base = base ? base + 1 : path;
    dot = strrchr(base, '.');
    return mem_string_n(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool add_file(struct report *r, const char *path, char *error, size_t size)
{
    json_t *root = stats_file_load(path, error, size);
    if (!root)
        return false;
    r->run = mem_grow(r->run, r->n, &r->cap, sizeof *r->run, "the runs of a report");
    r->run[r->n++] = (struct report_run){ .name = name_of(path), .path = mem_string(path), .root = root,
                                          .table = stats_table_of(root), .warp_size = stats_file_warp_size(root) };
    return true;
}

static bool is_json(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && !strcmp(name + n - 5, ".json");
}

static int json_files(const struct dirent *d)
{
    return is_json(d->d_name);
}

/* ---- the folder of a sweep: results.json names the runs, runs/RUN.json are their statistics ---- */

/* Adds the axes of `row` whose values differ from those of `other`. */
static void add_differing(json_t *varying, const json_t *row, const json_t *other)
{
    const char *axis;
    json_t *v, *values = json_object_get(other, "values");
    json_object_foreach(json_object_get(row, "values"), axis, v)
        if (!json_equal(v, json_object_get(values, axis)))
            json_object_set_new(varying, axis, json_true());
}

/* The axes that have not one value in all rows, as keys. */
static json_t *varying_axes(const json_t *rows)
{
    json_t *varying = json_object(), *first = json_array_get(rows, 0);
    for (size_t i = 1; i < json_array_size(rows); i++) {
        add_differing(varying, json_array_get(rows, i), first);
        add_differing(varying, first, json_array_get(rows, i));
    }
    return varying;
}

/* "program config NAME=VALUE ...": the values of a row's varying axes. */
static char *row_name(const json_t *varying, const json_t *row)
{
    const char *axis;
    json_t *v;
    char *name = NULL;
    json_object_foreach(json_object_get(row, "values"), axis, v) {
        bool differs = json_object_get(varying, axis);
        char *text = report_json_text(v);
        bool alone = !strcmp(axis, "program") || !strcmp(axis, "config");
        if (differs)
            mem_append(&name, "%s%s%s%s", name ? " " : "", alone ? "" : axis, alone ? "" : "=", text);
        free(text);
    }
    return name ? name : mem_string(json_string_value(json_object_get(row, "run")));
}

static void add_row(struct report *r, const char *folder, const json_t *varying, const json_t *row)
{
    const char *run = json_string_value(json_object_get(row, "run"));
    char path[PATH_MAX], skipped[500];
    snprintf(path, sizeof path, "%s/runs/%s.json", folder, run ? run : "");
    if (!run || !add_file(r, path, skipped, sizeof skipped))
        return;
    free(r->run[r->n - 1].name);
    r->run[r->n - 1].name = row_name(varying, row);
}

/* False: it is no sweep's folder. */
static bool add_sweep(struct report *r, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/results.json", folder);
    json_t *root = json_load_file(path, 0, NULL), *rows = json_object_get(root, "rows"), *row;
    json_t *varying = varying_axes(rows);
    uint32_t before = r->n;
    size_t i;
    json_array_foreach(rows, i, row)
        add_row(r, folder, varying, row);
    json_decref(varying);
    json_decref(root);
    return r->n > before;
}

static bool add_folder(struct report *r, const char *path, char *error, size_t size)
{
    struct dirent **entry;
    char file[PATH_MAX], skipped[500];
    uint32_t before = r->n;
    if (add_sweep(r, path))
        return true;
    int n = scandir(path, &entry, json_files, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(file, sizeof file, "%s/%s", path, entry[i]->d_name);
        add_file(r, file, skipped, sizeof skipped);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    if (r->n == before)
        snprintf(error, size, "%s: %s", path, n < 0 ? strerror(errno) : "no statistics file of simtx in this folder");
    return r->n > before;
}

bool report_add(struct report *r, const char *path, char *error, size_t size)
{
    DIR *folder = opendir(path);
    if (folder)
        closedir(folder);
    return folder ? add_folder(r, path, error, size) : add_file(r, path, error, size);
}

void report_free(struct report *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct report_run *run = &r->run[i];
        stats_table_free(&run->table);
        json_decref(run->root);
        free(run->series.window);
        free(run->name);
        free(run->path);
    }
    free(r->run);
}

double report_key(const struct report_run *run, const char *key)
{
    const json_t *v = json_object_get(json_object_get(run->root, "config"), key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}
