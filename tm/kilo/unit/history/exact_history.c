/* An open hash table with linear probing; only rebuilding removes anything. */
#include "tm/kilo/unit/history/exact_history.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { FIRST_SIZE = 256 };

static struct exact_place *places(uint32_t n)
{
    return mem_zero(n, sizeof(struct exact_place), "the exact writer history");
}

void exact_init(struct exact *e)
{
    *e = (struct exact){ places(FIRST_SIZE), FIRST_SIZE, 0 };
}

void exact_end(struct exact *e)
{
    free(e->place);
}

static struct exact_place *find(const struct exact *e, uint32_t word)
{
    uint32_t i = (word >> 2) * UINT32_C(2654435761) & (e->size - 1);
    while (e->place[i].cid && e->place[i].word != word)
        i = (i + 1) & (e->size - 1);
    return &e->place[i];
}

void exact_insert(struct exact *e, uint32_t word, uint64_t cid)
{
    struct exact_place *p = find(e, word);
    e->used += !p->cid;
    *p = (struct exact_place){ word, cid };
}

uint64_t exact_lookup(const struct exact *e, uint32_t word)
{
    return find(e, word)->cid;
}

void exact_rebuild(struct exact *e, uint64_t oldest)
{
    struct exact old = *e;
    uint32_t live = 0;
    for (uint32_t i = 0; i < old.size; i++)
        live += old.place[i].cid && old.place[i].cid >= oldest;
    e->size = live > old.size / 4 ? 2 * old.size : old.size;
    e->place = places(e->size);
    e->used = 0;
    for (uint32_t i = 0; i < old.size; i++)
        if (old.place[i].cid && old.place[i].cid >= oldest)
            exact_insert(e, old.place[i].word, old.place[i].cid);
    free(old.place);
}
