/*
 * Statistics. Each figure is a row of stats.def and has an enumerator STAT_ID. Counters are kept in blocks indexed by
 * it, count[STAT_ID]. A component increments the block that its constructor received; stats_add adds blocks; ratios are
 * computed from the counters when they are read.
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"

enum stat {
#define STAT(id, ...) STAT_##id,
#include "base/stats.def"
    STAT_END
};

/* What a figure is. TIME: nanoseconds, shown in seconds. MILLI: thousandths of the unit, shown in it. RATIO, PRODUCT,
 * TEXT, SIZE3: not in a block. */
enum stat_kind {
    STAT_KIND_COUNT, STAT_KIND_FLAG, STAT_KIND_TIME, STAT_KIND_MILLI, STAT_KIND_RATIO, STAT_KIND_PRODUCT,
    STAT_KIND_TEXT, STAT_KIND_SIZE3
};

/* Where a figure appears (bits): in launches, in the total, added up, under "host", in timing mode only. */
enum {
    STAT_IN_LAUNCH = 1, STAT_IN_TOTAL = 2, STAT_ADDED = 4, STAT_OF_HOST = 8, STAT_OF_TIMING = 16,
    STAT_PLACE_LAUNCH = STAT_IN_LAUNCH, STAT_PLACE_SUM = STAT_IN_LAUNCH | STAT_IN_TOTAL | STAT_ADDED,
    STAT_PLACE_RATIO = STAT_IN_LAUNCH | STAT_IN_TOTAL, STAT_PLACE_TOTAL = STAT_IN_TOTAL | STAT_ADDED,
    STAT_PLACE_HOST_LAUNCH = STAT_PLACE_LAUNCH | STAT_OF_HOST, STAT_PLACE_HOST_SUM = STAT_PLACE_SUM | STAT_OF_HOST,
    STAT_PLACE_HOST_RATIO = STAT_PLACE_RATIO | STAT_OF_HOST,
    STAT_PLACE_TIMED = STAT_PLACE_SUM | STAT_OF_TIMING, STAT_PLACE_TIMED_RATIO = STAT_PLACE_RATIO | STAT_OF_TIMING,
    STAT_PLACE_TIMED_LAUNCH = STAT_PLACE_LAUNCH | STAT_OF_TIMING
};

struct stat_info {
    const char *name;
    enum stat_kind kind;
    const char *unit;
    int place;
    const char *meaning;
};

extern const struct stat_info stat_table[STAT_END];

/* What one owner counts: an SM, a crossbar, a partition, a launch, all launches of a kernel. */
struct counters { uint64_t count[STAT_END]; struct hists hists; };

/* Adds all counters; totals do not show those without STAT_ADDED. */
void stats_add(uint64_t *restrict to, const uint64_t *restrict from);
/* Adds counters and histograms. */
void counters_add(struct counters *to, const struct counters *from);
/* Adds to each sum its parts (PART_OF in stats.def). Call once, after the last increment. */
void stats_sum_parts(uint64_t *count);
/* A count, a time in seconds, thousandths in their unit, a ratio or a product; warp_size: lanes of a warp
 * instruction. */
double stats_value(const uint64_t *count, enum stat s, unsigned warp_size);

#endif
