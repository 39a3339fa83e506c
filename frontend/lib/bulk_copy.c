/*
 * Copies between device addresses and fills, requested by the host. In timing mode with dram.bulk they take the time
 * that idle channels need (memsys/dram/bulk.h), by which simulated time advances.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/gpu.h"
#include "frontend/lib/saved/saved.h"
#include "memsys/dram/bulk.h"

bool bulk_timed(const simtx_gpu *g)
{
    return simtx_timing(g) && config_choice(g->config, KEY_DRAM_BULK) != DRAM_BULK_NONE;
}

static void configure(const simtx_gpu *g, struct bulk_cfg *c, struct addrmap *map)
{
    char error[400];
    dram_configure(&c->dram, g->config);
    if (!addrmap_parse(map, c->dram.map, c->dram.channels, (uint32_t)config_int(g->config, KEY_L2_SLICES),
                       c->dram.hash, devmem_base(g->mem), error, sizeof error))
        abort();                             /* config_check accepts only valid maps */
    c->clone = c->dram.bulk == DRAM_BULK_CLONE;
    layout_init(&c->layout, map, (uint32_t)config_int(g->config, KEY_VERSION_SLOTS), c->dram.subarray_rows, c->clone);
}

static void take_time(simtx_gpu *g, const void *to, uint64_t from, size_t bytes)
{
    struct bulk_cfg c;
    struct addrmap map;
    struct bulk_total *b = &g->bulk;
    if (!bytes || !bulk_timed(g) || !devmem_in_range(g->mem, (uint64_t)(uintptr_t)to))
        return;
    configure(g, &c, &map);
    struct bulk_result r = bulk_copy(&c, (uint64_t)(uintptr_t)to, from, bytes);
    uint64_t ns = (uint64_t)((double)r.cycles * 1000 / config_real(g->config, KEY_DRAM_MHZ) + 0.5);
    b->rows_cloned += r.rows_cloned;
    b->bytes_cloned += r.bytes_cloned;
    b->bytes_over_bus += r.bytes_over_bus;
    b->reads += r.reads;
    b->writes += r.writes;
    b->ns += ns;
    g->clock_ns += ns;
    if (g->machine)
        machine_overwritten(g->machine, (uint64_t)(uintptr_t)to, bytes);
}

void simtx_mem_fill(simtx_gpu *g, void *p, int value, size_t bytes)
{
    saved_filled(g, p, value, bytes);
    devmem_fill(g->mem, p, value, bytes);
    simtx_mem_written(g, p, bytes);
    g->bulk.fills += bytes > 0;
    take_time(g, p, (unsigned char)value ? BULK_FILL : BULK_ZERO, bytes);
}

void simtx_mem_copy(simtx_gpu *g, void *to, const void *from, size_t bytes)
{
    saved_moved(g, to, from, bytes);
    memmove(to, from, bytes);
    simtx_mem_written(g, to, bytes);
    g->bulk.copies += bytes > 0;
    take_time(g, to, (uint64_t)(uintptr_t)from, bytes);
}

const char *bulk_text(const simtx_gpu *g, char *text, size_t size)
{
    const struct bulk_total *b = &g->bulk;
    snprintf(text, size,
             "bulk copies: %llu copies and %llu fills took %.3f us: %llu rows cloned (%llu bytes), %llu bytes "
             "over data buses\n",
             (unsigned long long)b->copies, (unsigned long long)b->fills, (double)b->ns / 1000,
             (unsigned long long)b->rows_cloned, (unsigned long long)b->bytes_cloned,
             (unsigned long long)b->bytes_over_bus);
    return text;
}
