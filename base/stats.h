/*
 * Statistics: rows of values, one value per figure of stats.def. Whoever ran something fills a row by the
 * figures' names in capitals, `row.v[STAT_BARRIERS].count`; sums, ratios and the printed forms follow from
 * the table.
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>

enum stat {
#define STAT(id, ...) STAT_##id,
#include "base/stats.def"
    STAT_END
};

enum stat_kind { STAT_KIND_COUNT, STAT_KIND_REAL, STAT_KIND_TEXT, STAT_KIND_SIZE3, STAT_KIND_FLAG };

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

union stat_value {
    uint64_t count;
    double real;
    const char *text;        /* the caller keeps it alive */
    uint32_t size3[3];
    bool flag;
};

struct stats_row { union stat_value v[STAT_END]; };

/* Adds the figures that add up. */
void stats_add(struct stats_row *total, const struct stats_row *row);
/* Computes the ratios of a row; warp_size: lanes of a warp instruction. */
void stats_ratios(struct stats_row *row, unsigned warp_size);

#endif
