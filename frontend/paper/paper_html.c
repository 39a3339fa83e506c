/* A paper's results as one page that needs no other file: the summary, pictures and tables, claims, runs. */
#include "frontend/paper/paper.h"

#include <math.h>
#include <string.h>

void paper_html_text(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
}

static const char HEAD[] =
    "<meta charset=\"utf-8\"/>\n"
    "<style>\n"
    "body { font-family: sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }\n"
    "table { border-collapse: collapse; font-size: 13px; margin: 1em 0; }\n"
    "th, td { border: 1px solid #ccc; padding: 2px 6px; text-align: right; vertical-align: top; }\n"
    "th, td.words { text-align: left; }\n"
    ".v0 { background: #d8efd8; } .v1 { background: #dde6f4; } .v2 { background: #f6d9d9; } .v3 { background: #eee; }\n"
    ".pub { color: #666; }\n"
    "svg { max-width: 100%; border: 1px solid #eee; }\n"
    "</style>\n";

static void words(FILE *f, const char *text)
{
    fputs("<td class=\"words\">", f);
    paper_html_text(f, text);
    fputs("</td>", f);
}

static void claim_row(const struct paper_claim_result *r, FILE *f)
{
    const struct paper_claim *c = r->claim;
    fprintf(f, "<tr><td>%s</td>", c->id);
    words(f, c->wording);
    words(f, c->benches ? c->benches : "");
    fprintf(f, "<td>%s</td>", r->published);
    words(f, r->simulated);
    if (isnan(r->deviation))
        fputs("<td></td>", f);
    else
        fprintf(f, "<td>%+.1f %%</td>", 100 * r->deviation);
    words(f, r->tolerance);
    fprintf(f, "<td class=\"v%d\">%s</td>", (int)r->verdict, paper_verdict_name(r->verdict));
    words(f, r->reason);
    fputs("</tr>\n", f);
}

/* What the verdicts mean: the rules of docs/claims.md. */
static const char *const LEGEND[PAPER_VERDICTS] = {
    [PAPER_VERDICT_MEASURED] = "a quantity that a run measured is within the tolerance, or meets the bound or relation",
    [PAPER_VERDICT_BY_CONFIGURATION] = "it holds, but follows from a preset, the program, cost arithmetic or the model",
    [PAPER_VERDICT_NOT_REPRODUCED] = "it does not hold, or was not judged: the last column says why",
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
    fputs("<table>", f);
    for (int v = 0; v < PAPER_VERDICTS; v++) {
        fprintf(f, "<tr><td class=\"v%d\">%s</td>", v, paper_verdict_name((enum paper_verdict)v));
        words(f, LEGEND[v]);
        fputs("</tr>", f);
    }
    fputs("</table>\n", f);
}

static void claims_table(const struct paper_grid *g, const struct paper_claim_result *r, FILE *f)
{
    fputs("<h2>Claims</h2>\n", f);
    legend(f);
    fputs("<p>", f);
    paper_html_text(f, RULES);
    paper_html_text(f, g->paper->about);
    fputs("</p>\n<table><tr><th>id</th><th>what</th><th>benchmarks</th><th>published</th><th>simulated</th>"
          "<th>deviation</th><th>tolerance</th><th>verdict</th><th>because</th></tr>\n", f);
    for (int i = 0; i < g->paper->nclaims; i++)
        claim_row(&r[i], f);
    fputs("</table>\n", f);
}

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
    words(f, p->configs[run->config].label);
    if (process->state != BATCH_DONE) {
        words(f, process->state == BATCH_FAILED ? "failed" : "not run");
        fputs("<td></td><td></td><td></td>", f);
        words(f, process->error ? process->error : "");
    } else {
        words(f, "done");
        fprintf(f, "<td>%.0f</td><td>%.1f</td><td>%.0f</td><td></td>", isnan(cycles) ? 0 : cycles, process->seconds,
                isnan(cycles) || process->seconds <= 0 ? 0 : cycles / process->seconds / 1000);
    }
    fputs("</tr>\n", f);
}

static void runs_table(const struct paper_grid *g, FILE *f)
{
    fputs("<h2>Runs</h2>\n<table><tr><th>benchmark</th><th>configuration</th><th>state</th><th>core cycles</th>"
          "<th>seconds</th><th>thousand core cycles/s</th><th>error</th></tr>\n", f);
    for (int i = 0; i < g->nruns; i++)
        run_row(g, &g->runs[i], f);
    fputs("</table>\n", f);
}

static void configurations(const struct paper_grid *g, FILE *f)
{
    fputs("<h2>Configurations</h2>\n<table><tr><th>name</th><th>what</th><th>presets</th><th>keys</th></tr>\n", f);
    for (int i = 0; i < g->paper->nconfigs; i++) {
        const struct paper_config *c = &g->paper->configs[i];
        fprintf(f, "<tr><td>%s</td>", c->id);
        words(f, c->label);
        words(f, c->presets);
        words(f, c->sets ? c->sets : "");
        fputs("</tr>\n", f);
    }
    fputs("</table>\n", f);
}

static void verdict_counts(const struct paper_grid *g, const struct paper_claim_result *claims,
                           const int count[PAPER_VERDICTS], FILE *f)
{
    char counts[120];
    paper_claims_count_text(count, counts, sizeof counts);
    fprintf(f, " Claims: %s; %d of those not reproduced were not judged because a run is missing.", counts,
            paper_claims_not_judged(claims, g->paper->nclaims));
}

void paper_page(const struct paper_grid *g, struct paper_chart **charts, const struct paper_claim_result *claims,
                const int count[PAPER_VERDICTS], FILE *f)
{
    const struct paper *p = g->paper;
    fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n%s<title>", HEAD);
    paper_html_text(f, p->title);
    fputs("</title>\n</head>\n<body>\n<h1>", f);
    paper_html_text(f, p->title);
    fprintf(f, "</h1>\n<p>Simulated by simtx %s, %s sizes.", SIMTX_VERSION,
            g->size == PAPER_SIZE_QUICK ? "reduced" : "the paper's");
    if (p->nclaims)
        verdict_counts(g, claims, count, f);
    fputs("</p>\n<p>In tables, published values stand in parentheses; in pictures they are outlined with dashes. A dash or a "
          "gap is a run that is missing.</p>\n", f);
    for (int i = 0; i < p->nfigures; i++) {
        fprintf(f, "<h2 id=\"%s\">", p->figures[i].id);
        paper_html_text(f, p->figures[i].title);
        fputs("</h2>\n", f);
        if (p->figures[i].chart != PAPER_CHART_TABLE)
            paper_chart_svg(charts[i], f);
        if (p->figures[i].chart != PAPER_CHART_STACK)
            paper_chart_html(charts[i], f);
    }
    if (p->nclaims)
        claims_table(g, claims, f);
    configurations(g, f);
    runs_table(g, f);
    fputs("</body>\n</html>\n", f);
}
