/* Declared regions: a short list. */
#include "ptx/memory/region_table.h"

#include <stdlib.h>

#include "base/alloc.h"

const struct region *region_overlapping(const struct region_table *t, uint64_t lo, uint64_t hi)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->region[i].lo < hi && lo < t->region[i].hi)
            return &t->region[i];
    return NULL;
}

void region_add(struct region_table *t, uint64_t lo, uint64_t hi)
{
    t->region = mem_resize(t->region, t->n + 1, sizeof *t->region, "declared regions");
    t->region[t->n++] = (struct region){ lo, hi };
    t->changes++;
}

void region_remove_within(struct region_table *t, uint64_t lo, uint64_t hi)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->region[i].lo < lo || t->region[i].hi > hi)
            t->region[k++] = t->region[i];
    t->changes += k != t->n;
    t->n = k;
}

void region_table_end(struct region_table *t)
{
    free(t->region);
}
