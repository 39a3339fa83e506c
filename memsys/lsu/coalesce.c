/*
 * Merging lanes into lines. Adjacent lanes mostly access one line, so eight active lanes are compared at once.
 * Otherwise a filter of 64 bits (by a hash of the line) records which lines may have been found, so that scattered
 * lanes rarely search. Lanes in a row (mem_op.pattern, known from capture) are split at the ends of lines.
 */
#include "memsys/lsu/coalesce.h"

enum { TOGETHER = 8, LINE_SHIFT = 7, SECTOR_SHIFT = 5 };

struct merge {
    struct line_access *out, *last;
    uint32_t n;
    unsigned shift, piece;
    uint64_t seen;
};

/* The access to this block; appends one if there is none. */
static struct line_access *find_block(struct merge *m, uint64_t line)
{
    uint64_t bit = UINT64_C(1) << ((line >> m->shift) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    if (m->seen & bit)
        for (uint32_t i = 0; i < m->n; i++)
            if (m->out[i].line == line)
                return &m->out[i];
    m->seen |= bit;
    m->out[m->n] = (struct line_access){ .line = line, .piece = (uint8_t)m->piece };
    return &m->out[m->n++];
}

static void add(struct merge *m, uint64_t address, uint64_t lanes, uint8_t sectors)
{
    uint64_t line = address >> m->shift << m->shift;
    if (!m->last || m->last->line != line)
        m->last = find_block(m, line);
    m->last->lanes |= lanes;
    m->last->sectors |= sectors;
}

/* The sectors that eight lanes access if they are all in one block of 2^shift bytes; else 0. */
static uint8_t sectors_together(const uint64_t *address, unsigned shift)
{
    uint64_t apart = address[0] ^ address[TOGETHER - 1];
    uint32_t sectors = 0;            /* by number modulo 32 */
    if (apart >> shift)
        return 0;
    for (int i = 0; i < TOGETHER; i++) {
        apart |= address[i] ^ address[0];
        sectors |= UINT32_C(1) << (address[i] >> SECTOR_SHIFT & 31);
    }
    return apart >> shift ? 0 : sectors >> (address[0] >> SECTOR_SHIFT & 28) & ALL_SECTORS;
}

/* An aligned access is in one sector; pieces are a line apart. */
static void merge_lanes(struct merge *m, const uint64_t *address, uint64_t lanes)
{
    uint64_t offset = (uint64_t)LINE_BYTES * m->piece;
    for (unsigned first = 0; first < WARP_LANES && lanes >> first; first += TOGETHER) {
        uint64_t eight = lanes & mask_all(TOGETHER) << first;
        uint8_t sectors = eight == mask_all(TOGETHER) << first ? sectors_together(&address[first], m->shift) : 0;
        if (sectors)
            add(m, address[first] + offset, eight, sectors);
        else
            for (; eight; eight &= eight - 1) {
                uint64_t a = address[__builtin_ctzll(eight)] + offset;
                add(m, a, eight & -eight, (uint8_t)(1u << (a >> SECTOR_SHIFT) % LINE_SECTORS));
            }
    }
}

/* The sectors that lanes of one block access; first, last: the lowest and highest lane. */
static uint8_t sectors_between(const struct mem_op *op, uint64_t lanes, unsigned first, unsigned last)
{
    unsigned from = op->address[first] / SECTOR_BYTES % LINE_SECTORS;
    unsigned to = op->address[last] / SECTOR_BYTES % LINE_SECTORS;
    uint64_t m = lanes >> first;
    uint8_t sectors = 0;
    if (!(m & (m + 1)))
        return (uint8_t)((2u << to) - (1u << from));
    for (m = lanes; m; m &= m - 1)
        sectors |= (uint8_t)(1u << op->address[__builtin_ctzll(m)] / SECTOR_BYTES % LINE_SECTORS);
    return sectors;
}

/* Lanes at one address or in a row: block after block. */
static uint32_t merge_row(const struct mem_op *op, uint64_t lanes, unsigned shift, struct line_access *out)
{
    uint32_t n = 0;
    unsigned log_width = (unsigned)__builtin_ctz(op->width);
    while (lanes) {
        unsigned first = (unsigned)__builtin_ctzll(lanes);
        uint64_t block = op->address[first] >> shift << shift, mine = lanes;
        if (op->pattern == MEM_PATTERN_CONSECUTIVE) {
            uint64_t room = (block + (UINT64_C(1) << shift) - op->address[first]) >> log_width;
            mine &= mask_all(room ? (uint32_t)room : 1) << first;
        }
        unsigned last = 63 - (unsigned)__builtin_clzll(mine);
        uint8_t sectors = sectors_between(op, mine, first, last);
        out[n++] = (struct line_access){ .line = block, .lanes = mine, .sectors = sectors };
        lanes &= ~mine;
    }
    return n;
}

uint32_t coalesce_blocks(const struct mem_op *op, enum mem_server s, uint32_t group_lanes, unsigned shift,
                         struct line_access *out)
{
    uint32_t n = 0;
    unsigned pieces = mem_pieces(op, s);
    if (op->pattern != MEM_PATTERN_SCATTERED && pieces == 1) {
        for (uint32_t from = 0; from < WARP_LANES && op->served_by[s] >> from; from += group_lanes)
            n += merge_row(op, op->served_by[s] & mask_all(group_lanes) << from, shift, out + n);
        return n;
    }
    for (uint32_t from = 0; from < WARP_LANES; from += group_lanes) {
        uint64_t lanes = op->served_by[s] & mask_all(group_lanes) << from;
        for (unsigned piece = 0; lanes && piece < pieces; piece++) {
            struct merge m = { .out = out + n, .shift = shift, .piece = piece };
            merge_lanes(&m, op->address, lanes);
            n += m.n;
        }
    }
    return n;
}

uint32_t coalesce(const struct mem_op *op, enum mem_server s, uint32_t group_lanes, struct line_access *out)
{
    return coalesce_blocks(op, s, group_lanes, LINE_SHIFT, out);
}

/* A texel is in one sector. */
uint32_t coalesce_fetch(const struct mem_op *op, unsigned shift, struct line_access *out)
{
    struct merge m = { .out = out, .shift = shift };
    for (uint64_t lanes = op->served_by[SERVE_TEXTURE]; lanes; lanes &= lanes - 1) {
        const struct tex_plan *p = &op->fetch->plan[__builtin_ctzll(lanes)];
        for (unsigned t = 0; t < p->n; t++) {
            uint64_t a = p->address[t];
            if (a)
                add(&m, a, lanes & -lanes, (uint8_t)(1u << (a >> SECTOR_SHIFT) % LINE_SECTORS));
        }
    }
    return m.n;
}
