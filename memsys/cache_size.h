/* The sizes of a cache by its keys: KiB, ways and bytes of a line. */
#ifndef MEMSYS_CACHE_SIZE_H
#define MEMSYS_CACHE_SIZE_H

#include "base/config/config.h"

static inline uint32_t cache_sets(uint32_t kb, uint32_t ways, uint32_t line_bytes)
{
    return kb * 1024 / (ways * line_bytes);
}

/* A rule of the cache's owner: the size is a whole number of sets. line: KEY_NONE = lines of 128 bytes. */
void cache_check_size(const struct simtx_config *c, enum config_key kb, enum config_key ways, enum config_key line,
                      struct diag *d);

#endif
