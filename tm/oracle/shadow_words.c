/*
 * Shadow of device memory: the table of lines and its index.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/shadow_words.h"

enum { FIRST_INDEX = 1 << 12 };

void shadow_init(struct shadow *s)
{
    *s = (struct shadow){ .mask = FIRST_INDEX - 1 };
    s->index = mem_zero(FIRST_INDEX, sizeof *s->index, "the index of shadow words");
}

void shadow_free(struct shadow *s)
{
    free(s->index);
    free(s->line);
    free(s->value);
    free(s->writer);
}

void shadow_clear(struct shadow *s)
{
    if (s->n)
        memset(s->index, 0, ((size_t)s->mask + 1) * sizeof *s->index);
    s->n = s->writers = 0;
}

static uint32_t home(const struct shadow *s, uint64_t address)
{
    return (uint32_t)(address / SHADOW_LINE * UINT64_C(0x9e3779b97f4a7c15) >> 32) & s->mask;
}

static void double_index(struct shadow *s)
{
    free(s->index);
    s->mask = 2 * s->mask + 1;
    s->index = mem_zero((size_t)s->mask + 1, sizeof *s->index, "the index of shadow words");
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t at = home(s, s->line[i].address);
        while (s->index[at])
            at = (at + 1) & s->mask;
        s->index[at] = i + 1;
    }
}

static uint32_t add_line(struct shadow *s, uint64_t address)
{
    uint32_t cap = s->cap;
    s->value = mem_grow(s->value, s->n, &cap, sizeof *s->value, "shadow words");
    s->line = mem_grow(s->line, s->n, &s->cap, sizeof *s->line, "shadow words");
    s->line[s->n] = (struct shadow_line){ .address = address };
    if (2 * s->n > s->mask)
        double_index(s);
    return s->n++;
}

uint32_t shadow_find(struct shadow *s, uint64_t address)
{
    address -= address % SHADOW_LINE;
    uint32_t at = home(s, address);
    for (; s->index[at]; at = (at + 1) & s->mask)
        if (s->line[s->index[at] - 1].address == address)
            return s->index[at] - 1;
    uint32_t i = add_line(s, address);
    for (at = home(s, address); s->index[at]; )
        at = (at + 1) & s->mask;
    s->index[at] = i + 1;
    return i;
}

uint64_t shadow_writer(const struct shadow *s, uint32_t line, unsigned word)
{
    uint32_t w = s->line[line].writers;
    return w ? s->writer[w - 1][word] : 0;
}

void shadow_set_writer(struct shadow *s, uint32_t line, unsigned word, uint64_t key)
{
    uint32_t *w = &s->line[line].writers;
    if (!*w) {
        s->writer = mem_grow(s->writer, s->writers, &s->writers_cap, sizeof *s->writer, "writers of shadow words");
        memset(s->writer[s->writers], 0, sizeof *s->writer);
        *w = ++s->writers;
    }
    s->writer[*w - 1][word] = key;
}
