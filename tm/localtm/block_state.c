/*
 * The state of resident blocks beside shadow memory: filters with the number of threads that know each bit, owned words
 * and their chains. A block that goes leaves its arrays to the next one with the same number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/localtm/localtm.h"

static struct local_block *new_block(struct local_core *k)
{
    struct local_block *b = mem_zero(1, sizeof *b, "a block of GPU-LocalTM");
    b->chain = k->blocks;
    k->blocks = b;
    return b;
}

static void make_room(const struct local_core *k, struct local_block *b, uint32_t threads, uint32_t words)
{
    if (threads > b->threads) {
        free(b->cell);
        b->cell = mem_zero((size_t)threads * k->cfg.banks, sizeof *b->cell, "filters of threads");
        b->threads = threads;
    }
    if (!b->owned || words > b->capacity) {
        free(b->next);
        free(b->owned);
        b->next = mem_zero(words, sizeof *b->next, "chains of owned words");
        b->owned = mem_zero(words / 64 + 1, sizeof *b->owned, "owned words");
        b->capacity = words;
    }
}

static void clear(const struct local_core *k, struct local_block *b, uint32_t threads)
{
    for (size_t i = 0; i < (size_t)threads * k->cfg.banks; i++)
        b->cell[i] = (struct local_cell){ .first = NO_WORD };
    memset(b->in, 0, sizeof b->in);
    memset(b->known, 0, sizeof b->known);
    memset(b->owned, 0, (b->words / 64 + 1) * sizeof *b->owned);
    b->runner = NO_SLOT;
    b->wanting = 0;
    b->choose = NEVER;
}

void local_block_starts(void *core, struct tm_block *tb)
{
    enum { WORD = 4 };
    struct local_core *k = core;
    struct local_block *b = tb->protocol ? tb->protocol : new_block(k);
    uint32_t threads = tb->warps * k->lanes, row = k->cfg.banks * WORD;
    tb->protocol = b;
    b->b = tb;
    b->shared = (uint8_t *)tb->block->shared;
    b->words = (tb->bytes + row - 1) / row * k->cfg.banks;
    make_room(k, b, threads, b->words);
    clear(k, b, threads);
    for (uint32_t i = 0; i < tb->warps; i++)
        k->warp[tb->slot[i]] = (struct local_warp){ .block = b, .first = i * k->lanes };
}

void local_block_ends(void *core, struct tm_block *tb)
{
    struct local_core *k = core;
    struct local_block *b = tb->protocol;
    for (uint32_t i = 0; i < tb->warps; i++)
        k->warp[tb->slot[i]].block = NULL;
    b->b = NULL;
}

void local_blocks_free(struct local_core *k)
{
    struct local_block *next;
    for (struct local_block *b = k->blocks; b; b = next) {
        next = b->chain;
        free(b->cell);
        free(b->next);
        free(b->owned);
        free(b);
    }
}
