/*
 * The last writer history of a commit unit (KILO TM, section 4.5.2): the youngest commit ID that may write an
 * address. A set-associative table holds recent writers exactly. Evicted writers enter the recency bloom filter
 * (tm/core/recency.h). Entries of retired writers need no removal: they cause no hazards.
 */
#ifndef TM_KILO_LWH_H
#define TM_KILO_LWH_H

#include <stdbool.h>
#include <stdint.h>

#include "tm/core/recency.h"

struct lwh {
    uint32_t sets, ways;             /* a power of two of sets */
    uint32_t *address;               /* of the table: sets x ways */
    uint64_t *cid;                   /* 0 = empty */
    struct recency filter;           /* its stamps: commit IDs */
    struct h3 set_hash;
};

/* buckets: of all sub-arrays together. */
void lwh_init(struct lwh *l, uint32_t sets, uint32_t ways, uint32_t buckets, uint32_t arrays, uint64_t seed);
void lwh_end(struct lwh *l);
/* Inserts the writer of an address; commit IDs ascend. True: the table has evicted a writer. */
bool lwh_insert(struct lwh *l, uint32_t address, uint64_t cid);
/* The youngest commit ID that may have written an address, 0 = none; in_table: exact, from the table. */
uint64_t lwh_lookup(const struct lwh *l, uint32_t address, bool *in_table);

#endif
