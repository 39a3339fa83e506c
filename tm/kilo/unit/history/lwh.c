/*
 * Table and filter of the last writer history (KILO TM, section 4.5.2). The table evicts the oldest writer of a set,
 * which may be older than one evicted before.
 */
#include "tm/kilo/unit/history/lwh.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/num.h"

void lwh_init(struct lwh *l, uint32_t sets, uint32_t ways, uint32_t buckets, uint32_t arrays, uint64_t seed)
{
    *l = (struct lwh){ .sets = sets, .ways = ways };
    l->address = mem_zero((size_t)sets * ways, sizeof *l->address, "the last writer history");
    l->cid = mem_zero((size_t)sets * ways, sizeof *l->cid, "the last writer history");
    h3_init(&l->set_hash, num_log2_up(sets), seed, 0);
    recency_init(&l->filter, arrays, buckets / arrays, num_log2_up(buckets / arrays), seed, 1,
                 "the last writer history");
}

void lwh_end(struct lwh *l)
{
    free(l->address);
    free(l->cid);
    recency_end(&l->filter);
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
        recency_write(&l->filter, l->address[at], l->cid[at]);
    l->address[at] = address;
    l->cid[at] = cid;
    return evicted;
}

uint64_t lwh_lookup(const struct lwh *l, uint32_t address, bool *in_table)
{
    size_t at = place_of(l, address);
    *in_table = l->cid[at] && l->address[at] == address;
    return *in_table ? l->cid[at] : recency_last(&l->filter, address);
}
