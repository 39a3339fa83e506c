/*
 * The roofline of the machine (Williams, Waterman and Patterson, Roofline: an insightful visual performance model for
 * multicore architectures, CACM 52(4), 2009), for instructions instead of floating-point operations (Ding and Williams,
 * An instruction roofline model for GPUs, PMBS 2019): thread instructions per second over thread instructions per byte
 * of DRAM. The roofs follow from the configuration; a kernel lies below them.
 */
#include "frontend/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "frontend/page/page.h"

enum { WIDTH = 680, LEFT = 64, RIGHT = WIDTH - 20, TOP = 20, PLOT = 300, BOTTOM = 46, ROW = 16, NAME_LETTERS = 80 };

/* Thousand million thread instructions a second; GB a second. */
struct roofs { double issue, alu, dram; };

struct point { const struct report_line *line; double intensity, rate; };

/* ALU: the pipelines that execute the most lanes a cycle. */
static struct roofs roofs_of(const struct report_run *run)
{
    double ghz = report_key(run, "gpu.core_mhz") / 1e3, sms = report_key(run, "gpu.sms");
    double warp = report_key(run, "gpu.warp_size"), width = report_key(run, "core.simd_width");
    double schedulers = report_key(run, "core.schedulers"), interval = report_key(run, "core.issue_interval");
    if (interval == 0)
        interval = schedulers == 1 ? ceil(warp / width) : 1;
    return (struct roofs){
        .issue = sms * schedulers * report_key(run, "core.issue") / interval * warp * ghz,
        .alu = sms * report_key(run, "core.sp") * width * ghz,
        .dram = report_key(run, "dram.channels") * report_key(run, "dram.burst_bytes") /
                report_key(run, "dram.burst_cycles") * report_key(run, "dram.mhz") / 1e3,
    };
}

static struct point point_of(const struct report_line *l)
{
    const uint64_t *n = l->counters->count;
    double bytes = (double)(n[STAT_DRAM_READS] + n[STAT_DRAM_WRITES]) * report_key(l->run, "dram.burst_bytes");
    double ns = (double)n[STAT_CYCLES] * 1e3 / report_key(l->run, "gpu.core_mhz");
    double instructions = (double)n[STAT_TIMED_THREAD_INSTRUCTIONS];
    return (struct point){ l, bytes > 0 ? instructions / bytes : INFINITY, ns > 0 ? instructions / ns : NAN };
}

struct drawing { struct picture_axis x, y; struct roofs roofs; struct point *point; uint32_t n; };

static void find_axes(struct drawing *d)
{
    double ridge = d->roofs.issue / d->roofs.dram, low_x = ridge / 30, high_x = ridge * 30;
    double high_y = fmax(d->roofs.issue, d->roofs.alu), low_y = high_y / 100;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct point *p = &d->point[i];
        low_y = p->rate > 0 ? fmin(low_y, p->rate / 2) : low_y;
        low_x = p->intensity > 0 ? fmin(low_x, p->intensity / 2) : low_x;
        high_x = isinf(p->intensity) ? high_x : fmax(high_x, p->intensity * 2);
    }
    d->x = (struct picture_axis){ low_x, high_x, LEFT, RIGHT, true };
    d->y = (struct picture_axis){ low_y, high_y * 1.5, TOP + PLOT, TOP, true };
    picture_axis_round(&d->x);
    picture_axis_round(&d->y);
}

static void roof(const struct drawing *d, double rate, const char *name, double label_y, FILE *f)
{
    char text[100];
    double knee = fmax(rate / d->roofs.dram, d->x.low), y = picture_at(&d->y, rate);
    picture_line(f, picture_at(&d->x, knee), y, RIGHT, y, PICTURE_FRAME " stroke-width=\"2\"");
    snprintf(text, sizeof text, "%s: %.4g thread instructions/ns", name, rate);
    picture_text(f, RIGHT - 4, y + label_y, PICTURE_RIGHT " " PICTURE_SMALL, text);
}

static void slope(const struct drawing *d, FILE *f)
{
    char text[100];
    double top = fmin(fmax(d->roofs.issue, d->roofs.alu) / d->roofs.dram, d->x.high);
    double from = fmax(d->x.low, d->y.low / d->roofs.dram), middle = sqrt(from * top);
    picture_line(f, picture_at(&d->x, from), picture_at(&d->y, from * d->roofs.dram), picture_at(&d->x, top),
                 picture_at(&d->y, top * d->roofs.dram), PICTURE_FRAME " stroke-width=\"2\"");
    snprintf(text, sizeof text, "DRAM: %.4g GB/s", d->roofs.dram);
    picture_text(f, picture_at(&d->x, middle) - 8, picture_at(&d->y, middle * d->roofs.dram) - 6,
                 PICTURE_RIGHT " " PICTURE_SMALL, text);
}

/* The points have numbers; the rows below say which lines they are. */
static void points(const struct drawing *d, FILE *f)
{
    char style[40], text[200];
    for (uint32_t i = 0; i < d->n; i++) {
        const struct point *p = &d->point[i];
        double x = picture_at(&d->x, fmin(p->intensity, d->x.high)), y = picture_at(&d->y, p->rate);
        picture_fill(style, (int)i);
        picture_circle(f, x, y, 5, style, p->line->label);
        snprintf(text, sizeof text, "%u", i + 1);
        picture_text(f, x + 7, y + 4, PICTURE_SMALL, text);
        snprintf(text, sizeof text, "%u: %.*s", i + 1, utf8_prefix(p->line->label, NAME_LETTERS),
                 p->line->label);
        picture_circle(f, LEFT + 6, TOP + PLOT + BOTTOM + ROW * (i + 0.5) - 4, 5, style, NULL);
        picture_text(f, LEFT + 18, TOP + PLOT + BOTTOM + ROW * (i + 0.5), PICTURE_SMALL, text);
    }
}

static void draw(struct drawing *d, FILE *f)
{
    find_axes(d);
    fputs("<div class=\"scroll\">", f);
    picture_begin(f, WIDTH, TOP + PLOT + BOTTOM + ROW * (d->n + 0.5), "Roofline of the machine");
    picture_axis_horizontal(f, &d->x, TOP, TOP + PLOT, "thread instructions per byte of DRAM");
    picture_axis_vertical(f, &d->y, LEFT, RIGHT, "thread instructions/ns");
    slope(d, f);
    roof(d, d->roofs.issue, "issue", -6, f);
    if (d->roofs.alu != d->roofs.issue)
        roof(d, d->roofs.alu, "ALUs", d->roofs.alu > d->roofs.issue ? -6 : 14, f);
    points(d, f);
    picture_end(f);
    fputs("</div>\n", f);
}

static void table(const struct drawing *d, FILE *f)
{
    page_table_begin(f, NULL);
    fputs("<tr><th></th><th>instructions per byte</th><th>instructions/ns</th><th>share of the roof</th></tr>\n", f);
    for (uint32_t i = 0; i < d->n; i++) {
        const struct point *p = &d->point[i];
        double limit = fmin(fmin(d->roofs.issue, d->roofs.alu), p->intensity * d->roofs.dram);
        fputs("<tr>", f);
        page_head(f, p->line->label);
        fputs("<td class=\"number\">", f);
        page_number(f, isinf(p->intensity) ? NAN : p->intensity);
        fputs("</td><td class=\"number\">", f);
        page_number(f, p->rate);
        fprintf(f, "</td><td class=\"number\">%.1f %%</td></tr>\n", 100 * p->rate / limit);
    }
    page_table_end(f);
}

static void sources(const struct roofs *r, FILE *f)
{
    page_paragraph(f, NULL, "Issue: gpu.sms x core.schedulers x core.issue / core.issue_interval x gpu.warp_size x "
                   "gpu.core_mhz = %.4g thread instructions a nanosecond. ALUs: gpu.sms x core.sp x core.simd_width x "
                   "gpu.core_mhz = %.4g. DRAM: dram.channels x dram.burst_bytes / dram.burst_cycles x dram.mhz = %.4g "
                   "GB/s. A kernel without DRAM traffic is at the right edge. Instruction roofline: Ding and Williams, "
                   "PMBS 2019, after Williams, Waterman and Patterson, CACM 52(4), 2009.", r->issue, r->alu, r->dram);
}

static bool is_roof(double v)
{
    return isfinite(v) && v > 0;
}

/* The roofs of the first line's machine. */
void report_roofline(const struct report_lines *l, FILE *f)
{
    struct drawing d = { .roofs = roofs_of(l->line[0].run) };
    d.point = mem_zero(l->n, sizeof *d.point, "a roofline");
    for (uint32_t i = 0; i < l->n; i++) {
        struct point p = point_of(&l->line[i]);
        if (p.rate > 0)
            d.point[d.n++] = p;
    }
    if (d.n && is_roof(d.roofs.issue) && is_roof(d.roofs.alu) && is_roof(d.roofs.dram)) {
        page_heading(f, 2, "roofline", "Roofline");
        sources(&d.roofs, f);
        draw(&d, f);
        table(&d, f);
    }
    free(d.point);
}
