/* Accesses in the stage of a memory-ordering policy: offered to it, and sent to the L1. */
#include <stdlib.h>

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

static struct stage_access describe(const struct mem_op *op, uint64_t instruction)
{
    return (struct stage_access){
        .instruction = instruction, .warp = op->sm_slot, .kind = op->kind, .strong = op->order_strong,
        .acquire = op->order_acquire, .release = op->order_release
    };
}

enum lsu_result staging_offer(struct staging *g, struct mem_op *op, const struct line_access *a, uint32_t track,
                              uint64_t instruction, uint64_t now)
{
    struct staged *d = pool_take(&g->accesses);
    *d = (struct staged){ .a = describe(op, instruction), .op = op, .access = *a, .track = track };
    d->a.line = a->line;
    d->a.lanes = a->lanes;
    d->a.sectors = a->sectors;
    if (!g->stage->accept(g->state, &d->a, now)) {
        pool_give(&g->accesses, d);
        return LSU_BLOCKED_STAGE;
    }
    op->pending++;
    g->held++;
    return LSU_SERVED;
}

void staging_sent(struct staging *g, struct staged *d, uint64_t now)
{
    struct mem_op *op = d->op;
    g->stage->sent(g->state, &d->a, now);
    g->held--;
    pool_give(&g->accesses, d);
    retire_complete(g->retire, op, now);
}

bool staging_shared(struct staging *g, const struct mem_op *op, uint64_t instruction, uint64_t now)
{
    struct stage_access a = describe(op, instruction);
    a.lanes = op->served_by[SERVE_SHARED];
    return g->stage->shared(g->state, &a, now);
}
