/* A region allocator: memory that lives and dies together (one module, one kernel's decoded code). */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);                         /* frees everything; NULL is fine */
void *arena_alloc(struct arena *a, size_t size);          /* zeroed, 16-byte aligned; aborts when out of memory */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* Grow an array kept in an arena: returns the (possibly moved) array with room for n + 1 elements. */
void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t elem_size);

#endif
