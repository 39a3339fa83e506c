/*
 * A tag array: sets and ways, with valid and dirty bits per sector. The owner keeps a line's data and whatever else it
 * has in arrays of its own, by the line's index. The set is the line's number modulo the number of sets, which need not
 * be a power of two. TAGS_XOR: upper bits are xored into the number first, so that power-of-two strides spread
 * (Gonzalez et al., Eliminating cache conflict misses through XOR-based placement functions, ICS 1997). TAGS_FERMI: the
 * L1 of Fermi as measured (Nugteren et al., A Detailed GPU Cache Model Based on Reuse Distance Theory, HPCA 2014), with
 * 32 sets, or 64 of which address bit 12 is the upper half. Address bits that are equal in all lines of the array, as
 * those that select a memory channel, are removed from the number.
 */
#ifndef MEMSYS_TAGS_H
#define MEMSYS_TAGS_H

#include "base/config/config.h"

enum { TAG_NONE = UINT32_MAX };

struct tag {
    uint64_t line;                   /* address of the line; undefined when state is 0 */
    uint64_t used;                   /* time stamp for replacement */
    uint8_t state;                   /* 0 = invalid; other values are for the owner */
    uint8_t valid, dirty;            /* by sector */
    bool pinned;                     /* waits for a fill or a protocol: never a victim */
};

enum { TAG_CUTS = 16 };

struct tags {
    struct tag *tag;                 /* sets x ways */
    uint64_t *line;                  /* copies of tag[].line, contiguous for the search */
    uint32_t sets, ways, line_bytes;
    enum tags_policy policy;         /* a choice of l1.replacement */
    enum tags_index index;           /* a choice of l1.hash */
    uint8_t line_shift, set_shift;   /* log2(line_bytes); log2(sets), rounded up */
    bool used;                       /* lines have been allocated since the last tags_clear */
    bool direct;                     /* the set is the low bits of the line's number, from which nothing is removed */
    uint64_t clock;
    /* what is removed from the line's number, in this order: tags_share, tags_cut */
    uint64_t base;
    uint32_t share;
    uint64_t share_reciprocal;       /* ceil(2^64 / share) */
    uint8_t share_bit, cuts;
    struct { uint8_t bit, width; } cut[TAG_CUTS];
};

void tags_init(struct tags *t, uint32_t sets, uint32_t ways, uint32_t line_bytes, enum tags_policy policy,
               enum tags_index index);
void tags_end(struct tags *t);
void tags_set_ways(struct tags *t, uint32_t ways);           /* at most those of tags_init; the array is empty */
/*
 * For the set index only; before any line is allocated. tags_share: addresses are relative to `base`, and the array
 * has one in `share` of the blocks of 2^bit bytes (the part above `bit` is divided by share; 1 = all). tags_cut removes
 * a bit that is equal in all lines; calls go from higher to lower bits (more than TAG_CUTS ranges are not removed).
 */
void tags_share(struct tags *t, uint64_t base, unsigned bit, uint32_t share);
void tags_cut(struct tags *t, unsigned bit);
/* The way to allocate for the line: an invalid one, else the oldest that is not pinned, whose line the owner evicts;
 * TAG_NONE: all are pinned. */
uint32_t tags_victim(const struct tags *t, uint64_t line);
void tags_allocate(struct tags *t, uint32_t i, uint64_t line, uint8_t state);   /* no sector valid, not pinned */
void tags_clear(struct tags *t);                             /* invalidates all lines */
uint32_t tags_hashed_set(const struct tags *t, uint64_t line);   /* tags_set, unless `direct` */

/* The number of the line's set. */
static inline uint32_t tags_set(const struct tags *t, uint64_t line)
{
    return t->direct ? (uint32_t)(line >> t->line_shift) & (t->sets - 1) : tags_hashed_set(t, line);
}

/* Index or TAG_NONE. */
static inline uint32_t tags_find(const struct tags *t, uint64_t line)
{
    uint32_t first = tags_set(t, line) * t->ways;
    for (uint32_t i = first; i < first + t->ways; i++)
        if (t->line[i] == line && t->tag[i].state)
            return i;
    return TAG_NONE;
}

/* For LRU: used now. */
static inline void tags_touch(struct tags *t, uint32_t i)
{
    if (t->policy == TAGS_LRU)
        t->tag[i].used = ++t->clock;
}

#endif
