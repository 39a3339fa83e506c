/* Arrays that grow by doubling. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stddef.h>
#include <stdint.h>

/* The array, moved if need be, with room for more than n elements of this size; *cap: how many fit. Aborts when the host
 * is out of memory. */
void *array_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

#endif
