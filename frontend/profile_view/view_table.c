/* The table of a kernel's lines, those with the most stalls first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "frontend/lib/stats_text.h"
#include "frontend/profile_view/view.h"

enum { PLACE = 34, CAUSE = 21 };

/* "file.cu:12", or of an instruction also its PTX text. */
static void print_place(const struct view_line *l, enum view_by by, FILE *f)
{
    const struct view_inst *in = l->inst[0];
    char text[200];
    if (by == VIEW_BY_INSTRUCTION && in->file)
        snprintf(text, sizeof text, "%s:%u %s", view_file_name(in->file), in->line, in->text);
    else if (by == VIEW_BY_INSTRUCTION)
        snprintf(text, sizeof text, "%s", in->text);
    else if (l->file)
        snprintf(text, sizeof text, "%s:%u", view_file_name(l->file), l->line);
    else
        snprintf(text, sizeof text, "(without a line)");
    int width = by == VIEW_BY_INSTRUCTION ? 2 * PLACE : PLACE;
    int bytes = utf8_prefix(text, width - 1);
    fprintf(f, "%.*s%*s", bytes, text, width - bytes, "");
}

static void print_cause(const uint64_t *row, FILE *f)
{
    uint64_t cycles;
    const char *cause = view_cause(row, &cycles);
    char text[60] = "-";
    if (cause)
        snprintf(text, sizeof text, "%s %.0f %%", cause, 100 * (double)cycles / (double)view_stalls(row));
    fprintf(f, "  %-*s", CAUSE, text);
}

static void print_value(const uint64_t *row, enum view_column c, FILE *f)
{
    const struct view_column_info *t = &view_columns[c];
    double v = view_value(row, c);
    if (isnan(v))
        fprintf(f, "%9s", "-");
    else if (t->percent)
        fprintf(f, "%7.*f %%", t->decimals, 100 * v);
    else
        fprintf(f, "%9.*f", t->decimals, v);
}

static void print_row(const uint64_t *row, uint64_t stalls, FILE *f)
{
    stats_print_share(f, (double)view_stalls(row), (double)stalls);
    print_cause(row, f);
    stats_print_grouped(f, 12, row[PROFILE_ISSUED]);
    for (int c = 0; c < VIEW_COLUMNS; c++)
        print_value(row, (enum view_column)c, f);
    fputc('\n', f);
}

static void print_head(enum view_by by, FILE *f)
{
    fprintf(f, "%-*s%10s  %-*s%12s", by == VIEW_BY_INSTRUCTION ? 2 * PLACE : PLACE, "", "stalls", CAUSE, "cause",
            "issued");
    for (int c = 0; c < VIEW_COLUMNS; c++)
        fprintf(f, "%9s", view_columns[c].head);
    fputc('\n', f);
}

void view_table(const struct view_profile *p, const struct view_kernel *k, enum view_by by, uint32_t most, FILE *f)
{
    struct view_lines l = view_lines_of(k, by);
    uint64_t stalls = view_stalls(k->total), left = 0;
    uint32_t shown = most && most < l.n ? most : l.n;
    const struct view_line **hot = view_hottest(&l);
    fprintf(f, "%s: %s, %llu launch%s, %llu core cycles\n", k->name, p->gpu, (unsigned long long)k->launches,
            k->launches == 1 ? "" : "es", (unsigned long long)k->cycles);
    if (!k->has_lines)
        fputs("No line information: compile with -lineinfo (simtx-cc) or -gline-tables-only (clang). Lines are those "
              "of the PTX.\n", f);
    print_head(by, f);
    for (uint32_t i = 0; i < shown; i++) {
        print_place(hot[i], by, f);
        print_row(hot[i]->row, stalls, f);
    }
    for (uint32_t i = shown; i < l.n; i++)
        left += view_stalls(hot[i]->row);
    if (shown < l.n)
        fprintf(f, "%u more, with %.1f %% of the stalls (--rows 0 shows all)\n", l.n - shown,
                stalls ? 100 * (double)left / (double)stalls : 0);
    fprintf(f, "%-*s", by == VIEW_BY_INSTRUCTION ? 2 * PLACE : PLACE, "all");
    print_row(k->total, stalls, f);
    free(hot);
    view_lines_free(&l);
}
