/*
 * Pictures of a paper's charts: bars in groups, stacked bars, lines. A published value is an outlined bar over the
 * simulated one, or a ring on a line.
 */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/page/page.h"

enum { WIDTH = 1000, PLOT = 310, LEFT = 70, RIGHT = WIDTH - 20, TOP = 40, BOTTOM = 40, LETTER = 7, SMALL_LETTER = 6 };

struct drawing {
    const struct paper_chart *c;
    FILE *f;
    struct picture_axis axis;        /* vertical, from the bottom of the plot to its top */
};

static bool is_stack(const struct paper_chart *c)
{
    return c->figure->chart == PAPER_CHART_STACK;
}

static bool is_lines(const struct paper_chart *c)
{
    return c->figure->chart == PAPER_CHART_LINES || c->figure->chart == PAPER_CHART_CDF;
}

static void bar(const struct drawing *d, double x, double width, double from, double to, const char *style)
{
    double y0 = picture_at(&d->axis, from), y1 = picture_at(&d->axis, to);
    char value[32];
    snprintf(value, sizeof value, "%.4g", to - (d->axis.logarithmic ? 0 : from));
    picture_rect(d->f, x, fmin(y0, y1), width, fabs(y0 - y1), style, value);
}

/* ---- axis and legend ---- */

static void extend(double v, double *low, double *high)
{
    if (isnan(v))
        return;
    *high = fmax(*high, v);
    *low = v > 0 ? fmin(*low, v) : *low;
}

/* The range of what is drawn: of stacks, the sum of the parts. */
static void find_range(const struct paper_chart *c, double *low, double *high)
{
    for (int b = 0; b < c->benches; b++)
        for (int i = 0; i < c->bars; i++) {
            double sum = 0;
            for (int part = 0; part < c->parts; part++) {
                int at = paper_chart_at(c, b, i, part);
                sum += isnan(c->simulated[at]) ? 0 : c->simulated[at];
                extend(is_stack(c) ? sum : c->simulated[at], low, high);
                extend(c->published[at], low, high);
            }
        }
}

/* A logarithmic axis begins at half of the smallest value, so that no bar is longer for the sake of a power of ten, and
 * has four decades at most. */
static void make_axis(struct drawing *d, double top, double bottom)
{
    const double decades = 1e4;
    double low = INFINITY, high = 0;
    find_range(d->c, &low, &high);
    d->axis = (struct picture_axis){ .from = bottom, .to = top, .high = high > 0 ? high : 1,
                                     .logarithmic = d->c->figure->logarithmic && high > 0 };
    d->axis.low = d->axis.logarithmic ? fmax(low / 2, high / decades) : 0;
    picture_axis_round(&d->axis);
}

static bool has_published(const struct paper_chart *c)
{
    for (int i = 0; i < c->benches * c->bars * c->parts; i++)
        if (!isnan(c->published[i]))
            return true;
    return false;
}

/* The name of the i-th series, which have a colour each; NULL at the end. */
static const char *series_name(const struct paper_chart *c, int i)
{
    if (is_lines(c))
        return i < c->benches ? c->bench[i] : NULL;
    if (is_stack(c) || c->bars == 1)
        return i < c->parts ? c->part[i] : NULL;
    return i < c->bars ? c->bar[i] : NULL;
}

static int legend(const struct drawing *d, bool draw)
{
    const struct paper_chart *c = d->c;
    int n = 0;
    while (series_name(c, n))
        n++;
    const char **name = mem_zero((size_t)n, sizeof *name, "the legend of a figure");
    for (int i = 0; i < n; i++)
        name[i] = series_name(c, i);
    struct picture_legend l = { .left = LEFT, .right = RIGHT, .top = TOP, .name = name, .n = n,
                                .outline = has_published(c) ? "published" : NULL };
    int rows = picture_legend(d->f, &l, draw);
    free(name);
    return rows;
}

/* ---- bars and stacks ---- */

static double group_width(const struct paper_chart *c)
{
    return (double)(RIGHT - LEFT) / c->benches;
}

static double longest_name(const char *const *name, int n)
{
    size_t longest = 0;
    for (int i = 0; i < n; i++)
        longest = strlen(name[i]) > longest ? strlen(name[i]) : longest;
    return (double)longest;
}

/* Stacks of several configurations have the name of each below them, upright. */
static bool has_upright_bars(const struct paper_chart *c)
{
    return is_stack(c) && c->bars > 1;
}

/* Names of benchmarks stand upright where one is wider than its group of bars. */
static bool has_upright_groups(const struct paper_chart *c)
{
    return !is_lines(c) && LETTER * longest_name(c->bench, c->benches) > group_width(c);
}

static double bar_names_height(const struct paper_chart *c)
{
    return has_upright_bars(c) ? 8 + SMALL_LETTER * longest_name(c->bar, c->bars) : 0;
}

static double names_height(const struct paper_chart *c)
{
    double groups = has_upright_groups(c) ? LETTER * longest_name(c->bench, c->benches) - BOTTOM / 2.0 : 0;
    return bar_names_height(c) + fmax(groups, 0);
}

static void upright(const struct drawing *d, double x, double y, int size, const char *text)
{
    fprintf(d->f, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"end\" font-size=\"%d\">", x, y,
            size);
    page_text(d->f, text);
    fputs("</text>\n", d->f);
}

static void group_name(const struct drawing *d, double x, double y, const char *name)
{
    if (has_upright_groups(d->c))
        upright(d, x + 4, y + 8, 12, name);
    else
        picture_text(d->f, x, y + 20, PICTURE_MIDDLE, name);
}

/* One bar of a group, or one stack. */
static void draw_column(const struct drawing *d, int bench, int column, double x, double width)
{
    const struct paper_chart *c = d->c;
    bool stack = is_stack(c), by_part = c->bars == 1 && !stack;
    double base = d->axis.low;
    char style[40];
    for (int part = 0; part < (stack ? c->parts : 1); part++) {
        int at = paper_chart_at(c, bench, by_part ? 0 : column, by_part ? column : part);
        picture_fill(style, stack ? part : column);
        if (!isnan(c->simulated[at])) {
            bar(d, x, width, base, stack ? base + c->simulated[at] : c->simulated[at], style);
            base += stack ? c->simulated[at] : 0;
        }
        if (!stack && !isnan(c->published[at]))
            bar(d, x - 1, width + 2, d->axis.low, c->published[at], PICTURE_OUTLINE);
    }
}

static void bars(const struct drawing *d)
{
    const struct paper_chart *c = d->c;
    int columns = c->bars == 1 && !is_stack(c) ? c->parts : c->bars;
    double group = group_width(c), width = group * 0.8 / columns, bottom = d->axis.from;
    for (int b = 0; b < c->benches; b++) {
        double x = LEFT + group * b + group * 0.1;
        for (int i = 0; i < columns; i++) {
            draw_column(d, b, i, x + width * i, width * 0.9);
            if (has_upright_bars(c))
                upright(d, x + width * (i + 0.45) + 4, bottom + 5, 10, c->bar[i]);
        }
        group_name(d, x + group * 0.4, bottom + bar_names_height(c), c->bench[b]);
    }
}

/* ---- lines ---- */

/* Index of a benchmark's value at a point: a part of a distribution, or a configuration. */
static int line_at(const struct paper_chart *c, int bench, int point)
{
    bool over_parts = c->figure->chart == PAPER_CHART_CDF;
    return over_parts ? paper_chart_at(c, bench, 0, point) : paper_chart_at(c, bench, point, 0);
}

static void draw_line(const struct drawing *d, int bench, int points, double step)
{
    const struct paper_chart *c = d->c;
    double x0 = 0, y0 = NAN;
    char style[60], fill[40];
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2\"", picture_colour(bench));
    picture_fill(fill, bench);
    for (int i = 0; i < points; i++) {
        int at = line_at(c, bench, i);
        double x = LEFT + step * (i + 0.5), y = isnan(c->simulated[at]) ? NAN : picture_at(&d->axis, c->simulated[at]);
        if (!isnan(y) && !isnan(y0))
            picture_line(d->f, x0, y0, x, y, style);
        if (!isnan(y))
            picture_circle(d->f, x, y, 3, fill, NULL);
        if (!isnan(c->published[at]))
            picture_circle(d->f, x, picture_at(&d->axis, c->published[at]), 6, PICTURE_OUTLINE, NULL);
        x0 = x;
        y0 = y;
    }
}

/* A line for each benchmark over bars or parts. */
static void lines(const struct drawing *d)
{
    const struct paper_chart *c = d->c;
    int points = c->figure->chart == PAPER_CHART_CDF ? c->parts : c->bars;
    double step = (double)(RIGHT - LEFT) / points;
    for (int b = 0; b < c->benches; b++)
        draw_line(d, b, points, step);
    for (int i = 0; i < points; i++)
        picture_text(d->f, LEFT + step * (i + 0.5), d->axis.from + 20, PICTURE_MIDDLE " " PICTURE_SMALL,
                     c->figure->chart == PAPER_CHART_CDF ? c->part[i] : c->bar[i]);
}

void paper_chart_svg(const struct paper_chart *c, FILE *f)
{
    struct drawing d = { .c = c, .f = f };
    double top = TOP + legend(&d, false) * PICTURE_LEGEND_ROW, bottom = top + PLOT;
    make_axis(&d, top, bottom);
    picture_begin(f, WIDTH, bottom + names_height(c) + BOTTOM, c->figure->title);
    picture_text(f, LEFT, 18, "font-size=\"14\" font-weight=\"bold\"", c->figure->title);
    legend(&d, true);
    picture_axis_vertical(f, &d.axis, LEFT, RIGHT, c->figure->unit);
    if (is_lines(c))
        lines(&d);
    else
        bars(&d);
    picture_end(f);
}
