/* Allocations that end the process when they fail. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 8, STEP = 64, RESERVE = 8 << 20 };

static void (*_Atomic save_run)(void);
static void *_Atomic reserve;        /* freed before save_run is called, which needs memory; never touched */

void mem_on_failure(void (*save)(void))
{
    free(atomic_exchange(&reserve, save ? malloc(RESERVE) : NULL));
    save_run = save;
}

/* The first thread that fails calls save_run and ends the process, also when save_run itself fails; others wait. */
_Noreturn void mem_failed(size_t bytes, const char *what)
{
    static atomic_flag failed = ATOMIC_FLAG_INIT;
    static _Thread_local bool first;
    void (*save)(void) = save_run;
    fprintf(stderr, "simtx: out of memory: %zu bytes for %s\n", bytes, what);
    if (!atomic_flag_test_and_set(&failed)) {
        first = true;
        free(atomic_exchange(&reserve, NULL));
        if (save)
            save();
    }
    while (!first)
        pause();
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

/* At least 1, so that malloc() does not return NULL for an empty array; SIZE_MAX when the product overflows. */
static size_t bytes_of(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX;
    return bytes ? bytes : 1;
}

/* p == NULL: the allocation failed. Requests above PTRDIFF_MAX are not made: sanitizers report them. */
static void *checked(void *p, size_t bytes, const char *what)
{
    if (!p)
        mem_failed(bytes, what);
    return p;
}

void *mem_alloc(size_t n, size_t size, const char *what)
{
    size_t bytes = bytes_of(n, size);
    return checked(bytes > PTRDIFF_MAX ? NULL : malloc(bytes), bytes, what);
}

void *mem_zero(size_t n, size_t size, const char *what)
{
    size_t bytes = bytes_of(n, size);
    return checked(bytes > PTRDIFF_MAX ? NULL : calloc(1, bytes), bytes, what);
}

void *mem_resize(void *array, size_t n, size_t size, const char *what)
{
    size_t bytes = bytes_of(n, size);
    return checked(bytes > PTRDIFF_MAX ? NULL : realloc(array, bytes), bytes, what);
}

void *mem_aligned(size_t align, size_t bytes, const char *what)
{
    if (bytes > PTRDIFF_MAX - align)
        mem_failed(bytes, what);
    return checked(aligned_alloc(align, bytes ? (bytes + align - 1) & ~(align - 1) : align), bytes, what);
}

void *mem_grow(void *array, uint32_t n, uint32_t *cap, size_t size, const char *what)
{
    if (n < *cap)
        return array;
    while (*cap <= n)
        *cap = *cap ? 2 * *cap : FIRST;
    return mem_resize(array, *cap, size, what);
}

void *mem_grow_zero(void *array, uint32_t i, uint32_t *n, size_t size, const char *what)
{
    uint32_t old = *n;
    if (i < old)
        return array;
    *n = (i + STEP) / STEP * STEP;
    char *a = mem_resize(array, *n, size, what);
    memset(a + old * size, 0, (*n - old) * size);
    return a;
}

void *mem_grow_linked(void *array, uint32_t *n, uint32_t *free, size_t size, size_t next, const char *what)
{
    uint32_t old = *n;
    *n = old ? 2 * old : FIRST;
    char *a = mem_resize(array, *n, size, what);
    memset(a + old * size, 0, (*n - old) * size);
    for (uint32_t i = *n; i-- > old; *free = i)
        memcpy(a + i * size + next, free, sizeof *free);
    return a;
}

/* ---- texts ---- */

char *mem_string(const char *s)
{
    return mem_string_n(s, strlen(s));
}

char *mem_string_n(const char *s, size_t n)
{
    size_t length = strnlen(s, n);
    char *p = mem_alloc(length + 1, 1, "a text");
    memcpy(p, s, length);
    p[length] = 0;
    return p;
}

char *mem_vformat(const char *fmt, va_list ap)
{
    char *text;
    if (vasprintf(&text, fmt, ap) < 0)
        mem_failed(strlen(fmt), "a formatted text");
    return text;
}

char *mem_format(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = mem_vformat(fmt, ap);
    va_end(ap);
    return text;
}

void mem_append(char **text, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *more = mem_vformat(fmt, ap);
    va_end(ap);
    size_t length = *text ? strlen(*text) : 0, n = strlen(more) + 1;
    *text = mem_resize(*text, length + n, 1, "a text");
    memcpy(*text + length, more, n);
    free(more);
}

FILE *mem_file(char **text, size_t *size)
{
    FILE *f = open_memstream(text, size);
    if (!f)
        mem_failed(BUFSIZ, "a text in memory");
    return f;
}
