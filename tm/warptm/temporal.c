/* Temporal conflict detection; temporal.h has the rule. */
#include "tm/warptm/temporal.h"

void temporal_read(struct temporal_reads *r, uint64_t last, uint64_t end)
{
    r->last = last > r->last ? last : r->last;
    r->end = end < r->end ? end : r->end;
}

bool temporal_conflict(const struct temporal_reads *r)
{
    return r->last > r->end;
}
