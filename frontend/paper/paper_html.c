/* A paper's results as one page that needs no other file: the summary, pictures and tables, claims, runs. */
#include "frontend/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/page/page.h"

/* ---- claims ---- */

enum { SHORT = 64 };                 /* characters of a text that is not folded */

/* A text of parts, each of which begins with its benchmark; sign: a character between the parts. */
struct parts { const char *label, *text; char sign; };

static size_t part_length(const char *at, char sign)
{
    size_t n = 0;
    while (at[n] && at[n] != sign)
        n++;
    return n;
}

/* The part about the benchmark with the worst deviation, or else the first. */
static const char *worst_part(const struct parts *p, const char *worst)
{
    size_t length = worst ? strlen(worst) : 0;
    for (const char *at = p->text; length && *at; at += part_length(at, p->sign)) {
        at += at[0] == p->sign;
        at += strspn(at, " ");
        if (!strncmp(at, worst, length) && strchr(": ", at[length]))
            return at;
    }
    return p->text;
}

/* The beginning of that part, up to a word's end. */
static void summary(const struct parts *p, const char *worst, FILE *f)
{
    char text[SHORT + 1];
    const char *at = worst_part(p, worst);
    size_t n = part_length(at, p->sign), end = n < SHORT ? n : SHORT;
    while (n > SHORT && end > 1 && at[end] != ' ')
        end--;
    snprintf(text, sizeof text, "%.*s", (int)end, at);
    fputs("<summary>", f);
    page_text(f, text);
    fputs(" ...</summary>", f);
}

static void part_lines(const struct parts *p, FILE *f)
{
    for (const char *at = p->text; *at;) {
        size_t n = part_length(at, p->sign);
        char *line = mem_string_n(at, n);
        fputs("<div>", f);
        page_text(f, line);
        fputs("</div>", f);
        free(line);
        at += n;
        at += strspn(at, ";,+ ");
    }
}

/* A cell; a long text is folded: a line for each part. */
static void parts_cell(const struct parts *p, const char *worst, FILE *f)
{
    page_cell(f, "words", p->label);
    if (strlen(p->text) <= SHORT) {
        page_text(f, p->text);
    } else {
        fputs("<details>", f);
        summary(p, worst, f);
        part_lines(p, f);
        fputs("</details>", f);
    }
    fputs("</td>", f);
}

static void text_cell(FILE *f, const char *class, const char *label, const char *text)
{
    page_cell(f, class, label);
    page_text(f, text);
    fputs("</td>", f);
}

static void claim_row(const struct paper_claim_result *r, FILE *f)
{
    const struct paper_claim *c = r->claim;
    char deviation[40] = "", verdict[16];
    snprintf(verdict, sizeof verdict, "words v%d", (int)r->verdict);
    if (!isnan(r->deviation))
        snprintf(deviation, sizeof deviation, "%+.1f %%%s%s", 100 * r->deviation, r->worst ? " " : "",
                 r->worst ? r->worst : "");
    fprintf(f, "<tr><td class=\"name\">%s</td>", c->id);
    page_words(f, c->wording);
    parts_cell(&(struct parts){ "benchmarks", c->benches ? c->benches : "", '+' }, NULL, f);
    text_cell(f, "number", "published", r->published);
    parts_cell(&(struct parts){ "simulated", r->simulated, ',' }, r->worst, f);
    text_cell(f, "number", "deviation", deviation);
    text_cell(f, "words", "tolerance", r->tolerance);
    text_cell(f, verdict, "verdict", paper_verdict_name(r->verdict));
    parts_cell(&(struct parts){ "because", r->reason, ';' }, r->worst, f);
    fputs("</tr>\n", f);
}

static void claims_head(FILE *f)
{
    static const char *const columns[] = { "id", "what", "benchmarks", "published", "simulated", "deviation",
                                           "tolerance", "verdict", "because" };
    page_table_begin(f, "cards");
    fputs("<tr class=\"head\">", f);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        page_head(f, columns[i]);
    fputs("</tr>\n", f);
}

/* What the verdicts mean: the rules of docs/claims.md. */
static const char *const LEGEND[PAPER_VERDICTS] = {
    [PAPER_VERDICT_MEASURED] = "a quantity that a run measured is within the tolerance, or meets the bound or relation",
    [PAPER_VERDICT_BY_CONFIGURATION] = "it holds, but follows from a preset, the program, cost arithmetic or the model",
    [PAPER_VERDICT_NOT_REPRODUCED] = "it does not hold: the last column says why",
    [PAPER_VERDICT_NOT_JUDGED] = "a run that it reads is missing, or its size is not that of this grid",
    [PAPER_VERDICT_NOT_APPLICABLE] = "not a result of simulation",
};
static const char RULES[] =
    "Each row has one fixed mean, which is judged; the others stand in parentheses: averages of relative performance "
    "are harmonic, since the papers draw execution times; averages of speed-ups, times, shares and counts are "
    "arithmetic. Tolerance: 15 % of the published value for ratios, 25 % for counts and where the paper says "
    "\"about\"; less where the paper says that nothing changes or prints the digits of a constant. A bound or a range "
    "that the paper states is judged as it is. Deviation: of the simulated value from the published one, of several "
    "benchmarks the worst. ";

static void legend(FILE *f)
{
    page_table_begin(f, NULL);
    for (int v = 0; v < PAPER_VERDICTS; v++) {
        fprintf(f, "<tr><td class=\"v%d\">%s</td>", v, paper_verdict_name((enum paper_verdict)v));
        page_words(f, LEGEND[v]);
        fputs("</tr>", f);
    }
    page_table_end(f);
}

static void claims_table(const struct paper_grid *g, const struct paper_claim_result *r, FILE *f)
{
    page_heading(f, 2, "claims", "Claims");
    legend(f);
    fputs("<p>", f);
    page_text(f, RULES);
    page_text(f, g->paper->about);
    fputs("</p>\n", f);
    claims_head(f);
    for (int i = 0; i < g->paper->nclaims; i++)
        claim_row(&r[i], f);
    page_table_end(f);
}

/* ---- summary ---- */

static bool deviates(const struct paper_claim_result *r)
{
    return r->verdict == PAPER_VERDICT_NOT_REPRODUCED;
}

/* Largest deviation first; relations, which have none, last. */
static int by_deviation(const void *a, const void *b)
{
    const struct paper_claim_result *x = *(const struct paper_claim_result *const *)a;
    const struct paper_claim_result *y = *(const struct paper_claim_result *const *)b;
    double dx = isnan(x->deviation) ? -1 : fabs(x->deviation), dy = isnan(y->deviation) ? -1 : fabs(y->deviation);
    return dx < dy ? 1 : dx > dy ? -1 : x < y ? -1 : x > y;
}

static void claims_list(const struct paper_claim_result **r, int n, FILE *f)
{
    claims_head(f);
    for (int i = 0; i < n; i++)
        claim_row(r[i], f);
    page_table_end(f);
}

static void headlines(const struct paper_grid *g, const struct paper_claim_result *r, FILE *f)
{
    const struct paper *p = g->paper;
    const struct paper_claim_result **list = mem_zero((size_t)p->nclaims, sizeof *list, "the summary of a paper");
    int n = 0;
    for (int i = 0; i < p->nclaims; i++)
        if (paper_claim_is_headline(p, r[i].claim))
            list[n++] = &r[i];
    page_heading(f, 2, "headlines", "Headlines");
    claims_list(list, n, f);
    free(list);
}

static void deviations(const struct paper_grid *g, const struct paper_claim_result *r, FILE *f)
{
    enum { FIRST = 8 };
    const struct paper *p = g->paper;
    const struct paper_claim_result **list = mem_zero((size_t)p->nclaims, sizeof *list, "the summary of a paper");
    int n = 0;
    for (int i = 0; i < p->nclaims; i++)
        if (deviates(&r[i]))
            list[n++] = &r[i];
    qsort(list, (size_t)n, sizeof *list, by_deviation);
    page_heading(f, 2, "deviations", "Deviations");
    page_paragraph(f, NULL, "%d claims are not reproduced, the largest deviation first%s.", n,
                   n ? ", relations that do not hold last" : "");
    if (n)
        claims_list(list, n < FIRST ? n : FIRST, f);
    if (n > FIRST) {
        fprintf(f, "<details><summary>%d more</summary>\n", n - FIRST);
        claims_list(list + FIRST, n - FIRST, f);
        fputs("</details>\n", f);
    }
    free(list);
}

/* ---- runs ---- */

static double simulated_cycles(const struct paper_run *run)
{
    const json_t *cycles = json_object_get(json_object_get(run->stats, "total"), "cycles");
    return json_is_number(cycles) ? json_number_value(cycles) : NAN;
}

static void run_row(const struct paper_grid *g, const struct paper_run *run, FILE *f)
{
    const struct paper *p = g->paper;
    const struct batch_run *process = run->process;
    double cycles = simulated_cycles(run);
    fprintf(f, "<tr><td>%s</td>", p->benches[run->bench].name);
    page_words(f, p->configs[run->config].label);
    if (p->seeds)
        fprintf(f, "<td>%d</td>", run->seed);
    if (process->state != BATCH_DONE) {
        page_words(f, process->state == BATCH_FAILED ? "failed" : "not run");
        fputs("<td></td><td></td><td></td>", f);
        page_words(f, process->error ? process->error : "");
    } else {
        page_words(f, "done");
        fprintf(f, "<td>%.0f</td><td>%.1f</td><td>%.0f</td><td></td>", isnan(cycles) ? 0 : cycles, process->seconds,
                isnan(cycles) || process->seconds <= 0 ? 0 : cycles / process->seconds / 1000);
    }
    fputs("</tr>\n", f);
}

static void runs_table(const struct paper_grid *g, FILE *f)
{
    page_heading(f, 2, "runs", "Runs");
    page_table_begin(f, NULL);
    fprintf(f, "<tr><th>benchmark</th><th>configuration</th>%s<th>state</th><th>core cycles</th>"
            "<th>seconds</th><th>thousand core cycles/s</th><th>error</th></tr>\n",
            g->paper->seeds ? "<th>seed</th>" : "");
    for (int i = 0; i < g->nruns; i++)
        run_row(g, &g->runs[i], f);
    page_table_end(f);
}

static void configurations(const struct paper_grid *g, FILE *f)
{
    page_heading(f, 2, "configurations", "Configurations");
    page_table_begin(f, NULL);
    fputs("<tr><th>name</th><th>what</th><th>presets</th><th>keys</th></tr>\n", f);
    for (int i = 0; i < g->paper->nconfigs; i++) {
        const struct paper_config *c = &g->paper->configs[i];
        fprintf(f, "<tr><td>%s</td>", c->id);
        page_words(f, c->label);
        page_words(f, c->presets);
        page_words(f, c->sets ? c->sets : "");
        fputs("</tr>\n", f);
    }
    page_table_end(f);
}

static void verdict_counts(const int count[PAPER_VERDICTS], FILE *f)
{
    char counts[120];
    paper_claims_count_text(count, counts, sizeof counts);
    fprintf(f, " Claims: %s.", counts);
}

static void figures(const struct paper_grid *g, struct paper_chart **charts, FILE *f)
{
    for (int i = 0; i < g->paper->nfigures; i++) {
        const struct paper_figure *figure = &g->paper->figures[i];
        page_heading(f, 2, figure->id, figure->title);
        if (figure->chart != PAPER_CHART_TABLE) {
            fputs("<div class=\"scroll\">", f);
            paper_chart_svg(charts[i], f);
            fputs("</div>\n", f);
        }
        if (figure->chart != PAPER_CHART_STACK)
            paper_chart_html(charts[i], f);
    }
}

void paper_page(const struct paper_grid *g, struct paper_chart **charts, const struct paper_claim_result *claims,
                const int count[PAPER_VERDICTS], FILE *f)
{
    const struct paper *p = g->paper;
    bool quick = g->size == PAPER_SIZE_QUICK;
    page_begin(f, p->title);
    fprintf(f, "<p>Simulated by simtx %s, %s sizes.", SIMTX_VERSION, quick ? "reduced" : "the paper's");
    if (p->nclaims)
        verdict_counts(count, f);
    fputs("</p>\n", f);
    page_paragraph(f, "soft", "In tables, published values stand in parentheses; in pictures they are outlined with "
                   "dashes. A dash or a gap is a run that is missing.%s", quick ? " A published value stands beside a "
                   "reduced run only where it does not depend on the size." : "");
    if (p->nclaims) {
        headlines(g, claims, f);
        paper_readings_html(g, f);
        deviations(g, claims, f);
    }
    figures(g, charts, f);
    if (p->nclaims)
        claims_table(g, claims, f);
    configurations(g, f);
    runs_table(g, f);
    page_end(f);
}
