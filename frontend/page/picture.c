/* Pictures: elements of SVG, axes, legends. */
#include "frontend/page/page.h"

#include <math.h>
#include <string.h>

static const char *const COLOURS[] = { "#3b6ea8", "#e08a3c", "#5a9e5a", "#b8474b", "#8a6bb1", "#8c6d5a", "#d187b8",
                                       "#3fb1bd", "#b5b53c", "#6f87e0" };
enum { COLOUR_COUNT = sizeof COLOURS / sizeof *COLOURS };
static const char GREY[] = "#8a8a8a";

void picture_begin(FILE *f, double width, double height, const char *title)
{
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture%s\" viewBox=\"0 0 %.0f %.0f\" "
               "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\" role=\"img\">\n<title>",
            width < 800 ? " small" : "", width, height);
    page_text(f, title);
    fputs("</title>\n<rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", f);
}

void picture_end(FILE *f)
{
    fputs("</svg>\n", f);
}

void picture_text(FILE *f, double x, double y, const char *style, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    page_text(f, text);
    fputs("</text>\n", f);
}

void picture_line(FILE *f, double x0, double y0, double x1, double y1, const char *style)
{
    fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1, style);
}

static void close_element(FILE *f, const char *element, const char *title)
{
    if (!title) {
        fputs("/>\n", f);
        return;
    }
    fputs("><title>", f);
    page_text(f, title);
    fprintf(f, "</title></%s>\n", element);
}

void picture_rect(FILE *f, double x, double y, double width, double height, const char *style, const char *title)
{
    fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s", x, y, width, height, style);
    close_element(f, "rect", title);
}

void picture_circle(FILE *f, double x, double y, double radius, const char *style, const char *title)
{
    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s", x, y, radius, style);
    close_element(f, "circle", title);
}

const char *picture_colour(int i)
{
    return i < 0 ? GREY : COLOURS[i % COLOUR_COUNT];
}

void picture_fill(char style[40], int i)
{
    snprintf(style, 40, "fill=\"%s\"", picture_colour(i));
}

/* ---- axes ---- */

double picture_at(const struct picture_axis *a, double v)
{
    double share = a->logarithmic ? log(fmax(v, a->low) / a->low) / log(a->high / a->low)
                                  : (v - a->low) / (a->high - a->low);
    return a->from + fmin(fmax(share, 0), 1) * (a->to - a->from);
}

/* 1, 2 or 5 times a power of ten: about five steps. Sums of shares may be a little more than 1. */
static double step_of(double range)
{
    double unit = pow(10, floor(log10(range / 5))), by = range / 5 / unit * (1 - 1e-9);
    return unit * (by <= 1 ? 1 : by <= 2 ? 2 : by <= 5 ? 5 : 10);
}

/* A logarithmic axis of less than two decades has labels at 1, 2 and 5 times the powers of ten. */
static bool is_fine(const struct picture_axis *a)
{
    return a->high / a->low < 150;
}

/* The largest label <= v, or the smallest >= v. */
static double label_near(bool fine, double v, bool up)
{
    static const double digit[] = { 1, 2, 5 };
    const double unit = pow(10, floor(log10(v) + 1e-9)), little = 1e-9;
    double below = unit, above = 10 * unit;
    int n = fine ? 3 : 1;
    for (int i = 0; i < n; i++)
        if (digit[i] * unit <= v * (1 + little))
            below = digit[i] * unit;
    for (int i = n; i-- > 0;)
        if (digit[i] * unit >= v * (1 - little))
            above = digit[i] * unit;
    return up ? above : below;
}

void picture_axis_round(struct picture_axis *a)
{
    if (a->logarithmic) {
        a->high = label_near(is_fine(a), a->high, true);
        a->low = label_near(is_fine(a), a->low, false);
    } else {
        double step = step_of(a->high - a->low);
        a->high = a->low + ceil((a->high - a->low) / step - 1e-9) * step;
    }
}

static double first_label(const struct picture_axis *a)
{
    return a->logarithmic ? label_near(is_fine(a), a->low, true) : a->low;
}

/* Sets v to the next label; false after the last. */
static bool next_label(const struct picture_axis *a, double *v)
{
    double before = *v;
    *v = a->logarithmic ? label_near(is_fine(a), before * 1.001, true) : before + step_of(a->high - a->low);
    return *v > before && *v <= a->high * (1 + 1e-6);
}

/* 20000 as 20k. */
static void label_text(const struct picture_axis *a, double v, char text[32])
{
    static const struct { double unit; const char *name; } units[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };
    bool zero = !a->logarithmic && fabs(v) < (a->high - a->low) * 1e-6;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (fabs(v) >= units[i].unit * 9.99 || (i < 2 && fabs(v) >= units[i].unit)) {
            snprintf(text, 32, "%.4g%s", v / units[i].unit, units[i].name);
            return;
        }
    snprintf(text, 32, "%.4g", zero ? 0 : v);
}

void picture_axis_vertical(FILE *f, const struct picture_axis *a, double left, double right, const char *unit)
{
    char label[32];
    double v = first_label(a);
    do {
        double y = picture_at(a, v);
        picture_line(f, left, y, right, y, PICTURE_GRID);
        label_text(a, v, label);
        picture_text(f, left - 6, y + 4, PICTURE_RIGHT, label);
    } while (next_label(a, &v));
    picture_line(f, left, a->from, right, a->from, PICTURE_FRAME);
    fprintf(f, "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">", (a->from + a->to) / 2);
    page_text(f, unit);
    fputs("</text>\n", f);
}

void picture_axis_horizontal(FILE *f, const struct picture_axis *a, double top, double bottom, const char *unit)
{
    char label[32];
    double v = first_label(a);
    do {
        double x = picture_at(a, v);
        picture_line(f, x, top, x, bottom, PICTURE_GRID);
        label_text(a, v, label);
        picture_text(f, x, bottom + 16, PICTURE_MIDDLE, label);
    } while (next_label(a, &v));
    picture_text(f, (a->from + a->to) / 2, bottom + 34, PICTURE_MIDDLE, unit);
}

/* ---- legend ---- */

static void draw_entry(FILE *f, const struct picture_legend *l, int i, double x, double y, const char *name)
{
    char style[40];
    picture_fill(style, l->grey && i == l->n - 1 ? -1 : i);
    picture_rect(f, x, y - 10, 12, 12, i < l->n ? style : PICTURE_OUTLINE, NULL);
    picture_text(f, x + 16, y, "", name);
}

int picture_legend(FILE *f, const struct picture_legend *l, bool draw)
{
    const double letter = 7.4;           /* width, estimated */
    double x = l->left;
    int rows = 0;
    for (int i = 0; i < l->n + (l->outline != NULL); i++) {
        const char *name = i < l->n ? l->name[i] : l->outline;
        double width = 30 + letter * (double)strlen(name);
        if (x + width > l->right && x > l->left) {
            x = l->left;
            rows++;
        }
        if (draw)
            draw_entry(f, l, i, x, l->top + rows * PICTURE_LEGEND_ROW, name);
        x += width;
    }
    return rows + 1;
}
