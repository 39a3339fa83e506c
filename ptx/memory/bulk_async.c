/*
 * cp.async.bulk: checks of its operands, and the copy of functional mode, where the bytes are copied when the
 * instruction executes, so a wait for bulk groups has no effect. Addresses and size are multiples of 16. Shared memory
 * is given by an address of its window, not by a generic one. A prefetch of memory that does not exist has no effect.
 */
#include <string.h>

#include "base/num.h"
#include "ptx/exec/cluster.h"
#include "ptx/memory/bulk_async.h"
#include "ptx/memory/mbarrier.h"
#include "ptx/program/decode.h"

struct bulk_operand { operand at; int64_t displacement; };

struct bulk_async { struct bulk_operand to, from, object; operand bytes; };

enum bulk_direction bulk_direction(enum ptx_op op)
{
    switch (op) {
    case OP_BULK_SEND:
    case OP_BULK_REDUCE_SEND: return BULK_SHARED_TO_SHARED;
    case OP_BULK_STORE:
    case OP_BULK_REDUCE: return BULK_SHARED_TO_GLOBAL;
    case OP_BULK_PREFETCH: return BULK_GLOBAL_TO_L2;
    default: return BULK_GLOBAL_TO_SHARED;
    }
}

static bool has_object(enum bulk_direction w)
{
    return w == BULK_GLOBAL_TO_SHARED || w == BULK_SHARED_TO_SHARED;
}

static uint64_t address_of(const struct half *h, struct bulk_operand o, int lane)
{
    return ((const uint64_t *)lanes_at(&h->l, o.at))[lane] + (uint64_t)o.displacement;
}

/* ---- checks ---- */

enum lane_result { LANE_FAULT, LANE_LEFT_OUT, LANE_COPIES };

struct site {
    struct half *h;
    const struct dinst *d;
    int lane;
};

/* The report has the address between the texts. */
static enum lane_result misuse(const struct site *c, enum fault_kind kind, uint64_t address, const char *before,
                               const char *after)
{
    fault_raise(c->h->warp, c->d, kind, c->lane + c->h->index * LANES, address, "%s 0x%llx%s%s", before,
                (unsigned long long)address, *after ? " " : "", after);
    return LANE_FAULT;
}

static enum lane_result wrong_size(const struct site *c, uint32_t bytes)
{
    fault_raise(c->h->warp, c->d, FAULT_MISALIGNED, c->lane + c->h->index * LANES, bytes,
                "the size of a bulk copy must be a multiple of 16; it is %u", bytes);
    return LANE_FAULT;
}

/* An illegal access to one piece of a space. */
static enum lane_result illegal(const struct site *c, enum ptx_space space, uint64_t address, unsigned bytes,
                                bool write)
{
    struct dinst d = *c->d;
    d.space = (uint8_t)space;
    return fault_memory(c->h, &d, c->lane, address, bytes, write) == CONTROL_FAULT ? LANE_FAULT : LANE_LEFT_OUT;
}

/* Of the own block, or of a block of the cluster. */
static bool inside_shared(const struct block *b, uint64_t address, uint64_t bytes, bool own)
{
    uint32_t rank = cluster_rank(b, address);
    bool reached = rank == b->rank || (!own && rank < cluster_blocks(b->launch));
    return reached && !(address >> 32) && (address & CLUSTER_OFFSET_MASK) + bytes <= b->shared_bytes;
}

static enum lane_result check_shared(const struct site *c, uint64_t address, uint32_t bytes, unsigned grain, bool own,
                                     bool write)
{
    const struct block *b = c->h->warp->block;
    if (address >> 32)
        return misuse(c, FAULT_SPACE, address,
                      "shared memory is given by an address of its window (cvta.to.shared), not by", "");
    if (own && cluster_rank(b, address) != b->rank)
        return misuse(c, FAULT_SPACE, address, "this operand must be in the shared memory of the executing block;",
                      "is in another block's");
    if (address & (grain - 1))
        return illegal(c, SP_SHARED, address, grain, write);
    for (uint32_t at = 0; !inside_shared(b, address, bytes, own) && at < bytes; at += grain)
        if (!inside_shared(b, address + at, grain, own))
            return illegal(c, SP_SHARED, address + at, grain, write);
    return LANE_COPIES;
}

static enum lane_result check_global(const struct site *c, uint64_t address, uint32_t bytes, bool write)
{
    if (address & (BULK_GRAIN - 1))
        return illegal(c, SP_GLOBAL, address, BULK_GRAIN, write);
    if (mem_resolve(c->h, SP_GLOBAL, address, c->lane, bytes, write))
        return LANE_COPIES;
    for (uint32_t at = 0; at < bytes; at += BULK_GRAIN)
        if (!mem_resolve(c->h, SP_GLOBAL, address + at, c->lane, BULK_GRAIN, write))
            return illegal(c, SP_GLOBAL, address + at, BULK_GRAIN, write);
    return illegal(c, SP_GLOBAL, address, BULK_GRAIN, write);         /* it spans two allocations */
}

/* The object must be in the memory of the block that gets the bytes. */
static enum lane_result check_object(const struct site *c, const struct bulk_lane *l, uint64_t object, bool own)
{
    const struct block *b = c->h->warp->block;
    enum lane_result r = check_shared(c, object, 8, 8, own, true);
    if (r == LANE_COPIES && cluster_rank(b, object) != cluster_rank(b, l->to))
        return misuse(c, FAULT_SPACE, object, "the barrier object is not in the shared memory of the block with the "
                      "destination:", "");
    return r;
}

static enum lane_result check_ends(const struct site *c, struct bulk_lane *l)
{
    enum bulk_direction w = bulk_direction((enum ptx_op)c->d->in->op);
    bool to_shared = has_object(w), from_global = w == BULK_GLOBAL_TO_SHARED || w == BULK_GLOBAL_TO_L2;
    bool own = c->d->in->op == OP_BULK_LOAD_CTA;
    if (w == BULK_GLOBAL_TO_L2) {
        if (!mem_resolve(c->h, SP_GLOBAL, l->from, c->lane, l->bytes, false))
            l->bytes = 0;
        return LANE_COPIES;
    }
    enum lane_result r = from_global ? check_global(c, l->from, l->bytes, false)
                                     : check_shared(c, l->from, l->bytes, BULK_GRAIN, true, false);
    if (r != LANE_COPIES)
        return r;
    return to_shared ? check_shared(c, l->to, l->bytes, BULK_GRAIN, own, true) : check_global(c, l->to, l->bytes, true);
}

uint64_t bulk_async_to(const struct half *h, const struct dinst *d, int lane, uint32_t *bytes)
{
    const struct bulk_async *x = d->extra;
    *bytes = ((const uint32_t *)lanes_at(&h->l, x->bytes))[lane];
    return address_of(h, x->to, lane);
}

/* Reads and checks the operands of a lane. */
static enum lane_result check_lane(struct half *h, const struct dinst *d, int lane, struct bulk_lane *l)
{
    const struct bulk_async *x = d->extra;
    const struct site c = { h, d, lane };
    enum bulk_direction w = bulk_direction((enum ptx_op)d->in->op);
    *l = (struct bulk_lane){ .bytes = ((const uint32_t *)lanes_at(&h->l, x->bytes))[lane],
                             .from = address_of(h, x->from, lane),
                             .to = w == BULK_GLOBAL_TO_L2 ? 0 : address_of(h, x->to, lane) };
    if (l->bytes & (BULK_GRAIN - 1))
        return wrong_size(&c, l->bytes);
    if (w == BULK_GLOBAL_TO_L2 && l->from & (BULK_GRAIN - 1))
        return illegal(&c, SP_GLOBAL, l->from, BULK_GRAIN, false);
    enum lane_result r = l->bytes ? check_ends(&c, l) : LANE_COPIES;
    if (r != LANE_FAULT && has_object(w)) {
        uint64_t object = address_of(h, x->object, lane);
        l->empty = r == LANE_LEFT_OUT;
        r = check_object(&c, l, object, d->in->op == OP_BULK_LOAD_CTA);
        l->object = (uint32_t)object;
    }
    if (l->empty)
        l->to = l->object;
    else if (w == BULK_GLOBAL_TO_SHARED)
        l->from = launch_parameter(h->worker->launch, l->from);
    return r;
}

/* ---- parts ---- */

void bulk_part(struct mem_op *op, const struct dinst *d, uint64_t to, uint32_t bytes)
{
    uint32_t width = bulk_reduces((enum ptx_op)d->in->op) ? d->size : BULK_GRAIN;
    op->d = d;
    op->kind = bulk_reduces((enum ptx_op)d->in->op) ? MOP_RED : MOP_STORE;
    op->lanes = mask_all(bytes / width);
    op->width = op->size = (uint8_t)width;
    op->count = 1;
    op->stride = MEM_WIDTH_MAX;
    op->pattern = MEM_PATTERN_CONSECUTIVE;
    op->atomic_class = d->shape->atomic_class;
    for (uint32_t i = 0; i < bytes / width; i++)
        op->address[i] = to + i * width;
}

void bulk_part_data(struct mem_op *op, const char *from)
{
    for (uint64_t m = op->lanes; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        memcpy(mem_data(op, i), from + i * op->width, op->width);
    }
}

void bulk_part_completes(struct mem_op *op, uint32_t object)
{
    const struct mbarrier_completion c = { object, op->width };
    op->completes = true;
    for (uint64_t m = op->lanes; m; m &= m - 1)
        memcpy(mem_data(op, (unsigned)__builtin_ctzll(m)) + MBARRIER_COMPLETION, &c, sizeof c);
}

void bulk_part_empty(struct mem_op *op, const struct bulk_lane *l)
{
    const struct mbarrier_completion c = { l->object, l->bytes };
    op->kind = MOP_STORE;
    op->lanes = 1;
    op->completes = true;
    op->width = op->size = 0;
    op->address[0] = l->object;
    memcpy(mem_data(op, 0) + MBARRIER_COMPLETION, &c, sizeof c);
}

/* ---- functional mode ---- */

/* The block that an address of shared memory is of; NULL: it has exited, and a fault was raised or tolerated. */
static struct block *block_at(const struct site *c, uint64_t address, enum lane_result *r)
{
    struct block *b = cluster_block(c->h->warp->block, cluster_rank(c->h->warp->block, address));
    *r = b ? LANE_COPIES : illegal(c, SP_SHARED, address, BULK_GRAIN, true);
    return b;
}

/* A reduction in the shared memory of block `to`, or with NULL in global memory. */
static void reduce(const struct site *c, const struct bulk_lane *l, struct block *to)
{
    const char *from = c->h->warp->block->shared + (l->from & CLUSTER_OFFSET_MASK);
    for (uint32_t at = 0, n; at < l->bytes; at += n) {
        struct mem_op op = { .kind = MOP_RED };
        struct atom_payload payload;
        uint32_t rest = BULK_PART - ((uint32_t)(l->to + at) & (BULK_PART - 1));
        n = l->bytes - at < rest ? l->bytes - at : rest;
        bulk_part(&op, c->d, l->to + at, n);
        bulk_part_data(&op, from + at);
        if (to)
            mem_cluster_perform(&op, op.lanes, to);
        else {
            mem_atomic_request(&op, op.lanes, &payload);
            mem_atomic_perform(c->h->worker, op.address[0] & ~(uint64_t)(BULK_PART - 1), &payload);
        }
    }
}

/* to: the block with the destination; NULL: it is in global memory. */
static void transfer(const struct site *c, const struct bulk_lane *l, struct block *to)
{
    bool from_global = bulk_direction((enum ptx_op)c->d->in->op) == BULK_GLOBAL_TO_SHARED;
    char *out = to ? to->shared + (l->to & CLUSTER_OFFSET_MASK) : (char *)(uintptr_t)l->to;
    const char *in = from_global ? (const char *)(uintptr_t)l->from
                                 : c->h->warp->block->shared + (l->from & CLUSTER_OFFSET_MASK);
    if (bulk_reduces((enum ptx_op)c->d->in->op))
        reduce(c, l, to);
    else {
        c->h->worker->changes += memcmp(out, in, l->bytes) != 0;
        memmove(out, in, l->bytes);
    }
}

static enum lane_result copy(const struct site *c, const struct bulk_lane *l)
{
    struct block *to = NULL;
    enum bulk_direction w = bulk_direction((enum ptx_op)c->d->in->op);
    enum lane_result r = LANE_COPIES;
    if (w == BULK_GLOBAL_TO_L2)
        return r;
    if (has_object(w) && !(to = block_at(c, l->to, &r)))
        return r;
    if (!l->empty)
        transfer(c, l, to);
    if (has_object(w))
        mbarrier_complete(to, l->object, l->bytes);
    return r;
}

static int run_bulk(struct lanes *x, const struct dinst *d)
{
    struct half *h = half_of(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        struct bulk_lane l;
        const struct site c = { h, d, __builtin_ctz(m) };
        enum lane_result r = check_lane(h, d, c.lane, &l);
        if (r == LANE_COPIES)
            r = copy(&c, &l);
        if (r == LANE_FAULT)
            return CONTROL_FAULT;
    }
    return CONTROL_NEXT;
}

/* ---- timing mode ---- */

bool bulk_async_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        struct bulk_lane l;
        unsigned at = (unsigned)__builtin_ctz(m) + LANES * h->index;
        enum lane_result r = check_lane(h, d, __builtin_ctz(m), &l);
        if (r == LANE_FAULT)
            return false;
        if (r != LANE_COPIES)
            continue;
        memcpy(mem_data(op, at), &l, sizeof l);
        op->lanes |= UINT64_C(1) << at;
    }
    return true;
}

/* ---- decoding ---- */

static struct bulk_operand address(struct decoder *x, const struct ptx_operand *o)
{
    struct bulk_operand a;
    a.at = decoder_address(x, o, &a.displacement);
    return a;
}

void decode_bulk_async(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    enum bulk_direction w = bulk_direction((enum ptx_op)in->op);
    const struct ptx_operand *from = in->opd + (w != BULK_GLOBAL_TO_L2);
    struct bulk_async *c = arena_alloc(x->p->arena, sizeof *c);
    if (in->tx)
        decoder_error(x, "an asynchronous copy inside a transaction is not supported");
    c->from = address(x, from);
    if (w != BULK_GLOBAL_TO_L2)
        c->to = address(x, &in->opd[0]);
    c->bytes = decoder_source(x, from + 1, T_U32);
    if (has_object(w))
        c->object = address(x, from + 2);
    struct dinst *d = decoder_add_counting_step(x);
    d->extra = c;
    bool reduces = bulk_reduces((enum ptx_op)in->op);
    d->size = (uint8_t)(reduces ? ptx_type_size((enum ptx_type)in->type[0]) : BULK_GRAIN);
    d->vec = 1;
    d->id = (uint16_t)(x->p->mem_ids++ % (BOUNDS_CACHE / 2));
    d->space = SP_GENERIC;
    if (reduces)
        atom_select(in, d);
    d->fn = run_bulk;
    decoder_guard(x, d);
}
