/* The load/store unit's side of a policy's stage (stage.h): the accesses that it holds. */
#ifndef MEMSYS_STAGING_H
#define MEMSYS_STAGING_H

#include "memsys/lsu/retire.h"
#include "memsys/lsu/stage.h"

struct staged {
    struct stage_access a;           /* first: the stage has only this part */
    struct mem_op *op;
    struct line_access access;
    uint32_t track;                  /* remote_track of a store or red */
};

struct staging {
    const struct order_stage *stage; /* NULL = none */
    void *state;
    struct retire *retire;
    struct pool accesses;
    uint32_t held;
    bool rejected;                   /* the L1 has rejected the chosen access */
};

void staging_init(struct staging *g, const struct order_stage *stage, void *state, struct retire *retire);
void staging_end(struct staging *g);
enum stage_answer staging_offer(struct staging *g, struct mem_op *op, const struct line_access *a, uint32_t track,
                                uint64_t now);
void staging_sent(struct staging *g, struct staged *d, uint64_t now);
/* The L1 has accepted an access that the stage lets pass. */
void staging_passed(struct staging *g, const struct mem_op *op, const struct line_access *a, uint64_t now);
bool staging_shared(struct staging *g, struct mem_op *op, uint64_t now);
/* stage_forward; the registers are written at `ready`. */
enum stage_overlap staging_forward(struct staging *g, struct stage_access *load, struct stage_access *const *stores,
                                   uint32_t n, uint64_t now, uint64_t ready);

static inline bool staging_holds(const struct staging *g)
{
    return g->stage && g->stage->accept;
}

#endif
