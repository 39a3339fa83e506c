/* Events of an SM in the order in which they are recorded. */
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/order/order_history.h"
#include "ptx/program/code.h"

struct order_event *order_history_add(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                                      const struct order_time *bound)
{
    h->event = mem_grow(h->event, h->n, &h->cap, sizeof *h->event, "the histories of the ordering oracle");
    struct order_event *e = &h->event[h->n++];
    e->bound = bound->cycle > op->issued ? *bound : (struct order_time){ op->issued, 0 };
    e->instruction = op->sequence;
    e->line = line;
    e->lanes = lanes;
    e->block = op->warp->block->linear;
    e->slot = op->sm_slot;
    e->warp = op->warp->index;
    e->sm = h->sm;
    e->source = op->d->in->loc.line;
    e->reads = op->kind != MOP_STORE;
    e->writes = op->kind != MOP_LOAD;
    e->read_known = e->written_known = true;
    e->width = op->width;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        e->offset[lane] = (uint8_t)(op->address[lane] % LINE_BYTES);
    }
    return e;
}

void order_history_free(struct order_history *h)
{
    free(h->event);
    h->event = NULL;
    h->n = h->cap = 0;
}
