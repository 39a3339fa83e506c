/* Maps with a bit for each byte of memory that nothing has written yet (check.uninitialised). */
#ifndef PTX_UNWRITTEN_H
#define PTX_UNWRITTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Sets the bits of [at, at + n). */
static inline void unwritten_set(uint8_t *map, uint64_t at, uint64_t n, bool unwritten)
{
    for (; n && at % 8; at++, n--)
        map[at / 8] = (uint8_t)((map[at / 8] & ~(1u << at % 8)) | (unsigned)unwritten << at % 8);
    memset(map + at / 8, unwritten ? 255 : 0, n / 8);
    for (uint64_t i = at + n / 8 * 8; i < at + n; i++)
        map[i / 8] = (uint8_t)((map[i / 8] & ~(1u << i % 8)) | (unsigned)unwritten << i % 8);
}

/* Is any bit of [at, at + n) set? */
static inline bool unwritten_any(const uint8_t *map, uint64_t at, uint64_t n)
{
    for (uint64_t i = at; i < at + n; i++)
        if (map[i / 8] >> i % 8 & 1)
            return true;
    return false;
}

#endif
