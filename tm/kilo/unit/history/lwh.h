/*
 * The last writer history of a commit unit (KILO TM, section 4.5.2): the youngest commit ID that may write an
 * address. A set-associative table holds recent writers exactly. Evicted writers enter the recency bloom filter, whose
 * result may be too young but never too old. Entries of retired writers need no removal: they cause no hazards.
 */
#ifndef TM_KILO_LWH_H
#define TM_KILO_LWH_H

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

/* buckets: of all sub-arrays together. */
void lwh_init(struct lwh *l, uint32_t sets, uint32_t ways, uint32_t buckets, uint32_t arrays, uint64_t seed);
void lwh_end(struct lwh *l);
/* Inserts the writer of an address; commit IDs ascend. True: the table has evicted a writer. */
bool lwh_insert(struct lwh *l, uint32_t address, uint64_t cid);
/* The youngest commit ID that may have written an address, 0 = none; in_table: exact, from the table. */
uint64_t lwh_lookup(const struct lwh *l, uint32_t address, bool *in_table);

#endif
