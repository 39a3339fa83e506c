/*
 * Pieces of regions. A piece is cut from the newest region, after the ones before, or taken from the list of freed
 * pieces of its size: the sizes are few, those of the parts of a machine. Large pieces are allocations of their own,
 * since most of their bytes may never be accessed. When the last piece is freed, all regions but the first are
 * unmapped, and the first is cut anew.
 */
#include "base/huge.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

enum { ALIGN = 64, FIRST_REGION = 256 << 10, REGION = 2 << 20 };
#ifdef __SANITIZE_ADDRESS__
enum { LARGE = 0 };                          /* the sanitizer checks the bounds of each */
#else
enum { LARGE = REGION / 4 };
#endif

/* Precedes the bytes of a piece. */
struct piece {
    _Alignas(ALIGN) size_t bytes;            /* of both */
    struct piece *next;                      /* freed piece of the same size */
};

struct region {
    struct region *next;
    size_t bytes, used;
    size_t written;                          /* bytes at the start that may not be zero */
};

struct freed { size_t bytes; struct piece *first; };

static struct {
    pthread_mutex_t lock;
    struct region *newest;
    uint32_t pieces;                         /* in use */
    struct freed *freed;                     /* one list for each size */
    uint32_t sizes, cap;
} pages = { .lock = PTHREAD_MUTEX_INITIALIZER };

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
    struct region *r = pages.newest ? map_huge() : map(FIRST_REGION);
    if (!r)
        return false;
    *r = (struct region){ .next = pages.newest, .bytes = pages.newest ? REGION : FIRST_REGION, .used = ALIGN };
    pages.newest = r;
    return true;
}

static struct freed *list_of(size_t bytes)
{
    uint32_t i = 0;
    while (i < pages.sizes && pages.freed[i].bytes != bytes)
        i++;
    return i < pages.sizes ? &pages.freed[i] : NULL;
}

static struct piece *take_freed(size_t bytes)
{
    struct freed *f = list_of(bytes);
    struct piece *p = f ? f->first : NULL;
    if (p)
        f->first = p->next;
    return p;
}

static struct piece *cut(size_t bytes, bool *zero)
{
    if ((!pages.newest || pages.newest->used + bytes > pages.newest->bytes) && !add_region())
        return NULL;
    struct region *r = pages.newest;
    *zero = r->used >= r->written;
    struct piece *p = (struct piece *)(void *)((char *)r + r->used);
    r->used += bytes;
    return p;
}

static struct piece *take(size_t bytes, bool *zero)
{
    pthread_mutex_lock(&pages.lock);
    struct piece *p = take_freed(bytes);
    if (!p)
        p = cut(bytes, zero);
    pages.pieces += p != NULL;
    pthread_mutex_unlock(&pages.lock);
    return p;
}

/* *zero: its bytes are 0. */
static void *piece_new(size_t n, size_t size, bool *zero, const char *what)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX;
    if (bytes > PTRDIFF_MAX - 2 * ALIGN)
        mem_failed(bytes, what);
    size_t whole = sizeof(struct piece) + ((bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1));
    struct piece *p = whole >= LARGE ? aligned_alloc(ALIGN, whole) : take(whole, zero);
    if (!p)
        mem_failed(bytes, what);
    p->bytes = whole;
    return p + 1;
}

void *huge_alloc(size_t n, size_t size, const char *what)
{
    bool zero;
    return piece_new(n, size, &zero, what);
}

void *huge_zero(size_t n, size_t size, const char *what)
{
    bool zero = false;
    void *p = piece_new(n, size, &zero, what);
    return zero ? p : memset(p, 0, n * size);
}

/* No piece is in use. */
static void start_anew(void)
{
    struct region *r = pages.newest;
    for (; r->next; r = pages.newest) {
        pages.newest = r->next;
        munmap(r, r->bytes);
    }
    r->written = r->used > r->written ? r->used : r->written;
    r->used = ALIGN;
    pages.sizes = 0;
}

static void give(struct piece *p)
{
    struct freed *f = list_of(p->bytes);
    if (!f) {
        pages.freed = mem_grow(pages.freed, pages.sizes, &pages.cap, sizeof *pages.freed, "the sizes of pieces");
        f = &pages.freed[pages.sizes++];
        *f = (struct freed){ .bytes = p->bytes };
    }
    p->next = f->first;
    f->first = p;
}

void huge_free(void *piece)
{
    struct piece *p = piece ? (struct piece *)piece - 1 : NULL;
    if (!p)
        return;
    if (p->bytes >= LARGE) {
        free(p);
        return;
    }
    pthread_mutex_lock(&pages.lock);
    give(p);
    if (!--pages.pieces)
        start_anew();
    pthread_mutex_unlock(&pages.lock);
}
