/*
 * Hash functions of class H3 (Carter and Wegman, "Universal Classes of Hash Functions", 1979), which the KILO TM paper
 * names in 6.3.2: bit n of the index is the parity of the address under a random mask. As this is linear over exclusive
 * or, an index is put together from one table entry for each four bits of the address.
 */
#ifndef TM_H3_H
#define TM_H3_H

#include <stdint.h>

struct h3 { uint32_t part[8][16]; };

/* seed, number: functions of one seed and different numbers are independent. bits: of an index, 0 to 31. */
void h3_init(struct h3 *h, unsigned bits, uint64_t seed, unsigned number);

static inline uint32_t h3(const struct h3 *h, uint32_t address)
{
    uint32_t index = 0;
    for (unsigned i = 0; i < 8; i++)
        index ^= h->part[i][address >> 4 * i & 15];
    return index;
}

#endif
