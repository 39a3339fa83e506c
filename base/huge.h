/*
 * Memory in huge pages of the host, for what a machine and its blocks consist of. A launch writes to some thousand
 * pages of 4 KB, and the page fault at the first access to each takes the time of 5000 instructions: a quarter of a
 * short launch. Regions of 2 MB are mapped and divided among all pieces; a host without huge pages maps them page by
 * page.
 *
 * Pieces are for arrays of about a kilobyte and more that seldom change their size, and of which most is written. The
 * data of caches, which a short launch hardly touches, is not. Any thread may call. When memory is missing the program
 * ends as in base/alloc.h.
 */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

/* An array of n elements of `size` bytes, at a multiple of 64; n may be 0. what: a noun for the message. */
void *huge_alloc(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void *huge_zero(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void huge_free(void *piece);                 /* NULL: nothing */

#endif
