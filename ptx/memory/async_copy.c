/*
 * cp.async: a copy from global to shared memory without registers. In functional mode the bytes are copied when the
 * instruction executes, so a wait for groups has no effect. Timing mode reads global memory when the load is performed
 * and writes shared memory when the data of all lanes have arrived. A lane that reads fewer bytes than it copies writes
 * zeros after them; one that reads none is in timing mode an access to shared memory, which writes its zeros.
 */
#include <string.h>

#include "ptx/memory/access.h"
#include "ptx/memory/async_copy.h"
#include "ptx/program/decode.h"

enum { AMOUNT_ALL, AMOUNT_BYTES, AMOUNT_PREDICATE };

struct async_copy {
    operand to, amount;              /* 64-bit address in shared memory; bytes to read, or: reads none */
    int64_t displacement;
    uint8_t kind;
    bool negated;
};

/* What a lane copies. In a mem_op it lies at offset 16 of the lane's data, after the bytes. */
struct lane_copy { uint32_t to, bytes; };

static uint32_t bytes_of(const struct half *h, const struct dinst *d, int lane)
{
    const struct async_copy *c = d->extra;
    if (c->kind == AMOUNT_ALL)
        return d->size;
    uint32_t v = ((const uint32_t *)lanes_at(&h->l, c->amount))[c->kind == AMOUNT_PREDICATE ? 0 : lane];
    if (c->kind == AMOUNT_BYTES)
        return v < d->size ? v : d->size;
    return (v >> lane & 1) != c->negated ? 0 : d->size;
}

uint32_t async_copy_to(const struct half *h, const struct dinst *d, int lane)
{
    const struct async_copy *x = d->extra;
    return (uint32_t)(((const uint64_t *)lanes_at(&h->l, x->to))[lane] + (uint64_t)x->displacement);
}

enum lane_result { LANE_FAULT, LANE_LEFT_OUT, LANE_COPIES };

/* Checks both addresses of a lane. *from: the global address; it is not read if c->bytes is 0 in the end. */
static enum lane_result check_lane(struct half *h, const struct dinst *d, int lane, uint64_t *from, struct lane_copy *c)
{
    const struct async_copy *x = d->extra;
    uint64_t to = ((const uint64_t *)lanes_at(&h->l, x->to))[lane] + (uint64_t)x->displacement;
    struct dinst shared = *d;
    unsigned low = d->size - 1u;
    shared.space = SP_SHARED;
    c->to = (uint32_t)to;
    c->bytes = bytes_of(h, d, lane);
    *from = mem_address(&h->l, d, lane);
    if (c->to & low || !mem_resolve(h, SP_SHARED, c->to, lane, d->size, true))
        return fault_memory(h, &shared, lane, to, d->size, true) == CONTROL_FAULT ? LANE_FAULT : LANE_LEFT_OUT;
    if (!c->bytes)
        return LANE_COPIES;
    if (*from & low || !mem_resolve(h, SP_GLOBAL, *from, lane, c->bytes, false)) {
        if (fault_memory(h, d, lane, *from, d->size, false) == CONTROL_FAULT)
            return LANE_FAULT;
        c->bytes = 0;
    }
    *from = launch_parameter(h->worker->launch, *from);
    return LANE_COPIES;
}

static void write_shared(struct half *h, const struct dinst *d, struct lane_copy c, const void *from)
{
    uint8_t bytes[16] = { 0 };
    char *to = h->warp->block->shared + c.to;
    if (from)
        memcpy(bytes, from, c.bytes);
    h->worker->changes += memcmp(to, bytes, d->size) != 0;
    memcpy(to, bytes, d->size);
}

static int run_copy(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    for (uint32_t m = l->mask; m; m &= m - 1) {
        struct lane_copy c;
        uint64_t from;
        enum lane_result r = check_lane(h, d, __builtin_ctz(m), &from, &c);
        if (r == LANE_FAULT)
            return CONTROL_FAULT;
        if (r == LANE_COPIES)
            write_shared(h, d, c, (const void *)(uintptr_t)from);
    }
    return CONTROL_NEXT;
}

/* ---- timing mode ---- */

bool async_copy_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        unsigned at = (unsigned)lane + LANES * h->index;
        struct lane_copy c;
        enum lane_result r = check_lane(h, d, lane, &op->address[at], &c);
        if (r == LANE_FAULT)
            return false;
        if (r != LANE_COPIES)
            continue;
        memcpy(mem_data(op, at) + 16, &c, sizeof c);
        if (!c.bytes)
            op->address[at] = c.to;
        op->served_by[c.bytes ? SERVE_GLOBAL : SERVE_SHARED] |= UINT64_C(1) << at;
    }
    op->pattern = MEM_PATTERN_SCATTERED;
    op->to_data = true;
    return true;
}

static void write_lanes(struct mem_op *op, enum mem_server s)
{
    for (uint64_t m = op->served_by[s]; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        struct lane_copy c;
        memcpy(&c, mem_data(op, lane) + 16, sizeof c);
        write_shared(&op->warp->half[lane / LANES], op->d, c, mem_data(op, lane));
    }
}

void async_copy_zeros(struct mem_op *op)
{
    write_lanes(op, SERVE_SHARED);
}

void async_copy_arrived(struct mem_op *op)
{
    write_lanes(op, SERVE_GLOBAL);
}

/* ---- decoding ---- */

void decode_async_copy(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    const struct ptx_operand *amount = &in->opd[3];
    struct async_copy *c = arena_alloc(x->p->arena, sizeof *c);
    bool predicate = amount->kind == OPD_REG && amount->reg->type == T_PRED;
    c->kind = amount->kind == OPD_NONE ? AMOUNT_ALL : predicate ? AMOUNT_PREDICATE : AMOUNT_BYTES;
    c->negated = amount->negated;
    c->to = decoder_address(x, &in->opd[0], &c->displacement);
    if (c->kind == AMOUNT_PREDICATE)
        c->amount = decoder_reg(x, amount->reg);
    else if (c->kind == AMOUNT_BYTES)
        c->amount = decoder_source(x, amount, T_U32);
    if (in->tx)
        decoder_error(x, "an asynchronous copy inside a transaction is not supported");
    struct dinst *d = decoder_add_access(x, &in->opd[1], (int)in->opd[2].imm, 1);
    d->extra = c;
    d->fn = run_copy;
    decoder_guard(x, d);
}
