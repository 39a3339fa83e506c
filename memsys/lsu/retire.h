/*
 * Completion of memory instructions: accesses that wait for data, the writing of registers, and the call of `done` when
 * the last access of an instruction has completed. op->pending counts its incomplete accesses, plus one until all of
 * them have been sent.
 */
#ifndef MEMSYS_RETIRE_H
#define MEMSYS_RETIRE_H

#include "base/pool.h"
#include "memsys/lsu/lsu.h"
#include "memsys/order/order_check.h"
#include "memsys/lsu/stage.h"
#include "memsys/order/order_history.h"

/* The result of offering an access to a cache: served, or blocked by this resource and to be offered again. */
enum lsu_result {
    LSU_SERVED, LSU_BLOCKED_LINE, LSU_BLOCKED_MSHR, LSU_BLOCKED_QUEUE, LSU_BLOCKED_STAGE, LSU_BLOCKED_PIPELINE
};

/* Lanes of an instruction that wait for a line. */
struct retire_waiter {
    struct mem_op *op;
    struct line_access access;
    uint8_t server;
};

struct retire {
    struct lsu_calls calls;
    struct hists *hists;
    bool stores_wait;                /* a store completes when it has performed */
    const struct order_stage *stage; /* of an order policy: notified of accesses that perform; NULL = none */
    void *stage_state;
    struct order_check *check;       /* NULL = none */
    struct order_history *history;   /* of accesses to global memory; NULL = not recorded */
    struct retire_observer observer; /* written: NULL = none */
    struct pool waiters;
    uint32_t *busy, slots;           /* by warp slot: instructions and stores outstanding */
};

void retire_init(struct retire *r, const struct lsu_calls *calls, struct hists *hists);
void retire_end(struct retire *r);
void retire_hold(struct retire *r, uint32_t slot);       /* the warp has one more instruction or store outstanding */
void retire_release(struct retire *r, uint32_t slot);
void retire_begin(struct retire *r, struct mem_op *op);  /* at issue: op->pending = 1, the warp is busy */
void retire_complete(struct retire *r, struct mem_op *op, uint64_t now);     /* op->pending - 1; at 0 the op is done */
struct retire_waiter *retire_waiter(struct retire *r, struct mem_op *op, enum mem_server s,
                                    const struct line_access *a);
/* Binds a load: copies the lanes' bytes of the line into their registers, which are written at `ready`. op->pending
 * does not change. */
void retire_load(struct retire *r, struct mem_op *op, const struct line_access *a, enum mem_server s,
                 const uint8_t *bytes, uint64_t now, uint64_t ready);
/* Reports a global access that has performed after its warp has ended (core.exit_past_stores): to the check alone. */
static inline void retire_performed_of_ended(struct retire *r, const struct stage_performed *p)
{
    if (r->check)
        order_check_performed(r->check, p->warp, p->instruction, p->store);
}

/* Reports that a global access has performed. */
static inline void retire_performed(struct retire *r, const struct stage_performed *p, uint64_t now)
{
    retire_performed_of_ended(r, p);
    if (r->stage && r->stage->performed)
        r->stage->performed(r->stage_state, p, now);
    r->calls.performed(r->calls.ctx, p->warp, p->store, now);
}

static inline void retire_op_performed(struct retire *r, const struct mem_op *op, uint64_t line, bool store,
                                       uint64_t now)
{
    if (mem_is_waited_for(op))
        retire_performed(r, &(struct stage_performed){ op->sm_slot, store, line, op->sequence }, now);
}

#endif
