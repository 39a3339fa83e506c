/* `simtx stats`: explains the statistics, from their tables; or prints a statistics file as a table. */
#include "frontend/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hist.h"
#include "base/stats.h"
#include "frontend/lib/stats_text.h"
#include "timing/core/sm.h"

static const char USAGE[] =
    "usage: simtx stats [--stalls] [--markdown]\n"
    "       simtx stats FILE\n\n"
    "Lists the statistics that --stats writes: name, place in the JSON, unit, meaning. With FILE, a file that --stats\n"
    "wrote: prints it as a table.\n";

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

static void print_figures(bool markdown)
{
    if (markdown)
        puts("| figure | where | unit | meaning |\n|---|---|---|---|");
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        print_figure(markdown, t->name, place_of(t), t->unit, t->meaning);
    }
    for (int i = 0; i < HIST_COUNT; i++) {
        const struct hist_info *h = &hist_table[i];
        char name[80];
        snprintf(name, sizeof name, "histograms.%s", h->name);
        print_figure(markdown, name, "timing: launch, total", h->unit, h->meaning);
    }
}

static int print_file(const char *path)
{
    char error[500];
    char *text = stats_file_text(path, error, sizeof error);
    if (!text) {
        fprintf(stderr, "simtx stats: %s\n", error);
        return CMD_USAGE;
    }
    fputs(text, stdout);
    free(text);
    return CMD_OK;
}

int cmd_stats(int argc, char **argv)
{
    struct cmd_args a = { "simtx stats", USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    bool markdown = false, stalls = false;
    const char *file = NULL;
    int which;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD && file)
            cmd_usage_error("simtx stats", "more than one file given: '%s'", a.value);
        if (which == CMD_ARG_WORD)
            file = a.value;
        markdown |= which == OPT_MARKDOWN;
        stalls |= which == OPT_STALLS;
    }
    if (file)
        return print_file(file);
    if (stalls)
        print_stalls(markdown);
    else
        print_figures(markdown);
    return CMD_OK;
}
