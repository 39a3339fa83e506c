/*
 * Resolution of conflicts between the transactions of a warp (Fung and Aamodt: "Energy Efficient GPU Transactional
 * Memory via Space-Time Optimizations", MICRO 2013): decides which lanes abort before the commit, so that no lane reads
 * or writes a word that a lower lane writes. Lanes have commit IDs in ascending order, so a lane may read a word that a
 * higher one writes. Functions without timing.
 */
#ifndef TM_WARPTM_RESOLUTION_H
#define TM_WARPTM_RESOLUTION_H

#include "tm/tm.h"

enum { RESOLUTION_NO_OWNER = 255 };

/* With `entries` 0 each word has its own entry; a table of bytes otherwise. */
struct ownership {
    uint32_t entries, cap;
    uint8_t *owner;                  /* lane */
    uint64_t *word;                  /* entries 0: the words that have entries */
    uint32_t words;
};

/* The entry of a word by its byte offset in a table of `entries`, which are more than 0; factor: 17 or 27. */
uint32_t ownership_hash(uint64_t offset, uint32_t entries, uint32_t factor);

void ownership_init(struct ownership *t, uint32_t entries);
void ownership_end(struct ownership *t);

/* The sets of a lane are those of lane[]; base: their addresses are offsets from it. All return the lanes that abort:
 * never all of them. */
uint64_t resolution_perfect(struct tm_lane *const lane[], uint64_t lanes);
/* priority: the lowest lane that writes a word owns its entry; otherwise the last one that marks it. bloom: the table
 * is two halves with a hash function each. */
uint64_t resolution_by_table(struct ownership *t, bool priority, bool bloom, struct tm_lane *const lane[],
                             uint64_t lanes, uint64_t base);
/* Lanes that have a conflict with a lower lane, whatever becomes of it: a word that one of both writes. */
uint64_t resolution_true(struct tm_lane *const lane[], uint64_t lanes);

#endif
