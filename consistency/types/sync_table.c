/* The synchronization table of an SM: fully associative, one record for each warp and line. */
#include <stdlib.h>

#include "base/alloc.h"
#include "consistency/types/types.h"

void types_sync_init(struct types_sync *t, uint32_t entries)
{
    t->entries = entries;
    t->record = mem_zero(entries, sizeof *t->record, "a synchronization table");
}

static bool same_line(const struct types_record *a, const struct types_record *b)
{
    return a->line == b->line && a->block == b->block;
}

bool types_sync_conflicts(const struct types_sync *t, const struct types_record *r)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct types_record *k = &t->record[i];
        if (same_line(k, r) && k->warp != r->warp && (k->write || r->write))
            return true;
    }
    return false;
}

static struct types_record *own(const struct types_sync *t, const struct types_record *r)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (same_line(&t->record[i], r) && t->record[i].warp == r->warp)
            return &t->record[i];
    return NULL;
}

bool types_sync_has_room(const struct types_sync *t, const struct types_record *r)
{
    return t->n < t->entries || own(t, r);
}

bool types_sync_add(struct types_sync *t, const struct types_record *r)
{
    struct types_record *k = own(t, r);
    if (!k) {
        t->record[t->n++] = *r;
        return true;
    }
    k->write |= r->write;
    k->instruction = r->instruction;
    return false;
}
