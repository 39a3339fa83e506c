/*
 * Allocation of host memory that the program needs in order to continue. The functions never return NULL: when the
 * allocation fails they print
 *     simtx: out of memory: BYTES bytes for WHAT
 * on stderr, call the function set by mem_on_failure, and end the process with status 1. Memory is freed with free().
 * A function that returns an error to its caller uses malloc() instead.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An array of n elements of `size` bytes; n may be 0. what: a noun for the message, "the tags of a cache". */
void *mem_alloc(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void *mem_zero(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *array, size_t n, size_t size, const char *what) __attribute__((returns_nonnull));
/* Uninitialised memory at a multiple of `align`, a power of two. */
void *mem_aligned(size_t align, size_t bytes, const char *what) __attribute__((malloc, returns_nonnull));
/* Returns the array, which may have moved, with room for more than n elements; *cap, its capacity, doubles. */
void *mem_grow(void *array, uint32_t n, uint32_t *cap, size_t size, const char *what);
/* Returns the array of *n elements grown so that it has element i: *n becomes a multiple of 64. New elements are
 * zeroed. */
void *mem_grow_zero(void *array, uint32_t i, uint32_t *n, size_t size, const char *what);
/* Doubles an array of *n elements whose free elements form a list from *free on: each holds the number of the next one
 * at the offset `next`, the last one UINT32_MAX. New elements are zeroed and go into the list in order. */
void *mem_grow_linked(void *array, uint32_t *n, uint32_t *free, size_t size, size_t next, const char *what);

char *mem_string(const char *s) __attribute__((malloc, returns_nonnull));                /* a copy */
char *mem_string_n(const char *s, size_t n) __attribute__((malloc, returns_nonnull));    /* of at most n characters */
char *mem_format(const char *fmt, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *mem_vformat(const char *fmt, va_list ap) __attribute__((malloc, returns_nonnull, format(printf, 1, 0)));
/* Appends to *text, which may be NULL. */
void mem_append(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A stream into memory: *text and *size are valid after fclose. */
FILE *mem_file(char **text, size_t *size) __attribute__((returns_nonnull));

/* Ends the process as above, for memory that another function failed to allocate. */
_Noreturn void mem_failed(size_t bytes, const char *what);
/* save: writes the results of the run so far. Called once, by the thread whose allocation failed; it may hold any
 * lock. */
void mem_on_failure(void (*save)(void));

#endif
