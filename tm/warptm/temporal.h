/*
 * Temporal conflict detection (MICRO 2013): what an attempt knows of its reads. A stamp is the commit ID of a writer,
 * or the cycle of its write (warptm.tcd_order). By commit IDs, all words read were those of one state if no word may
 * have been written by a commit ID after `end`, the last one that had retired at every slice when the attempt read
 * there. By cycles, if no word has been written since the first read, in cycle `end`.
 */
#ifndef TM_WARPTM_TEMPORAL_H
#define TM_WARPTM_TEMPORAL_H

#include <stdbool.h>
#include <stdint.h>

struct temporal_reads { uint64_t last, end; };   /* last: the youngest stamp of the words read */

static inline struct temporal_reads temporal_none(void)
{
    return (struct temporal_reads){ 0, UINT64_MAX };
}

/* A word with this youngest stamp has been read; end: as above, at this read. */
void temporal_read(struct temporal_reads *r, uint64_t last, uint64_t end);
bool temporal_conflict(const struct temporal_reads *r);

#endif
