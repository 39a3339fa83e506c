/*
 * The papers' tables, from the folders that the registries name (paper_rows.def), and look-ups in them. In each table
 * the rows of a paper stand between two rows of zeroes.
 */
#include "frontend/paper/paper.h"

#include <assert.h>
#include <string.h>

#include "frontend/paper/expr_functions.h"

static const struct paper_bench benches[] = {
#define BENCHMARK(name, program, options, quick, seconds, quick_seconds) \
    { name, program, options, quick, { seconds, quick_seconds } },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_config configs[] = {
#define CONFIGURATION(id, label, presets, keys, version, benches, sizes, mode, factor) \
    { id, label, presets, keys, version, benches, PAPER_SIZE_##sizes, PAPER_MODE_##mode, factor },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_text readings[] = {
#define READING(label, configs) { label, configs },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_text lists[] = {
#define LIST(name, members) { name, members },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_text derived[] = {
#define DERIVED(name, expr) { name, expr },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_text values[] = {
#define VALUES(name, text) { name, text },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_figure figures[] = {
#define FIGURE(id, title, unit, benches, bars, parts, chart, group, scale) \
    { id, title, unit, benches, bars, parts, PAPER_CHART_##chart, PAPER_CHART_##group, \
      PAPER_CHART_##scale },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_point points[] = {
#define POINT(bench, expr, sizes, value) { bench, expr, PAPER_SIZE_##sizes, value },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static const struct paper_claim claims[] = {
#define CLAIM(id, wording, benches, expr, kind, published, tolerance, sizes, basis, because) \
    { id, wording, benches, expr, PAPER_CLAIM_##kind, published, tolerance, PAPER_SIZE_##sizes, PAPER_BASIS_##basis, \
      because },
#include "frontend/paper/paper_rows.def"
    { 0 }
};

static struct paper papers[] = {
#define PAPER(row_name, row_title, row_about, row_headlines, keys, row_seeds) \
    { .name = row_name, .title = row_title, .about = row_about, .headlines = row_headlines, .sets = keys, \
      .seeds = row_seeds },
#include "frontend/paper/paper_rows.def"
};
enum { PAPERS = sizeof papers / sizeof *papers };

/* ---- the tables of one paper ---- */

/* A row begins with its name; a row of zeroes has none. */
static bool has_name(const void *row)
{
    return *(const char *const *)row != NULL;
}

/* The rows, of `size` bytes each, after the row of zeroes number `paper`. */
static const void *rows_of(const void *table, size_t size, int paper, int *n)
{
    const char *row = table;
    for (int zeroes = 0; zeroes <= paper; row += size)
        zeroes += !has_name(row);
    *n = 0;
    while (has_name(row + (size_t)*n * size))
        ++*n;
    return row;
}

static void find_rows(int i)
{
    struct paper *p = &papers[i];
    p->benches = rows_of(benches, sizeof *benches, i, &p->nbenches);
    p->configs = rows_of(configs, sizeof *configs, i, &p->nconfigs);
    p->readings = rows_of(readings, sizeof *readings, i, &p->nreadings);
    p->lists = rows_of(lists, sizeof *lists, i, &p->nlists);
    p->derived = rows_of(derived, sizeof *derived, i, &p->nderived);
    p->values = rows_of(values, sizeof *values, i, &p->nvalues);
    p->figures = rows_of(figures, sizeof *figures, i, &p->nfigures);
    p->points = rows_of(points, sizeof *points, i, &p->npoints);
    p->claims = rows_of(claims, sizeof *claims, i, &p->nclaims);
}

const struct paper *paper_at(int i)
{
    if (i >= PAPERS)
        return NULL;
    find_rows(i);
    return &papers[i];
}

const struct paper *paper_find(const char *name)
{
    const struct paper *p;
    for (int i = 0; (p = paper_at(i)) != NULL; i++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

/* ---- look-ups ---- */

int paper_bench_find(const struct paper *p, const char *name)
{
    for (int i = 0; i < p->nbenches; i++)
        if (!strcasecmp(p->benches[i].name, name))
            return i;
    return -1;
}

int paper_config_find(const struct paper *p, const char *id)
{
    for (int i = 0; i < p->nconfigs; i++)
        if (!strcasecmp(p->configs[i].id, id))
            return i;
    return -1;
}

const char *paper_text_find(const struct paper_text *rows, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].text;
    return NULL;
}

int paper_member(const struct paper *p, const char *list, int i, int *bench, int *config)
{
    char name[40];
    const char *row = paper_text_find(p->lists, p->nlists, list), *at = row ? row : list;
    for (int k = 0; k < i && at; k++) {
        at = strchr(at, '+');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return 0;
    assert(i < EXPR_LIST_MAX);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "+"), at);
    int b = paper_bench_find(p, name), c = paper_config_find(p, name);
    if (b >= 0)
        *bench = b;
    else if (c >= 0)
        *config = c;
    return b >= 0 || c >= 0 ? 1 : -1;
}

bool paper_in_list(const struct paper *p, const char *list, int bench, int config)
{
    int b = -1, c = -1;
    for (int i = 0; list && paper_member(p, list, i, &b, &c) > 0; i++)
        if ((b >= 0 && b == bench) || (c >= 0 && c == config))
            return true;
    return list == NULL;
}

bool paper_part(const struct paper *p, const char *text, int i, char label[80], char expr[300])
{
    const char *row = paper_text_find(p->values, p->nvalues, text), *at = row ? row : text;
    for (; i > 0 && at; i--) {
        at = strstr(at, "; ");
        at = at ? at + 2 : NULL;
    }
    const char *equals = at ? strstr(at, " = ") : NULL;
    if (!equals)
        return false;
    const char *end = strstr(equals, "; ");
    snprintf(label, 80, "%.*s", (int)(equals - at), at);
    snprintf(expr, 300, "%.*s", (int)(end ? end - equals - 3 : (ptrdiff_t)strlen(equals + 3)), equals + 3);
    return true;
}
