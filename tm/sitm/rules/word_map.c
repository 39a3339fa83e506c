/* A hash map from words to numbers: linear probing; a removal moves later words of the chain back. */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/sitm/rules/word_map.h"

enum { FIRST_BITS = 6 };

static void allocate(struct sitm_word_map *m, uint32_t bits)
{
    m->bits = bits;
    m->n = 0;
    m->slot = mem_alloc((size_t)1 << bits, sizeof *m->slot, "tables of transactional words");
    for (uint32_t i = 0; i < (uint32_t)1 << bits; i++)
        m->slot[i].value = SITM_NONE;
}

void sitm_word_map_init(struct sitm_word_map *m)
{
    allocate(m, FIRST_BITS);
}

void sitm_word_map_end(struct sitm_word_map *m)
{
    free(m->slot);
}

static uint32_t home(const struct sitm_word_map *m, uint32_t word)
{
    return word * UINT32_C(2654435769) >> (32 - m->bits);
}

static uint32_t next(const struct sitm_word_map *m, uint32_t i)
{
    return (i + 1) & (((uint32_t)1 << m->bits) - 1);
}

/* The word's slot, or the free one where it would be. */
static uint32_t find(const struct sitm_word_map *m, uint32_t word)
{
    uint32_t i = home(m, word);
    while (m->slot[i].value != SITM_NONE && m->slot[i].word != word)
        i = next(m, i);
    return i;
}

uint32_t sitm_word_map_get(const struct sitm_word_map *m, uint32_t word)
{
    return m->slot[find(m, word)].value;
}

static void grow(struct sitm_word_map *m)
{
    struct sitm_word_map old = *m;
    allocate(m, old.bits + 1);
    for (uint32_t i = 0; i < (uint32_t)1 << old.bits; i++)
        if (old.slot[i].value != SITM_NONE)
            sitm_word_map_set(m, old.slot[i].word, old.slot[i].value);
    free(old.slot);
}

/* Slot i becomes free: the words after it whose chain passes it move back. */
static void vacate(struct sitm_word_map *m, uint32_t i)
{
    uint32_t mask = ((uint32_t)1 << m->bits) - 1;
    for (uint32_t j = next(m, i); m->slot[j].value != SITM_NONE; j = next(m, j))
        if (((j - home(m, m->slot[j].word)) & mask) >= ((j - i) & mask)) {
            m->slot[i] = m->slot[j];
            i = j;
        }
    m->slot[i].value = SITM_NONE;
    m->n--;
}

void sitm_word_map_set(struct sitm_word_map *m, uint32_t word, uint32_t value)
{
    uint32_t i = find(m, word);
    if (m->slot[i].value != SITM_NONE && value == SITM_NONE) {
        vacate(m, i);
    } else if (m->slot[i].value != SITM_NONE) {
        m->slot[i].value = value;
    } else if (value != SITM_NONE) {
        m->slot[i] = (struct sitm_word_slot){ word, value };
        if (2 * ++m->n > (uint32_t)1 << m->bits)
            grow(m);
    }
}
