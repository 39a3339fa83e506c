/*
 * Version management: old values and owners in shadow memory, which follows the N words of the kernel in the block's
 * shared memory. The old value of word k is word k + N, its owner is byte k after those (GPU-LocalTM, section 3.2). N
 * is whole rows of the banks, so a word and its old value are in the same bank. Whether a word has an owner is a
 * separate bit, since each of the 256 values of the byte is a thread. The words of a thread in a bank form a list, so
 * that clearing visits no other words; hardware clears an entry in a cycle.
 */
#include <string.h>

#include "tm/localtm/localtm.h"

enum { WORD = 4 };

static uint8_t *word_at(const struct localtm_block *b, uint32_t word)
{
    return b->shared + (size_t)word * WORD;
}

static uint8_t *old_value(const struct localtm_block *b, uint32_t word)
{
    return word_at(b, word + b->words);
}

static uint8_t *owner_byte(const struct localtm_block *b, uint32_t word)
{
    return b->shared + (size_t)b->words * 2 * WORD + word;
}

bool localtm_is_owned(const struct localtm_block *b, uint32_t word)
{
    return b->owned[word / 64] >> word % 64 & 1;
}

uint8_t localtm_owner(const struct localtm_block *b, uint32_t word)
{
    return *owner_byte(b, word);
}

static void disown(struct localtm_block *b, uint32_t word)
{
    b->owned[word / 64] &= ~(UINT64_C(1) << word % 64);
}

void localtm_save(struct localtm_block *b, uint32_t word)
{
    memcpy(old_value(b, word), word_at(b, word), WORD);
}

void localtm_own(struct localtm_core *k, struct localtm_block *b, uint32_t thread, uint32_t bank, uint32_t word)
{
    struct localtm_cell *cell = localtm_cell(k, b, thread, bank);
    localtm_save(b, word);
    *owner_byte(b, word) = (uint8_t)thread;
    b->owned[word / 64] |= UINT64_C(1) << word % 64;
    b->next[word] = cell->first;
    cell->first = word;
    cell->entries++;
}

static void clear_filter(struct localtm_block *b, struct localtm_cell *cell, uint32_t bank)
{
    for (enum localtm_filter f = 0; f < LOCALTM_FILTERS; f++) {
        for (uint64_t m = cell->filter[f]; m; m &= m - 1)
            b->threads_with[f][bank][__builtin_ctzll(m)]--;
        cell->filter[f] = 0;
    }
}

uint32_t localtm_clear(struct localtm_core *k, struct localtm_block *b, uint32_t thread, uint32_t bank, bool restore)
{
    struct localtm_cell *cell = localtm_cell(k, b, thread, bank);
    uint32_t entries = cell->entries;
    for (uint32_t word = cell->first, left = entries; left && word != LOCALTM_NO_WORD; word = b->next[word], left--) {
        if (restore)
            memcpy(word_at(b, word), old_value(b, word), WORD);
        disown(b, word);
    }
    k->count[STAT_LOCALTM_RESTORED] += restore ? entries : 0;
    cell->first = LOCALTM_NO_WORD;
    cell->entries = 0;
    clear_filter(b, cell, bank);
    b->filter_banks[thread] &= ~(UINT64_C(1) << bank);
    return entries;
}

void localtm_clear_lanes(struct localtm_core *k, const struct localtm_warp *x, uint64_t lanes, bool restore,
                       struct localtm_entries *e)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t thread = x->first + (uint32_t)__builtin_ctzll(lanes);
        for (uint64_t m = x->block->filter_banks[thread]; m; m &= m - 1) {
            uint32_t bank = (uint32_t)__builtin_ctzll(m);
            e->n[bank] += localtm_clear(k, x->block, thread, bank, restore);
        }
    }
}

void localtm_add_entries(const struct localtm_core *k, const struct localtm_warp *x, uint64_t lanes,
                       struct localtm_entries *e)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t thread = x->first + (uint32_t)__builtin_ctzll(lanes);
        for (uint64_t m = x->block->filter_banks[thread]; m; m &= m - 1) {
            uint32_t bank = (uint32_t)__builtin_ctzll(m);
            e->n[bank] += localtm_cell(k, x->block, thread, bank)->entries;
        }
    }
}

uint32_t localtm_slowest(const struct localtm_core *k, const struct localtm_entries *e)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < k->cfg.banks; i++)
        most = e->n[i] > most ? e->n[i] : most;
    return most;
}
