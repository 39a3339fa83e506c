/*
 * st.async and red.async: an ordinary store or reduction in shared memory, and then its bytes are complete. The operand
 * of the barrier object is src[3], with the displacement d->reconverge.
 */
#include <string.h>

#include "ptx/exec/cluster.h"
#include "ptx/memory/async_store.h"
#include "ptx/memory/mbarrier.h"
#include "ptx/memory/mem_table.h"
#include "ptx/program/decode.h"

static uint64_t object_of(const struct lanes *x, const struct dinst *d, int lane)
{
    return ((const uint64_t *)lanes_at(x, d->src[3]))[lane] + (uint64_t)(int32_t)d->reconverge;
}

/* The object is a word in the shared memory of the block that the lane writes to. False: a fault. */
static bool check_object(struct half *h, const struct dinst *d, int lane, uint64_t object)
{
    const struct block *b = h->warp->block;
    uint64_t address = mem_address(&h->l, d, lane), offset = object & CLUSTER_OFFSET_MASK;
    if (!(object >> 32) && !(object & 7) && cluster_rank(b, object) == cluster_rank(b, address) &&
        offset + 8 <= b->shared_bytes)
        return true;
    fault_raise(h->warp, d, object & 7 ? FAULT_MISALIGNED : FAULT_SPACE, lane + h->index * LANES, object,
                "the barrier object 0x%llx is not a word of 8 bytes in the shared memory of the block that the store "
                "at 0x%llx writes to", (unsigned long long)object, (unsigned long long)address);
    return false;
}

/* ---- functional mode ---- */

static int run_async(struct lanes *x, const struct dinst *d)
{
    struct half *h = half_of(x);
    uint32_t bytes = (uint32_t)d->size * d->vec;
    for (uint32_t m = x->mask; m; m &= m - 1)
        if (!check_object(h, d, __builtin_ctz(m), object_of(x, d, __builtin_ctz(m))))
            return CONTROL_FAULT;
    int r = d->rounded(x, d);
    for (uint32_t m = r ? 0 : x->mask; m; m &= m - 1) {
        uint64_t object = object_of(x, d, __builtin_ctz(m));
        struct block *b = cluster_block(h->warp->block, cluster_rank(h->warp->block, object));
        if (b)                       /* else the write was a fault that check.memory tolerates */
            mbarrier_complete(b, (uint32_t)object, bytes);
    }
    return r;
}

/* ---- timing mode ---- */

/* A lane whose illegal write is tolerated accesses the barrier object in its place, if its block is there. */
static void complete_only(struct mem_op *op, const struct half *h, unsigned at, uint64_t object)
{
    const struct block *b = h->warp->block;
    uint32_t rank = cluster_rank(b, object);
    if (rank >= cluster_blocks(b->launch))
        return;
    op->address[at] = rank == b->rank ? object & CLUSTER_OFFSET_MASK : object;
    op->served_by[rank == b->rank ? SERVE_SHARED : SERVE_CLUSTER] |= UINT64_C(1) << at;
    op->pattern = MEM_PATTERN_SCATTERED;
}

bool async_store_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        unsigned at = (unsigned)lane + LANES * h->index;
        uint64_t object = object_of(&h->l, d, lane);
        const struct mbarrier_completion c = { (uint32_t)object, op->width };
        if (!check_object(h, d, lane, object))
            return false;
        if (op->outside >> at & 1)
            complete_only(op, h, at, object);
        memcpy(mem_data(op, at) + MBARRIER_COMPLETION, &c, sizeof c);
    }
    return true;
}

/* ---- decoding ---- */

static struct dinst *add_store(struct decoder *x)
{
    int n, bytes;
    operand *list = decoder_elements(x, &x->in->opd[1], false, &n, &bytes);
    struct dinst *d = decoder_add_wide_access(x, &x->in->opd[0], ptx_type_size((enum ptx_type)x->in->type[0]), n);
    d->extra = list;
    d->target = (uint32_t)bytes;
    d->space = SP_SHARED;
    d->rounded = mem_select(x->p->isa, x->in, d);
    return d;
}

static struct dinst *add_reduction(struct decoder *x)
{
    enum ptx_type t = (enum ptx_type)x->in->type[0];
    operand value = decoder_source(x, &x->in->opd[1], t);
    struct dinst *d = decoder_add_wide_access(x, &x->in->opd[0], ptx_type_size(t), 1);
    d->src[1] = value;
    d->space = SP_SHARED;
    d->rounded = atom_select(x->in, d);
    return d;
}

void decode_async_store(struct decoder *x)
{
    int64_t displacement;
    if (x->in->tx)
        decoder_error(x, "an asynchronous store inside a transaction is not supported");
    operand object = decoder_address(x, &x->in->opd[2], &displacement);
    struct dinst *d = x->in->op == OP_RED_ASYNC ? add_reduction(x) : add_store(x);
    d->src[3] = object;
    d->reconverge = (uint32_t)displacement;
    d->fn = run_async;
    decoder_guard(x, d);
}
