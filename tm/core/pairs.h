/*
 * Pairs of transactions that overlap in time, by the conflict of their sets (Chen, Peng and Irving, ISCA 2017, Fig. 2),
 * with stats.pairs. A transaction lasts from its first tx_begin to its commit and has the sets of the attempt that
 * committed, exactly. Each core keeps its transactions; they are compared when the kernel has ended, in a time that is
 * quadratic in their number.
 */
#ifndef TM_PAIRS_H
#define TM_PAIRS_H

#include "tm/tm.h"

struct pairs;

struct pairs *pairs_new(uint32_t cores);
void pairs_free(struct pairs *p);        /* NULL: nothing */
/* A transaction of a core commits. The sets are copied. */
void pairs_committed(struct pairs *p, uint32_t core, const struct tm_lane *l, uint64_t now);
/* The end of a kernel: adds to the counters and drops all transactions. */
void pairs_finish(struct pairs *p, uint64_t *count);

#endif
