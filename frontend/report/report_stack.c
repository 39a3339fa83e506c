/* Pictures of stacked bars: a bar for each line, its name above it. */
#include "frontend/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "frontend/page/page.h"

enum { WIDTH = 680, LEFT = 16, RIGHT = WIDTH - 16, TOP = 22, ROW = 40, BAR = 16, BOTTOM = 44, COLOURED = 9,
       NAME_LETTERS = 56 };

/* A stack with the parts that it shows: the largest have colours, the rest is one grey part. */
struct drawing {
    const struct report_lines *l;
    const struct report_stack *s;
    int part[COLOURED];              /* in the order of the stack */
    int n;
    bool rest;                       /* there is more than the parts */
    double most;                     /* the longest bar */
};

static double part_of(const struct report_line *l, const struct report_part *p)
{
    return p->hist >= 0 ? (double)l->counters->hists.h[p->hist].sum : report_value(l, (enum stat)p->stat);
}

static double sum_of(const struct report_line *l, const struct report_stack *s)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += part_of(l, &s->part[i]);
    return sum;
}

/* What the parts are divided by. */
static double divisor(const struct report_line *l, const struct report_stack *s)
{
    double by = s->scale == REPORT_SHARES        ? sum_of(l, s) / 100
                : s->scale == REPORT_PER_REQUEST ? (double)l->counters->hists.h[HIST_REQUEST_L1].n
                                                 : 1;
    return by > 0 ? by : 1;
}

/* The largest length of a part over all lines. */
static double largest(const struct report_lines *l, const struct report_stack *s, int part)
{
    double most = 0;
    for (uint32_t i = 0; i < l->n; i++)
        most = fmax(most, part_of(&l->line[i], &s->part[part]) / divisor(&l->line[i], s));
    return most;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Chooses the parts with colours. */
static void choose(struct drawing *d)
{
    double *size = mem_zero((size_t)d->s->n, sizeof *size, "a picture");
    for (int i = 0; i < d->s->n; i++)
        size[i] = largest(d->l, d->s, i);
    for (int best; d->n < COLOURED; size[best] = 0) {
        best = 0;
        for (int i = 1; i < d->s->n; i++)
            best = size[i] > size[best] ? i : best;
        if (size[best] <= 0)
            break;
        d->part[d->n++] = best;
    }
    for (int i = 0; i < d->s->n; i++)
        d->rest |= size[i] > 0;
    qsort(d->part, (size_t)d->n, sizeof *d->part, by_number);
    free(size);
    for (uint32_t i = 0; i < d->l->n; i++)
        d->most = fmax(d->most, sum_of(&d->l->line[i], d->s) / divisor(&d->l->line[i], d->s));
}

static int legend(const struct drawing *d, FILE *f, bool draw)
{
    const char *name[COLOURED + 1];
    for (int i = 0; i < d->n; i++)
        name[i] = d->s->part[d->part[i]].label;
    name[d->n] = "others";
    struct picture_legend l = { .left = LEFT, .right = RIGHT, .top = TOP, .name = name, .n = d->n + d->rest,
                                .grey = d->rest };
    return picture_legend(f, &l, draw);
}

static void segment(const struct picture_axis *a, double from, double to, double y, int colour, const char *label,
                    FILE *f)
{
    char style[40];
    double x = picture_at(a, from);
    if (to <= from)
        return;
    picture_fill(style, colour);
    char *title = mem_format("%s: %.4g", label, to - from);
    picture_rect(f, x, y, picture_at(a, to) - x, BAR, style, title);
    free(title);
}

/* The figure beside the name of a line. */
static void caption_text(const struct report_line *l, const struct report_stack *s, char *text, size_t size)
{
    const struct stat_info *t = s->caption == STAT_END ? NULL : &stat_table[s->caption];
    double v = t ? report_value(l, s->caption) : sum_of(l, s) / divisor(l, s);
    char number[80];
    page_number_text(t ? v : round(v), number, sizeof number);
    if (t && t->kind == STAT_KIND_RATIO && !*t->unit)
        snprintf(text, size, "%s %.1f %%", t->name, 100 * v);
    else
        snprintf(text, size, "%s %s", number, t ? t->unit : s->unit);
}

static void caption(const struct drawing *d, const struct report_line *l, double y, FILE *f)
{
    char text[200], name[NAME_LETTERS + 4];
    bool long_name = strlen(l->label) > NAME_LETTERS;
    caption_text(l, d->s, text, sizeof text);
    snprintf(name, sizeof name, "%.*s%s", utf8_prefix(l->label, NAME_LETTERS), l->label, long_name ? "..." : "");
    picture_text(f, LEFT, y, "", name);
    picture_text(f, RIGHT, y, PICTURE_RIGHT, text);
}

static void bar(const struct drawing *d, const struct picture_axis *a, const struct report_line *l, double y, FILE *f)
{
    double by = divisor(l, d->s), at = 0, end = sum_of(l, d->s) / by;
    caption(d, l, y - 5, f);
    for (int i = 0; i < d->n; i++) {
        const struct report_part *p = &d->s->part[d->part[i]];
        double next = at + part_of(l, p) / by;
        segment(a, at, next, y, i, p->label, f);
        at = next;
    }
    if (d->rest)
        segment(a, at, end, y, -1, "others", f);
}

bool report_stack(const struct report_lines *l, const struct report_stack *s, FILE *f)
{
    struct drawing d = { .l = l, .s = s };
    choose(&d);
    if (!d.n)
        return false;
    double top = TOP + legend(&d, f, false) * PICTURE_LEGEND_ROW + 4, bottom = top + ROW * l->n;
    struct picture_axis a = { .low = 0, .high = s->scale == REPORT_SHARES ? 100 : d.most, .from = LEFT, .to = RIGHT };
    if (s->scale != REPORT_SHARES)
        picture_axis_round(&a);
    fputs("<div class=\"scroll\">", f);
    picture_begin(f, WIDTH, bottom + BOTTOM, s->title);
    legend(&d, f, true);
    picture_axis_horizontal(f, &a, top, bottom, s->unit);
    for (uint32_t i = 0; i < l->n; i++)
        bar(&d, &a, &l->line[i], top + ROW * i + 19, f);
    picture_end(f);
    fputs("</div>\n", f);
    return true;
}
