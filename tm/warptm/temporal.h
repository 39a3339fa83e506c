/*
 * The last-written table of temporal conflict detection (MICRO 2013): a recency bloom filter. Sub-arrays, each with its
 * own hash function, hold for a chunk of memory a stamp that is never older than its last write. A stamp is the commit
 * ID of the writer, or the cycle of the write (warptm.tcd_order).
 */
#ifndef TM_WARPTM_TEMPORAL_H
#define TM_WARPTM_TEMPORAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tm/core/h3.h"

enum { TEMPORAL_ARRAYS = 16 };

struct temporal {
    uint32_t arrays, buckets;        /* buckets of a sub-array: any number */
    uint64_t *stamp;                 /* arrays x buckets; 0 = never written */
    struct h3 hash[TEMPORAL_ARRAYS];
};

void temporal_init(struct temporal *t, uint32_t arrays, uint32_t buckets, uint64_t seed);
void temporal_end(struct temporal *t);
void temporal_clear(struct temporal *t);
void temporal_write(struct temporal *t, uint32_t chunk, uint64_t stamp);
uint64_t temporal_last(const struct temporal *t, uint32_t chunk);

/*
 * What an attempt knows of its reads. By commit IDs: all words read were those of one state if no word may have been
 * written by a commit ID after `end`, the last one that had retired at every slice when the attempt read there. By
 * cycles: if no word has been written since the first read, in cycle `end`.
 */
struct temporal_reads { uint64_t last, end; };

static inline struct temporal_reads temporal_none(void)
{
    return (struct temporal_reads){ 0, UINT64_MAX };
}

void temporal_read(struct temporal_reads *r, uint64_t last, uint64_t end);
bool temporal_conflict(const struct temporal_reads *r);

#endif
