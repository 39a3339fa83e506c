/* The Version Index Table of a slice. */
#include "memsys/versions/version_index.h"

void version_index_set(struct version_index *x, uint32_t slot, uint32_t version)
{
    x->readable |= UINT32_C(1) << slot;
    x->stamp[slot] = version;
}

void version_index_clear(struct version_index *x, uint32_t slot)
{
    x->readable &= ~(UINT32_C(1) << slot);
}

uint32_t version_index_find(const struct version_index *x, uint32_t version)
{
    for (uint32_t m = x->readable; m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(m);
        if (x->stamp[slot] == version)
            return slot;
    }
    return VERSION_INDEX_NONE;
}

uint32_t version_index_at(const struct version_index *x, uint32_t time)
{
    uint32_t best = VERSION_INDEX_NONE;
    for (uint32_t m = x->readable; m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(m);
        if (x->stamp[slot] <= time && (best == VERSION_INDEX_NONE || x->stamp[slot] > x->stamp[best]))
            best = slot;
    }
    return best;
}
