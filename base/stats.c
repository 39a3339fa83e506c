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

/* Of counters: a / b. */
static void set_ratio(struct stats_row *row, enum stat to, enum stat a, enum stat b)
{
    row->v[to].real = ratio((double)row->v[a].count, (double)row->v[b].count);
}

static void timing_ratios(struct stats_row *row)
{
    set_ratio(row, STAT_IPC, STAT_TIMED_THREAD_INSTRUCTIONS, STAT_CYCLES);
    set_ratio(row, STAT_WARP_IPC, STAT_TIMED_WARP_INSTRUCTIONS, STAT_SM_CYCLES);
    set_ratio(row, STAT_OCCUPANCY, STAT_WARP_CYCLES, STAT_WARP_SLOTS);
    set_ratio(row, STAT_XBAR_REQUEST_USE, STAT_XBAR_REQUEST_FLITS, STAT_XBAR_REQUEST_SLOTS);
    set_ratio(row, STAT_XBAR_REPLY_USE, STAT_XBAR_REPLY_FLITS, STAT_XBAR_REPLY_SLOTS);
    set_ratio(row, STAT_DRAM_USE, STAT_DRAM_BUSY, STAT_DRAM_CYCLES);
    set_ratio(row, STAT_DRAM_EFFICIENCY, STAT_DRAM_BUSY, STAT_DRAM_PENDING);
}

void stats_ratios(struct stats_row *row, unsigned warp_size)
{
    double lanes = (double)row->v[STAT_WARP_INSTRUCTIONS].count * warp_size;
    double n = (double)row->v[STAT_THREAD_INSTRUCTIONS].count;
    row->v[STAT_LANE_UTILISATION].real = ratio(n, lanes);
    row->v[STAT_THREAD_INST_PER_S].real = ratio(n, row->v[STAT_SECONDS].real);
    timing_ratios(row);
}
