/* Figures over time: a panel for each, a line for each run. Many windows are drawn as averages of several. */
#include "frontend/report/report.h"

#include <math.h>
#include <string.h>

#include "frontend/page/page.h"

enum { WIDTH = 680, LEFT = 64, RIGHT = WIDTH - 20, TOP = 24, PLOT = 110, GAP = 26, BOTTOM = 34,
       POINTS = 600, RUNS = 4 };

static const char *const UNITS[REPORT_COLUMNS] = {
    [REPORT_OCCUPANCY] = "occupancy", [REPORT_IPC] = "IPC", [REPORT_DRAM] = "DRAM use"
};

/* The runs that have a time series, at most RUNS. */
struct series_list { const struct report_run *run[RUNS]; int n; double cycles; };

static struct series_list find(const struct report *r)
{
    struct series_list l = { .n = 0 };
    for (uint32_t i = 0; i < r->n && l.n < RUNS; i++) {
        const struct report_series *s = &r->run[i].series;
        if (!s->n)
            continue;
        l.run[l.n++] = &r->run[i];
        l.cycles = fmax(l.cycles, s->window[s->n - 1].from + s->window[s->n - 1].cycles);
    }
    return l;
}

static double largest(const struct series_list *l, int column)
{
    double most = 0;
    for (int i = 0; i < l->n; i++)
        for (uint32_t k = 0; k < l->run[i]->series.n; k++)
            most = fmax(most, l->run[i]->series.window[k].value[column]);
    return most;
}

/* The average over some windows, weighted by their cycles. */
static double average(const struct report_window *w, uint32_t n, int column, double *cycles)
{
    double sum = 0;
    *cycles = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += w[i].value[column] * w[i].cycles;
        *cycles += w[i].cycles;
    }
    return sum / *cycles;
}

/* Steps: the value of a window holds over its cycles. */
static void draw_series(const struct report_series *s, int column, int colour, const struct picture_axis *x,
                        const struct picture_axis *y, FILE *f)
{
    uint32_t each = (s->n + POINTS - 1) / POINTS;
    fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", picture_colour(colour));
    for (uint32_t i = 0; i < s->n; i += each) {
        uint32_t n = s->n - i < each ? s->n - i : each;
        double cycles, v = average(&s->window[i], n, column, &cycles), at = picture_at(y, v);
        fprintf(f, "%.1f,%.1f %.1f,%.1f ", picture_at(x, s->window[i].from), at,
                picture_at(x, s->window[i].from + cycles), at);
    }
    fputs("\"/>\n", f);
}

static void panel(const struct series_list *l, int column, struct picture_axis x, double top, FILE *f)
{
    struct picture_axis y = { .high = fmax(largest(l, column), 1e-3), .from = top + PLOT, .to = top };
    picture_axis_round(&y);
    picture_axis_vertical(f, &y, LEFT, RIGHT, UNITS[column]);
    for (int i = 0; i < l->n; i++)
        draw_series(&l->run[i]->series, column, i, &x, &y, f);
}

static void draw(const struct series_list *l, FILE *f)
{
    const char *name[RUNS];
    for (int i = 0; i < l->n; i++)
        name[i] = l->run[i]->name;
    struct picture_legend legend = { .left = LEFT, .right = RIGHT, .top = TOP, .name = name, .n = l->n };
    double top = TOP + picture_legend(f, &legend, false) * PICTURE_LEGEND_ROW, bottom = top;
    struct picture_axis x = { .high = l->cycles, .from = LEFT, .to = RIGHT };
    bottom += REPORT_COLUMNS * (PLOT + GAP) - GAP;
    fputs("<div class=\"scroll\">", f);
    picture_begin(f, WIDTH, bottom + BOTTOM + 8, "Occupancy, instructions per cycle and use of DRAM over time");
    picture_legend(f, &legend, true);
    picture_axis_horizontal(f, &x, top, bottom, "core cycles in which kernels ran");
    for (int i = 0; i < REPORT_COLUMNS; i++)
        panel(l, i, x, top + i * (PLOT + GAP), f);
    picture_end(f);
    fputs("</div>\n", f);
}

void report_time(const struct report *r, FILE *f)
{
    struct series_list l = find(r);
    page_heading(f, 2, "time", "Over time");
    if (!l.n) {
        page_paragraph(f, "soft", "No time series: run with --window CYCLES,FILE, and give FILE to --series or keep it "
                       "beside the statistics.");
        return;
    }
    page_paragraph(f, NULL, "Occupancy (resident warps of the warp slots), thread instructions a core cycle, and the "
                   "share of memory cycles in which a data bus of DRAM transfers data, by window of the time series.%s",
                   r->n > RUNS ? " The first four runs that have one." : "");
    draw(&l, f);
}
