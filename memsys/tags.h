/*
 * A tag array: sets and ways of lines with a bit per sector, found by line address. What a line means (state, owner,
 * data) is the owner's business: it has the index of the line and keeps arrays beside it. The set is the line's number
 * modulo the number of sets, which need not be a power of two; hashed, upper bits are xored into it first, so that
 * power-of-two strides spread (Gonzalez et al., Eliminating cache conflict misses through XOR-based placement
 * functions, ICS 1997). Address bits that all lines of the array have in common, as those that choose a
 * memory channel, are left out of the number.
 */
#ifndef MEMSYS_TAGS_H
#define MEMSYS_TAGS_H

#include <stdbool.h>
#include <stdint.h>

enum replacement { REPLACE_LRU, REPLACE_FIFO };
enum { TAG_NONE = UINT32_MAX };

struct tag {
    uint64_t line;                   /* address of the line; meaningless when state is 0 */
    uint64_t used;                   /* stamp for replacement */
    uint8_t state;                   /* 0 = invalid; others are the owner's (coherence states) */
    uint8_t valid, dirty;            /* by sector */
    bool pinned;                     /* waits for a fill or a protocol: no victim */
};

enum { TAG_CUTS = 16 };

struct tags {
    struct tag *tag;                 /* sets x ways */
    uint64_t *line;                  /* the tags' addresses once more, side by side, for the search */
    uint32_t sets, ways, line_bytes;
    enum replacement policy;
    bool hash;                       /* set index by xor of upper bits, not the low bits alone */
    uint8_t line_shift, set_shift;   /* log2(line_bytes); log2(sets), rounded up */
    uint64_t clock;
    /* what is left out of the line's number, in this order: see tags_share and tags_cut */
    uint64_t base;
    uint32_t share;
    uint8_t share_bit, cuts;
    struct { uint8_t bit, width; } cut[TAG_CUTS];
};

void tags_init(struct tags *t, uint32_t sets, uint32_t ways, uint32_t line_bytes, enum replacement policy, bool hash);
void tags_end(struct tags *t);
/*
 * For the set index only, before any line is placed: addresses count from `base`; of the blocks of 2^bit bytes the
 * array has one in `share` (the part above bit is divided by share; 1 = all); then bits that are the same in all
 * lines are taken out, each tags_cut below the ones before it (bits past TAG_CUTS ranges stay).
 */
void tags_share(struct tags *t, uint64_t base, unsigned bit, uint32_t share);
void tags_cut(struct tags *t, unsigned bit);
uint32_t tags_find(const struct tags *t, uint64_t line);     /* index or TAG_NONE */
void tags_touch(struct tags *t, uint32_t i);                 /* used now */
/* A place for the line: an invalid way, else the oldest unpinned one (the owner evicts what is there); TAG_NONE: all
 * pinned. */
uint32_t tags_victim(const struct tags *t, uint64_t line);
void tags_place(struct tags *t, uint32_t i, uint64_t line, uint8_t state);   /* not valid, not dirty, not pinned */
void tags_clear(struct tags *t);                             /* all invalid */
uint32_t tags_set(const struct tags *t, uint64_t line);      /* number of the set, for reports and tests */

#endif
