/*
 * Pools: objects of one size, taken from chunks of memory and used again once they are given back. The one given back
 * last is taken first. Only pool_end frees memory. An object that is in its pool belongs to it: its first bytes hold the
 * link of the free list, so nothing may be kept in it.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pool {
    void *free;                      /* objects to be taken, each with the address of the next one in its first bytes */
    void *chunks;
    uint32_t size, per_chunk;
    const char *what;                /* for the message when the host is out of memory */
};

/* size: of an object, at least a pointer's, a multiple of its alignment, which is at most 64. */
void pool_init(struct pool *p, size_t size, uint32_t per_chunk, const char *what);
void pool_end(struct pool *p);               /* frees all objects, taken ones too */
void pool_add_chunk(struct pool *p);         /* by pool_take */

static inline void pool_give(struct pool *p, void *object)
{
    memcpy(object, &p->free, sizeof p->free);
    p->free = object;
}

/* An object, not initialised. */
static inline void *pool_take(struct pool *p)
{
    if (!p->free)
        pool_add_chunk(p);
    void *object = p->free;
    memcpy(&p->free, object, sizeof p->free);
    return object;
}

#endif
