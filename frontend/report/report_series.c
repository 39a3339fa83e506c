/* Reads the columns of a time series that pages show (timing/machine/series.h has the format). */
#include "frontend/report/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

enum { COLUMN_CYCLES = REPORT_COLUMNS, COLUMNS_READ };

static const char *const NAMES[COLUMNS_READ] = {
    [REPORT_OCCUPANCY] = "occupancy", [REPORT_IPC] = "ipc", [REPORT_DRAM] = "dram.utilisation",
    [COLUMN_CYCLES] = "machine_cycles"
};

static bool find_columns(char *head, int place[COLUMNS_READ])
{
    char *name;
    for (int i = 0; i < COLUMNS_READ; i++)
        place[i] = -1;
    for (int n = 0; (name = strsep(&head, ",")); n++)
        for (int i = 0; i < COLUMNS_READ; i++)
            if (!strcmp(name, NAMES[i]))
                place[i] = n;
    for (int i = 0; i < COLUMNS_READ; i++)
        if (place[i] < 0)
            return false;
    return true;
}

static void add_row(struct report_series *s, char *row, const int place[COLUMNS_READ])
{
    const struct report_window *last = s->n ? &s->window[s->n - 1] : NULL;
    struct report_window w = { .from = last ? last->from + last->cycles : 0 };
    char *field;
    for (int n = 0; (field = strsep(&row, ",")); n++)
        for (int i = 0; i < COLUMNS_READ; i++)
            if (place[i] == n)
                *(i == COLUMN_CYCLES ? &w.cycles : &w.value[i]) = strtod(field, NULL);
    if (!(w.cycles > 0) || !isfinite(w.cycles))
        return;
    for (int i = 0; i < REPORT_COLUMNS; i++)
        w.value[i] = isfinite(w.value[i]) ? w.value[i] : 0;
    s->window = mem_grow(s->window, s->n, &s->cap, sizeof *s->window, "a time series");
    s->window[s->n++] = w;
}

static bool read_rows(struct report_series *s, FILE *f)
{
    char *line = NULL;
    size_t cap = 0;
    int place[COLUMNS_READ];
    bool ok = getline(&line, &cap, f) > 0;
    if (ok) {
        line[strcspn(line, "\n")] = 0;
        ok = find_columns(line, place);
    }
    while (ok && getline(&line, &cap, f) > 0)
        add_row(s, line, place);
    free(line);
    return ok;
}

/* The file that the statistics name: beside them, or else as it is. */
static bool find_file(const struct report_run *run, char path[PATH_MAX])
{
    const json_t *host = json_object_get(run->root, "host");
    const char *name = json_string_value(json_object_get(host, "stats.window_file")), *slash = strrchr(run->path, '/');
    if (!name || json_integer_value(json_object_get(host, "stats.window")) <= 0)
        return false;
    const char *base = strrchr(name, '/');
    snprintf(path, PATH_MAX, "%.*s%s", slash ? (int)(slash + 1 - run->path) : 0, run->path, base ? base + 1 : name);
    if (!access(path, R_OK))
        return true;
    snprintf(path, PATH_MAX, "%s", name);
    return !access(path, R_OK);
}

bool report_read_series(struct report_run *run, const char *file, char *error, size_t size)
{
    char path[PATH_MAX];
    if (!file && !find_file(run, path))
        return true;
    FILE *f = fopen(file ? file : path, "r");
    if (!f) {
        snprintf(error, size, "%s: %s", file ? file : path, strerror(errno));
        return false;
    }
    bool ok = read_rows(&run->series, f);
    if (!ok)
        snprintf(error, size, "%s: not a time series of simtx", file ? file : path);
    fclose(f);
    return ok;
}
