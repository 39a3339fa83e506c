/*
 * Loads and stores that few lanes execute: one lane after the other, without the passes over all 32 lanes that look for
 * a pattern of the addresses. A function here accesses elements in the region that the instruction last accessed and
 * returns the lanes that are left, from the first one that is misaligned or outside on. Included by mem_lanes.c.
 */
#ifndef PTX_FEW_LANES_H
#define PTX_FEW_LANES_H

/* 24 is 3 % faster than 16 in the breadth-first search of `make bench`; more lanes often have a pattern. */
enum { FEW_LANES = 24 };

INLINE bool few_lanes(const struct lanes *x, const struct dinst *d)
{
    return x->mask != UINT32_MAX && d->vec == 1 && d->addr_size && num_ones(x->mask) <= FEW_LANES;
}

/*
 * The addresses of an instruction whose elements have 1 << shift bytes. Relative to the start of the region, and
 * rotated right by shift, a legal address is at most `last`: one that is not aligned has high bits.
 */
struct few_addresses { const void *at; uint64_t add, host, last; unsigned shift; bool wide; };

/* False: no address is legal, or the region is not aligned. */
INLINE bool few_start(struct few_addresses *a, const struct lanes *x, const struct dinst *d, struct region r,
                      unsigned width)
{
    unsigned shift = (unsigned)__builtin_ctz(width);
    *a = (struct few_addresses){ lanes_at(x, d->src[0]), (uint64_t)d->imm - r.lo, r.host + r.lo,
                                 (r.hi - r.lo - width) >> shift, shift, d->addr_size == 8 };
    return r.hi - r.lo >= width && !(r.lo & (width - 1));
}

/* Sets *p to the host address of the element at an address. False: the access is illegal, or in another region. */
INLINE bool few_place(const struct few_addresses *a, uint64_t address, char **p)
{
    uint64_t v = address + a->add;
    *p = (char *)(uintptr_t)(a->host + v);
    return (v >> a->shift | v << (64 - a->shift) % 64) <= a->last;
}

/* The same for the address register of lane i. */
INLINE bool few_pointer(const struct few_addresses *a, unsigned i, char **p)
{
    return few_place(a, a->wide ? ((const uint64_t *)a->at)[i] : ((const uint32_t *)a->at)[i], p);
}

#define FEW_LOAD(MT, RT, NAME, SPACE)                                                                      \
    INLINE uint32_t NAME(struct lanes *x, const struct dinst *d)                                           \
    {                                                                                                      \
        struct few_addresses a;                                                                            \
        RT *out = lanes_at(x, *(const operand *)d->extra);                                                 \
        uint32_t left = x->mask;                                                                           \
        char *p;                                                                                           \
        if (!few_start(&a, x, d, last_region(half_of(x), d, SPACE, false), sizeof(MT)))                    \
            return left;                                                                                   \
        do {                                                                                               \
            unsigned i = (unsigned)__builtin_ctz(left);                                                    \
            if (__builtin_expect(!few_pointer(&a, i, &p), 0))                                              \
                break;                                                                                     \
            out[i] = (RT)*(const MT *)p;                                                                   \
        } while (left &= left - 1);                                                                        \
        return left;                                                                                       \
    }

#define FEW_STORE(MT, RT, NAME, SPACE)                                                                     \
    INLINE uint32_t NAME(struct lanes *x, const struct dinst *d)                                           \
    {                                                                                                      \
        struct few_addresses a;                                                                            \
        const RT *in = lanes_at(x, *(const operand *)d->extra);                                            \
        uint32_t left = x->mask;                                                                           \
        char *p;                                                                                           \
        half_of(x)->worker->changes++;                                                                     \
        if (!few_start(&a, x, d, last_region(half_of(x), d, SPACE, true), sizeof(MT)))                     \
            return left;                                                                                   \
        do {                                                                                               \
            unsigned i = (unsigned)__builtin_ctz(left);                                                    \
            if (__builtin_expect(!few_pointer(&a, i, &p), 0))                                              \
                break;                                                                                     \
            *(MT *)p = (MT)in[i];                                                                          \
        } while (left &= left - 1);                                                                        \
        return left;                                                                                       \
    }

#endif
