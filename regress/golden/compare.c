/* Runs against tables. A row passes when every cell is the same; what differs is shown in columns: golden, now, per
 * cent. */
#include "regress/golden/golden.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *table_path(const struct suite *s, const struct table *t)
{
    return format("%s/tables/%s.txt", s->dir, t->name);
}

/* ---- differences ---- */

static void show(const struct table *t, const char *program, const char *figure, const char *golden, const char *now,
                 const char *per_cent)
{
    static bool headed;
    if (!headed)
        printf("%-24s %-20s %-12s %16s %16s %9s\n", "table", "program", "figure", "golden", "now", "per cent");
    headed = true;
    printf("%-24s %-20s %-12s %16s %16s %9s\n", t->name, program, figure, golden, now, per_cent);
}

static void say(const struct table *t, const char *program, const char *what)
{
    printf("%-24s %-20s %s\n", t->name, program, what);
}

static void show_figure(const struct table *t, const struct run *r, int column, const char *golden)
{
    char per_cent[32] = "";
    const char *now = r->cell[column];
    double before = strtod(golden, NULL), after = strtod(now, NULL);
    if (column >= FIXED_COLUMNS && before != 0)
        snprintf(per_cent, sizeof per_cent, "%+.2f", 100 * (after - before) / before);
    show(t, r->program->name, t->column[column], golden, now, per_cent);
}

static bool same_cells(const struct table *t, const struct grid *g, int row, const struct run *r)
{
    bool same = true;
    for (int i = 0; i < t->columns; i++) {
        int column = grid_column(g, t->column[i]);
        if (column < 0 || !strcmp(grid_at(g, row, column), r->cell[i]))
            continue;
        same = false;
        show_figure(t, r, i, grid_at(g, row, column));
    }
    return same;
}

static bool same_row(const struct table *t, const struct grid *g, const struct run *r)
{
    int row = grid_row(g, r->program->name);
    const char *problem = r->error ? r->error : row < 0 ? "has no row in the table" : NULL;
    if (problem)
        say(t, r->program->name, problem);
    return !problem && same_cells(t, g, row, r);
}

/* ---- figures and rows that only one side has ---- */

static bool listed(const struct table *t, const char *column)
{
    for (int i = 0; i < t->columns; i++)
        if (!strcmp(t->column[i], column))
            return true;
    return false;
}

static void compare_columns(const struct table *t, const struct grid *g, struct counts *counts)
{
    for (int i = 0; i < t->columns; i++)
        if (grid_column(g, t->column[i]) < 0) {
            show(t, "", t->column[i], "not in table", "in figures.txt", "");
            counts->failed++;
        }
    for (int i = 0; i < g->columns; i++)
        if (!listed(t, grid_at(g, 0, i))) {
            show(t, "", grid_at(g, 0, i), "in table", "not in figures", "");
            counts->failed++;
        }
}

static bool wanted(const struct suite *s, const struct table *t, const char *program)
{
    for (int i = 0; i < s->nprograms; i++)
        if (!strcmp(s->programs[i].name, program))
            return suite_wants(s, t, &s->programs[i]);
    return false;
}

static void compare_rows(const struct suite *s, const struct table *t, const struct grid *g, struct counts *counts)
{
    for (int i = 1; i < g->rows; i++)
        if (!wanted(s, t, grid_at(g, i, 0))) {
            say(t, grid_at(g, i, 0), "has a row in the table, but the lists do not run it there");
            counts->failed++;
        }
}

void compare_table(const struct suite *s, const struct table *t, const struct run *runs, int n, struct counts *counts)
{
    struct grid g;
    if (grid_read(&g, table_path(s, t), ' '))
        compare_columns(t, &g, counts);
    compare_rows(s, t, &g, counts);
    for (int i = 0; i < n; i++)
        *(same_row(t, &g, &runs[i]) ? &counts->passed : &counts->failed) += 1;
}

/* ---- tables written anew ---- */

/* A row of the new table: a run's, or one that stays. */
static const char *new_cell(const struct table *t, const struct grid *old, int row, const struct run *r, int column)
{
    if (r)
        return r->cell[column];
    int from = grid_column(old, t->column[column]);
    return from < 0 ? "none" : grid_at(old, row, from);
}

static const struct run *run_of(const struct run *runs, int n, const char *program)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(runs[i].program->name, program))
            return &runs[i];
    return NULL;
}

/* The rows in the order of programs.txt. */
static void fill(const struct suite *s, const struct table *t, const struct grid *old, const struct run *runs, int n,
                 struct grid *out)
{
    out->columns = t->columns;
    out->rows = 1;
    out->cell = keep((size_t)(s->nprograms + 1) * (size_t)t->columns * sizeof *out->cell);
    memcpy(out->cell, t->column, (size_t)t->columns * sizeof *out->cell);
    for (int i = 0; i < s->nprograms; i++) {
        const char *name = s->programs[i].name;
        const struct run *r = run_of(runs, n, name);
        int row = grid_row(old, name);
        if (!suite_wants(s, t, &s->programs[i]) || (!r && row < 0))
            continue;
        for (int c = 0; c < t->columns; c++)
            out->cell[out->rows * t->columns + c] = new_cell(t, old, row, r, c);
        out->rows++;
    }
}

static void print_aligned(FILE *f, const struct grid *g)
{
    for (int row = 0; row < g->rows; row++) {
        for (int c = 0; c < g->columns; c++) {
            size_t width = 0;
            for (int i = 0; i < g->rows; i++)
                width = strlen(grid_at(g, i, c)) > width ? strlen(grid_at(g, i, c)) : width;
            fprintf(f, c ? " %*s" : "%-*s", (int)width, grid_at(g, row, c));
        }
        fputc('\n', f);
    }
}

static bool all_ran(const struct run *runs, int n)
{
    for (int i = 0; i < n; i++)
        if (runs[i].error)
            return false;
    return true;
}

bool write_table(const struct suite *s, const struct table *t, const struct run *runs, int n)
{
    struct grid old, new;
    char *path = table_path(s, t);
    if (!all_ran(runs, n))
        return false;
    grid_read(&old, path, ' ');
    fill(s, t, &old, runs, n, &new);
    FILE *f = fopen(path, "w");
    if (!f)
        die("%s: %s", path, strerror(errno));
    fprintf(f, "# %s (make golden-accept writes this file)\n", t->options);
    print_aligned(f, &new);
    if (fclose(f))
        die("%s: %s", path, strerror(errno));
    return true;
}
