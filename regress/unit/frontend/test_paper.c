/*
 * What `simtx paper` computes with: the language of figures, hardware cost, and the tables of the papers, whose every
 * name must be a figure that the statistics have; verdicts and pictures from canned statistics.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hist.h"
#include "base/stats.h"
#include "frontend/lib/config_load.h"
#include "frontend/cli/cost.h"
#include "frontend/paper/paper.h"
#include "frontend/sweep/batch.h"

static const struct paper *paper;         /* of the grid */

/* ---- the language ---- */

static double toy_name(struct expr_env *e, const char *name)
{
    return !strcmp(name, "bench") ? e->bench : !strcmp(name, "config") ? e->config : NAN;
}

static const char *toy_key(struct expr_env *e, const char *key)
{
    return !strcmp(key, "a.b") ? "12" : !strcmp(key, "flag") ? "true" : !strcmp(key, "text") ? "lrr"
         : !strcmp(key, "hyphen") ? "a-b" : NULL;
}

/* "N": the numbers 1 to N. */
static int toy_member(struct expr_env *e, const char *list, int i)
{
    e->bench = i + 1;
    return strspn(list, "0123456789") == strlen(list) ? i < atoi(list) : -1;
}

static bool toy_select(struct expr_env *e, const char *config)
{
    e->config = config[0] - 'a';
    return strlen(config) == 1;
}

static double toy(const char *text, bool *wrong)
{
    struct expr_env e = { .bench = -1, .config = -1, .name = toy_name, .key = toy_key, .member = toy_member,
                          .select = toy_select };
    double v = expr_value(&e, text);
    *wrong = e.error[0] != 0;
    return v;
}

static void test_language(void **state)
{
    static const struct { const char *text; double value; } rows[] = {
        { "1 + 2 * 3", 7 }, { "(1 + 2) * 3", 9 }, { "8 / 4 / 2", 1 }, { "5 - 3 - 1", 1 }, { "1.5e2", 150 },
        { "2 > 1", 1 }, { "2 <= 1", 0 }, { "1 == 1 & 2 == 3", 0 }, { "1 < 2 & 2 < 3 & 3 < 4", 1 },
        { "$a.b + 1", 13 }, { "$flag", 1 }, { "is(text, lrr)", 1 }, { "is(text, gto)", 0 },
        { "config@c", 2 }, { "(config + config@b)@d", 4 }, { "config@b + config@c", 3 }, { "is(text, lrr)@b", 1 },
        { "mean(3: bench)", 2 }, { "sum(4: bench * 2)", 20 }, { "most(3: bench) - least(3: bench)", 2 },
        { "argmax(3: 1 / bench)", 0 }, { "hmean(2: bench)", 4.0 / 3 }, { "gmean(1: bench)", 1 },
        { "median(4: bench * bench)", 6.5 },
        { "median(3: 1 / bench)", 0.5 }, { "median(5: 1)", 1 }, { "is(hyphen, a-b)", 1 }, { "is(hyphen, a)", 0 },
        { "mean(2: sum(2: bench))", 3 }, { "max(1, 2) + min(1, 2) + abs(1 - 3)", 5 },
        { "near(100, 110, 0.1)", 1 }, { "floor(7 / 2) + floor(3)", 6 }, { "near(100, 120, 0.1)", 0 },
    };
    bool wrong;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v = toy(rows[i].text, &wrong);
        if (wrong || fabs(v - rows[i].value) > 1e-12)
            fail_msg("%s is %g, expected %g", rows[i].text, v, rows[i].value);
    }
}

static void test_unknown_values(void **state)
{
    static const char *const rows[] = { "other", "other + 1", "other > 1", "1 / 0", "1 == 1 & other == 2", "$none",
                                        "is(none, x)", "mean(2: other)", "max(other, 1)", "most(2: other)" };
    bool wrong;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(isnan(toy(rows[i], &wrong)));
        assert_false(wrong);
    }
}

static void test_wrong_texts(void **state)
{
    static const char *const rows[] = { "", "1 +", "(1", "1)", "1 2", "mean(x: 1)", "mean(bench)", "none(1)", "max(1)",
                                        "config@", "config@toolong", "$", "$text", "is(text)", "1 @b +" };
    bool wrong;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v = toy(rows[i], &wrong);
        if (!wrong || !isnan(v))
            fail_msg("'%s' is taken for %g", rows[i], v);
    }
}

/* ---- canned statistics ---- */

static void set_nested(json_t *o, const char *name, json_t *value)
{
    const char *dot;
    while ((dot = strchr(name, '.'))) {
        char part[64];
        snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        if (!json_object_get(o, part))
            json_object_set_new(o, part, json_object());
        o = json_object_get(o, part);
        name = dot + 1;
    }
    json_object_set_new(o, name, value);
}

/* Every figure and histogram there is, as a run writes them; all are 2. One of three runs of wavefronts aborts. */
static json_t *canned_stats(void)
{
    json_t *total = json_object(), *launch = json_object();
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        if (t->kind != STAT_KIND_TEXT && t->kind != STAT_KIND_SIZE3 && t->kind != STAT_KIND_FLAG)
            set_nested(t->place & STAT_IN_TOTAL ? total : launch, t->name,
                       json_integer(strcmp(t->name, "localtm.runs") ? 2 : 3));
        else if (t->kind == STAT_KIND_SIZE3)
            set_nested(launch, t->name, json_pack("[iii]", 2, 1, 1));
    }
    for (int i = 0; i < HIST_COUNT; i++) {
        char name[96];
        snprintf(name, sizeof name, "histograms.%s", hist_table[i].name);
        set_nested(total, name,
                   json_pack("{s:i, s:f, s:i, s:[iii]}", "n", 2, "mean", 2.0, "max", 2, "buckets", 0, 0, 2));
    }
    return json_pack("{s:o, s:[o]}", "total", total, "kernels", launch);
}

static struct paper_grid grid;

/* A grid whose runs are all done, without folders. */
static int make_grid_of(const char *name)
{
    paper = paper_find(name);
    assert_non_null(paper);
    grid = (struct paper_grid){ .paper = paper, .size = PAPER_SIZE_FULL, .out = "/nonexistent",
                                .programs = "/nonexistent", .batch = { .jobs = 1 }, .fresh = true };
    paper_grid_new(&grid);
    for (int i = 0; i < grid.nruns; i++) {
        assert_null(grid.runs[i].process->error);
        grid.runs[i].process->state = BATCH_DONE;
        grid.runs[i].stats = canned_stats();
    }
    return 0;
}

static int make_grid(void **state) { return make_grid_of("kilotm"); }
static int make_localtm_grid(void **state) { return make_grid_of("localtm"); }
static int make_sitm_grid(void **state) { return make_grid_of("sitm"); }

static int free_grid(void **state)
{
    paper_grid_free(&grid);
    return 0;
}

static void set_figure(const char *bench, const char *config, const char *name, double value)
{
    struct paper_run *run = paper_grid_find(&grid, paper_bench_find(paper, bench), paper_config_find(paper, config));
    set_nested(json_object_get(run->stats, "total"), name, json_real(value));
}

static const struct paper_claim_result *claim(const struct paper_claim_result *r, const char *id)
{
    for (int i = 0; i < paper->nclaims; i++)
        if (!strcmp(r[i].claim->id, id))
            return &r[i];
    fail_msg("no claim %s", id);
    return NULL;
}

/* ---- tables ---- */

/* Ids of a letter in order from 1 without a gap; returns how many, and counts those that are not applicable. */
static int check_ids(const struct paper *p, char letter, int *not_applicable)
{
    int n = 0;
    for (int i = 0; i < p->nclaims; i++) {
        const struct paper_claim *c = &p->claims[i];
        char id[16];
        if (c->id[0] != letter)
            continue;
        snprintf(id, sizeof id, "%c-%03d", letter, ++n);
        assert_string_equal(c->id, id);
        *not_applicable += c->kind == PAPER_CLAIM_NOT_APPLICABLE;
    }
    return n;
}

static void test_claims_are_complete(void **state)
{
    static const struct { const char *paper; char letter; int claims, not_applicable; } rows[] = {
        { "kilotm", 'K', 217, 6 }, { "localtm", 'E', 18, 0 }, { "localtm", 'L', 72, 0 },
        { "sitm", 'S', 129, 4 }, { "sc", 'C', 63, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int not_applicable = 0;
        assert_int_equal(check_ids(paper_find(rows[i].paper), rows[i].letter, &not_applicable), rows[i].claims);
        assert_int_equal(not_applicable, rows[i].not_applicable);
    }
    assert_int_equal(paper_find("kilotm")->nclaims, 217);
    assert_int_equal(paper_find("localtm")->nclaims, 90);
}

/* docs/claims.md: 15 % or 25 %, 20 % for sets that programs are calibrated to, less where nothing changes or digits are
 * printed, never more. */
static bool is_tolerance(double share)
{
    return share <= 0.15 || share == 0.2 || share == 0.25;
}

static void check_row(const struct paper_claim *c)
{
    bool none = c->kind == PAPER_CLAIM_NOT_APPLICABLE, share = c->kind != PAPER_CLAIM_WITHIN;
    assert_true(c->wording[0]);
    assert_true((c->expr == NULL) == none && (c->basis == PAPER_BASIS_NONE) == none);
    assert_true(!paper_claim_is_mean(c->kind) || c->benches);
    if (share ? !is_tolerance(c->tolerance) : c->tolerance <= c->published)
        fail_msg("%s: tolerance %g", c->id, c->tolerance);
    if ((c->kind == PAPER_CLAIM_BELOW || c->kind == PAPER_CLAIM_ABOVE) && c->tolerance != 0)
        fail_msg("%s: a bound has no tolerance", c->id);
    if (c->kind == PAPER_CLAIM_TRUE && (strstr(c->expr, "near(") != NULL) && c->tolerance == 0)
        fail_msg("%s: the tolerance of near() stands beside it", c->id);
}

static void test_rows_keep_the_rules(void **state)
{
    const struct paper *p;
    for (int k = 0; (p = paper_at(k)) != NULL; k++) {
        assert_ptr_equal(paper_find(p->name), p);        /* no other paper has its name */
        for (int i = 0; i < p->nclaims; i++)
            check_row(&p->claims[i]);
    }
}

/* How many rows rest on what: the table of docs/claims.md. */
static void test_bases(void **state)
{
    static const struct { const char *paper; char letter; int rows[PAPER_BASES]; } rows[] = {
        { "kilotm", 'K', { [PAPER_BASIS_RUN] = 118, [PAPER_BASIS_CONFIG] = 93, [PAPER_BASIS_NONE] = 6 } },
        { "localtm", 'E', { [PAPER_BASIS_RUN] = 7, [PAPER_BASIS_CONFIG] = 11 } },
        { "localtm", 'L', { [PAPER_BASIS_RUN] = 47, [PAPER_BASIS_CONFIG] = 25 } },
        { "sitm", 'S', { [PAPER_BASIS_RUN] = 49, [PAPER_BASIS_CONFIG] = 76, [PAPER_BASIS_NONE] = 4 } },
        { "sc", 'C', { [PAPER_BASIS_RUN] = 35, [PAPER_BASIS_CONFIG] = 28 } },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int n[PAPER_BASES] = { 0 };
        const struct paper *p = paper_find(rows[k].paper);
        for (int i = 0; i < p->nclaims; i++)
            if (p->claims[i].id[0] == rows[k].letter)
                n[p->claims[i].basis]++;
        for (int b = 0; b < PAPER_BASES; b++)
            if (n[b] != rows[k].rows[b])
                fail_msg("%c: %d rows on %s, expected %d", rows[k].letter, n[b], paper_basis_name((enum paper_basis)b),
                         rows[k].rows[b]);
    }
}

static unsigned sources_of(const char *expr, const char *benches)
{
    struct paper_values v = { .grid = &grid };
    const char *error;
    int bench = -1, config = -1;
    if (benches)
        paper_member(paper, benches, 0, &bench, &config);
    paper_value(&v, expr, bench, -1, &error);
    return v.sources;
}

/* Without a grid: each paper in turn has one. */
static void for_each_paper(void (*check)(void))
{
    const struct paper *p;
    for (int i = 0; (p = paper_at(i)) != NULL; i++) {
        make_grid_of(p->name);
        check();
        free_grid(NULL);
    }
}

/* What no run measured cannot be measured: keys, literals, cost, options, launches, and what programs print. */
static void measured_claims_read_statistics(void)
{
    for (int i = 0; i < paper->nclaims; i++) {
        const struct paper_claim *c = &paper->claims[i];
        if (c->basis == PAPER_BASIS_RUN && !(sources_of(c->expr, c->benches) & PAPER_SOURCE_RUN))
            fail_msg("%s is said to be measured, but %s reads nothing that a run measures", c->id, c->expr);
    }
}

static void test_measured_claims_read_statistics(void **state) { for_each_paper(measured_claims_read_statistics); }

static void test_sources(void **state)
{
    static const struct { const char *expr; unsigned sources; } rows[] = {
        { "240", 0 }, { "$gpu.sms@kl", PAPER_SOURCE_CONFIG }, { "is(gpu.simt, stack)@kl", PAPER_SOURCE_CONFIG },
        { "cost.ring@finite", PAPER_SOURCE_CONFIG }, { "option.table", PAPER_SOURCE_CONFIG },
        { "printed.slots@fgl", PAPER_SOURCE_PROGRAM },
        { "(block * grid * registers * resident_blocks)@kl", PAPER_SOURCE_PROGRAM },
        { "(block * $gpu.sms)@kl", PAPER_SOURCE_PROGRAM | PAPER_SOURCE_CONFIG }, { "cycles@kl", PAPER_SOURCE_RUN },
        { "time@kl / $gpu.sms@kl", PAPER_SOURCE_RUN | PAPER_SOURCE_CONFIG }, { "h.tm.aborts.max@kl", PAPER_SOURCE_RUN },
        { "concurrent@klu", PAPER_SOURCE_RUN }, { "least(HT-H+CL: aborts@ideal)", PAPER_SOURCE_RUN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sources_of(rows[i].expr, "HT-H") != rows[i].sources)
            fail_msg("%s: sources %x, expected %x", rows[i].expr, sources_of(rows[i].expr, "HT-H"), rows[i].sources);
}

static void check_expression(const char *owner, const char *expr, const char *benches)
{
    struct paper_values v = { .grid = &grid };
    const char *error;
    int bench = -1, config = -1;
    for (int i = 0; benches ? paper_member(paper, benches, i, &bench, &config) > 0 : i == 0; i++) {
        double value = paper_value(&v, expr, bench, -1, &error);
        bool from_file = strstr(expr, "printed.") || strstr(expr, "observed.") || strstr(expr, "timeline.");
        if (error || (isnan(value) && !from_file))
            fail_msg("%s: %s: %s", owner, expr, error ? error : v.missing);
    }
}

static void check_parts(const char *owner, const char *parts, const char *benches)
{
    char label[80], expr[300];
    int n = 0;
    for (; paper_part(paper, parts, n, label, expr); n++)
        check_expression(owner, expr, benches);
    if (n == 0)
        fail_msg("%s: no parts are called '%s'", owner, parts);
}

/* The benchmarks that "because" of a claim without list speaks of are in its text. */
static void claims_use_figures_that_exist(void)
{
    for (int i = 0; i < paper->nclaims; i++) {
        const struct paper_claim *c = &paper->claims[i];
        bool signed_only = c->because && !strcmp(c->because, "signatures");
        if (c->expr)
            check_expression(c->id, c->expr, c->benches);
        if (c->because && (c->benches || !signed_only))
            check_parts(c->id, c->because, c->benches);
    }
}

static void test_claims_use_figures_that_exist(void **state) { for_each_paper(claims_use_figures_that_exist); }

static void figures_have_values(void)
{
    for (int i = 0; i < paper->nfigures; i++) {
        struct paper_chart *c = paper_chart_new(&grid, &paper->figures[i]);
        assert_true(c->benches > 0 && c->bars > 0 && c->parts > 0);
        for (int k = 0; k < c->benches * c->bars * c->parts; k++)
            if (isnan(c->simulated[k]) && strcmp(c->figure->id, "serial") && strcmp(c->figure->parts, "outcomes"))
                fail_msg("%s: cell %d has no value", c->figure->id, k);
        paper_chart_free(c);
    }
}

static void test_figures_have_values(void **state) { for_each_paper(figures_have_values); }

static void test_published_values_are_in_figures(void **state)
{
    static const struct { const char *figure, *bench; int column; double value; } rows[] = {
        { "table1", "HT-H", 0, 6.6 }, { "table1", "AP", 1, 0.5 }, { "table2", "ATM", 5, 122880 },
        { "table2", "AP", 13, 192 }, { "fig2", "mean", 1, 279 }, { "fig6", "mean", 0, 4.1 },
        { "fig7", "BH", 0, 0.15 }, { "fig8", "mean", 1, 128 }, { "sec632", "mean", 1, 1.36 },
        { "sec631", "CL", 0, 1.17 }, { "authors", "TRANSFERS", 0, 351972 }, { "authors", "TRANSFERS", 3, 330 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int f = 0; f < paper->nfigures; f++) {
            struct paper_chart *c = paper_chart_new(&grid, &paper->figures[f]);
            for (int b = 0; b < c->benches && !strcmp(c->figure->id, rows[i].figure); b++) {
                double published = c->published[paper_chart_at(c, b, 0, 0) + rows[i].column];
                if (!strcmp(c->bench[b], rows[i].bench) && published != rows[i].value)
                    fail_msg("%s, %s: %g", rows[i].figure, rows[i].bench, published);
            }
            paper_chart_free(c);
        }
}

/* ---- verdicts ---- */

/* A paper of one claim, judged on the grid. */
static enum paper_verdict verdict_of(struct paper_claim c)
{
    struct paper one = *paper;
    int count[PAPER_VERDICTS];
    one.claims = &c;
    one.nclaims = 1;
    grid.paper = &one;
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    enum paper_verdict v = r->verdict;
    grid.paper = paper;
    free(r);
    return v;
}

static struct paper_claim made_claim(const char *expr, enum paper_claim_kind kind, double published,
                                     enum paper_basis basis)
{
    return (struct paper_claim){ "K-000", "made", "all", expr, kind, published, 0.15, PAPER_SIZE_BOTH, basis, NULL };
}

/* Each verdict is reached; a row that says it is measured and reads no statistic is not. */
static void test_each_verdict(void **state)
{
    static const struct {
        const char *expr;
        enum paper_claim_kind kind;
        double published;
        enum paper_basis basis;
        enum paper_verdict verdict;
    } rows[] = {
        { "cycles@kl", PAPER_CLAIM_VALUE, 2, PAPER_BASIS_RUN, PAPER_VERDICT_MEASURED },
        { "cycles@kl", PAPER_CLAIM_VALUE, 2, PAPER_BASIS_CONFIG, PAPER_VERDICT_BY_CONFIGURATION },
        { "cycles@kl", PAPER_CLAIM_VALUE, 3, PAPER_BASIS_RUN, PAPER_VERDICT_NOT_REPRODUCED },
        { "$gpu.sms@kl", PAPER_CLAIM_VALUE, 31, PAPER_BASIS_CONFIG, PAPER_VERDICT_BY_CONFIGURATION },
        { "$gpu.sms@kl", PAPER_CLAIM_VALUE, 60, PAPER_BASIS_CONFIG, PAPER_VERDICT_NOT_REPRODUCED },
        { "$gpu.sms@kl", PAPER_CLAIM_VALUE, 30, PAPER_BASIS_RUN, PAPER_VERDICT_BY_CONFIGURATION },
        { "grid@kl", PAPER_CLAIM_VALUE, 2, PAPER_BASIS_RUN, PAPER_VERDICT_BY_CONFIGURATION },
        { "2 == 2", PAPER_CLAIM_TRUE, 1, PAPER_BASIS_RUN, PAPER_VERDICT_BY_CONFIGURATION },
        { NULL, PAPER_CLAIM_NOT_APPLICABLE, 2, PAPER_BASIS_NONE, PAPER_VERDICT_NOT_APPLICABLE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(verdict_of(made_claim(rows[i].expr, rows[i].kind, rows[i].published, rows[i].basis)),
                         rows[i].verdict);
}

static void test_verdicts(void **state)
{
    int count[PAPER_VERDICTS], all = 0;
    char text[120];
    set_figure("HT-H", "ideal", "ipc", 6.6 * 1.1);
    set_figure("HT-L", "ideal", "ipc", 5.9 * 1.2);
    set_figure("AP", "kl", "cycles", 1000);
    set_figure("AP", "klu", "cycles", 1049);
    set_figure("CC", "klu", "cycles", 1.7);
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    for (int v = 0; v < PAPER_VERDICTS; v++)
        all += count[v];
    assert_int_equal(all, 217);
    assert_int_equal(count[PAPER_VERDICT_NOT_APPLICABLE], 6);
    paper_claims_count_text((const int[]){ 1, 2, 3, 4, 5 }, text, sizeof text);
    assert_string_equal(text, "1 measured, 2 by configuration, 3 not reproduced, 4 not judged, 5 not applicable of 15");
    assert_int_equal(claim(r, "K-007")->verdict, PAPER_VERDICT_MEASURED);
    assert_true(fabs(claim(r, "K-007")->deviation - 0.1) < 1e-9);
    assert_int_equal(claim(r, "K-009")->verdict, PAPER_VERDICT_NOT_REPRODUCED);
    assert_int_equal(claim(r, "K-128")->verdict, PAPER_VERDICT_BY_CONFIGURATION);
    assert_int_equal(claim(r, "K-165")->verdict, PAPER_VERDICT_MEASURED);
    assert_int_equal(claim(r, "K-166")->verdict, PAPER_VERDICT_NOT_REPRODUCED);
    assert_int_equal(claim(r, "K-170")->verdict, PAPER_VERDICT_MEASURED);
    assert_int_equal(claim(r, "K-214")->verdict, PAPER_VERDICT_NOT_APPLICABLE);
    assert_true(claim(r, "K-007")->reason[0]);
    free(r);
}

/* The column beside each row. */
static void test_tolerances_are_shown(void **state)
{
    static const struct { const char *id, *text; } rows[] = {
        { "K-007", "15 %" }, { "K-036", "25 %" }, { "K-128", "relation" }, { "K-129", "exact" },
        { "K-188", "above 0.9" }, { "K-022", "below 0.2" }, { "K-162", "2 to 3" }, { "K-173", "relation, 25 %" },
        { "K-003", "" },
    };
    int count[PAPER_VERDICTS];
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(claim(r, rows[i].id)->tolerance, rows[i].text);
    free(r);
}

/* Between two values; with aborts and without; what the case of Table 1 does. */
static void test_localtm_verdicts(void **state)
{
    int count[PAPER_VERDICTS], bench = -1, config = -1;
    for (int i = 0; paper_member(paper, "all", i, &bench, &config) > 0; i++)
        set_figure(paper->benches[bench].name, "serial", "cycles", i == 3 ? 161 : 4);
    set_figure("HT2", "lt", "localtm.committed_runs", 49);
    set_figure("HT2", "lt", "localtm.runs", 1049);
    set_figure("HT256", "lt", "localtm.committed_runs", 4);
    set_figure("HT256", "lt", "localtm.runs", 5);
    set_figure("BANK", "lt", "localtm.cycles.restore", 4);
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    assert_int_equal(count[PAPER_VERDICT_NOT_APPLICABLE], 0);
    assert_int_equal(claim(r, "L-001")->verdict, PAPER_VERDICT_NOT_REPRODUCED);
    assert_string_equal(claim(r, "L-001")->simulated, "2 (HT2) to 80.5 (HT16)");
    assert_string_equal(claim(r, "L-001")->published, "1.25 to 80");
    assert_true(fabs(claim(r, "L-001")->deviation - (80.5 / 80 - 1)) < 1e-9);
    assert_int_equal(claim(r, "L-026")->verdict, PAPER_VERDICT_MEASURED);
    assert_int_equal(claim(r, "L-027")->verdict, PAPER_VERDICT_NOT_REPRODUCED);
    assert_int_equal(claim(r, "L-023")->verdict, PAPER_VERDICT_BY_CONFIGURATION);
    assert_int_equal(claim(r, "L-016")->verdict, PAPER_VERDICT_NOT_REPRODUCED);
    assert_true(fabs(claim(r, "L-016")->deviation - 1) < 1e-9);
    free(r);
}

/* Performance 2 and six times 0.5: the row's harmonic mean, although the geometric one would be nearer. */
static void test_mean_is_the_rows_own(void **state)
{
    int count[PAPER_VERDICTS];
    int bench = -1, config = -1;
    for (int i = 0; paper_member(paper, "all", i, &bench, &config) > 0; i++)
        set_figure(paper->benches[bench].name, "kl", "cycles", i ? 4 : 1);
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    const struct paper_claim_result *c = claim(r, "K-001");
    assert_string_equal(c->simulated, "0.56 harmonic (0.7143 arithmetic, 0.6095 geometric)");
    assert_true(fabs(c->deviation - (0.56 / 0.59 - 1)) < 1e-9);
    assert_int_equal(c->verdict, PAPER_VERDICT_MEASURED);
    free(r);
}

/* In a reading other runs take the place of a headline's, and where it names none there is no value. */
static void test_readings(void **state)
{
    static const struct { const char *instead; double value; } rows[] = {
        { NULL, 1 }, { "kl=near", 2 }, { "klu=x;kl=near", 2 }, { "kl=near;fgl=near", 1 }, { "fgl=", NAN },
        { "k=near", 1 },
    };
    int count[PAPER_VERDICTS], bench = -1, config = -1;
    for (int i = 0; paper_member(paper, "all", i, &bench, &config) > 0; i++)
        set_figure(paper->benches[bench].name, "near", "cycles", 1);
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = paper_claim_mean(&grid, claim(r, "K-001")->claim, rows[i].instead);
        if (isnan(rows[i].value) ? !isnan(value) : !(fabs(value - rows[i].value) < 1e-12))
            fail_msg("%s: %g, expected %g", rows[i].instead, value, rows[i].value);
    }
    assert_true(isnan(paper_claim_mean(&grid, claim(r, "K-165")->claim, NULL)));
    free(r);
}

/* The configurations that readings name are the paper's. */
static void readings_name_configurations(void)
{
    for (int i = 0; i < paper->nreadings; i++)
        for (const char *at = paper->readings[i].text; *at; at += strcspn(at, ";"), at += *at == ';') {
            char from[40], to[40] = "";
            assert_true(sscanf(at, "%39[^=]=%39[^;]", from, to) >= 1);
            assert_true(paper_config_find(paper, from) >= 0);
            assert_true(!to[0] || paper_config_find(paper, to) >= 0);
        }
}

static void test_readings_name_configurations(void **state) { for_each_paper(readings_name_configurations); }

/* Of 2 and six times 0.5 each mean has its value within 1 %, and no row is judged by another's. */
static void test_no_other_mean_is_judged(void **state)
{
    static const struct { enum paper_claim_kind kind; double value; } means[] = {
        { PAPER_CLAIM_ARITHMETIC, 5.0 / 7 }, { PAPER_CLAIM_GEOMETRIC, 0.6095 }, { PAPER_CLAIM_HARMONIC, 0.56 },
    };
    int bench = -1, config = -1;
    for (int i = 0; paper_member(paper, "all", i, &bench, &config) > 0; i++)
        set_figure(paper->benches[bench].name, "kl", "cycles", i ? 0.5 : 2);
    for (int own = 0; own < 3; own++)
        for (int published = 0; published < 3; published++) {
            struct paper_claim c = made_claim("cycles@kl", means[own].kind, means[published].value, PAPER_BASIS_RUN);
            c.tolerance = 0.01;
            assert_int_equal(verdict_of(c), own == published ? PAPER_VERDICT_MEASURED : PAPER_VERDICT_NOT_REPRODUCED);
        }
}

static void test_missing_runs_are_named(void **state)
{
    int count[PAPER_VERDICTS];
    struct paper_run *run = paper_grid_find(&grid, paper_bench_find(paper, "CL"), paper_config_find(paper, "kl"));
    json_decref(run->stats);
    run->stats = NULL;
    run->process->state = BATCH_FAILED;
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    assert_int_equal(claim(r, "K-001")->verdict, PAPER_VERDICT_NOT_JUDGED);
    assert_string_equal(claim(r, "K-001")->reason, "failed: CL with kl");
    free(r);
    grid.size = PAPER_SIZE_QUICK;
    r = paper_claims_judge(&grid, count);
    assert_string_equal(claim(r, "K-030")->reason, "not run at this size");
    assert_int_equal(claim(r, "K-030")->verdict, PAPER_VERDICT_NOT_JUDGED);
    free(r);
}

/* ---- runs with several seeds ---- */

static bool has_words(char **argv, const char *first, const char *second)
{
    for (; argv[0] && argv[1]; argv++)
        if (!strcmp(argv[0], first) && !strcmp(argv[1], second))
            return true;
    return false;
}

static void test_seeds(void **state)
{
    const char *error;
    int bench = paper_bench_find(paper, "LL1"), config = paper_config_find(paper, "ts"), count[PAPER_VERDICTS];
    struct paper_run *run = paper_grid_find(&grid, bench, config);
    struct paper_values v = { .grid = &grid };
    assert_int_equal(paper->seeds, 8);
    for (int i = 0; i < 8; i++) {
        char seed[8];
        snprintf(seed, sizeof seed, "%d", i + 1);
        assert_true(run[i].bench == bench && run[i].config == config);
        assert_true(has_words(run[i].process->argv, "--seed", seed));
        set_nested(json_object_get(run[i].stats, "total"), "cycles", json_integer(i == 7 ? 9 : 1));
    }
    assert_string_equal(run[2].process->name, "LL1.ts.3");
    assert_true(paper_value(&v, "cycles", bench, config, &error) == 2);
    json_decref(run[6].stats);
    run[6].stats = NULL;
    struct paper_claim_result *r = paper_claims_judge(&grid, count);
    assert_string_equal(claim(r, "S-114")->reason, "not run: LL1 with ts, seed 7");
    assert_int_equal(claim(r, "S-114")->verdict, PAPER_VERDICT_NOT_JUDGED);
    free(r);
}

static void test_quick_has_one_seed(void **state)
{
    struct paper_grid quick = { .paper = paper_find("sitm"), .size = PAPER_SIZE_QUICK, .out = "/nonexistent",
                                .programs = "/nonexistent", .batch = { .jobs = 1 }, .fresh = true };
    (void)state;
    paper_grid_new(&quick);
    assert_true(has_words(quick.runs[0].process->argv, "--seed", "1"));
    assert_true(quick.runs[1].bench != quick.runs[0].bench);
    paper_grid_free(&quick);
}

/* ---- grid and cost ---- */

static void test_only(void **state)
{
    char *words[] = { "fig8", "ATM" }, *none[] = { "nothing" };
    int wanted = 0;
    assert_true(paper_grid_only(&grid, words, 2));
    for (int i = 0; i < grid.nruns; i++)
        wanted += grid.batch.runs[i].wanted;
    assert_int_equal(wanted, 7);         /* six limits and the serialised reference */
    assert_false(paper_grid_only(&grid, none, 1));
}

static void test_cost(void **state)
{
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_build(c, "kilotm+finite-units", NULL, "test", NULL), SIMTX_OK);
    for (int i = 0; i < cost_row_count; i++) {
        struct cost k = cost_of_row(c, &cost_rows[i]);
        assert_false(isnan(k.entries) || isnan(k.bits) || isnan(k.copies));
        enum cost_place place = cost_rows[i].place;
        assert_true(k.copies == (place == COST_SLICE ? 8 : place == COST_CORE ? 30 : 1));
    }
    assert_true(cost_bytes(c, "ring") == 19200 && cost_bytes(c, "ring.entry") == 10);
    assert_true(cost_bytes(c, "lwh_table") + cost_bytes(c, "lwh_filter") == 5120);
    assert_true(isnan(cost_bytes(c, "bf_array")) && isnan(cost_bytes(c, "none")) && isnan(cost_bytes(c, "ring.x")));
    assert_int_equal(simtx_config_set(c, "kilotm.ring=0", NULL), SIMTX_OK);
    assert_true(isnan(cost_bytes(c, "ring")));
    simtx_config_free(c);
}

/* ---- figures that a program printed ---- */

static double printed_in(const char *text, const char *name)
{
    char path[] = "/tmp/simtx-printed-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    double v = batch_value(NULL, path, name);
    unlink(path);
    return v;
}

static void printed_figures_are_whole_numbers(void **state)
{
    (void)state;
    assert_float_equal(printed_in("time 12.75 ms\n", "printed.ms"), 12.75, 0);
    assert_float_equal(printed_in("sum -3 words", "printed.words"), -3, 0);
    assert_float_equal(printed_in("run 3 512 commits", "printed.commits"), 512, 0);
    assert_float_equal(printed_in("200 x 150 pixels", "printed.pixels"), 30000, 0);
    assert_float_equal(printed_in("8 x 2 x 16 threads", "printed.threads"), 256, 0);
    assert_float_equal(printed_in("no words, 7 words", "printed.words"), 7, 0);
    assert_true(isnan(printed_in("words", "printed.words")));
    assert_true(batch_value_known("h.tx_cycles.below64") == batch_value_known("h.tx_cycles.n"));
    assert_false(batch_value_known("h.tx_cycles.below"));
    assert_false(batch_value_known("h.tx_cycles.below65"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_language), cmocka_unit_test(test_unknown_values), cmocka_unit_test(test_wrong_texts),
        cmocka_unit_test(test_claims_are_complete), cmocka_unit_test(test_rows_keep_the_rules),
        cmocka_unit_test(test_bases), cmocka_unit_test(test_cost),
        cmocka_unit_test(test_measured_claims_read_statistics), cmocka_unit_test(test_claims_use_figures_that_exist),
        cmocka_unit_test(test_figures_have_values),
        cmocka_unit_test(printed_figures_are_whole_numbers),
        cmocka_unit_test_setup_teardown(test_sources, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_each_verdict, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_tolerances_are_shown, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_localtm_verdicts, make_localtm_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_published_values_are_in_figures, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_verdicts, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_mean_is_the_rows_own, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_no_other_mean_is_judged, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_readings, make_grid, free_grid),
        cmocka_unit_test(test_readings_name_configurations),
        cmocka_unit_test_setup_teardown(test_missing_runs_are_named, make_grid, free_grid),
        cmocka_unit_test_setup_teardown(test_seeds, make_sitm_grid, free_grid),
        cmocka_unit_test(test_quick_has_one_seed),
        cmocka_unit_test_setup_teardown(test_only, make_grid, free_grid),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL), n = sizeof tests / sizeof *tests;
    printf("test-paper: %d passed, %d failed\n", n - failed, failed);
    return failed;
}
