/*
 * How a memory instruction ends: accesses that wait for data are kept here, bytes go into registers, and when the last
 * access of an instruction is over the SM is told. An instruction holds one count itself while accesses of it are still
 * to be made (op->pending).
 */
#ifndef MEMSYS_RETIRE_H
#define MEMSYS_RETIRE_H

#include "base/pool.h"
#include "memsys/lsu/lsu.h"
#include "memsys/lsu/stage.h"

/* What became of an access that was offered to a cache. */
enum served { SERVED, BLOCKED_LINE, BLOCKED_MSHR, BLOCKED_QUEUE, BLOCKED_STAGE };

/* Lanes of an instruction that wait for a line. */
struct waiter {
    struct mem_op *op;
    struct line_access access;
    uint8_t server;
};

struct retire {
    struct lsu_calls calls;
    struct hists *hists;
    bool stores_wait;                /* a store is over when it has performed */
    const struct order_stage *stage;       /* of an order policy: is told what performs; NULL = nobody is */
    void *stage_state;
    struct pool waiters;
    uint32_t *busy, slots;           /* by warp slot: instructions and stores outstanding */
};

void retire_init(struct retire *r, const struct lsu_calls *calls, struct hists *hists);
void retire_end(struct retire *r);
void retire_hold(struct retire *r, uint32_t slot);       /* the warp has one thing more outstanding */
void retire_release(struct retire *r, uint32_t slot);
void retire_begin(struct retire *r, struct mem_op *op);  /* issued: one count, the warp is busy */
void retire_part(struct retire *r, struct mem_op *op, uint64_t now);     /* one count less; at 0 the op is done */
struct waiter *retire_waiter(struct retire *r, struct mem_op *op, enum mem_server s, const struct line_access *a);
/* Binds a load: lanes get their bytes of the line at this address now, their registers are there at `ready`. The
 * instruction's count is the caller's business. */
void retire_load(struct retire *r, struct mem_op *op, const struct line_access *a, enum mem_server s,
                 const uint8_t *bytes, uint64_t now, uint64_t ready);
/* A global access of the warp slot has performed. */
static inline void retire_performed(struct retire *r, uint32_t slot, uint64_t line, bool store, uint64_t now)
{
    if (r->stage && r->stage->performed)
        r->stage->performed(r->stage_state, slot, line, store, now);
    r->calls.performed(r->calls.ctx, slot, store, now);
}

#endif
