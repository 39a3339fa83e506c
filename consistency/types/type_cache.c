/* The type-cache of an SM: set-associative, least recently used, silent evictions. Rights that accesses
 * have reservations for are not evicted. */
#include <stdlib.h>

#include "base/alloc.h"
#include "consistency/types/types.h"

void types_cache_init(struct types_cache *c, uint32_t entries, uint32_t ways)
{
    c->ways = ways;
    c->sets = entries / ways;
    c->entry = mem_zero((size_t)c->sets * ways, sizeof *c->entry, "a type-cache");
}

static struct types_entry *set_of(const struct types_cache *c, uint64_t sector)
{
    return &c->entry[sector % c->sets * c->ways];
}

struct types_entry *types_cache_find(const struct types_cache *c, uint64_t sector)
{
    struct types_entry *e = set_of(c, sector);
    for (uint32_t i = 0; i < c->ways; i++)
        if (e[i].valid && e[i].sector == sector)
            return &e[i];
    return NULL;
}

void types_cache_touch(struct types_cache *c, struct types_entry *e)
{
    e->used = ++c->clock;
}

/* An invalid way, else the least recently used one without a request or reservation. */
static struct types_entry *victim(struct types_entry *e, uint32_t ways)
{
    struct types_entry *v = NULL;
    for (uint32_t i = 0; i < ways; i++) {
        if (!e[i].valid)
            return &e[i];
        if (!types_is_asked(&e[i]) && !types_is_reserved(&e[i]) && (!v || e[i].used < v->used))
            v = &e[i];
    }
    return v;
}

struct types_entry *types_cache_take(struct types_cache *c, uint64_t sector, uint64_t *evictions)
{
    struct types_entry *e = types_cache_find(c, sector);
    if (e)
        return e;
    e = victim(set_of(c, sector), c->ways);
    if (!e)
        return NULL;
    *evictions += e->valid;
    *e = (struct types_entry){ .valid = true, .sector = sector };
    types_cache_touch(c, e);
    return e;
}
