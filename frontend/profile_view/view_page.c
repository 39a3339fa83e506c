/*
 * The page: for each kernel its lines with the most stalls, then its source, line by line, with the PTX instructions of
 * a line folded under it. Of a file only the surroundings of lines with instructions are shown. A file that cannot be
 * read is shown as the numbers of those lines.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/page/page.h"
#include "frontend/profile_view/view.h"

enum { HOTTEST = 10, AROUND = 6 };

static const char STYLE[] =
    "<style>\n"
    ".lines td, .lines th { border-width: 0 0 1px 0; } .lines th { white-space: nowrap; }\n"
    ".lines th:first-child { min-width: 0; max-width: none; }\n"
    ".lines td.words { white-space: nowrap; }\n"
    ".lines td.code { text-align: left; font-family: monospace; white-space: pre; tab-size: 4; }\n"
    ".lines details { margin: 0; } .lines .plain, .lines summary { padding-left: 1.05em; }\n"
    ".lines summary { display: block; }\n"
    ".lines summary::before { content: \"\\25b8\"; display: inline-block; width: 1.05em; margin-left: -1.05em; }\n"
    ".lines details[open] > summary::before { content: \"\\25be\"; }\n"
    ".lines .code p { white-space: normal; margin: 0 0 0.3em 2.1em; max-width: 40em; }\n"
    ".lines tr.idle td { color: var(--soft); }\n"
    ".lines .bar { position: relative; min-width: 64px; } .lines .bar i { position: absolute; left: 0; top: 1px;\n"
    "  bottom: 1px; background: var(--bad); } .lines .bar b { position: relative; font-weight: normal; }\n"
    "@media (max-width: 700px) { .lines .more { display: none; } }\n"
    "</style>\n";

/* ---- cells ---- */

static void share_cell(const uint64_t *row, uint64_t stalls, FILE *f)
{
    double share = stalls ? 100 * (double)view_stalls(row) / (double)stalls : 0;
    fputs("<td class=\"bar number\">", f);
    if (share > 0)
        fprintf(f, "<i style=\"width: %.1f%%\"></i><b>%.1f %%</b>", share, share);
    fputs("</td>", f);
}

static void cause_cell(const uint64_t *row, FILE *f)
{
    uint64_t cycles;
    const char *cause = view_cause(row, &cycles);
    fputs("<td class=\"words more\">", f);
    if (cause)
        fprintf(f, "%s %.0f %%", cause, 100 * (double)cycles / (double)view_stalls(row));
    fputs("</td>", f);
}

static void value_cell(const uint64_t *row, enum view_column c, FILE *f)
{
    const struct view_column_info *t = &view_columns[c];
    double v = view_value(row, c);
    fputs("<td class=\"number more\">", f);
    if (!isnan(v))
        fprintf(f, t->percent ? "%.*f %%" : "%.*f", t->decimals, t->percent ? 100 * v : v);
    fputs("</td>", f);
}

static void row_cells(const uint64_t *row, uint64_t stalls, FILE *f)
{
    share_cell(row, stalls, f);
    cause_cell(row, f);
    fputs("<td class=\"number more\">", f);
    page_number(f, (double)row[PROFILE_ISSUED]);
    fputs("</td>", f);
    for (int c = 0; c < VIEW_COLUMNS; c++)
        value_cell(row, (enum view_column)c, f);
}

/* last: of the column of the source's text; NULL = none. */
static void head_row(const char *first, const char *last, FILE *f)
{
    fprintf(f, "<tr><th>%s</th><th title=\"scheduler cycles without an issue, because of this line\">stalls</th>"
            "<th class=\"words more\" title=\"the most frequent reason, and its share\">cause</th>"
            "<th class=\"more\" title=\"warp instructions\">issued</th>", first);
    for (int c = 0; c < VIEW_COLUMNS; c++)
        fprintf(f, "<th class=\"more\" title=\"%s\">%s</th>", view_columns[c].meaning, view_columns[c].head);
    if (last)
        fprintf(f, "<th class=\"words\">%s</th>", last);
    fputs("</tr>\n", f);
}

/* ---- instructions ---- */

/* All figures of an instruction that are not 0, as NAME VALUE. */
static void figures(const uint64_t *row, FILE *f)
{
    const char *between = "";
    for (int i = 0; i < PROFILE_FIGURES; i++)
        if (row[i]) {
            fprintf(f, "%s%s\u00a0", between, profile_table[i].name);
            page_number(f, (double)row[i]);
            between = ", ";
        }
}

/* An instruction under its line: its PTX text; opened, its figures. */
static void instruction(const struct view_inst *in, FILE *f)
{
    fprintf(f, "<div><details><summary>%u: ", in->ptx_line);
    page_text(f, in->text);
    fputs("</summary><p class=\"soft\">", f);
    figures(in->row, f);
    fputs("</p></details></div>", f);
}

static void code_cell(const struct view_line *l, const char *text, FILE *f)
{
    fputs("<td class=\"code\">", f);
    if (!l) {
        fputs("<span class=\"plain\">", f);
        page_text(f, text);
        fputs("</span></td>", f);
        return;
    }
    fputs("<details><summary>", f);
    page_text(f, text);
    fputs("</summary>", f);
    for (uint32_t i = 0; i < l->n; i++)
        instruction(l->inst[i], f);
    fputs("</details></td>", f);
}

/* ---- a file ---- */

struct text { char *bytes; size_t size; char **line; uint32_t n, cap; };

/* Reads the file at the path that .loc names, else the one of that name in the folder of --source. */
static char *read_source(const char *path, const char *folder, size_t *size)
{
    char *bytes = file_read(path, size), *beside;
    int why = errno;
    if (bytes || !folder)
        return bytes;
    beside = mem_format("%s/%s", folder, view_file_name(path));
    bytes = file_read(beside, size);
    free(beside);
    errno = why;
    return bytes;
}

/* A NUL in the text is shown as a space. */
static void split(struct text *t)
{
    char *end = t->bytes + t->size;
    for (char *p = t->bytes, *next; p < end; p = next) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        next = stop < end ? stop + 1 : end;
        for (char *c = p; (c = memchr(c, 0, (size_t)(stop - c)));)
            *c = ' ';
        stop -= stop > p && stop[-1] == '\r';
        *stop = 0;
        t->line = mem_grow(t->line, t->n, &t->cap, sizeof *t->line, "lines of a source");
        t->line[t->n++] = p;
    }
}

/* The lines l[0 .. n - 1] are those of the file that have instructions. */
struct part { const struct view_line *l; uint32_t n; uint64_t stalls; uint32_t kernel, file; };

static void line_row(const struct part *p, uint32_t number, const struct view_line *l, const char *text, FILE *f)
{
    if (l)
        fprintf(f, "<tr id=\"k%u-f%u-%u\"><td>", p->kernel, p->file, number);
    else
        fputs("<tr class=\"idle\"><td>", f);
    if (number)
        fprintf(f, "%u", number);
    fputs("</td>", f);
    if (l)
        row_cells(l->row, p->stalls, f);
    else
        fprintf(f, "<td></td><td class=\"more\" colspan=\"%d\"></td>", 2 + VIEW_COLUMNS);
    code_cell(l, text, f);
    fputs("</tr>\n", f);
}

/* Is line i, or the one before it, within AROUND of this number? Lines before i have lower numbers. */
static bool is_near(const struct part *p, uint32_t i, uint32_t number)
{
    return (i < p->n && p->l[i].line <= number + AROUND) || (i && number <= p->l[i - 1].line + AROUND);
}

static void text_rows(const struct part *p, const struct text *t, FILE *f)
{
    bool skipped = false;
    uint32_t next = 0;               /* the first line whose row is not written */
    while (next < p->n && !p->l[next].line)
        line_row(p, 0, &p->l[next++], "(without a line)", f);
    for (uint32_t number = 1; number <= t->n; number++) {
        if (!is_near(p, next, number)) {
            skipped = true;
            continue;
        }
        if (skipped)
            fprintf(f, "<tr class=\"idle\"><td>\u22ee</td><td></td><td class=\"more\" colspan=\"%d\"></td><td></td>"
                    "</tr>\n", 2 + VIEW_COLUMNS);
        skipped = false;
        bool here = next < p->n && p->l[next].line == number;
        line_row(p, number, here ? &p->l[next] : NULL, t->line[number - 1], f);
        next += here;
    }
    while (next < p->n) {
        line_row(p, p->l[next].line, &p->l[next], "", f);
        next++;
    }
}

static void file_part(const struct part *p, const char *folder, FILE *f)
{
    const char *file = p->l[0].file;
    struct text t = { 0 };
    t.bytes = file ? read_source(file, folder, &t.size) : NULL;
    int why = errno;
    page_heading(f, 3, NULL, file ? file : "Instructions without a line of the source");
    if (file && !t.bytes)
        page_paragraph(f, "soft", "The file cannot be read (%s), so lines have no text; --source FOLDER names the "
                       "folder of the sources.", strerror(why));
    if (t.bytes)
        split(&t);
    page_table_begin(f, "lines");
    head_row(file ? "line" : "", "source", f);
    text_rows(p, &t, f);
    page_table_end(f);
    free(t.line);
    free(t.bytes);
}

/* ---- a kernel ---- */

static bool same_file(const struct view_line *a, const struct view_line *b)
{
    return a->file && b->file ? !strcmp(a->file, b->file) : a->file == b->file;
}

/* The number of the file of line i, in the order of the page. */
static uint32_t file_number(const struct view_lines *l, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t k = 1; k <= i; k++)
        n += !same_file(&l->line[k], &l->line[k - 1]);
    return n;
}

static void files(const struct view_lines *l, uint64_t stalls, uint32_t kernel, const char *folder, FILE *f)
{
    for (uint32_t i = 0, n; i < l->n; i += n) {
        for (n = 1; i + n < l->n && same_file(&l->line[i], &l->line[i + n]); n++)
            ;
        struct part p = { &l->line[i], n, stalls, kernel, file_number(l, i) };
        file_part(&p, folder, f);
    }
}

/* The place of line i, as a reference to its row. */
static void place_cell(const struct view_lines *l, uint32_t i, uint32_t kernel, FILE *f)
{
    const struct view_line *line = &l->line[i];
    fprintf(f, "<td class=\"name\"><a href=\"#k%u-f%u-%u\">", kernel, file_number(l, i), line->line);
    page_text(f, line->file ? view_file_name(line->file) : "(without a line)");
    if (line->file)
        fprintf(f, ":%u", line->line);
    fputs("</a></td>", f);
}

static void hottest(const struct view_kernel *k, const struct view_lines *l, uint32_t kernel, FILE *f)
{
    const struct view_line **hot = view_hottest(l);
    page_table_begin(f, "lines");
    head_row("line", NULL, f);
    for (uint32_t i = 0; i < l->n && i < HOTTEST; i++) {
        fputs("<tr>", f);
        place_cell(l, (uint32_t)(hot[i] - l->line), kernel, f);
        row_cells(hot[i]->row, view_stalls(k->total), f);
        fputs("</tr>\n", f);
    }
    page_table_end(f);
    free(hot);
}

static void kernel_part(const struct view_profile *p, uint32_t kernel, const char *folder, FILE *f)
{
    const struct view_kernel *k = &p->kernel[kernel];
    struct view_lines l = view_lines_of(k, VIEW_BY_LINE);
    char cycles[80];
    page_number_text((double)k->cycles, cycles, sizeof cycles);
    page_heading(f, 2, NULL, k->name);
    page_paragraph(f, NULL, "%llu launch%s, %s core cycles. Lines with the most stalls first:",
                   (unsigned long long)k->launches, k->launches == 1 ? "" : "es", cycles);
    if (!k->has_lines)
        page_paragraph(f, "soft", "No line information: compile with -lineinfo (simtx-cc) or -gline-tables-only "
                       "(clang). Lines are those of the PTX.");
    hottest(k, &l, kernel, f);
    files(&l, view_stalls(k->total), kernel, folder, f);
    view_lines_free(&l);
}

void view_page(const struct view_profile *p, const char *title, const char *only, const char *folder, FILE *f)
{
    page_begin(f, title);
    fputs(STYLE, f);
    page_paragraph(f, NULL, "%s, timing mode. Stalls are the scheduler cycles without an issue, without those in which "
                   "the scheduler has no warp; each is counted at the line of one instruction, and shown as a share of "
                   "the kernel's stalls. The cause is the most frequent reason (simtx stats --stalls). A line unfolds "
                   "to its PTX instructions, and each of them to its figures (simtx profile --figures).", p->gpu);
    for (uint32_t i = 0; i < p->n; i++)
        if (view_selects(&p->kernel[i], only))
            kernel_part(p, i, folder, f);
    page_end(f);
}
