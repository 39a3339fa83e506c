/* A hash map from strings to pointers (open addressing); keys are not copied and must outlive the map. */
#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include <stddef.h>
#include <stdint.h>

struct strmap {
    struct strmap_slot { const char *key; void *value; uint32_t len, hash; } *slots;
    size_t cap, count;
};

uint32_t strmap_hash(const char *s, size_t len);
void *strmap_get(const struct strmap *m, const char *key, size_t len);   /* NULL when absent */
void strmap_put(struct strmap *m, const char *key, size_t len, void *value);
void strmap_free(struct strmap *m);

#endif
