/*
 * Verdicts on a paper's claims, with numbers and what explains them; the rules are in docs/claims.md. A claim that
 * holds is measured only if its row says so and its expression read a statistic that a run measured.
 */
#include "frontend/paper/paper.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "frontend/paper/expr_functions.h"

static const char *const MEANS[EXPR_MEAN_KINDS] = { "arithmetic", "geometric", "harmonic" };
_Static_assert(PAPER_CLAIM_GEOMETRIC - PAPER_CLAIM_ARITHMETIC == EXPR_MEAN_GEOMETRIC &&
               PAPER_CLAIM_HARMONIC - PAPER_CLAIM_ARITHMETIC == EXPR_MEAN_HARMONIC, "the means are in the same order");

/* ---- one claim ---- */

/* Values of its benchmarks; without a list, the one value that there is. */
struct sample {
    double v[EXPR_LIST_MAX];
    const char *bench[EXPR_LIST_MAX];
    char relation[EXPR_LIST_MAX][120];
    int n;
    bool complete;
};

static void evaluate(struct paper_values *v, const struct paper_claim *c, struct sample *s)
{
    const struct paper *p = v->grid->paper;
    int bench = -1, config = -1;
    const char *error = NULL;
    s->complete = true;
    while (c->benches ? paper_member(p, c->benches, s->n, &bench, &config) > 0 : s->n == 0) {
        s->v[s->n] = paper_value(v, c->expr, bench, -1, &error);
        snprintf(s->relation[s->n], sizeof s->relation[s->n], "%s", v->relations);
        s->bench[s->n] = bench >= 0 ? p->benches[bench].name : NULL;
        s->complete &= !isnan(s->v[s->n]);
        s->n++;
    }
}

static bool holds(const struct paper_claim *c, double v)
{
    switch (c->kind) {
    case PAPER_CLAIM_VALUE: return fabs(v - c->published) <= c->tolerance * fabs(c->published) + 1e-9;
    case PAPER_CLAIM_BELOW: return v < c->published;
    case PAPER_CLAIM_ABOVE: return v > c->published;
    case PAPER_CLAIM_WITHIN: return v >= c->published && v <= c->tolerance;
    default: return v != 0;
    }
}

/* The numbers that a relation compares; "yes" or "no" when it compares none. */
static void show_relation(const struct sample *s, int i, struct paper_claim_result *r)
{
    const char *numbers = s->relation[i], *verdict = s->v[i] != 0 ? "yes" : "no";
    if (*numbers)
        text_append(r->simulated, sizeof r->simulated, s->v[i] != 0 ? "%s" : "%s (does not hold)", numbers);
    else
        text_append(r->simulated, sizeof r->simulated, "%s", verdict);
}

static void show_values(const struct paper_claim *c, const struct sample *s, struct paper_claim_result *r)
{
    for (int i = 0; i < s->n; i++) {
        text_append(r->simulated, sizeof r->simulated, "%s%s%s", i ? ", " : "", s->n > 1 ? s->bench[i] : "",
               s->n > 1 ? " " : "");
        if (isnan(s->v[i]))
            text_append(r->simulated, sizeof r->simulated, "?");
        else if (c->kind == PAPER_CLAIM_TRUE)
            show_relation(s, i, r);
        else
            text_append(r->simulated, sizeof r->simulated, "%.*g", s->v[i] == floor(s->v[i]) ? 15 : 4, s->v[i]);
    }
}

/* The least and the most. */
static void show_range(const struct sample *s, struct paper_claim_result *r)
{
    int least = 0, most = 0;
    for (int i = 0; i < s->n; i++) {
        least = s->v[i] < s->v[least] ? i : least;
        most = s->v[i] > s->v[most] ? i : most;
    }
    text_append(r->simulated, sizeof r->simulated, "%.4g", s->v[least]);
    if (s->n > 1)
        text_append(r->simulated, sizeof r->simulated, " (%s) to %.4g (%s)", s->bench[least], s->v[most],
                    s->bench[most]);
}

/* Of a range: from its nearer end. */
static double deviation(const struct paper_claim *c, double v)
{
    if (c->kind == PAPER_CLAIM_WITHIN)
        return v < c->published ? v / c->published - 1 : v > c->tolerance ? v / c->tolerance - 1 : 0;
    return c->kind == PAPER_CLAIM_TRUE || c->published == 0 ? NAN : v / c->published - 1;
}

/* Is a deviation worse than another: nearer to the bound, or farther beyond it; or else larger? */
static bool is_worse(const struct paper_claim *c, double d, double than)
{
    if (isnan(than))
        return true;
    return c->kind == PAPER_CLAIM_BELOW ? d > than : c->kind == PAPER_CLAIM_ABOVE ? d < than : fabs(d) > fabs(than);
}

/* Every benchmark's value; the deviation is the worst. */
static bool judge_each(const struct paper_claim *c, const struct sample *s, struct paper_claim_result *r)
{
    bool all = true;
    if (c->kind == PAPER_CLAIM_WITHIN && s->complete)
        show_range(s, r);
    else
        show_values(c, s, r);
    for (int i = 0; i < s->n; i++) {
        double d = deviation(c, s->v[i]);
        bool good = !isnan(s->v[i]) && holds(c, s->v[i]);
        all &= good;
        if (c->kind == PAPER_CLAIM_TRUE ? !good && !r->worst : is_worse(c, d, r->deviation)) {
            r->deviation = d;
            r->worst = s->n > 1 ? s->bench[i] : NULL;
        }
    }
    return all;
}

bool paper_claim_near(const struct paper_claim *c, double value)
{
    return fabs(deviation(c, value)) <= c->tolerance + 1e-9;
}

double paper_claim_mean(const struct paper_grid *g, const struct paper_claim *c, const char *instead)
{
    struct paper_values v = { .grid = g, .instead = instead };
    struct sample s = { .n = 0 };
    if (!paper_claim_is_mean(c->kind))
        return NAN;
    evaluate(&v, c, &s);
    return s.complete ? expr_mean((enum expr_mean_kind)(c->kind - PAPER_CLAIM_ARITHMETIC), s.v, s.n) : NAN;
}

/* The row's own mean is judged; the other two are shown beside it in parentheses. */
static bool judge_mean(const struct paper_claim *c, const struct sample *s, struct paper_claim_result *r)
{
    const int own = (int)c->kind - PAPER_CLAIM_ARITHMETIC;
    double mean = expr_mean((enum expr_mean_kind)own, s->v, s->n);
    const char *between = " (";
    text_append(r->simulated, sizeof r->simulated, "%.4g %s", mean, MEANS[own]);
    for (int k = 0; k < EXPR_MEAN_KINDS; k++)
        if (k != own) {
            text_append(r->simulated, sizeof r->simulated, "%s%.4g %s", between,
                   expr_mean((enum expr_mean_kind)k, s->v, s->n), MEANS[k]);
            between = ", ";
        }
    text_append(r->simulated, sizeof r->simulated, ")");
    r->deviation = deviation(c, mean);
    return paper_claim_near(c, mean);
}

/* The figures that explain a result, for each benchmark of the claim. */
static void explain(const struct paper_grid *g, const struct paper_claim *c, struct paper_claim_result *r)
{
    int bench = -1, config = -1;
    char label[80], expr[300];
    const char *error = NULL, *between = "";
    for (int i = 0; c->benches ? paper_member(g->paper, c->benches, i, &bench, &config) > 0 : i == 0; i++) {
        bool first = true;
        for (int part = 0; paper_part(g->paper, c->because, part, label, expr); part++) {
            struct paper_values v = { .grid = g };
            double value = paper_value(&v, expr, bench, -1, &error);
            if (isnan(value))
                continue;
            if (first && bench >= 0)
                text_append(r->reason, sizeof r->reason, "%s%s: ", between, g->paper->benches[bench].name);
            text_append(r->reason, sizeof r->reason, "%s%s %.4g", first ? "" : ", ", label, value);
            first = false;
            between = "; ";
        }
    }
}

static void show_published(const struct paper_claim *c, struct paper_claim_result *r)
{
    static const char *const before[] = { [PAPER_CLAIM_BELOW] = "below ", [PAPER_CLAIM_ABOVE] = "above " };
    const char *sign = c->kind == PAPER_CLAIM_BELOW || c->kind == PAPER_CLAIM_ABOVE ? before[c->kind] : "";
    if (c->kind == PAPER_CLAIM_TRUE)
        snprintf(r->published, sizeof r->published, "holds");
    else if (c->kind == PAPER_CLAIM_WITHIN)
        snprintf(r->published, sizeof r->published, "%.6g to %.6g", c->published, c->tolerance);
    else
        snprintf(r->published, sizeof r->published, "%s%.6g", sign, c->published);
}

/* Text of the tolerance column; for a bound or a range, the published one. */
static void show_tolerance(const struct paper_claim *c, struct paper_claim_result *r)
{
    bool bound = c->kind == PAPER_CLAIM_BELOW || c->kind == PAPER_CLAIM_ABOVE || c->kind == PAPER_CLAIM_WITHIN;
    bool relation = c->kind == PAPER_CLAIM_TRUE;
    if (c->kind == PAPER_CLAIM_NOT_APPLICABLE)
        return;
    text_append(r->tolerance, sizeof r->tolerance, "%s", bound ? r->published : relation ? "relation" : "");
    if (!bound && c->tolerance > 0)
        text_append(r->tolerance, sizeof r->tolerance, "%s%.3g %%", relation ? ", " : "", 100 * c->tolerance);
    if (!r->tolerance[0])
        text_append(r->tolerance, sizeof r->tolerance, "exact");
}

/* The verdict on a claim that holds. */
static enum paper_verdict holding(const struct paper_claim *c, const struct paper_values *v)
{
    bool measured = c->basis == PAPER_BASIS_RUN && v->sources & PAPER_SOURCE_RUN;
    return measured ? PAPER_VERDICT_MEASURED : PAPER_VERDICT_BY_CONFIGURATION;
}

static void judge_values(const struct paper_grid *g, const struct paper_claim *c, struct paper_claim_result *r)
{
    struct paper_values v = { .grid = g };
    struct sample s = { .n = 0 };
    evaluate(&v, c, &s);
    bool good = paper_claim_is_mean(c->kind) && s.complete ? judge_mean(c, &s, r) : judge_each(c, &s, r);
    if (!s.complete) {
        r->verdict = PAPER_VERDICT_NOT_JUDGED;
        r->deviation = NAN;
        snprintf(r->reason, sizeof r->reason, "%s", v.missing);
        return;
    }
    if (good)
        r->verdict = holding(c, &v);
    if (c->because)
        explain(g, c, r);
}

static void judge(const struct paper_grid *g, const struct paper_claim *c, struct paper_claim_result *r)
{
    *r = (struct paper_claim_result){ .claim = c, .verdict = PAPER_VERDICT_NOT_REPRODUCED, .deviation = NAN };
    show_published(c, r);
    show_tolerance(c, r);
    if (c->kind == PAPER_CLAIM_NOT_APPLICABLE) {
        r->verdict = PAPER_VERDICT_NOT_APPLICABLE;
        snprintf(r->reason, sizeof r->reason, "not a result of simulation");
    } else if (!(c->sizes & g->size)) {
        r->verdict = PAPER_VERDICT_NOT_JUDGED;
        snprintf(r->reason, sizeof r->reason, "not run at this size");
    } else {
        judge_values(g, c, r);
    }
}

struct paper_claim_result *paper_claims_judge(const struct paper_grid *g, int count[PAPER_VERDICTS])
{
    const struct paper *p = g->paper;
    struct paper_claim_result *r = mem_zero((size_t)p->nclaims, sizeof *r, "the verdicts on claims");
    memset(count, 0, PAPER_VERDICTS * sizeof *count);
    for (int i = 0; i < p->nclaims; i++) {
        judge(g, &p->claims[i], &r[i]);
        count[r[i].verdict]++;
    }
    return r;
}
