/* `simtx stats`: what the figures of the statistics mean, from their table. */
#include "frontend/cmd.h"

#include <stdio.h>

#include "base/stats.h"

static const char USAGE[] =
    "usage: simtx stats [--markdown]\n\n"
    "Lists the figures that --stats writes: name, place in the JSON, unit, meaning.\n";

static const struct option_row OPTIONS[] = {
    { "--markdown", NULL, "a table for the manual" },
    { NULL, NULL, NULL }
};

static const char *place_of(const struct stat_info *t)
{
    bool launch = t->place & STAT_IN_LAUNCH, total = t->place & STAT_IN_TOTAL;
    if (t->place & STAT_OF_HOST)
        return launch && total ? "launch.host, total.host" : "launch.host";
    return launch && total ? "launch, total" : launch ? "launch" : "total";
}

int cmd_stats(int argc, char **argv)
{
    struct args a = { "simtx stats", USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    bool markdown = false;
    int which;
    while ((which = args_next(&a)) != ARG_END) {
        if (which == ARG_WORD)
            usage_error("simtx stats", "takes no arguments, got '%s'", a.value);
        markdown = true;
    }
    if (markdown)
        puts("| figure | where | unit | meaning |\n|---|---|---|---|");
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        printf(markdown ? "| `%s` | %s | %s | %s |\n" : "%-22s %-24s %-8s %s\n", t->name, place_of(t),
               t->unit, t->meaning);
    }
    return CMD_OK;
}
