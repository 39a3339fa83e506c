/*
 * The masks of an H3 function come from a generator of our own, so that they are the same on every host: splitmix64
 * (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
 */
#include "tm/core/h3.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Adds bit n of the index: the parity of the address under `mask`. */
static void add_mask(struct h3 *h, unsigned n, uint32_t mask)
{
    for (unsigned i = 0; i < 8; i++)
        for (uint32_t v = 0; v < 16; v++)
            h->part[i][v] |= (uint32_t)__builtin_parity(mask >> 4 * i & v) << n;
}

void h3_init(struct h3 *h, unsigned bits, uint64_t seed, unsigned number)
{
    uint64_t state = seed + (uint64_t)number * UINT64_C(0xd1342543de82ef95);
    *h = (struct h3){ 0 };
    for (unsigned n = 0; n < bits; n++)
        add_mask(h, n, (uint32_t)(next_random(&state) >> 32));
}
