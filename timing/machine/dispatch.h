/*
 * The block dispatcher: which block starts when on which SM. It hears of the ends of blocks, and SMs hear of their
 * starts, by messages that take `delay` core cycles. In a cycle it hands out a few blocks, one to an SM at most,
 * round robin over the SMs that have room. Grids that run side by side share the machine by the leftover policy: the
 * next one starts when the one before has no block left to hand out (Adriaens et al., The Case for GPGPU Spatial
 * Multitasking, HPCA 2012, section 2.2; Xu et al., Warped-Slicer, ISCA 2016).
 */
#ifndef TIMING_DISPATCH_H
#define TIMING_DISPATCH_H

#include "timing/core/sm.h"

/* What an SM has, or a block takes of it. */
struct sm_room { uint32_t blocks, warps, threads, registers, shared; };

struct dispatch_cfg {
#define CONFIG_ROWS "timing/machine/dispatch.def"
#include "base/config_fields.h"
    uint32_t sms, delay, warp_size;
    uint32_t launch_cycles;          /* from a launch to its first block */
    struct sm_room room;             /* of an SM */
};

/* From the configuration; sms, delay and launch_cycles are the caller's to set. */
void dispatch_configure(struct dispatch_cfg *c, const struct simtx_config *config);

struct dispatcher;
struct dispatcher *dispatcher_new(const struct dispatch_cfg *c);
void dispatcher_free(struct dispatcher *d);

/* Grids in the order of their launches, all at cycle `now`; each must fit on an SM. Their start, next_block, done,
 * end are kept. */
void dispatcher_launch(struct dispatcher *d, struct grid *grids, uint32_t n, uint64_t now);
/* Blocks that ended on an SM, `at` being the cycle of their end. All ends of a window come before the next window. */
void dispatcher_ended(struct dispatcher *d, const struct block_end *e, uint32_t n);
/* Runs the core cycles in [from, until). start: hands a block to an SM; its cycle is `delay` after the decision. */
typedef void dispatch_start(void *ctx, uint32_t sm, const struct block_start *b);
void dispatcher_run(struct dispatcher *d, uint64_t from, uint64_t until, dispatch_start *start, void *ctx);
uint64_t dispatcher_next(const struct dispatcher *d);      /* NEVER: waits for ends of blocks */
/* The cycle at which the message of the last block's end is there; NEVER while blocks are running. */
uint64_t dispatcher_finish(const struct dispatcher *d);
uint64_t dispatcher_blocks_done(const struct dispatcher *d);

#endif
