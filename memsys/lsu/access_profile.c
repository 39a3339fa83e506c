/* The counters of the caches that belong to figures of a profile; lines and sectors. */
#include "memsys/lsu/access_profile.h"

static const struct { enum profile_figure figure; enum stat counter; } counted[] = {
    { PROFILE_L1_HITS, STAT_L1_GLOBAL_LOAD_HITS },     { PROFILE_L1_HITS, STAT_L1_LOCAL_LOAD_HITS },
    { PROFILE_L1_HITS, STAT_L1_LOCAL_STORE_HITS },     { PROFILE_L1_HITS, STAT_L1_STORE_HITS },
    { PROFILE_L1_MISSES, STAT_L1_GLOBAL_LOAD_MISSES }, { PROFILE_L1_MISSES, STAT_L1_LOCAL_LOAD_MISSES },
    { PROFILE_L1_MISSES, STAT_L1_LOCAL_STORE_MISSES }, { PROFILE_L1_MISSES, STAT_L1_STORE_MISSES },
    { PROFILE_L1_MERGED, STAT_L1_GLOBAL_LOAD_MERGED }, { PROFILE_L1_MERGED, STAT_L1_LOCAL_LOAD_MERGED },
    { PROFILE_L1_MERGED, STAT_L1_LOCAL_STORE_MERGED }, { PROFILE_L1_BYPASSED, STAT_L1_BYPASSED },
    { PROFILE_L1_ATOMICS, STAT_L1_ATOMICS },           { PROFILE_CONST_HITS, STAT_CONST_HITS },
    { PROFILE_CONST_MISSES, STAT_CONST_MISSES },       { PROFILE_CONST_MERGED, STAT_CONST_MERGED },
    { PROFILE_TEXTURE_HITS, STAT_TEXTURE_HITS },       { PROFILE_TEXTURE_MISSES, STAT_TEXTURE_MISSES },
    { PROFILE_TEXTURE_MERGED, STAT_TEXTURE_MERGED },
};
enum { COUNTED = sizeof counted / sizeof *counted };
_Static_assert(sizeof counted / sizeof *counted <= ACCESS_PROFILE_COUNTERS, "every counter has a place");

void access_profile_begin(struct access_profile *p, const uint64_t *count)
{
    for (int i = 0; i < COUNTED; i++)
        p->before[i] = count[counted[i].counter];
}

void access_profile_end(const struct access_profile *p, const uint64_t *count, uint64_t *profile)
{
    for (int i = 0; i < COUNTED; i++)
        profile[counted[i].figure] += count[counted[i].counter] - p->before[i];
}

void access_profile_lines(uint64_t *profile, const struct line_access *access, uint32_t n)
{
    profile[PROFILE_ACCESSES]++;
    profile[PROFILE_LINES] += n;
    for (uint32_t i = 0; i < n; i++)
        profile[PROFILE_SECTORS] += (unsigned)__builtin_popcount(access[i].sectors);
}
