/*
 * The layout of versions. The slot is in the row number's bits from LAYOUT_ROW_BITS on, which no address of device
 * memory reaches: its range is at most 2^40 bytes, and a row over all channels has at least 2^14.
 */
#include "memsys/versions/layout.h"

/* The lowest address whose row number has a slot, whatever the channel's hash makes of it. */
static uint64_t lowest_of_slots(const struct addrmap *map)
{
    struct addrmap plain = *map;
    const struct dram_address first = { .row = UINT32_C(1) << LAYOUT_ROW_BITS };
    plain.hash = false;
    return addrmap_encode(&plain, &first);
}

void layout_init(struct layout *l, const struct addrmap *map, uint32_t slots, uint32_t subarray_rows,
                 uint32_t reserved)
{
    *l = (struct layout){
        .map = map, .slots = slots, .subarray_rows = subarray_rows, .reserved = reserved,
        .device_rows = (subarray_rows - reserved) / (slots ? slots : 1), .limit = lowest_of_slots(map)
    };
}

uint64_t layout_map(const struct layout *l, uint64_t address, uint32_t slot)
{
    if (!slot)
        return address;
    struct dram_address at = addrmap_decode(l->map, address);
    at.row |= slot << LAYOUT_ROW_BITS;
    return addrmap_encode(l->map, &at);
}

uint64_t layout_unmap(const struct layout *l, uint64_t mapped, uint32_t *slot)
{
    uint32_t none, *out = slot ? slot : &none;
    *out = 0;
    if (mapped < l->limit)
        return mapped;
    struct dram_address at = addrmap_decode(l->map, mapped);
    *out = at.row >> LAYOUT_ROW_BITS;
    at.row &= (UINT32_C(1) << LAYOUT_ROW_BITS) - 1;
    return addrmap_encode(l->map, &at);
}

uint32_t layout_dram_row(const struct layout *l, uint32_t row)
{
    uint32_t slot = row >> LAYOUT_ROW_BITS, device = row & ((UINT32_C(1) << LAYOUT_ROW_BITS) - 1);
    return device / l->device_rows * l->subarray_rows + slot * l->device_rows + device % l->device_rows;
}

uint32_t layout_reserved_row(const struct layout *l, uint32_t row)
{
    return layout_dram_row(l, row) / l->subarray_rows * l->subarray_rows + l->subarray_rows - 1;
}

bool layout_same_subarray(const struct layout *l, uint32_t row_a, uint32_t row_b)
{
    return layout_dram_row(l, row_a) / l->subarray_rows == layout_dram_row(l, row_b) / l->subarray_rows;
}
