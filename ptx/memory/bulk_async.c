/*
 * cp.async.bulk: the operands of a lane, the parts of a copy, and functional mode, where the bytes are copied when the
 * instruction executes, so a wait for bulk groups has no effect. bulk_check.c checks addresses. A prefetch of memory
 * that does not exist has no effect.
 */
#include <string.h>

#include "base/num.h"
#include "ptx/exec/cluster.h"
#include "ptx/memory/bulk_async.h"
#include "ptx/memory/bulk_check.h"
#include "ptx/memory/mbarrier.h"
#include "ptx/program/decode.h"

struct bulk_async { struct bulk_operand to, from, object; operand bytes, blocks; };

enum bulk_direction bulk_direction(enum ptx_op op)
{
    switch (op) {
    case OP_BULK_SEND:
    case OP_BULK_REDUCE_SEND: return BULK_SHARED_TO_SHARED;
    case OP_BULK_STORE:
    case OP_BULK_REDUCE:
    case OP_TENSOR_STORE:
    case OP_TENSOR_REDUCE: return BULK_SHARED_TO_GLOBAL;
    case OP_BULK_PREFETCH:
    case OP_TENSOR_PREFETCH: return BULK_GLOBAL_TO_L2;
    default: return BULK_GLOBAL_TO_SHARED;
    }
}

static bool has_object(enum bulk_direction w)
{
    return w == BULK_GLOBAL_TO_SHARED || w == BULK_SHARED_TO_SHARED;
}

uint64_t bulk_address(const struct half *h, struct bulk_operand o, int lane)
{
    return ((const uint64_t *)lanes_at(&h->l, o.at))[lane] + (uint64_t)o.displacement;
}

/* ---- the operands of a lane ---- */

static enum lane_result wrong_size(const struct bulk_site *c, uint32_t bytes)
{
    fault_raise(c->h->warp, c->d, FAULT_MISALIGNED, c->lane + c->h->index * LANES, bytes,
                "the size of a bulk copy must be a multiple of 16; it is %u", bytes);
    return LANE_FAULT;
}

static enum lane_result check_ends(const struct bulk_site *c, struct bulk_lane *l)
{
    enum bulk_direction w = bulk_direction((enum ptx_op)c->d->in->op);
    bool to_shared = has_object(w), from_global = w == BULK_GLOBAL_TO_SHARED || w == BULK_GLOBAL_TO_L2;
    bool own = c->d->in->op == OP_BULK_LOAD_CTA;
    if (w == BULK_GLOBAL_TO_L2) {
        if (!mem_resolve(c->h, SP_GLOBAL, l->from, c->lane, l->bytes, false))
            l->bytes = 0;
        return LANE_COPIES;
    }
    enum lane_result r = from_global ? bulk_check_global(c, l->from, l->bytes, false)
                                     : bulk_check_shared(c, l->from, l->bytes, BULK_GRAIN, true, false);
    if (r != LANE_COPIES)
        return r;
    return to_shared ? bulk_check_shared(c, l->to, l->bytes, BULK_GRAIN, own, true)
                     : bulk_check_global(c, l->to, l->bytes, true);
}

enum lane_result bulk_blocks(const struct bulk_site *c, operand mask, uint64_t object, uint16_t *blocks)
{
    bool several = bulk_is_multicast((enum ptx_op)c->d->in->op);
    *blocks = several ? ((const uint16_t *)lanes_at(&c->h->l, mask))[c->lane]
                      : (uint16_t)(1u << cluster_rank(c->h->warp->block, object));
    return several ? bulk_check_blocks(c, *blocks) : LANE_COPIES;
}

uint64_t bulk_async_to(const struct half *h, const struct dinst *d, int lane, uint32_t *bytes)
{
    const struct bulk_async *x = d->extra;
    *bytes = ((const uint32_t *)lanes_at(&h->l, x->bytes))[lane];
    return bulk_address(h, x->to, lane);
}

/* Reads and checks the operands of a lane. */
static enum lane_result check_lane(struct half *h, const struct dinst *d, int lane, struct bulk_lane *l)
{
    const struct bulk_async *x = d->extra;
    const struct bulk_site c = { h, d, lane };
    enum bulk_direction w = bulk_direction((enum ptx_op)d->in->op);
    *l = (struct bulk_lane){ .bytes = ((const uint32_t *)lanes_at(&h->l, x->bytes))[lane],
                             .from = bulk_address(h, x->from, lane),
                             .to = w == BULK_GLOBAL_TO_L2 ? 0 : bulk_address(h, x->to, lane) };
    if (l->bytes & (BULK_GRAIN - 1))
        return wrong_size(&c, l->bytes);
    if (w == BULK_GLOBAL_TO_L2 && l->from & (BULK_GRAIN - 1))
        return bulk_illegal(&c, SP_GLOBAL, l->from, BULK_GRAIN, false);
    enum lane_result r = l->bytes ? check_ends(&c, l) : LANE_COPIES;
    if (r != LANE_FAULT && has_object(w)) {
        uint64_t object = bulk_address(h, x->object, lane);
        l->empty = r == LANE_LEFT_OUT;
        r = bulk_check_object(&c, l->to, object, d->in->op == OP_BULK_LOAD_CTA);
        l->object = (uint32_t)object;
        if (r == LANE_COPIES)
            r = bulk_blocks(&c, x->blocks, l->object, &l->blocks);
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

struct block *bulk_block(const struct bulk_site *c, uint32_t rank, uint64_t to, enum lane_result *r)
{
    struct block *b = cluster_block(c->h->warp->block, rank);
    *r = b ? LANE_COPIES : bulk_illegal(c, SP_SHARED, cluster_map(to, rank), BULK_GRAIN, true);
    return b;
}

/* A reduction in the shared memory of block `to`, or with NULL in global memory. */
static void reduce(const struct bulk_site *c, const struct bulk_lane *l, struct block *to)
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
static void transfer(const struct bulk_site *c, const struct bulk_lane *l, struct block *to)
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

/* To each block with a destination. */
static enum lane_result copy_to_blocks(const struct bulk_site *c, const struct bulk_lane *l)
{
    enum lane_result r = LANE_COPIES;
    for (uint32_t m = l->blocks; m && r == LANE_COPIES; m &= m - 1) {
        struct block *to = bulk_block(c, (uint32_t)__builtin_ctz(m), l->to, &r);
        if (to && !l->empty)
            transfer(c, l, to);
        if (to)
            mbarrier_complete(to, l->object, l->bytes);
    }
    return r;
}

static enum lane_result copy(const struct bulk_site *c, const struct bulk_lane *l)
{
    enum bulk_direction w = bulk_direction((enum ptx_op)c->d->in->op);
    if (has_object(w))
        return copy_to_blocks(c, l);
    if (w == BULK_SHARED_TO_GLOBAL)
        transfer(c, l, NULL);
    return LANE_COPIES;
}

static int run_bulk(struct lanes *x, const struct dinst *d)
{
    struct half *h = half_of(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        struct bulk_lane l;
        const struct bulk_site c = { h, d, __builtin_ctz(m) };
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

struct bulk_operand bulk_decode_address(struct decoder *x, const struct ptx_operand *o)
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
    c->from = bulk_decode_address(x, from);
    if (w != BULK_GLOBAL_TO_L2)
        c->to = bulk_decode_address(x, &in->opd[0]);
    c->bytes = decoder_source(x, from + 1, T_U32);
    if (has_object(w))
        c->object = bulk_decode_address(x, from + 2);
    if (bulk_is_multicast((enum ptx_op)in->op))
        c->blocks = decoder_source(x, from + 3, T_U16);
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
