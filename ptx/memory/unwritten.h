/* Maps with a bit for each byte of memory that nothing has written yet (check.uninitialised). */
#ifndef PTX_UNWRITTEN_H
#define PTX_UNWRITTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bits of [at, at + n) that lie in one byte of the map, from that of `at` on. */
static inline uint8_t unwritten_bits(uint64_t at, uint64_t n)
{
    unsigned first = at % 8, last = n < 8 - first ? first + (unsigned)n : 8;
    return (uint8_t)((1u << last) - (1u << first));
}

/* Sets the bits of [at, at + n). */
static inline void unwritten_set(uint8_t *map, uint64_t at, uint64_t n, bool unwritten)
{
    while (n) {
        uint8_t bits = unwritten_bits(at, n);
        uint64_t whole = bits == 255 ? n / 8 : 0, done = whole ? whole * 8 : (uint64_t)__builtin_popcount(bits);
        if (whole)
            memset(map + at / 8, unwritten ? 255 : 0, whole);
        else
            map[at / 8] = (uint8_t)(unwritten ? map[at / 8] | bits : map[at / 8] & ~bits);
        at += done;
        n -= done;
    }
}

/* Is any bit of [at, at + n) set? */
static inline bool unwritten_any(const uint8_t *map, uint64_t at, uint64_t n)
{
    while (n) {
        uint8_t bits = unwritten_bits(at, n);
        if (map[at / 8] & bits)
            return true;
        at += (uint64_t)__builtin_popcount(bits);
        n -= (uint64_t)__builtin_popcount(bits);
    }
    return false;
}

#endif
