/*
 * Pools of objects of one size: chunks of memory and a free list, last in, first out. Memory is freed by pool_end only.
 * The first bytes of a free object hold the link of the list. The objects of a new chunk come into the list one by one,
 * when it is empty, so that the host maps no page before it is needed.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pool {
    void *free;                      /* first free object; its first bytes: the address of the next one */
    void *chunks;
    uint32_t size, per_chunk, fresh; /* fresh: objects of the last chunk that have never been in the list */
    const char *what;                /* for the message when the host is out of memory */
};

/* size: of an object, at least sizeof(void *) and a multiple of its alignment, which is at most 64. */
void pool_init(struct pool *p, size_t size, uint32_t per_chunk, const char *what);
void pool_end(struct pool *p);               /* frees all objects, also those in use */
void pool_refill(struct pool *p);            /* called by pool_take */

static inline void pool_give(struct pool *p, void *object)
{
    memcpy(object, &p->free, sizeof p->free);
    p->free = object;
}

/* An object, not initialised. */
static inline void *pool_take(struct pool *p)
{
    if (!p->free)
        pool_refill(p);
    void *object = p->free;
    memcpy(&p->free, object, sizeof p->free);
    return object;
}

#endif
