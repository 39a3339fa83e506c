/*
 * Clock domains. Core, crossbar, L2 and memory run at their own frequency; all have an edge 0 at the same instant, the
 * creation of the machine. Every component counts cycles of its own domain. A crossing is rounded up to the next edge of
 * the other domain, so an event never travels backwards and no floating point decides an order.
 */
#ifndef MEMSYS_CLOCK_H
#define MEMSYS_CLOCK_H

#include <stdint.h>

enum clock_domain { CLK_CORE, CLK_XBAR, CLK_L2, CLK_MEM, CLK_COUNT };

#define NEVER UINT64_MAX             /* no event: only a message can wake the component */

struct clocks {
    uint64_t khz[CLK_COUNT];
    struct { uint64_t mul, div; } ratio[CLK_COUNT][CLK_COUNT];   /* reduced khz[to] / khz[from] */
};

void clocks_set(struct clocks *c, const uint64_t khz[CLK_COUNT]);

/* The first edge of `to` at or after edge n of `from`. NEVER stays NEVER. */
static inline uint64_t clock_convert(const struct clocks *c, enum clock_domain from, enum clock_domain to, uint64_t n)
{
    uint64_t mul = c->ratio[from][to].mul, div = c->ratio[from][to].div;
    if (mul == div || n == NEVER)
        return n;
    uint64_t narrow;
    if (!__builtin_mul_overflow(n, mul, &narrow) && !__builtin_add_overflow(narrow, div - 1, &narrow))
        return narrow / div;
    __extension__ unsigned __int128 wide = (unsigned __int128)n * mul + div - 1;
    return (uint64_t)(wide / div);
}

/* The last edge of `to` at or before edge n of `from`: the cycle of `to` in which it falls. NEVER stays NEVER. */
static inline uint64_t clock_floor(const struct clocks *c, enum clock_domain from, enum clock_domain to, uint64_t n)
{
    uint64_t mul = c->ratio[from][to].mul, div = c->ratio[from][to].div;
    if (mul == div || n == NEVER)
        return n;
    uint64_t narrow;
    if (!__builtin_mul_overflow(n, mul, &narrow))
        return narrow / div;
    __extension__ unsigned __int128 wide = (unsigned __int128)n * mul;
    return (uint64_t)(wide / div);
}

/* The first edge n of `from` whose clock_convert to `to` is t or later. NEVER stays NEVER. */
static inline uint64_t clock_first(const struct clocks *c, enum clock_domain from, enum clock_domain to, uint64_t t)
{
    return t == NEVER || t == 0 ? t : clock_floor(c, to, from, t - 1) + 1;
}

/* Does edge a of domain x come before edge b of domain y, in real time? */
static inline int clock_before(const struct clocks *c, enum clock_domain x, uint64_t a, enum clock_domain y, uint64_t b)
{
    if (a == NEVER || b == NEVER)
        return a != NEVER;
    __extension__ typedef unsigned __int128 wide;
    return (wide)a * c->khz[y] < (wide)b * c->khz[x];
}

#endif
