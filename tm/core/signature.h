/*
 * Signatures of read and write sets (Ceze et al., "Bulk Disambiguation of Speculative Threads in Multiprocessors", ISCA
 * 2006; KILO TM paper, section 3.1.3): a bloom filter in four parts, each with an H3 function of its own. A word may be
 * found that was not put in, never the other way round.
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

/* The bits of a word; word: its number in device memory. */
static inline void signature_places(const struct signature *s, uint32_t word, uint32_t place[SIGNATURE_PARTS])
{
    for (uint32_t i = 0; i < SIGNATURE_PARTS; i++)
        place[i] = i * (s->bits / SIGNATURE_PARTS) + h3(&s->h[i], word);
}

/* ---- signatures of all attempts of an SM, cut across: one row a bit, one column a lane ---- */

struct signatures {
    const struct signature *s;
    uint32_t *row;                   /* [2 x bits][columns]: of reads, then of writes; 32 lanes a column */
    uint32_t columns;
};

void signatures_init(struct signatures *t, const struct signature *s, uint32_t lanes);
void signatures_free(struct signatures *t);
void signatures_add(struct signatures *t, uint32_t lane, uint32_t word, bool write);
/* Takes the bits of a word away; all words of the lane must go. */
void signatures_remove(struct signatures *t, uint32_t lane, uint32_t word, bool write);
/* hit[columns]: lanes whose signatures have these bits are added. True: there are any. */
bool signatures_match(const struct signatures *t, const uint32_t place[SIGNATURE_PARTS], uint32_t *hit);

/* ---- the write signatures of commits, in their order (Spear et al., "RingSTM", SPAA 2008; KILO TM paper, 4.2) ---- */

struct record { uint32_t first, n; };            /* its words themselves */

struct record_ring {
    const struct signature *s;
    uint64_t begin;                  /* number of the first record; they are 1, 2, 3 ... */
    uint32_t n, cap;
    uint64_t *bits;                  /* signatures */
    struct record *record;
    uint32_t *word, words, words_cap;
};

void ring_init(struct record_ring *r, const struct signature *s);
void ring_free(struct record_ring *r);
/* A commit's words. */
void ring_add(struct record_ring *r, const uint32_t *word, uint32_t n);
/* It will grow next; time to drop records that nobody needs. */
bool ring_full(const struct record_ring *r);
/* Records before this number are not needed. */
void ring_drop(struct record_ring *r, uint64_t number);

static inline uint64_t ring_end(const struct record_ring *r)
{
    return r->begin + r->n;
}

enum record_conflict { RECORD_NONE, RECORD_FALSE, RECORD_TRUE };
/* Do the records from number `from` on have one of these words? Only by signature: RECORD_FALSE. */
enum record_conflict ring_check(const struct record_ring *r, uint64_t from, const uint32_t *word, uint32_t n);

#endif
