/* Signatures stored by bit: inserting sets a bit in a row of each function; matching intersects these rows. */
#include "tm/kilo/unit/history/bf_array.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

static void new_rows(struct bf_array *b)
{
    for (int k = BF_READS; k <= BF_WRITES; k++) {
        b->row[k] = mem_zero((size_t)b->bits * b->words, sizeof **b->row, "rows of signatures");
        b->own[k] = mem_zero((size_t)b->slots * b->own_words, sizeof **b->own, "signatures of commit IDs");
    }
}

void bf_init(struct bf_array *b, uint32_t bits, uint32_t functions, uint32_t slots, uint64_t seed)
{
    unsigned index_bits = num_log2_up(bits / functions);
    *b = (struct bf_array){ .bits = bits, .functions = functions, .slots = slots, .words = slots / 64,
                             .own_words = (bits + 63) / 64 };
    new_rows(b);
    for (uint32_t f = 0; f < functions; f++)
        h3_init(&b->hash[f], index_bits, seed, f);
}

void bf_end(struct bf_array *b)
{
    for (int k = BF_READS; k <= BF_WRITES; k++) {
        free(b->row[k]);
        free(b->own[k]);
    }
}

static uint32_t bit_of(const struct bf_array *b, uint32_t function, uint32_t address)
{
    return function * (b->bits / b->functions) + h3(&b->hash[function], address);
}

static uint64_t *row_of(const struct bf_array *b, enum bf_kind k, uint32_t bit)
{
    return b->row[k] + (size_t)bit * b->words;
}

static uint64_t *own_of(const struct bf_array *b, enum bf_kind k, uint32_t slot)
{
    return b->own[k] + (size_t)slot * b->own_words;
}

void bf_insert(struct bf_array *b, enum bf_kind k, uint32_t slot, uint32_t address)
{
    for (uint32_t f = 0; f < b->functions; f++) {
        uint32_t bit = bit_of(b, f, address);
        row_of(b, k, bit)[slot / 64] |= UINT64_C(1) << slot % 64;
        own_of(b, k, slot)[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

uint64_t bf_match(const struct bf_array *b, enum bf_kind k, uint32_t word, uint32_t address)
{
    uint64_t all = UINT64_MAX;
    for (uint32_t f = 0; f < b->functions && all; f++)
        all &= row_of(b, k, bit_of(b, f, address))[word];
    return all;
}

static void clear_kind(struct bf_array *b, enum bf_kind k, uint32_t slot)
{
    uint64_t *own = own_of(b, k, slot);
    for (uint32_t w = 0; w < b->own_words; w++) {
        for (uint64_t m = own[w]; m; m &= m - 1)
            row_of(b, k, 64 * w + (unsigned)__builtin_ctzll(m))[slot / 64] &= ~(UINT64_C(1) << slot % 64);
        own[w] = 0;
    }
}

void bf_clear(struct bf_array *b, uint32_t slot)
{
    clear_kind(b, BF_READS, slot);
    clear_kind(b, BF_WRITES, slot);
}

/* Copies n words twice, to consecutive addresses. */
static void twice(uint64_t *to, const uint64_t *from, size_t n)
{
    memcpy(to, from, n * sizeof *to);
    memcpy(to + n, from, n * sizeof *to);
}

void bf_double(struct bf_array *b)
{
    struct bf_array old = *b;
    b->slots *= 2;
    b->words *= 2;
    new_rows(b);
    for (int k = BF_READS; k <= BF_WRITES; k++) {
        twice(b->own[k], old.own[k], (size_t)old.slots * old.own_words);
        for (uint32_t bit = 0; bit < b->bits; bit++)
            twice(row_of(b, (enum bf_kind)k, bit), row_of(&old, (enum bf_kind)k, bit), old.words);
    }
    bf_end(&old);
}
