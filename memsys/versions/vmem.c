/*
 * Versioned rows. Each channel has its rows in ascending order, so a look-up is a binary search after a comparison with
 * the first and the last one. Slot 0 of a row is device memory; the others are beside it in host memory. The order of
 * bytes in a row is that of columns and of bytes in a burst: an address map has the bits of a line lowest in both.
 */
#include "memsys/versions/vmem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/memory/devmem.h"
#include "ptx/memory/region_table.h"

struct channel_rows { struct version_row **row; uint32_t n, capacity; };

/* What plain accesses of a slice use. */
struct view { uint32_t newest, next, readable; };        /* readable: slots with published versions, a bit each */

struct vmem {
    struct layout layout;
    struct vmem_cfg cfg;
    const struct devmem *mem;        /* NULL: all of device memory can be read */
    struct channel_rows *channel;
    struct view *view;               /* by slice */
    uint32_t row_bytes, slices;
    uint64_t changes;                /* of the region table, when the rows were found; NEVER = they were not */
};

struct vmem *vmem_new(const struct vmem_cfg *c, const struct addrmap *map, const struct devmem *mem,
                              const struct dram_cfg *dram)
{
    if (!c->slots)
        return NULL;
    struct vmem *v = mem_zero(1, sizeof *v, "versioned memory");
    v->cfg = *c;
    v->mem = mem;
    v->slices = map->channels * map->slices_per_channel;
    v->row_bytes = UINT32_C(1) << (map->nbits[ADDR_COLUMN] + map->nbits[ADDR_BYTE]);
    v->channel = mem_zero(map->channels, sizeof *v->channel, "the channels of versioned memory");
    v->view = mem_zero(v->slices, sizeof *v->view, "the slices of versioned memory");
    v->changes = UINT64_MAX;
    layout_init(&v->layout, map, c->slots, dram->subarray_rows, dram->bulk == DRAM_BULK_CLONE);
    return v;
}

static void free_rows(struct vmem *v)
{
    for (uint32_t c = 0; c < v->layout.map->channels; c++) {
        for (uint32_t i = 0; i < v->channel[c].n; i++) {
            free(v->channel[c].row[i]->bytes);
            free(v->channel[c].row[i]);
        }
        v->channel[c].n = 0;
    }
}

void vmem_free(struct vmem *v)
{
    if (!v)
        return;
    free_rows(v);
    for (uint32_t c = 0; c < v->layout.map->channels; c++)
        free(v->channel[c].row);
    free(v->channel);
    free(v->view);
    free(v);
}

const struct layout *vmem_layout(const struct vmem *v)
{
    return &v->layout;
}

enum vmem_copy vmem_policy(const struct vmem *v)
{
    return v->cfg.copy;
}

uint32_t vmem_row_bytes(const struct vmem *v)
{
    return v->row_bytes;
}

/* ---- rows ---- */

static int compare(const struct version_row *r, uint32_t row, uint32_t bank)
{
    if (r->row != row)
        return r->row < row ? -1 : 1;
    return r->bank < bank ? -1 : r->bank > bank;
}

/* The position of a row, or where it would be. */
static uint32_t position(const struct channel_rows *c, uint32_t row, uint32_t bank)
{
    uint32_t lo = 0, hi = c->n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (compare(c->row[mid], row, bank) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct version_row *find(const struct vmem *v, const struct dram_address *at)
{
    const struct channel_rows *c = &v->channel[at->channel];
    if (!c->n || at->row < c->row[0]->row || at->row > c->row[c->n - 1]->row)
        return NULL;
    uint32_t i = position(c, at->row, at->bank);
    return i < c->n && !compare(c->row[i], at->row, at->bank) ? c->row[i] : NULL;
}

struct version_row *vmem_row(const struct vmem *v, uint64_t address)
{
    struct dram_address at = addrmap_decode(v->layout.map, address);
    return find(v, &at);
}

struct version_row *const *vmem_rows(const struct vmem *v, uint32_t channel, uint32_t *n)
{
    *n = v->channel[channel].n;
    return v->channel[channel].row;
}

static void add_row(struct vmem *v, struct dram_address at)
{
    struct channel_rows *c = &v->channel[at.channel];
    if (find(v, &at))
        return;
    at.column = at.byte = 0;
    struct version_row *r = mem_zero(1, sizeof *r, "a versioned row");
    r->address = addrmap_encode(v->layout.map, &at);
    r->bank = at.bank;
    r->row = at.row;
    r->bytes = mem_zero(v->cfg.slots - 1, v->row_bytes, "the slots of a versioned row");
    c->row = mem_grow(c->row, c->n, &c->capacity, sizeof *c->row, "versioned rows");
    uint32_t i = position(c, at.row, at.bank);
    memmove(c->row + i + 1, c->row + i, (c->n++ - i) * sizeof *c->row);
    c->row[i] = r;
}

static void find_rows(struct vmem *v, const struct region_table *t)
{
    free_rows(v);
    for (uint32_t i = 0; i < t->n; i++)
        for (uint64_t at = t->region[i].lo & ~UINT64_C(127); at < t->region[i].hi; at += LINE_BYTES)
            add_row(v, addrmap_decode(v->layout.map, at));
    v->changes = t->changes;
}

static void reset_row(struct version_row *r)
{
    r->held = r->copied = false;
    r->patches = 0;
    memset(r->content, 0, sizeof r->content);
    r->content[0] = ++r->ids;        /* the host may have changed device memory */
}

void vmem_begin(struct vmem *v, const struct region_table *regions)
{
    if (v->changes != regions->changes)
        find_rows(v, regions);
    for (uint32_t c = 0; c < v->layout.map->channels; c++)
        for (uint32_t i = 0; i < v->channel[c].n; i++)
            reset_row(v->channel[c].row[i]);
    for (uint32_t i = 0; i < v->slices; i++)
        v->view[i] = (struct view){ 0, VMEM_NONE, 1 };
}

/* ---- slots of plain accesses ---- */

uint32_t vmem_newest(const struct vmem *v, uint32_t slice)
{
    return v->view[slice].newest;
}

uint32_t vmem_next(const struct vmem *v, uint32_t slice)
{
    return v->view[slice].next;
}

void vmem_copy_begins(struct vmem *v, uint32_t slice, uint32_t to)
{
    v->view[slice].next = to;
    v->view[slice].readable &= ~(UINT32_C(1) << to);
}

void vmem_publish(struct vmem *v, uint32_t slice, uint32_t slot)
{
    v->view[slice] = (struct view){ slot, VMEM_NONE, v->view[slice].readable | UINT32_C(1) << slot };
}

uint32_t vmem_older(const struct vmem *v, uint32_t slice)
{
    return v->view[slice].readable & ~(UINT32_C(1) << v->view[slice].newest);
}

uint64_t vmem_map(const struct vmem *v, const struct packet *p)
{
    struct dram_address at = addrmap_decode(v->layout.map, p->line);
    if (!find(v, &at))
        return p->line;
    return layout_map(&v->layout, p->line, p->slot ? p->slot - 1u : v->view[at.slice].newest);
}

/* ---- bytes ---- */

static uint8_t *slot_bytes(const struct vmem *v, const struct version_row *r, uint32_t slot, uint32_t offset)
{
    return r->bytes + (size_t)(slot - 1) * v->row_bytes + offset;
}

uint8_t *vmem_bytes(const struct vmem *v, uint64_t mapped)
{
    const struct addrmap *map = v->layout.map;
    if (mapped < v->layout.limit)
        return (uint8_t *)(uintptr_t)mapped;
    struct dram_address at = addrmap_decode(map, mapped);
    uint32_t slot = at.row >> LAYOUT_ROW_BITS;
    at.row &= (UINT32_C(1) << LAYOUT_ROW_BITS) - 1;
    const struct version_row *r = find(v, &at);
    assert(r && slot < v->cfg.slots);
    return slot_bytes(v, r, slot, at.column << map->nbits[ADDR_BYTE] | at.byte);
}

void vmem_wrote(struct version_row *r, uint32_t slot)
{
    r->content[slot] = ++r->ids;
}

bool vmem_stale(const struct version_row *r, uint32_t from, uint32_t to)
{
    return !r->content[to] || r->content[from] != r->content[to];
}

/* A line of device memory that the host has no memory for is not allocated; it holds zeros. */
static uint8_t *device_line(const struct vmem *v, const struct version_row *r, uint32_t offset)
{
    const struct addrmap *map = v->layout.map;
    struct dram_address at = addrmap_decode(map, r->address);
    at.column = offset >> map->nbits[ADDR_BYTE];
    at.byte = offset & ((UINT32_C(1) << map->nbits[ADDR_BYTE]) - 1);
    uint64_t line = addrmap_encode(map, &at);
    return !v->mem || devmem_has(v->mem, line) ? (uint8_t *)(uintptr_t)line : NULL;
}

void vmem_move(struct vmem *v, struct version_row *r, uint32_t from, uint32_t to)
{
    static const uint8_t zeros[LINE_BYTES];
    r->content[to] = r->content[from];
    if (from && to) {
        memcpy(slot_bytes(v, r, to, 0), slot_bytes(v, r, from, 0), v->row_bytes);
        return;
    }
    for (uint32_t at = 0; at < v->row_bytes; at += LINE_BYTES) {
        uint8_t *device = device_line(v, r, at);
        if (!from)
            memcpy(slot_bytes(v, r, to, at), device ? device : zeros, LINE_BYTES);
        else if (device)
            memcpy(device, slot_bytes(v, r, from, at), LINE_BYTES);
    }
}
