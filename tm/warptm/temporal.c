/* A bucket keeps the youngest stamp of its chunks; the oldest of a chunk's buckets is the least aliased. */
#include "tm/warptm/temporal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { INDEX_BITS = 24 };

void temporal_init(struct temporal *t, uint32_t arrays, uint32_t buckets, uint64_t seed)
{
    *t = (struct temporal){ .arrays = arrays, .buckets = buckets };
    t->stamp = mem_zero((size_t)arrays * buckets, sizeof *t->stamp, "a last-written table");
    for (uint32_t a = 0; a < arrays; a++)
        h3_init(&t->hash[a], INDEX_BITS, seed, a);
}

void temporal_end(struct temporal *t)
{
    free(t->stamp);
}

void temporal_clear(struct temporal *t)
{
    memset(t->stamp, 0, (size_t)t->arrays * t->buckets * sizeof *t->stamp);
}

static uint64_t *stamp_of(const struct temporal *t, uint32_t array, uint32_t chunk)
{
    return &t->stamp[array * t->buckets + h3(&t->hash[array], chunk) % t->buckets];
}

void temporal_write(struct temporal *t, uint32_t chunk, uint64_t stamp)
{
    for (uint32_t a = 0; a < t->arrays; a++) {
        uint64_t *s = stamp_of(t, a, chunk);
        *s = stamp > *s ? stamp : *s;
    }
}

uint64_t temporal_last(const struct temporal *t, uint32_t chunk)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t a = 0; a < t->arrays; a++) {
        uint64_t s = *stamp_of(t, a, chunk);
        oldest = s < oldest ? s : oldest;
    }
    return oldest;
}

void temporal_read(struct temporal_reads *r, uint64_t last, uint64_t end)
{
    r->last = last > r->last ? last : r->last;
    r->end = end < r->end ? end : r->end;
}

bool temporal_conflict(const struct temporal_reads *r)
{
    return r->last > r->end;
}
