/*
 * Clock domains. Core, crossbar, L2 and memory run at their own frequency; edge 0 of all is the same instant,
 * the creation of the machine. Every component counts cycles of its own domain. A crossing is rounded up to the next
 * edge of the other domain, so no event travels backwards in time, and no order depends on floating point.
 */
#ifndef MEMSYS_CLOCK_H
#define MEMSYS_CLOCK_H

#include "base/config/config.h"

enum clock_domain { CLK_CORE, CLK_XBAR, CLK_L2, CLK_MEM, CLK_COUNT };

#define NEVER UINT64_MAX             /* no event without a further message */

/* khz[to] / khz[from]: reduced to mul / div, and, to multiply instead of divide, as whole + fraction / 2^64, with the
 * fraction rounded down below the exact value. Results are exact for edges up to `exact`. */
struct clock_ratio { uint64_t mul, div, whole, fraction, exact; };

struct clocks {
    uint64_t khz[CLK_COUNT];
    struct clock_ratio ratio[CLK_COUNT][CLK_COUNT];   /* [from][to] */
};

static inline uint64_t clock_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct clock_cfg {
#define CONFIG_ROWS "memsys/clock.def"
#include "base/config/config_fields.h"
};
void clock_configure(struct clock_cfg *c, const struct simtx_config *config);

/* khz: frequencies, each at least 1. */
void clocks_set(struct clocks *c, const uint64_t khz[CLK_COUNT]);

/* For edges beyond `exact`, and NEVER; rounded up or down. */
uint64_t clock_far(const struct clock_ratio *r, uint64_t n, bool up);

static inline uint64_t clock_cross(const struct clock_ratio *r, uint64_t n)
{
    if (n > r->exact)
        return clock_far(r, n, true);
    if (!r->fraction)
        return n * r->whole;
    __extension__ unsigned __int128 part = (unsigned __int128)n * r->fraction;
    return n * r->whole + (uint64_t)(part >> 64) + (n > 0);
}

/* The first edge of `to` at or after edge n of `from`. NEVER stays NEVER. */
static inline uint64_t clock_convert(const struct clocks *c, enum clock_domain from, enum clock_domain to, uint64_t n)
{
    return clock_cross(&c->ratio[from][to], n);
}

/* The last edge of `to` at or before edge n of `from`: the cycle of `to` in which it falls. NEVER stays NEVER. */
static inline uint64_t clock_floor(const struct clocks *c, enum clock_domain from, enum clock_domain to, uint64_t n)
{
    const struct clock_ratio *r = &c->ratio[from][to];
    if (n > r->exact)
        return clock_far(r, n, false);
    uint64_t edge = clock_convert(c, from, to, n);
    return edge - (edge * r->div != n * r->mul);
}

/* The first edge n of `from` whose clock_convert to `to` is t or later. NEVER stays NEVER. */
static inline uint64_t clock_first(const struct clocks *c, enum clock_domain from, enum clock_domain to, uint64_t t)
{
    return t == NEVER || t == 0 ? t : clock_floor(c, to, from, t - 1) + 1;
}

/* Does edge a of domain x come before edge b of domain y, in real time? */
static inline bool clock_before(const struct clocks *c, enum clock_domain x, uint64_t a, enum clock_domain y,
                                uint64_t b)
{
    if (a == NEVER || b == NEVER)
        return a < b;
    __extension__ typedef unsigned __int128 wide;
    return (wide)a * c->khz[y] < (wide)b * c->khz[x];
}

#endif
