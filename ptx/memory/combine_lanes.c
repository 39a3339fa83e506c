/*
 * Atomics whose lanes are combined before the access (access.h): one lane, the highest, as NVIDIA's assembler elects
 * it, performs the operation with the combined values of all. The result of each lane is then what memory had, combined
 * with the values of the lower lanes, as if the lanes had performed one after another.
 */
#include <string.h>

#include "ptx/memory/access.h"

static uint64_t extended(const struct mem_op *op, uint64_t v)
{
    bool sign = ptx_type_class((enum ptx_type)op->d->in->type[0]) == 's';
    return sign && op->size == 4 ? (uint64_t)(int64_t)(int32_t)v : v;
}

static uint64_t value_of(const struct mem_op *op, unsigned lane)
{
    uint64_t v = 0;
    memcpy(&v, op->data[lane], op->size);
    return extended(op, v);
}

static uint64_t least(const struct mem_op *op, uint64_t a, uint64_t b)
{
    bool sign = ptx_type_class((enum ptx_type)op->d->in->type[0]) == 's';
    return (sign ? (int64_t)a < (int64_t)b : a < b) ? a : b;
}

static uint64_t combined(const struct mem_op *op, uint64_t a, uint64_t b)
{
    switch (op->d->in->mod[PG_ATOM]) {
    case MOD(ATOM, AND): return a & b;
    case MOD(ATOM, OR): return a | b;
    case MOD(ATOM, XOR): return a ^ b;
    case MOD(ATOM, MIN): return least(op, a, b);
    case MOD(ATOM, MAX): return least(op, a, b) == a ? b : a;
    default: return a + b;
    }
}

bool mem_combine_lanes(struct mem_op *op)
{
    enum mem_server s = op->served_by[SERVE_SHARED] ? SERVE_SHARED : SERVE_GLOBAL;
    if (op->served_by[s] != op->lanes || !mem_at_one_address(op, op->lanes))
        return false;
    unsigned first = (unsigned)__builtin_ctzll(op->lanes), last = 63 - (unsigned)__builtin_clzll(op->lanes);
    uint64_t v = value_of(op, first);
    for (uint64_t m = op->lanes & (op->lanes - 1); m; m &= m - 1)
        v = combined(op, v, value_of(op, (unsigned)__builtin_ctzll(m)));
    op->combined = op->lanes;
    op->lanes = op->served_by[s] = UINT64_C(1) << last;
    memcpy(op->data[last], &v, op->size);
    return true;
}

static uint8_t *result_of(const struct mem_op *op, unsigned lane)
{
    return (uint8_t *)op->warp->half[lane / LANES].regs + op->reg[0] + lane % LANES * op->size;
}

void mem_combined_results(struct mem_op *op)
{
    uint64_t v = 0;
    memcpy(&v, result_of(op, 63 - (unsigned)__builtin_clzll(op->combined)), op->size);
    for (uint64_t m = op->combined; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        memcpy(result_of(op, lane), &v, op->size);
        v = combined(op, v, value_of(op, lane));
    }
}
