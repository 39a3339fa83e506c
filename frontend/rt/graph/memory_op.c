/*
 * Memory operations of streams: writes of a word, and waits until a word has a value. All earlier work is complete when
 * an operation runs, and the host waits for it, so a wait is over at once or never; one that would last for ever is an
 * error.
 */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_FLUSH = 1 << 30 };

static bool value_ok(const struct rt_memory_op *op)
{
    if (op->bits != 32 && op->bits != 64)
        return false;
    if (op->wait)
        return !(op->flags & ~(3u | WAIT_FLUSH));
    return !(op->flags & ~1u);                   /* without the barrier before a write: there is nothing to order */
}

cudaError_t rt_memory_ops_check(const struct rt_memory_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t bytes = ops[i].bits / 8;
        if (ops[i].nothing)
            continue;
        if (!value_ok(&ops[i]) || (uintptr_t)ops[i].address % bytes || !ops[i].address ||
            !rt_owner(ops[i].address) || !rt_range_ok(ops[i].address, bytes))
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static uint64_t read_word(const struct rt_memory_op *op)
{
    uint64_t value = 0;
    struct rt_box to = rt_line(&value, op->bits / 8), from = rt_line(op->address, op->bits / 8);
    return rt_copy_boxes(&to, &from, cudaMemcpyDefault) ? 0 : value;
}

static cudaError_t write_word(const struct rt_memory_op *op)
{
    struct rt_box to = rt_line(op->address, op->bits / 8), from = rt_line(&op->value, op->bits / 8);
    return rt_copy_boxes(&to, &from, cudaMemcpyDefault);
}

/* The comparison of the flags (CUstreamWaitValue_flags); "greater or equal" is that of a cyclic counter. */
static bool holds(const struct rt_memory_op *op, uint64_t word)
{
    bool narrow = op->bits == 32;
    switch (op->flags & 3) {
    case 0: return narrow ? (int32_t)((uint32_t)word - (uint32_t)op->value) >= 0 : (int64_t)(word - op->value) >= 0;
    case 1: return narrow ? (uint32_t)word == (uint32_t)op->value : word == op->value;
    case 2: return (narrow ? (uint32_t)(word & op->value) : word & op->value) != 0;
    default: return narrow ? ~(uint32_t)(word | op->value) != 0 : ~(word | op->value) != 0;
    }
}

static cudaError_t wait(const struct rt_memory_op *op)
{
    static bool said;
    return holds(op, read_word(op)) ? cudaSuccess
                                    : rt_not_supported("a stream that waits for a later write of the host", &said);
}

cudaError_t rt_memory_ops_run(const struct rt_memory_op *ops, size_t n)
{
    cudaError_t e = rt_memory_ops_check(ops, n);
    for (size_t i = 0; !e && i < n; i++)
        if (!ops[i].nothing)
            e = ops[i].wait ? wait(&ops[i]) : write_word(&ops[i]);
    return e;
}

cudaError_t rt_memory_ops(cudaStream_t stream, const struct rt_memory_op *ops, size_t n)
{
    struct rt_op op = {.kind = RT_OP_MEMORY, .words = {(struct rt_memory_op *)ops, n}};
    cudaError_t e = rt_stream_ok(stream) ? rt_memory_ops_check(ops, n) : cudaErrorInvalidResourceHandle;
    cudaError_t of_capture;
    if (e)
        return e;
    return rt_captured(stream, &op, &of_capture) ? of_capture : rt_op_run(&op, stream, 0);
}

cudaError_t rt_memory_ops_copy(struct rt_op *out, const struct rt_op *op)
{
    struct rt_memory_op *copy = calloc(op->words.n + 1, sizeof *copy);
    if (!copy)
        return cudaErrorMemoryAllocation;
    memcpy(copy, op->words.ops, op->words.n * sizeof *copy);
    out->words.ops = copy;
    return cudaSuccess;
}
