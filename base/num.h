/* Small functions of whole numbers. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t num_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t num_most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline bool num_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* Bits that n takes: 0 for 0, else the logarithm to base 2, rounded down, plus 1. */
static inline unsigned num_bits(uint64_t n)
{
    return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* Bits that are set. (Where the compiler may not use the instruction, __builtin_popcountll is a call.) */
static inline unsigned num_ones(uint64_t n)
{
#if defined __POPCNT__
    return (unsigned)__builtin_popcountll(n);
#else
    if (n == UINT32_MAX)
        return 32;                       /* all lanes of a warp: the common case */
    n -= n >> 1 & 0x5555555555555555;
    n = (n & 0x3333333333333333) + (n >> 2 & 0x3333333333333333);
    return (unsigned)(((n + (n >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

/* The logarithm to base 2, rounded up; 0 for 0. */
static inline unsigned num_log2_up(uint64_t n)
{
    return n < 2 ? 0 : num_bits(n - 1);
}

#endif
