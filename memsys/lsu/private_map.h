/*
 * Where a line of private memory lies (memory.local_layout). A warp's private memory is addressed as lines, one for
 * each word of its lanes, that follow each other. Laid out by warp, they lie so. Laid out by word, the lines of one
 * word of all resident warps lie together: those of a block, then those of the block that the next SM holds in the same
 * place.
 */
#ifndef MEMSYS_PRIVATE_MAP_H
#define MEMSYS_PRIVATE_MAP_H

#include "memsys/xbar/packet.h"

struct private_map {
    uint64_t base, bytes;            /* device address of the first warp's memory; bytes of a warp's, whole lines */
    uint32_t sms, warps, block;      /* SMs, warp slots of an SM, warps of a block; block = 0: laid out by warp */
};

/* Lines that one word of all warps takes. */
static inline uint64_t private_places(const struct private_map *m)
{
    return (uint64_t)(m->warps + m->block - 1) / m->block * m->block * m->sms;
}

/* Bytes that all of it takes. */
static inline uint64_t private_bytes(const struct private_map *m)
{
    return m->bytes * (m->block ? private_places(m) : (uint64_t)m->sms * m->warps);
}

/* Other addresses, those of logs, stay. */
static inline uint64_t private_map_line(const struct private_map *m, uint64_t line)
{
    uint64_t at = line - m->base;
    if (!m->block || at >= m->bytes * m->sms * m->warps)
        return line;
    uint64_t warp = at / m->bytes, word = at % m->bytes / LINE_BYTES, sm = warp / m->warps, slot = warp % m->warps;
    uint64_t place = (slot / m->block * m->sms + sm) * m->block + slot % m->block;
    return m->base + (word * private_places(m) + place) * LINE_BYTES;
}

#endif
