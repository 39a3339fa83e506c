/* The block dispatcher. Messages about ended blocks are queued, sorted by (cycle of arrival, SM). */
#include "timing/machine/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "configs/gpu.h"
#include "ptx/exec/cluster.h"

struct dispatcher {
    struct dispatch_cfg cfg;
    struct grid *grids;
    uint32_t n, current;             /* current: grid whose blocks are assigned; n = all blocks are assigned */
    struct dispatch_resources *need;         /* of a block, by grid */
    struct dispatch_resources *available;    /* by SM */
    uint16_t *resident;              /* [grid][sm] blocks */
    uint32_t next_sm;                /* first SM of the round robin */
    uint32_t next_group;             /* first group of SMs of the round robin for clusters */
    uint16_t *next_of_group;         /* by group: its first SM of the round robin, counted from that of the group */
    bool full;                       /* no SM had enough resources, and no block has ended since */
    uint64_t next;                   /* cycle of the next assignment */
    struct block_end *ends;          /* sorted; at = cycle of arrival */
    uint32_t first, nends, ends_cap;
    uint64_t blocks, ended, done;    /* all; ended, message sent; ended, message arrived */
    uint64_t finish;                 /* arrival of the last message, NEVER = not known */
};

void dispatch_configure(struct dispatch_cfg *c, const struct simtx_config *config)
{
    struct gpu_cfg gpu;
    gpu_configure(&gpu, config);
    *c = (struct dispatch_cfg){
        .warp_size = gpu.warp_size, .group = gpu.gpc_sms,
        .sm = { gpu.max_blocks_per_sm, gpu.max_threads_per_sm / gpu.warp_size, gpu.max_threads_per_sm,
                  gpu.registers_per_sm, gpu.shared_per_sm }
    };
#define CONFIG_ROWS "timing/machine/dispatch.def"
#include "base/config/config_copy.h"
}

static uint32_t group_size(const struct dispatch_cfg *c)
{
    return c->group ? c->group : c->sms;
}

static uint32_t number_of_groups(const struct dispatch_cfg *c)
{
    return (c->sms + group_size(c) - 1) / group_size(c);
}

struct dispatcher *dispatcher_new(const struct dispatch_cfg *c)
{
    struct dispatcher *d = mem_zero(1, sizeof *d, "the block dispatcher");
    d->cfg = *c;
    d->available = mem_zero(c->sms, sizeof *d->available, "the block dispatcher");
    d->next_of_group = mem_zero(number_of_groups(c), sizeof *d->next_of_group, "the block dispatcher");
    d->finish = NEVER;
    return d;
}

void dispatcher_free(struct dispatcher *d)
{
    if (!d)
        return;
    free(d->need);
    free(d->available);
    free(d->next_of_group);
    free(d->resident);
    free(d->ends);
    free(d);
}

void dispatcher_set_shared(struct dispatcher *d, uint32_t bytes)
{
    d->cfg.sm.shared = bytes;
}

/* A configured number of resident blocks overrides the resources that a block needs: it needs at most its share. */
static struct dispatch_resources need_of(const struct dispatcher *d, const struct grid *g)
{
    const struct dispatch_resources *all = &d->cfg.sm;
    uint32_t ws = d->cfg.warp_size, share = g->resident ? g->resident : 1;
    uint32_t warps = (g->launch.threads_per_block + ws - 1) / ws;
    return (struct dispatch_resources){
        1, warps, warps * ws, num_least(g->registers, all->registers / share), num_least(g->shared, all->shared / share)
    };
}

/* Skips grids whose blocks are all assigned. */
static void skip_finished_grids(struct dispatcher *d)
{
    while (d->current < d->n && d->grids[d->current].next_block == d->grids[d->current].launch.nblocks) {
        d->current++;
        d->full = false;
    }
}

void dispatcher_launch(struct dispatcher *d, struct grid *grids, uint32_t n, uint64_t now)
{
    free(d->need);
    free(d->resident);
    d->need = mem_zero(n, sizeof *d->need, "the block dispatcher");
    d->resident = mem_zero((size_t)n * d->cfg.sms, sizeof *d->resident, "the block dispatcher");
    d->grids = grids;
    d->n = n;
    d->current = d->next_sm = d->next_group = d->first = d->nends = 0;
    d->blocks = d->ended = d->done = 0;
    d->finish = NEVER;
    d->full = false;
    d->next = now + d->cfg.launch_cycles;
    for (uint32_t i = 0; i < d->cfg.sms; i++)
        d->available[i] = d->cfg.sm;
    memset(d->next_of_group, 0, number_of_groups(&d->cfg) * sizeof *d->next_of_group);
    for (uint32_t i = 0; i < n; i++) {
        grids[i].start = now;
        grids[i].next_block = grids[i].done = grids[i].end = 0;
        d->blocks += grids[i].launch.nblocks;
        d->need[i] = need_of(d, &grids[i]);
    }
    skip_finished_grids(d);
}

/* ---- ends ---- */

static int by_cycle_and_sm(const void *a, const void *b)
{
    const struct block_end *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->sm != y->sm ? (x->sm < y->sm ? -1 : 1) : 0;
}

void dispatcher_ended(struct dispatcher *d, const struct block_end *e, uint32_t n)
{
    if (d->first == d->nends)
        d->first = d->nends = 0;
    d->ends = mem_grow(d->ends, d->nends + n, &d->ends_cap, sizeof *d->ends, "blocks that ended");
    for (uint32_t i = 0; i < n; i++) {
        struct block_end *to = &d->ends[d->nends++];
        *to = e[i];
        to->at += d->cfg.delay;
    }
    d->ended += n;
    qsort(d->ends + d->first, d->nends - d->first, sizeof *d->ends, by_cycle_and_sm);
    if (d->ended == d->blocks)
        d->finish = d->ends[d->nends - 1].at;
}

static void release(struct dispatcher *d, const struct grid *g, uint32_t sm)
{
    size_t i = (size_t)(g - d->grids);
    struct dispatch_resources *r = &d->available[sm];
    const struct dispatch_resources *n = &d->need[i];
    r->blocks += n->blocks;
    r->warps += n->warps;
    r->threads += n->threads;
    r->registers += n->registers;
    r->shared += n->shared;
    d->resident[i * d->cfg.sms + sm]--;
}

static void process_end(struct dispatcher *d, const struct block_end *e)
{
    struct grid *g = e->grid;
    release(d, g, e->sm);
    d->full = false;
    d->done++;
    if (g->ends)
        g->ends[g->done] = e->at - g->start;
    if (++g->done == g->launch.nblocks)
        g->end = e->at;
}

/* ---- starts ---- */

static bool fits(const struct dispatcher *d, uint32_t sm)
{
    const struct dispatch_resources *r = &d->available[sm], *n = &d->need[d->current];
    uint16_t resident = d->resident[(size_t)d->current * d->cfg.sms + sm];
    return resident < d->grids[d->current].resident && r->blocks >= n->blocks && r->warps >= n->warps &&
           r->threads >= n->threads && r->registers >= n->registers && r->shared >= n->shared;
}

static void reserve(struct dispatcher *d, uint32_t sm)
{
    struct dispatch_resources *r = &d->available[sm];
    const struct dispatch_resources *n = &d->need[d->current];
    r->blocks -= n->blocks;
    r->warps -= n->warps;
    r->threads -= n->threads;
    r->registers -= n->registers;
    r->shared -= n->shared;
    d->resident[(size_t)d->current * d->cfg.sms + sm]++;
}

/* Reserves resources for n blocks on SMs of a group, each in turn. False: it has not enough, and none are reserved. */
static bool place_cluster(struct dispatcher *d, uint32_t group, uint32_t n, uint16_t *sm)
{
    uint32_t size = group_size(&d->cfg), first = group * size;
    uint32_t sms = num_least(size, d->cfg.sms - first), placed = 0, next = d->next_of_group[group];
    for (uint32_t rejected = 0; placed < n && rejected < sms; next = (next + 1) % sms) {      /* one after the other */
        if (!fits(d, first + next)) {
            rejected++;
            continue;
        }
        reserve(d, first + next);
        sm[placed++] = (uint16_t)(first + next);
        rejected = 0;
    }
    if (placed == n) {
        d->next_of_group[group] = (uint16_t)next;
        return true;
    }
    while (placed)
        release(d, &d->grids[d->current], sm[--placed]);
    return false;
}

/* Assigns the next cluster; it takes as many cycles as its blocks one by one. */
static void assign_cluster(struct dispatcher *d, uint64_t now, dispatch_start *start, void *ctx)
{
    struct grid *g = &d->grids[d->current];
    uint32_t n = cluster_blocks(&g->launch), groups = number_of_groups(&d->cfg);
    struct block_start b = { .at = now + d->cfg.delay, .grid = g };
    d->full = true;
    for (uint32_t i = 0; i < groups && d->full; i++) {
        d->full = !place_cluster(d, d->next_group, n, b.cluster_sm);
        d->next_group = d->next_group + 1 < groups ? d->next_group + 1 : 0;
    }
    if (d->full)
        return;
    for (uint32_t rank = 0; rank < n; rank++) {
        b.linear = launch_block(&g->launch, g->next_block++);
        start(ctx, b.cluster_sm[rank], &b);
    }
    d->next = now + (n + d->cfg.per_cycle - 1) / d->cfg.per_cycle;
    skip_finished_grids(d);
}

/* Assigns the blocks of one cycle. */
static void assign_blocks(struct dispatcher *d, uint64_t now, dispatch_start *start, void *ctx)
{
    uint32_t assigned = 0, sms = d->cfg.sms;
    for (uint32_t i = 0; i < sms && assigned < d->cfg.per_cycle && d->current < d->n; i++) {
        uint32_t sm = d->next_sm;
        if (fits(d, sm)) {
            struct grid *g = &d->grids[d->current];
            reserve(d, sm);
            start(ctx, sm, &(struct block_start){ .at = now + d->cfg.delay,
                                                  .linear = launch_block(&g->launch, g->next_block++), .grid = g });
            skip_finished_grids(d);
            assigned++;
        }
        d->next_sm = sm + 1 < sms ? sm + 1 : 0;
    }
    d->full = !assigned;
}

uint64_t dispatcher_next(const struct dispatcher *d)
{
    uint64_t end = d->first < d->nends ? d->ends[d->first].at : NEVER;
    uint64_t start = d->current < d->n && !d->full ? d->next : NEVER;
    return end < start ? end : start;
}

uint64_t dispatcher_next_start(const struct dispatcher *d)
{
    uint64_t next = d->current < d->n ? dispatcher_next(d) : NEVER;
    return next == NEVER ? NEVER : next + d->cfg.delay;
}

void dispatcher_run(struct dispatcher *d, uint64_t from, uint64_t until, dispatch_start *start, void *ctx)
{
    uint64_t now;
    while ((now = dispatcher_next(d)) < until) {
        now = now < from ? from : now;
        while (d->first < d->nends && d->ends[d->first].at <= now)
            process_end(d, &d->ends[d->first++]);
        if (d->current < d->n && d->next <= now) {
            d->next = now + 1;
            if (cluster_blocks(&d->grids[d->current].launch) > 1)
                assign_cluster(d, now, start, ctx);
            else
                assign_blocks(d, now, start, ctx);
        }
    }
}

uint64_t dispatcher_finish(const struct dispatcher *d)
{
    return d->finish;
}

uint64_t dispatcher_blocks_done(const struct dispatcher *d)
{
    return d->done;
}
