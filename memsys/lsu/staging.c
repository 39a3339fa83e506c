/* Accesses in the stage of a memory-ordering policy: offered to it, and sent to the L1. */
#include <stdlib.h>
#include <string.h>

#include "memsys/lsu/staging.h"

enum { STAGED_IN_CHUNK = 32 };

void staging_init(struct staging *g, const struct order_stage *stage, void *state, struct retire *retire)
{
    *g = (struct staging){ .stage = stage, .state = state, .retire = retire };
    pool_init(&g->accesses, sizeof(struct staged), STAGED_IN_CHUNK, "accesses in the stage of an order policy");
}

void staging_end(struct staging *g)
{
    pool_end(&g->accesses);
}

static struct stage_access describe(const struct mem_op *op)
{
    return (struct stage_access){
        .instruction = op->sequence, .warp = op->sm_slot, .kind = op->kind, .strong = op->order_strong,
        .acquire = op->order_acquire, .release = op->order_release
    };
}

static struct stage_access describe_line(const struct mem_op *op, const struct line_access *a)
{
    struct stage_access s = describe(op);
    s.line = a->line;
    s.lanes = a->lanes;
    s.sectors = a->sectors;
    return s;
}

enum stage_answer staging_offer(struct staging *g, struct mem_op *op, const struct line_access *a, uint32_t track,
                                uint64_t now)
{
    struct staged *d = pool_take(&g->accesses);
    *d = (struct staged){ .a = describe_line(op, a), .op = op, .access = *a, .track = track };
    enum stage_answer r = g->stage->accept(g->state, &d->a, now);
    if (r == STAGE_HELD) {
        op->pending++;
        g->held++;
    } else {
        pool_give(&g->accesses, d);
    }
    return r;
}

void staging_passed(struct staging *g, const struct mem_op *op, const struct line_access *a, uint64_t now)
{
    struct stage_access s = describe_line(op, a);
    if (g->stage->sent)
        g->stage->sent(g->state, &s, now);
}

void staging_sent(struct staging *g, struct staged *d, uint64_t now)
{
    struct mem_op *op = d->op;
    g->stage->sent(g->state, &d->a, now);
    g->held--;
    pool_give(&g->accesses, d);
    retire_complete(g->retire, op, now);
}

bool staging_shared(struct staging *g, struct mem_op *op, uint64_t now)
{
    struct staged d = { .a = describe(op), .op = op };
    d.a.lanes = op->served_by[SERVE_SHARED];
    return g->stage->shared(g->state, &d.a, now);
}

const void *stage_block(const struct stage_access *a)
{
    return ((const struct staged *)a)->op->warp->block;
}

uint32_t stage_shared_lines(const struct stage_access *a, uint64_t *line)
{
    struct line_access found[COALESCE_MAX];
    uint32_t n = coalesce(((const struct staged *)a)->op, SERVE_SHARED, WARP_LANES, found);
    for (uint32_t i = 0; i < n; i++)
        line[i] = found[i].line;
    return n;
}

/* ---- forwarding from stores ---- */

/* The bytes of a line that stores have written, and the lane of each. */
struct written { uint64_t mask[2]; uint8_t data[LINE_BYTES], lane[LINE_BYTES]; };

/* Adds the bytes that no younger store has written. At one address the highest lane wins, as in mem_store_line. */
static void add_store(struct written *w, const struct mem_op *op, const struct line_access *a)
{
    struct written mine = { .mask = { 0 } };
    mem_store_line(op, a->lanes, a->piece, mine.data, mine.mask);
    for (uint64_t m = a->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        memset(mine.lane + op->address[lane] % LINE_BYTES, (int)lane, op->width);
    }
    for (unsigned b = 0; b < LINE_BYTES; b++)
        if (mine.mask[b / 64] & ~w->mask[b / 64] & UINT64_C(1) << b % 64) {
            w->data[b] = mine.data[b];
            w->lane[b] = mine.lane[b];
        }
    w->mask[0] |= mine.mask[0];
    w->mask[1] |= mine.mask[1];
}

static enum stage_overlap overlap(const struct written *w, const struct mem_op *op, const struct line_access *a)
{
    bool own = true, any = false;
    for (uint64_t m = a->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m), first = op->address[lane] % LINE_BYTES;
        for (unsigned b = first; b < first + op->width; b++) {
            bool there = w->mask[b / 64] >> b % 64 & 1;
            any |= there;
            own &= there && w->lane[b] == lane;
        }
    }
    return !any ? STAGE_APART : own ? STAGE_BOUND : STAGE_OVERLAPS;
}

enum stage_overlap staging_forward(struct staging *g, struct stage_access *load, struct stage_access *const *stores,
                                   uint32_t n, uint64_t now, uint64_t ready)
{
    struct staged *d = (struct staged *)load;
    struct written w = { .mask = { 0 } };
    for (uint32_t i = 0; i < n; i++) {
        const struct staged *s = (const struct staged *)stores[i];
        add_store(&w, s->op, &s->access);
    }
    enum stage_overlap r = overlap(&w, d->op, &d->access);
    if (r == STAGE_BOUND && g->retire->check && !order_check_in_order(g->retire->check, d->op))
        order_check_report(g->retire->check, d->op, d->access.line, now);
    if (r == STAGE_BOUND)
        retire_load(g->retire, d->op, &d->access, SERVE_GLOBAL, w.data, now, ready);
    return r;
}
