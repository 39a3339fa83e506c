/*
 * The lines of a report. Of one run: its kernels with the most cycles and the total, or the total alone if there is one
 * kernel. Of two runs: the same, each beside that of the other run. Of more: the totals.
 */
#include "frontend/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { KERNELS = 10, TOTALS = 40 };

static void add(struct report_lines *l, const struct report *r, uint32_t run, const struct stats_line *line,
                const char *label)
{
    l->line[l->n++] = (struct report_line){ &r->run[run], run, line->name, line->counters, mem_string(label) };
}

/* Cycles; in functional mode, which has none, instructions. */
static uint64_t weight(const struct stats_line *line)
{
    const uint64_t *n = line->counters->count;
    return n[STAT_CYCLES] ? n[STAT_CYCLES] : n[STAT_WARP_INSTRUCTIONS];
}

static int by_weight(const void *a, const void *b)
{
    const struct stats_line *x = *(const struct stats_line *const *)a, *y = *(const struct stats_line *const *)b;
    uint64_t p = weight(x), q = weight(y);
    return p < q ? 1 : p > q ? -1 : strcmp(x->name, y->name);
}

/* The line of a run's kernel; NULL: it does not have the kernel. */
static const struct stats_line *find(const struct report_run *run, const char *name)
{
    for (size_t i = 0; i + 1 < run->table.n; i++)
        if (!strcmp(run->table.line[i].name, name))
            return &run->table.line[i];
    return NULL;
}

static void add_pair(struct report_lines *l, const struct report *r, const char *name, bool total)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct stats_line *line = total ? report_total(&r->run[i]) : find(&r->run[i], name);
        char *label = r->n > 1 ? mem_format("%s: %s", r->run[i].name, name) : mem_string(name);
        if (line)
            add(l, r, i, line, label);
        free(label);
    }
}

/* The kernels of all runs, those with the most cycles first; a kernel of several runs has the place of its first. */
static void add_kernels(struct report_lines *l, const struct report *r)
{
    size_t n = 0, shown = 0;
    for (uint32_t i = 0; i < r->n; i++)
        n += r->run[i].table.n - 1;
    const struct stats_line **sorted = mem_zero(n, sizeof *sorted, "the lines of a report");
    n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        for (size_t k = 0; k + 1 < r->run[i].table.n; k++)
            if (!i || !find(&r->run[0], r->run[i].table.line[k].name))
                sorted[n++] = &r->run[i].table.line[k];
    qsort(sorted, n, sizeof *sorted, by_weight);
    for (; shown < n && shown < KERNELS; shown++)
        add_pair(l, r, sorted[shown]->name, false);
    l->left_out = (uint32_t)(n - shown);
    free(sorted);
}

/* The name of the one kernel of all runs, whose line is the total; NULL: there are several. */
static const char *only_kernel(const struct report *r)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct stats_table *t = &r->run[i].table;
        if (t->n != 2 || (name && strcmp(name, t->line[0].name)))
            return NULL;
        name = t->line[0].name;
    }
    return name;
}

struct report_lines report_lines_of(const struct report *r)
{
    struct report_lines l = { 0 };
    l.line = mem_zero(2 * (KERNELS + 1) + TOTALS, sizeof *l.line, "the lines of a report");
    const char *only = r->n <= 2 ? only_kernel(r) : NULL;
    if (r->n <= 2 && !only)
        add_kernels(&l, r);
    if (r->n <= 2)
        add_pair(&l, r, only ? only : "total", true);
    for (uint32_t i = 0; r->n > 2 && i < r->n && i < TOTALS; i++)
        add(&l, r, i, report_total(&r->run[i]), r->run[i].name);
    if (r->n > TOTALS)
        l.left_out = r->n - TOTALS;
    return l;
}

void report_lines_free(struct report_lines *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->line[i].label);
    free(l->line);
}

double report_value(const struct report_line *l, enum stat s)
{
    return stats_value(l->counters->count, s, l->run->warp_size);
}

bool report_any(const struct report_lines *l, enum stat s)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (report_value(&l->line[i], s) != 0)
            return true;
    return false;
}
