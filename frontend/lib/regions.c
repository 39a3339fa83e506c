/*
 * Versioned regions that a program declares. Every mode accepts them; those that simulate versioned memory (timing mode
 * with version.slots) limit their number to the entries of the Version Index Table.
 */
#include "frontend/lib/gpu.h"
#include "memsys/versions/vmem.h"
#include "ptx/memory/region_table.h"

static bool table_full(const simtx_gpu *g, const struct region_table *t)
{
    struct vmem_cfg c;
    vmem_configure(&c, g->config);
    return simtx_timing(g) && c.slots && t->n >= c.regions;
}

simtx_status simtx_declare_versions(simtx_gpu *g, void *p, size_t bytes)
{
    struct region_table *t = devmem_regions(g->mem);
    uint64_t lo = (uint64_t)(uintptr_t)p, hi = lo + bytes;
    const struct mem_range *r = devmem_find(g->mem, lo);
    simtx_status s = timed_flush(g, NULL, NULL);
    if (s)
        return s;
    if (!bytes || !r || bytes > r->hi - lo || r->kind == MEM_EXTERNAL)
        return gpu_fail(g, SIMTX_INVALID_ADDRESS, "%p .. +%zu does not lie in one allocation of device memory: it "
                        "cannot be a versioned region", p, bytes);
    const struct region *other = region_overlapping(t, lo, hi);
    if (other)
        return gpu_fail(g, SIMTX_INVALID_ARGUMENT, "%p .. +%zu overlaps the versioned region %#llx .. +%llu", p, bytes,
                        (unsigned long long)other->lo, (unsigned long long)(other->hi - other->lo));
    if (table_full(g, t))
        return gpu_fail(g, SIMTX_OUT_OF_MEMORY, "%p .. +%zu is versioned region number %u: the Version Index Table has "
                        "%u entries (version.regions)", p, bytes, t->n + 1, t->n);
    region_add(t, lo, hi);
    return SIMTX_OK;
}
