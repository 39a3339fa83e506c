/*
 * Sampling of a launch's blocks (sim.sample). A wave is as many consecutive blocks as all SMs hold at once. The first
 * and the last wave, and every N-th wave in between, are simulated in timing mode, one after the other on a full
 * machine; the blocks of all other waves run in functional mode afterwards, so memory is that of the whole launch.
 *
 * The estimate is that of a stratified sample: the cycles until the first wave has ended, counted once (caches are
 * cold); the mean time between the ends of the sampled waves in the middle, counted once for each wave there is; and
 * the rest, in which the machine runs empty, once. The waves in the middle are a systematic sample; its confidence
 * interval is that of a random one with finite population correction (Cochran, Sampling Techniques, 3rd edition, 1977,
 * chapters 2 and 8; for simulation: Wunderlich et al., SMARTS, ISCA 2003): conservative if the waves have a trend. It
 * does not include the bias from caches that have not seen the waves left out.
 */
#ifndef FRONTEND_BLOCK_SAMPLE_H
#define FRONTEND_BLOCK_SAMPLE_H

#include "frontend/lib/gpu.h"

struct block_sample;

/* NULL: the launch is simulated whole, because it has few waves or its blocks communicate, or sampling is off. */
struct block_sample *block_sample_new(const simtx_gpu *g, const struct queued_launch *o);
void block_sample_free(struct block_sample *s);
/* The grid runs the sampled blocks, and has a place for their ends. The sample must exist as long. */
void block_sample_choose(struct block_sample *s, struct grid *grid);
/* After the grid has ended: cycles of the whole launch. */
struct sample_estimate block_sample_estimate(const struct block_sample *s, const struct grid *grid);
/* Runs the other blocks in functional mode; false: a fault or an interruption (o->la). */
bool block_sample_run_others(const struct block_sample *s, struct queued_launch *o);

/* ---- the estimate, for tests ---- */
/* Of n waves in the middle out of `all`, with ends[0] of the first wave, ends[1 .. n] of these; rest: cycles after
 * ends[n]. error: half of the 95 % confidence interval. */
struct sample_estimate sample_estimate_of(const uint64_t *ends, uint64_t n, uint64_t all, uint64_t rest);

#endif
