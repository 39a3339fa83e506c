/* Pages: head with the style, text, tables, numbers. */
#include "frontend/page/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

static const char NARROW_SPACE[] = "\u202f";        /* that no line is broken at */

static const char STYLE[] =
    ":root { color-scheme: light dark; --ink: #222; --soft: #666; --ground: #fff; --panel: #f6f7f8; --line: #ccc;\n"
    "  --grid: #ddd; --frame: #333; --good: #d8efd8; --fixed: #dde6f4; --bad: #f6d9d9; --none: #eee; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e2e2e2; --soft: #a3a3a3; --ground: #17191c;\n"
    "  --panel: #202327; --line: #464a50; --grid: #3a3e44; --frame: #b5b5b5; --good: #1f4425; --fixed: #24375a;\n"
    "  --bad: #5c2528; --none: #33363b; } }\n"
    "body { font-family: sans-serif; max-width: 1240px; margin: 2em auto; padding: 0 1em; color: var(--ink);\n"
    "  background: var(--ground); line-height: 1.4; }\n"
    "h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; }\n"
    "h2 { margin-top: 1.8em; border-bottom: 1px solid var(--line); }\n"
    "p { max-width: 52em; overflow-wrap: anywhere; }\n"
    "code { font-size: 92%; overflow-wrap: anywhere; }\n"
    ".soft { color: var(--soft); }\n"
    ".scroll { overflow-x: auto; margin: 1em 0; }\n"
    "table { border-collapse: collapse; font-size: 13px; }\n"
    "th, td { border: 1px solid var(--line); padding: 2px 6px; text-align: right; vertical-align: top; }\n"
    "th { background: var(--panel); } th:first-child, td.words, td.name, th.words { text-align: left; }\n"
    ".cards { width: 100%; } .cards th { text-align: left; } td.words { overflow-wrap: anywhere; min-width: 7em; }\n"
    "td.number, td.name, th:first-child { white-space: nowrap; }\n"
    "summary { cursor: pointer; }\n"
    ".v0 { background: var(--good); } .v1 { background: var(--fixed); } .v2 { background: var(--bad); }\n"
    ".v3, .v4 { background: var(--none); } .pub { color: var(--soft); }\n"
    "svg.picture { width: 100%; box-sizing: border-box; min-width: 560px; fill: var(--ink);\n"
    "  border: 1px solid var(--line); }\n"
    ".picture .ground { fill: var(--ground); } .picture .grid { stroke: var(--grid); }\n"
    ".picture .frame { stroke: var(--frame); } .picture .outline { stroke: var(--ink); }\n"
    "svg.small { max-width: 860px; }\n"
    "@media (max-width: 700px) {\n"
    "  table.cards, .cards tbody, .cards tr, .cards td { display: block; }\n"
    "  .cards tr.head { display: none; }\n"
    "  .cards tr { border: 1px solid var(--line); margin-bottom: 0.8em; }\n"
    "  .cards td { border: 0; text-align: left; overflow-wrap: anywhere; }\n"
    "  .cards td[data-label]::before { content: attr(data-label) \": \"; color: var(--soft); }\n"
    "  .cards td:empty { display: none; }\n"
    "  th:first-child { min-width: 8em; max-width: 40vw; white-space: normal; overflow-wrap: anywhere; }\n"
    "}\n";

void page_text(FILE *f, const char *text)
{
    char *clean = utf8_clean(text);
    for (const char *p = clean; *p; p++)
        switch (*p) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*p, f);
        }
    free(clean);
}

void page_begin(FILE *f, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<style>\n", f);
    fputs(STYLE, f);
    fputs("</style>\n<title>", f);
    page_text(f, title);
    fputs("</title>\n</head>\n<body>\n<h1>", f);
    page_text(f, title);
    fputs("</h1>\n", f);
}

void page_end(FILE *f)
{
    fputs("</body>\n</html>\n", f);
}

void page_heading(FILE *f, int level, const char *id, const char *text)
{
    fprintf(f, "<h%d", level);
    if (id)
        fprintf(f, " id=\"%s\"", id);
    fputc('>', f);
    page_text(f, text);
    fprintf(f, "</h%d>\n", level);
}

void page_paragraph(FILE *f, const char *class, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = mem_vformat(format, ap);
    va_end(ap);
    if (class)
        fprintf(f, "<p class=\"%s\">", class);
    else
        fputs("<p>", f);
    page_text(f, text);
    fputs("</p>\n", f);
    free(text);
}

void page_table_begin(FILE *f, const char *class)
{
    fputs("<div class=\"scroll\"><table", f);
    if (class)
        fprintf(f, " class=\"%s\"", class);
    fputs(">\n", f);
}

void page_table_end(FILE *f)
{
    fputs("</table></div>\n", f);
}

void page_head(FILE *f, const char *text)
{
    fputs("<th>", f);
    page_text(f, text);
    fputs("</th>", f);
}

void page_words(FILE *f, const char *text)
{
    fputs("<td class=\"words\">", f);
    page_text(f, text);
    fputs("</td>", f);
}

void page_cell(FILE *f, const char *class, const char *label)
{
    fputs("<td", f);
    if (class)
        fprintf(f, " class=\"%s\"", class);
    fputs(" data-label=\"", f);
    page_text(f, label);
    fputs("\">", f);
}

void page_number_text(double v, char *text, size_t size)
{
    char digits[400];
    bool whole = v == floor(v), grouped = whole || fabs(v) >= 1000;
    snprintf(digits, sizeof digits, whole ? "%.0f" : fabs(v) >= 1000 ? "%.1f" : "%.4g", v);
    size_t n = grouped ? strcspn(digits, ".") : 0, used = 0;
    for (size_t i = 0; digits[i] && used + 5 < size; i++) {
        if (i && i < n && (n - i) % 3 == 0 && digits[i - 1] != '-')
            used += (size_t)snprintf(text + used, size - used, "%s", NARROW_SPACE);
        text[used++] = digits[i];
    }
    text[used] = 0;
}

void page_number(FILE *f, double v)
{
    char text[600];
    if (isnan(v))
        snprintf(text, sizeof text, "\u2013");
    else
        page_number_text(v, text, sizeof text);
    fputs(text, f);
}
