/* The block dispatcher. Ends of blocks wait in a queue sorted by (cycle, SM) until their message is there. */
#include "timing/machine/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "configs/gpu.h"

struct dispatcher {
    struct dispatch_cfg cfg;
    struct grid *grids;
    uint32_t n, current;             /* the grid that is handing out; n = none has blocks left */
    struct sm_room *need;            /* of a block, by grid */
    struct sm_room *room;            /* left, by SM */
    uint16_t *resident;              /* [grid][sm] blocks */
    uint32_t turn;                   /* SM that is asked first */
    bool full;                       /* nobody had room, and nothing ended since */
    uint64_t next;                   /* cycle in which blocks may be handed out again */
    struct block_end *ends;          /* sorted; `at` is when the message is there */
    uint32_t first, nends, ends_cap;
    uint64_t blocks, ended, done, finish;   /* ended: as soon as the machine knows; done: when the dispatcher does */
};

void dispatch_configure(struct dispatch_cfg *c, const struct simtx_config *config)
{
    struct gpu_cfg gpu;
    gpu_configure(&gpu, config);
    *c = (struct dispatch_cfg){
        .warp_size = gpu.warp_size,
        .room = { gpu.max_blocks_per_sm, gpu.max_threads_per_sm / gpu.warp_size, gpu.max_threads_per_sm,
                  gpu.registers_per_sm, gpu.shared_per_sm }
    };
#define CONFIG_ROWS "timing/machine/dispatch.def"
#include "base/config_copy.h"
}

struct dispatcher *dispatcher_new(const struct dispatch_cfg *c)
{
    struct dispatcher *d = mem_zero(1, sizeof *d, "the block dispatcher");
    d->cfg = *c;
    d->room = mem_zero(c->sms, sizeof *d->room, "the block dispatcher");
    d->finish = NEVER;
    return d;
}

void dispatcher_free(struct dispatcher *d)
{
    if (!d)
        return;
    free(d->need);
    free(d->room);
    free(d->resident);
    free(d->ends);
    free(d);
}

/* A number of resident blocks that was pinned counts, whatever the blocks take: then each takes its share. */
static struct sm_room need_of(const struct dispatcher *d, const struct grid *g)
{
    const struct sm_room *all = &d->cfg.room;
    const struct launch *la = &g->launch;
    uint32_t ws = d->cfg.warp_size, share = g->resident ? g->resident : 1;
    uint32_t warps = (la->threads_per_block + ws - 1) / ws;
    return (struct sm_room){ 1, warps, warps * ws,
                             num_least(g->registers * warps * ws + g->more_registers, all->registers / share),
                             num_least(la->shared_bytes + la->shared_reserved, all->shared / share) };
}

/* Skips grids that have no blocks left to hand out. */
static void settle(struct dispatcher *d)
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
    d->current = d->turn = d->first = d->nends = 0;
    d->blocks = d->ended = d->done = 0;
    d->finish = NEVER;
    d->full = false;
    d->next = now + d->cfg.launch_cycles;
    for (uint32_t i = 0; i < d->cfg.sms; i++)
        d->room[i] = d->cfg.room;
    for (uint32_t i = 0; i < n; i++) {
        grids[i].start = now;
        grids[i].next_block = grids[i].done = grids[i].end = 0;
        d->blocks += grids[i].launch.nblocks;
        d->need[i] = need_of(d, &grids[i]);
    }
    settle(d);
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

static void take_end(struct dispatcher *d, const struct block_end *e)
{
    struct grid *g = e->grid;
    size_t i = (size_t)(g - d->grids);
    struct sm_room *r = &d->room[e->sm];
    const struct sm_room *n = &d->need[i];
    r->blocks += n->blocks;
    r->warps += n->warps;
    r->threads += n->threads;
    r->registers += n->registers;
    r->shared += n->shared;
    d->resident[i * d->cfg.sms + e->sm]--;
    d->full = false;
    d->done++;
    if (++g->done == g->launch.nblocks)
        g->end = e->at;
}

/* ---- starts ---- */

static bool has_room(const struct dispatcher *d, uint32_t sm)
{
    const struct sm_room *r = &d->room[sm], *n = &d->need[d->current];
    uint16_t resident = d->resident[(size_t)d->current * d->cfg.sms + sm];
    return resident < d->grids[d->current].resident && r->blocks >= n->blocks && r->warps >= n->warps &&
           r->threads >= n->threads && r->registers >= n->registers && r->shared >= n->shared;
}

static void take_room(struct dispatcher *d, uint32_t sm)
{
    struct sm_room *r = &d->room[sm];
    const struct sm_room *n = &d->need[d->current];
    r->blocks -= n->blocks;
    r->warps -= n->warps;
    r->threads -= n->threads;
    r->registers -= n->registers;
    r->shared -= n->shared;
    d->resident[(size_t)d->current * d->cfg.sms + sm]++;
}

/* The blocks of one cycle. */
static void hand_out(struct dispatcher *d, uint64_t now, dispatch_start *start, void *ctx)
{
    uint32_t given = 0, sms = d->cfg.sms;
    for (uint32_t asked = 0; asked < sms && given < d->cfg.per_cycle && d->current < d->n; asked++) {
        uint32_t sm = d->turn;
        if (has_room(d, sm)) {
            struct grid *g = &d->grids[d->current];
            take_room(d, sm);
            start(ctx, sm, &(struct block_start){ now + d->cfg.delay, g->next_block++, g });
            settle(d);
            given++;
        }
        d->turn = sm + 1 < sms ? sm + 1 : 0;
    }
    d->full = !given;
}

uint64_t dispatcher_next(const struct dispatcher *d)
{
    uint64_t end = d->first < d->nends ? d->ends[d->first].at : NEVER;
    uint64_t start = d->current < d->n && !d->full ? d->next : NEVER;
    return end < start ? end : start;
}

void dispatcher_run(struct dispatcher *d, uint64_t from, uint64_t until, dispatch_start *start, void *ctx)
{
    uint64_t now;
    while ((now = dispatcher_next(d)) < until) {
        now = now < from ? from : now;
        while (d->first < d->nends && d->ends[d->first].at <= now)
            take_end(d, &d->ends[d->first++]);
        if (d->current < d->n && d->next <= now) {
            hand_out(d, now, start, ctx);
            d->next = now + 1;
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
