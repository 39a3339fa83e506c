/* Queues of accesses in the stage of a policy, and the accesses that it has sent to the L1. */
#ifndef CONSISTENCY_QUEUE_H
#define CONSISTENCY_QUEUE_H

#include "memsys/lsu/stage.h"
#include "ptx/memory/access.h"

struct order_queue { struct stage_access *head, *tail; uint32_t n; };

static inline void order_queue_push(struct order_queue *q, struct stage_access *a)
{
    a->next = NULL;
    *(q->n++ ? &q->tail->next : &q->head) = a;
    q->tail = a;
}

static inline struct stage_access *order_queue_pop(struct order_queue *q)
{
    struct stage_access *a = q->head;
    q->head = a->next;
    q->n--;
    return a;
}

/* Calls of `performed` that are due for accesses of one instruction of a warp. An access that hits performs before it
 * is counted as sent, so n may be negative for a moment. */
struct order_outstanding { int32_t n; uint64_t instruction; };

static inline void order_count_sent(struct order_outstanding *o, const struct stage_access *a)
{
    o->n += a->kind == MOP_ATOM || a->kind == MOP_RED ? 2 : 1;
    o->instruction = a->instruction;
}

/* May an access of this instruction be sent: have all of other instructions performed? */
static inline bool order_may_follow(const struct order_outstanding *o, uint64_t instruction)
{
    return !o->n || o->instruction == instruction;
}

#endif
