/*
 * Clusters: their resident blocks, and the barrier (PTX ISA, barrier.cluster). A thread arrives, and later waits until
 * all threads of the cluster have arrived. Until then it is in its warp's set `arrived`, then in `passed` until its
 * wait. A phase of the barrier is complete when all existing threads of every block have arrived; those that have
 * exited are no longer counted. In timing mode the blocks are on different SMs: each block notes that its threads have
 * arrived (b->cluster_complete), and the machine calls cluster_release when all blocks have.
 *
 * Lanes of a warp may be in different phases, and at different waits. Each lane waits for its own phase: the lanes that
 * need not wait continue. With the SIMT stack a warp waits when none of its lanes can continue; lanes that wait while
 * others continue execute barrier.cluster.wait again.
 */
#include "ptx/exec/cluster.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/num.h"
#include "ptx/exec/check.h"
#include "ptx/watch/watch.h"

/* ---- members ---- */

struct block *cluster_block(struct block *b, uint32_t rank)
{
    if (rank == b->rank)
        return b;
    return b->cluster && rank < CLUSTER_MAX ? b->cluster->block[rank] : NULL;
}

void cluster_start(struct block *const *b, uint32_t n)
{
    struct cluster *c = mem_zero(1, sizeof *c, "a cluster of blocks");
    c->members = n;
    for (uint32_t i = 0; i < n; i++) {
        c->block[i] = b[i];
        b[i]->cluster = c;
    }
}

void cluster_leave(struct block *b)
{
    struct cluster *c = b->cluster;
    if (!c)
        return;
    c->block[b->rank] = NULL;
    b->cluster = NULL;
    if (!--c->members)
        free(c);
}

/* ---- the barrier ---- */

static bool all_arrived(const struct block *b)
{
    return b->cluster_arrived >= b->live_threads;
}

static void release_waiters(struct warp *w)
{
    for (uint32_t i = 0; i < w->nentry; i++)
        if (w->entry[i].waits == WAIT_CLUSTER)
            w->entry[i].waits = WAIT_NONE;
    if (!w->cluster_waiting)
        return;
    if (w->state == WARP_BARRIER)
        w->state = WARP_READY;
    w->block->released |= 1ull << w->index % 64;
}

void cluster_release(struct block *b)
{
    b->worker->count[STAT_CLUSTER_BARRIERS]++;
    b->worker->changes++;
    b->cluster_arrived = 0;
    b->cluster_complete = false;
    watch_cluster_complete(b);
    for (uint32_t i = 0; i < b->nwarps; i++) {
        struct warp *w = &b->warps[i];
        release_waiters(w);
        w->cluster_passed = (w->cluster_passed | w->cluster_arrived) & ~w->cluster_waiting;
        w->cluster_arrived = w->cluster_waiting = 0;
    }
}

/* Threads of b have arrived or exited. */
static void check_complete(struct block *b)
{
    const struct cluster *c = b->cluster;
    if (!all_arrived(b))
        return;
    if (b->launch->timed && cluster_blocks(b->launch) > 1) {
        b->cluster_complete |= b->cluster_arrived > 0;
        return;
    }
    uint32_t arrived = c ? 0 : b->cluster_arrived;
    for (uint32_t i = 0; c && i < CLUSTER_MAX; i++) {
        if (c->block[i] && !all_arrived(c->block[i]))
            return;
        arrived += c->block[i] ? c->block[i]->cluster_arrived : 0;
    }
    if (!arrived)
        return;
    if (!c)
        cluster_release(b);
    for (uint32_t i = 0; c && i < CLUSTER_MAX; i++)
        if (c->block[i] && c->block[i]->cluster_arrived)
            cluster_release(c->block[i]);
}

bool cluster_arrive(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    uint64_t twice = (w->cluster_arrived | w->cluster_passed) & lanes;
    if (twice) {
        fault_raise(w, d, FAULT_BARRIER, __builtin_ctzll(twice), 0,
                    "arrives at the barrier of the cluster twice without barrier.cluster.wait in between");
        return false;
    }
    watch_cluster_arrive(w);
    w->cluster_arrived |= lanes;
    w->block->cluster_arrived += num_ones(lanes);
    w->block->cluster_used = true;
    check_complete(w->block);
    return true;
}

/* The other lanes of the current group continue, in a group of their own. False: there are none. */
static bool continue_without(struct warp *w, uint64_t waiting)
{
    struct simt_entry *e = simt_top(w), before = *e;
    uint64_t others = e->mask & w->exist & ~waiting;
    if (!others)
        return false;
    e->mask = waiting;
    e->waits = WAIT_CLUSTER;
    if (w->block->launch->program->independent)
        w->cluster_waiting |= waiting;
    else {
        e->pc--;
        w->half[0].worker->count[STAT_THREAD_INSTRUCTIONS] -= num_ones(waiting);
    }
    simt_push(w, others, before.pc, before.rpc, before.frame)->yields = before.yields;
    w->current = w->nentry - 1;
    return true;
}

/* May the lanes wait now? False: others run first, or a fault. */
static bool may_wait(struct warp *w, const struct dinst *d, uint64_t *lanes)
{
    uint64_t waiting = *lanes & w->cluster_arrived;
    if (d->in->mod[PG_ALIGNED])
        return barrier_converges(w, d, lanes);
    if (w->block->launch->program->independent || waiting != (simt_top(w)->mask & w->exist))
        return true;
    return barrier_gather(w, d, lanes, WAIT_CLUSTER);
}

bool cluster_wait(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    uint64_t without = lanes & ~(w->cluster_arrived | w->cluster_passed);
    if (without) {
        fault_raise(w, d, FAULT_BARRIER, __builtin_ctzll(without), 0,
                    "waits at the barrier of the cluster without having arrived (barrier.cluster.arrive)");
        return false;
    }
    if (lanes & w->cluster_arrived && !may_wait(w, d, &lanes))
        return false;
    uint64_t waiting = lanes & w->cluster_arrived;   /* lanes that exited may have completed the phase */
    w->cluster_passed &= ~lanes;
    if (!waiting || continue_without(w, waiting))
        return true;
    simt_top(w)->waits = WAIT_CLUSTER;
    w->cluster_waiting |= waiting;
    if (!w->block->launch->program->independent)
        w->state = WARP_BARRIER;
    return false;
}

void cluster_lanes_left(struct warp *w, uint64_t lanes)
{
    if (!w->block->cluster_used && !w->block->cluster)
        return;
    w->block->cluster_arrived -= num_ones(w->cluster_arrived & lanes);
    w->cluster_arrived &= ~lanes;
    w->cluster_passed &= ~lanes;
    check_complete(w->block);
}

bool cluster_waits(const struct block *b)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < b->nwarps; i++)
        any |= b->warps[i].cluster_waiting;
    return any;
}
