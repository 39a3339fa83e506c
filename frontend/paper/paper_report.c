/* The files of results and the summary on stdout. */
#include "frontend/paper/paper.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* NULL after a message. */
static FILE *create(const struct paper_grid *g, const char *name, const char *end)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s%s", g->out, name, end);
    FILE *f = fopen(path, "w");
    if (!f)
        fprintf(stderr, "simtx paper: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static bool close_file(const struct paper_grid *g, const char *name, FILE *f)
{
    bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed)
        return true;
    fprintf(stderr, "simtx paper: cannot write %s/%s: %s\n", g->out, name, strerror(errno));
    return false;
}

static bool write_chart(const struct paper_grid *g, const struct paper_chart *c)
{
    const char *id = c->figure->id;
    FILE *f = create(g, id, ".csv");
    if (!f)
        return false;
    paper_chart_csv(c, f);
    if (!close_file(g, id, f))
        return false;
    if (c->figure->chart == PAPER_CHART_TABLE)
        return true;
    if (!(f = create(g, id, ".svg")))
        return false;
    paper_chart_svg(c, f);
    return close_file(g, id, f);
}

static bool write_claims(const struct paper_grid *g, const struct paper_claim_result *r)
{
    FILE *f = create(g, "claims", ".csv");
    if (!f)
        return false;
    paper_claims_csv(r, g->paper->nclaims, f);
    return close_file(g, "claims.csv", f);
}

static bool write_readings(const struct paper_grid *g)
{
    FILE *f = g->paper->nreadings ? create(g, "readings", ".csv") : NULL;
    if (!f)
        return !g->paper->nreadings;
    paper_readings_csv(g, f);
    return close_file(g, "readings.csv", f);
}

static bool write_page(const struct paper_grid *g, struct paper_chart **charts, const struct paper_claim_result *r,
                       const int count[PAPER_VERDICTS])
{
    FILE *f = create(g, "index", ".html");
    if (!f)
        return false;
    paper_page(g, charts, r, count, f);
    return close_file(g, "index.html", f);
}

static void headline(const struct paper_claim_result *r)
{
    printf("%-6s %-58.58s %12s %12s  %-16s %s\n", r->claim->id, r->claim->wording, r->published, r->tolerance,
           paper_verdict_name(r->verdict), r->verdict == PAPER_VERDICT_NOT_JUDGED ? r->reason : r->simulated);
}

static void summary(const struct paper_grid *g, const struct paper_claim_result *r, const int count[PAPER_VERDICTS])
{
    char counts[120];
    int n = g->paper->nclaims;
    if (n)
        printf("%-6s %-58s %12s %12s  %-16s %s\n", "claim", "headline", "published", "tolerance", "verdict",
               "simulated");
    for (int i = 0; i < n; i++)
        if (paper_claim_is_headline(g->paper, r[i].claim))
            headline(&r[i]);
    paper_readings_print(g);
    printf("page: %s/index.html\n", g->out);
    if (!n)
        return;
    paper_claims_count_text(count, counts, sizeof counts);
    printf("claims: %s\n", counts);
}

bool paper_report(const struct paper_grid *g)
{
    const struct paper *p = g->paper;
    int count[PAPER_VERDICTS];
    bool ok = true;
    struct paper_claim_result *claims = paper_claims_judge(g, count);
    struct paper_chart **charts = mem_zero((size_t)p->nfigures, sizeof *charts, "the figures of a paper");
    for (int i = 0; i < p->nfigures; i++) {
        charts[i] = paper_chart_new(g, &p->figures[i]);
        ok = ok && write_chart(g, charts[i]);
    }
    ok = ok && (!p->nclaims || write_claims(g, claims)) && write_readings(g) && write_page(g, charts, claims, count);
    summary(g, claims, count);
    for (int i = 0; i < p->nfigures; i++)
        paper_chart_free(charts[i]);
    free(charts);
    free(claims);
    return ok;
}
