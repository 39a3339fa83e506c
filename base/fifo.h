/* Queues of items of one size, in rings that double when they are full. */
#ifndef BASE_FIFO_H
#define BASE_FIFO_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct fifo {
    char *item;
    const char *what;                /* the items, for the message when the host is out of memory */
    uint32_t size, head, n, room;    /* room: a power of two of items */
};

static inline void fifo_init(struct fifo *f, uint32_t item_size, const char *what)
{
    *f = (struct fifo){ .size = item_size, .what = what };
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
    f->item = mem_alloc(f->room, f->size, f->what);
    for (uint32_t i = 0; i < old.n; i++)
        memcpy(fifo_at(f, i), fifo_at(&old, i), f->size);
    free(old.item);
}

/* Space for a new item at the end, not initialised. */
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
