/* Events of an SM in the order in which they are recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/order/order_history.h"
#include "ptx/program/code.h"

static const char what[] = "the histories of the ordering oracle";

static uint8_t sem_of(const struct mem_op *op)
{
    bool block = op->d->in->mod[PG_SCOPE] == MOD(SCOPE, CTA);
    return (uint8_t)((op->order_strong ? ORDER_SEM_STRONG : 0) | (op->order_acquire ? ORDER_SEM_ACQUIRE : 0) |
                     (op->order_release ? ORDER_SEM_RELEASE : 0) | (block ? ORDER_SEM_BLOCK : 0));
}

/* Adds an access; the caller sets what it reads and writes. Valid until the next one is added. */
static struct order_event *add(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                               const struct order_time *bound)
{
    h->event = mem_grow(h->event, h->n, &h->cap, sizeof *h->event, what);
    struct order_event *e = &h->event[h->n++];
    e->bound = bound->cycle >= op->issued ? *bound : (struct order_time){ op->issued, 0 };
    e->instruction = op->sequence;
    e->line = line;
    e->lanes = lanes;
    e->block = op->warp->block->linear;
    e->slot = op->role == MEM_ROLE_BULK ? ORDER_BULK : op->sm_slot;
    e->warp = op->warp->index;
    e->sm = h->sm;
    e->source = op->d->in->loc.line;
    e->sem = sem_of(op);
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

void order_history_load(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                        const struct order_time *bound, const uint8_t *bytes)
{
    memcpy(add(h, op, line, lanes, bound)->read, bytes, LINE_BYTES);
}

void order_history_performed(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                             const struct order_time *bound, const uint8_t *before, const uint8_t *after)
{
    struct order_event *e = add(h, op, line, lanes, bound);
    memcpy(e->read, before, LINE_BYTES);
    memcpy(e->written, after, LINE_BYTES);
}

void order_history_at_home(struct order_history *h, const struct mem_op *op, uint64_t line, uint64_t lanes,
                           const struct order_time *bound, const struct atom_payload *old)
{
    struct order_event *e = add(h, op, line, lanes, bound);
    uint64_t mask[2] = { 0 };
    e->read_known = op->kind == MOP_ATOM && old;
    e->written_known = op->kind == MOP_STORE;
    if (op->kind == MOP_STORE)
        mem_store_line(op, lanes, 0, e->written, mask);
    for (unsigned lane = WARP_LANES; e->read_known && lane-- > 0;)      /* the lowest lane of a word is the first */
        if (lanes >> lane & 1)
            memcpy(e->read + e->offset[lane], old->b[lane], e->width);
}

/* Lane i of an engine's access is the i-th unit of `width` bytes that it accesses. */
static void add_unit(struct order_event *e, unsigned *n, unsigned offset)
{
    if (*n == WARP_LANES)
        return;
    e->lanes |= UINT64_C(1) << *n;
    e->offset[(*n)++] = (uint8_t)offset;
}

void order_history_engine(struct order_history *h, const struct packet *p, uint16_t slice,
                          const struct order_time *bound, const uint8_t *line)
{
    h->event = mem_grow(h->event, h->n, &h->cap, sizeof *h->event, what);
    struct order_event *e = &h->event[h->n++];
    bool write = p->kind == MSG_WRITE;
    unsigned n = 0;
    *e = (struct order_event){
        .bound = *bound, .line = p->line, .slot = slice, .warp = bound->turn, .sm = h->sm, .reads = !write,
        .writes = write, .read_known = true, .written_known = true, .width = write ? 1 : 4
    };
    for (unsigned b = 0; b < LINE_BYTES; b += e->width)
        if (write ? p->mask[b / 64] >> b % 64 & 1 : p->sectors >> b / SECTOR_BYTES & 1)
            add_unit(e, &n, b);
    memcpy(write ? e->written : e->read, line, LINE_BYTES);
}

void order_history_fence(struct order_history *h, const struct order_fence *f)
{
    h->event = mem_grow(h->event, h->n, &h->cap, sizeof *h->event, what);
    h->event[h->n++] = (struct order_event){
        .bound.cycle = f->cycle, .instruction = f->instruction, .lanes = f->lanes, .block = f->block, .slot = f->slot,
        .warp = f->warp, .sm = h->sm, .source = f->source, .sem = ORDER_SEM_FENCE | f->sem
    };
}

void order_history_free(struct order_history *h)
{
    free(h->event);
    h->event = NULL;
    h->n = h->cap = 0;
}
