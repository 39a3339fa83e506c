/* The log of messages: the last ones are kept for programs that read them, and each is given to the functions that
 * programs have registered, which must not call CUDA, because the lock is held. */
#include "frontend/rt/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 100 };

struct rt_log_reader {
    rt_log_function function;
    void *data;
    struct rt_log_reader *next;
};

static char *kept[KEPT];
static unsigned written;                     /* messages so far; message i is kept[i % KEPT] */
static struct rt_log_reader *readers;

void rt_log(const char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n')
        n--;
    char *copy = strndup(text, n);
    if (!copy)
        return;
    free(kept[written % KEPT]);
    kept[written++ % KEPT] = copy;
    for (struct rt_log_reader *r = readers, *next; r; r = next) {
        next = r->next;
        r->function(r->data, cudaLogLevelError, copy, n);
    }
}

cudaError_t rt_log_register(rt_log_function function, void *data, struct rt_log_reader **out)
{
    struct rt_log_reader *r = function && out ? malloc(sizeof *r) : NULL;
    if (!r)
        return function && out ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    *r = (struct rt_log_reader){function, data, readers};
    readers = r;
    *out = r;
    return cudaSuccess;
}

cudaError_t rt_log_unregister(struct rt_log_reader *r)
{
    for (struct rt_log_reader **p = &readers; *p; p = &(*p)->next) {
        if (*p != r)
            continue;
        *p = r->next;
        free(r);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t rt_log_current(unsigned *iterator, unsigned flags)
{
    if (!iterator || flags)
        return cudaErrorInvalidValue;
    *iterator = written;
    return cudaSuccess;
}

/* ---- reading ---- */

static const char *const LOST = "(earlier messages are lost)";

static unsigned first_kept(void)
{
    return written < KEPT ? 0 : written - KEPT;
}

/* The message at *i, or the note that earlier ones are lost, and where the next one is; NULL: none. */
static const char *next_message(unsigned *i)
{
    if (*i < first_kept()) {
        *i = first_kept();
        return LOST;
    }
    return *i < written ? kept[(*i)++ % KEPT] : NULL;
}

cudaError_t rt_log_to_file(unsigned *iterator, const char *path, unsigned flags)
{
    unsigned i = iterator ? *iterator : 0;
    FILE *f = path && !flags && i <= written ? fopen(path, "w") : NULL;
    if (!f)
        return cudaErrorInvalidValue;
    for (const char *text; (text = next_message(&i));)
        fprintf(f, "%s\n", text);
    bool failed = ferror(f);
    if (fclose(f) || failed)
        return cudaErrorOperatingSystem;
    if (iterator)
        *iterator = i;
    return cudaSuccess;
}

/* Whole messages, as long as they fit; the iterator stays at the first that does not. */
cudaError_t rt_log_to_memory(unsigned *iterator, char *buffer, size_t *size, unsigned flags)
{
    unsigned i = iterator ? *iterator : 0, after = i;
    size_t room = size ? *size : 0, n = 0;
    bool none = i == written;
    if (!buffer || !room || flags || i > written)
        return cudaErrorInvalidValue;
    for (const char *text; (text = next_message(&after)) && strlen(text) + 1 < room - n; i = after)
        n += (size_t)sprintf(buffer + n, "%s\n", text);
    buffer[n] = 0;
    *size = n;
    if (iterator)
        *iterator = i;
    return n || none ? cudaSuccess : cudaErrorInvalidValue;
}
