/*
 * The memory of the ordering oracle, by line: the value of each byte that the replay knows, and for each word the last
 * write and the reads of it, as nodes of the graph of one part of the replay.
 */
#ifndef MEMSYS_ORDER_SHADOW_H
#define MEMSYS_ORDER_SHADOW_H

#include <stdint.h>

#include "memsys/xbar/packet.h"

enum { ORDER_LINE_WORDS = LINE_BYTES / 4 };

struct order_line {
    uint64_t line, known[2];         /* known: bytes with a value */
    uint64_t excluded[2];            /* bytes that are not checked */
    uint64_t part;                   /* of which the nodes are; those of another part are void */
    uint8_t byte[LINE_BYTES];
    uint32_t writer[ORDER_LINE_WORDS], readers[ORDER_LINE_WORDS];    /* node + 1; number of a reader; 0 = none */
    int32_t source[ORDER_LINE_WORDS];            /* PTX line of the last write of any part; 0 = none */
};

struct order_shadow { struct order_line *line; uint32_t *index, n, cap, mask; };

/* The line; it is new if it has not been used since the shadow was cleared. Valid until the next call. */
struct order_line *order_shadow_line(struct order_shadow *s, uint64_t line, uint64_t part);
void order_shadow_clear(struct order_shadow *s);
void order_shadow_free(struct order_shadow *s);

#endif
