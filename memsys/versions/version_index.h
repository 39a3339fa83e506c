/*
 * Version Index Table: which slot holds which version. There is one sequence of versions for all regions, so the stamps
 * of its entries are equal, and a slice keeps them once. The hardware has them in each entry (`simtx cost`).
 */
#ifndef MEMSYS_VERSION_INDEX_H
#define MEMSYS_VERSION_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/versions/layout.h"

enum { VERSION_INDEX_NONE = UINT32_MAX };

struct version_index {
    uint32_t readable;               /* bit per slot: it holds a published version */
    uint32_t stamp[LAYOUT_SLOTS_MAX];
};

void version_index_set(struct version_index *x, uint32_t slot, uint32_t version);      /* published */
void version_index_clear(struct version_index *x, uint32_t slot);                      /* recycled */
/* The slot of exactly this version; VERSION_INDEX_NONE = it is in no slot. */
uint32_t version_index_find(const struct version_index *x, uint32_t version);
/* The slot of the latest version with a stamp of at most `time` (the paper's look-up), or VERSION_INDEX_NONE. */
uint32_t version_index_at(const struct version_index *x, uint32_t time);

#endif
