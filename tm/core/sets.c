/* Read and write sets of a lane: words in program order, the newest one last. */
#include "base/alloc.h"
#include "tm/core/tm_impl.h"

void tm_set_clear(struct tm_set *s)
{
    s->n = 0;
}

void tm_set_add(struct tm_set *s, uint64_t address, uint32_t value, uint8_t bytes)
{
    s->w = mem_grow(s->w, s->n, &s->cap, sizeof *s->w, "a read or write set");
    s->w[s->n++] = (struct tm_word){ address, value, bytes };
}

uint8_t tm_set_find(const struct tm_set *s, uint64_t address, uint32_t *value)
{
    uint8_t have = 0;
    for (uint32_t i = s->n; i-- > 0 && have != 15;) {
        const struct tm_word *w = &s->w[i];
        if (w->address != address)
            continue;
        for (unsigned b = 0; b < 4; b++)
            if (w->bytes & ~have & 1u << b)
                *value = (*value & ~(0xffu << 8 * b)) | (w->value & 0xffu << 8 * b);
        have |= w->bytes;
    }
    return have;
}
