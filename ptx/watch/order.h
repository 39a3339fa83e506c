/*
 * Which accesses of a block's threads happen before others: vector clocks (C. Fidge, F. Mattern, 1988; of threads in
 * one process: FastTrack, C. Flanagan and S. Freund, PLDI 2009, sections 2 and 3). The component of a clock is a warp.
 * Its time is the number of its memory instructions so far. A synchronisation by some lanes of a warp orders what all
 * its lanes did before, so that no order is missed; a race may be. With independent lanes each lane also knows up to
 * which time it follows each other lane of its warp; otherwise the instructions of a warp follow each other.
 */
#ifndef PTX_ORDER_H
#define PTX_ORDER_H

#include "ptx/exec/exec.h"

enum { ORDER_PLACES = 64 };          /* clocks of addresses in shared memory; several addresses share one */

struct order {
    uint32_t warps, lanes;           /* of the block; of a warp */
    uint32_t *time;                  /* by warp */
    uint32_t *known;                 /* [warp][warp]: up to which time of the second its instructions happen before */
    uint32_t *lane_known;            /* [warp][lane][lane]; NULL: lanes are not independent */
    uint32_t *barrier;               /* [barrier][warp]: the clocks of those that have arrived */
    uint32_t *place;                 /* [place][warp]: of those that have synchronised through an address */
    uint32_t *outside;               /* [warp]: through anything that is not in the block's shared memory */
    size_t cells;                    /* of all these arrays, which are one */
};

struct order_event { uint32_t time; uint16_t warp; uint8_t lane; };

void order_make(struct order *o, const struct launch *la);
void order_restart(struct order *o);             /* for the next block */
void order_free(struct order *o);

/* Did `before` happen before what this lane does now? Not if both are of one instruction, unless of one lane. */
bool order_follows(const struct order *o, struct order_event before, uint32_t warp, uint32_t lane);
/* The clock includes from now on what the warp has done, and what happened before it. */
void order_release(const struct order *o, uint32_t *clock, uint32_t warp);
/* These lanes follow from now on what the clock includes. */
void order_acquire(struct order *o, const uint32_t *clock, uint32_t warp, uint64_t lanes);
/* These lanes of a warp wait for each other. */
void order_meet(struct order *o, uint32_t warp, uint64_t lanes);

static inline uint32_t *order_barrier(const struct order *o, uint32_t id)
{
    return o->barrier + (size_t)id * o->warps;
}

/* The clock of an address in shared memory: objects of 8 bytes, such as barrier objects, have one. */
static inline uint32_t *order_place(const struct order *o, uint64_t address)
{
    return o->place + address / 8 % ORDER_PLACES * o->warps;
}

#endif
