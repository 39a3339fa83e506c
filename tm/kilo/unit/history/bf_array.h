/*
 * The bloom filter array (KILO TM, section 6.3.2): the alternative to the last writer history, with a read and a write
 * signature for each entry of the ring. An incoming access is compared with the signatures of all entries at once, so
 * they are stored by bit: a row has the entries with that bit set. A copy by entry gives the bits to clear.
 */
#ifndef TM_KILO_BF_ARRAY_H
#define TM_KILO_BF_ARRAY_H

#include <stdint.h>

#include "tm/core/h3.h"

enum { BF_MAX_FUNCTIONS = 16 };
enum bf_kind { BF_READS, BF_WRITES };

struct bf_array {
    uint32_t bits, functions, slots, words;      /* words of 64 slots in a row */
    uint64_t *row[2];                /* by kind: bits x words */
    uint64_t *own[2];                /* by kind: slots x own_words, the signature of each slot */
    uint32_t own_words;
    struct h3 hash[BF_MAX_FUNCTIONS];
};

/* bits: of a signature, in `functions` parts of a power of two of bits each; slots: entries of the ring. */
void bf_init(struct bf_array *b, uint32_t bits, uint32_t functions, uint32_t slots, uint64_t seed);
void bf_end(struct bf_array *b);
void bf_insert(struct bf_array *b, enum bf_kind k, uint32_t slot, uint32_t address);
/* A mask of the 64 slots from 64 * word on whose signature may contain the address. */
uint64_t bf_match(const struct bf_array *b, enum bf_kind k, uint32_t word, uint32_t address);
/* Clears both signatures of an entry. */
void bf_clear(struct bf_array *b, uint32_t slot);
/* The ring has doubled: copies each entry's signatures from its slot to the one `slots` further on. The caller clears
 * the wrong one. slots: a multiple of 64. */
void bf_double(struct bf_array *b);

#endif
