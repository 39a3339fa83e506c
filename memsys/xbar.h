/*
 * A crossbar for one direction (SMs to L2 slices, or back). Sources share input ports and destinations share
 * output ports (core clusters). Packets are cut into flits; an input port and an output port each move one flit a crossbar cycle, and a packet holds
 * both until its last flit is through. A packet starts only when the destination's buffer has room for all of it. Input buffers are
 * finite, per source and virtual network; behind them each input port sorts by destination port, so nobody waits behind a packet for
 * somebody else. Outputs choose among inputs round robin; virtual networks take turns, too.
 *
 * Idle, a packet of F flits sent at cycle s is at the destination at s + latency_in + (F - 1) + latency_out.
 */
#ifndef MEMSYS_XBAR_H
#define MEMSYS_XBAR_H

#include "base/stats.h"
#include "memsys/port.h"

struct xbar_cfg {
    const struct clocks *clocks;
    uint32_t sources, destinations;
    uint32_t in_share, out_share;    /* sources of an input port, destinations of an output port; source s is at port s / in_share */
    uint32_t flit_bytes, vns;
    uint32_t latency_in, latency_out;    /* crossbar cycles, each at least 1 */
    enum clock_domain source_clock, destination_clock;
    bool to_slices;                  /* a packet goes to p->slice (and comes from p->sm), else the other way round */
};

struct xbar;
/* in: `sources` ports whose receiver is the crossbar; out: `destinations` ports whose sender it is. */
struct xbar *xbar_new(const struct xbar_cfg *c, struct port *in, struct port *out, uint64_t *count);
void xbar_free(struct xbar *x);
/* Runs all crossbar cycles < until. */
void xbar_run(struct xbar *x, uint64_t until);
uint64_t xbar_next(const struct xbar *x);            /* the next cycle at which it can act, looking at its ports */
bool xbar_empty(const struct xbar *x);
void xbar_dump(const struct xbar *x, void (*line)(void *ctx, const char *text), void *ctx);

static inline uint32_t flits_of(uint32_t bytes, uint32_t flit_bytes)
{
    return (bytes + flit_bytes - 1) / flit_bytes;
}

#endif
