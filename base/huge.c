/*
 * Allocations in regions. The size is rounded up to that of a class, of which there are eight for each power of two. A
 * freed allocation of the class is reused; otherwise the next bytes of the newest region are taken. When no allocation
 * is in use, all regions but the first are unmapped, and the first is filled anew. Large allocations are mappings of
 * their own, since most of their bytes may never be accessed.
 */
#include "base/huge.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/num.h"

enum { ALIGN = 64, FIRST_REGION = 256 << 10, REGION = 2 << 20, LARGE = REGION / 4, CLASSES = 88 };

/* Precedes the bytes of an allocation. */
struct header {
    _Alignas(ALIGN) size_t mapped;           /* bytes of the mapping of a large allocation; 0: in a region */
    uint32_t class;
    struct header *next;                     /* freed allocation of this class */
};

struct region {
    struct region *next;
    size_t bytes, used;
    size_t written;                          /* bytes at the start that may not be zero */
};

static struct {
    pthread_mutex_t lock;
    struct region *newest;
    uint32_t in_use;                         /* allocations in regions */
    struct header *freed[CLASSES];
} huge = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- regions ---- */

static void *map(size_t bytes)
{
    void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return m == MAP_FAILED ? NULL : m;
}

/* At a multiple of its size, as huge pages are. */
static void *map_huge(void)
{
    char *m = map(2 * REGION);
    if (!m)
        return NULL;
    size_t before = -(uintptr_t)m % REGION;
    if (before)
        munmap(m, before);
    munmap(m + before + REGION, REGION - before);
    madvise(m + before, REGION, MADV_HUGEPAGE);          /* a host may have none */
    return m + before;
}

/* The first region has small pages: a functional launch of a few blocks needs no more, and the host would clear 2 MB.
 * False: the host has no memory. */
static bool add_region(void)
{
    struct region *r = huge.newest ? map_huge() : map(FIRST_REGION);
    if (!r)
        return false;
    *r = (struct region){ .next = huge.newest, .bytes = huge.newest ? REGION : FIRST_REGION, .used = ALIGN };
    huge.newest = r;
    return true;
}

/* No allocation is in use. */
static void start_anew(void)
{
    struct region *r = huge.newest;
    for (; r->next; r = huge.newest) {
        huge.newest = r->next;
        munmap(r, r->bytes);
    }
    r->written = r->used > r->written ? r->used : r->written;
    r->used = ALIGN;
    memset(huge.freed, 0, sizeof huge.freed);
}

/* ---- allocations ---- */

/* *bytes becomes that of the class: 64, 128, 192, ... 1024, 1152, 1280, ... 2048, 2304, ... LARGE. */
static uint32_t class_of(size_t *bytes)
{
    size_t last = *bytes ? (*bytes - 1) / ALIGN : 0;
    unsigned bits = num_bits(last), shift = bits > 4 ? bits - 4 : 0;
    *bytes = (((last >> shift) + 1) << shift) * ALIGN;
    return 8 * shift + (uint32_t)(last >> shift);
}

/* An allocation takes less than a huge region, but may take more than the first. */
static struct header *allocate_in_region(size_t bytes, bool *zero)
{
    while (!huge.newest || huge.newest->used + bytes > huge.newest->bytes)
        if (!add_region())
            return NULL;
    struct region *r = huge.newest;
    struct header *h = (struct header *)(void *)((char *)r + r->used);
    *zero = r->used >= r->written;
    r->used += bytes;
    return h;
}

static struct header *allocate_small(size_t bytes, bool *zero)
{
    uint32_t class = class_of(&bytes);
    pthread_mutex_lock(&huge.lock);
    struct header *h = huge.freed[class];
    if (h)
        huge.freed[class] = h->next;
    else
        h = allocate_in_region(sizeof *h + bytes, zero);
    huge.in_use += h != NULL;
    pthread_mutex_unlock(&huge.lock);
    if (h)
        *h = (struct header){ .class = class };
    return h;
}

/* Mapped memory is 0. */
static struct header *allocate_large(size_t bytes, bool *zero)
{
    struct header *h = bytes < PTRDIFF_MAX ? map(sizeof *h + bytes) : NULL;
    *zero = true;
    if (h)
        h->mapped = sizeof *h + bytes;
    return h;
}

/* *zero: its bytes are 0. */
static void *allocate(size_t bytes, bool *zero, const char *what)
{
    *zero = false;
    if (HUGE_PLAIN)
        return mem_aligned(ALIGN, bytes, what);
    struct header *h = bytes > LARGE ? allocate_large(bytes, zero) : allocate_small(bytes, zero);
    if (!h)
        mem_failed(bytes, what);
    return h + 1;
}

static void free_small(struct header *h)
{
    pthread_mutex_lock(&huge.lock);
    h->next = huge.freed[h->class];
    huge.freed[h->class] = h;
    if (!--huge.in_use)
        start_anew();
    pthread_mutex_unlock(&huge.lock);
}

static size_t product(size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

void *huge_alloc(size_t n, size_t size, const char *what)
{
    bool zero;
    return allocate(product(n, size), &zero, what);
}

void *huge_zero(size_t n, size_t size, const char *what)
{
    bool zero;
    void *p = allocate(product(n, size), &zero, what);
    return zero ? p : memset(p, 0, n * size);
}

void huge_free(void *p)
{
    struct header *h = p && !HUGE_PLAIN ? (struct header *)p - 1 : NULL;
    if (HUGE_PLAIN)
        free(p);
    else if (h && h->mapped)
        munmap(h, h->mapped);
    else if (h)
        free_small(h);
}
