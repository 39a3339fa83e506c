/*
 * The time series: a table of comma-separated values with a row for every window of stats.window core cycles of a
 * launch. Columns: launch, kernel, first cycle of the window, then each counter of timing mode and each ratio
 * (base/stats.def). The last window of a launch is shorter, so the rows of a launch add up to its statistics.
 */
#ifndef TIMING_SERIES_H
#define TIMING_SERIES_H

#include <stddef.h>

#include "base/config/config.h"
#include "base/stats.h"

struct series;
struct series_cfg {
#define CONFIG_ROWS "timing/machine/series.def"
#include "base/config/config_fields.h"
};
void series_configure(struct series_cfg *c, const struct simtx_config *config);

/* NULL with a message in error when the file cannot be written. The window must be at least 1 cycle. */
struct series *series_open(const struct series_cfg *c, unsigned warp_size, char *error, size_t size);
uint64_t series_window(const struct series *s);
/* A launch begins, or several concurrent ones, which share their rows; kernel: its name or their names. */
void series_begin(struct series *s, uint64_t launch, const char *kernel);
/* A window has ended. until: core cycles since the launch began; count [STAT_END]: counters since then. */
void series_row(struct series *s, uint64_t until, const uint64_t *count);
/* The launch has ended: writes the last row. Counts after the last window without another cycle are added to its
 * row. */
void series_end(struct series *s, const uint64_t *count);
/* False with a message in error when something could not be written. */
bool series_close(struct series *s, char *error, size_t size);

#endif
