/*
 * Table and filter of the last writer history. The table evicts the oldest writer of a set. It may be older than one
 * evicted before, so a bucket of the filter keeps the younger of two. A lookup returns the oldest of its buckets, which
 * is the least aliased (KILO TM, section 4.5.2).
 */
#include "tm/kilo/unit/history/lwh.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/num.h"

void lwh_init(struct lwh *l, uint32_t sets, uint32_t ways, uint32_t buckets, uint32_t arrays, uint64_t seed)
{
    *l = (struct lwh){ .sets = sets, .ways = ways, .arrays = arrays, .buckets = buckets / arrays };
    l->address = mem_zero((size_t)sets * ways, sizeof *l->address, "the last writer history");
    l->cid = mem_zero((size_t)sets * ways, sizeof *l->cid, "the last writer history");
    l->bucket = mem_zero((size_t)arrays * l->buckets, sizeof *l->bucket, "the last writer history");
    h3_init(&l->set_hash, num_log2_up(sets), seed, 0);
    for (uint32_t a = 0; a < arrays; a++)
        h3_init(&l->hash[a], num_log2_up(l->buckets), seed, a + 1);
}

void lwh_end(struct lwh *l)
{
    free(l->address);
    free(l->cid);
    free(l->bucket);
}

static uint64_t *bucket_of(const struct lwh *l, uint32_t array, uint32_t address)
{
    return &l->bucket[array * l->buckets + h3(&l->hash[array], address)];
}

static void filter_insert(struct lwh *l, uint32_t address, uint64_t cid)
{
    for (uint32_t a = 0; a < l->arrays; a++) {
        uint64_t *b = bucket_of(l, a, address);
        if (cid > *b)
            *b = cid;
    }
}

static uint64_t filter_lookup(const struct lwh *l, uint32_t address)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t a = 0; a < l->arrays; a++) {
        uint64_t cid = *bucket_of(l, a, address);
        oldest = cid < oldest ? cid : oldest;
    }
    return oldest;
}

/* The way with the address, or else the one with the smallest commit ID: empty ones first. */
static size_t place_of(const struct lwh *l, uint32_t address)
{
    size_t first = (size_t)h3(&l->set_hash, address) * l->ways, oldest = first;
    for (size_t i = first; i < first + l->ways; i++) {
        if (l->cid[i] && l->address[i] == address)
            return i;
        oldest = l->cid[i] < l->cid[oldest] ? i : oldest;
    }
    return oldest;
}

bool lwh_insert(struct lwh *l, uint32_t address, uint64_t cid)
{
    size_t at = place_of(l, address);
    bool evicted = l->cid[at] && l->address[at] != address;
    if (evicted)
        filter_insert(l, l->address[at], l->cid[at]);
    l->address[at] = address;
    l->cid[at] = cid;
    return evicted;
}

uint64_t lwh_lookup(const struct lwh *l, uint32_t address, bool *in_table)
{
    size_t at = place_of(l, address);
    *in_table = l->cid[at] && l->address[at] == address;
    return *in_table ? l->cid[at] : filter_lookup(l, address);
}
