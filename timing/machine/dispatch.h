/*
 * The block dispatcher assigns blocks to SMs. Messages between it and the SMs (block starts, block ended) take `delay`
 * core cycles. In a cycle it assigns a few blocks, at most one per SM, round robin over the SMs with enough resources.
 * Concurrent grids share the machine by the leftover policy: a grid starts when all blocks of the grid before it are
 * assigned (Adriaens et al., The Case for GPGPU Spatial Multitasking, HPCA 2012, section 2.2; Xu et al., Warped-Slicer,
 * ISCA 2016). The blocks of a cluster are assigned together, round robin over the groups of SMs with enough resources
 * and over the SMs of the group.
 */
#ifndef TIMING_DISPATCH_H
#define TIMING_DISPATCH_H

#include "timing/core/sm.h"

/* Resources of an SM, or the part that a block needs. */
struct dispatch_resources { uint32_t blocks, warps, threads, registers, shared; };

struct dispatch_cfg {
#define CONFIG_ROWS "timing/machine/dispatch.def"
#include "base/config/config_fields.h"
    uint32_t sms, delay, warp_size;
    uint32_t group;                  /* SMs of a group (GPC), in which a cluster lies; 0 = all */
    uint32_t launch_cycles;          /* from a launch to its first block */
    struct dispatch_resources sm;    /* of an SM */
};

/* Everything except sms, delay and launch_cycles, which the caller sets. */
void dispatch_configure(struct dispatch_cfg *c, const struct simtx_config *config);

struct dispatcher;
struct dispatcher *dispatcher_new(const struct dispatch_cfg *c);
void dispatcher_free(struct dispatcher *d);

/* Shared memory of an SM in the next launches, in bytes. */
void dispatcher_set_shared(struct dispatcher *d, uint32_t bytes);
/* Launches grids at cycle `now`, in this order; a block of each must fit on an SM. The dispatcher maintains the fields
 * start, next_block, done and end of each grid. */
void dispatcher_launch(struct dispatcher *d, struct grid *grids, uint32_t n, uint64_t now);
/* Blocks have ended on an SM in cycle `at`. Called with all blocks that end in a window before the next window runs. */
void dispatcher_ended(struct dispatcher *d, const struct block_end *e, uint32_t n);
/* Runs the core cycles in [from, until). start: sends a block to an SM, where it arrives `delay` cycles later. */
typedef void dispatch_start(void *ctx, uint32_t sm, const struct block_start *b);
void dispatcher_run(struct dispatcher *d, uint64_t from, uint64_t until, dispatch_start *start, void *ctx);
uint64_t dispatcher_next(const struct dispatcher *d);      /* its next event; NEVER = none until a block ends */
/* No block starts on an SM before this cycle, if no more blocks end than it knows of; NEVER = none will. Holds for one
 * grid, on an SM in which no block has ended. */
uint64_t dispatcher_next_start(const struct dispatcher *d);
/* The cycle at which the message about the last block's end arrives; NEVER while blocks are running. */
uint64_t dispatcher_finish(const struct dispatcher *d);
uint64_t dispatcher_blocks_done(const struct dispatcher *d);

#endif
