/*
 * Where versions lie (Chen, Peng and Irving, Accelerating GPU Hardware Transactional Memory with Snapshot Isolation,
 * ISCA 2017, section 3). Versioned memory has N slots: physical copies of every versioned row. A subarray of a bank has
 * S rows (dram.subarray_rows); device memory uses R = S / N of them, the others are reserved. Slot p of a row lies
 * p x R rows further in the same subarray, so that the row can be copied inside the DRAM:
 *
 *     subarray k of a bank, S = 64, N = 8: R = 8
 *     row 64 k +  0 ..  7   slot 0: rows 8 k .. 8 k + 7 of device memory
 *     row 64 k +  8 .. 15   slot 1 of the same rows
 *     ...
 *     row 64 k + 56 .. 63   slot 7
 *
 * A mapped address names a byte of a slot. L2's tags and MSHRs, the path to DRAM and the store of bytes use it. That of
 * slot 0 is the device address. That of slot p has the same channel, bank and column, and p in the upper bits of the
 * row number; layout_dram_row returns the row of the subarray that DRAM commands name. Bounds are checked on device
 * addresses, before the mapping.
 */
#ifndef MEMSYS_LAYOUT_H
#define MEMSYS_LAYOUT_H

#include "memsys/dram/addrmap.h"

enum { LAYOUT_SLOTS_MAX = 32, LAYOUT_ROW_BITS = 27 };    /* of a row number of device memory; above it: the slot */

struct layout {
    const struct addrmap *map;
    uint32_t slots;                  /* N; 0 = no versioned memory, as 1 */
    uint32_t subarray_rows;          /* S */
    uint32_t reserved;               /* last rows of a subarray that no slot uses (dram.bulk: a row of zeros) */
    uint32_t device_rows;            /* R */
    uint64_t limit;                  /* mapped addresses from here on are of slots above 0 */
};

void layout_init(struct layout *l, const struct addrmap *map, uint32_t slots, uint32_t subarray_rows,
                 uint32_t reserved);
uint64_t layout_map(const struct layout *l, uint64_t address, uint32_t slot);
/* The device address of a mapped one; *slot (may be NULL) gets its slot. */
uint64_t layout_unmap(const struct layout *l, uint64_t mapped, uint32_t *slot);
/* The row of the bank, counted over its subarrays, of the row number of a decoded mapped address. */
uint32_t layout_dram_row(const struct layout *l, uint32_t row);
uint32_t layout_reserved_row(const struct layout *l, uint32_t row);      /* the last row of its subarray */
/* Are two row numbers of decoded mapped addresses in one subarray? */
bool layout_same_subarray(const struct layout *l, uint32_t row_a, uint32_t row_b);

#endif
