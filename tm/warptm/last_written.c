/*
 * The last-written table at the slices. A write at commit enters its stamp when it performs; a load of a transaction
 * gets the stamp of the words it reads when it performs, in its reply. A table for the whole GPU (warptm.tcd = ideal)
 * gets the writes of all slices in the serial step after each cycle; until then a slice finds its own in a list.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/warptm/warptm.h"

enum { NOTE_BYTES = 8, TABLE_HASH_BITS = 24 };

void warptm_tables_new(struct warptm_gpu *g, const struct simtx_config *c)
{
    g->tables = g->cfg.tcd == TCD_OFF ? 0 : g->cfg.tcd == TCD_IDEAL ? 1 : g->slices;
    uint32_t buckets = g->tables ? g->cfg.tcd_entries / g->cfg.tcd_arrays / g->tables : 0;
    g->table = mem_zero(g->tables + 1, sizeof *g->table, "last-written tables");
    g->since = mem_zero(g->slices, sizeof *g->since, "last-written tables");
    for (uint32_t i = 0; i < g->tables; i++)
        recency_init(&g->table[i], g->cfg.tcd_arrays, buckets ? buckets : 1, TABLE_HASH_BITS,
                     (uint64_t)config_int(c, KEY_SIM_SEED), 0, "last-written tables");
}

void warptm_tables_free(struct warptm_gpu *g)
{
    for (uint32_t i = 0; i < g->tables; i++)
        recency_end(&g->table[i]);
    for (uint32_t i = 0; i < g->slices; i++)
        free(g->since[i].write);
    free(g->table);
    free(g->since);
}

void warptm_tables_clear(struct warptm_gpu *g)
{
    for (uint32_t i = 0; i < g->tables; i++)
        recency_clear(&g->table[i]);
}

static uint32_t chunk_of(const struct warptm_gpu *g, uint64_t offset)
{
    return (uint32_t)(offset / g->cfg.tcd_bytes);
}

static void written(const struct kilo_gpu *s, uint32_t slice, uint64_t offset, uint64_t cid, uint64_t cycle)
{
    struct warptm_gpu *g = s->own;
    struct warptm_write w = { chunk_of(g, offset), g->cfg.tcd_order == TCD_CYCLES ? cycle : cid };
    if (g->cfg.tcd == TCD_SLICES) {
        recency_write(&g->table[slice], w.chunk, w.stamp);
    } else if (g->cfg.tcd == TCD_IDEAL) {
        g->since[slice].write = mem_grow(g->since[slice].write, g->since[slice].n, &g->since[slice].cap,
                                         sizeof w, "last-written tables");
        g->since[slice].write[g->since[slice].n++] = w;
    }
}

static uint64_t last_write(const struct warptm_gpu *g, uint32_t slice, uint32_t chunk)
{
    uint64_t last = recency_last(&g->table[g->cfg.tcd == TCD_SLICES ? slice : 0], chunk);
    for (uint32_t i = 0; i < g->since[slice].n; i++)
        if (g->since[slice].write[i].chunk == chunk && g->since[slice].write[i].stamp > last)
            last = g->since[slice].write[i].stamp;
    return last;
}

/* The youngest stamp of all words of the sectors read. */
static void read(const struct kilo_gpu *s, uint32_t slice, struct packet *k, uint64_t oldest)
{
    const struct warptm_gpu *g = s->own;
    uint64_t last = 0;
    for (uint32_t at = 0; at < LINE_BYTES; at += g->cfg.tcd_bytes < SECTOR_BYTES ? g->cfg.tcd_bytes : SECTOR_BYTES)
        if (k->sectors >> at / SECTOR_BYTES & 1) {
            uint64_t stamp = last_write(g, slice, chunk_of(g, k->line + at - s->base));
            last = stamp > last ? stamp : last;
        }
    k->mask[0] = last;
    k->mask[1] = oldest - 1;
    k->note_bytes = g->cfg.tcd == TCD_SLICES ? NOTE_BYTES : 0;
}

void warptm_tables_step(struct warptm_gpu *g)
{
    for (uint32_t i = 0; i < g->slices; i++) {
        for (uint32_t n = 0; n < g->since[i].n; n++)
            recency_write(&g->table[0], g->since[i].write[n].chunk, g->since[i].write[n].stamp);
        g->since[i].n = 0;
    }
}

const struct kilo_watch warptm_watch = { .written = written, .read = read };
