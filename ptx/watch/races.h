/*
 * Data races in a block's shared memory: two accesses of different threads to one byte, at least one of them a write,
 * of which none happens before the other. Each cell of memory keeps its last writes and reads; a new access is compared
 * with them. Cells have 4 bytes until the first access that is not a multiple of that.
 *
 * No race: two strong accesses, and stores of the same value.
 */
#ifndef PTX_RACES_H
#define PTX_RACES_H

#include "ptx/watch/order.h"

/* An access of a lane to a cell. value: of a store, if has_value. */
struct race_access {
    const struct dinst *d;           /* NULL: none */
    struct order_event event;
    uint32_t value;
    bool has_value, writes, strong;
};

struct races {
    struct race_cell *cell;
    uint32_t bytes;                  /* of shared memory */
    unsigned grain;                  /* bytes of a cell */
};

void races_restart(struct races *r, uint32_t bytes);         /* at first zeroed; for each block */
void races_free(struct races *r);
/* Makes the grain small enough for an access. */
void races_fit(struct races *r, uint32_t address, unsigned width);
/* Compares an access with those of its cell, and adds it to them. True: a race, with *other. */
bool races_add(struct races *r, const struct order *o, uint32_t address, const struct race_access *now,
               struct race_access *other);

#endif
