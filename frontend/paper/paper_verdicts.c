/* Verdicts as text: their names, how many there are of each, and claims.csv. */
#include "frontend/paper/paper.h"

#include <math.h>
#include <string.h>

const char *paper_verdict_name(enum paper_verdict v)
{
    static const char *const names[PAPER_VERDICTS] = {
        "measured", "by configuration", "not reproduced", "not judged", "not applicable"
    };
    return names[v];
}

const char *paper_basis_name(enum paper_basis b)
{
    static const char *const names[PAPER_BASES] = { "run", "configuration", "none" };
    return names[b];
}

void paper_claims_count_text(const int count[PAPER_VERDICTS], char *text, size_t size)
{
    int all = 0;
    size_t n = 0;
    for (int v = 0; v < PAPER_VERDICTS; v++) {
        const char *name = paper_verdict_name((enum paper_verdict)v);
        n += (size_t)snprintf(text + n, n < size ? size - n : 0, "%s%d %s", v ? ", " : "", count[v], name);
        all += count[v];
    }
    snprintf(text + n, n < size ? size - n : 0, " of %d", all);
}

bool paper_claim_is_headline(const struct paper *p, const struct paper_claim *c)
{
    return p->headlines ? strstr(p->headlines, c->id) != NULL : paper_claim_is_mean(c->kind);
}

static void quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

void paper_claims_csv(const struct paper_claim_result *r, int n, FILE *f)
{
    fputs("id,verdict,basis,published,simulated,deviation,tolerance,benchmarks,claim,reason\n", f);
    for (int i = 0; i < n; i++) {
        const struct paper_claim *c = r[i].claim;
        fprintf(f, "%s,%s,%s,%s,", c->id, paper_verdict_name(r[i].verdict), paper_basis_name(c->basis), r[i].published);
        quoted(f, r[i].simulated);
        if (isnan(r[i].deviation))
            fputs(",,", f);
        else
            fprintf(f, ",%.4g,", r[i].deviation);
        quoted(f, r[i].tolerance);
        fprintf(f, ",%s,", c->benches ? c->benches : "");
        quoted(f, c->wording);
        fputc(',', f);
        quoted(f, r[i].reason);
        fputc('\n', f);
    }
}
