/*
 * Copies and fills of device memory between kernels, as DRAM sees them: how long they take on idle channels. A row of
 * the target that is copied whole from one row of its subarray, or zeroed, is one CLONE (RowClone's second use: each
 * subarray reserves a row of zeros); every other line is read over its channel's data bus, if it is copied, and then
 * written over its own. The bytes are the caller's.
 */
#ifndef MEMSYS_BULK_H
#define MEMSYS_BULK_H

#include "memsys/dram/dram.h"
#include "memsys/versions/layout.h"

struct bulk_cfg {
    struct dram_cfg dram;
    struct layout layout;
    bool clone;                      /* false: everything passes the data buses */
};

/* cycles: of the memory clock; bytes: of the target. */
struct bulk_result { uint64_t cycles, rows_cloned, bytes_cloned, bytes_over_bus, reads, writes; };

/* The source of a fill: none, or rows of zeros. */
enum { BULK_FILL = 0, BULK_ZERO = 1 };

/* from: a device address, BULK_FILL or BULK_ZERO. Neither range may wrap around. */
struct bulk_result bulk_copy(const struct bulk_cfg *c, uint64_t to, uint64_t from, uint64_t bytes);

#endif
