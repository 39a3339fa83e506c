/* The values of a figure, simulated and, by claims and points, published; as CSV and as a table in HTML. */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/page/page.h"

enum { CDF_PARTS = 10 };             /* up to 0, 1, 3, 7, ... words */

static int list_length(const struct paper *p, const char *list)
{
    int n = 0, bench = -1, config = -1;
    while (paper_member(p, list, n, &bench, &config) > 0)
        n++;
    return n;
}

/* A point of a distribution: up to 0, 1, 3, 7, ... words, and one in between, the second part, whose label is its
 * number of words. */
static bool cdf_point(const struct paper *p, const struct paper_figure *f, int i, char label[80], char expr[300])
{
    char histogram[300];
    bool own = paper_part(p, f->parts, 1, label, expr);
    int before = 0;
    while (own && (1 << before) - 1 < atoi(label))
        before++;
    if (own && i == before)
        return true;
    i -= own && i > before;
    if (i >= CDF_PARTS || !paper_part(p, f->parts, 0, label, histogram))
        return false;
    snprintf(label, 80, "%d", (1 << i) - 1);
    snprintf(expr, 300, "%.280s.below%d", histogram, 1 << i);
    return true;
}

/* The name and the expression of a part; false at the end. */
static bool part_at(const struct paper *p, const struct paper_figure *f, int i, char label[80], char expr[300])
{
    return f->chart == PAPER_CHART_CDF ? cdf_point(p, f, i, label, expr) : paper_part(p, f->parts, i, label, expr);
}

/* Is a published figure of this claim one of a larger run than those of the grid? */
static bool is_of_larger_run(const struct paper_grid *g, const struct paper_claim *c)
{
    int bench = -1, config = -1;
    bool reduced = false;
    for (int i = 0; paper_member(g->paper, c->benches, i, &bench, &config) > 0; i++)
        reduced |= g->paper->benches[bench].quick != NULL;
    return !(c->sizes & g->size) || (g->size == PAPER_SIZE_QUICK && c->basis == PAPER_BASIS_RUN && reduced);
}

/* A cell's value by a claim with the same expression, or else by a point; bench -1: the arithmetic mean. */
static double published_value(const struct paper_grid *g, const char *expr, int bench)
{
    const struct paper *p = g->paper;
    for (int i = 0; i < p->nclaims; i++) {
        const struct paper_claim *c = &p->claims[i];
        if (!c->expr || !c->benches || strcmp(c->expr, expr) || is_of_larger_run(g, c))
            continue;
        bool cell = bench >= 0 && c->kind == PAPER_CLAIM_VALUE && paper_in_list(p, c->benches, bench, -1);
        if (cell || (bench < 0 && c->kind == PAPER_CLAIM_ARITHMETIC))
            return c->published;
    }
    for (int i = 0; i < p->npoints && bench >= 0; i++)
        if (p->points[i].sizes & g->size && !strcmp(p->points[i].expr, expr) &&
            !strcmp(p->points[i].bench, p->benches[bench].name))
            return p->points[i].value;
    return NAN;
}

/* A row of the chart: a benchmark, or -1 for the mean, whose values are those of the rows before it. */
static void fill(const struct paper_grid *g, struct paper_chart *c, int row, int bench)
{
    const struct paper_figure *f = c->figure;
    struct paper_values v = { .grid = g };
    const char *error;
    char label[80], expr[300], cell[340];
    int other = -1, config = -1;
    for (int bar = 0; bar < c->bars; bar++) {
        if (f->bars)
            paper_member(g->paper, f->bars, bar, &other, &config);
        for (int part = 0; part_at(g->paper, f, part, label, expr); part++) {
            int at = paper_chart_at(c, row, bar, part);
            double sum = 0;
            snprintf(cell, sizeof cell, "%s%s%s", expr, f->bars ? "@" : "",
                     f->bars ? g->paper->configs[config].id : "");
            for (int r = 0; r < row; r++)
                sum += c->simulated[paper_chart_at(c, r, bar, part)];
            c->simulated[at] = bench >= 0 ? paper_value(&v, cell, bench, -1, &error) : row ? sum / row : NAN;
            c->published[at] = published_value(g, cell, bench);
        }
    }
}

static void label_parts(const struct paper *p, struct paper_chart *c)
{
    char label[80], expr[300];
    while (part_at(p, c->figure, c->parts, label, expr))
        c->parts++;
    c->part = mem_zero((size_t)c->parts, sizeof *c->part, "the parts of a figure");
    for (int i = 0; i < c->parts; i++)
        part_at(p, c->figure, i, c->part[i], expr);
}

static void label_bars(const struct paper *p, struct paper_chart *c)
{
    const char *bars = c->figure->bars;
    int bench = -1, config = -1;
    c->bars = bars ? list_length(p, bars) : 1;
    c->bar = mem_zero((size_t)c->bars, sizeof *c->bar, "the bars of a figure");
    for (int i = 0; i < c->bars; i++)
        c->bar[i] = bars && paper_member(p, bars, i, &bench, &config) > 0 ? p->configs[config].label : "";
}

struct paper_chart *paper_chart_new(const struct paper_grid *g, const struct paper_figure *f)
{
    const struct paper *p = g->paper;
    struct paper_chart *c = mem_zero(1, sizeof *c, "a figure");
    int bench = -1, config = -1, n = list_length(p, f->benches);
    c->figure = f;
    c->benches = n + f->mean;
    c->bench = mem_zero((size_t)c->benches, sizeof *c->bench, "the benchmarks of a figure");
    label_bars(p, c);
    label_parts(p, c);
    size_t cells = (size_t)(c->benches * c->bars * c->parts);
    c->simulated = mem_zero(cells, sizeof *c->simulated, "the values of a figure");
    c->published = mem_zero(cells, sizeof *c->published, "the values of a figure");
    for (int i = 0; i < n && paper_member(p, f->benches, i, &bench, &config) > 0; i++) {
        c->bench[i] = p->benches[bench].name;
        fill(g, c, i, bench);
    }
    if (f->mean) {
        c->bench[n] = "mean";
        fill(g, c, n, -1);
    }
    return c;
}

void paper_chart_free(struct paper_chart *c)
{
    free(c->bench);
    free(c->bar);
    free(c->part);
    free(c->simulated);
    free(c->published);
    free(c);
}

static void print_number(FILE *f, double v)
{
    if (!isnan(v))
        fprintf(f, "%.6g", v);
}

/* In quotes, which labels do not contain. */
void paper_chart_csv(const struct paper_chart *c, FILE *f)
{
    fputs("benchmark,configuration,figure,simulated,published\n", f);
    for (int b = 0; b < c->benches; b++)
        for (int bar = 0; bar < c->bars; bar++)
            for (int part = 0; part < c->parts; part++) {
                fprintf(f, "%s,\"%s\",\"%s\",", c->bench[b], c->bar[bar], c->part[part]);
                print_number(f, c->simulated[paper_chart_at(c, b, bar, part)]);
                fputc(',', f);
                print_number(f, c->published[paper_chart_at(c, b, bar, part)]);
                fputc('\n', f);
            }
}

static void html_cell(const struct paper_chart *c, int at, FILE *f)
{
    fputs("<td>", f);
    if (isnan(c->simulated[at]))
        fputs("&ndash;", f);
    else
        page_number(f, c->simulated[at]);
    if (!isnan(c->published[at])) {
        fputs(" <span class=\"pub\">(", f);
        page_number(f, c->published[at]);
        fputs(")</span>", f);
    }
    fputs("</td>", f);
}

void paper_chart_html(const struct paper_chart *c, FILE *f)
{
    page_table_begin(f, NULL);
    fputs("<tr><th></th>", f);
    for (int bar = 0; bar < c->bars; bar++)
        for (int part = 0; part < c->parts; part++) {
            fputs("<th>", f);
            page_text(f, c->bar[bar]);
            fputs(c->bar[bar][0] && c->parts > 1 ? ": " : "", f);
            page_text(f, c->bar[bar][0] && c->parts == 1 ? "" : c->part[part]);
            fputs("</th>", f);
        }
    fputs("</tr>\n", f);
    for (int b = 0; b < c->benches; b++) {
        fputs("<tr><th>", f);
        page_text(f, c->bench[b]);
        fputs("</th>", f);
        for (int i = 0; i < c->bars * c->parts; i++)
            html_cell(c, paper_chart_at(c, b, 0, 0) + i, f);
        fputs("</tr>\n", f);
    }
    page_table_end(f);
}
