/* Signatures by bit: inserting sets one bit in each function's row, matching is the intersection of such rows. */
#include "tm/kilotm/bf_array.h"

#include <stdlib.h>
#include <string.h>

static void new_rows(struct bf_array *b)
{
    for (int k = BF_READS; k <= BF_WRITES; k++)
        if (!(b->row[k] = calloc((size_t)b->bits * b->words, sizeof *b->row[k])))
            abort();
}

void bf_init(struct bf_array *b, uint32_t bits, uint32_t functions, uint32_t slots, uint64_t seed)
{
    unsigned index_bits = 31 - (unsigned)__builtin_clz(bits / functions);
    *b = (struct bf_array){ .bits = bits, .functions = functions, .slots = slots, .words = slots / 64 };
    new_rows(b);
    for (uint32_t f = 0; f < functions; f++)
        h3_init(&b->hash[f], index_bits, seed, f);
}

void bf_end(struct bf_array *b)
{
    free(b->row[BF_READS]);
    free(b->row[BF_WRITES]);
}

static uint64_t *row_of(const struct bf_array *b, enum bf_kind k, uint32_t function, uint32_t address)
{
    uint32_t bit = function * (b->bits / b->functions) + h3(&b->hash[function], address);
    return b->row[k] + (size_t)bit * b->words;
}

void bf_insert(struct bf_array *b, enum bf_kind k, uint32_t slot, uint32_t address)
{
    for (uint32_t f = 0; f < b->functions; f++)
        row_of(b, k, f, address)[slot / 64] |= UINT64_C(1) << slot % 64;
}

uint64_t bf_match(const struct bf_array *b, enum bf_kind k, uint32_t word, uint32_t address)
{
    uint64_t all = UINT64_MAX;
    for (uint32_t f = 0; f < b->functions && all; f++)
        all &= row_of(b, k, f, address)[word];
    return all;
}

void bf_clear(struct bf_array *b, uint32_t slot)
{
    for (int k = BF_READS; k <= BF_WRITES; k++)
        for (uint32_t bit = 0; bit < b->bits; bit++)
            b->row[k][(size_t)bit * b->words + slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

void bf_double(struct bf_array *b)
{
    struct bf_array old = *b;
    size_t n = old.words * sizeof *old.row[0];
    b->slots *= 2;
    b->words *= 2;
    new_rows(b);
    for (int k = BF_READS; k <= BF_WRITES; k++)
        for (uint32_t bit = 0; bit < b->bits; bit++) {
            memcpy(b->row[k] + (size_t)bit * b->words, old.row[k] + (size_t)bit * old.words, n);
            memcpy(b->row[k] + (size_t)bit * b->words + old.words, old.row[k] + (size_t)bit * old.words, n);
        }
    bf_end(&old);
}
