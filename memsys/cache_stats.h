/* The counters of each cache and kind of access (CACHE of memsys/stats.def): count[cache_stats[i].hits]. */
#ifndef MEMSYS_CACHE_STATS_H
#define MEMSYS_CACHE_STATS_H

#include "base/stats.h"

enum cache_stats_id {
#define CACHE(ID, name, what, merged) CACHE_STATS_##ID,
#include "base/stats.def"
    CACHE_STATS
};

struct cache_stats { enum stat hits, misses, merged, blocked; };

static const struct cache_stats cache_stats[CACHE_STATS] = {
#define CACHE(ID, name, what, merged) { STAT_##ID##_HITS, STAT_##ID##_MISSES, STAT_##ID##_MERGED, STAT_##ID##_BLOCKED },
#include "base/stats.def"
};

#endif
