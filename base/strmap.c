/* A hash map from strings to pointers: FNV-1a, linear probing, at most half full. */
#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

uint32_t strmap_hash(const char *s, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static struct strmap_slot *find(const struct strmap *m, const char *key, size_t len, uint32_t h)
{
    size_t i = h & (m->cap - 1);
    while (m->slots[i].key) {
        struct strmap_slot *s = &m->slots[i];
        if (s->hash == h && s->len == len && !memcmp(s->key, key, len))
            return s;
        i = (i + 1) & (m->cap - 1);
    }
    return &m->slots[i];
}

void *strmap_get(const struct strmap *m, const char *key, size_t len)
{
    return m->count ? find(m, key, len, strmap_hash(key, len))->value : NULL;
}

void strmap_put(struct strmap *m, const char *key, size_t len, void *value)
{
    if (m->count * 2 >= m->cap) {
        struct strmap old = *m;
        m->cap = old.cap ? old.cap * 2 : 64;
        m->slots = mem_zero(m->cap, sizeof *m->slots, "a map of names");
        for (size_t i = 0; i < old.cap; i++)
            if (old.slots[i].key)
                *find(m, old.slots[i].key, old.slots[i].len, old.slots[i].hash) = old.slots[i];
        free(old.slots);
    }
    uint32_t h = strmap_hash(key, len);
    struct strmap_slot *s = find(m, key, len, h);
    if (!s->key)
        m->count++;
    *s = (struct strmap_slot){ key, value, (uint32_t)len, h };
}

void strmap_free(struct strmap *m)
{
    free(m->slots);
    *m = (struct strmap){ 0 };
}
