/* Pools: chunks of objects, and the list of the free ones. */
#include "base/pool.h"

#include <assert.h>

#include "base/huge.h"

/* The alignment of a chunk's first object; the bytes before it hold the link to the next chunk. */
enum { ALIGN = 64 };

void pool_init(struct pool *p, size_t size, uint32_t per_chunk, const char *what)
{
    assert(size >= sizeof(void *));
    *p = (struct pool){ .size = (uint32_t)size, .per_chunk = per_chunk, .what = what };
}

void pool_end(struct pool *p)
{
    for (void *c = p->chunks, *next; c; c = next) {
        memcpy(&next, c, sizeof next);
        huge_free(c);
    }
    p->chunks = p->free = NULL;
    p->fresh = 0;
}

static void add_chunk(struct pool *p)
{
    char *c = huge_alloc(1, ALIGN + (size_t)p->size * p->per_chunk, p->what);
    memcpy(c, &p->chunks, sizeof p->chunks);
    p->chunks = c;
    p->fresh = p->per_chunk;
}

/* The object with the lowest address is taken first. */
void pool_refill(struct pool *p)
{
    if (!p->fresh)
        add_chunk(p);
    pool_give(p, (char *)p->chunks + ALIGN + (size_t)p->size * (p->per_chunk - p->fresh--));
}
