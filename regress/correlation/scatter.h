/* The scatter plot: cycles of both simulators on logarithmic axes. */
#ifndef REGRESS_CORRELATION_SCATTER_H
#define REGRESS_CORRELATION_SCATTER_H

#include "regress/correlation/summary.h"

void draw_scatter(const struct comparison *x, const char *path);

#endif
