/*
 * What the load/store unit adds to the profile of an instruction, op->profile: its accesses, lines and passes, what the
 * caches counted while they served one of its accesses, and the latency of its results.
 */
#ifndef MEMSYS_ACCESS_PROFILE_H
#define MEMSYS_ACCESS_PROFILE_H

#include "base/profile.h"
#include "memsys/lsu/coalesce.h"

/* Counters of the caches before an access was offered to them. */
enum { ACCESS_PROFILE_COUNTERS = 20 };
struct access_profile { uint64_t before[ACCESS_PROFILE_COUNTERS]; };
void access_profile_begin(struct access_profile *p, const uint64_t *count);
/* After the access: adds what they have counted since then. */
void access_profile_end(const struct access_profile *p, const uint64_t *count, uint64_t *profile);

void access_profile_lines(uint64_t *profile, const struct line_access *access, uint32_t n);

#endif
