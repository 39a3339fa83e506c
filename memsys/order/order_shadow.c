/* The oracle's memory: lines in the order of their first use, found through an index with open addressing. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/order/order_shadow.h"

static uint32_t slot_of(const struct order_shadow *s, uint64_t line)
{
    uint32_t at = (uint32_t)((line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & s->mask;
    while (s->index[at] && s->line[s->index[at] - 1].line != line)
        at = (at + 1) & s->mask;
    return at;
}

static void grow_index(struct order_shadow *s)
{
    uint32_t size = s->mask ? 2 * (s->mask + 1) : 1024;
    free(s->index);
    s->index = mem_zero(size, sizeof *s->index, "the memory of the ordering oracle");
    s->mask = size - 1;
    for (uint32_t i = 0; i < s->n; i++)
        s->index[slot_of(s, s->line[i].line)] = i + 1;
}

struct order_line *order_shadow_line(struct order_shadow *s, uint64_t line, uint64_t part)
{
    if (2 * s->n >= s->mask)
        grow_index(s);
    uint32_t at = slot_of(s, line);
    if (!s->index[at]) {
        s->line = mem_grow(s->line, s->n, &s->cap, sizeof *s->line, "the memory of the ordering oracle");
        s->line[s->n] = (struct order_line){ .line = line, .part = part };
        s->index[at] = ++s->n;
    }
    struct order_line *l = &s->line[s->index[at] - 1];
    if (l->part != part) {
        l->part = part;
        memset(l->writer, 0, sizeof l->writer);
        memset(l->readers, 0, sizeof l->readers);
    }
    return l;
}

void order_shadow_clear(struct order_shadow *s)
{
    s->n = 0;
    if (s->index)
        memset(s->index, 0, (s->mask + 1) * sizeof *s->index);
}

void order_shadow_free(struct order_shadow *s)
{
    free(s->line);
    free(s->index);
    *s = (struct order_shadow){ 0 };
}
