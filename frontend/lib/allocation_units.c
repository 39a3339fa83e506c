/*
 * Allocation units: an SM allocates registers and shared memory to blocks in multiples of a unit (CUDA occupancy
 * calculator). Registers are allocated to warps, and the register file consists of as many parts as the warp unit says,
 * each of which holds whole warps; or to whole blocks, whose warps are rounded up to the warp unit. `more` are
 * registers that transactions on shared memory take of a block in addition.
 */
#include "frontend/lib/gpu.h"

static uint64_t up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint64_t down(uint64_t n, uint64_t unit)
{
    return n / unit * unit;
}

static bool for_blocks(const struct gpu_cfg *c)
{
    return c->register_granularity == REGISTERS_FOR_BLOCK;
}

static uint64_t registers_of_warp(const struct gpu_cfg *c, uint64_t registers)
{
    return up(registers * c->warp_size, c->register_unit);
}

static uint64_t left_beside(const struct gpu_cfg *c, uint32_t more)
{
    return c->registers_per_sm > more ? c->registers_per_sm - more : 0;
}

uint64_t allocated_shared(const struct gpu_cfg *c, uint64_t bytes)
{
    return up(bytes + c->shared_reserved, c->shared_unit);
}

uint64_t allocated_registers(const struct gpu_cfg *c, uint64_t registers, uint32_t warps, uint32_t more)
{
    if (for_blocks(c))
        return up(registers * c->warp_size * up(warps, c->warp_unit), c->register_unit) + more;
    return registers_of_warp(c, registers) * warps + more;
}

uint64_t allocated_blocks(const struct gpu_cfg *c, uint64_t registers, uint32_t warps, uint32_t more)
{
    uint64_t block = allocated_registers(c, registers, warps, more), blocks = block ? c->registers_per_sm / block : 0;
    if (for_blocks(c) || !warps)
        return blocks;
    uint64_t parts = down(c->registers_per_sm / registers_of_warp(c, registers), c->warp_unit) / warps;
    return parts < blocks ? parts : blocks;
}

uint32_t allocated_most_registers(const struct gpu_cfg *c, uint32_t warps, uint32_t more)
{
    uint64_t left = left_beside(c, more), whole = up(warps, c->warp_unit);
    uint64_t of_warp = for_blocks(c) ? down(left, c->register_unit) / whole : down(left / whole, c->register_unit);
    return (uint32_t)(of_warp / c->warp_size);
}

uint32_t allocated_most_warps(const struct gpu_cfg *c, uint64_t registers, uint32_t more)
{
    uint64_t left = left_beside(c, more);
    uint64_t warps = for_blocks(c) ? down(left, c->register_unit) / (registers * c->warp_size)
                                   : left / registers_of_warp(c, registers);
    return (uint32_t)down(warps, c->warp_unit);
}
