/* A region allocator: its memory is freed all at once (that of a module, of a kernel's decoded code). */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);                         /* frees everything; NULL is fine */
void *arena_alloc(struct arena *a, size_t size);          /* zeroed, 16-byte aligned */
char *arena_strndup(struct arena *a, const char *s, size_t n);

#endif
