/* Statistics: the table, sums and ratios. */
#include "base/stats.h"

const struct stat_info stat_table[STAT_END] = {
#define STAT(id, name, kind, unit, place, meaning) \
    [STAT_##id] = { name, STAT_KIND_##kind, unit, STAT_PLACE_##place, meaning },
#include "base/stats.def"
};

enum times { TIMES_1, TIMES_LANES };

static const struct { enum stat above, below; enum times times; } ratios[STAT_END] = {
#define RATIO(id, name, unit, place, above, below, times, meaning) \
    [STAT_##id] = { STAT_##above, STAT_##below, TIMES_##times },
#include "base/stats.def"
};

static const struct { enum stat a, b; double times; } products[STAT_END] = {
#define PRODUCT(id, name, unit, place, a, b, times, meaning) [STAT_##id] = { STAT_##a, STAT_##b, times },
#include "base/stats.def"
};

static const struct { enum stat sum, part; } parts[] = {
#define PART_OF(part, sum) { STAT_##sum, STAT_##part },
#include "base/stats.def"
};

/* Every launch adds its counters to the total: gcc -O2 alone uses vectors for some numbers of counters only. */
void stats_add(uint64_t *restrict to, const uint64_t *restrict from)
{
#pragma omp simd
    for (int i = 0; i < STAT_END; i++)
        to[i] += from[i];
}

void counters_add(struct counters *to, const struct counters *from)
{
    stats_add(to->count, from->count);
    hists_merge(&to->hists, &from->hists);
}

void stats_sum_parts(uint64_t *count)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        count[parts[i].sum] += count[parts[i].part];
}

static double ratio(const uint64_t *count, enum stat s, unsigned warp_size)
{
    double below = stats_value(count, ratios[s].below, warp_size) * (ratios[s].times == TIMES_LANES ? warp_size : 1);
    return below > 0 ? stats_value(count, ratios[s].above, warp_size) / below : 0;
}

static double product(const uint64_t *count, enum stat s, unsigned warp_size)
{
    return stats_value(count, products[s].a, warp_size) * stats_value(count, products[s].b, warp_size) *
           products[s].times;
}

double stats_value(const uint64_t *count, enum stat s, unsigned warp_size)
{
    switch (stat_table[s].kind) {
    case STAT_KIND_COUNT:
    case STAT_KIND_FLAG: return (double)count[s];
    case STAT_KIND_TIME: return (double)count[s] / 1e9;
    case STAT_KIND_MILLI: return (double)count[s] / 1e3;
    case STAT_KIND_PRODUCT: return product(count, s, warp_size);
    case STAT_KIND_RATIO: return ratio(count, s, warp_size);
    case STAT_KIND_TEXT:
    case STAT_KIND_SIZE3: break;
    }
    return 0;
}
