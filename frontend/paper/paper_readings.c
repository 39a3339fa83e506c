/*
 * Headlines in other readings of the paper: where its text leaves a value open, the runs with another value take the
 * place of those that are judged (READING in paper_rows.def). A headline that a reading has no runs for is left out.
 */
#include "frontend/paper/paper.h"

#include <math.h>

#include "frontend/page/page.h"

static const char JUDGED[] = "as judged";

/* The i-th headline that is a mean; NULL after the last. */
static const struct paper_claim *headline(const struct paper *p, int i)
{
    for (int c = 0; c < p->nclaims; c++)
        if (paper_claim_is_headline(p, &p->claims[c]) && paper_claim_is_mean(p->claims[c].kind) && i-- == 0)
            return &p->claims[c];
    return NULL;
}

void paper_readings_print(const struct paper_grid *g)
{
    const struct paper *p = g->paper;
    const struct paper_claim *c;
    for (int r = 0; r < p->nreadings; r++)
        for (int i = 0; (c = headline(p, i)) != NULL; i++) {
            double value = paper_claim_mean(g, c, p->readings[r].text);
            if (!isnan(value))
                printf("%-6s %12.4g  %s\n", c->id, value, p->readings[r].name);
        }
}

static void csv_row(const struct paper_grid *g, const struct paper_claim *c, const struct paper_text *reading, FILE *f)
{
    double value = paper_claim_mean(g, c, reading ? reading->text : NULL);
    if (!isnan(value))
        fprintf(f, "%s,\"%s\",%.6g,%.6g\n", c->id, reading ? reading->name : JUDGED, c->published, value);
}

void paper_readings_csv(const struct paper_grid *g, FILE *f)
{
    const struct paper_claim *c;
    fputs("id,reading,published,simulated\n", f);
    for (int i = 0; (c = headline(g->paper, i)) != NULL; i++)
        for (int r = -1; r < g->paper->nreadings; r++)
            csv_row(g, c, r < 0 ? NULL : &g->paper->readings[r], f);
}

/* A value in the colour of its verdict. */
static void value_cell(const struct paper_claim *c, const char *label, double value, FILE *f)
{
    char class[16];
    int verdict = paper_claim_near(c, value) ? PAPER_VERDICT_MEASURED : PAPER_VERDICT_NOT_REPRODUCED;
    snprintf(class, sizeof class, "number v%d", verdict);
    page_cell(f, isnan(value) ? "number" : class, label);
    if (isnan(value))
        fputs("\xe2\x80\x93</td>", f);
    else
        fprintf(f, "%.4g</td>", value);
}

static void html_row(const struct paper_grid *g, const struct paper_claim *c, FILE *f)
{
    fprintf(f, "<tr><td class=\"name\">%s</td>", c->id);
    page_words(f, c->wording);
    page_cell(f, "number", "published");
    fprintf(f, "%.4g</td>", c->published);
    value_cell(c, JUDGED, paper_claim_mean(g, c, NULL), f);
    for (int r = 0; r < g->paper->nreadings; r++)
        value_cell(c, g->paper->readings[r].name, paper_claim_mean(g, c, g->paper->readings[r].text), f);
    fputs("</tr>\n", f);
}

static void html_head(const struct paper *p, FILE *f)
{
    static const char *const columns[] = { "id", "what", "published", JUDGED };
    fputs("<tr class=\"head\">", f);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        page_head(f, columns[i]);
    for (int r = 0; r < p->nreadings; r++)
        page_head(f, p->readings[r].name);
    fputs("</tr>\n", f);
}

void paper_readings_html(const struct paper_grid *g, FILE *f)
{
    const struct paper_claim *c;
    if (!g->paper->nreadings)
        return;
    page_heading(f, 2, "readings", "Headlines in other readings of the paper");
    page_table_begin(f, "cards");
    html_head(g->paper, f);
    for (int i = 0; (c = headline(g->paper, i)) != NULL; i++)
        html_row(g, c, f);
    page_table_end(f);
}
