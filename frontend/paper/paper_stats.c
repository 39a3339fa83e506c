/* Statistics of runs by name (batch_value, batch_timeline_value), and where they come from. */
#include "frontend/paper/paper.h"

#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

static double of_run(const struct paper_grid *g, const struct paper_run *run, const char *name)
{
    if (!strncmp(name, "timeline.", 9))
        return batch_timeline_value(run->timeline, name + 9);
    char *log = batch_path(&g->batch, run->process, "log");
    double value = batch_value(run->stats, log, name);
    free(log);
    return value;
}

double paper_stat(const struct paper_grid *g, const struct paper_run *run, const char *name)
{
    int repeats = paper_grid_repeats(g);
    double sum = 0;
    for (int i = 0; i < repeats; i++)
        sum += of_run(g, &run[i], name);
    return sum / repeats;
}

/* A launch's shape and resources are known before it runs. */
static bool is_of_launch(const char *name)
{
    for (int i = 0; i < STAT_END; i++)
        if (!strcmp(stat_table[i].name, name))
            return !(stat_table[i].place & (STAT_IN_TOTAL | STAT_OF_TIMING));
    return false;
}

enum paper_source paper_stat_source(const char *name)
{
    return !strncmp(name, "printed.", 8) || is_of_launch(name) ? PAPER_SOURCE_PROGRAM : PAPER_SOURCE_RUN;
}
