/* Sums over launches of which only some blocks were simulated in timing mode (block_sample.h). */
#ifndef FRONTEND_STATS_SAMPLE_H
#define FRONTEND_STATS_SAMPLE_H

#include <stdint.h>

/* launches, blocks, of: that were sampled, and how many of their blocks. cycles: of all launches, estimated for these;
 * variance: the sum of the squares of half their 95 % confidence intervals. */
struct stats_sample { uint64_t launches, blocks, of; double cycles, variance; };

static inline void stats_sample_add(struct stats_sample *to, const struct stats_sample *from)
{
    to->launches += from->launches;
    to->blocks += from->blocks;
    to->of += from->of;
    to->cycles += from->cycles;
    to->variance += from->variance;
}

#endif
