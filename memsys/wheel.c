/* The tables of a timing wheel. */
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/wheel.h"

void wheel_init(struct wheel *w, uint32_t words)
{
    *w = (struct wheel){ .words = words };
    w->bucket = mem_zero((size_t)WHEEL_BUCKETS * words, sizeof *w->bucket, "a timing wheel");
    w->at = mem_alloc((size_t)words * 64, sizeof *w->at, "a timing wheel");
    for (uint32_t t = 0; t < words * 64; t++)
        w->at[t] = NEVER;
}

void wheel_end(struct wheel *w)
{
    free(w->bucket);
    free(w->at);
    w->bucket = w->at = NULL;
}
