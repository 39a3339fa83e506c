/* Statistics: the table, sums and ratios. */
#include "base/stats.h"

const struct stat_info stat_table[STAT_END] = {
#define STAT(id, name, kind, unit, place, meaning) \
    [STAT_##id] = { name, STAT_KIND_##kind, unit, STAT_PLACE_##place, meaning },
#include "base/stats.def"
};

void stats_add(struct stats_row *total, const struct stats_row *row)
{
    for (int i = 0; i < STAT_END; i++) {
        if (!(stat_table[i].place & STAT_ADDED))
            continue;
        if (stat_table[i].kind == STAT_KIND_REAL)
            total->v[i].real += row->v[i].real;
        else
            total->v[i].count += row->v[i].count;
    }
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

void stats_ratios(struct stats_row *row, unsigned warp_size)
{
    double lanes = (double)row->v[STAT_WARP_INSTRUCTIONS].count * warp_size;
    double n = (double)row->v[STAT_THREAD_INSTRUCTIONS].count;
    row->v[STAT_LANE_UTILISATION].real = ratio(n, lanes);
    row->v[STAT_THREAD_INST_PER_S].real = ratio(n, row->v[STAT_SECONDS].real);
}
