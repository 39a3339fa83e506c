/*
 * The last writer history of a commit unit (KILO TM, section 4.5.2): which commit ID is the youngest that may write an
 * address. A set-associative table holds recent writers exactly; what it evicts goes to the recency bloom filter, whose
 * answer may be too young but never too old. Entries of retired writers need no removal: no hazard comes from them.
 */
#ifndef TM_KILOTM_LWH_H
#define TM_KILOTM_LWH_H

#include <stdbool.h>
#include <stdint.h>

#include "tm/core/h3.h"

enum { LWH_MAX_ARRAYS = 16 };

struct lwh {
    uint32_t sets, ways;             /* a power of two of sets */
    uint32_t arrays, buckets;        /* of the filter: sub-arrays, and buckets of each, a power of two */
    uint32_t *address;               /* of the table: sets x ways */
    uint64_t *cid;                   /* 0 = empty */
    uint64_t *bucket;                /* arrays x buckets */
    struct h3 set_hash, hash[LWH_MAX_ARRAYS];
};

/* buckets: of all sub-arrays together. The host out of memory: abort. */
void lwh_init(struct lwh *l, uint32_t sets, uint32_t ways, uint32_t buckets, uint32_t arrays, uint64_t seed);
void lwh_end(struct lwh *l);
/* The writer of an address gets known; writers come in the order of their commit IDs. True: the table evicted one. */
bool lwh_insert(struct lwh *l, uint32_t address, uint64_t cid);
/* The youngest commit ID that may have written an address, 0 = none; in_table: the table has it, exactly. */
uint64_t lwh_lookup(const struct lwh *l, uint32_t address, bool *in_table);

#endif
