/* `simtx stats`: explains the statistics, from their tables; or prints a statistics file, or some of its figures. */
#include "frontend/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hist.h"
#include "base/stats.h"
#include "frontend/lib/stats_text.h"
#include "timing/core/sm.h"

static const char USAGE[] =
    "usage: simtx stats [--stalls] [--markdown] [FIGURE...]\n"
    "       simtx stats FILE [FIGURE...]\n\n"
    "Lists the statistics that --stats writes, all or these: name, place in the JSON, unit, meaning. With FILE, a\n"
    "file that --stats wrote: prints it as a table, or these figures for each kernel and in total. A FIGURE is a\n"
    "name, or the name of a group.\n\n"
    "    simtx stats shared.passes\n"
    "    simtx stats run.json cycles l1.global_load\n";

enum { OPT_STALLS, OPT_MARKDOWN };
static const struct cmd_option OPTIONS[] = {
    [OPT_STALLS] = { "--stalls", NULL, "only the reasons for which schedulers stall, by priority, with their classes" },
    [OPT_MARKDOWN] = { "--markdown", NULL, "as a table for the manual" },
    { NULL, NULL, NULL }
};

static const char *place_of(const struct stat_info *t)
{
    bool launch = t->place & STAT_IN_LAUNCH, total = t->place & STAT_IN_TOTAL;
    if (t->place & STAT_OF_TIMING)
        return launch && total ? "timing: launch, total" : "timing: launch";
    if (t->place & STAT_OF_HOST)
        return launch && total ? "launch.host, total.host" : "launch.host";
    return launch && total ? "launch, total" : launch ? "launch" : "total";
}

static void print_figure(bool markdown, const char *name, const char *place, const char *unit, const char *meaning)
{
    printf(markdown ? "| `%s` | %s | %s | %s |\n" : "%-26s %-24s %-18s %s\n", name, place, unit, meaning);
}

static void print_stalls(bool markdown)
{
    if (markdown)
        puts("| reason | class | meaning |\n|---|---|---|");
    for (int i = 0; i < SM_STALLS; i++)
        printf(markdown ? "| `%s` | %s | %s |\n" : "%-16s %-6s %s\n", sm_stall_table[i].name,
               sm_stall_table[i].class_name, sm_stall_table[i].meaning);
}

/* The figures that were asked for; none = all. */
struct wanted { const char *const *name; uint32_t n; };

/* Is it this figure, or one of this group? */
static bool is_named(const char *figure, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(figure, name, n) && (!figure[n] || figure[n] == '.');
}

static bool is_wanted(const struct wanted *w, const char *figure)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (is_named(figure, w->name[i]))
            return true;
    return !w->n;
}

static bool is_figure(const char *name)
{
    for (int i = 0; i < STAT_END; i++)
        if (is_named(stat_table[i].name, name))
            return true;
    return is_named("histograms", name) || !strncmp(name, "histograms.", 11);
}

static void print_figures(bool markdown, const struct wanted *w)
{
    if (markdown)
        puts("| figure | where | unit | meaning |\n|---|---|---|---|");
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        if (is_wanted(w, t->name))
            print_figure(markdown, t->name, place_of(t), t->unit, t->meaning);
    }
    for (int i = 0; i < HIST_COUNT; i++) {
        const struct hist_info *h = &hist_table[i];
        char name[80];
        snprintf(name, sizeof name, "histograms.%s", h->name);
        if (is_wanted(w, name))
            print_figure(markdown, name, "timing: launch, total", h->unit, h->meaning);
    }
}

static bool is_number(int figure)
{
    return stat_table[figure].kind != STAT_KIND_TEXT && stat_table[figure].kind != STAT_KIND_SIZE3;
}

/* Each kernel with its value of each figure. */
static void print_values(const struct stats_table *t, unsigned warp_size, const struct wanted *w)
{
    for (int i = 0; i < STAT_END; i++) {
        if (!is_wanted(w, stat_table[i].name) || !is_number(i))
            continue;
        printf("%s%s%s%s\n", stat_table[i].name, *stat_table[i].unit ? " (" : "", stat_table[i].unit,
               *stat_table[i].unit ? ")" : "");
        for (size_t k = 0; k < t->n; k++)
            printf("%18.12g  %s\n", stats_value(t->line[k].counters->count, (enum stat)i, warp_size), t->line[k].name);
    }
}

/* A word that is no figure is a file; one that looks like no file's name was probably meant as a figure. */
static void check_file(const char *word)
{
    const char *names[STAT_END];
    if (strpbrk(word, "/") || strstr(word, ".json") || access(word, F_OK) == 0)
        return;
    for (int i = 0; i < STAT_END; i++)
        names[i] = stat_table[i].name;
    const char *near = diag_nearest(word, names, STAT_END);
    if (near)
        cmd_usage_error("simtx stats", "'%s' is neither a file nor a figure, did you mean %s?", word, near);
    cmd_usage_error("simtx stats", "'%s' is neither a file nor a figure (`simtx stats` lists the figures)", word);
}

static int print_file(const char *path, const struct wanted *w)
{
    char error[500];
    json_t *root = stats_file_load(path, error, sizeof error);
    if (!root) {
        fprintf(stderr, "simtx stats: %s\n", error);
        return CMD_USAGE;
    }
    if (w->n) {
        struct stats_table t = stats_table_of(root);
        print_values(&t, stats_file_warp_size(root), w);
        stats_table_free(&t);
    } else {
        char *text = stats_file_text(path, error, sizeof error);
        fputs(text ? text : "", stdout);
        free(text);
    }
    json_decref(root);
    return CMD_OK;
}

int cmd_stats(int argc, char **argv)
{
    struct cmd_args a = { "simtx stats", USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    bool markdown = false, stalls = false;
    const char *file = NULL, **name = mem_zero((size_t)argc, sizeof *name, "the names of figures");
    struct wanted w = { name, 0 };
    int which, status = CMD_OK;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD && is_figure(a.value))
            name[w.n++] = a.value;
        else if (which == CMD_ARG_WORD && (file || w.n))
            cmd_usage_error("simtx stats", "'%s' is no figure (`simtx stats` lists them)", a.value);
        else if (which == CMD_ARG_WORD)
            check_file(file = a.value);
        markdown |= which == OPT_MARKDOWN;
        stalls |= which == OPT_STALLS;
    }
    if (file)
        status = print_file(file, &w);
    else if (stalls)
        print_stalls(markdown);
    else
        print_figures(markdown, &w);
    free(name);
    return status;
}
