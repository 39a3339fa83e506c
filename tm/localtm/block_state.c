/*
 * The state of resident blocks beside shadow memory: filters with the number of threads that know each bit, owned words
 * and their chains. A block that goes leaves its arrays to the next one with the same number.
 */
#include <stdlib.h>
#include <string.h>

#include "tm/localtm/localtm.h"

static void *array(size_t n, size_t size)
{
    void *a = calloc(n ? n : 1, size);
    if (!a)
        abort();
    return a;
}

static struct local_block *new_block(struct local_core *k)
{
    struct local_block *b = array(1, sizeof *b);
    b->chain = k->blocks;
    k->blocks = b;
    return b;
}

static void make_room(const struct local_core *k, struct local_block *b, uint32_t threads, uint32_t words)
{
    if (threads > b->threads) {
        free(b->cell);
        b->cell = array((size_t)threads * k->banks, sizeof *b->cell);
        b->threads = threads;
    }
    if (!b->owned || words > b->capacity) {
        free(b->next);
        free(b->owned);
        b->next = array(words, sizeof *b->next);
        b->owned = array(words / 64 + 1, sizeof *b->owned);
        b->capacity = words;
    }
}

static void clear(const struct local_core *k, struct local_block *b, uint32_t threads)
{
    for (size_t i = 0; i < (size_t)threads * k->banks; i++)
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
    uint32_t threads = tb->warps * k->lanes, row = k->banks * WORD;
    tb->protocol = b;
    b->b = tb;
    b->shared = (uint8_t *)tb->block->shared;
    b->words = (tb->bytes + row - 1) / row * k->banks;
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
