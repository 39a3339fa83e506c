/*
 * Clusters of blocks (PTX ISA 2.2.2): blocks of one grid that are resident together, access each other's shared memory
 * and wait for each other. A grid without clusters has clusters of one block.
 *
 * An address of distributed shared memory is an offset in the window of shared memory. Its bits from CLUSTER_RANK_AT on
 * are 0 for the accessing block's own memory, or the rank of a block plus 1.
 */
#ifndef PTX_CLUSTER_H
#define PTX_CLUSTER_H

#include "ptx/exec/exec.h"
#include "ptx/isa/ops_check.h"

enum { CLUSTER_RANK_AT = 24, CLUSTER_RANK_MASK = 255, CLUSTER_OFFSET_MASK = (1 << CLUSTER_RANK_AT) - 1 };

/* The resident blocks of a cluster, by rank; NULL: it has exited. Functional mode: one worker runs all of them. */
struct cluster {
    struct block *block[CLUSTER_MAX];
    uint32_t members;                /* that have not exited */
};

/* The part of an address that names a block: 0 = the own one. */
static inline uint32_t cluster_part(uint64_t address)
{
    return (uint32_t)(address >> CLUSTER_RANK_AT) & CLUSTER_RANK_MASK;
}

/* The rank of the block whose memory has this address. */
static inline uint32_t cluster_rank(const struct block *b, uint64_t address)
{
    return cluster_part(address) ? cluster_part(address) - 1 : b->rank;
}

/* The same place in the memory of another block; ranks that no cluster has are kept different from all others. */
static inline uint64_t cluster_map(uint64_t address, uint32_t rank)
{
    uint64_t part = rank < CLUSTER_RANK_MASK ? rank + 1 : CLUSTER_RANK_MASK;
    return (address & ~((uint64_t)CLUSTER_RANK_MASK << CLUSTER_RANK_AT)) | part << CLUSTER_RANK_AT;
}

/* May the instruction access the shared memory of other blocks? Its space is generic or .shared::cluster. */
static inline bool cluster_reaches(const struct dinst *d)
{
    return ptx_inst_space(d->in) == SP_GENERIC || d->in->mod[PG_SHAREDSUB] == MOD(SHAREDSUB, SHARED_CLUSTER);
}

/* Blocks of a cluster of the launch. */
static inline uint32_t cluster_blocks(const struct launch *la)
{
    return la->cluster_blocks ? la->cluster_blocks : 1;
}

/* The block of b's cluster with this rank; NULL: there is none, or it has exited. */
struct block *cluster_block(struct block *b, uint32_t rank);

/* Functional mode: n blocks, in the order of their ranks, that have been started are a cluster. */
void cluster_start(struct block *const *b, uint32_t n);
void cluster_leave(struct block *b);                  /* the block has exited, or is dropped */

/* ---- the barrier of a cluster ---- */
bool cluster_arrive(struct warp *w, const struct dinst *d, uint64_t lanes);   /* false: a fault */
bool cluster_wait(struct warp *w, const struct dinst *d, uint64_t lanes);     /* false: the warp waits, or a fault */
void cluster_lanes_left(struct warp *w, uint64_t lanes);                      /* lanes exit */
/* All threads of the cluster have arrived: releases those of one block. */
void cluster_release(struct block *b);
bool cluster_waits(const struct block *b);            /* some threads wait at the barrier */

#endif
