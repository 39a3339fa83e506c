/* The ratios of clock frequencies, reduced so that conversions stay in whole numbers. */
#include "memsys/clock.h"

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

void clocks_set(struct clocks *c, const uint64_t khz[CLK_COUNT])
{
    for (int f = 0; f < CLK_COUNT; f++)
        for (int t = 0; t < CLK_COUNT; t++) {
            uint64_t g = gcd(khz[t], khz[f]);
            c->khz[f] = khz[f];
            c->ratio[f][t].mul = khz[t] / g;
            c->ratio[f][t].div = khz[f] / g;
        }
}
