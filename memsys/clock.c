/*
 * The ratios of clock frequencies. Division by an invariant integer is a multiplication (Granlund and Montgomery,
 * PLDI 1994), here rounding up. The part of mul / div below one is stored as a fraction that is less than it by d,
 * 0 < d <= 2^-64. n times the exact part is a multiple of 1 / div. While n x d < 1 / div, n times the fraction is less
 * than it by less than 1 / div, so its integral part + 1 is the exact product rounded up.
 */
#include "memsys/clock.h"

void clock_configure(struct clock_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "memsys/clock.def"
#include "base/config/config_copy.h"
}

__extension__ typedef unsigned __int128 wide;

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static struct clock_ratio ratio_of(uint64_t from, uint64_t to)
{
    uint64_t g = gcd(to, from);
    struct clock_ratio r = { .mul = to / g, .div = from / g };
    uint64_t rest = r.mul % r.div;
    r.whole = r.mul / r.div;
    r.fraction = rest ? (uint64_t)((((wide)rest << 64) - 1) / r.div) : 0;
    r.exact = (UINT64_MAX - 1) / (r.mul > r.div ? r.mul : r.div);
    return r;
}

void clocks_set(struct clocks *c, const uint64_t khz[CLK_COUNT])
{
    for (int f = 0; f < CLK_COUNT; f++) {
        c->khz[f] = khz[f];
        for (int t = 0; t < CLK_COUNT; t++)
            c->ratio[f][t] = ratio_of(khz[f], khz[t]);
    }
}

uint64_t clock_far(const struct clock_ratio *r, uint64_t n, bool up)
{
    if (n == NEVER)
        return NEVER;
    wide edge = ((wide)n * r->mul + (up ? r->div - 1 : 0)) / r->div;
    return edge < NEVER ? (uint64_t)edge : NEVER - 1;
}
