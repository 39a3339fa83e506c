/*
 * Pictures of a paper's charts: bars in groups, stacked bars, lines. A published value is an outlined bar over the
 * simulated one, or a ring on a line.
 */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1000, PLOT = 310, LEFT = 70, RIGHT = 20, TOP = 40, BOTTOM = 40, BOTTOM_STACK = 70,
    LEGEND_ROW = 18, LETTER = 8
};

static const char *const COLOURS[] = { "#3b6ea8", "#e08a3c", "#5a9e5a", "#b8474b", "#8a6bb1", "#8c6d5a", "#d187b8",
                                       "#7f7f7f", "#b5b53c", "#3fb1bd" };
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };

struct picture {
    const struct paper_chart *c;
    FILE *f;
    double low, high;                /* of the vertical axis */
    double top, bottom;              /* of the plot */
    bool logarithmic;
};

static double height_of(const struct picture *p, double v)
{
    double share = p->logarithmic ? log(fmax(v, p->low) / p->low) / log(p->high / p->low)
                                  : (v - p->low) / (p->high - p->low);
    return p->bottom - fmin(fmax(share, 0), 1) * (p->bottom - p->top);
}

static void text(const struct picture *p, double x, double y, const char *style, const char *what)
{
    fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    paper_html_text(p->f, what);
    fputs("</text>\n", p->f);
}

static void line(const struct picture *p, double x0, double y0, double x1, double y1, const char *style)
{
    fprintf(p->f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1, style);
}

static void bar(const struct picture *p, double x, double width, double from, double to, const char *style)
{
    double y0 = height_of(p, from), y1 = height_of(p, to);
    fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s>", x, fmin(y0, y1), width,
            fabs(y0 - y1), style);
    fprintf(p->f, "<title>%.4g</title></rect>\n", to - (p->logarithmic ? 0 : from));
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
static void find_range(struct picture *p)
{
    const struct paper_chart *c = p->c;
    double low = INFINITY, high = 0;
    for (int b = 0; b < c->benches; b++)
        for (int i = 0; i < c->bars; i++) {
            double sum = 0;
            for (int part = 0; part < c->parts; part++) {
                int at = paper_chart_at(c, b, i, part);
                sum += isnan(c->simulated[at]) ? 0 : c->simulated[at];
                extend(c->figure->chart == PAPER_CHART_STACK ? sum : c->simulated[at], &low, &high);
                extend(c->published[at], &low, &high);
            }
        }
    p->logarithmic = c->figure->logarithmic && high > 0;
    p->high = high > 0 ? high : 1;
    p->low = p->logarithmic ? pow(10, floor(log10(low) - 0.001)) : 0;
}

/* 1, 2 or 5 times a power of ten: about five steps. Sums of shares may be a little more than 1. */
static double nice_step(double high)
{
    double unit = pow(10, floor(log10(high / 5))), by = high / 5 / unit * (1 - 1e-9);
    return unit * (by <= 1 ? 1 : by <= 2 ? 2 : by <= 5 ? 5 : 10);
}

static void axis(struct picture *p)
{
    double step = p->logarithmic ? 10 : nice_step(p->high);
    char label[32];
    p->high = p->logarithmic ? pow(10, ceil(log10(p->high) + 0.001)) : ceil(p->high / step - 1e-9) * step;
    for (double v = p->low; v <= p->high * 1.0001; v = p->logarithmic ? v * step : v + step) {
        double y = height_of(p, v);
        line(p, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#dddddd\"");
        snprintf(label, sizeof label, "%.4g", fabs(v) < step * 1e-6 ? 0 : v);
        text(p, LEFT - 6, y + 4, "text-anchor=\"end\"", label);
    }
    line(p, LEFT, p->bottom, WIDTH - RIGHT, p->bottom, "stroke=\"#333333\"");
    fprintf(p->f, "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">",
            (p->top + p->bottom) / 2);
    paper_html_text(p->f, p->c->figure->unit);
    fputs("</text>\n", p->f);
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
    enum paper_chart_kind kind = c->figure->chart;
    if (kind == PAPER_CHART_LINES || kind == PAPER_CHART_CDF)
        return i < c->benches ? c->bench[i] : NULL;
    if (kind == PAPER_CHART_STACK || c->bars == 1)
        return i < c->parts ? c->part[i] : NULL;
    return i < c->bars ? c->bar[i] : NULL;
}

/* Returns how many rows the legend takes; draws it or not. */
static int legend(const struct picture *p, bool draw)
{
    double x = LEFT;
    int row = 0;
    for (int i = 0;; i++) {
        const char *series = series_name(p->c, i);
        bool published = !series && has_published(p->c);
        const char *name = series ? series : "published";
        double width = 24 + LETTER * (double)strlen(name);
        if (!series && !published)
            break;
        if (x + width > WIDTH - RIGHT) {
            x = LEFT;
            row++;
        }
        if (draw) {
            fprintf(p->f, "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"%s/>\n", x,
                    TOP + row * LEGEND_ROW - 10, series ? COLOURS[i % COLOUR_COUNT] : "none",
                    series ? "" : " stroke=\"#111111\" stroke-dasharray=\"3 2\"");
            text(p, x + 16, TOP + row * LEGEND_ROW, "", name);
        }
        x += width;
        if (!series)
            break;
    }
    return row + 1;
}

/* ---- charts ---- */

static const char OUTLINE[] = "fill=\"none\" stroke=\"#111111\" stroke-dasharray=\"3 2\"";

static void colour(char style[40], int i)
{
    snprintf(style, 40, "fill=\"%s\"", COLOURS[i % COLOUR_COUNT]);
}

/* One bar of a group, or one stack. */
static void draw_column(const struct picture *p, int bench, int column, double x, double width)
{
    const struct paper_chart *c = p->c;
    bool stack = c->figure->chart == PAPER_CHART_STACK, by_part = c->bars == 1 && !stack;
    double base = p->low;
    char style[40];
    for (int part = 0; part < (stack ? c->parts : 1); part++) {
        int at = paper_chart_at(c, bench, by_part ? 0 : column, by_part ? column : part);
        colour(style, stack ? part : column);
        if (!isnan(c->simulated[at])) {
            bar(p, x, width, base, stack ? base + c->simulated[at] : c->simulated[at], style);
            base += stack ? c->simulated[at] : 0;
        }
        if (!stack && !isnan(c->published[at]))
            bar(p, x - 1, width + 2, p->low, c->published[at], OUTLINE);
    }
}

static void bars(const struct picture *p)
{
    const struct paper_chart *c = p->c;
    bool stack = c->figure->chart == PAPER_CHART_STACK;
    int columns = c->bars == 1 && !stack ? c->parts : c->bars;
    double group = (double)(WIDTH - LEFT - RIGHT) / c->benches, width = group * 0.8 / columns;
    for (int b = 0; b < c->benches; b++) {
        double x = LEFT + group * b + group * 0.1;
        for (int i = 0; i < columns; i++) {
            draw_column(p, b, i, x + width * i, width * 0.9);
            if (stack && columns > 1)
                fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"9\">%d</text>\n",
                        x + width * (i + 0.45), p->bottom + 11, i + 1);
        }
        text(p, x + group * 0.4, p->bottom + 26, "text-anchor=\"middle\"", c->bench[b]);
    }
    for (int i = 0; stack && columns > 1 && i < columns; i++) {
        char label[60];
        snprintf(label, sizeof label, "%d: %s", i + 1, c->bar[i]);
        text(p, LEFT + (WIDTH - LEFT - RIGHT) / (double)columns * i, p->bottom + 48, "font-size=\"11\"", label);
    }
}

/* A line for each benchmark over bars or parts. */
static void lines(const struct picture *p)
{
    const struct paper_chart *c = p->c;
    bool over_parts = c->figure->chart == PAPER_CHART_CDF;
    int points = over_parts ? c->parts : c->bars;
    double step = (double)(WIDTH - LEFT - RIGHT) / points;
    for (int b = 0; b < c->benches; b++) {
        double x0 = 0, y0 = NAN;
        char style[60], fill[40];
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2\"", COLOURS[b % COLOUR_COUNT]);
        colour(fill, b);
        for (int i = 0; i < points; i++) {
            int at = over_parts ? paper_chart_at(c, b, 0, i) : paper_chart_at(c, b, i, 0);
            double x = LEFT + step * (i + 0.5), y = isnan(c->simulated[at]) ? NAN : height_of(p, c->simulated[at]);
            if (!isnan(y) && !isnan(y0))
                line(p, x0, y0, x, y, style);
            if (!isnan(y))
                fprintf(p->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" %s/>\n", x, y, fill);
            if (!isnan(c->published[at]))
                fprintf(p->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" %s/>\n", x, height_of(p, c->published[at]),
                        OUTLINE);
            x0 = x;
            y0 = y;
        }
    }
    for (int i = 0; i < points; i++)
        text(p, LEFT + step * (i + 0.5), p->bottom + 20, "text-anchor=\"middle\" font-size=\"11\"",
             over_parts ? c->part[i] : c->bar[i]);
}

void paper_chart_svg(const struct paper_chart *c, FILE *f)
{
    struct picture p = { .c = c, .f = f };
    p.top = TOP + legend(&p, false) * LEGEND_ROW;
    p.bottom = p.top + PLOT;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" "
               "font-size=\"12\">\n", WIDTH,
            p.bottom + (c->figure->chart == PAPER_CHART_STACK ? BOTTOM_STACK : BOTTOM));
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", f);
    text(&p, LEFT, 18, "font-size=\"14\" font-weight=\"bold\"", c->figure->title);
    legend(&p, true);
    find_range(&p);
    axis(&p);
    if (c->figure->chart == PAPER_CHART_LINES || c->figure->chart == PAPER_CHART_CDF)
        lines(&p);
    else
        bars(&p);
    fputs("</svg>\n", f);
}
