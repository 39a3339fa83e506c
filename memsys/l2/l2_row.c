/*
 * The lines of a DRAM row that are in L2, found by the inverse of the address map. A copy of a row inside DRAM
 * (Seshadri et al., RowClone: fast and energy-efficient in-DRAM bulk data copy and initialization, MICRO 2013) needs
 * the source's dirty lines written back before, and the target's lines invalidated.
 */
#include "memsys/l2/l2.h"

/* An iteration over the lines of a row. */
struct row { const struct partition *part; struct dram_address at; uint32_t columns; };

static struct row row_of(const struct partition *p, uint64_t address)
{
    struct row r = { p, addrmap_decode(p->cfg.map, address), UINT32_C(1) << p->cfg.map->nbits[ADDR_COLUMN] };
    r.at.column = r.at.byte = 0;
    return r;
}

/* The next line that is in L2: its slice and way; false: there are no more. */
static bool next_line(struct row *r, struct l2_slice **s, uint32_t *i)
{
    const struct partition *p = r->part;
    *s = &p->slice[r->at.bank % p->cfg.slices];
    for (; r->at.column < r->columns && (*s)->tags.tag; r->at.column++) {
        uint64_t line = addrmap_encode(p->cfg.map, &r->at);
        *i = line % LINE_BYTES ? TAG_NONE : tags_find(&(*s)->tags, line);
        if (*i != TAG_NONE) {
            r->at.column++;
            return true;
        }
    }
    return false;
}

uint32_t partition_row_dirty(const struct partition *p, uint64_t address)
{
    struct row r = row_of(p, address);
    struct l2_slice *s;
    uint32_t i, n = 0;
    while (next_line(&r, &s, &i))
        n += s->tags.tag[i].dirty != 0;
    return n;
}

/* Is a write-back to the row on the path to the DRAM queue? */
static bool writeback_pending(const struct partition *p, const struct l2_slice *s, const struct dram_address *at)
{
    for (uint32_t k = 0; k < s->transfers; k++) {
        const struct l2_transfer *x = &s->transfer[(s->transfer_head + k) % s->transfer_capacity];
        struct dram_address to = addrmap_decode(p->cfg.map, x->line);
        if (x->write && to.bank == at->bank && to.row == at->row)
            return true;
    }
    return false;
}

bool partition_row_drained(const struct partition *p, uint64_t address)
{
    struct dram_address at = addrmap_decode(p->cfg.map, address);
    return !writeback_pending(p, &p->slice[at.bank % p->cfg.slices], &at) &&
           !dram_row_waits(p->dram, at.bank, l2_dram_row(p, at.row));
}

bool partition_row_clean(struct partition *p, uint64_t address, uint64_t now)
{
    struct row r = row_of(p, address);
    struct l2_slice *s;
    uint32_t i;
    while (next_line(&r, &s, &i))
        if (s->tags.tag[i].dirty) {
            l2_write_back(s, i, now + 1);
            l2_wake(s, now + 1);
        }
    return !partition_row_dirty(p, address) && partition_row_drained(p, address);
}

static bool in_use(const struct l2_slice *s, uint32_t i)
{
    return s->tags.tag[i].pinned || (s->directory && l2_coherence_state(s, s->tags.tag[i].line));
}

bool partition_row_drop(struct partition *p, uint64_t address)
{
    struct row r = row_of(p, address);
    struct l2_slice *s;
    uint32_t i;
    while (next_line(&r, &s, &i))
        if (in_use(s, i))
            return false;
    for (r = row_of(p, address); next_line(&r, &s, &i);) {
        l2_clear_dirty(s, i);
        s->tags.tag[i].state = 0;
        p->count[STAT_VERSION_DROPS]++;
    }
    return true;
}
