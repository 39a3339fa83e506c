/* The masks of an H3 function come from a generator of our own, so that they are the same on every host. */
#include "tm/core/h3.h"

#include "base/random.h"

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
        add_mask(h, n, (uint32_t)(random_next(&state) >> 32));
}
