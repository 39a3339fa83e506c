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

static bool add_folder(struct report *r, const char *path, char *error, size_t size)
{
    struct dirent **entry;
    char file[PATH_MAX], skipped[500];
    uint32_t before = r->n;
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
