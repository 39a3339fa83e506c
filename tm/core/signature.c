/*
 * Signatures of read and write sets: those of running attempts, stored by bit, so that a commit is compared with all
 * lanes of an SM at once; and those of past commits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/shadow_words.h"
#include "tm/core/signature.h"

enum { SEED = 0x51d };

void signature_init(struct signature *s, uint32_t bits)
{
    s->bits = bits;
    for (unsigned i = 0; i < SIGNATURE_PARTS; i++)
        h3_init(&s->h[i], (unsigned)__builtin_ctz(bits / SIGNATURE_PARTS), SEED, i);
}

/* ---- of running attempts ---- */

void signatures_init(struct signatures *t, const struct signature *s, uint32_t lanes)
{
    t->s = s;
    t->columns = (lanes + 31) / 32;
    t->row = mem_zero(2 * (size_t)s->bits * t->columns, sizeof *t->row, "signatures of running attempts");
}

void signatures_free(struct signatures *t)
{
    free(t->row);
}

static uint32_t *row_of(const struct signatures *t, uint32_t bit, bool write)
{
    return t->row + ((size_t)write * t->s->bits + bit) * t->columns;
}

void signatures_add(struct signatures *t, uint32_t lane, uint32_t word, bool write)
{
    uint32_t bit[SIGNATURE_PARTS];
    signature_indices(t->s, word, bit);
    for (int i = 0; i < SIGNATURE_PARTS; i++)
        row_of(t, bit[i], write)[lane / 32] |= UINT32_C(1) << lane % 32;
}

void signatures_remove(struct signatures *t, uint32_t lane, uint32_t word, bool write)
{
    uint32_t bit[SIGNATURE_PARTS];
    signature_indices(t->s, word, bit);
    for (int i = 0; i < SIGNATURE_PARTS; i++)
        row_of(t, bit[i], write)[lane / 32] &= ~(UINT32_C(1) << lane % 32);
}

bool signatures_match(const struct signatures *t, const uint32_t bit[SIGNATURE_PARTS], uint32_t *hit)
{
    uint32_t any = 0;
    for (int write = 0; write < 2; write++) {
        const uint32_t *a = row_of(t, bit[0], write), *b = row_of(t, bit[1], write);
        const uint32_t *c = row_of(t, bit[2], write), *d = row_of(t, bit[3], write);
        for (uint32_t i = 0; i < t->columns; i++) {
            uint32_t all = a[i] & b[i] & c[i] & d[i];
            hit[i] |= all;
            any |= all;
        }
    }
    return any;
}

/* ---- of commits ---- */

void signature_ring_init(struct signature_ring *r, const struct signature *s)
{
    *r = (struct signature_ring){ .s = s, .begin = 1 };
}

void signature_ring_free(struct signature_ring *r)
{
    free(r->bits);
    free(r->record);
    free(r->word);
}

bool signature_ring_full(const struct signature_ring *r)
{
    return r->n == r->cap;
}

void signature_ring_drop(struct signature_ring *r, uint64_t number)
{
    uint32_t k = number > r->begin ? (uint32_t)(number - r->begin) : 0, words = r->s->bits / 64;
    if (!k || k < r->n / 2)
        return;
    uint32_t gone = k < r->n ? r->record[k].first : r->words;
    r->begin += k;
    r->n -= k;
    r->words -= gone;
    memmove(r->bits, r->bits + (size_t)k * words, (size_t)r->n * words * sizeof *r->bits);
    memmove(r->record, r->record + k, r->n * sizeof *r->record);
    memmove(r->word, r->word + gone, r->words * sizeof *r->word);
    for (uint32_t i = 0; i < r->n; i++)
        r->record[i].first -= gone;
}

void signature_ring_add(struct signature_ring *r, const uint32_t *word, uint32_t n)
{
    uint32_t words = r->s->bits / 64, cap = r->cap, bit[SIGNATURE_PARTS];
    r->bits = mem_grow(r->bits, r->n, &cap, words * sizeof *r->bits, "signatures of committing transactions");
    r->record = mem_grow(r->record, r->n, &r->cap, sizeof *r->record, "a list of committing transactions");
    uint64_t *bits = r->bits + (size_t)r->n * words;
    memset(bits, 0, words * sizeof *bits);
    r->record[r->n++] = (struct signature_record){ r->words, n };
    for (uint32_t i = 0; i < n; i++) {
        r->word = mem_grow(r->word, r->words, &r->words_cap, sizeof *r->word, "words of committing transactions");
        r->word[r->words++] = word[i];
        signature_indices(r->s, word[i], bit);
        for (int k = 0; k < SIGNATURE_PARTS; k++)
            bits[bit[k] / 64] |= UINT64_C(1) << bit[k] % 64;
    }
}

static bool has(const struct signature_ring *r, const struct signature_record *c, uint32_t word)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (r->word[c->first + i] == word)
            return true;
    return false;
}

static bool has_bits(const uint64_t *bits, const uint32_t bit[SIGNATURE_PARTS])
{
    for (int k = 0; k < SIGNATURE_PARTS; k++)
        if (!(bits[bit[k] / 64] >> bit[k] % 64 & 1))
            return false;
    return true;
}

enum signature_conflict signature_ring_check(const struct signature_ring *r, uint64_t from, const uint32_t *word,
                                             uint32_t n)
{
    enum signature_conflict found = SIGNATURE_NO_CONFLICT;
    uint32_t words = r->s->bits / 64, bit[SIGNATURE_PARTS];
    for (uint32_t i = 0; i < n; i++) {
        signature_indices(r->s, word[i], bit);
        for (uint64_t k = from > r->begin ? from - r->begin : 0; k < r->n; k++) {
            if (!has_bits(r->bits + k * words, bit))
                continue;
            if (has(r, &r->record[k], word[i]))
                return SIGNATURE_TRUE_CONFLICT;
            found = SIGNATURE_FALSE_CONFLICT;
        }
    }
    return found;
}
