/* Prints the table of energy: a line per kernel, with the shares of the parts that are not 0
 * (timing/energy/stats.def). */
#include <string.h>

#include "frontend/lib/stats_text.h"

static const struct { enum stat part, sum; } parts[] = {
#define PART_OF(part, sum) { STAT_##part, STAT_##sum },
#include "base/stats.def"
};

static void print_parts(FILE *f, const uint64_t *count)
{
    const char *before = "  ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].sum == STAT_ENERGY_TOTAL && count[parts[i].part]) {
            double share = (double)count[parts[i].part] / (double)count[STAT_ENERGY_TOTAL];
            fprintf(f, "%s%s %.1f %%", before, strrchr(stat_table[parts[i].part].name, '.') + 1, 100 * share);
            before = ", ";
        }
}

static void print_kernel(FILE *f, const struct stats_line *l)
{
    const uint64_t *count = l->counters->count;
    fprintf(f, "%-28.28s", l->name);
    stats_print_grouped(f, 15, (uint64_t)(stats_value(count, STAT_ENERGY_TOTAL, 0) + 0.5));
    fprintf(f, "%10.1f%11.3g", stats_value(count, STAT_ENERGY_POWER, 0), stats_value(count, STAT_ENERGY_DELAY, 0));
    print_parts(f, count);
    fputc('\n', f);
}

void stats_print_energy(FILE *f, const struct stats_line *lines, size_t n)
{
    if (!lines[n - 1].counters->count[STAT_ENERGY_TOTAL])
        return;
    fprintf(f, "\n%-28s%15s%10s%11s  %s\n", "energy", "nJ", "W", "J s", "of which");
    for (size_t i = 0; i < n; i++)
        if (lines[i].counters->count[STAT_ENERGY_TOTAL])
            print_kernel(f, &lines[i]);
}
