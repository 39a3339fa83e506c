/* Fowler, Noll and Vo's hash FNV-1a of 64 bits: start with HASH_START, then add pieces in order. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * HASH_PRIME;
    return h;
}

#endif
