/*
 * The table of results: a row for each point, in the order of the grid. Columns: the run's name and state, the values
 * of the listed axes, and the statistics that the study names. It contains nothing about hosts or times, so that the
 * same study gives the same table wherever it runs.
 */
#include "frontend/sweep/study.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "frontend/session/atomic_file.h"

static const char *const states[] = { "not run", "not run", "done", "failed" };

static bool is_shown(const struct study_axis *a)
{
    return a->kind == STUDY_PROGRAM || a->kind == STUDY_CONFIG || a->listed;
}

/* A figure as an integer when it is one. */
static json_t *figure_json(double x)
{
    if (isnan(x) || isinf(x))
        return json_null();
    return x == floor(x) && fabs(x) < 9e15 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *figures_json(const struct study_grid *g, const struct batch_run *run)
{
    const struct study *s = g->study;
    json_t *figures = json_object(), *stats = run->state == BATCH_DONE ? batch_stats(&g->batch, run) : NULL;
    char *log = batch_path(&g->batch, run, "log");
    for (uint32_t i = 0; i < s->ncolumns; i++)
        json_object_set_new(figures, s->column[i], stats ? figure_json(batch_value(stats, log, s->column[i]))
                                                         : json_null());
    json_decref(stats);
    free(log);
    return figures;
}

static json_t *text_json(const char *text)
{
    char *clean = utf8_clean(text);
    json_t *v = json_string(clean);
    free(clean);
    return v;
}

static json_t *row_json(const struct study_grid *g, const struct study_point *p)
{
    const struct batch_run *run = &g->batch.runs[p->run];
    json_t *values = json_object(), *row;
    for (uint32_t a = 0; a < g->study->naxes; a++)
        if (is_shown(&g->study->axis[a]))
            json_object_set_new(values, g->study->axis[a].name, text_json(g->study->axis[a].value[p->at[a]]));
    row = json_pack("{s:s, s:s, s:o, s:o}", "run", run->name, "state", states[run->state], "values", values,
                    "figures", figures_json(g, run));
    if (run->state == BATCH_FAILED)
        json_object_set_new(row, "message", text_json(run->error));
    return row;
}

/* ---- CSV ---- */

/* In quotes when it contains a comma or quotes (RFC 4180). */
static void csv_text(const char *text, FILE *f)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', f);
}

static void csv_value(const json_t *v, FILE *f)
{
    fputc(',', f);
    if (json_is_string(v))
        csv_text(json_string_value(v), f);
    else if (json_is_integer(v))
        fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v))
        fprintf(f, "%.12g", json_real_value(v));
}

static void csv_head(const struct study *s, FILE *f)
{
    fputs("run,state", f);
    for (uint32_t a = 0; a < s->naxes; a++)
        if (is_shown(&s->axis[a]))
            fprintf(f, ",%s", s->axis[a].name);
    for (uint32_t i = 0; i < s->ncolumns; i++) {
        fputc(',', f);
        csv_text(s->column[i], f);
    }
    fputc('\n', f);
}

static void csv_row(const json_t *row, FILE *f)
{
    const char *name;
    json_t *v;
    fprintf(f, "%s,%s", json_string_value(json_object_get(row, "run")),
            json_string_value(json_object_get(row, "state")));
    json_object_foreach(json_object_get(row, "values"), name, v)
        csv_value(v, f);
    json_object_foreach(json_object_get(row, "figures"), name, v)
        csv_value(v, f);
    fputc('\n', f);
}

static void write_csv(const struct study *s, const json_t *rows, FILE *f)
{
    csv_head(s, f);
    for (size_t i = 0; i < json_array_size(rows); i++)
        csv_row(json_array_get(rows, i), f);
}

/* ---- the files ---- */

static void write_json(const struct study *s, const json_t *rows, FILE *f)
{
    json_t *root = json_pack("{s:s, s:s, s:O}", "simtx", SIMTX_VERSION, "study", s->name, "rows", rows);
    json_dumpf(root, f, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', f);
    json_decref(root);
}

static bool write_one(const struct study_grid *g, const char *name, const json_t *rows,
                      void (*write)(const struct study *s, const json_t *rows, FILE *f))
{
    char *path = mem_format("%s/%s", g->batch.folder, name);
    struct atomic_file r;
    bool ok = atomic_file_open(&r, path);
    if (ok) {
        write(g->study, rows, r.file);
        ok = atomic_file_close(&r, true);
    }
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %s\n", g->batch.command, path, strerror(errno));
    free(path);
    return ok;
}

bool study_table_write(const struct study_grid *g)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < g->npoints; i++)
        json_array_append_new(rows, row_json(g, &g->point[i]));
    bool ok = write_one(g, "results.csv", rows, write_csv);
    ok &= write_one(g, "results.json", rows, write_json);
    json_decref(rows);
    return ok;
}
