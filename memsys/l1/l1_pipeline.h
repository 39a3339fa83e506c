/*
 * The stages in front of the look-up in L1 (l1.pipelined): an access enters when the coalescer makes it, and is looked
 * up l1.latency cycles later, in order. While the look-up at the end is rejected, the accesses after it advance, until
 * every stage holds one. Without it an access is looked up at once, and only a hit takes the latency.
 */
#ifndef MEMSYS_L1_PIPELINE_H
#define MEMSYS_L1_PIPELINE_H

#include "memsys/lsu/retire.h"

struct l1_access {
    struct mem_op *op;
    uint64_t ready;                  /* core cycle of its look-up */
    struct line_access access;
    uint32_t track;                  /* of stores that L2 performs */
    uint8_t server;
};

struct l1_pipeline {
    struct l1_access *place;         /* ring */
    uint32_t stages, first, n;       /* stages: 0 = there is no pipeline */
};

void l1_pipeline_init(struct l1_pipeline *p, uint32_t stages);
void l1_pipeline_end(struct l1_pipeline *p);
/* Not when full. The op holds one count for the access until it leaves. */
void l1_pipeline_enter(struct l1_pipeline *p, struct mem_op *op, const struct line_access *a, enum mem_server s,
                       uint32_t track, uint64_t now);
void l1_pipeline_leave(struct l1_pipeline *p);           /* the oldest one */
/* Is an access to this line in it? One that does not pass it must not overtake that. */
bool l1_pipeline_has(const struct l1_pipeline *p, uint64_t line);

static inline struct l1_access *l1_pipeline_oldest(const struct l1_pipeline *p)
{
    return p->n ? &p->place[p->first] : NULL;
}

static inline bool l1_pipeline_full(const struct l1_pipeline *p)
{
    return p->n == p->stages;
}

#endif
