/*
 * Merging lanes into lines. A lane mostly falls into the line of the lane before it; for those that do not, 64 bits
 * remember by line number which lines may have been seen, so that scattered lanes rarely search.
 */
#include "memsys/coalesce.h"

static uint8_t sector_of(uint64_t address)
{
    return (uint8_t)(1u << (address % LINE_BYTES / SECTOR_BYTES));   /* aligned accesses lie in one sector */
}

/* The block's access among the n so far, or a new one at the end. */
static struct line_access *find_block(struct line_access *out, uint32_t *n, uint64_t *seen, uint64_t line,
                                      unsigned shift, unsigned piece)
{
    uint64_t bit = UINT64_C(1) << (line >> shift & 63);
    if (*seen & bit)
        for (uint32_t i = 0; i < *n; i++)
            if (out[i].line == line)
                return &out[i];
    *seen |= bit;
    out[*n] = (struct line_access){ .line = line, .piece = (uint8_t)piece };
    return &out[(*n)++];
}

static uint32_t merge_lanes(const struct mem_op *op, uint64_t lanes, unsigned piece, unsigned shift,
                            struct line_access *out)
{
    uint32_t n = 0;
    uint64_t seen = 0, merged = 0;
    uint8_t sectors = 0;
    struct line_access *x = NULL;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint64_t a = op->address[lane] + LINE_BYTES * piece, line = a >> shift << shift;
        if (!x || line != x->line) {
            if (x) {
                x->lanes |= merged;
                x->sectors |= sectors;
            }
            x = find_block(out, &n, &seen, line, shift, piece);
            merged = sectors = 0;
        }
        merged |= UINT64_C(1) << lane;
        sectors |= sector_of(a);
    }
    if (x) {
        x->lanes |= merged;
        x->sectors |= sectors;
    }
    return n;
}

uint32_t coalesce_blocks(const struct mem_op *op, enum mem_server s, uint32_t group_lanes, unsigned shift,
                         struct line_access *out)
{
    uint32_t n = 0;
    unsigned pieces = mem_pieces(op, s);
    for (uint32_t from = 0; from < WARP_LANES; from += group_lanes) {
        uint64_t lanes = op->served_by[s] & mask_all(group_lanes) << from;
        for (unsigned piece = 0; lanes && piece < pieces; piece++)
            n += merge_lanes(op, lanes, piece, shift, out + n);
    }
    return n;
}

uint32_t coalesce(const struct mem_op *op, enum mem_server s, uint32_t group_lanes, struct line_access *out)
{
    return coalesce_blocks(op, s, group_lanes, 7, out);
}
