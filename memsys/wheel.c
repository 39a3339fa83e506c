/* The tables of a timing wheel. */
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/wheel.h"

void wheel_init(struct wheel *w, uint32_t words)
{
    *w = (struct wheel){ .words = words };
    w->slot = mem_zero((size_t)WHEEL_SLOTS * words, sizeof *w->slot, "a timing wheel");
    w->at = mem_alloc((size_t)words * 64, sizeof *w->at, "a timing wheel");
    for (uint32_t t = 0; t < words * 64; t++)
        w->at[t] = NEVER;
}

void wheel_end(struct wheel *w)
{
    free(w->slot);
    free(w->at);
    w->slot = w->at = NULL;
}
