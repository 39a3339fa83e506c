/*
 * The state of blocks outside shadow memory: filters with the number of threads that have each bit set, owned words,
 * and lists of each thread's words. When a block ends, the next one with the same number reuses its arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/localtm/localtm.h"

static struct localtm_block *new_block(struct localtm_core *k)
{
    struct localtm_block *b = mem_zero(1, sizeof *b, "a block of GPU-LocalTM");
    b->next_block = k->blocks;
    k->blocks = b;
    return b;
}

static void make_room(const struct localtm_core *k, struct localtm_block *b, uint32_t threads, uint32_t words)
{
    if (threads > b->threads) {
        free(b->cell);
        b->cell = mem_zero((size_t)threads * k->cfg.banks, sizeof *b->cell, "filters of threads");
        b->threads = threads;
    }
    if (!b->owned || words > b->capacity) {
        free(b->next);
        free(b->owned);
        b->next = mem_zero(words, sizeof *b->next, "lists of owned words");
        b->owned = mem_zero(words / 64 + 1, sizeof *b->owned, "owned words");
        b->capacity = words;
    }
}

static void clear(const struct localtm_core *k, struct localtm_block *b, uint32_t threads)
{
    for (size_t i = 0; i < (size_t)threads * k->cfg.banks; i++)
        b->cell[i] = (struct localtm_cell){ .first = LOCALTM_NO_WORD };
    memset(b->filter_banks, 0, sizeof b->filter_banks);
    memset(b->threads_with, 0, sizeof b->threads_with);
    memset(b->owned, 0, (b->words / 64 + 1) * sizeof *b->owned);
    b->runner = b->resuming = LOCALTM_NO_SLOT;
    b->requests = 0;
    b->arbitrate_at = NEVER;
}

void localtm_block_starts(void *core, struct tm_block *tb)
{
    enum { WORD = 4 };
    struct localtm_core *k = core;
    struct localtm_block *b = tb->protocol ? tb->protocol : new_block(k);
    uint32_t threads = tb->warps * k->lanes, row = k->cfg.banks * WORD;
    tb->protocol = b;
    b->b = tb;
    b->shared = (uint8_t *)tb->block->shared;
    b->words = (tb->bytes + row - 1) / row * k->cfg.banks;
    make_room(k, b, threads, b->words);
    clear(k, b, threads);
    for (uint32_t i = 0; i < tb->warps; i++)
        k->warp[tb->slot[i]] = (struct localtm_warp){ .block = b, .first = i * k->lanes };
}

void localtm_block_ends(void *core, struct tm_block *tb)
{
    struct localtm_core *k = core;
    struct localtm_block *b = tb->protocol;
    for (uint32_t i = 0; i < tb->warps; i++)
        k->warp[tb->slot[i]].block = NULL;
    b->b = NULL;
}

void localtm_blocks_free(struct localtm_core *k)
{
    struct localtm_block *next;
    for (struct localtm_block *b = k->blocks; b; b = next) {
        next = b->next_block;
        free(b->cell);
        free(b->next);
        free(b->owned);
        free(b);
    }
}
