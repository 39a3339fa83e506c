/*
 * Random kernels of transactions on few words that all threads share, and what must be true of memory afterwards
 * whatever the order of the transactions was. Words of a table are swapped and amounts are moved between them, at
 * places that depend on the thread or on what was read, so their sum stays; counters of 1, 4 and 8 bytes are added to,
 * so they end at sums that are known; audits, transactions that read the whole table, must see the sum. The table, the
 * counters or both may be in shared memory: then there is one block, which copies them there and back.
 */
#ifndef REGRESS_TM_RANDOM_GEN_H
#define REGRESS_TM_RANDOM_GEN_H

#include <stdint.h>

enum { TABLE = 16, COUNTERS = 4, BYTES = 4, WIDE = 2, TEXT = 1 << 16 };

/* Device memory of a kernel, its only parameter. */
struct words {
    uint32_t table[TABLE], counter[COUNTERS];
    uint8_t byte[BYTES];
    uint32_t wrong;                  /* audits that saw another sum */
    uint64_t wide[WIDE];
};

struct kernel {
    char text[TEXT];
    uint32_t grid, block, length;
    struct words start, end;         /* end: but for the table, of which the sum is known */
};

/* What is in shared memory: masks. */
enum { IN_GLOBAL = 0, TABLE_SHARED = 1, COUNTERS_SHARED = 2, ALL_SHARED = 3, PLACES = 4 };

void gen_kernel(struct kernel *k, uint64_t seed, unsigned shared);

#endif
