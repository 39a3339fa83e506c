/*
 * Memory of the host that the program cannot go on without. What is not available ends the process: a line on stderr
 *     simtx: out of memory: BYTES bytes for WHAT
 * then what mem_on_failure named, then exit status 1. So the functions never return NULL, and callers do not look.
 * Everything is freed with free(). Whoever can report the lack of memory to a caller uses malloc and its like.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Arrays of n elements of this size; n may be 0. what: for the message, a noun: "the tags of a cache". */
void *mem_alloc(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void *mem_zero(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *array, size_t n, size_t size, const char *what) __attribute__((returns_nonnull));
/* At an address that is a multiple of align, a power of two; not initialised. */
void *mem_aligned(size_t align, size_t bytes, const char *what) __attribute__((malloc, returns_nonnull));
/* The array, moved if need be, with room for more than n elements; *cap: how many fit. Doubles. */
void *mem_grow(void *array, uint32_t n, uint32_t *cap, size_t size, const char *what);
/* Doubles an array of *n elements, the free ones of which are linked by their numbers, from *free on: each has the number
 * of the next one at the offset `next`, the last one UINT32_MAX. The new elements are zeroed, and linked in order. */
void *mem_grow_linked(void *array, uint32_t *n, uint32_t *free, size_t size, size_t next, const char *what);

char *mem_string(const char *s) __attribute__((malloc, returns_nonnull));                /* a copy */
char *mem_string_n(const char *s, size_t n) __attribute__((malloc, returns_nonnull));    /* of at most n characters */
char *mem_format(const char *fmt, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *mem_vformat(const char *fmt, va_list ap) __attribute__((malloc, returns_nonnull, format(printf, 1, 0)));
/* Text behind the one in *text, which may be NULL. */
void mem_append(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A file whose bytes are *text, *size of them, once it is closed. */
FILE *mem_file(char **text, size_t *size) __attribute__((returns_nonnull));

/* Ends the process as above. For memory that came from elsewhere. */
_Noreturn void mem_failed(size_t bytes, const char *what);
/* save: called once, by the thread that failed, wherever it is; it saves what a run has so far, and returns. */
void mem_on_failure(void (*save)(void));

#endif
