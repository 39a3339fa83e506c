/* Pointer hash map.  Removal moves the later entries of the probe sequence back, so no tombstones are needed. */
#include "frontend/rt/ptrmap.h"

#include <stdint.h>
#include <stdlib.h>

static size_t home(const struct ptrmap *m, const void *key)
{
    return (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u) >> 20) & (m->cap - 1);
}

static size_t find(const struct ptrmap *m, const void *key)
{
    size_t i = home(m, key);
    while (m->slots[i].key && m->slots[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *ptrmap_get(const struct ptrmap *m, const void *key)
{
    return m->count && key ? m->slots[find(m, key)].value : NULL;
}

static bool grow(struct ptrmap *m)
{
    struct ptrmap bigger = {.cap = m->cap ? m->cap * 2 : 32};
    bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key)
            bigger.slots[find(&bigger, m->slots[i].key)] = m->slots[i];
    bigger.count = m->count;
    free(m->slots);
    *m = bigger;
    return true;
}

bool ptrmap_put(struct ptrmap *m, const void *key, void *value)
{
    if ((m->count + 1) * 2 > m->cap && !grow(m))
        return false;
    struct ptrmap_slot *s = &m->slots[find(m, key)];
    m->count += !s->key;
    *s = (struct ptrmap_slot){key, value};
    return true;
}

void *ptrmap_remove(struct ptrmap *m, const void *key)
{
    if (!m->count || !key)
        return NULL;
    size_t hole = find(m, key), mask = m->cap - 1;
    void *value = m->slots[hole].value;
    if (!m->slots[hole].key)
        return NULL;
    for (size_t i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
        if (((i - home(m, m->slots[i].key)) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole] = (struct ptrmap_slot){NULL, NULL};
    m->count--;
    return value;
}
