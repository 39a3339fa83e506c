/* Tables: the figures of each line; all runs of a sweep. */
#include "frontend/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/page/page.h"
#include "frontend/report/compare.h"

/* Run, line and name of a figure are attributes of its cell. */
static void figure_cell(const struct report_line *l, enum stat s, FILE *f)
{
    fprintf(f, "<td class=\"number\" data-run=\"%u\" data-line=\"", l->number);
    page_text(f, l->name);
    fprintf(f, "\" data-name=\"%s\">", stat_table[s].name);
    page_number(f, report_value(l, s));
    fputs("</td>", f);
}

static void figure_head(enum stat s, FILE *f)
{
    fputs("<th title=\"", f);
    page_text(f, stat_table[s].meaning);
    fputs("\">", f);
    page_text(f, stat_table[s].name);
    if (*stat_table[s].unit)
        fprintf(f, "<br/><span class=\"soft\">%s</span>", stat_table[s].unit);
    fputs("</th>", f);
}

void report_table(const struct report_lines *l, const enum stat *figure, int n, FILE *f)
{
    page_table_begin(f, NULL);
    fputs("<tr><th></th>", f);
    for (int i = 0; i < n; i++)
        if (report_any(l, figure[i]))
            figure_head(figure[i], f);
    fputs("</tr>\n", f);
    for (uint32_t k = 0; k < l->n; k++) {
        fputs("<tr>", f);
        page_head(f, l->line[k].label);
        for (int i = 0; i < n; i++)
            if (report_any(l, figure[i]))
                figure_cell(&l->line[k], figure[i], f);
        fputs("</tr>\n", f);
    }
    page_table_end(f);
}

/* ---- all runs ---- */

enum { KEYS = 12 };

/* Names of configuration keys in which runs differ from the first one. many: there are more than KEYS. */
struct keys { char *name[KEYS]; int n; bool many; };

static void add_key(struct keys *k, const char *name)
{
    for (int i = 0; i < k->n; i++)
        if (!strcmp(k->name[i], name))
            return;
    k->many |= k->n == KEYS;
    if (k->n < KEYS)
        k->name[k->n++] = mem_string(name);
}

static struct keys keys_that_differ(const struct report *r)
{
    struct keys k = { .n = 0 };
    if (r->n == 2)                       /* report_differences shows them */
        return k;
    for (uint32_t i = 1; i < r->n; i++) {
        struct comparison c = { 0 };
        compare_trees(&c, "", json_object_get(r->run[0].root, "config"), json_object_get(r->run[i].root, "config"));
        for (uint32_t j = 0; j < c.n; j++)
            add_key(&k, c.figure[j].name);
        compare_free(&c);
    }
    return k;
}

static void key_cell(const struct report_run *run, const char *key, FILE *f)
{
    char *text = report_json_text(json_object_get(json_object_get(run->root, "config"), key));
    page_words(f, text);
    free(text);
}

static const enum stat FIGURES[] = { STAT_CYCLES, STAT_IPC, STAT_OCCUPANCY, STAT_DRAM_USE, STAT_TX_COMMITS,
                                     STAT_TX_ABORTS, STAT_ENERGY_TOTAL, STAT_WARP_INSTRUCTIONS };
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

static bool has_figure(const struct report *r, enum stat s)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (stats_value(report_total(&r->run[i])->counters->count, s, r->run[i].warp_size) != 0)
            return true;
    return false;
}

static void run_row(const struct report *r, uint32_t i, const struct keys *k, FILE *f)
{
    const struct report_run *run = &r->run[i];
    struct report_line l = { .run = run, .number = i, .name = "total", .counters = report_total(run)->counters };
    fputs("<tr>", f);
    page_head(f, run->name);
    for (int j = 0; j < FIGURE_COUNT; j++)
        if (has_figure(r, FIGURES[j]))
            figure_cell(&l, FIGURES[j], f);
    for (int j = 0; j < k->n && !k->many; j++)
        key_cell(run, k->name[j], f);
    fputs("</tr>\n", f);
}

void report_runs(const struct report *r, FILE *f)
{
    struct keys k = keys_that_differ(r);
    page_table_begin(f, NULL);
    fputs("<tr><th>run</th>", f);
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (has_figure(r, FIGURES[i]))
            figure_head(FIGURES[i], f);
    for (int i = 0; i < k.n && !k.many; i++)
        page_head(f, k.name[i]);
    fputs("</tr>\n", f);
    for (uint32_t i = 0; i < r->n; i++)
        run_row(r, i, &k, f);
    page_table_end(f);
    for (int i = 0; i < k.n; i++)
        free(k.name[i]);
}
