/*
 * Loads whose index is loaded, too, as in cost[col[e]]: the run loop executes a load of 32 bits, the two steps of an
 * address (ptx/lanes/pair.c) and the second load as one step. Few lanes pass all of them one after another, so that
 * index and address stay in host registers: vector instructions on an array into which single elements have just been
 * stored would wait for these stores. Included by mem_lanes.c.
 */
#ifndef PTX_INDEXED_H
#define PTX_INDEXED_H

#include "ptx/memory/few_lanes.h"

/* The steps one after another; run_left executes them so for the lanes that the loop below did not complete. */
static NOINLINE int indexed_apart(struct lanes *x, const struct dinst *d)
{
    int r = d->fn(x, d);
    r = r ? r : d[1].run(x, &d[1]);
    return r ? r : d[3].fn(x, &d[3]);
}

INLINE bool indexed_start(struct few_addresses *a, struct lanes *x, const struct dinst *d, unsigned width)
{
    return few_start(a, x, d, last_region(half_of(x), d, SP_GLOBAL, false), width);
}

/* The register of the index is not written: only the address is computed from it. */
#define INDEXED(IT, MT, NAME)                                                                              \
    static int NAME(struct lanes *x, const struct dinst *d)                                                \
    {                                                                                                      \
        struct few_addresses index, element;                                                               \
        if (!few_lanes(x, d) || !indexed_start(&index, x, d, sizeof(IT)) ||                                \
            !indexed_start(&element, x, &d[3], sizeof(MT)))                                                \
            return indexed_apart(x, d);                                                                    \
        const uint64_t *from = lanes_at(x, d->src[0]), *base = lanes_at(x, d[2].src[0]);                   \
        const int64_t scale = *(const IT *)lanes_at(x, d[1].src[1]);                                       \
        uint64_t *address = lanes_at(x, d[2].dst);                                                         \
        MT *out = lanes_at(x, *(const operand *)d[3].extra);                                               \
        uint32_t left = x->mask;                                                                           \
        char *p;                                                                                           \
        do {                                                                                               \
            unsigned i = (unsigned)__builtin_ctz(left);                                                    \
            if (__builtin_expect(!few_place(&index, from[i], &p), 0))                                      \
                break;                                                                                     \
            uint64_t at = base[i] + (uint64_t)*(const IT *)(const void *)p * (uint64_t)scale;              \
            if (__builtin_expect(!few_place(&element, at, &p), 0))                                         \
                break;                                                                                     \
            address[i] = at;                                                                               \
            out[i] = *(const MT *)(const void *)p;                                                         \
        } while (left &= left - 1);                                                                        \
        return left ? run_left(x, d, left, indexed_apart) : CONTROL_NEXT;                                  \
    }
INDEXED(int32_t, uint32_t, indexed_s32_32)
INDEXED(int32_t, uint64_t, indexed_s32_64)
INDEXED(uint32_t, uint32_t, indexed_u32_32)
INDEXED(uint32_t, uint64_t, indexed_u32_64)

#endif
