/* What differs between two runs: configuration keys, then figures, the largest difference first (compare.h). */
#include "frontend/report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "frontend/page/page.h"
#include "frontend/report/compare.h"

enum { FIRST = 30, MOST = 400, FEW = 12 };

static void value_cell(const json_t *v, FILE *f)
{
    if (v && !json_is_number(v)) {
        char *text = report_json_text(v);
        page_words(f, text);
        free(text);
        return;
    }
    fputs("<td class=\"number\">", f);
    page_number(f, v ? json_number_value(v) : NAN);
    fputs("</td>", f);
}

static void rows(const struct report *r, const struct comparison *c, uint32_t from, uint32_t to, FILE *f)
{
    page_table_begin(f, NULL);
    fputs("<tr><th></th>", f);
    page_head(f, r->run[0].name);
    page_head(f, r->run[1].name);
    fputs("<th>difference</th></tr>\n", f);
    for (uint32_t i = from; i < to; i++) {
        const struct compare_figure *figure = &c->figure[i];
        double percent = compare_percent(figure);
        fputs("<tr>", f);
        page_head(f, figure->name);
        value_cell(figure->a, f);
        value_cell(figure->b, f);
        fputs("<td class=\"number\">", f);
        if (!isnan(percent))
            fprintf(f, "%+.2f %%", percent);
        fputs("</td></tr>\n", f);
    }
    page_table_end(f);
}

static void folded(const struct report *r, const struct comparison *c, uint32_t from, uint32_t to, const char *what,
                   FILE *f)
{
    fprintf(f, "<details><summary>%u %s</summary>\n", to - from, what);
    rows(r, c, from, to, f);
    fputs("</details>\n", f);
}

void report_differences(const struct report *r, FILE *f)
{
    const json_t *a = r->run[0].root, *b = r->run[1].root;
    struct comparison config = { 0 }, c = { 0 };
    compare_trees(&config, "", json_object_get(a, "config"), json_object_get(b, "config"));
    compare_trees(&c, "", json_object_get(a, "total"), json_object_get(b, "total"));
    page_heading(f, 2, "differences", "Differences");
    page_paragraph(f, NULL, "%u configuration keys differ; of %u figures of the totals %u differ, the largest "
                   "difference first.", config.n, c.compared, c.n);
    if (c.n)
        rows(r, &c, 0, c.n < FIRST ? c.n : FIRST, f);
    if (c.n > FIRST)
        folded(r, &c, FIRST, c.n < MOST ? c.n : MOST, c.n > MOST ? "more figures, up to the 400th" : "more figures", f);
    if (config.n > FEW)
        folded(r, &config, 0, config.n, "configuration keys", f);
    else if (config.n)
        rows(r, &config, 0, config.n, f);
    compare_free(&config);
    compare_free(&c);
}
