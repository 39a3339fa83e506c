/* The oracle of program order: for each warp a list of the instructions with outstanding accesses, oldest first. */
#include "memsys/order/order_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/code.h"

struct checked { uint64_t instruction, issued; uint32_t loads, stores; const struct dinst *d; };

struct checked_warp { struct checked *list; uint32_t n, room; };

struct order_check {
    struct order_check_cfg cfg;
    uint32_t warps;
    struct checked_warp warp[];      /* by slot */
};

struct order_check *order_check_new(const struct order_check_cfg *cfg, uint32_t warps)
{
    struct order_check *c = mem_zero(1, sizeof *c + warps * sizeof *c->warp, "the oracle of program order");
    c->cfg = *cfg;
    c->warps = warps;
    return c;
}

void order_check_free(struct order_check *c)
{
    for (uint32_t i = 0; c && i < c->warps; i++)
        free(c->warp[i].list);
    free(c);
}

void order_check_issued(struct order_check *c, const struct mem_op *op, uint32_t loads, uint32_t stores)
{
    struct checked_warp *w = &c->warp[op->sm_slot];
    if (op->role || !(loads + stores))
        return;
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 8;
        w->list = mem_resize(w->list, w->room, sizeof *w->list, "the oracle of program order");
    }
    w->list[w->n++] = (struct checked){ op->sequence, op->issued, loads, stores, op->d };
}

void order_check_performed(struct order_check *c, uint32_t warp, uint64_t instruction, bool store)
{
    struct checked_warp *w = &c->warp[warp];
    uint32_t i = 0;
    while (i < w->n && w->list[i].instruction != instruction)
        i++;
    if (i == w->n)                   /* of a transaction */
        return;
    *(store ? &w->list[i].stores : &w->list[i].loads) -= 1;
    if (w->list[i].loads + w->list[i].stores)
        return;
    memmove(&w->list[i], &w->list[i + 1], (--w->n - i) * sizeof *w->list);
}

static bool is_before(const struct order_check *c, const struct checked *k, const struct mem_op *op)
{
    bool passes_stores = c->cfg.model == ORDER_MODEL_TSO && op->kind == MOP_LOAD;
    return k->instruction < op->sequence && (k->loads || !passes_stores);
}

bool order_check_in_order(const struct order_check *c, const struct mem_op *op)
{
    const struct checked_warp *w = &c->warp[op->sm_slot];
    if (c->cfg.model != ORDER_MODEL_SC && c->cfg.model != ORDER_MODEL_TSO)
        return true;
    for (uint32_t i = 0; i < w->n && w->list[i].instruction < op->sequence && !op->role; i++)
        if (is_before(c, &w->list[i], op))
            return false;
    return true;
}

uint64_t order_check_oldest(const struct order_check *c, uint64_t now)
{
    for (uint32_t i = 0; i < c->warps; i++)
        if (c->warp[i].n && c->warp[i].list[0].issued < now)
            now = c->warp[i].list[0].issued;
    return now;
}

_Noreturn void order_check_report(const struct order_check *c, const struct mem_op *op, uint64_t line, uint64_t now)
{
    const struct checked_warp *w = &c->warp[op->sm_slot];
    fprintf(stderr, "simtx: order policy %s: SM %u, cycle %" PRIu64 ", seed %" PRIu64 ": warp slot %u accesses line %#"
            PRIx64 " for the instruction of cycle %" PRIu64 " (PTX line %d) before earlier accesses have performed:\n",
            c->cfg.policy, c->cfg.sm, now, c->cfg.seed, op->sm_slot, line, op->issued, op->d->in->loc.line);
    for (uint32_t i = 0; i < w->n; i++)
        if (is_before(c, &w->list[i], op))
            fprintf(stderr, "  %u loads and %u stores of the instruction of cycle %" PRIu64 " (PTX line %d)\n",
                    w->list[i].loads, w->list[i].stores, w->list[i].issued, w->list[i].d->in->loc.line);
    abort();
}
