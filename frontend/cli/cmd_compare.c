/* `simtx compare`: the figures of two statistics files side by side, ranked by how much they differ. */
#include "frontend/cli/cmd.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/stats_text.h"
#include "frontend/report/compare.h"

static const char USAGE[] =
    "usage: simtx compare [options] A.json B.json\n\n"
    "Compares two files that --stats wrote: cycles and the other figures of the run as a whole, then the figures with\n"
    "the largest differences, then the configuration keys that differ.\n"
    "Exit code 0: no figure differs by more than the tolerance; 1: some do; 2: a file or option is invalid.\n\n"
    "    simtx compare --only cycles,tm.aborts --tolerance 2 before.json after.json\n";

enum { OPT_TOLERANCE, OPT_ONLY, OPT_KERNELS, OPT_ALL, OPT_JSON };
static const struct cmd_option OPTIONS[] = {
    [OPT_TOLERANCE] = { "--tolerance", "PERCENT", "allowed difference, in per cent of A's figure (0)" },
    [OPT_ONLY] = { "--only", "NAMES", "only these figures and groups, separated by commas: cycles,l2.read" },
    [OPT_KERNELS] = { "--kernels", NULL, "each launch as well as the total" },
    [OPT_ALL] = { "--all", NULL, "all figures and keys that differ, not only the first 30" },
    [OPT_JSON] = { "--json", NULL, "as JSON" },
    { NULL, NULL, NULL }
};

enum { FIRST_ROWS = 30 };

/* ---- output ---- */

static void print_value(const json_t *v, int width)
{
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
    printf(" %*s", width, text ? text : "-");
    free(text);
}

static void print_figure(const struct compare_figure *f)
{
    printf("%-44s", f->name);
    print_value(f->a, 16);
    print_value(f->b, 16);
    if (!isnan(compare_percent(f)))
        printf("%+12.2f %%", compare_percent(f));
    putchar('\n');
}

/* The figures of a run as a whole, which come first. */
static const char *const HEADLINES[] = { "cycles", "ipc", "occupancy", "energy.total", "energy.power" };

static bool is_headline(const struct compare_figure *f)
{
    for (size_t i = 0; i < sizeof HEADLINES / sizeof *HEADLINES; i++)
        if (!strcmp(f->name, HEADLINES[i]))
            return true;
    return false;
}

static void print_headlines(const struct comparison *c)
{
    for (size_t i = 0; i < sizeof HEADLINES / sizeof *HEADLINES; i++)
        for (uint32_t k = 0; k < c->n; k++)
            if (!strcmp(c->figure[k].name, HEADLINES[i]))
                print_figure(&c->figure[k]);
}

/* The first rows, or all, but no headlines. */
static void print_rows(const struct comparison *c, bool all)
{
    uint32_t rows = all || c->n < FIRST_ROWS ? c->n : FIRST_ROWS;
    for (uint32_t i = 0; i < rows; i++)
        if (!is_headline(&c->figure[i]))
            print_figure(&c->figure[i]);
    if (rows < c->n)
        printf("... %u more differ (--all)\n", c->n - rows);
}

static void print_table(const struct comparison *config, const struct comparison *c, bool all)
{
    print_headlines(c);
    print_rows(c, all);
    putchar('\n');
    print_rows(config, all);
    printf("%u configuration keys differ.\n", config->n);
    printf("%u figures compared, %u differ, %u by more than %g %%.\n", c->compared, c->n, c->beyond,
           100 * c->tolerance);
}

static json_t *figures_json(const struct comparison *c)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->n; i++) {
        const struct compare_figure *f = &c->figure[i];
        json_t *o = json_pack("{s:s, s:O?, s:O?, s:b}", "name", f->name, "a", f->a, "b", f->b, "moved", f->beyond);
        if (!isnan(compare_percent(f)))
            json_object_set_new(o, "percent", json_real(compare_percent(f)));
        json_array_append_new(list, o);
    }
    return list;
}

static void print_json(const struct comparison *config, const struct comparison *c)
{
    json_t *o = json_pack("{s:o, s:o, s:I, s:I, s:f}", "config", figures_json(config), "figures", figures_json(c),
                          "compared", (json_int_t)c->compared, "moved", (json_int_t)c->beyond, "tolerance_percent",
                          100 * c->tolerance);
    json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(o);
}

/* ---- input ---- */

static json_t *load(const char *path)
{
    char error[500];
    json_t *root = stats_file_load(path, error, sizeof error);
    if (!root)
        cmd_usage_error("simtx compare", "%s", error);
    return root;
}

static double percent(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    if (*end || end == text || !(x >= 0 && x <= 1e6))
        cmd_usage_error("simtx compare", "--tolerance is '%s', expected per cent, 0 or more", text);
    return x / 100;
}

struct request { const char *file[2], *only; double tolerance; bool kernels, all, json; };

/* Is there a member at this path, names with dots between them? */
static bool has_member(const json_t *tree, const char *path, size_t n)
{
    char name[200];
    while (tree && n) {
        size_t part = 0;
        while (part < n && path[part] != '.')
            part++;
        snprintf(name, sizeof name, "%.*s", (int)part, path);
        tree = json_object_get(tree, name);
        path += part + (part < n);
        n -= part + (part < n);
    }
    return tree;
}

/* A misspelt name in --only would make the comparison pass. */
static void check_only(const char *only, const json_t *a, const json_t *b)
{
    while (only) {
        size_t n = strcspn(only, ",");
        if (!n || (!has_member(a, only, n) && !has_member(b, only, n)))
            cmd_usage_error("simtx compare", "--only: neither file has a figure '%.*s' (`simtx stats` lists them)",
                            (int)n, only);
        only = only[n] ? only + n + 1 : NULL;
    }
}

static int compare_files(const struct request *r)
{
    json_t *a = load(r->file[0]), *b = load(r->file[1]);
    const json_t *total_a = json_object_get(a, "total"), *total_b = json_object_get(b, "total");
    struct comparison config = { 0 }, c = { .tolerance = r->tolerance, .only = r->only };
    check_only(r->only, total_a, total_b);
    compare_trees(&config, "", json_object_get(a, "config"), json_object_get(b, "config"));
    compare_trees(&c, "", total_a, total_b);
    if (r->kernels)
        compare_trees(&c, "kernels", json_object_get(a, "kernels"), json_object_get(b, "kernels"));
    if (r->json)
        print_json(&config, &c);
    else
        print_table(&config, &c, r->all);
    int code = c.beyond ? CMD_FAILED : CMD_OK;
    compare_free(&config);
    compare_free(&c);
    json_decref(a);
    json_decref(b);
    return code;
}

int cmd_compare(int argc, char **argv)
{
    struct cmd_args args = { "simtx compare", USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    struct request r = { { NULL, NULL }, NULL, 0, false, false, false };
    int which, files = 0;
    while ((which = cmd_args_next(&args)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD && files == 2)
            cmd_usage_error("simtx compare", "more than two files given: '%s'", args.value);
        if (which == CMD_ARG_WORD)
            r.file[files++] = args.value;
        else if (which == OPT_TOLERANCE)
            r.tolerance = percent(args.value);
        else if (which == OPT_ONLY)
            r.only = args.value;
        r.kernels |= which == OPT_KERNELS;
        r.all |= which == OPT_ALL;
        r.json |= which == OPT_JSON;
    }
    if (files < 2)
        cmd_usage_error("simtx compare", "expected two statistics files");
    return compare_files(&r);
}
