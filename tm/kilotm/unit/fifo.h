/* A queue of small items of one size in a ring that doubles when it is full. */
#ifndef TM_KILOTM_FIFO_H
#define TM_KILOTM_FIFO_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct fifo { char *item; uint32_t size, head, n, room; };   /* room: a power of two of items */

static inline void fifo_init(struct fifo *f, uint32_t item_size)
{
    *f = (struct fifo){ .size = item_size };
}

static inline void fifo_end(struct fifo *f)
{
    free(f->item);
}

/* The i-th item from the front. */
static inline void *fifo_at(const struct fifo *f, uint32_t i)
{
    return f->item + (size_t)((f->head + i) & (f->room - 1)) * f->size;
}

static inline void fifo_grow(struct fifo *f)
{
    struct fifo old = *f;
    f->room = old.room ? 2 * old.room : 8;
    f->head = 0;
    f->item = mem_alloc(f->room, f->size, "a queue of a commit unit");
    for (uint32_t i = 0; i < old.n; i++)
        memcpy(fifo_at(f, i), fifo_at(&old, i), f->size);
    free(old.item);
}

/* Place for a new item at the end, not initialised. */
static inline void *fifo_push(struct fifo *f)
{
    if (f->n == f->room)
        fifo_grow(f);
    return fifo_at(f, f->n++);
}

static inline void *fifo_front(const struct fifo *f)
{
    return fifo_at(f, 0);
}

static inline void fifo_pop(struct fifo *f)
{
    f->head = (f->head + 1) & (f->room - 1);
    f->n--;
}

#endif
