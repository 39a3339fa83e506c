/*
 * The coalescer: the lines that a warp's instruction accesses, and its passes over the banks of shared memory. Lanes
 * are merged in groups of coalescer.lanes (a whole warp, or half a warp as on compute capability 1.x).
 */
#ifndef MEMSYS_COALESCE_H
#define MEMSYS_COALESCE_H

#include "base/config/config.h"
#include "memsys/xbar/packet.h"
#include "ptx/memory/access.h"
#include "ptx/texture/fetch.h"

struct line_access {
    uint64_t line, lanes;
    uint8_t sectors;                 /* of the line, that the lanes access */
    uint8_t piece;
};
enum { COALESCE_MAX = WARP_LANES * MEM_PIECES, COALESCE_FETCH_MAX = WARP_LANES * TEX_TAPS };

/* The lines, in order of pieces, then of the lowest lane that accesses each. Returns their number, at most lanes times
 * mem_pieces. */
uint32_t coalesce(const struct mem_op *op, enum mem_server s, uint32_t group_lanes, struct line_access *out);
/* The same for blocks of 2^shift bytes instead of lines: `line` is the block's address. */
uint32_t coalesce_blocks(const struct mem_op *op, enum mem_server s, uint32_t group_lanes, unsigned shift,
                         struct line_access *out);

/* The blocks that hold the texels of a texture fetch, at most COALESCE_FETCH_MAX. */
uint32_t coalesce_fetch(const struct mem_op *op, unsigned shift, struct line_access *out);

struct coalescer_cfg {
#define CONFIG_ROWS "memsys/lsu/coalesce.def"
#include "base/config/config_fields.h"
};

struct shared_cfg {
#define CONFIG_ROWS "memsys/lsu/shared.def"
#include "base/config/config_fields.h"
};

/* Passes over the banks (CUDA C++ Programming Guide, shared memory of each compute capability). In a pass a bank serves
 * one word, with broadcast to all lanes that access it. A pass of accesses wider than a word has as many lanes as all
 * banks have words for, or lanes of several such groups (shared.merge). Atomics on one word are serialised. */
uint32_t shared_passes(const struct mem_op *op, const struct shared_cfg *c);
/* With shared.block: the accesses that follow each other. Loads of one block are one access, and each port does one at
 * a time; a store is merged with that of the lane before only, and stores do not overlap. */
uint32_t shared_block_accesses(const struct mem_op *op, const struct shared_cfg *c);

#endif
