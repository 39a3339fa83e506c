/*
 * Random kernels of transactions on few words that threads share, and what must be true of memory afterwards whatever
 * the order of the transactions was. Words of a table are swapped and amounts are moved between them, at places that
 * depend on the thread or on what was read, so their sum stays; counters are added to, so they end at sums that are
 * known; audits, transactions that read the whole table, must see the sum. In global memory each thread has a purse:
 * it adds to it outside transactions, and empties it into a counter in the next one. The table is in global memory,
 * which all threads share, or every block has one in shared memory, or both: then amounts also move from the one to
 * the other, and a word of global memory says how much has left the block, so that its sum is known still.
 */
#ifndef REGRESS_TM_RANDOM_GEN_H
#define REGRESS_TM_RANDOM_GEN_H

#include <stdint.h>

enum { TABLE = 16, COUNTERS = 4, HALVES = 2, BYTES = 4, WIDE = 2, MOST_BLOCKS = 6, MOST_THREADS = 256, PURSES = 96,
       TEXT = 1 << 17 };

enum memory { GLOBAL, SHARED, BOTH, MEMORIES };

/* Shared memory of a block: here without the gaps that it has there. */
struct near {
    uint32_t table[TABLE];
    uint64_t wide[WIDE];
    uint32_t counter[COUNTERS];
    uint32_t plain[2];               /* added to outside transactions */
    uint16_t half[HALVES], own[MOST_THREADS];    /* own: each thread's */
    uint8_t byte[BYTES];
};

/* Device memory of a kernel, its only parameter. */
struct words {
    uint32_t table[TABLE], counter[COUNTERS];
    uint8_t byte[BYTES];
    uint32_t wrong;                  /* audits that saw another sum, threads that lost count of their transactions */
    uint64_t wide[WIDE];
    uint32_t left[MOST_BLOCKS];      /* has left the block's table for the global one */
    uint32_t purse[PURSES];          /* of each thread; only if the kernel accesses global memory alone */
    struct near first, near[MOST_BLOCKS];    /* of every block: as it finds its shared memory, and as it leaves it */
};

struct kernel {
    char text[TEXT];
    enum memory memory;
    uint32_t grid, block, length;
    uint64_t transactions;           /* of all threads */
    struct words start, end;         /* end: but for the tables, of which the sum is known; of near, the first */
};

void gen_kernel(struct kernel *k, enum memory memory, uint64_t seed);

#endif
