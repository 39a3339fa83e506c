/*
 * Checks of the operands of bulk copies. Shared memory is given by an address of its window, not by a generic one. An
 * area that is not legal as a whole is checked in pieces, so that the report names the first illegal one.
 */
#include "ptx/exec/cluster.h"
#include "ptx/memory/bulk_async.h"
#include "ptx/memory/bulk_check.h"

enum lane_result bulk_misuse(const struct bulk_site *c, enum fault_kind kind, uint64_t address, const char *before,
                             const char *after)
{
    fault_raise(c->h->warp, c->d, kind, c->lane + c->h->index * LANES, address, "%s 0x%llx%s%s", before,
                (unsigned long long)address, *after ? " " : "", after);
    return LANE_FAULT;
}

enum lane_result bulk_illegal(const struct bulk_site *c, enum ptx_space space, uint64_t address, unsigned bytes,
                              bool write)
{
    struct dinst d = *c->d;
    d.space = (uint8_t)space;
    return fault_memory(c->h, &d, c->lane, address, bytes, write) == CONTROL_FAULT ? LANE_FAULT : LANE_LEFT_OUT;
}

/* Of the own block, or of a block of the cluster. */
static bool inside_shared(const struct block *b, uint64_t address, uint64_t bytes, bool own)
{
    uint32_t rank = cluster_rank(b, address);
    bool reached = rank == b->rank || (!own && rank < cluster_blocks(b->launch));
    return reached && !(address >> 32) && (address & CLUSTER_OFFSET_MASK) + bytes <= b->shared_bytes;
}

enum lane_result bulk_check_shared(const struct bulk_site *c, uint64_t address, uint32_t bytes, unsigned grain,
                                   bool own, bool write)
{
    const struct block *b = c->h->warp->block;
    if (address >> 32)
        return bulk_misuse(c, FAULT_SPACE, address,
                           "shared memory is given by an address of its window (cvta.to.shared), not by", "");
    if (own && cluster_rank(b, address) != b->rank)
        return bulk_misuse(c, FAULT_SPACE, address,
                           "this operand must be in the shared memory of the executing block;",
                           "is in another block's");
    if (address & (grain - 1))
        return bulk_illegal(c, SP_SHARED, address, grain, write);
    for (uint32_t at = 0; !inside_shared(b, address, bytes, own) && at < bytes; at += grain)
        if (!inside_shared(b, address + at, grain, own))
            return bulk_illegal(c, SP_SHARED, address + at, grain, write);
    return LANE_COPIES;
}

enum lane_result bulk_check_global(const struct bulk_site *c, uint64_t address, uint32_t bytes, bool write)
{
    if (address & (BULK_GRAIN - 1))
        return bulk_illegal(c, SP_GLOBAL, address, BULK_GRAIN, write);
    if (mem_resolve(c->h, SP_GLOBAL, address, c->lane, bytes, write))
        return LANE_COPIES;
    for (uint32_t at = 0; at < bytes; at += BULK_GRAIN)
        if (!mem_resolve(c->h, SP_GLOBAL, address + at, c->lane, BULK_GRAIN, write))
            return bulk_illegal(c, SP_GLOBAL, address + at, BULK_GRAIN, write);
    return bulk_illegal(c, SP_GLOBAL, address, BULK_GRAIN, write);         /* it spans two allocations */
}

enum lane_result bulk_check_object(const struct bulk_site *c, uint64_t to, uint64_t object, bool own)
{
    const struct block *b = c->h->warp->block;
    enum lane_result r = bulk_check_shared(c, object, 8, 8, own, true);
    if (r == LANE_COPIES && cluster_rank(b, object) != cluster_rank(b, to))
        return bulk_misuse(c, FAULT_SPACE, object, "the barrier object is not in the shared memory of the block with "
                           "the destination:", "");
    return r;
}

enum lane_result bulk_check_blocks(const struct bulk_site *c, uint32_t blocks)
{
    uint32_t n = cluster_blocks(c->h->warp->block->launch);
    if (!(blocks >> n))
        return LANE_COPIES;
    fault_raise(c->h->warp, c->d, FAULT_SPACE, c->lane + c->h->index * LANES, blocks,
                "the mask 0x%x names a block of rank %d, and the cluster has %u block%s", blocks,
                31 - __builtin_clz(blocks), n, n == 1 ? "" : "s");
    return LANE_FAULT;
}
