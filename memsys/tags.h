/*
 * A tag array: sets and ways of lines with a bit per sector, found by line address. What a line means (state, owner, data) is the
 * owner's business: it has the index of the line and keeps arrays beside it.
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

struct tags {
    struct tag *tag;                 /* sets x ways */
    uint32_t sets, ways, line_bytes;
    enum replacement policy;
    bool hash;                       /* set index by xor of upper bits, not the low bits alone */
    uint64_t clock;
};

void tags_init(struct tags *t, uint32_t sets, uint32_t ways, uint32_t line_bytes, enum replacement policy, bool hash);
void tags_end(struct tags *t);
uint32_t tags_find(const struct tags *t, uint64_t line);     /* index or TAG_NONE */
void tags_touch(struct tags *t, uint32_t i);                 /* used now */
/* A place for the line: an invalid way, else the oldest unpinned one (the owner evicts what is there); TAG_NONE: all pinned. */
uint32_t tags_victim(const struct tags *t, uint64_t line);
void tags_place(struct tags *t, uint32_t i, uint64_t line, uint8_t state);

#endif
