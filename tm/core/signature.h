/*
 * Signatures of read and write sets (Ceze et al., "Bulk Disambiguation of Speculative Threads in Multiprocessors", ISCA
 * 2006; KILO TM paper, section 3.1.3): a bloom filter in four parts, each with its own H3 function. It has false
 * positives, but no false negatives.
 */
#ifndef TM_SIGNATURE_H
#define TM_SIGNATURE_H

#include <stdbool.h>

#include "tm/core/h3.h"

enum { SIGNATURE_PARTS = 4 };

struct signature {
    struct h3 h[SIGNATURE_PARTS];
    uint32_t bits;                   /* of a signature, a power of two */
};

void signature_init(struct signature *s, uint32_t bits);

/* Indices of the bits of a word; word: its index in device memory. */
static inline void signature_indices(const struct signature *s, uint32_t word, uint32_t bit[SIGNATURE_PARTS])
{
    for (uint32_t i = 0; i < SIGNATURE_PARTS; i++)
        bit[i] = i * (s->bits / SIGNATURE_PARTS) + h3(&s->h[i], word);
}

/* ---- signatures of all attempts of an SM, stored by bit: a row for each bit, a column for each lane ---- */

struct signatures {
    const struct signature *s;
    uint32_t *row;                   /* [2 x bits][columns]: of reads, then of writes; a word for each 32 lanes */
    uint32_t columns;
};

void signatures_init(struct signatures *t, const struct signature *s, uint32_t lanes);
void signatures_free(struct signatures *t);
void signatures_add(struct signatures *t, uint32_t lane, uint32_t word, bool write);
/* Clears the bits of a word; all words of the lane must be removed together. */
void signatures_remove(struct signatures *t, uint32_t lane, uint32_t word, bool write);
/* Adds to hit[columns] the lanes whose signatures have these bits. True: there are some. */
bool signatures_match(const struct signatures *t, const uint32_t bit[SIGNATURE_PARTS], uint32_t *hit);

/* ---- write signatures in commit order (Spear et al., "RingSTM", SPAA 2008; KILO TM paper, 4.2) ---- */

struct signature_record { uint32_t first, n; };  /* the words of a commit, exactly */

struct signature_ring {
    const struct signature *s;
    uint64_t begin;                  /* number of the first record; they are 1, 2, 3 ... */
    uint32_t n, cap;
    uint64_t *bits;                  /* signatures */
    struct signature_record *record;
    uint32_t *word, words, words_cap;
};

void signature_ring_init(struct signature_ring *r, const struct signature *s);
void signature_ring_free(struct signature_ring *r);
/* Appends the record of a commit. */
void signature_ring_add(struct signature_ring *r, const uint32_t *word, uint32_t n);
/* The next record makes it grow, unless unused records are dropped. */
bool signature_ring_full(const struct signature_ring *r);
/* Drops records before this number. */
void signature_ring_drop(struct signature_ring *r, uint64_t number);

static inline uint64_t signature_ring_end(const struct signature_ring *r)
{
    return r->begin + r->n;
}

enum signature_conflict { SIGNATURE_NO_CONFLICT, SIGNATURE_FALSE_CONFLICT, SIGNATURE_TRUE_CONFLICT };
/* Do the records from number `from` on have one of these words? If only a signature matches, the conflict is false. */
enum signature_conflict signature_ring_check(const struct signature_ring *r, uint64_t from, const uint32_t *word,
                                             uint32_t n);

#endif
