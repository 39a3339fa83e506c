/* A hash map from pointers to pointers (open addressing, linear probing): host functions, symbols, live
 * handles. */
#ifndef RT_PTRMAP_H
#define RT_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>

struct ptrmap {
    struct ptrmap_slot { const void *key; void *value; } *slots;   /* key NULL: free */
    size_t cap, count;
};

void *ptrmap_get(const struct ptrmap *m, const void *key); /* NULL when absent; key NULL is always absent */
bool ptrmap_put(struct ptrmap *m, const void *key, void *value);   /* false: out of memory */
void *ptrmap_remove(struct ptrmap *m, const void *key);            /* the removed value, or NULL */

#endif
