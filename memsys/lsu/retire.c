/* Waiting accesses and the completion of instructions. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/profile.h"
#include "memsys/lsu/retire.h"
#include "ptx/texture/fetch.h"

enum { WAITERS_IN_CHUNK = 64 };

void retire_init(struct retire *r, const struct lsu_calls *calls, struct hists *hists)
{
    *r = (struct retire){ .calls = *calls, .hists = hists };
    pool_init(&r->waiters, sizeof(struct retire_waiter), WAITERS_IN_CHUNK, "accesses that wait for data");
}

void retire_end(struct retire *r)
{
    pool_end(&r->waiters);
    free(r->busy);
    *r = (struct retire){ 0 };
}

void retire_hold(struct retire *r, uint32_t slot)
{
    r->busy = mem_grow_zero(r->busy, slot, &r->slots, sizeof *r->busy, "accesses of warps");
    r->busy[slot]++;
}

void retire_release(struct retire *r, uint32_t slot)
{
    r->busy[slot]--;
}

void retire_begin(struct retire *r, struct mem_op *op)
{
    op->pending = 1;
    op->ready = 0;
    retire_hold(r, op->sm_slot);
}

/* Of accesses of warps, not of parts of bulk copies. */
static void count_latency(struct retire *r, const struct mem_op *op, uint64_t at)
{
    if (op->role == MEM_ROLE_BULK)
        return;
    if (op->kind == MOP_ATOM && op->served_by[SERVE_GLOBAL])
        hist_add(r->hists, HIST_ATOMIC_LATENCY, at - op->issued);
    else if (op->kind == MOP_LOAD && op->served_by[SERVE_GLOBAL])
        hist_add(r->hists, HIST_LOAD_LATENCY, at - op->issued);
    else if (op->kind == MOP_STORE && r->stores_wait && op->served_by[SERVE_GLOBAL])
        hist_add(r->hists, HIST_STORE_LATENCY, at - op->issued);
    else if (op->kind == MOP_LOAD && op->served_by[SERVE_LOCAL])
        hist_add(r->hists, HIST_LOCAL_LATENCY, at - op->issued);
}

/* Of accesses whose values go to registers. */
static void profile_latency(const struct mem_op *op, uint64_t at)
{
    if ((op->kind != MOP_LOAD || op->to_shared) && op->kind != MOP_ATOM)
        return;
    op->profile[PROFILE_LOADS]++;
    op->profile[PROFILE_LOAD_CYCLES] += at - op->issued;
}

void retire_complete(struct retire *r, struct mem_op *op, uint64_t now)
{
    if (--op->pending)
        return;
    uint64_t at = op->ready > now ? op->ready : now;
    count_latency(r, op, at);
    if (op->profile)
        profile_latency(op, at);
    retire_release(r, op->sm_slot);
    r->calls.done(r->calls.ctx, op, at);
}

struct retire_waiter *retire_waiter(struct retire *r, struct mem_op *op, enum mem_server s, const struct line_access *a)
{
    struct retire_waiter *w = pool_take(&r->waiters);
    *w = (struct retire_waiter){ .op = op, .access = *a, .server = (uint8_t)s };
    op->pending++;
    return w;
}

void retire_load(struct retire *r, struct mem_op *op, const struct line_access *a, enum mem_server s,
                 const uint8_t *bytes, uint64_t now, uint64_t ready)
{
    if (s == SERVE_TEXTURE && op->fetch)
        tex_arrived(op, a->line, op->fetch->shift, bytes);
    else
        mem_load_line(op, a->lanes, a->piece, bytes);
    op->ready = ready > op->ready ? ready : op->ready;
    if (s == SERVE_GLOBAL)
        retire_op_performed(r, op, a->line, false, now);
}
