/* A small generator of pseudo-random numbers (xorshift64): the same numbers on every machine for one seed. */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include <stdint.h>

struct random { uint64_t state; };

static inline struct random random_from(uint64_t seed)
{
    return (struct random){ (seed + 1) * 0x9e3779b97f4a7c15ull | 1 };
}

/* 0 .. n - 1 */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return n ? (uint32_t)(r->state >> 24) % n : 0;
}

/* True once in n times. */
static inline int random_once(struct random *r, uint32_t n)
{
    return random_below(r, n) == 0;
}

#endif
