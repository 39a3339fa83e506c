/* The files and the summary that `simtx paper` ends with. */
#include "frontend/paper.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    chart_csv(c, f);
    if (!close_file(g, id, f))
        return false;
    if (c->figure->chart == CHART_TABLE)
        return true;
    if (!(f = create(g, id, ".svg")))
        return false;
    chart_svg(c, f);
    return close_file(g, id, f);
}

static bool write_claims(const struct paper_grid *g, const struct claim_result *r)
{
    FILE *f = create(g, "claims", ".csv");
    if (!f)
        return false;
    claims_csv(r, g->paper->nclaims, f);
    return close_file(g, "claims.csv", f);
}

static bool write_page(const struct paper_grid *g, struct paper_chart **charts, const struct claim_result *r,
                       const int count[VERDICTS])
{
    FILE *f = create(g, "index", ".html");
    if (!f)
        return false;
    paper_page(g, charts, r, count, f);
    return close_file(g, "index.html", f);
}

static bool is_headline(const struct paper *p, const struct paper_claim *c)
{
    return p->headlines ? strstr(p->headlines, c->id) != NULL : c->kind == CLAIM_MEAN;
}

static void summary(const struct paper_grid *g, const struct claim_result *r, const int count[VERDICTS])
{
    printf("%-6s %-58s %9s  %s\n", "claim", "headline", "published", "simulated");
    for (int i = 0; i < g->paper->nclaims; i++)
        if (is_headline(g->paper, r[i].claim))
            printf("%-6s %-58.58s %9s  %s\n", r[i].claim->id, r[i].claim->wording, r[i].published,
                   r[i].judged ? r[i].simulated : r[i].reason);
    printf("page: %s/index.html\n", g->out);
    int open = 0;
    for (int i = 0; i < g->paper->nclaims; i++)
        open += r[i].verdict == NOT_REPRODUCED && !r[i].judged;
    if (open)
        printf("not judged, for want of a run: %d of the claims that are not reproduced\n", open);
    printf("claims: %d reproduced, %d not, %d not applicable of %d\n", count[REPRODUCED], count[NOT_REPRODUCED],
           count[NOT_APPLICABLE], g->paper->nclaims);
}

bool paper_report(const struct paper_grid *g)
{
    const struct paper *p = g->paper;
    int count[VERDICTS];
    bool ok = true;
    struct claim_result *claims = claims_judge(g, count);
    struct paper_chart **charts = calloc((size_t)p->nfigures, sizeof *charts);
    if (!charts)
        abort();
    for (int i = 0; i < p->nfigures; i++) {
        charts[i] = chart_new(g, &p->figures[i]);
        ok = ok && write_chart(g, charts[i]);
    }
    ok = ok && write_claims(g, claims) && write_page(g, charts, claims, count);
    summary(g, claims, count);
    for (int i = 0; i < p->nfigures; i++)
        chart_free(charts[i]);
    free(charts);
    free(claims);
    return ok;
}
