/*
 * Version management: old values and owners in shadow memory, behind the N words of the kernel in the block's shared
 * memory. The old value of word k is word k + N, its owner is byte k behind those (GPU-LocalTM, section 3.2); N is
 * whole rows of the banks, so that a word and its old value are in the same bank. Whether a word has an owner is a bit
 * of its own, as each of the 256 values of the byte is a thread. What a thread owns in a bank is chained, so that it
 * can be cleared without a look at the other words: hardware clears an entry a cycle.
 */
#include <string.h>

#include "tm/localtm/localtm.h"

enum { WORD = 4 };

static uint8_t *word_at(const struct local_block *b, uint32_t word)
{
    return b->shared + (size_t)word * WORD;
}

static uint8_t *old_value(const struct local_block *b, uint32_t word)
{
    return word_at(b, word + b->words);
}

static uint8_t *owner_byte(const struct local_block *b, uint32_t word)
{
    return b->shared + (size_t)b->words * 2 * WORD + word;
}

bool local_is_owned(const struct local_block *b, uint32_t word)
{
    return b->owned[word / 64] >> word % 64 & 1;
}

uint8_t local_owner(const struct local_block *b, uint32_t word)
{
    return *owner_byte(b, word);
}

static void disown(struct local_block *b, uint32_t word)
{
    b->owned[word / 64] &= ~(UINT64_C(1) << word % 64);
}

void local_save(struct local_block *b, uint32_t word)
{
    memcpy(old_value(b, word), word_at(b, word), WORD);
}

void local_keep(struct local_core *k, struct local_block *b, uint32_t thread, uint32_t bank, uint32_t word)
{
    struct local_cell *cell = local_cell(k, b, thread, bank);
    local_save(b, word);
    *owner_byte(b, word) = (uint8_t)thread;
    b->owned[word / 64] |= UINT64_C(1) << word % 64;
    b->next[word] = cell->first;
    cell->first = word;
    cell->entries++;
}

static void forget_bits(struct local_block *b, struct local_cell *cell, uint32_t bank)
{
    for (enum local_filter f = 0; f < FILTERS; f++) {
        for (uint64_t m = cell->filter[f]; m; m &= m - 1)
            b->known[f][bank][__builtin_ctzll(m)]--;
        cell->filter[f] = 0;
    }
}

uint32_t local_clear(struct local_core *k, struct local_block *b, uint32_t thread, uint32_t bank, bool restore)
{
    struct local_cell *cell = local_cell(k, b, thread, bank);
    uint32_t entries = cell->entries;
    for (uint32_t word = cell->first, left = entries; left && word != NO_WORD; word = b->next[word], left--) {
        if (restore)
            memcpy(word_at(b, word), old_value(b, word), WORD);
        disown(b, word);
    }
    k->count[STAT_LOCALTM_RESTORED] += restore ? entries : 0;
    cell->first = NO_WORD;
    cell->entries = 0;
    forget_bits(b, cell, bank);
    b->in[thread] &= ~(UINT64_C(1) << bank);
    return entries;
}

void local_clear_lanes(struct local_core *k, const struct local_warp *x, uint64_t lanes, bool restore,
                       struct local_entries *e)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t thread = x->first + (uint32_t)__builtin_ctzll(lanes);
        for (uint64_t m = x->block->in[thread]; m; m &= m - 1) {
            uint32_t bank = (uint32_t)__builtin_ctzll(m);
            e->n[bank] += local_clear(k, x->block, thread, bank, restore);
        }
    }
}

void local_add_entries(const struct local_core *k, const struct local_warp *x, uint64_t lanes,
                       struct local_entries *e)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t thread = x->first + (uint32_t)__builtin_ctzll(lanes);
        for (uint64_t m = x->block->in[thread]; m; m &= m - 1) {
            uint32_t bank = (uint32_t)__builtin_ctzll(m);
            e->n[bank] += local_cell(k, x->block, thread, bank)->entries;
        }
    }
}

uint32_t local_slowest(const struct local_core *k, const struct local_entries *e)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < k->cfg.banks; i++)
        most = e->n[i] > most ? e->n[i] : most;
    return most;
}
