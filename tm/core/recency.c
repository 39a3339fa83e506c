/* The recency bloom filter; recency.h has the idea. */
#include "tm/core/recency.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void recency_init(struct recency *r, uint32_t arrays, uint32_t buckets, unsigned bits, uint64_t seed, unsigned first,
                  const char *what)
{
    *r = (struct recency){ .arrays = arrays, .buckets = buckets };
    r->stamp = mem_zero((size_t)arrays * buckets, sizeof *r->stamp, what);
    for (uint32_t a = 0; a < arrays; a++)
        h3_init(&r->hash[a], bits, seed, first + a);
}

void recency_end(struct recency *r)
{
    free(r->stamp);
}

void recency_clear(struct recency *r)
{
    memset(r->stamp, 0, (size_t)r->arrays * r->buckets * sizeof *r->stamp);
}

static uint64_t *stamp_of(const struct recency *r, uint32_t array, uint32_t key)
{
    return &r->stamp[array * r->buckets + h3(&r->hash[array], key) % r->buckets];
}

void recency_write(struct recency *r, uint32_t key, uint64_t stamp)
{
    for (uint32_t a = 0; a < r->arrays; a++) {
        uint64_t *s = stamp_of(r, a, key);
        *s = stamp > *s ? stamp : *s;
    }
}

uint64_t recency_last(const struct recency *r, uint32_t key)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t a = 0; a < r->arrays; a++) {
        uint64_t s = *stamp_of(r, a, key);
        oldest = s < oldest ? s : oldest;
    }
    return oldest;
}
