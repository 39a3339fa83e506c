/* Arrays that grow by doubling. */
#include "base/grow.h"

#include <stdlib.h>

enum { FIRST = 8 };

void *array_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    while (*cap <= n)
        *cap = *cap ? 2 * *cap : FIRST;
    array = realloc(array, *cap * size);
    if (!array)
        abort();
    return array;
}
