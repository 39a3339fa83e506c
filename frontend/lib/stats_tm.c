/* Prints the table of transactions: a line per kernel, then the rows of tm/table.def, which include those of protocols,
 * for all kernels. */
#include <string.h>

#include "frontend/lib/stats_text.h"

static double mean(const struct hist *h)
{
    return h->n ? (double)h->sum / (double)h->n : 0;
}

static uint64_t count(const struct stats_line *l, enum stat s)
{
    return l->counters->count[s];
}

/* ---- by kernel ---- */

/* The average and the maximum. */
static void print_spread(FILE *f, const struct stats_line *l, enum hist_id id)
{
    char text[40];
    const struct hist *h = &l->counters->hists.h[id];
    snprintf(text, sizeof text, "%.1f/%llu", mean(h), (unsigned long long)h->max);
    fprintf(f, "%16s", text);
}

static void print_kernel(FILE *f, const struct stats_line *l)
{
    uint64_t commits = count(l, STAT_TX_COMMITS), aborts = count(l, STAT_TX_ABORTS);
    fprintf(f, "%-28.28s", l->name);
    stats_print_grouped(f, 13, commits);
    stats_print_grouped(f, 13, aborts);
    if (commits)
        fprintf(f, "%15.3f", (double)aborts / (double)commits);
    else
        fprintf(f, "%15s", "-");
    print_spread(f, l, HIST_TX_READ_SET);
    print_spread(f, l, HIST_TX_WRITE_SET);
    print_spread(f, l, HIST_TX_LENGTH);
    fprintf(f, "%14.0f%14.0f\n", mean(&l->counters->hists.h[HIST_TX_DURATION]),
            mean(&l->counters->hists.h[HIST_TX_COMMIT_TIME]));
}

/* ---- of all: aborts, messages ---- */

/* part / all in %, "-" when all is 0. */
static void print_percent(FILE *f, double part, double all)
{
    if (all > 0)
        fprintf(f, "%.1f %%", 100 * part / all);
    else
        fputc('-', f);
}

/* Prints the counters that are not 0 as shares of their sum, each with the last part of its name. False = all are 0. */
static bool print_parts(FILE *f, const struct stats_line *l, const char *title, const enum stat *parts, size_t n)
{
    const char *before = title;
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += (double)count(l, parts[i]);
    for (size_t i = 0; i < n; i++)
        if (count(l, parts[i])) {
            fprintf(f, "%s %s ", before, strrchr(stat_table[parts[i]].name, '.') + 1);
            print_percent(f, (double)count(l, parts[i]), all);
            before = ",";
        }
    return all > 0;
}

static void print_aborts(FILE *f, const struct stats_line *l)
{
    static const enum stat reasons[] = {
#define REASON(id, name, meaning) STAT_TX_ABORT_##id,
#include "tm/reasons.def"
    };
    if (print_parts(f, l, "aborts:", reasons, sizeof reasons / sizeof *reasons))
        fputc('\n', f);
}

static const struct { const char *name; enum stat packets, bytes; } messages[] = {
#define TRAFFIC(id, name, meaning) { name, STAT_MSG_##id, STAT_MSG_##id##_BYTES },
#include "tm/messages.def"
};
enum { MESSAGES = sizeof messages / sizeof *messages };

static void print_message(FILE *f, const char *name, uint64_t packets, uint64_t bytes)
{
    fprintf(f, "  %-26s", name);
    stats_print_grouped(f, 13, packets);
    stats_print_grouped(f, 15, bytes);
}

static void print_messages(FILE *f, const struct stats_line *l)
{
    uint64_t packets = 0, bytes = 0;
    for (int i = 0; i < MESSAGES; i++) {
        packets += count(l, messages[i].packets);
        bytes += count(l, messages[i].bytes);
    }
    if (!packets)
        return;
    fprintf(f, "%-28s%13s%15s%10s\n", "messages", "packets", "bytes", "share");
    for (int i = 0; i < MESSAGES; i++) {
        if (!count(l, messages[i].packets))
            continue;
        print_message(f, messages[i].name, count(l, messages[i].packets), count(l, messages[i].bytes));
        stats_print_share(f, (double)count(l, messages[i].bytes), (double)bytes);
        fputc('\n', f);
    }
    print_message(f, "all", packets, bytes);
    fputc('\n', f);
}

/* ---- of all: the rows of tm/table.def ---- */

enum figure_kind { FIGURE_NONE, FIGURE_COUNT, FIGURE_SHARE, FIGURE_EACH, FIGURE_REST, FIGURE_MEAN, FIGURE_MOST };

struct figure { enum figure_kind kind; int of[4]; };     /* counters, or a histogram */

enum row_kind { ROW_LINE, ROW_MORE, ROW_PARTS };
enum { FIGURES = 8 };

static const struct table_row {
    enum row_kind kind;
    enum stat when;                  /* of PARTS: nothing */
    const char *text;
    struct figure figure[FIGURES];
} rows[] = {
#define COUNT(a) { FIGURE_COUNT, { STAT_##a } }
#define SHARE(a, b) { FIGURE_SHARE, { STAT_##a, STAT_##b } }
#define EACH(a, b) { FIGURE_EACH, { STAT_##a, STAT_##b } }
#define REST(a, b, c, d) { FIGURE_REST, { STAT_##a, STAT_##b, STAT_##c, STAT_##d } }
#define MEAN(h) { FIGURE_MEAN, { HIST_##h } }
#define MOST(h) { FIGURE_MOST, { HIST_##h } }
#define PART(a) COUNT(a)
#define LINE(when, text, ...) { ROW_LINE, STAT_##when, text, { __VA_ARGS__ } },
#define MORE(when, text, ...) { ROW_MORE, STAT_##when, text, { __VA_ARGS__ } },
#define PARTS(title, ...) { .kind = ROW_PARTS, .text = title, .figure = { __VA_ARGS__ } },
#include "tm/table.def"
};

static double value(const struct stats_line *l, const struct figure *g, int i)
{
    return (double)count(l, (enum stat)g->of[i]);
}

static void print_figure(FILE *f, const struct stats_line *l, const struct figure *g)
{
    switch (g->kind) {
    case FIGURE_COUNT: stats_print_grouped(f, 0, count(l, (enum stat)g->of[0])); break;
    case FIGURE_SHARE: print_percent(f, value(l, g, 0), value(l, g, 1)); break;
    case FIGURE_EACH: fprintf(f, "%.0f", value(l, g, 0) / value(l, g, 1)); break;
    case FIGURE_REST:
        print_percent(f, value(l, g, 0) - value(l, g, 1) - value(l, g, 2) - value(l, g, 3), value(l, g, 0));
        break;
    case FIGURE_MEAN: fprintf(f, "%.1f", mean(&l->counters->hists.h[g->of[0]])); break;
    case FIGURE_MOST: stats_print_grouped(f, 0, l->counters->hists.h[g->of[0]].max); break;
    case FIGURE_NONE: break;
    }
}

static void print_text(FILE *f, const struct stats_line *l, const struct table_row *r)
{
    const struct figure *g = r->figure;
    for (const char *p = r->text; *p; p++)
        if (*p == '%')
            print_figure(f, l, g++);
        else
            fputc(*p, f);
}

static bool print_row_parts(FILE *f, const struct stats_line *l, const struct table_row *r)
{
    enum stat parts[FIGURES];
    size_t n = 0;
    for (; n < FIGURES && r->figure[n].kind; n++)
        parts[n] = (enum stat)r->figure[n].of[0];
    return print_parts(f, l, r->text, parts, n);
}

/* open: the current line is not ended. Returns whether a line is open afterwards. */
static bool print_row(FILE *f, const struct stats_line *l, const struct table_row *r, bool open)
{
    if (r->kind == ROW_PARTS)
        return print_row_parts(f, l, r);
    if (!count(l, r->when) || (r->kind == ROW_MORE && !open))
        return open;
    print_text(f, l, r);
    return true;
}

static void print_rows(FILE *f, const struct stats_line *l)
{
    bool open = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (open && rows[i].kind != ROW_MORE) {
            fputc('\n', f);
            open = false;
        }
        open = print_row(f, l, &rows[i], open);
    }
    if (open)
        fputc('\n', f);
}

void stats_print_transactions(FILE *f, const struct stats_line *lines, size_t n)
{
    const struct stats_line *total = &lines[n - 1];
    if (!count(total, STAT_TX_COMMITS) && !count(total, STAT_TX_ABORTS))
        return;
    fprintf(f, "\n%-28s%13s%13s%15s%16s%16s%16s%14s%14s\n", "transactions", "commits", "aborts", "aborts/commit",
            "read set", "write set", "instructions", "core cycles", "of a commit");
    for (size_t i = 0; i < n; i++)
        if (count(&lines[i], STAT_TX_COMMITS) || count(&lines[i], STAT_TX_ABORTS))
            print_kernel(f, &lines[i]);
    print_aborts(f, total);
    print_messages(f, total);
    print_rows(f, total);
}
