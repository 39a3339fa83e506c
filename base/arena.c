/* A region allocator: chunks that double in size, a bump pointer, one free for all. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct chunk {
    struct chunk *next;
    size_t size, used;
    _Alignas(16) char data[];
};

struct arena {
    struct chunk *head;
};

enum { FIRST_CHUNK = 16 * 1024, MAX_CHUNK = 4 * 1024 * 1024 };

struct arena *arena_new(void)
{
    return mem_zero(1, sizeof(struct arena), "an arena");
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    for (struct chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

static struct chunk *add_chunk(struct arena *a, size_t need)
{
    size_t size = a->head ? a->head->size * 2 : FIRST_CHUNK;
    if (size > MAX_CHUNK)
        size = MAX_CHUNK;
    if (size < need)
        size = need;
    struct chunk *c = mem_zero(1, sizeof *c + size, "an arena");
    c->size = size;
    c->next = a->head;
    a->head = c;
    return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct chunk *c = a->head;
    if (!c || c->size - c->used < size)
        c = add_chunk(a, size);
    void *p = c->data + c->used;
    c->used += size;
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}
