/*
 * Memory in huge pages of the host, for what a machine and its blocks consist of. A page fault takes the time of 5000
 * instructions; together they are 13 % of a short launch (docs/correlation.md). Allocations share regions of 2 MB. The
 * first 256 KB of a process have small pages, and so have allocations of more than 512 KB, each a mapping of its own. A
 * host without huge pages maps all regions page by page.
 *
 * Use it for arrays of a kilobyte or more that keep their size and are mostly written; not for the data of caches,
 * which a short launch hardly accesses. Any thread may call. When memory is missing the program ends as in
 * base/alloc.h.
 */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

/* An array of n elements of `size` bytes, at a multiple of 64; n may be 0. what: a noun for the message. */
void *huge_alloc(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void *huge_zero(size_t n, size_t size, const char *what) __attribute__((malloc, returns_nonnull));
void huge_free(void *p);                     /* NULL: nothing */

/* Under an address sanitizer all allocations are plain ones, whose bounds it checks. */
#ifdef __SANITIZE_ADDRESS__
#define HUGE_PLAIN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define HUGE_PLAIN 1
#endif
#endif
#ifndef HUGE_PLAIN
#define HUGE_PLAIN 0
#endif

#endif
